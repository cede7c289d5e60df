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
    let whole = try split(text, limit)
    if !isNumbered || whole.count == 1 { return whole }
    // The numbers take room, and so there may be more posts, whose numbers are longer.
    for digits in 1...3 {
      let posts = try split(text, limit.lowered(by: 2 + 2 * digits))
      guard String(posts.count).utf8.count == digits else { continue }
      return posts.enumerated().map { "\($1) \($0 + 1)/\(posts.count)" }
    }
    return whole
  }

  private func split(_ text: String, _ limit: TextLimit) throws(ToolError) -> [String] {
    var posts: [String] = []
    for part in Self.parts(text) {
      var rest = Self.trimmed(part, isStartOfLine: true)
      while !rest.isEmpty {
        let end = try endOfPost(rest, limit)
        posts.append(String(Self.trimmed(rest[..<end], isStartOfLine: true)))
        rest = Self.trimmed(rest[end...], isStartOfLine: false)
      }
    }
    guard posts.count <= Self.mostPosts else {
      throw .badData("the thread would have \(posts.count) posts; \(Self.mostPosts) are the most")
    }
    return posts.isEmpty ? [""] : posts
  }

  /// What is between lines of three hyphens.
  private static func parts(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var (start, line) = (text.startIndex, text.startIndex)
    while line < text.endIndex {
      // Of a file from Windows an end of a line is one character too.
      let end = text[line...].firstIndex(where: \.isNewline) ?? text.endIndex
      let next = end < text.endIndex ? text.index(after: end) : end
      if trimmed(text[line..<end], isStartOfLine: false) == "---" {
        parts.append(text[start..<line])
        start = next
      }
      line = next
    }
    return parts + [text[start...]]
  }

  /// Where the first post of the text ends: the last good place that leaves it short enough.
  private func endOfPost(_ text: Substring, _ limit: TextLimit) throws(ToolError) -> Substring.Index {
    let fitting = try limit.end(of: text)
    if fitting == text.endIndex { return fitting }
    // A post that is only the beginning of what fits would make the thread needlessly long.
    let least = text.index(text.startIndex, offsetBy: text[..<fitting].count / 3)
    return Self.lastBreak(text, from: least, to: fitting, where: Self.endsParagraph)
      ?? Self.lastBreak(text, from: least, to: fitting, where: SentenceEnd.isEnd)
      ?? Self.lastBreak(text, from: text.startIndex, to: fitting, where: WordEnd.isEnd)
      ?? fitting
  }

  /// The last place after the beginning of a range of a text that fits a condition; it may be the range's end.
  private static func lastBreak(
    _ text: Substring, from least: Substring.Index, to end: Substring.Index,
    where isEnd: (Substring, Substring.Index) -> Bool
  ) -> Substring.Index? {
    var index = end
    while index > least {
      if isEnd(text, index) { return index }
      index = text.index(before: index)
    }
    return nil
  }

  /// Whether a blank line begins at this place.
  private static func endsParagraph(_ text: Substring, _ index: Substring.Index) -> Bool {
    guard text[index].isNewline else { return false }
    return text[text.index(after: index)...].first { !$0.isWhitespace || $0.isNewline }?.isNewline ?? false
  }

  /// Without white space at the end, and without blank lines at the beginning.
  /// - Parameter isStartOfLine: whether the text begins with a line, whose indentation stays.
  private static func trimmed(_ text: Substring, isStartOfLine: Bool) -> Substring {
    var text = text
    while let last = text.last, last.isWhitespace { text.removeLast() }
    let blank = text.prefix(while: \.isWhitespace)
    if let end = blank.lastIndex(where: \.isNewline) { return text[text.index(after: end)...] }
    return isStartOfLine ? text : text[blank.endIndex...]
  }
}

/// Where words end: at white space, and between the characters of Chinese and Japanese.
private enum WordEnd {
  /// What does not begin a line in Japanese besides punctuation: small kana (JIS X 4051).
  private static let smallKana = Set("ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ")

  static func isEnd(_ text: Substring, _ index: Substring.Index) -> Bool {
    let next = text[index]
    if next.isWhitespace { return true }
    let last = text[text.index(before: index)]
    guard isUnspaced(last) || isUnspaced(next), !smallKana.contains(next) else { return false }
    switch (category(last), category(next)) {
    case (.openPunctuation, _), (.initialPunctuation, _): return false
    // `ー` and `々` are letters that belong to the one before.
    case (_, .closePunctuation), (_, .finalPunctuation), (_, .otherPunctuation), (_, .modifierLetter): return false
    default: return true
    }
  }

  /// Whether a character is of a script without spaces.
  private static func isUnspaced(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first else { return false }
    return scalar.properties.isIdeographic || (0x3001...0x30FF).contains(scalar.value)
      || (0xFF01...0xFF9F).contains(scalar.value)
  }

  private static func category(_ character: Character) -> Unicode.GeneralCategory? {
    character.unicodeScalars.first?.properties.generalCategory
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

  /// What may stand between the mark that ends a sentence and the next one.
  private static let closing = Set("\"'”’»)]」』）】〕》〉")
  /// The marks of Chinese and Japanese, after which there is no space.
  private static let wideMarks = Set("。！？｡．")

  /// Whether a sentence ends at this place: before white space, after a mark that ends one, which quotation marks and
  /// brackets may follow; at the end of a line; in Chinese and Japanese after the mark.
  static func isEnd(_ text: Substring, _ index: Substring.Index) -> Bool {
    let next = text[index]
    if next.isNewline { return true }
    let before = text[..<index]
    let bare = before.dropLast(before.reversed().prefix { closing.contains($0) }.count)
    guard let mark = bare.last else { return false }
    if wideMarks.contains(mark) { return !closing.contains(next) && !wideMarks.contains(next) }
    guard next.isWhitespace, ".!?…".contains(mark) else { return false }
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
