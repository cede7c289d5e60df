import TweetCore
import TweetStore

/// What a query says before its names have a meaning: parts that stand side by side must all match, `OR` asks for any
/// of those around it, `-` excludes the part after it, and parentheses group. Side by side binds before `OR`, as in X's
/// searches.
///
///     tide (tables OR "low water") -is:retweet
indirect enum QueryNode {
  case term(Term)
  case all([QueryNode])
  case any([QueryNode])
  case not(QueryNode)

  /// A word, words in quotes, or a name with its value.
  struct Term {
    /// The name before a colon, as it was typed; `nil` for words of a text.
    var field: String?
    var value = ""
    /// Whether the value stood in double quotes.
    var isQuoted = false
  }

  /// - Parameter hasFields: whether a word with a colon is a name with its value; if not, only that of a
  ///   ``SearchPlace`` is.
  /// - Throws: `ToolError.usage` with what is wrong, and where.
  init(parsing text: String, hasFields: Bool) throws(ToolError) {
    var parser = QueryParser(text, hasFields: hasFields)
    self = try parser.query()
  }
}

/// Reads a ``QueryNode`` from a text.
private struct QueryParser {
  /// The most groups inside each other: SQLite has limits for expressions too.
  private static let deepest = 24
  /// The most parts: SQLite's expressions have at most a thousand levels.
  private static let mostParts = 500
  /// Characters of the text that a message repeats.
  private static let shown = 20

  private let text: [Character]
  private let hasFields: Bool
  private var at = 0
  /// How many groups are open.
  private var depth = 0
  /// How many words and names there were.
  private var parts = 0

  init(_ text: String, hasFields: Bool) {
    self.text = Array(text)
    self.hasFields = hasFields
  }

  mutating func query() throws(ToolError) -> QueryNode {
    skipSpace()
    if at == text.count { return .all([]) }
    let node = try alternatives()
    if at < text.count { throw fault("')' closes nothing", at) }
    return node
  }

  private mutating func alternatives() throws(ToolError) -> QueryNode {
    var parts = [try sequence()]
    while let start = skip(operator: "OR") {
      if isAtEnd { throw fault("nothing follows 'OR'", start) }
      parts.append(try sequence())
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  /// One part or more, up to `OR`, the end of the group or of the text. `AND` between them says what holds without it.
  private mutating func sequence() throws(ToolError) -> QueryNode {
    if let word = ["OR", "AND"].first(where: isOperator) { throw fault("nothing stands before '\(word)'", at) }
    if isAtEnd { throw fault(depth > 0 ? "nothing is in the parentheses" : "')' closes nothing", at) }
    var parts: [QueryNode] = []
    while !isAtEnd, !isOperator("OR") {
      // A group without `OR` is as if its parts stood here.
      let part = try part()
      if case .all(let inner) = part { parts += inner } else { parts.append(part) }
      skipSpace()
      if let start = skip(operator: "AND"), isAtEnd || isOperator("OR") || isOperator("AND") {
        throw fault("nothing follows 'AND'", start)
      }
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func part() throws(ToolError) -> QueryNode {
    let start = at
    if text[at] == "-", at + 1 < text.count, !text[at + 1].isWhitespace, text[at + 1] != ")" {
      at += 1
      return .not(try part())
    }
    guard text[at] == "(" else {
      parts += 1
      if parts > Self.mostParts { throw fault("it has more than \(Self.mostParts) words", at) }
      return .term(try term())
    }
    if depth == Self.deepest { throw fault("more than \(Self.deepest) groups are inside each other", at) }
    at += 1
    depth += 1
    skipSpace()
    let inner = try alternatives()
    guard at < text.count else { throw fault("nothing closes '('", start) }
    at += 1
    depth -= 1
    return inner
  }

  private mutating func term() throws(ToolError) -> QueryNode.Term {
    var term = QueryNode.Term()
    let name = text[at...].prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }
    let rest = text[name.endIndex...]
    // An address is a word.
    if !name.isEmpty, rest.first == ":", !rest.starts(with: "://"),
      hasFields || isPlace(String(name), rest.dropFirst())
    {
      term.field = String(name)
      at = name.endIndex + 1
    }
    if at < text.count, text[at] == "\"" {
      guard let end = text[(at + 1)...].firstIndex(of: "\"") else { throw fault("a quote is not closed", at) }
      term.value = String(text[(at + 1)..<end])
      term.isQuoted = true
      at = end + 1
    } else {
      term.value = word()
    }
    return term
  }

  /// Whether a name and what follows it narrow the words of a text to a place.
  private func isPlace(_ name: String, _ rest: ArraySlice<Character>) -> Bool {
    name == "in" && SearchPlace(rawValue: String(rest.prefix { !$0.isWhitespace && $0 != ")" })) != nil
  }

  /// Takes a word, up to white space or to the parenthesis that closes the group. Parentheses inside a word are a part
  /// of it.
  private mutating func word() -> String {
    let start = at
    var open = 0
    while at < text.count, !text[at].isWhitespace {
      if text[at] == "(" { open += 1 }
      if text[at] == ")" {
        // Without a group a smiley is a word too.
        if open == 0, depth > 0 || text[start..<at].contains(where: { $0.isLetter || $0.isNumber }) { break }
        open -= 1
      }
      at += 1
    }
    return String(text[start..<at])
  }

  private mutating func skipSpace() {
    while at < text.count, text[at].isWhitespace { at += 1 }
  }

  /// Whether the text or the group ends here.
  private var isAtEnd: Bool { at == text.count || text[at] == ")" }

  private func isOperator(_ word: String) -> Bool {
    guard text[at...].starts(with: word) else { return false }
    let end = at + word.count
    return end == text.count || text[end].isWhitespace || text[end] == "(" || text[end] == ")"
  }

  /// Goes past an operator and the space around it. Returns where it stood; `nil` if another thing stands here.
  private mutating func skip(operator word: String) -> Int? {
    skipSpace()
    guard isOperator(word) else { return nil }
    let start = at
    at += word.count
    skipSpace()
    return start
  }

  private func fault(_ reason: String, _ place: Int) -> ToolError {
    let rest = String(text[place...].prefix(Self.shown)) + (text.count - place > Self.shown ? "..." : "")
    let position = place < text.count ? "at character \(place + 1), '\(rest)'" : "at its end"
    return .usage("the query is wrong \(position): \(reason)")
  }
}
