import Services

/// What a text of Bluesky marks: its servers look for nothing in it, so that who writes it says where links, names and
/// tags are.
struct BlueskyFacets {
  enum Feature: Equatable {
    case link(String)
    /// A handle, without its `@`.
    case mention(String)
    /// Without its `#`.
    case tag(String)
  }

  struct Found: Equatable {
    /// Bytes of UTF-8.
    let bytes: Range<Int>
    let feature: Feature
  }

  /// The lexicon app.bsky.richtext.facet.
  private static let (longestTag, longestTagBytes) = (64, 640)

  /// In their order; none overlaps another.
  private(set) var found: [Found] = []

  init(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      let word = rest.prefix { !$0.isWhitespace }
      if let found = Self.find(in: word, of: text) { self.found.append(found) }
      rest = rest.dropFirst(max(1, word.count))
    }
  }

  /// The handles that it mentions, each once.
  var handles: [String] {
    var handles: [String] = []
    for case .mention(let handle) in found.map(\.feature) where !handles.contains(handle) { handles.append(handle) }
    return handles
  }

  private static func find(in word: Substring, of text: String) -> Found? {
    let word = word.drop { "([{\"'„“‘«".contains($0) }
    let feature: Feature
    let marked: Substring
    if let link = link(in: word) {
      (feature, marked) = (.link(String(link)), link)
    } else if word.hasPrefix("@") {
      var name = word.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
      while let last = name.last, last == "." || last == "-" { name.removeLast() }
      guard let account = AccountName(name), !account.isDID else { return nil }
      (feature, marked) = (.mention(account.text), word[..<name.endIndex])
    } else if word.hasPrefix("#") || word.hasPrefix("\u{ff03}") {
      var tag = word.dropFirst()
      while let last = tag.last, last.isPunctuation, last != "_" { tag.removeLast() }
      guard !tag.isEmpty, tag.count <= longestTag, tag.utf8.count <= longestTagBytes, !tag.contains("#"),
        tag.contains(where: { !$0.isNumber && !$0.isPunctuation })
      else { return nil }
      (feature, marked) = (.tag(String(tag)), word[..<tag.endIndex])
    } else {
      return nil
    }
    let start = text.utf8.distance(from: text.startIndex, to: marked.startIndex)
    return Found(bytes: start..<start + marked.utf8.count, feature: feature)
  }

  /// A link that a word is, without the punctuation after it.
  private static func link(in word: Substring) -> Substring? {
    guard let scheme = ["https://", "http://"].first(where: { word.lowercased().hasPrefix($0) }) else { return nil }
    var link = word
    while let last = link.last {
      let isUnmatched = last == ")" && link.count { $0 == ")" } > link.count { $0 == "(" }
      guard isUnmatched || ".,;:!?\"'»”’]}>".contains(last) else { break }
      link.removeLast()
    }
    let host = link.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.contains { $0.isLetter || $0.isNumber } ? link : nil
  }
}
