import TweetCore
import TwitterText

/// Writes posts and accounts as Mastodon does.
struct MastodonView {
  let reader: PostReader
  /// The account that asks; `nil` for nobody, and in streams, which do not say what is whose.
  var viewer: LocalAccount?

  /// The host of the service and of its accounts. The port may differ in the next run.
  static let host = "localhost"

  private var store: LocalStore { reader.store }
  private var base: String { reader.site.base }

  // MARK: Posts

  func status(_ post: Post) throws -> JSON { try status(post, showsQuote: true) }

  private func status(_ post: Post, showsQuote: Bool) throws -> JSON {
    let author = try reader.author(of: post)
    let original = try reader.original(of: post)
    let shown = original ?? post
    let counts = shown.counts
    let id = TimedID.mastodon(post.id)
    let (content, mentions, tags) = try content(of: shown)
    var members: JSON.Members = [
      ("id", .string(id)), ("created_at", .string(post.createdAt.rfc3339)),
      ("in_reply_to_id", Self.id(post.replyTo)), ("in_reply_to_account_id", Self.id(post.replyToAuthor)),
      ("sensitive", false), ("spoiler_text", ""), ("visibility", "public"),
      ("language", Language.standard(shown.language).map { .string($0) } ?? .null),
      (
        "uri",
        .string(OwnLink.link(to: "users/\(author.username)/statuses/\(id)" + (original == nil ? "" : "/activity")))
      ),
      ("url", .string(url(of: shown, by: try reader.author(of: shown)))),
      ("replies_count", .number(counts.replies)), ("reblogs_count", .number(counts.retweets)),
      ("favourites_count", .number(counts.likes)), ("quotes_count", .number(counts.quotes)), ("edited_at", .null),
      ("content", .string(content)),
      ("reblog", try original.map { try status($0, showsQuote: showsQuote) } ?? .null),
      ("application", ["name": .string(post.source), "website": .null]), ("account", try account(author)),
      ("media_attachments", .array(try reader.media(of: shown).map(attachment))),
      ("mentions", .array(mentions.map(mention))), ("tags", .array(tags.map(tag))), ("emojis", []),
      ("card", .null), ("poll", try store.poll(of: shown.id).map { poll($0, of: shown) } ?? .null),
      ("quote", try quote(of: shown, isShown: showsQuote)),
      ("quote_approval", ["automatic": ["public"], "manual": [], "current_user": "automatic"]),
    ]
    if let viewer {
      members += [
        ("favourited", .bool(try store.hasLike(of: shown.id, by: viewer.id))),
        ("reblogged", .bool(try store.retweet(of: shown.id, by: viewer.id) != nil)),
        ("bookmarked", .bool(try store.hasBookmark(of: shown.id, by: viewer.id))), ("muted", false),
        ("pinned", false), ("filtered", []),
      ]
    }
    return .object(members)
  }

  private static func id(_ id: Int?) -> JSON { id.map { .string(TimedID.mastodon($0)) } ?? .null }

  private func url(of post: Post, by author: LocalAccount) -> String {
    "\(base)/@\(author.username)/\(TimedID.mastodon(post.id))"
  }

  private func quote(of post: Post, isShown: Bool) throws -> JSON {
    guard let id = post.quoteOf else { return .null }
    guard let quoted = try store.post(id) else {
      return ["state": "deleted", "quoted_status": .null]
    }
    let shown: (key: String, value: JSON) =
      isShown
      ? ("quoted_status", try status(quoted, showsQuote: false)) : ("quoted_status_id", Self.id(id))
    return .object([("state", "accepted"), shown])
  }

  // MARK: Text

  /// A text as Mastodon makes it HTML, with those whom it names and its tags.
  private func content(of post: Post) throws -> (html: String, mentions: [LocalAccount], tags: [String]) {
    var (mentions, tags): ([LocalAccount], [String]) = ([], [])
    let html = try html(post.text) { part in
      switch part.kind {
      case .mention:
        guard let account = try store.account(named: part.value) else { return nil }
        if !mentions.contains(where: { $0.id == account.id }) { mentions.append(account) }
        let page = "\(base)/@\(account.username)"
        return #"<span class="h-card" translate="no"><a href="\#(page)" class="u-url mention">"#
          + "@<span>\(account.username)</span></a></span>"
      case .hashtag:
        let name = part.value.lowercased()
        if !tags.contains(name) { tags.append(name) }
        return #"<a href="\#(base)/tags/\#(PercentEncoding.encode(name))" class="mention hashtag" rel="tag">"#
          + "#<span>\(part.value.htmlEscaped)</span></a>"
      case .url: return link(part.value)
      case .cashtag, .list: return nil
      }
    }
    return (html, mentions, tags)
  }

  private func link(_ stored: String) -> String {
    let link = reader.site.resolved(stored).htmlEscaped
    return #"<a href="\#(link)" target="_blank" rel="nofollow noopener">\#(link)</a>"#
  }

  /// - Parameter markup: the HTML of a part of the text; `nil` for one that is plain text.
  private func html(_ text: String, _ markup: (TextPart) throws -> String?) rethrows -> String {
    if text.isEmpty { return "" }
    let scalars = Array(text.unicodeScalars)
    func plain(_ range: Range<Int>) -> String {
      String(String.UnicodeScalarView(scalars[range])).htmlEscaped
        .replacing("\n\n", with: "</p><p>").replacing("\n", with: "<br>")
    }
    var (html, copied) = ("<p>", 0)
    for part in TextPart.find(in: text) {
      guard let marked = try markup(part) else { continue }
      html += plain(copied..<part.range.lowerBound) + marked
      copied = part.range.upperBound
    }
    return html + plain(copied..<scalars.count) + "</p>"
  }

  private func mention(_ account: LocalAccount) -> JSON {
    [
      "id": Self.id(account.id), "username": .string(account.username), "acct": .string(account.username),
      "url": .string("\(base)/@\(account.username)"),
    ]
  }

  func tag(_ name: String) -> JSON {
    ["name": .string(name), "url": .string("\(base)/tags/\(PercentEncoding.encode(name))")]
  }

  // MARK: Media and polls

  func attachment(_ media: PostMedia) -> JSON {
    let (address, preview) = (reader.site.address(of: media), reader.site.pictureAddress(of: media))
    let size: JSON = ["width": .number(media.width), "height": .number(media.height)]
    return [
      "id": .string(String(media.number)), "type": .string(media.video == nil ? "image" : "video"),
      "url": .string(address), "preview_url": .string(preview), "remote_url": .null,
      "description": media.altText.isEmpty ? .null : .string(media.altText), "blurhash": .null,
      "meta": ["original": size],
    ]
  }

  /// Nobody votes here.
  private func poll(_ poll: Draft.Poll, of post: Post) -> JSON {
    let end = poll.end(of: post)
    let options = poll.options.map { JSON.object([("title", .string($0)), ("votes_count", 0)]) }
    return [
      "id": Self.id(post.id), "expires_at": .string(end.rfc3339), "expired": .bool(end <= .now), "multiple": false,
      "votes_count": 0, "voters_count": 0, "options": .array(options), "emojis": [], "voted": false, "own_votes": [],
    ]
  }

  // MARK: Accounts

  /// - Parameter isOwn: whether the account itself asks, which is told more.
  func account(_ account: LocalAccount, isOwn: Bool = false) throws -> JSON {
    let counts = try store.followCounts(of: account)
    let portrait = JSON.string(reader.site.portrait(of: account))
    let note = html(account.description) { $0.kind == .url ? link($0.value) : nil }
    let fields =
      account.url.isEmpty
      ? []
      : [
        JSON.object([("name", "Web"), ("value", .string(link(account.url))), ("verified_at", .null)])
      ]
    let newest = try store.posts(after: 0, before: .max, author: account.id, limit: 1).first
    let page = "\(base)/@\(account.username)"
    var members: JSON.Members = [
      ("id", Self.id(account.id)), ("username", .string(account.username)), ("acct", .string(account.username)),
      ("display_name", .string(account.name)), ("locked", false), ("bot", false),
      ("discoverable", true), ("indexable", true), ("group", false),
      ("created_at", .string(account.createdAt.rfc3339)),
      ("note", .string(note)), ("url", .string(page)), ("uri", .string(OwnLink.link(to: "users/\(account.username)"))),
      ("avatar", portrait), ("avatar_static", portrait), ("header", portrait), ("header_static", portrait),
      ("followers_count", .number(counts.followers)), ("following_count", .number(counts.following)),
      ("statuses_count", .number(try store.postCount(of: account))),
      ("last_status_at", newest.map { .string(String($0.createdAt.rfc3339.prefix(10))) } ?? .null),
      ("emojis", []), ("fields", .array(fields)),
    ]
    if isOwn {
      let source: JSON.Members = [
        ("privacy", "public"), ("sensitive", false), ("language", .null),
        ("note", .string(account.description)), ("fields", []), ("follow_requests_count", 0),
        ("indexable", true), ("discoverable", true), ("hide_collections", false),
        ("attribution_domains", []),
      ]
      let role: JSON.Members = [
        ("id", "-99"), ("name", ""), ("permissions", "0"), ("color", ""),
        ("highlighted", false),
      ]
      members += [("source", .object(source)), ("role", .object(role))]
    }
    return .object(members)
  }

  func relationship(with account: LocalAccount) throws -> JSON {
    let isFollowed = try viewer.map { try store.number(of: .following, to: account.id, by: $0.id) != nil } ?? false
    let follows = try viewer.map { try store.number(of: .following, to: $0.id, by: account.id) != nil } ?? false
    let no = [
      "notifying", "blocking", "blocked_by", "muting", "muting_notifications", "requested", "requested_by",
      "domain_blocking", "endorsed",
    ].map { (key: $0, value: JSON.bool(false)) }
    return .object(
      [
        ("id", Self.id(account.id)), ("following", .bool(isFollowed)), ("showing_reblogs", .bool(isFollowed)),
        ("followed_by", .bool(follows)), ("languages", .null), ("note", ""),
      ] + no)
  }

  // MARK: Notifications

  static func type(of notice: PostNotice) -> String {
    switch notice {
    case .reply, .mention: "mention"
    case .quote: "quote"
    case .repost: "reblog"
    }
  }

  /// What a post tells an account of; see ``Service/notice(_:of:)``.
  func notification(_ notice: PostNotice, of post: Post) throws -> JSON {
    let shown = try notice == .repost ? reader.original(of: post) ?? post : post
    return [
      "id": Self.id(post.id), "type": .string(Self.type(of: notice)), "created_at": .string(post.createdAt.rfc3339),
      "group_key": .string("ungrouped-\(TimedID.mastodon(post.id))"), "account": try account(reader.author(of: post)),
      "status": try status(shown),
    ]
  }
}
