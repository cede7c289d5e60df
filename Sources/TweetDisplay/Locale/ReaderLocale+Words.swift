package import TweetCore

extension ReaderLocale {
  /// The language of the words, as HTML names it: `de`.
  package var wordsLanguage: String { isTraditional ? "zh-Hant" : words.rawValue }

  /// Whether the words run from right to left.
  package var isRightToLeft: Bool { words == .ar || words == .he }

  /// Appends a phrase that has nothing to insert.
  package func append(_ phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(text(phrase)) }

  /// Appends what stands before the inserted text of a phrase; ``append(after:to:)`` has the rest.
  package func append(before phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(halves(phrase).before) }

  /// Appends what stands after the inserted text of a phrase.
  package func append(after phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(halves(phrase).after) }

  /// Appends the form of a phrase that goes with a count, with the count in it.
  /// - Parameter isCompact: whether the count is in few letters.
  package func append(_ phrase: Phrase, count: Int, isCompact: Bool = false, to buffer: inout ByteBuffer) {
    let category = PluralTable.category(words, i: Int(clamping: count.magnitude), t: 0, v: 0, e: 0)
    let forms = PluralForms(bytes(of: phrase))
    appendTemplate(forms[category], to: &buffer) {
      if isCompact { append(compact: count, to: &$1) } else { append(count: count, to: &$1) }
    }
  }

  private func text(_ phrase: Phrase) -> StaticString {
    isTraditional ? WordsTable.traditionalChinese(phrase) : WordsTable.text(phrase, words)
  }

  private func bytes(of phrase: Phrase) -> ByteView {
    let text = text(phrase)
    return text.bytes
  }

  private func halves(_ phrase: Phrase) -> (before: ByteView, after: ByteView) {
    let bytes = bytes(of: phrase)
    let opening = bytes.firstIndex(of: UInt8(ascii: "{")) ?? bytes.endIndex
    let closing = bytes.firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? bytes.endIndex
    return (ByteView(rebasing: bytes[..<opening]), ByteView(rebasing: bytes[closing...]))
  }
}
