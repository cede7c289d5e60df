import Services
import TweetCore
import TweetServices

/// Finds the posts of the live stream that have what a source wants. No server does that.
struct LiveFilter: Sendable {
  private let words: LiveWords
  private let authors: Set<String>
  private let needsText: Bool

  init(_ words: LiveWords) {
    self.words = words
    authors = Set(words.authors)
    needsText = !words.terms.isEmpty
  }

  /// - Parameters:
  ///   - record: the post.
  ///   - did: its author's.
  func matches(_ record: JSONValue, by did: String) -> Bool {
    if !authors.isEmpty, !authors.contains(did) { return false }
    if !words.languages.isEmpty, !hasLanguage(record) { return false }
    guard needsText else { return true }
    let text = (record["text"]?.string ?? "").lowercased()
    return words.terms.allSatisfy { term in
      let isThere =
        switch term.kind {
        case .word, .phrase: Self.has(term.text, in: text)
        case .tag: Self.has("#" + term.text, in: text) || Self.hasTag(term.text, record)
        }
      return isThere != term.isExcluded
    }
  }

  /// Whether a language of the post is one that is wanted: `pt-BR` is `pt`.
  private func hasLanguage(_ record: JSONValue) -> Bool {
    record.list("langs").contains { tag in
      guard let text = tag.string?.lowercased() else { return false }
      return words.languages.contains { text == $0 || text.hasPrefix($0 + "-") }
    }
  }

  /// Whether it has the tag as a link in its text, or beside it.
  private static func hasTag(_ tag: String, _ record: JSONValue) -> Bool {
    if record.list("tags").contains(where: { $0.string?.lowercased() == tag }) { return true }
    return record.list("facets").contains { facet in
      facet.list("features").contains { $0["tag"]?.string?.lowercased() == tag }
    }
  }

  /// Whether a text has a word or a phrase that does not go on at either end, where its script has ends of words.
  static func has(_ wanted: String, in text: String) -> Bool {
    var rest = text[...]
    while let found = rest.firstRange(of: wanted) {
      let before = text[..<found.lowerBound].last
      let after = text[found.upperBound...].first
      if !goesOn(before, wanted.first) && !goesOn(wanted.last, after) { return true }
      rest = text[text.index(after: found.lowerBound)...]
    }
    return false
  }

  private static func goesOn(_ one: Character?, _ next: Character?) -> Bool {
    guard let one, let next else { return false }
    return isOfWord(one) && isOfWord(next)
  }

  /// Letters and digits, but not those of scripts that write words without blanks between them.
  private static func isOfWord(_ character: Character) -> Bool {
    guard character.isLetter || character.isNumber || character == "_" else { return false }
    guard let scalar = character.unicodeScalars.first?.value else { return false }
    return !(0x0E00...0x0EFF).contains(scalar) && !(0x3040...0x30FF).contains(scalar)
      && !(0x3400...0x9FFF).contains(scalar) && !(0x20000...0x3FFFF).contains(scalar)
  }
}
