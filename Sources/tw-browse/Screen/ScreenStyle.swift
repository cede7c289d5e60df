import TweetCore
import TweetDisplay

/// How the screen looks: what the terminal can, and the person's language.
struct ScreenStyle {
  let style: TerminalStyle
  let locale: ReaderLocale
  /// Whether authors' pictures or initials are shown.
  let hasAvatars: Bool
  /// How pictures are shown; `nil` for not at all.
  let way: TerminalPictures.Way?
  /// The pictures of the tweet that is read; `nil` for none.
  let pictures: ScreenPictures?

  /// - Parameters:
  ///   - ascii: whether `--ascii` was given.
  ///   - hasAvatars: the setting of the kit.
  ///   - pictures: as `--pictures` gave it.
  ///   - folder: that of the thumbnails.
  init(ascii: Bool, hasAvatars: Bool, pictures option: PictureOption, folder: String) throws(ToolError) {
    let features = TerminalFeatures()
    let isASCII = ascii || features.needsASCII
    let hasColours = Paths.environment("NO_COLOR") == nil
    style = TerminalStyle(
      colours: hasColours ? features.mostColours : .none, hasLinks: hasColours && features.passesLinks, isolates: true,
      glyphs: isASCII ? .ascii : .unicode)
    locale = isASCII ? ReaderLocale(nil) : .environment
    self.hasAvatars = hasAvatars
    way = option.way(features, style.colours, isASCII: isASCII)
    let colour = Paths.environment("COLORTERM")
    pictures =
      way == nil
      ? nil
      : try ScreenPictures(PictureFolder(folder), style, isTrueColour: colour == "truecolor" || colour == "24bit")
  }

  /// What stands at the left of the tweet that is read.
  var blocks: AuthorBlocks { hasAvatars ? pictures.map { .pictures($0) } ?? .initials : .none }

  /// What stands at the left of an entry of a list.
  var entryBlocks: AuthorBlocks { hasAvatars ? pictures.map { .pictures(ListAvatars($0)) } ?? .initials : .none }

  /// Appends a text in faint letters, cut at `most` columns.
  func appendDim(_ text: String, most: Int, to output: inout ByteBuffer) {
    append(text, most: most, sequence: "\u{1B}[2m", to: &output)
  }

  /// A row of a text in faint letters, cut at `most` columns.
  func dimRow(_ text: String, most: Int) -> [UInt8] { row(text, most: most, sequence: "\u{1B}[2m") }

  /// A row of a text, cut at `most` columns; see ``append(_:most:sequence:to:)``.
  func row(_ text: String, most: Int, sequence: StaticString = "") -> [UInt8] {
    var line = ByteBuffer(capacity: 256)
    append(text, most: most, sequence: sequence, to: &line)
    return line.array
  }

  /// Appends a text, cut at `most` columns.
  /// - Parameter sequence: sets its look (SGR); it is left out where there are no colours, but for reverse.
  func append(_ text: String, most: Int, sequence: StaticString, to output: inout ByteBuffer) {
    var line = ByteBuffer(capacity: text.utf8.count + 16)
    text.withBytes { Printable.append($0, to: &line) }
    line.cut(from: 0, most: most, ellipsis: style.glyphs.ellipsis)
    output.append(sequence)
    line.withBytes { output.append($0) }
    output.append("\u{1B}[0m")
  }
}
