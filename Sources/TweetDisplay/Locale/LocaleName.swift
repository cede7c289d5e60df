import TweetCore

/// The name of a locale: `de`, `de_AT.UTF-8`, `pt-BR`, `sr_RS@latin`.
package struct LocaleName: Equatable, Sendable {
  /// Longer names are none. The longest of ICU's has 11 letters, and an encoding comes after it.
  private static let longest = 64

  /// ISO 639, in small letters.
  let language: String
  /// ISO 15924: `Latn`.
  fileprivate let script: String?
  /// ISO 3166 or UN M.49, in capital letters: `AT`, `419`.
  let region: String?

  /// `nil` for what is not the name of a language, `C` and `POSIX` among it. Encodings, variants and unknown modifiers
  /// are ignored: nothing of the text but ASCII letters and digits gets farther than here.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    let modifier = text.firstIndex(of: "@").map { text[text.index(after: $0)...] }
    let tags = text.prefix { $0 != "." && $0 != "@" }.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
    guard let first = tags.first, Self.isWord(first, 2...3) else { return nil }
    var others = tags.dropFirst()
    var script = modifier == "latin" ? "Latn" : modifier == "cyrillic" ? "Cyrl" : nil
    var region: String?
    if let tag = others.first, Self.isWord(tag, 4...4) {
      script = tag.prefix(1).uppercased() + tag.dropFirst().lowercased()
      others.removeFirst()
    }
    if let tag = others.first, Self.isWord(tag, 2...2) || tag.utf8.count == 3 && tag.utf8.allSatisfy(Self.isDigit) {
      region = tag.uppercased()
      others.removeFirst()
    }
    guard others.allSatisfy({ (4...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isLetterOrDigit) }) else {
      return nil
    }
    (self.language, self.script, self.region) = (first.lowercased(), script, region)
  }

  /// The name that ICU knows: `sr_Latn_RS`.
  var icu: String { [language, script, region].compactMap { $0 }.joined(separator: "_") }

  private static func isWord(_ tag: Substring, _ lengths: ClosedRange<Int>) -> Bool {
    lengths.contains(tag.utf8.count) && tag.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }
}

extension TableLanguage {
  /// The language of a locale; `nil` if the tables have neither it nor the script that it is written in there.
  init?(_ name: LocaleName) {
    // Systems still have the old code of Hebrew.
    guard let language = TableLanguage(rawValue: name.language == "iw" ? "he" : name.language) else { return nil }
    switch language {
    case .zh: guard !name.isTraditionalChinese else { return nil }
    case .hi: guard name.script == nil || name.script == "Deva" else { return nil }
    default: break
    }
    self = language
  }
}

extension LocaleName {
  /// Whether Chinese is written in traditional characters there.
  var isTraditionalChinese: Bool {
    language == "zh" && (script.map { $0 == "Hant" } ?? region.map { ["TW", "HK", "MO"].contains($0) } ?? false)
  }

  /// What a part of the environment's locale is for (POSIX, XBD 8.2).
  package enum Category: String {
    case times = "LC_TIME"
    case numbers = "LC_NUMERIC"
    case words = "LC_MESSAGES"
  }

  /// What the environment says: `LC_ALL`, else the category's own variable, else `LANG`.
  /// - Returns: `nil` for nothing, `C`, `POSIX` and what is not a name.
  package static func environment(_ category: Category) -> LocaleName? {
    let value = Paths.environment("LC_ALL") ?? Paths.environment(category.rawValue) ?? Paths.environment("LANG")
    return value.flatMap { LocaleName($0) }
  }
}
