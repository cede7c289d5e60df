import SQLite
import TweetCore

/// The text for the full-text index, and queries of that index.
///
/// SQLite's tokenizer takes a run of letters for one word. Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese do
/// not put spaces between all words. So each of their letters becomes a word of its own, and a run of such letters in a
/// query becomes a phrase. Then any part of a run is found, also by other programs that open the store. Emoji and other
/// symbols become words in the same way.
///
/// What may be there or not, in the same word, is left out: vowel signs of Arabic and Hebrew, skin tones, and the
/// selectors of an emoji's form. Full-width letters become ordinary ones, Greek letters with marks become those
/// without, and ё becomes е. The tokenizer itself ignores case, the marks of Latin letters, and marks that are scalars
/// of their own.
enum SearchText {
  /// Appends `text` in the form in which it is indexed.
  /// - Returns: false if that is the text itself. Then nothing is appended.
  static func append(_ text: ByteView, to buffer: inout ByteBuffer) -> Bool {
    // Of what changes, U+00A6 has the smallest first byte, 0xC2. Letters up to U+02FF begin with 0xC3 to 0xCB.
    guard let first = text.firstIndex(where: { $0 == 0xC2 || $0 >= 0xCC }) else { return false }
    let start = buffer.count
    var at = first
    var copied = 0
    /// Whether a word that has no spaces around it in the text has just ended.
    var followsWord = false
    /// Whether it was the first half of a flag: the second half belongs to it.
    var followsHalf = false
    var hasChanged = false
    while at < text.count {
      let scalar = decodeScalar(text, at: at)
      let kind = Kind(scalar.value)
      let isSecondHalf = kind == .flagHalf && followsHalf
      if kind.isWord && !isSecondHalf || followsWord && (kind == .other || kind == .fullWidth || kind == .marked) {
        buffer.append(text.extracting(copied..<at))
        buffer.append(UInt8(ascii: " "))
        copied = at
        hasChanged = true
      }
      if kind == .ignored || kind == .fullWidth || kind == .marked {
        buffer.append(text.extracting(copied..<at))
        // The full-width forms have the order of ASCII.
        if kind == .fullWidth { buffer.append(UInt8(truncatingIfNeeded: scalar.value - 0xFEE0)) }
        if kind == .marked, let bare = BareLetters.letter(scalar.value) { buffer.append(scalar: bare) }
        copied = at + scalar.length
        hasChanged = true
      }
      if kind != .mark && kind != .ignored {
        followsWord = kind.isWord
        followsHalf = kind == .flagHalf && !isSecondHalf
      }
      at += scalar.length
    }
    guard hasChanged else {
      buffer.truncate(to: start)
      return false
    }
    buffer.append(text.extracting(copied...))
    return true
  }

  /// `text` in the form in which it is indexed.
  private static func indexed(_ text: some StringProtocol) -> String {
    let text = String(text)
    var buffer = ByteBuffer()
    return text.withBytes { append($0, to: &buffer) } ? buffer.string : text
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

    /// - Parameter place: what it is narrowed to; `nil` for all. Tags and names are those of the tweet itself.
    init(_ words: String, in place: SearchPlace?) {
      let isNarrowed = place != nil && place != .text
      var phrases: [Substring] = []
      for (number, part) in words.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
        // Every second part was between quotes. The last quote may be missing.
        if number % 2 == 1 {
          phrases.append(part)
          continue
        }
        for word in part.split(whereSeparator: \.isWhitespace) {
          let rest = word.dropFirst()
          if !isNarrowed, word.hasPrefix("#"), SearchText.hasWord(rest) {
            tags.append(String(rest))
          } else if !isNarrowed, word.hasPrefix("@"), SearchText.hasWord(rest) {
            names.append(String(rest))
          } else {
            phrases.append(word)
          }
        }
      }
      let quoted = phrases.filter(SearchText.hasWord).map { "\"\(SearchText.indexed($0))\"" }
      match = quoted.isEmpty ? nil : quoted.joined(separator: " AND ")
      if let place, let all = match { match = "{\(place.rawValue)} : (\(all))" }
    }
  }

  /// A query in FTS5's own language, with its words in the form in which they are indexed: of several words in place of
  /// one comes a phrase (sqlite.org/fts5.html, "Full-text Query Syntax").
  static func match(_ query: String) -> String {
    var result = ""
    var rest = query.unicodeScalars[...]
    while let first = rest.first {
      if first == "\"" {
        // A quotation mark inside is doubled: it ends one string and begins the next, which changes nothing here.
        let end = rest.dropFirst().firstIndex(of: "\"").map(rest.index(after:)) ?? rest.endIndex
        result += indexed(String(rest[..<end]))
        rest = rest[end...]
      } else if isBareword(first) {
        let word = rest.prefix(while: isBareword)
        let indexed = indexed(String(word))
        result += indexed == String(word) ? indexed : "\"\(indexed)\""
        rest = rest[word.endIndex...]
      } else {
        result.unicodeScalars.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// Whether it may stand in a word of FTS5's language without quotation marks.
  private static func isBareword(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "\u{1A}": true
    default: scalar.value > 127
    }
  }

  /// Whether the tokenizer finds a word in it: letters, marks, numbers, private characters or symbols.
  fileprivate static func hasWord(_ text: Substring) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch Kind(scalar.value) {
      case .letter, .symbol, .flagHalf, .fullWidth, .marked: true
      case .ignored: false
      case .mark, .other:
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
          .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .privateUse:
          true
        default: false
        }
      }
    }
  }

  private enum Kind {
    /// Becomes a word of its own.
    case letter
    /// An emoji or another symbol, which becomes a word of its own.
    case symbol
    /// Two of these are a flag, which becomes a word.
    case flagHalf
    /// Belongs to the letter before it.
    case mark
    /// Is not indexed.
    case ignored
    /// A letter or a digit of double width.
    case fullWidth
    /// A letter with marks that does not matter; ``BareLetters`` has the one without.
    case marked
    case other

    var isWord: Bool { self == .letter || self == .symbol || self == .flagHalf }

    init(_ scalar: UInt32) {
      switch scalar {
      case 0..<0xA6: self = .other
      // © and its like. The letters of Latin, Greek and Cyrillic need no look-up of the category.
      case 0xA6, 0xA9, 0xAE, 0xB0, 0x482: self = .symbol
      case 0xA7...0x2FF: self = .other
      case 0x386...0x3CE, 0x401, 0x451, 0x1F00...0x1FFF: self = BareLetters.letter(scalar) == nil ? .other : .marked
      case 0x370...0x590: self = .other
      // Marks that only Greek has. The tokenizer knows the others.
      case 0x342...0x345: self = .ignored
      case 0x300...0x36F: self = .mark
      // Points of Hebrew; vowel signs, signs of recitation and the lengthening stroke of Arabic
      // (Unicode's Scripts.txt and UnicodeData.txt).
      case 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670,
        0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7...0x6E8, 0x6EA...0x6ED:
        self = .ignored
      // Emoji of other categories than symbols: the tokenizer is told of these.
      case 0x203C, 0x2049, 0x2194, 0x25FD, 0x25FE, 0x2934, 0x2935: self = .symbol
      // Quotation marks and dashes, Chinese and Japanese ones too: frequent, and no look-up of the category is needed.
      case 0x2000...0x206F, 0x3001...0x3003, 0x3008...0x3011: self = .other
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
      case 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF41...0xFF5A: self = .fullWidth
      // Variation selectors; the skin tones of emoji.
      case 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0x1F3FB...0x1F3FF: self = .ignored
      case 0x1F1E6...0x1F1FF: self = .flagHalf
      default: self = Unicode.Scalar(scalar)?.properties.generalCategory == .otherSymbol ? .symbol : .other
      }
    }

    private init(categoryOf scalar: UInt32) {
      switch Unicode.Scalar(scalar)?.properties.generalCategory {
      case .nonspacingMark, .spacingMark: self = .mark
      case .otherLetter, .modifierLetter, .letterNumber: self = .letter
      case .otherSymbol: self = .symbol
      default: self = .other
      }
    }
  }
}

/// Letters whose marks do not matter to a search: Greek ones with tonos, dialytika, breathings and iota below, and the
/// Russian ё, which most people write as е. й, ї and ў are letters of their own, and stay.
enum BareLetters {
  /// The small letter without marks; `nil` for other scalars. Case does not matter either, so capitals become small.
  static func letter(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x386, 0x3AC: alpha
    case 0x388, 0x3AD: epsilon
    case 0x389, 0x3AE: eta
    case 0x38A, 0x390, 0x3AA, 0x3AF, 0x3CA: iota
    case 0x38C, 0x3CC: omicron
    case 0x38E, 0x3AB, 0x3B0, 0x3CB, 0x3CD: upsilon
    case 0x38F, 0x3CE: omega
    case 0x401, 0x451: 0x435
    case 0x1F00...0x1FFF: extended(scalar)
    default: nil
    }
  }

  private static let (alpha, epsilon, eta, iota) = (UInt32(0x3B1), UInt32(0x3B5), UInt32(0x3B7), UInt32(0x3B9))
  private static let (omicron, rho, upsilon, omega) = (UInt32(0x3BF), UInt32(0x3C1), UInt32(0x3C5), UInt32(0x3C9))

  /// Of the block Greek Extended (Unicode's UnicodeData.txt): rows of sixteen have one letter each, in the order of the
  /// alphabet. Among them are signs that are not letters, and code points that are not assigned.
  private static func extended(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x1F00...0x1F0F, 0x1F70...0x1F71, 0x1F80...0x1F8F, 0x1FB0...0x1FBC: alpha
    case 0x1F10...0x1F1F, 0x1F72...0x1F73, 0x1FC8...0x1FC9: epsilon
    case 0x1F20...0x1F2F, 0x1F74...0x1F75, 0x1F90...0x1F9F, 0x1FC2...0x1FC7, 0x1FCA...0x1FCC: eta
    case 0x1F30...0x1F3F, 0x1F76...0x1F77, 0x1FD0...0x1FDB: iota
    case 0x1F40...0x1F4F, 0x1F78...0x1F79, 0x1FF8...0x1FF9: omicron
    case 0x1FE4...0x1FE5, 0x1FEC: rho
    case 0x1F50...0x1F5F, 0x1F7A...0x1F7B, 0x1FE0...0x1FEB: upsilon
    case 0x1F60...0x1F6F, 0x1F7C...0x1F7D, 0x1FA0...0x1FAF, 0x1FF2...0x1FF7, 0x1FFA...0x1FFC: omega
    default: nil
    }
  }
}
