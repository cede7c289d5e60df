import TweetCore

/// Splits a text into posts: at blank lines and the ends of sentences if it can, else between words, else between characters.
struct ThreadSplitter {
  let limit: TextLimit

  /// X lets a thread have 25 posts at once; a longer one is rather a mistake.
  private static let mostPosts = 100

  func split(_ text: String) throws(ToolError) -> [String] {
    var posts: [String] = []
    var rest = Self.trimmed(text[...])
    while !rest.isEmpty {
      guard posts.count < Self.mostPosts else { throw .badData("the thread has more than \(Self.mostPosts) posts") }
      let end = try endOfPost(rest)
      posts.append(String(Self.trimmed(rest[..<end])))
      rest = Self.trimmed(rest[end...])
    }
    return posts.isEmpty ? [""] : posts
  }

  /// Where the first post of the text ends: the last good place that leaves it short enough.
  private func endOfPost(_ text: Substring) throws(ToolError) -> Substring.Index {
    let fitting = try limit.end(of: text)
    if fitting == text.endIndex { return fitting }
    let part = text[..<fitting]
    let next = text[fitting]
    if next.isWhitespace, Self.endsSentence(part) { return fitting }
    // A post that is only the beginning of what fits would make the thread needlessly long.
    let least = part.index(part.startIndex, offsetBy: part.count / 3)
    return Self.lastBreak(part, from: least, where: Self.endsSentence)
      ?? (next.isWhitespace ? fitting : Self.lastBreak(part, from: part.startIndex) { !$0.isEmpty }) ?? fitting
  }

  /// The last white space whose text before it fits the condition.
  private static func lastBreak(
    _ text: Substring, from least: Substring.Index, where isEnd: (Substring) -> Bool
  ) -> Substring.Index? {
    var index = text.endIndex
    while index > least {
      index = text.index(before: index)
      if text[index].isWhitespace, isEnd(text[..<index]) { return index }
    }
    return nil
  }

  /// Whether a sentence ends here: after a mark that ends one, which quotation marks and brackets may follow, or at the end
  /// of a paragraph.
  private static func endsSentence(_ text: Substring) -> Bool {
    if let last = text.last, last.isNewline { return true }
    let bare = text.reversed().first { !"\"'”’»)]".contains($0) }
    return bare.map { ".!?…。！？".contains($0) } ?? false
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
