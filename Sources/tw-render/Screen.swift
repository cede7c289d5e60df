import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// Standard output as a person reads it: its style, its width, the language. The environment is read once; the width is asked
/// for each time, since people change it while the tool runs.
struct Screen {
  /// Lines of text longer than this are hard to read, however wide the terminal is.
  static let widestByDefault = 100
  /// What a terminal has that does not say.
  private static let usualWidth = 80

  let style: TerminalStyle
  /// Whether rows can be wiped and the screen cleared.
  let movesCursor: Bool
  let isTerminal: Bool
  /// The form of times that was asked for; `nil` for the usual one of a format.
  let times: TimeForm?
  /// The form of times in blocks of rows.
  var blockTimes: TimeForm { times ?? (isTerminal ? .clock : .iso) }
  /// The pictures that are shown; `nil` for none.
  let pictures: TerminalPictures?
  /// What draws the photos of tweets; `nil` for none.
  let photos: TerminalPictures?
  /// What stands at the left of a tweet.
  let blocks: AuthorBlocks
  private let fixedWidth: Int?
  private let fixedLocale: ReaderLocale?

  /// - Parameters:
  ///   - width: as `--width` gave it.
  ///   - color: as `--color` gave it.
  ///   - hyperlink: as `--hyperlink` gave it.
  ///   - highlighted: as `--highlight` gave them.
  ///   - ascii: whether `--ascii` was given.
  ///   - locale: as `--locale` gave it; `nil` for what the environment says.
  ///   - times: as `--time` gave it.
  ///   - pictures: how pictures are shown, and from which folder; `nil` for not at all.
  ///   - avatars: whether pictures of authors are shown, or their initials.
  ///   - photos: whether the photos of tweets are shown.
  init(
    width: Int?, color: ColorChoice, hyperlink: ColorChoice, ascii: Bool, highlighted: [String],
    locale: ReaderLocale?, times: TimeForm?, pictures shown: (choice: PictureOption, folder: String)?, avatars: Bool,
    photos hasPhotos: Bool
  ) {
    isTerminal = isatty(1) == 1
    let term = Paths.environment("TERM") ?? "dumb"
    movesCursor = isTerminal && term != "dumb"
    let wantsColour =
      switch color {
      case .always: true
      case .never: false
      case .auto: isTerminal && term != "dumb" && Paths.environment("NO_COLOR") == nil
      }
    let colours: TerminalStyle.Colours
    if !wantsColour {
      colours = .none
    } else if term.contains("256color") || term.contains("direct") || Paths.environment("COLORTERM") != nil {
      colours = .many
    } else {
      // Asked for into a pipe: whatever reads it in the end is likelier a terminal of today.
      colours = isTerminal ? .basic : .many
    }
    let hasLinks =
      switch hyperlink {
      case .always: true
      case .never: false
      case .auto: wantsColour && isTerminal && Self.passesLinks(term)
      }
    let isASCII = ascii || term == "linux" && isTerminal || !Self.localeHasUTF8
    style = TerminalStyle(
      colours: colours, hasLinks: hasLinks, isolates: isTerminal, glyphs: isASCII ? .ascii : .unicode,
      highlighted: highlighted.filter { !$0.isEmpty })
    if let shown, let way = Self.way(shown.choice, term, colours, isTerminal: isTerminal, isASCII: isASCII) {
      let colour = Paths.environment("COLORTERM")
      let pictures = TerminalPictures(
        PictureFolder(shown.folder), way, isTrueColour: colour == "truecolor" || colour == "24bit",
        note: Diagnostics.note)
      self.pictures = pictures
      blocks = avatars ? .pictures(pictures) : .none
    } else {
      pictures = nil
      blocks = avatars ? .initials : .none
    }
    photos = hasPhotos ? pictures : nil
    // The words of other languages have letters beyond ASCII.
    fixedLocale = isASCII ? ReaderLocale(nil) : locale
    self.times = times
    fixedWidth = width ?? (isTerminal ? nil : Self.columnsVariable)
  }

  /// How pictures are shown; `nil` for not at all.
  private static func way(
    _ choice: PictureOption, _ term: String, _ colours: TerminalStyle.Colours, isTerminal: Bool, isASCII: Bool
  ) -> TerminalPictures.Way? {
    switch choice {
    case .none: return nil
    case .kitty: return .known(.kitty)
    case .iterm2: return .known(.iterm2)
    case .sixel: return .known(.sixel)
    case .symbols: return .known(.symbols)
    case .auto: break
    }
    guard isTerminal, colours != .none else { return nil }
    let otherwise: PictureProtocol? = colours == .many && !isASCII ? .symbols : nil
    return .automatic(mayAsk: answers(term), otherwise: otherwise)
  }

  /// Whether a terminal may be asked what pictures it can show. The oldest ones, and Apple's, print the questions; in tmux(1)
  /// and screen(1) the answers are not those of the terminal outside, which is where pictures would have to go.
  private static func answers(_ term: String) -> Bool {
    passesLinks(term) && Paths.environment("TERM_PROGRAM") != "Apple_Terminal"
  }

  /// Whether it is the terminal with this name, such as `/dev/pts/3`.
  func isTerminal(named name: JSONValue?) -> Bool {
    guard isTerminal, let name = name?.string, let own = ttyname(1) else { return false }
    return name == String(cString: own)
  }

  /// Whether OSC 8 sequences of a terminal become links. The oldest terminals do not even skip them. tmux(1) and screen(1)
  /// swallow them unless they are new and told to pass them on, and then the addresses would be nowhere.
  private static func passesLinks(_ term: String) -> Bool {
    if ["linux", "dumb"].contains(term) { return false }
    return !["vt", "tmux", "screen"].contains(where: term.hasPrefix) && Paths.environment("TMUX") == nil
  }

  /// How times, counts and words are written. It is made anew each time, since formats for programs need none, and a
  /// language of ICU takes longer to load than the tool to start.
  var locale: ReaderLocale { fixedLocale ?? .environment }

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
