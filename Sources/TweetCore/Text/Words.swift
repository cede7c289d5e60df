/// `1 tweet`, `2 tweets`.
///
/// - Parameter several: the noun where it does not end in `s`.
package func counted(_ count: Int, _ noun: String, _ several: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : several ?? noun + "s")"
}

/// Words for search: runs of letters, marks, digits and underscores.
package enum Words {
  package static func split(_ text: String) -> [String] {
    text.unicodeScalars.split { !isPart($0) }.map { String($0) }
  }

  /// Whether `words` has the wanted ones beside each other in this order.
  package static func contains(_ wanted: [String], in words: [String]) -> Bool {
    guard let first = wanted.first, words.count >= wanted.count else { return false }
    return words.indices.dropLast(wanted.count - 1).contains { start in
      words[start] == first && words[start..<start + wanted.count].elementsEqual(wanted)
    }
  }

  package static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber:
      true
    default: scalar == "_"
    }
  }

  /// Whether a scalar is of a script without spaces between words: kana, Han, Thai, Lao, Khmer, Burmese.
  package static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
      0x20000...0x3FFFF:
      true
    default: false
    }
  }

  /// The words of a text in a form in which case and the marks of Latin letters do not matter. Each letter of a script
  /// without spaces is a word, and so is each emoji.
  package static func folded(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in text.unicodeScalars {
      // Accents after their letter, the forms of emoji, and their skin tones.
      if case 0x300...0x36F = scalar.value { continue }
      if case 0xFE00...0xFE0F = scalar.value { continue }
      if case 0x1F3FB...0x1F3FF = scalar.value { continue }
      if isUnspaced(scalar) || scalar.properties.generalCategory == .otherSymbol {
        end()
        words.append(String(scalar))
      } else if isPart(scalar) {
        word += folded(scalar)
      } else {
        end()
      }
    }
    end()
    return words
  }

  private static func folded(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    if scalar.isASCII { return scalar.properties.lowercaseMapping.unicodeScalars }
    // Unicode's names say what a letter with a mark is without it.
    if scalar.value < 0x250 || (0x1E00...0x1EFF).contains(scalar.value), let name = scalar.properties.name,
      let mark = name.firstRange(of: " WITH "), name.hasPrefix("LATIN ")
    {
      let letter = name[..<mark.lowerBound].split(separator: " ").last ?? ""
      if letter.utf8.count == 1 { return letter.lowercased().unicodeScalars }
    }
    return scalar.properties.lowercaseMapping.unicodeScalars
  }
}

extension StringProtocol {
  /// Without white space at both ends.
  package var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
