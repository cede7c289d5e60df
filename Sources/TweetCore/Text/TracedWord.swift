/// The forms of a word that a search looks for: rows and files may have it in other letters, and JSON as escapes.
package struct TracedWord: Sendable {
  package let forms: [String]
  /// Bytes of the longest of them.
  package let longest: Int

  /// - Parameter word: not empty.
  package init(_ word: String) {
    var forms: [String] = []
    for form in [word, word.lowercased(), word.uppercased()].map(Self.asciiLowercase) where !forms.contains(form) {
      forms.append(form)
    }
    let escaped = forms.filter { !$0.utf8.allSatisfy { $0 < 0x80 } }.map(Self.escaped)
    self.forms = forms + escaped
    longest = self.forms.map(\.utf8.count).max() ?? 0
  }

  private static func asciiLowercase(_ text: String) -> String {
    String(decoding: text.utf8.map { $0.asASCIILowercase }, as: UTF8.self)
  }

  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      if unit < 0x80 { return String(decoding: [unit], as: UTF16.self) }
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  /// Whether bytes have it.
  package func isIn(_ bytes: [UInt8]) -> Bool {
    let folded = bytes.map { $0.asASCIILowercase }
    return forms.contains { form in
      let form = Array(form.utf8)
      var rest = folded[...]
      while let start = rest.firstIndex(of: form[0]) {
        rest = rest[start...]
        if rest.starts(with: form) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }
}
