import TweetCore
import TwitterText

extension Source {
  /// What the signed-in account sees on its home page.
  package static let home = Source.timeline("home")
  /// Posts that name the signed-in account.
  package static let mentions = Source.timeline("mentions")
  /// A part of all posts there are.
  package static let sample = Source.timeline("sample")
  /// What the signed-in account has bookmarked, and what it has liked, the latest first.
  package static let bookmarks = Source.timeline("bookmarks")
  package static let likes = Source.timeline("likes")
  /// The profiles of those who follow the signed-in account, and of those whom it follows, the latest first.
  package static let followers = Source.timeline("followers")
  package static let following = Source.timeline("following")

  /// The name of a list that is not named by its id; `nil` for another source.
  package var listName: String? {
    if case .named("list", let name) = self, !XSources.isID(name) { name } else { nil }
  }
}

/// The grammar of X's SOURCEs. Their kinds are `search` (a query in X's own language), `user` (a name without an `@`),
/// `list` (an id or a name) and `conversation` (an id).
enum XSources {
  static let forms =
    "'#tag', 'search:QUERY', '@NAME', 'home', 'mentions', 'bookmarks', 'likes', 'followers', 'following', 'sample', "
    + "'list:NAME', 'conversation:TWEET', 'post:TWEET'"
  static let sites: Set<String> = [
    "x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com", "m.twitter.com",
  ]
  /// The words that are a source by themselves.
  private static let words = ["home", "mentions", "bookmarks", "likes", "followers", "following", "sample"]
  /// What X's API does not have. As hashtags, these words would bring something else.
  private static let unreadWords = ["notifications", "lists"]
  /// What comes before the colon of a source, and what must follow.
  private static let kinds = [
    "search": "QUERY", "user": "NAME", "list": "NAME", "conversation": "TWEET", "post": "TWEET", "ids": "FILE",
  ]
  /// Pages of the site that look like those of accounts.
  private static let siteWords = ["search", "explore", "notifications", "messages", "settings", "compose", "i"]
  /// Operators of X's query language that end with a colon: with one the user meant a search, not a plugin.
  private static let operators: Set<String> = [
    "from", "to", "lang", "is", "has", "url", "context", "entity", "place", "source", "filter", "since", "until",
  ]

  static func source(_ text: String) throws(ToolError) -> Source? {
    if let name = text.dropping(prefix: "@") { return .named("user", try user(name)) }
    if let tag = text.dropping(prefix: "#") ?? text.dropping(prefix: "\u{ff03}") { return .hashtag(try self.tag(tag)) }
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return try page(text) }
    if let colon = text.firstIndex(of: ":") {
      return try named(String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
    return words.contains(text) ? .timeline(text) : .hashtag(try bareTag(text))
  }

  /// The SOURCE `KIND:NAME`.
  private static func named(_ kind: String, _ rest: String) throws(ToolError) -> Source? {
    switch kind {
    case "search":
      if rest.allSatisfy(\.isWhitespace) { throw .usage("'search:' needs a query") }
      return .named(kind, rest)
    case "user": return .named(kind, try user(rest.dropping(prefix: "@") ?? rest))
    case "list":
      if rest.allSatisfy(\.isWhitespace) { throw .usage("'list:' needs the name or the id of a list") }
      return .named(kind, rest)
    case "conversation": return .named(kind, try id(rest, of: "post"))
    case _ where words.contains(kind): throw .usage("'\(kind)' stands alone, without a colon")
    case _ where operators.contains(kind):
      throw .usage("'\(kind):\(rest)' is a query: the source is 'search:\(kind):\(rest)'")
    default: return nil
    }
  }

  /// The SOURCE with the posts of a page of X's web site.
  private static func page(_ text: String) throws(ToolError) -> Source? {
    let parts = text.split(separator: "?", maxSplits: 1)
    let path = (parts.first ?? "").split(separator: "/").dropFirst().map(String.init)
    if let host = path.first, sites.contains(host) {
      switch path.count {
      case 2 where path[1] == "home": return .home
      case 2 where !siteWords.contains(path[1]): return .named("user", try user(path[1]))
      case 3 where path[1] == "hashtag": return .hashtag(try tag(path[2]))
      case 4 where path[1] == "i" && path[2] == "lists": return .named("list", try id(path[3], of: "list"))
      default: break
      }
    }
    return nil
  }

  /// Hashtags become part of a rule, in which spaces and punctuation would be operators; and text that X does not
  /// accept as a hashtag would never bring a post.
  private static func tag(_ tag: String) throws(ToolError) -> String {
    let rule = "a hashtag holds letters, digits and '_', and at least one letter"
    if tag.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw .usage("'\(tag)' has white space: \(rule); for several words use 'search:\(tag)'")
    }
    guard Hashtag.isValid("#\(tag)") else { throw .usage("'#\(tag)' is not a hashtag: \(rule)") }
    return tag
  }

  /// The word that is a source and that a bare word resembles; `nil` for a word that is one itself, and for others.
  static func near(_ word: String) -> String? {
    guard !words.contains(word), Hashtag.isValid("#\(word)"), kinds[word.lowercased()] == nil else { return nil }
    let near = Spelling.nearest(to: word.lowercased(), in: words + unreadWords)
    return near.flatMap { words.contains($0) ? $0 : nil }
  }

  /// A hashtag without its `#`. A word that may be meant as another source is refused: what a service bills is not read
  /// by a mistyped word.
  private static func bareTag(_ word: String) throws(ToolError) -> String {
    let tag = try tag(word)
    let advice = "; the hashtag is '#\(tag)'"
    let lowercase = word.lowercased()
    if let rest = kinds[lowercase] {
      throw .usage("'\(word)' alone is not a source: '\(lowercase):\(rest)' is\(advice)")
    }
    if let near = near(word) {
      throw .usage("'\(word)' is not a source; did you mean '\(near)'? The hashtag is '#\(tag)'")
    }
    if lowercase == "lists" {
      throw .usage("'\(word)' is not a source: 'tw-auth lists' shows your lists, and 'list:NAME' reads one\(advice)")
    }
    if let near = Spelling.nearest(to: lowercase, in: unreadWords) {
      throw .usage("'\(word)' is not a source: this service has no \(near) to read\(advice)")
    }
    return tag
  }

  private static func user(_ text: String) throws(ToolError) -> String {
    guard !text.hasPrefix("@"), let name = userName(text[...]) else {
      throw .usage("'\(text)' is not a user name (letters, digits and '_')")
    }
    return name
  }

  static func userName(_ text: Substring) -> String? {
    let name = text.hasPrefix("@") ? text.dropFirst() : text
    let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    return name.isEmpty || !isName ? nil : String(name)
  }

  static func isID(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 19 && text.utf8.allSatisfy(\.isASCIIDigit)
  }

  private static func id(_ text: String, of thing: String) throws(ToolError) -> String {
    guard isID(text) else { throw .usage("'\(text)' is not a \(thing)'s id (a number)") }
    return text
  }
}

extension String {
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
