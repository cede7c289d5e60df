import TweetCore
import TwitterText

/// Writes posts the way X v1.1 does, in one of its three modes.
struct V1PostView {
  enum Mode {
    /// `text` of at most 140 characters, with a link to the rest.
    case compat
    /// `full_text`: `tweet_mode=extended`.
    case extended
    /// As compat, and the rest in `extended_tweet`.
    case streaming
  }

  let store: LocalStore
  /// The service's own address, `http://127.0.0.1:PORT`.
  let base: String
  let mode: Mode
  /// Whose likes and retweets are told; `nil` where nobody's are.
  let viewer: Account?
  /// Whether users are only their ids.
  var trimsUsers = false
  var hasEntities = true
  var hasAltText = false

  /// Longest text of the compat modes, in scalars.
  private static let compatLength = 140

  func object(_ post: Post) throws -> JSON { .object(try members(of: post, depth: 0)) }

  /// The same with what only streams have.
  func streamed(_ post: Post) throws -> JSON.Members {
    try members(of: post, depth: 0) + [
      ("filter_level", .string("low")), ("timestamp_ms", .string("\(post.createdAt.milliseconds)")),
    ]
  }

  /// - Parameter depth: how many quoting posts are around it: a quoted post's own quote is only named.
  private func members(of post: Post, depth: Int) throws -> JSON.Members {
    guard let author = try store.account(post.authorID) else { throw ToolError.bug("post \(post.id) has no author") }
    let original = try post.retweetOf.flatMap(store.post)
    var members: JSON.Members = [
      ("created_at", .string(v1Date(post.createdAt))), ("id", .number(post.id)), ("id_str", .id(post.id)),
    ]
    members += try wording(of: post, original)
    members.append(
      ("source", .string("<a href=\"\(base)\" rel=\"nofollow\">\(Page.escaped(post.source))</a>")))
    members += try reply(post)
    members.append(("user", try user(author)))
    members += ["geo", "coordinates", "place", "contributors"].map { ($0, .null) }
    if let original { members.append(("retweeted_status", .object(try self.members(of: original, depth: depth)))) }
    members += try quote(original ?? post, depth: depth)
    let counts = original?.counts ?? post.counts
    members += [
      ("quote_count", .number(post.counts.quotes)), ("reply_count", .number(post.counts.replies)),
      ("retweet_count", .number(counts.retweets)), ("favorite_count", .number(post.counts.likes)),
    ]
    members += [
      ("favorited", .bool(try viewer.map { try store.likes($0.id, post: (original ?? post).id) } ?? false)),
      ("retweeted", .bool(try viewer.flatMap { try store.retweet(of: (original ?? post).id, by: $0.id) } != nil)),
    ]
    if try original != nil || !links(in: post).isEmpty { members.append(("possibly_sensitive", .bool(false))) }
    return members + [("lang", .string(post.language))]
  }

  private func links(in post: Post) throws -> [WireText.Span] { try whole(post).spans.filter { $0.kind == .url } }

  private func reply(_ post: Post) throws -> JSON.Members {
    let name = try post.replyToAuthor.flatMap(store.account)?.username
    return [
      ("in_reply_to_status_id", post.replyTo.map(JSON.number) ?? .null),
      ("in_reply_to_status_id_str", post.replyTo.map(JSON.id) ?? .null),
      ("in_reply_to_user_id", post.replyToAuthor.map(JSON.number) ?? .null),
      ("in_reply_to_user_id_str", post.replyToAuthor.map(JSON.id) ?? .null),
      ("in_reply_to_screen_name", name.map(JSON.string) ?? .null),
    ]
  }

  private func quote(_ post: Post, depth: Int) throws -> JSON.Members {
    guard let id = post.quoteOf else { return [("is_quote_status", .bool(false))] }
    var members: JSON.Members = [
      ("is_quote_status", .bool(true)), ("quoted_status_id", .number(id)), ("quoted_status_id_str", .id(id)),
    ]
    guard let quoted = try store.post(id), let author = try store.account(quoted.authorID) else { return members }
    let path = "\(author.username)/status/\(id)"
    let target = OwnLink.resolved(OwnLink.to(path), base: base)
    members.append(
      (
        "quoted_status_permalink",
        .object([
          ("url", .string(short(OwnLink.to(path)))), ("expanded", .string(target)),
          ("display", .string(ShortLink.display(target))),
        ])
      ))
    if depth == 0 { members.append(("quoted_status", .object(try self.members(of: quoted, depth: 1)))) }
    return members
  }

  func short(_ link: String) -> String { "\(base)/s/\(ShortLink.code(for: link))" }

  // MARK: Text

  /// A post's whole text, with the links that X puts behind it.
  private func whole(_ post: Post) throws -> WireText {
    var text = WireText(post.text, shorten: short)
    for link in try store.attachedLinks(of: post) { text.append(link: link, short: short(link)) }
    return text
  }

  /// The text's members, and what belongs to them: entities and media.
  private func wording(of post: Post, _ original: Post?) throws -> JSON.Members {
    if let original, let author = try store.account(original.authorID) {
      // Cut in every mode: the whole of it is in `retweeted_status`.
      let text = try whole(original).retweeted(from: author.username).cut(to: Self.compatLength)
      return try texts(text, of: post, range: 0..<text.count)
    }
    let text = try whole(post)
    let shown = displayRange(text, of: post)
    guard mode != .extended, text.count > Self.compatLength else { return try texts(text, of: post, range: shown) }
    let rest = post.selfLink
    var cut = text.cut(to: Self.compatLength - 1 - short(rest).unicodeScalars.count)
    cut.append(link: rest, short: short(rest))
    var members: JSON.Members = [("text", .string(cut.text)), ("truncated", .bool(true))]
    members += try entities(of: cut, post)
    if mode == .streaming {
      let extended: JSON.Members = [("full_text", .string(text.text)), ("display_text_range", Self.pair(shown))]
      members.append(("extended_tweet", .object(try extended + entities(of: text, post))))
    }
    return members
  }

  private func texts(_ text: WireText, of post: Post, range: Range<Int>) throws -> JSON.Members {
    var members: JSON.Members = [
      (mode == .extended ? "full_text" : "text", .string(text.text)), ("truncated", .bool(false)),
    ]
    // Of a short post the compat modes tell it only where it says something.
    if mode == .extended || range != 0..<text.count { members.append(("display_text_range", Self.pair(range))) }
    return try members + entities(of: text, post)
  }

  static func pair(_ range: Range<Int>) -> JSON {
    .array([.number(range.lowerBound), .number(range.upperBound)])
  }

  /// What people are shown: without the names an answer begins with and the link of the photo.
  private func displayRange(_ text: WireText, of post: Post) -> Range<Int> {
    var (start, end) = (0, text.count)
    if post.replyTo != nil {
      for span in text.spans where span.kind == .mention && span.start == start { start = span.end + 1 }
    }
    if post.picture != nil, let link = text.spans.last { end = max(0, link.start - 1) }
    return min(start, end)..<end
  }
}
