package import TweetCore

/// What is shown of a record that is not a tweet: a sign, and a string of the record.
package struct Note {
  package enum Kind {
    case information, warning, error
    /// A tweet that was shown has been deleted.
    case deletion
  }

  let kind: Kind
  let time: Timestamp?
  private let value: JSONValue?
  private let tweet: ShownWords?

  /// - Parameters:
  ///   - value: the string to show; there is no note without one.
  ///   - time: when it happened, as RFC 3339.
  package init?(_ kind: Kind, _ value: JSONValue?, time: JSONValue? = nil) {
    guard let value else { return nil }
    (self.kind, self.value, tweet) = (kind, value, nil)
    self.time = time.flatMap { Timestamp(ascii: $0.rawString) }
  }

  /// A note that a tweet was deleted.
  package init(deletionOf tweet: ShownWords) {
    (kind, value, time, self.tweet) = (.deletion, nil, nil, tweet)
  }

  /// Appends the sign, and the string or the deleted tweet's author and first words, struck out.
  /// - Parameter room: the columns of a row.
  func append(
    to text: inout StyledText, room: Int, style: TerminalStyle, locale: ReaderLocale, decoder: inout StringDecoder
  ) {
    let glyphs = style.glyphs
    switch kind {
    case .information: text.append(glyphs.notice, .dim)
    case .warning: text.append(glyphs.caution, .warning)
    case .error: text.append(glyphs.failure, .bad)
    case .deletion: text.append(glyphs.failure, .dim)
    }
    text.bytes.append(" ")
    if let value { Printable.append(decoder.decode(value), to: &text.bytes) }
    text.mark(kind == .error ? .plain : .dim)
    guard let tweet else { return }
    locale.append(before: .deleted, to: &text.bytes)
    text.mark(.dim)
    let isolates = style.isolates && locale.isRightToLeft
    if isolates { text.bytes.append(Bidi.opening) }
    tweet.append(room: room - DisplayWidth.widest(of: text.view(from: 0)), style: style, to: &text)
    if isolates { text.bytes.append(Bidi.closing) }
    text.mark(.struck)
  }
}

/// The author and the first words of a tweet that was shown, as a record had them.
package struct ShownWords {
  private static let widestName = 24

  /// Bytes of JSON strings, without the quotes.
  private let username, words: [UInt8]
  /// Whether the tweet has more words.
  private let isCut: Bool

  package init(username: [UInt8], words: [UInt8], isCut: Bool) {
    (self.username, self.words, self.isCut) = (username, words, isCut)
  }

  /// Appends `@handle “first words…”`.
  /// - Parameter room: the columns for it.
  func append(room: Int, style: TerminalStyle, to text: inout StyledText) {
    let start = text.count
    if !username.isEmpty {
      text.bytes.append("@")
      append(username, to: &text.bytes)
      text.bytes.cut(from: start, most: Self.widestName, ellipsis: style.glyphs.ellipsis)
    }
    let left = room - DisplayWidth.widest(of: text.view(from: start)) - 3
    guard !words.isEmpty, left > 4 else { return }
    if text.count > start { text.bytes.append(" ") }
    text.bytes.append(style.glyphs.openQuote)
    let quoted = text.count
    append(words, to: &text.bytes)
    if isCut { text.bytes.append(style.glyphs.ellipsis) }
    text.bytes.cut(from: quoted, most: left, ellipsis: style.glyphs.ellipsis)
    text.bytes.append(style.glyphs.closeQuote)
  }

  private func append(_ string: [UInt8], to buffer: inout ByteBuffer) {
    var decoded = ByteBuffer(capacity: 256)
    string.withBytes { decoded.append(unescaping: $0) }
    decoded.withBytes { Printable.append($0, to: &buffer) }
  }
}
