package import TweetCore

/// What a SOURCE operand names: where messages come from.
package enum Source: Hashable, Sendable {
  /// Posts with a hashtag; without its `#`.
  case hashtag(String)
  /// Posts that a query in the service's own language finds.
  case search(String)
  /// Posts of one account; without an `@`.
  case user(String)
  /// What the program `tw-source-NAME` brings when it is given the rest.
  case plugin(name: String, rest: String)

  private static let known = "a source is '#tag', 'search:QUERY', 'user:NAME' or '@NAME'"
  /// Words that name feeds of the signed-in account, and so are not hashtags when they stand alone.
  private static let reserved: Set<String> = ["home", "mentions", "sample"]

  /// - Throws: `ToolError.usage` with what is wrong and what would be right.
  package init(_ text: String) throws(ToolError) {
    if text.isEmpty || text == "#" { throw .usage("empty source; \(Self.known)") }
    if let name = text.dropping(prefix: "@") {
      self = .user(try Self.checkUser(name))
    } else if let name = text.dropping(prefix: "user:") {
      self = .user(try Self.checkUser(name.dropping(prefix: "@") ?? name))
    } else if let query = text.dropping(prefix: "search:") {
      if query.allSatisfy(\.isWhitespace) { throw .usage("'search:' needs a query") }
      self = .search(query)
    } else if let tag = text.dropping(prefix: "#") ?? text.dropping(prefix: "\u{ff03}") {
      self = .hashtag(try Self.checkTag(tag))
    } else if let colon = text.firstIndex(of: ":"), colon > text.startIndex {
      self = .plugin(name: String(text[..<colon]), rest: String(text[text.index(after: colon)...]))
    } else if Self.reserved.contains(text) || text.contains(":") {
      let hint = Self.reserved.contains(text) ? "; the hashtag is '#\(text)'" : ""
      throw .usage("source '\(text)' is not one this version reads: \(Self.known)\(hint)")
    } else {
      self = .hashtag(try Self.checkTag(text))
    }
  }

  /// The SOURCE in its normal spelling, as records name it in `feed`.
  package var feed: String {
    switch self {
    case .hashtag(let tag): "#\(tag)"
    case .search(let query): "search:\(query)"
    case .user(let name): "user:\(name)"
    case .plugin(let name, let rest): "\(name):\(rest)"
    }
  }

  /// Hashtags become part of a rule, where spaces and punctuation would be operators; and what X does not take for a
  /// hashtag would never bring a post.
  private static func checkTag(_ tag: String) throws(ToolError) -> String {
    if tag.isEmpty { throw .usage("empty source; \(known)") }
    if tag.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw .usage("'\(tag)' has white space, which a hashtag cannot; for several words use 'search:\(tag)'")
    }
    guard Hashtag.isValid("#\(tag)") else {
      throw .usage("'#\(tag)' is no hashtag: it may hold letters, digits and '_', and needs a letter")
    }
    return tag
  }

  private static func checkUser(_ name: String) throws(ToolError) -> String {
    let isName = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, !name.isEmpty else { throw .usage("'\(name)' is not a user name (letters, digits and '_')") }
    return name
  }
}

extension String {
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
