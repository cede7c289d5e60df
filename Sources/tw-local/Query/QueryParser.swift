import TweetCore

/// Parses a query.
struct QueryParser {
  /// What is wrong with a query, in X's words, with a position that counts from 1.
  struct Fault: Error {
    let message: String
  }

  /// What a query is for. Each has operators that the others do not have.
  enum Dialect {
    case search, stream
    /// v1.1's search.
    case standard
  }

  private static let maxDepth = 32

  private let scalars: [Unicode.Scalar]
  private let dialect: Dialect
  /// Index of the next scalar.
  private var at = 0
  private var depth = 0

  static func parse(_ text: String, as dialect: Dialect) throws(Fault) -> PostQuery {
    var parser = QueryParser(Array(text.unicodeScalars), dialect)
    let query = try parser.alternatives()
    guard parser.at == parser.scalars.count else { throw parser.fault("no viable alternative at input ')'") }
    guard dialect == .standard || query.hasPositiveTerm else {
      throw Fault(message: "Rules must contain at least one positive, non-stopword clause (at position 1)")
    }
    return query
  }

  private init(_ scalars: [Unicode.Scalar], _ dialect: Dialect) {
    self.scalars = scalars
    self.dialect = dialect
  }

  private func fault(_ reason: String, at position: Int? = nil) -> Fault {
    Fault(message: "\(reason) (at position \((position ?? at) + 1))")
  }

  /// Parses clauses up to the end or a closing parenthesis.
  private mutating func alternatives() throws(Fault) -> PostQuery {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maxDepth else { throw fault("too many nested groups") }
    var parts = [try sequence()]
    while skipWord("OR") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func sequence() throws(Fault) -> PostQuery {
    var parts: [PostQuery] = []
    while true {
      skipSpace()
      guard at < scalars.count, scalars[at] != ")", !isWord("OR") else { break }
      parts.append(try clause())
    }
    guard !parts.isEmpty else {
      let found = at < scalars.count ? "'\(scalars[at])'" : "'<EOF>'"
      throw fault("missing clause at \(found)")
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func clause() throws(Fault) -> PostQuery {
    if scalars[at] == "-", at + 1 < scalars.count, !isSpace(scalars[at + 1]) {
      at += 1
      return .not(try clause())
    }
    guard scalars[at] == "(" else { return .term(try term()) }
    at += 1
    let inner = try alternatives()
    guard at < scalars.count, scalars[at] == ")" else { throw fault("missing ')'") }
    at += 1
    return inner
  }

  private mutating func term() throws(Fault) -> PostQuery.Term {
    let start = at
    if scalars[at] == "\"" { return Self.text(try quoted()) }
    var word = String.UnicodeScalarView()
    while at < scalars.count, !isSpace(scalars[at]), scalars[at] != "(", scalars[at] != ")", scalars[at] != "\"" {
      word.append(scalars[at])
      at += 1
      if word.last == ":", let name = Self.operatorName(word) {
        let value = at < scalars.count && scalars[at] == "\"" ? try quoted() : bareValue()
        return dialect == .standard
          ? standardOperation(name, value: value.lowercased())
          : try operation(name, value: value.lowercased(), at: start)
      }
    }
    return Self.term(String(word).lowercased())
  }

  /// What finds a word, or a tag or name with its mark.
  /// - Parameter word: in lower case.
  static func term(_ word: String) -> PostQuery.Term {
    let name = String(word.dropFirst())
    switch word.first {
    case "#" where !name.isEmpty: return .hashtag(name)
    case "@" where !name.isEmpty: return .mention(name)
    case "$" where !name.isEmpty: return .cashtag(name)
    default: return text(word)
    }
  }

  private static func text(_ text: String) -> PostQuery.Term {
    let text = text.lowercased()
    let words = Words.split(text)
    if words.isEmpty || text.unicodeScalars.contains(where: Words.isUnspaced) { return .substring(text) }
    return .words(words)
  }

  private func operation(_ name: String, value: String, at start: Int) throws(Fault) -> PostQuery.Term {
    guard !value.isEmpty else { throw fault("missing value of operator '\(name)'", at: start) }
    switch name {
    case "from": return .from(Self.username(value))
    case "to": return .to(Self.username(value))
    case "retweets_of": return .retweetsOf(Self.username(value))
    case "url": return .link(value)
    case "lang": return .language(value)
    case "is", "has": return try flag("\(name):\(value)", at: start)
    case "conversation_id": return .conversation(try id(value, of: name, at: start))
    case "in_reply_to_tweet_id": return .inReplyTo(try id(value, of: name, at: start))
    case "retweets_of_tweet_id": return .retweetsOfPost(try id(value, of: name, at: start))
    default: return try searchOperation(name, value: value, at: start)
    }
  }

  /// v1.1's operators. A name that is not among them is part of a word.
  private func standardOperation(_ name: String, value: String) -> PostQuery.Term {
    switch (name, value) {
    case ("from", _): return .from(Self.username(value))
    case ("to", _): return .to(Self.username(value))
    case ("url", _): return .link(value)
    case ("lang", _): return .language(value)
    case ("filter", "links"): return .hasLinks
    case ("filter", "media"), ("filter", "images"), ("filter", "twimg"): return .hasMedia
    case ("filter", "replies"): return .isReply
    case ("filter", "retweets"), ("filter", "nativeretweets"): return .isRetweet
    case ("filter", "quote"): return .isQuote
    case ("filter", "verified"): return .isVerified
    default: break
    }
    if let time = Timestamp(day: value), name == "since" || name == "until" {
      return name == "since" ? .postedSince(time) : .postedBefore(time)
    }
    if let count = Int(value) {
      switch name {
      case "min_faves": return .minLikes(count)
      case "min_replies": return .minReplies(count)
      case "min_retweets": return .minReposts(count)
      default: break
      }
    }
    return Self.text("\(name):\(value)")
  }

  /// Operators that only search has.
  private func searchOperation(_ name: String, value: String, at start: Int) throws(Fault) -> PostQuery.Term {
    guard dialect == .search else { throw unavailable(name, at: start) }
    switch name {
    case "list": return .list(try id(value, of: name, at: start))
    case "quotes_of_tweet_id": return .quotesOfPost(try id(value, of: name, at: start))
    case "min_likes": return .minLikes(try id(value, of: name, at: start))
    case "min_replies": return .minReplies(try id(value, of: name, at: start))
    case "min_reposts": return .minReposts(try id(value, of: name, at: start))
    default: throw unavailable(name, at: start)
    }
  }

  private func id(_ value: String, of name: String, at start: Int) throws(Fault) -> Int {
    guard let id = Int(value), id > 0 else { throw fault("invalid ID '\(value)' for operator '\(name)'", at: start) }
    return id
  }

  private func flag(_ text: String, at start: Int) throws(Fault) -> PostQuery.Term {
    switch text {
    case "is:retweet": return .isRetweet
    case "is:reply": return .isReply
    case "is:quote": return .isQuote
    case "is:verified": return .isVerified
    case "is:nullcast": return .isNullcast
    case "has:hashtags": return .hasHashtags
    case "has:cashtags": return .hasCashtags
    case "has:links": return .hasLinks
    case "has:mentions": return .hasMentions
    case "has:media": return .hasMedia
    case "has:images": return .hasImages
    case "has:video_link", "has:videos": return .hasVideo
    case "has:geo": return .hasGeo
    default: throw unavailable(text, at: start)
    }
  }

  private func unavailable(_ name: String, at start: Int) -> Fault {
    fault(
      "Reference to invalid operator '\(name)'. Operator is not available in current product or product packaging. "
        + "Please refer to complete available operator list at "
        + "https://docs.x.com/x-api/posts/search/integrate/operators.", at: start)
  }

  /// The name of an operator, from a word that ends in a colon. `nil` for other words, such as `http:` and `12:`.
  private static func operatorName(_ word: String.UnicodeScalarView) -> String? {
    let name = word.dropLast()
    guard let first = name.first, (Unicode.Scalar("a")...Unicode.Scalar("z")).contains(first),
      name.allSatisfy({ ("a"..."z").contains($0) || $0 == "_" })
    else { return nil }
    let text = String(name)
    return text == "http" || text == "https" ? nil : text
  }

  /// A user name, which may have `@` before it.
  private static func username(_ name: String) -> String {
    name.hasPrefix("@") ? String(name.dropFirst()) : name
  }

  // MARK: Characters

  private mutating func quoted() throws(Fault) -> String {
    let start = at
    var text = String.UnicodeScalarView()
    at += 1
    while at < scalars.count, scalars[at] != "\"" {
      if scalars[at] == "\\", at + 1 < scalars.count { at += 1 }
      text.append(scalars[at])
      at += 1
    }
    guard at < scalars.count else { throw fault("missing closing quote", at: start) }
    at += 1
    return String(text)
  }

  private mutating func bareValue() -> String {
    var text = String.UnicodeScalarView()
    while at < scalars.count, !isSpace(scalars[at]), scalars[at] != ")" {
      text.append(scalars[at])
      at += 1
    }
    return String(text)
  }

  private mutating func skipSpace() {
    while at < scalars.count, isSpace(scalars[at]) { at += 1 }
  }

  private func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  private func isWord(_ word: String) -> Bool {
    let wanted = Array(word.unicodeScalars)
    guard at + wanted.count <= scalars.count, Array(scalars[at..<at + wanted.count]) == wanted else { return false }
    let end = at + wanted.count
    return end == scalars.count || isSpace(scalars[end]) || scalars[end] == "("
  }

  private mutating func skipWord(_ word: String) -> Bool {
    skipSpace()
    guard isWord(word) else { return false }
    at += word.unicodeScalars.count
    return true
  }
}
