import TweetCore

/// Appends who somebody is: a name, a handle, the first words of what they wrote.
struct AuthorText: ~Copyable {
  /// Names are cut at this many columns; X allows 50 letters.
  private static let widestName = 40
  /// More bytes of a text are not looked at for its first words: a letter has few, and an escape six.
  private static let longestExcerpt = 1024

  private let style: TerminalStyle
  private var decoder = StringDecoder()

  init(_ style: TerminalStyle) { self.style = style }

  /// Appends the display name, isolated if it has right-to-left letters; without one, the handle or the id.
  mutating func appendName(_ author: AuthorFields, most: Int = widestName, to text: inout StyledText) {
    let start = text.count
    Printable.append(decoder.decode(author.name, limit: 1024), to: &text.bytes)
    if text.view(from: start).allSatisfy({ $0 == 0x20 }) {
      text.bytes.truncate(to: start)
      Printable.append(decoder.decode(author.username ?? author.id, limit: 1024), to: &text.bytes)
    }
    finish(from: start, most: min(most, Self.widestName), &text)
  }

  /// Appends `@handle`.
  mutating func appendHandle(_ username: JSONValue, to text: inout StyledText) {
    let start = text.count
    text.bytes.append("@")
    Printable.append(decoder.decode(username, limit: 1024), to: &text.bytes)
    finish(from: start, most: Self.widestName, &text)
  }

  /// Appends the handle, or the name of somebody without one.
  mutating func appendHandle(of author: AuthorFields, to text: inout StyledText) {
    if let username = author.username { appendHandle(username, to: &text) } else { appendName(author, to: &text) }
  }

  /// Appends `“the first words…”` on one row, in at most `most` columns; nothing for an empty text.
  mutating func appendExcerpt(_ source: JSONValue?, most: Int, to text: inout StyledText) {
    let words = decoder.decode(source, limit: Self.longestExcerpt)
    guard words.contains(where: { $0 > 0x20 }), most > 4 else { return }
    text.bytes.append(style.glyphs.openQuote)
    let start = text.count
    appendWithoutAddresses(words, most: most, to: &text.bytes)
    if text.count == start { Printable.append(words, to: &text.bytes) }
    finish(from: start, most: most - 2, &text)
    text.bytes.append(style.glyphs.closeQuote)
  }

  /// Appends a text without its web addresses: the short ones of a service say nothing. A word that does not fit in
  /// `most` columns may be the last one.
  private func appendWithoutAddresses(_ source: ByteView, most: Int, to buffer: inout ByteBuffer) {
    let start = buffer.count
    // Each of these letters takes a column, others may take none.
    var letters = 0
    var rest = source[...]
    while letters <= most, let first = rest.firstIndex(where: { $0 > 0x20 }) {
      let end = rest[first...].firstIndex { $0 <= 0x20 } ?? rest.endIndex
      let word = ByteView(rebasing: rest[first..<end])
      rest = rest[end...]
      if word.first == UInt8(ascii: "h"), word.starts(with: "https://".utf8) || word.starts(with: "http://".utf8) {
        continue
      }
      if buffer.count > start { buffer.append(UInt8(ascii: " ")) }
      Printable.append(word, to: &buffer)
      letters += word.count { $0 < 0x80 }
    }
  }

  private func finish(from start: Int, most: Int, _ text: inout StyledText) {
    text.bytes.cut(from: start, most: most, ellipsis: style.glyphs.ellipsis)
    if style.isolates { Bidi.isolate(&text.bytes, from: start) }
  }
}
