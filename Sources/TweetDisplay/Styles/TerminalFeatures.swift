import Libc
import TweetCore

/// What the environment says of the terminal on standard output. The terminal itself is not asked.
package struct TerminalFeatures {
  package let isTerminal: Bool
  /// The variable TERM.
  package let term: String

  package init() {
    isTerminal = isatty(1) == 1
    term = Paths.environment("TERM") ?? "dumb"
  }

  /// Whether rows can be wiped and the screen cleared.
  package var movesCursor: Bool { isTerminal && term != "dumb" }

  /// Whether colours are shown where nobody asks for them.
  package var wantsColours: Bool { movesCursor && Paths.environment("NO_COLOR") == nil }

  /// The colours where nobody asks for them.
  package var colours: TerminalStyle.Colours { wantsColours ? mostColours : .none }

  /// The colours where they are asked for.
  package var mostColours: TerminalStyle.Colours {
    if term.contains("256color") || term.contains("direct") || Paths.environment("COLORTERM") != nil { return .many }
    // Asked for into a pipe: whatever reads it in the end is likelier a terminal of today.
    return isTerminal ? .basic : .many
  }

  /// Whether OSC 8 sequences of a terminal become links. The oldest terminals do not even skip them. tmux(1) and
  /// screen(1) swallow them unless they are new and told to pass them on, and then the addresses would be nowhere.
  package var passesLinks: Bool {
    if ["linux", "dumb"].contains(term) { return false }
    return !["vt", "tmux", "screen"].contains(where: term.hasPrefix) && Paths.environment("TMUX") == nil
  }

  /// Whether a terminal may be asked what pictures it can show. The oldest ones, and Apple's, print the questions; in
  /// tmux(1) and screen(1) the answers are not those of the terminal outside, which is where pictures would have to go.
  package var mayAsk: Bool { passesLinks && Paths.environment("TERM_PROGRAM") != "Apple_Terminal" }

  /// Whether signs beyond ASCII would not be seen: on the console of Linux, and where the locale writes no UTF-8.
  package var needsASCII: Bool { term == "linux" && isTerminal || !Self.localeHasUTF8 }

  /// Whether the locale writes UTF-8. Where none is set (bare containers, cron) nobody has said otherwise.
  package static var localeHasUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = Paths.environment(name) else { continue }
      let name = value.uppercased()
      return name.contains("UTF-8") || name.contains("UTF8")
    }
    return true
  }
}
