import Libc
import TweetCore
import TweetDisplay

/// What the terminal can show, and whether the locale writes UTF-8.
struct TerminalCheck {
  static func findings() -> [Finding] {
    var found: [Finding] = []
    if !TerminalFeatures.localeHasUTF8 {
      found.append(
        .fault(
          .terminal, "the locale does not write UTF-8: other letters than those of English are shown as '?'",
          mend: "export LC_ALL=C.UTF-8"))
    }
    let features = TerminalFeatures()
    guard features.isTerminal else { return found }
    if features.term == "dumb" {
      found.append(
        .note(.terminal, "TERM says that the terminal has no colours and no cursor", mend: "export TERM=xterm-256color")
      )
      return found
    }
    let colours: String =
      switch features.colours {
      case .none: "no colours, as NO_COLOR says"
      case .basic: "16 colours"
      case .many: "256 colours"
      }
    let pictures: String =
      switch features.mayAsk ? TerminalPictures.ask() : nil {
      case .kitty: "pictures by kitty's protocol"
      case .iterm2: "pictures by iTerm2's protocol"
      case .sixel: "pictures in sixels"
      case .symbols, nil: features.colours == .many ? "pictures in symbols" : "no pictures"
      }
    let links = features.passesLinks ? "links" : "no links"
    return found + [.ok(.terminal, "\(features.term): \(colours), \(pictures), \(links)")]
  }
}
