package import TweetCore

/// What a post of the live stream must have, as `live:WORDS` says it: all of its words, `"phrases in quotes"` and
/// `#tags`, one of the languages (`lang:de`), one of the authors (`from:NAME`, a handle or a DID). A hyphen before a
/// word, a phrase or a tag means none of it.
package struct LiveWords: Sendable, Equatable {
  package struct Term: Sendable, Equatable {
    package enum Kind: Sendable { case word, phrase, tag }
    package let kind: Kind
    /// Lower case.
    package let text: String
    package let isExcluded: Bool
  }

  package private(set) var terms: [Term] = []
  /// The first parts of language tags, in lower case.
  package private(set) var languages: [String] = []
  package private(set) var authors: [String] = []
  /// Authors by their handles, whose DIDs are not known yet. Until then nobody has their posts.
  package var handles: [String] { authors.filter { !$0.hasPrefix("did:") } }
  /// The normal spelling.
  package private(set) var text = ""

  /// Posts with a hashtag.
  package init(tag: String) { terms = [Term(kind: .tag, text: tag.lowercased(), isExcluded: false)] }

  package init(_ text: String) throws(ToolError) {
    var words: [String] = []
    for word in Self.split(text) {
      words.append(word)
      if word.hasPrefix("lang:"), word.utf8.count > 5 {
        languages.append(word.dropFirst(5).lowercased())
      } else if word.hasPrefix("from:") {
        let name = word.dropFirst(word.hasPrefix("from:@") ? 6 : 5)
        guard let account = AccountName(name) else {
          throw .usage("'\(word)': '\(name)' is not the name of an account (a handle such as alice.example, or a DID)")
        }
        authors.append(account.text)
      } else {
        let isExcluded = word.hasPrefix("-") && word.count > 1
        let rest = isExcluded ? word.dropFirst() : word[...]
        let kind: Term.Kind = rest.hasPrefix("\"") ? .phrase : rest.hasPrefix("#") && rest.count > 1 ? .tag : .word
        let bare = kind == .word ? rest : rest.dropFirst().prefix { kind != .phrase || $0 != "\"" }
        if bare.isEmpty { throw .usage("'live:\(text)' has an empty phrase") }
        terms.append(Term(kind: kind, text: bare.lowercased(), isExcluded: isExcluded))
      }
    }
    guard !words.isEmpty else { throw .usage("'live:' needs words, such as 'live:swift lang:en'") }
    self.text = words.joined(separator: " ")
  }

  /// Puts the DID of an author in the place of the handle.
  package mutating func name(_ handle: String, _ did: String) {
    authors = authors.map { $0 == handle ? did : $0 }
  }

  /// Words, with phrases in one piece.
  private static func split(_ text: String) -> [String] {
    var (words, word, isQuoted) = ([String](), "", false)
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if character.isWhitespace, !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character.isWhitespace ? " " : character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
