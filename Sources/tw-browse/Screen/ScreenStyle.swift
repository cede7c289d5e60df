import TweetCore
import TweetDisplay

/// How the screen looks: what the terminal can, and the person's language.
struct ScreenStyle {
  let style: TerminalStyle
  let locale: ReaderLocale
  let hasInitials: Bool

  /// - Parameters:
  ///   - ascii: whether `--ascii` was given.
  ///   - hasAvatars: the setting of the kit.
  init(ascii: Bool, hasAvatars: Bool) {
    let features = TerminalFeatures()
    let isASCII = ascii || features.needsASCII
    let hasColours = Paths.environment("NO_COLOR") == nil
    style = TerminalStyle(
      colours: hasColours ? features.mostColours : .none, hasLinks: hasColours && features.passesLinks, isolates: true,
      glyphs: isASCII ? .ascii : .unicode)
    locale = isASCII ? ReaderLocale(nil) : .environment
    hasInitials = hasAvatars
  }

  /// Appends a text in faint letters, cut at `most` columns.
  func appendDim(_ text: String, most: Int, to output: inout ByteBuffer) {
    append(text, most: most, sequence: "\u{1B}[2m", to: &output)
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
