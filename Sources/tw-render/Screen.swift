import Libc
import TweetCLI
import TweetCore
import TweetDisplay

/// Standard output as a person reads it: its style, its width, the language. The environment is read once; the width is
/// asked for each time, since people change it while the tool runs.
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
    let features = TerminalFeatures()
    isTerminal = features.isTerminal
    movesCursor = features.movesCursor
    let wantsColour =
      switch color {
      case .always: true
      case .never: false
      case .auto: features.wantsColours
      }
    let colours = wantsColour ? features.mostColours : .none
    let hasLinks =
      switch hyperlink {
      case .always: true
      case .never: false
      case .auto: wantsColour && isTerminal && features.passesLinks
      }
    let isASCII = ascii || features.needsASCII
    style = TerminalStyle(
      colours: colours, hasLinks: hasLinks, isolates: isTerminal, glyphs: isASCII ? .ascii : .unicode,
      highlighted: highlighted.filter { !$0.isEmpty })
    if let shown, let way = shown.choice.way(features, colours, isASCII: isASCII) {
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

  /// Whether it is the terminal with this name, such as `/dev/pts/3`.
  func isTerminal(named name: JSONValue?) -> Bool {
    guard isTerminal, let name = name?.string, let own = ttyname(1) else { return false }
    return name == String(cString: own)
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
}
