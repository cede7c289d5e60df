package import TweetCore
import TwitterText

/// What a SOURCE operand names: where messages come from.
package enum Source: Hashable, Sendable {
  /// Posts with a hashtag; without its `#`.
  case hashtag(String)
  /// Posts that a query in the service's own language finds.
  case search(String)
  /// Posts of one account; without an `@`.
  case user(String)
  /// What the signed-in account sees on its home page.
  case home
  /// Posts that name the signed-in account.
  case mentions
  /// A part of all posts there are.
  case sample
  /// Posts of the accounts on a list, by the list's id.
  case list(String)
  /// The post with this id and all replies below it.
  case conversation(String)
  /// The posts whose ids a file holds, one a line; `-` is standard input.
  case ids(String)
  /// What the program `tw-source-NAME` brings for the argument `rest`.
  case plugin(name: String, rest: String)

  private static let known =
    "a source is '#tag', 'search:QUERY', '@NAME', 'home', 'mentions', 'sample', 'list:ID', 'conversation:ID', "
    + "'ids:FILE' or 'PLUGIN:REST'"
  /// The words that are a source by themselves.
  private static let words = ["home", "mentions", "sample"]
  /// What services have and the kit does not read. As hashtags, these words would bring something else.
  private static let unreadWords = ["notifications", "bookmarks", "likes", "followers", "following"]
  /// What comes before the colon of a source, and what must follow.
  private static let forms = [
    "search": "QUERY", "user": "NAME", "list": "ID", "conversation": "ID", "ids": "FILE",
  ]
  /// Pages of the site that look like those of accounts.
  private static let siteWords = ["search", "explore", "notifications", "messages", "settings", "compose", "i"]
  /// Operators of X's query language that end with a colon: with one the user meant a search, not a plugin.
  private static let operators: Set<String> = [
    "from", "to", "lang", "is", "has", "url", "context", "entity", "place", "source", "filter", "since", "until",
  ]

  /// - Throws: `ToolError.usage` with what is wrong and what would be right.
  package init(_ text: String) throws(ToolError) {
    if text.isEmpty || text == "#" { throw .usage("empty source; \(Self.known)") }
    if let name = text.dropping(prefix: "@") {
      self = .user(try Self.user(name))
    } else if let tag = text.dropping(prefix: "#") ?? text.dropping(prefix: "\u{ff03}") {
      self = .hashtag(try Self.tag(tag))
    } else if text.hasPrefix("http://") || text.hasPrefix("https://") {
      self = try Self.page(text)
    } else if let colon = text.firstIndex(of: ":") {
      self = try Self.named(String(text[..<colon]), String(text[text.index(after: colon)...]))
    } else {
      switch text {
      case "home": self = .home
      case "mentions": self = .mentions
      case "sample": self = .sample
      default: self = .hashtag(try Self.bareTag(text))
      }
    }
  }

  /// The SOURCE in its normal spelling, as records name it in `feed`.
  package var feed: String {
    switch self {
    case .hashtag(let tag): "#\(tag)"
    case .search(let query): "search:\(query)"
    case .user(let name): "user:\(name)"
    case .home: "home"
    case .mentions: "mentions"
    case .sample: "sample"
    case .list(let id): "list:\(id)"
    case .conversation(let id): "conversation:\(id)"
    case .ids(let file): "ids:\(file)"
    case .plugin(let name, let rest): "\(name):\(rest)"
    }
  }

  /// Whether standard input has its posts' ids.
  package var readsInput: Bool {
    switch self {
    case .ids(let file): file == "-"
    case .plugin(_, let rest): rest == "ids:-"
    default: false
    }
  }

  /// A feed's name for comparing: services do not distinguish the case of hashtags and user names, so these are in lower
  /// case. Other names stay as they are.
  package static func folded(_ feed: String) -> String {
    feed.hasPrefix("#") || feed.hasPrefix("user:") ? feed.lowercased() : feed
  }

  /// The SOURCE `NAME:REST`.
  private static func named(_ name: String, _ rest: String) throws(ToolError) -> Source {
    switch name {
    case "search":
      if rest.allSatisfy(\.isWhitespace) { throw .usage("'search:' needs a query") }
      return .search(rest)
    case "user": return .user(try user(rest.dropping(prefix: "@") ?? rest))
    case "list": return .list(try id(rest, of: "list"))
    case "conversation": return .conversation(try id(rest, of: "post"))
    case "ids":
      if rest.isEmpty { throw .usage("'ids:' needs a file; 'ids:-' is standard input") }
      return .ids(rest)
    case _ where words.contains(name): throw .usage("'\(name)' stands alone, without a colon")
    default: break
    }
    let whole = "\(name):\(rest)"
    if operators.contains(name) { throw .usage("'\(whole)' is a query: the source is 'search:\(whole)'") }
    guard isProgramName(name) else { throw .usage("'\(whole)' is not a source: \(known)") }
    return .plugin(name: name, rest: rest)
  }

  /// The SOURCE with the posts of a page of the service's web site.
  private static func page(_ text: String) throws(ToolError) -> Source {
    let parts = text.split(separator: "?", maxSplits: 1)
    let path = (parts.first ?? "").split(separator: "/").dropFirst().map(String.init)
    if let host = path.first, PostPage.sitesOfX.contains(host) {
      switch path.count {
      case 2 where path[1] == "home": return .home
      case 2 where !siteWords.contains(path[1]): return .user(try user(path[1]))
      case 3 where path[1] == "hashtag": return .hashtag(try tag(path[2]))
      case 4 where path[1] == "i" && path[2] == "lists": return .list(try id(path[3], of: "list"))
      case 4... where path[2] == "status":
        let id = try id(path[3], of: "post")
        throw .usage(
          "'\(text)' is one post: 'conversation:\(id)' brings it and its replies, 'ids:FILE' looks posts up")
      default: break
      }
    }
    throw .usage("'\(text)' is an address, not a source: \(known)")
  }

  /// Hashtags become part of a rule, in which spaces and punctuation would be operators; and text that X does not accept as
  /// a hashtag would never bring a post.
  private static func tag(_ tag: String) throws(ToolError) -> String {
    let rule = "a hashtag holds letters, digits and '_', and at least one letter"
    if tag.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw .usage("'\(tag)' has white space: \(rule); for several words use 'search:\(tag)'")
    }
    guard Hashtag.isValid("#\(tag)") else { throw .usage("'#\(tag)' is not a hashtag: \(rule)") }
    return tag
  }

  /// A hashtag without its `#`. A word that may be meant as another source is refused: what a service bills is not read by
  /// a mistyped word.
  private static func bareTag(_ word: String) throws(ToolError) -> String {
    let tag = try tag(word)
    let advice = "; the hashtag is '#\(tag)'"
    let lowercase = word.lowercased()
    if let rest = forms[lowercase] { throw .usage("'\(word)' alone is no source: '\(lowercase):\(rest)' is\(advice)") }
    if let near = Spelling.nearest(to: lowercase, in: words + unreadWords) {
      if words.contains(near) {
        throw .usage("'\(word)' is no source; did you mean '\(near)'? The hashtag is '#\(tag)'")
      }
      throw .usage("'\(word)' is no source: tw-stream does not read \(near)\(advice)")
    }
    return tag
  }

  private static func user(_ name: String) throws(ToolError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }) else {
      throw .usage("'\(name)' is not a user name (letters, digits and '_')")
    }
    return name
  }

  private static func id(_ text: String, of thing: String) throws(ToolError) -> String {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy(isDigit) else {
      throw .usage("'\(text)' is not a \(thing)'s id (a number)")
    }
    return text
  }

  /// Whether `tw-source-NAME` could be a program: lower-case letters, digits and hyphens, a letter first.
  private static func isProgramName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || isDigit($0) || $0 == UInt8(ascii: "-")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension String {
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
