import TweetCore

/// The text for the full-text index, and queries of that index.
///
/// SQLite's tokenizer takes a run of letters for one word. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese do
/// not put spaces between all words. So each of their letters becomes a word of its own, and a run of such letters in a
/// query becomes a phrase. Then any part of a run is found, also by other programs that open the store.
enum SearchText {
  /// Appends `text` with spaces around the letters of such scripts.
  /// - Returns: false if it has no such letters. Then nothing is appended, and the text itself is indexed.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) -> Bool {
    // These scripts begin at U+0E00. In UTF-8 its first byte is 0xE0.
    guard let first = text.firstIndex(where: { $0 >= 0xE0 }) else { return false }
    let start = buffer.count
    var at = first
    var copied = 0
    var isBehindLetter = false
    var found = false
    while at < text.count {
      let scalar = decodeScalar(text, at: at)
      let kind = Kind(scalar.value)
      if kind == .letter || isBehindLetter && kind == .other {
        buffer.append(UnsafeBufferPointer(rebasing: text[copied..<at]))
        buffer.append(UInt8(ascii: " "))
        copied = at
        found = true
      }
      if kind != .mark { isBehindLetter = kind == .letter }
      at += scalar.length
    }
    guard found else {
      buffer.truncate(to: start)
      return false
    }
    buffer.append(UnsafeBufferPointer(rebasing: text[copied...]))
    return true
  }

  /// A query as a person types it. A tweet must have every word; words in double quotes must follow each other.
  struct Query {
    /// The words as a query of the full-text index; `nil` if there are none.
    var match: String?
    /// Hashtags, without "#".
    var tags: [String] = []
    /// Mentioned users, without "@".
    var names: [String] = []

    /// Whether there is nothing to search for.
    var isEmpty: Bool { match == nil && tags.isEmpty && names.isEmpty }

    init(_ words: String) {
      var phrases: [Substring] = []
      for (number, part) in words.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
        // Every second part was between quotes. The last quote may be missing.
        if number % 2 == 1 {
          phrases.append(part)
          continue
        }
        for word in part.split(whereSeparator: \.isWhitespace) {
          let rest = word.dropFirst()
          if word.hasPrefix("#"), SearchText.hasWord(rest) {
            tags.append(String(rest))
          } else if word.hasPrefix("@"), SearchText.hasWord(rest) {
            names.append(String(rest))
          } else {
            phrases.append(word)
          }
        }
      }
      let quoted = phrases.filter(SearchText.hasWord).map { phrase in
        var text = String(phrase)
        var buffer = ByteBuffer()
        let isSplit = text.withUTF8 { SearchText.append($0, to: &buffer) }
        return "\"\(isSplit ? buffer.string : text)\""
      }
      match = quoted.isEmpty ? nil : quoted.joined(separator: " AND ")
    }
  }

  /// Whether the tokenizer finds a word in it: letters, marks, numbers or private characters.
  fileprivate static func hasWord(_ text: Substring) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .privateUse:
        true
      default: false
      }
    }
  }

  private enum Kind {
    /// Becomes a word of its own.
    case letter
    /// Belongs to the letter before it.
    case mark
    case other

    init(_ scalar: UInt32) {
      switch scalar {
      case 0..<0xE00: self = .other
      // Ideographs, Hangul syllables and kana are all letters: no look-up of the category is needed.
      case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x20000...0x3FFFF:
        self = .letter
      // Blocks with other signs as well: Thai, Lao; Burmese and its extensions; Hangul Jamo; Khmer, Tai Tham; from the
      // radicals to the Hangul compatibility Jamo (with kana and Bopomofo); Yi; compatibility forms; half-width kana
      // and Hangul; the kana supplements.
      case 0xE00...0xEFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x1A20...0x1AAF, 0x2E80...0x33FF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0xD7B0...0xD7FF, 0xF900...0xFAFF,
        0xFF66...0xFFDC, 0x1AFF0...0x1B16F:
        self = Kind(categoryOf: scalar)
      case 0x300...0x36F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: self = .mark
      default: self = .other
      }
    }

    private init(categoryOf scalar: UInt32) {
      switch Unicode.Scalar(scalar)?.properties.generalCategory {
      case .nonspacingMark, .spacingMark: self = .mark
      case .otherLetter, .modifierLetter, .letterNumber: self = .letter
      default: self = .other
      }
    }
  }
}
