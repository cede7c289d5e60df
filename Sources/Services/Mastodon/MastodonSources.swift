import TweetCore

/// The grammar of the SOURCEs of a server with Mastodon's API. Their kinds are `user` (a name without the first `@`),
/// `list` (an id or a title) and `conversation` (an id).
struct MastodonSources {
  /// The server that is asked.
  let host: String

  static let forms =
    "'#tag', '@NAME', '@NAME@HOST', 'public', 'local', 'home', 'mentions', 'notifications', 'bookmarks', 'likes', "
    + "'followers', 'following', 'list:NAME', 'conversation:ID'"

  /// The words that are a source by themselves, and have a live stream.
  static let liveWords: Set<String> = ["public", "local", "home", "mentions", "notifications"]
  private static let words = liveWords.sorted() + ["bookmarks", "likes", "followers", "following"]
  /// What others call one of them.
  private static let otherWords = ["favourites": "likes", "favorites": "likes", "federated": "public"]
  private static let kinds = ["user": "NAME", "list": "NAME", "conversation": "ID", "ids": "FILE"]

  func source(_ text: String) throws(ToolError) -> Source? {
    if text.hasPrefix("@") { return .named("user", try user(String(text.dropFirst()))) }
    if text.hasPrefix("#") || text.hasPrefix("\u{ff03}") { return .hashtag(try tag(String(text.dropFirst()))) }
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return try page(text) }
    if let colon = text.firstIndex(of: ":") {
      return try named(String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
    return Self.words.contains(text) ? .timeline(text) : .hashtag(try bareTag(text))
  }

  /// The SOURCE `KIND:NAME`.
  private func named(_ kind: String, _ rest: String) throws(ToolError) -> Source? {
    switch kind {
    case "user": return .named(kind, try user(rest.hasPrefix("@") ? String(rest.dropFirst()) : rest))
    case "list":
      if rest.allSatisfy(\.isWhitespace) { throw .usage("'list:' needs the title or the id of one of your lists") }
      return .named(kind, rest)
    case "conversation":
      if let id = service?.post(named: rest) { return .named(kind, id) }
      guard let address = MastodonAddress(rest), case .post(let id) = address.place else {
        throw .usage("'\(rest)' is not a post's id")
      }
      // A server finds the posts of others by their addresses, for its accounts.
      return .named(kind, address.host == host ? id : rest)
    case "search": throw .usage("a server with Mastodon's API is not searched: a source is \(Self.forms)")
    case _ where Self.words.contains(kind): throw .usage("'\(kind)' stands alone, without a colon")
    default: return nil
    }
  }

  private var service: MastodonService? { MastodonService(named: "mastodon:\(host)") }

  /// The SOURCE with the posts of a page. The page of an account may be of any server, since all know accounts by the
  /// same names.
  private func page(_ text: String) throws(ToolError) -> Source? {
    guard let address = MastodonAddress(text) ?? MastodonAddress(profile: text, of: host) else { return nil }
    switch address.place {
    case .user(let name):
      return .named("user", try user(name.contains("@") ? name : "\(name)@\(address.host)"))
    case .hashtag(let tag): return .hashtag(try self.tag(tag))
    case .list(let id): return .named("list", try own(id, address, text))
    case .timeline(let word): return .timeline(try own(word, address, text))
    case .post(let id):
      let id = try own(id, address, text)
      throw .usage("'\(text)' is one post: 'conversation:\(id)' brings it and its replies, 'ids:FILE' looks posts up")
    }
  }

  /// A part of an address, which means something at its own server alone.
  private func own(_ part: String, _ address: MastodonAddress, _ text: String) throws(ToolError) -> String {
    guard address.host == host else {
      throw .usage(
        "'\(text)' is a page of '\(address.host)', not of '\(host)': ask there, --service mastodon:\(address.host)")
    }
    return part
  }

  private func user(_ text: String) throws(ToolError) -> String {
    guard let name = service?.userName(text[...]) else {
      throw .usage("'\(text)' is not an account's name, such as 'alice' or 'alice@example.social'")
    }
    return name
  }

  /// A hashtag holds letters, digits, `_` and what joins words, and not digits alone (Mastodon's `HASHTAG_RE`).
  private func tag(_ tag: String) throws(ToolError) -> String {
    let joiners: Set<Unicode.Scalar> = ["_", "\u{b7}", "\u{30fb}", "\u{200c}"]
    let isTag = tag.unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      return properties.isAlphabetic || properties.numericType != nil || joiners.contains(scalar)
        || [.nonspacingMark, .spacingMark].contains(properties.generalCategory)
    }
    guard isTag, tag.unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0 == "_" }) else {
      throw .usage("'#\(tag)' is not a hashtag: a hashtag holds letters, digits and '_', and at least one letter")
    }
    return tag
  }

  /// A hashtag without its `#`; a word that may be meant as another source is refused.
  private func bareTag(_ word: String) throws(ToolError) -> String {
    let tag = try tag(word)
    let lowercase = word.lowercased()
    if lowercase == "lists" {
      throw .usage(
        "'\(word)' is not a source: 'tw-auth lists' shows your lists, and 'list:NAME' reads one; the hashtag is '#\(tag)'"
      )
    }
    if let rest = Self.kinds[lowercase] {
      throw .usage("'\(word)' alone is not a source: '\(lowercase):\(rest)' is; the hashtag is '#\(tag)'")
    }
    if let near = Self.otherWords[lowercase] ?? Spelling.nearest(to: lowercase, in: Self.words) {
      throw .usage("'\(word)' is not a source; did you mean '\(near)'? The hashtag is '#\(tag)'")
    }
    return tag
  }
}
