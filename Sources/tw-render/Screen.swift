import Libc
import TweetCLI
import TweetCore

/// What the output can show: asked of the terminal and the environment once, except for the width, which a person may
/// change at any time.
struct Screen {
  enum Colours {
    case none
    /// The sixteen of every terminal.
    case basic
    /// The 256 whose upper 240 look alike everywhere.
    case many
  }

  /// Lines of text longer than this are hard to read, however wide the terminal is.
  static let widestByDefault = 100
  /// What a terminal has that does not say.
  private static let usualWidth = 80

  let isTerminal: Bool
  /// Whether rows can be wiped and the screen cleared.
  let movesCursor: Bool
  let colours: Colours
  /// Whether links can be made of OSC 8 sequences. Terminals that do not know them show nothing of them, but the oldest
  /// do not even skip them.
  let hasLinks: Bool
  /// Whether our own signs and frames must be ASCII.
  let isASCII: Bool
  private let fixedWidth: Int?

  /// - Parameters:
  ///   - width: as `--width` gave it.
  ///   - color: as `--color` gave it.
  ///   - ascii: whether `--ascii` was given.
  init(width: Int?, color: ColorChoice, ascii: Bool) {
    isTerminal = isatty(1) == 1
    let term = Paths.environment("TERM") ?? "dumb"
    movesCursor = isTerminal && term != "dumb"
    let wantsColour =
      switch color {
      case .always: true
      case .never: false
      case .auto: isTerminal && term != "dumb" && Paths.environment("NO_COLOR") == nil
      }
    if !wantsColour {
      colours = .none
    } else if term.contains("256color") || term.contains("direct") || Paths.environment("COLORTERM") != nil {
      colours = .many
    } else {
      // Asked for into a pipe: whatever reads it in the end is likelier a terminal of today.
      colours = isTerminal ? .basic : .many
    }
    hasLinks = wantsColour && isTerminal && !["linux", "dumb"].contains(term) && !term.hasPrefix("vt")
    isASCII = ascii || term == "linux" && isTerminal || !Self.localeHasUTF8
    fixedWidth = width ?? (isTerminal ? nil : Self.columnsVariable)
  }

  /// The columns to fill, now.
  var width: Int {
    if let fixedWidth { return fixedWidth }
    guard isTerminal else { return Self.usualWidth }
    var size = winsize()
    let known = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let width = known ? Int(size.ws_col) : Self.columnsVariable ?? Self.usualWidth
    return min(width, Self.widestByDefault)
  }

  private static var columnsVariable: Int? {
    guard let value = Paths.environment("COLUMNS"), let columns = Int(value), columns > 0 else { return nil }
    return min(columns, widestByDefault)
  }

  /// Whether the locale writes UTF-8. Where none is set (bare containers, cron) nobody has said otherwise.
  private static var localeHasUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = Paths.environment(name) else { continue }
      let name = value.uppercased()
      return name.contains("UTF-8") || name.contains("UTF8")
    }
    return true
  }
}
