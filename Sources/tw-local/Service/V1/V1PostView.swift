import TweetCore
import TwitterText

/// Writes posts as v1.1 does, in one of its three modes.
struct V1PostView {
  enum Mode {
    /// `text` has at most 140 characters and a link to the complete text.
    case compat
    /// `full_text` is the complete text: `tweet_mode=extended`.
    case extended
    /// As compat, with the complete text in `extended_tweet`.
    case streaming
  }

  let reader: PostReader
  let mode: Mode
  /// Whose likes and retweets are marked; `nil` where nobody's are.
  let viewer: LocalAccount?
  /// Whether a user is only its id.
  var trimsUsers = false
  var hasEntities = true
  var hasAltText = false

  var store: LocalStore { reader.store }

  /// Most scalars of a text in the compat modes.
  private static let compatLength = 140

  func object(_ post: Post) throws -> JSON { .object(try members(of: post)) }

  /// The members of a post in a stream, which has more of them.
  func streamedMembers(of post: Post) throws -> JSON.Members {
    try members(of: post) + [
      ("filter_level", .string("low")), ("timestamp_ms", .string("\(post.createdAt.milliseconds)")),
    ]
  }

  /// - Parameter isQuoted: whether it is written inside the post that quotes it; of its own quote it has only the id
  ///   then.
  private func members(of post: Post, isQuoted: Bool = false) throws -> JSON.Members {
    let original = try reader.original(of: post)
    let shown = original ?? post
    var members: JSON.Members = [
      ("created_at", .string(v1Date(post.createdAt))), ("id", .number(post.id)), ("id_str", .id(post.id)),
    ]
    members += try textMembers(of: post, original)
    members.append(
      ("source", .string("<a href=\"\(reader.site.base)\" rel=\"nofollow\">\(post.source.htmlEscaped)</a>")))
    members += try replyMembers(of: post)
    members.append(("user", try user(reader.author(of: post))))
    members += ["geo", "coordinates", "place", "contributors"].map { ($0, .null) }
    if let original {
      members.append(("retweeted_status", .object(try self.members(of: original, isQuoted: isQuoted))))
    }
    members += try quoteMembers(of: shown, isQuoted: isQuoted)
    let counts = try reader.counts(of: post)
    members += [
      ("quote_count", .number(counts.quotes)), ("reply_count", .number(counts.replies)),
      ("retweet_count", .number(counts.retweets)), ("favorite_count", .number(counts.likes)),
      ("favorited", .bool(try viewer.map { try store.hasLike(of: shown.id, by: $0.id) } ?? false)),
      ("retweeted", .bool(try viewer.flatMap { try store.retweet(of: shown.id, by: $0.id) } != nil)),
    ]
    if try original != nil || reader.completeText(of: post).spans.contains(where: { $0.kind == .url }) {
      members.append(("possibly_sensitive", .bool(false)))
    }
    return members + [("lang", .string(post.language))]
  }

  private func replyMembers(of post: Post) throws -> JSON.Members {
    let name = try post.replyToAuthor.flatMap(store.account)?.username
    return [
      ("in_reply_to_status_id", post.replyTo.map(JSON.number) ?? .null),
      ("in_reply_to_status_id_str", post.replyTo.map(JSON.id) ?? .null),
      ("in_reply_to_user_id", post.replyToAuthor.map(JSON.number) ?? .null),
      ("in_reply_to_user_id_str", post.replyToAuthor.map(JSON.id) ?? .null),
      ("in_reply_to_screen_name", name.map(JSON.string) ?? .null),
    ]
  }

  private func quoteMembers(of post: Post, isQuoted: Bool) throws -> JSON.Members {
    guard let id = post.quoteOf else { return [("is_quote_status", .bool(false))] }
    var members: JSON.Members = [
      ("is_quote_status", .bool(true)), ("quoted_status_id", .number(id)), ("quoted_status_id_str", .id(id)),
    ]
    guard let quoted = try store.post(id) else { return members }
    let link = reader.link(OwnLink.link(to: "\(try reader.author(of: quoted).username)/status/\(id)"))
    members.append(
      (
        "quoted_status_permalink",
        ["url": .string(link.short), "expanded": .string(link.target), "display": .string(link.displayed)]
      ))
    if !isQuoted { members.append(("quoted_status", .object(try self.members(of: quoted, isQuoted: true)))) }
    return members
  }

  // MARK: Text

  /// The members of the text, its entities and its photo.
  private func textMembers(of post: Post, _ original: Post?) throws -> JSON.Members {
    if let original {
      // Truncated in every mode: `retweeted_status` has the complete text.
      let text = try reader.completeText(of: original).retweeted(from: reader.author(of: original).username)
        .truncated(to: Self.compatLength)
      return try textMembers(text, of: post, displayed: 0..<text.count)
    }
    let text = try reader.completeText(of: post)
    let displayed = Self.displayRange(of: text, post)
    guard mode != .extended, text.count > Self.compatLength else {
      return try textMembers(text, of: post, displayed: displayed)
    }
    let link = post.link
    var truncated = text.truncated(to: Self.compatLength - 1 - reader.site.short(link).unicodeScalars.count)
    truncated.append(link: link, reader.site)
    var members: JSON.Members = [("text", .string(truncated.text)), ("truncated", .bool(true))]
    members += try entityMembers(of: truncated, post)
    if mode == .streaming {
      let complete: JSON.Members = [
        ("full_text", .string(text.text)), ("display_text_range", Self.pair(displayed)),
      ]
      members.append(("extended_tweet", .object(try complete + entityMembers(of: text, post))))
    }
    return members
  }

  private func textMembers(_ text: WireText, of post: Post, displayed: Range<Int>) throws -> JSON.Members {
    var members: JSON.Members = [
      (mode == .extended ? "full_text" : "text", .string(text.text)), ("truncated", .bool(false)),
    ]
    // The compat modes have it only where some of the text is not displayed.
    if mode == .extended || displayed != 0..<text.count {
      members.append(("display_text_range", Self.pair(displayed)))
    }
    return try members + entityMembers(of: text, post)
  }

  static func pair(_ range: Range<Int>) -> JSON {
    .array([.number(range.lowerBound), .number(range.upperBound)])
  }

  /// The part of the text that people see: without the names that a reply begins with and without the photo's link.
  private static func displayRange(of text: WireText, _ post: Post) -> Range<Int> {
    var (start, end) = (0, text.count)
    if post.replyTo != nil {
      for span in text.spans where span.kind == .mention && span.start == start { start = span.end + 1 }
    }
    if post.hasMedia, let link = text.spans.last { end = max(0, link.start - 1) }
    return min(start, end)..<end
  }
}
