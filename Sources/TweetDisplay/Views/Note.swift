package import TweetCore

/// What is shown of a record that is no tweet: a sign, the kit's words, and a string of the record.
package struct Note {
  package enum Kind {
    case information, warning, error
    /// A tweet that was shown has been deleted; the string is its id.
    case deletion
  }

  private let kind: Kind
  private let value: JSONValue
  let time: Timestamp?

  /// - Parameters:
  ///   - value: the string to show; there is no note without one.
  ///   - time: when it happened, as RFC 3339.
  package init?(_ kind: Kind, _ value: JSONValue?, time: JSONValue? = nil) {
    guard let value else { return nil }
    self.kind = kind
    self.value = value
    self.time = time.flatMap { Timestamp(ascii: $0.rawString) }
  }

  /// Appends the sign and a space.
  func appendSign(to text: inout StyledText, glyphs: Glyphs) {
    switch kind {
    case .information: text.append(glyphs.notice, .dim)
    case .warning: text.append(glyphs.caution, .warning)
    case .error: text.append(glyphs.failure, .bad)
    case .deletion: text.append(glyphs.failure, .dim)
    }
    text.bytes.append(" ")
  }

  /// Appends the words and the record's string, and marks all since the sign.
  func appendWords(to text: inout StyledText, decoder: inout StringDecoder) {
    if kind == .deletion { text.bytes.append("deleted: ") }
    Printable.append(decoder.decode(value), to: &text.bytes)
    text.mark(.dim)
  }
}
