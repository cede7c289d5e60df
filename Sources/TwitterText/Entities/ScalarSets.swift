import TweetCore

/// The sets of scalars in twitter-text's rules.
enum ScalarSets {
  /// ASCII letters and digits.
  @inline(__always)
  static func isAlphanumeric(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  /// ASCII letters, digits and the underscore, of which users' names are made.
  @inline(__always)
  static func isNameCharacter(_ scalar: UInt32) -> Bool {
    isAlphanumeric(scalar) || scalar == 0x5F
  }

  /// ASCII letters.
  @inline(__always)
  static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }

  /// `#` and its full-width form.
  @inline(__always)
  static func isHash(_ scalar: UInt32) -> Bool { scalar == 0x23 || scalar == 0xFF03 }

  /// `@` and its full-width form.
  @inline(__always)
  static func isAt(_ scalar: UInt32) -> Bool { scalar == 0x40 || scalar == 0xFF20 }

  /// ASCII signs.
  static func isPunctuation(_ scalar: UInt32) -> Bool {
    scalar > 0x20 && scalar < 0x7F && !isAlphanumeric(scalar)
  }

  /// White space in any script.
  static func isSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x180E, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  /// Marks, embeddings and isolates that change the direction of writing.
  static func isDirectional(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Scalars that no post may have: byte-order marks and U+FFFF.
  @inline(__always)
  static func isForbidden(_ scalar: UInt32) -> Bool {
    scalar == 0xFFFE || scalar == 0xFEFF || scalar == 0xFFFF
  }

  /// Latin letters with accents, and accents.
  static func isLatinAccent(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x253, 0x254, 0x256, 0x257, 0x259, 0x25B, 0x263, 0x268, 0x26F, 0x272,
      0x289, 0x28B, 0x2BB, 0x300...0x36F, 0x1E00...0x1EFF:
      true
    default: false
    }
  }

  /// What a scalar is to a hashtag.
  enum HashtagPart {
    /// A letter or mark, of which a hashtag needs one.
    case letter
    /// A digit, underscore or sign that a hashtag may have too.
    case other
    /// Cannot be in a hashtag.
    case none
  }

  static func hashtagPart(_ scalar: UInt32) -> HashtagPart {
    if scalar < 0x80 {
      switch scalar {
      case 0x41...0x5A, 0x61...0x7A: return .letter
      case 0x30...0x39, 0x5F: return .other
      default: return .none
      }
    }
    switch scalar {
    // Middle dot, Hebrew and Tibetan marks, joiners, ditto mark, wave dash, katakana marks, full-width tilde.
    case 0xB7, 0x5BE, 0x5F3, 0x5F4, 0xF0B, 0xF0C, 0x200C, 0x200D, 0x3003, 0x301C, 0x309B, 0x309C, 0x30A0, 0x30FB,
      0xA67E, 0xFF5E:
      return .other
    // Kana, ideographs, Hangul: a quick way for most tags that are not ASCII.
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return .letter
    // Apple's private use scalars: marks to its Unicode library, and so letters to twitter-text.
    case 0xF870...0xF87F, 0xF882, 0xF884...0xF89F, 0xF8B8, 0xF8C1...0xF8D6: return .letter
    default: break
    }
    switch Unicode.Scalar(scalar)?.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark:
      return .letter
    case .decimalNumber: return .other
    default: return .none
    }
  }

  /// What a domain's labels are made of, besides hyphens and underscores.
  @inline(__always)
  static func isLabelCharacter(_ scalar: UInt32) -> Bool {
    scalar < 0x80 ? isAlphanumeric(scalar) : !isSpace(scalar) && !isDirectional(scalar) && !isForbidden(scalar)
  }

  /// Whether a URL may start right after this scalar.
  static func mayPrecedeURL(_ scalar: UInt32) -> Bool {
    !isAlphanumeric(scalar) && !isAt(scalar) && !isHash(scalar) && scalar != 0x24 && !isForbidden(scalar)
  }

  /// What a URL's path may have, besides parentheses.
  static func isPathCharacter(_ scalar: UInt32) -> Bool {
    switch UInt8(exactly: scalar) {
    case UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: ";"), UInt8(ascii: ":"),
      UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: "|"), UInt8(ascii: "&"):
      true
    default: scalar == 0x2013 || isPathEnd(scalar)
    }
  }

  /// What a path may end with: a full stop or comma at its end is not a part of it.
  static func isPathEnd(_ scalar: UInt32) -> Bool {
    if scalar >= 0x80 { return isLatinAccent(scalar) || (0x400...0x4FF).contains(scalar) }
    switch UInt8(truncatingIfNeeded: scalar) {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "#"),
      UInt8(ascii: "/"):
      return true
    default: return isAlphanumeric(scalar)
    }
  }

  /// What a URL's query may have.
  static func isQueryCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "@"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "+"),
      UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "."),
      UInt8(ascii: ","), UInt8(ascii: "~"), UInt8(ascii: "|"):
      true
    default: isQueryEnd(byte)
    }
  }

  /// What a query may end with.
  static func isQueryEnd(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "#"),
      UInt8(ascii: "/"):
      true
    default: isAlphanumeric(UInt32(byte))
    }
  }
}

extension ByteView {
  /// The scalar that ends at `index`, and its start. `index` must not be 0.
  @inline(__always)
  func scalar(before index: Int) -> (value: UInt32, start: Int) {
    let last = self[index - 1]
    if last < 0x80 { return (UInt32(last), index - 1) }
    var start = index - 1
    while start > 0, index - start < 4, self[start] & 0xC0 == 0x80 { start -= 1 }
    let decoded = decodeScalar(self, at: start)
    return start + decoded.length == index ? (decoded.value, start) : (0xFFFD, index - 1)
  }

  /// Whether the bytes from `index` on start with this ASCII text, in upper or lower case.
  /// - Parameter text: in lower case.
  func matches(_ text: StaticString, at index: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard index >= 0, count - index >= length else { return false }
    for offset in 0..<length {
      let byte = self[index + offset]
      guard text.utf8Start[offset] == (ScalarSets.isLetter(byte) ? byte | 0x20 : byte) else { return false }
    }
    return true
  }
}
