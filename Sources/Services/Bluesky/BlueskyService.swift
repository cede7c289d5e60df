package import TweetCore

/// Bluesky, as it is known without a network. Reading costs nothing, and much of it needs no account.
package struct BlueskyService: ServiceKind {
  package init() {}

  package var name: String { "bluesky" }
  package var usualBase: String? { "https://public.api.bsky.app" }
  package var prices: PriceTable? { nil }
  package var sourceForms: String { BlueskySources.forms }

  package func source(_ text: String) throws(ToolError) -> Source? { try BlueskySources.source(text) }

  package func liveness(of source: Source) -> Liveness {
    switch source {
    case .hashtag: .live
    case .named("live", _): .onlyLive
    default: .polled
    }
  }

  /// The at-uri of a post, or of a repost.
  package func postID(_ text: Substring) -> PostID? {
    guard text.hasPrefix("at://"), let address = RecordAddress(text), address.authority.hasPrefix("did:"),
      [RecordAddress.post, "app.bsky.feed.repost"].contains(address.collection)
    else { return nil }
    return Self.postID(address.text)
  }

  /// An id with its place among others: keys of records tell when they were made.
  package static func postID(_ text: String) -> PostID {
    let key = text.split(separator: "/").last ?? ""
    return .text(text, order: TimeKey.isOne(key) ? String(key) : nil)
  }

  /// A page names its account by a handle mostly, which nothing but the network resolves: that is not an id.
  package func post(at address: String, base: String?) -> PostID? {
    RecordAddress(address).flatMap { postID($0.text[...]) }
  }

  package func userName(_ text: Substring) -> String? {
    AccountName(text.hasPrefix("@") ? text.dropFirst() : text)?.text
  }
}

/// The grammar of Bluesky's SOURCEs. Their kinds are `user` (a handle or a DID), `feed`, `list` and `conversation`
/// (addresses of records), `live` (what a post of the live stream must have) and `search` (words).
enum BlueskySources {
  static let forms =
    "'#tag', '@NAME', 'live:WORDS', 'feed:ADDRESS', 'list:NAME', 'list:ADDRESS', 'conversation:ADDRESS', 'search:WORDS', "
    + "'home', 'mentions', 'notifications', 'likes', 'bookmarks', 'followers', 'following'"
  private static let collections = [
    "feed": RecordAddress.feed, "list": RecordAddress.list, "conversation": RecordAddress.post,
  ]
  /// What Bluesky has for an account alone.
  private static let words = ["home", "mentions", "notifications", "likes", "bookmarks", "followers", "following"]
  /// Graphemes of a tag (the lexicon app.bsky.richtext.facet).
  private static let longestTag = 64

  static func source(_ text: String) throws(ToolError) -> Source? {
    if text.hasPrefix("@") { return .named("user", try user(text.dropFirst())) }
    if text.hasPrefix("#") || text.hasPrefix("\u{ff03}") { return .hashtag(try tag(String(text.dropFirst()))) }
    if text.contains("://"), !text.contains(":at://"), !text.contains(":https://") { return page(text) }
    if words.contains(text) { return .timeline(text) }
    guard let colon = text.firstIndex(of: ":") else { return .hashtag(try bareTag(text)) }
    let (kind, rest) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
    switch kind {
    case "user": return .named(kind, try user(rest.hasPrefix("@") ? rest.dropFirst() : rest[...]))
    case "live": return .named(kind, try LiveWords(rest).text)
    case "search":
      if rest.allSatisfy(\.isWhitespace) { throw .usage("'search:' needs words") }
      return .named(kind, rest)
    default:
      guard let collection = collections[kind] else { return nil }
      if kind == "list", !rest.allSatisfy(\.isWhitespace), !rest.contains("://") { return .named(kind, rest) }
      guard let address = RecordAddress(rest), address.collection == collection else {
        throw .usage(
          "'\(rest)' is not the address of a \(kind == "conversation" ? "post" : kind) (at://… or https://bsky.app/…)")
      }
      return .named(kind, address.text)
    }
  }

  /// The SOURCE with the posts of a page of bsky.app, or of a record.
  private static func page(_ text: String) -> Source? {
    if let address = RecordAddress(text) {
      return collections.first { $0.value == address.collection }.map { .named($0.key, address.text) }
    }
    let parts = text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map(String.init)
    if parts.count == 2, parts[0] == "at:" { return AccountName(parts[1]).map { .named("user", $0.text) } }
    guard parts.count == 4, RecordAddress.sites.contains(parts[1].lowercased()) else { return nil }
    switch parts[2] {
    case "profile": return AccountName(parts[3]).map { .named("user", $0.text) }
    case "hashtag": return (try? tag(PercentEncoding.decode(parts[3]))).map { .hashtag($0) }
    default: return nil
    }
  }

  private static func user(_ text: Substring) throws(ToolError) -> String {
    guard let name = AccountName(text) else {
      throw .usage("'\(text)' is not the name of an account (a handle such as alice.example, or a DID)")
    }
    return name.text
  }

  private static func tag(_ tag: String) throws(ToolError) -> String {
    if tag.contains(where: \.isWhitespace) {
      throw .usage("'\(tag)' has white space, which no hashtag has; for several words use 'live:\(tag)'")
    }
    guard !tag.isEmpty, tag.count <= longestTag, !tag.contains("#"), tag.contains(where: { !$0.isNumber }) else {
      throw .usage("'#\(tag)' is not a hashtag: it has up to \(longestTag) characters, and not digits alone")
    }
    return tag
  }

  /// A word that may be meant as another source is refused.
  private static func bareTag(_ word: String) throws(ToolError) -> String {
    let lowercase = word.lowercased()
    if lowercase == "lists" {
      throw .usage(
        "'\(word)' is not a source: 'tw-auth lists' shows your lists, and 'list:NAME' reads one; the hashtag is '#\(word)'"
      )
    }
    if let near = Spelling.nearest(to: lowercase, in: words) {
      throw .usage("'\(word)' is not a source: did you mean '\(near)'? The hashtag is '#\(word)'")
    }
    if ["user", "live", "search"].contains(lowercase) || collections[lowercase] != nil {
      throw .usage("'\(word)' alone is not a source: a source is \(forms)")
    }
    return try tag(word)
  }
}
