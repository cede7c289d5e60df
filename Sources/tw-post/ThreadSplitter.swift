import TweetCore

/// Splits a text into posts: at lines of three hyphens; what is longer than a post at blank lines and else at the ends
/// of sentences if it can, else between words, else between characters.
struct ThreadSplitter {
  private let limit: TextLimit
  private let isNumbered: Bool

  /// X lets a thread have 25 posts at once; a longer one is rather a mistake.
  private static let mostPosts = 100

  /// - Parameter isNumbered: whether posts end with ` 1/3`, if there are several.
  init(_ limit: TextLimit, isNumbered: Bool) { (self.limit, self.isNumbered) = (limit, isNumbered) }

  func split(_ text: String) throws(ToolError) -> [String] {
    guard isNumbered else { return try split(text, limit) }
    // The numbers take room, and so there may be more posts, whose numbers are longer.
    for digits in 1...3 {
      let posts = try split(text, limit.lowered(by: 2 + 2 * digits))
      guard String(posts.count).utf8.count == digits else { continue }
      return posts.count == 1 ? try split(text, limit) : posts.enumerated().map { "\($1) \($0 + 1)/\(posts.count)" }
    }
    return try split(text, limit)
  }

  private func split(_ text: String, _ limit: TextLimit) throws(ToolError) -> [String] {
    var posts: [String] = []
    for part in Self.parts(text) {
      var rest = Self.trimmed(part[...])
      while !rest.isEmpty {
        guard posts.count < Self.mostPosts else { throw .badData("the thread has more than \(Self.mostPosts) posts") }
        let end = try endOfPost(rest, limit)
        posts.append(String(Self.trimmed(rest[..<end])))
        rest = Self.trimmed(rest[end...])
      }
    }
    return posts.isEmpty ? [""] : posts
  }

  /// What is between lines of three hyphens.
  private static func parts(_ text: String) -> [String] {
    var parts = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if trimmed(line) == "---" { parts.append("") } else { parts[parts.count - 1] += line + "\n" }
    }
    return parts
  }

  /// Where the first post of the text ends: the last good place that leaves it short enough.
  private func endOfPost(_ text: Substring, _ limit: TextLimit) throws(ToolError) -> Substring.Index {
    let fitting = try limit.end(of: text)
    if fitting == text.endIndex { return fitting }
    let isSpace = text[fitting].isWhitespace
    // A post that is only the beginning of what fits would make the thread needlessly long.
    let least = text.index(text.startIndex, offsetBy: text[..<fitting].count / 3)
    return Self.lastBreak(text, from: least, to: fitting, where: Self.endsParagraph)
      ?? Self.lastBreak(text, from: least, to: fitting, where: SentenceEnd.isEnd)
      ?? (isSpace ? fitting : Self.lastBreak(text, from: text.startIndex, to: fitting) { $1 > $0.startIndex })
      ?? fitting
  }

  /// The last white space, in a range of a text, that fits a condition. The white space at the end of the range is one
  /// too.
  private static func lastBreak(
    _ text: Substring, from least: Substring.Index, to end: Substring.Index,
    where isEnd: (Substring, Substring.Index) -> Bool
  ) -> Substring.Index? {
    var index = end
    while index > least {
      if text[index].isWhitespace, isEnd(text, index) { return index }
      index = text.index(before: index)
    }
    return nil
  }

  /// Whether a blank line begins at this place.
  private static func endsParagraph(_ text: Substring, _ index: Substring.Index) -> Bool {
    guard text[index].isNewline else { return false }
    return text[text.index(after: index)...].first { !$0.isWhitespace || $0.isNewline }?.isNewline ?? false
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}

/// Where sentences end.
enum SentenceEnd {
  /// Words, in small letters, after which a full stop ends no sentence.
  private static let abbreviations: Set<Substring> = [
    "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "no", "nr", "vs", "etc", "cf", "fig", "vol", "ed", "eds",
    "approx",
    "ca", "inc", "ltd", "dept", "est", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec",
    "e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "z.b", "d.h", "bzw", "usw", "vgl", "abs", "str", "mme", "sra",
  ]

  /// Whether a sentence ends before the white space at this place: after a mark that ends one, which quotation marks
  /// and brackets may follow, or at the end of a line.
  static func isEnd(_ text: Substring, _ index: Substring.Index) -> Bool {
    if text[index].isNewline { return true }
    let before = text[..<index]
    let bare = before.dropLast(before.reversed().prefix { "\"'”’»)]".contains($0) }.count)
    guard let mark = bare.last, ".!?…。！？".contains(mark) else { return false }
    guard mark == "." else { return true }
    // `approx. five`: no sentence begins with a small letter.
    if text[index...].first(where: { !$0.isWhitespace })?.isLowercase == true { return false }
    let words = bare.dropLast().split(whereSeparator: \.isWhitespace)
    guard let last = words.last else { return false }
    let word = Substring(last.drop { !$0.isLetter && !$0.isNumber }.lowercased())
    if abbreviations.contains(word) || word.count == 1 && word.first?.isLetter == true { return false }
    return !isHeading(word, after: words.dropLast().last, in: before)
  }

  /// Whether a number is that of a part or of a row of a list: `Part 1.`, `2.`
  private static func isHeading(_ word: Substring, after name: Substring?, in text: Substring) -> Bool {
    guard word.count <= 3, word.allSatisfy(\.isNumber) else { return false }
    let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last ?? ""
    let isFirst = line.split(whereSeparator: \.isWhitespace).count == 1
    return isFirst || name?.first?.isUppercase == true
  }
}
