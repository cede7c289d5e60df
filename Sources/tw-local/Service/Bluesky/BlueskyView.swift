import TweetCore
import TwitterText

/// Writes posts and accounts as Bluesky does: records, and what its AppView makes of them.
struct BlueskyView {
  let reader: PostReader
  /// The account that asks; `nil` for nobody.
  var viewer: LocalAccount?

  private var store: LocalStore { reader.store }

  // MARK: Addresses

  func collection(of post: Post) -> String { post.retweetOf == nil ? BlueskyName.post : BlueskyName.repost }

  /// The key that a client has given to a post, or one that tells its time.
  func key(of post: Post) throws(ToolError) -> String {
    try store.key(of: post.id, in: collection(of: post)) ?? TimedID.key(post.id)
  }

  func uri(of post: Post) throws(ToolError) -> String {
    BlueskyName.uri(post.authorID, collection(of: post), try key(of: post))
  }

  /// The address of a like or a follow.
  func uri(_ collection: String, _ number: Int, of account: Int) throws(ToolError) -> String {
    BlueskyName.uri(account, collection, try store.key(of: number, in: collection) ?? TimedID.text(number))
  }

  func reference(_ uri: String) throws(ToolError) -> JSON {
    ["uri": .string(uri), "cid": .string(try BlueskyName.cid(uri))]
  }

  // MARK: Records

  /// The record of a post or of a repost.
  func record(of post: Post) throws -> JSON {
    if let id = post.retweetOf {
      let uri = try store.post(id).map(uri) ?? ""
      return link(BlueskyName.repost, to: try reference(uri), at: post.createdAt)
    }
    let (text, facets) = try text(post.text)
    var members: JSON.Members = [
      ("$type", .string(BlueskyName.post)), ("text", .string(text)), ("createdAt", .string(post.createdAt.rfc3339)),
    ]
    if let tag = Language.standard(post.language) {
      members.append(("langs", .array([.string(tag)])))
    }
    if !facets.isEmpty { members.append(("facets", .array(facets))) }
    if let reply = try reply(of: post) {
      members.append(("reply", ["root": try reference(reply.root), "parent": try reference(reply.parent)]))
    }
    if let embed = try embed(of: post) { members.append(("embed", embed)) }
    return .object(members)
  }

  /// The record of a like, a repost or a follow.
  func link(_ collection: String, to subject: JSON, at time: Timestamp) -> JSON {
    ["$type": .string(collection), "subject": subject, "createdAt": .string(time.rfc3339)]
  }

  /// Addresses of what a post answers, and of what began the conversation. Either may be gone.
  private func reply(of post: Post) throws(ToolError) -> (root: String, parent: String)? {
    guard let id = post.replyTo, let author = post.replyToAuthor else { return nil }
    let parent = try store.post(id).map { (post) throws(ToolError) in try uri(of: post) }
    let gone = BlueskyName.uri(author, BlueskyName.post, TimedID.key(id))
    let root = try store.post(post.conversationID).map { (post) throws(ToolError) in try uri(of: post) }
    return (root ?? parent ?? gone, parent ?? gone)
  }

  // MARK: Text

  /// Characters of a post (the lexicon app.bsky.feed.post).
  static let longestText = 300

  /// A text with full names and links, and what is in it. One that is too long is cut.
  private func text(_ stored: String) throws -> (text: String, facets: [JSON]) {
    let scalars = Array(stored.unicodeScalars)
    func plain(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
    var (text, copied) = ("", 0)
    var facets: [(start: Int, end: Int, JSON)] = []
    for part in TextPart.find(in: stored) {
      let shown: String
      let feature: JSON.Members
      switch part.kind {
      case .mention:
        guard let account = try store.account(named: part.value) else { continue }
        let handle = BlueskyName.handle(account.username)
        shown = handle == BlueskyName.noHandle ? plain(part.range) : "@" + handle
        feature = [
          ("$type", "app.bsky.richtext.facet#mention"), ("did", .string(BlueskyName.did(account.id))),
        ]
      case .hashtag:
        shown = plain(part.range)
        feature = [("$type", "app.bsky.richtext.facet#tag"), ("tag", .string(part.value))]
      case .url:
        shown = reader.site.resolved(part.value)
        feature = [("$type", "app.bsky.richtext.facet#link"), ("uri", .string(shown))]
      case .cashtag, .list: continue
      }
      text += plain(copied..<part.range.lowerBound)
      let start = text.utf8.count
      text += shown
      copied = part.range.upperBound
      let index: JSON = ["byteStart": .number(start), "byteEnd": .number(text.utf8.count)]
      facets.append((start, text.utf8.count, ["index": index, "features": [.object(feature)]]))
    }
    text += plain(copied..<scalars.count)
    if text.count > Self.longestText {
      let kept = text.prefix(Self.longestText - 1)
      facets.removeAll { $0.end > kept.utf8.count }
      text = kept + "…"
    }
    return (text, facets.map(\.2))
  }

  // MARK: Embeds

  /// More pictures are a gallery (the lexicons app.bsky.embed.images and app.bsky.embed.gallery).
  static let mostImages = 4

  /// The part of a record that names pictures and a quoted post.
  private func embed(of post: Post) throws -> JSON? {
    let images = try reader.media(of: post).filter { $0.video == nil }.map { media in
      let file = try store.media(media.number)
      // A picture of the demo is drawn for each request, and has no compression.
      let blob: JSON = [
        "$type": "blob", "ref": ["$link": .string(try BlueskyName.cid(Array(media.path.utf8)))],
        "mimeType": .string(file?.type ?? "image/png"), "size": .number(file?.size ?? media.width * media.height * 3),
      ]
      return [("image", blob), ("alt", .string(media.altText)), ("aspectRatio", Self.ratio(media))] as JSON.Members
    }
    return try Self.embed(images, try post.quoteOf.flatMap(store.post).map { try reference(uri(of: $0)) })
  }

  private static func ratio(_ media: PostMedia) -> JSON {
    ["width": .number(max(1, media.width)), "height": .number(max(1, media.height))]
  }

  /// - Parameters:
  ///   - quote: the reference of a record, or the view of one.
  ///   - suffix: `#view` for a view.
  private static func embed(_ images: [JSON.Members], _ quote: JSON?, suffix: String = "") throws -> JSON? {
    func typed(_ kind: String, _ members: JSON.Members) -> JSON {
      .object([("$type", .string("app.bsky.embed.\(kind)\(suffix)"))] + members)
    }
    let isGallery = images.count > mostImages
    let item = JSON.string("app.bsky.embed.gallery#\(suffix.isEmpty ? "image" : "viewImage")")
    let items = images.map { JSON.object((isGallery ? [("$type", item)] : []) + $0) }
    let pictures =
      images.isEmpty
      ? nil : isGallery ? typed("gallery", [("items", .array(items))]) : typed("images", [("images", .array(items))])
    let record = quote.map { typed("record", [("record", $0)]) }
    switch (pictures, record) {
    case (let pictures?, let record?): return typed("recordWithMedia", [("record", record), ("media", pictures)])
    default: return pictures ?? record
    }
  }

  private func embedView(of post: Post, depth: Int) throws -> JSON? {
    let media = try reader.media(of: post)
    let images = media.map { file in
      let address = JSON.string(reader.site.pictureAddress(of: file))
      let members: JSON.Members = [
        (media.count > Self.mostImages ? "thumbnail" : "thumb", address), ("fullsize", address),
        ("alt", .string(file.altText)), ("aspectRatio", Self.ratio(file)),
      ]
      return members
    }
    var quote: JSON?
    if let id = post.quoteOf, depth == 0 {
      quote = try store.post(id).map { try quoted($0) } ?? gone(id, "app.bsky.embed.record#viewNotFound")
    }
    return try Self.embed(images, quote, suffix: "#view")
  }

  private func quoted(_ post: Post) throws -> JSON {
    let uri = try uri(of: post)
    var members: JSON.Members = [
      ("$type", "app.bsky.embed.record#viewRecord"), ("uri", .string(uri)),
      ("cid", .string(try BlueskyName.cid(uri))),
      ("author", try profile(reader.author(of: post))), ("value", try record(of: post)),
      ("indexedAt", .string(post.createdAt.rfc3339)),
    ]
    if let embed = try embedView(of: post, depth: 1) { members.append(("embeds", .array([embed]))) }
    return .object(members)
  }

  private func gone(_ id: Int, _ type: String) -> JSON {
    // Whose it was is not known any more.
    ["$type": .string(type), "uri": .string(BlueskyName.uri(0, BlueskyName.post, TimedID.key(id))), "notFound": true]
  }

  // MARK: Views

  /// A post that is not a repost.
  func post(_ post: Post) throws -> JSON {
    let uri = try uri(of: post)
    var members: JSON.Members = [
      ("$type", "app.bsky.feed.defs#postView"), ("uri", .string(uri)),
      ("cid", .string(try BlueskyName.cid(uri))), ("author", try profile(reader.author(of: post))),
      ("record", try record(of: post)), ("replyCount", .number(post.counts.replies)),
      ("repostCount", .number(post.counts.retweets)), ("likeCount", .number(post.counts.likes)),
      ("quoteCount", .number(post.counts.quotes)), ("bookmarkCount", .number(try store.bookmarkCount(of: post.id))),
      ("indexedAt", .string(post.createdAt.rfc3339)), ("labels", []),
    ]
    if let embed = try embedView(of: post, depth: 0) { members.append(("embed", embed)) }
    if let viewer {
      var marks: JSON.Members = [("bookmarked", .bool(try store.hasBookmark(of: post.id, by: viewer.id)))]
      if let number = try store.number(of: .likes, to: post.id, by: viewer.id) {
        marks.append(("like", .string(try self.uri(BlueskyName.like, number, of: viewer.id))))
      }
      if let own = try store.retweet(of: post.id, by: viewer.id) {
        marks.append(("repost", .string(try self.uri(of: own))))
      }
      members.append(("viewer", .object(marks)))
    }
    return .object(members)
  }

  /// An item of a feed: a repost is its original, with the reason why it is there.
  func item(_ post: Post) throws -> JSON {
    guard let original = try reader.original(of: post) else { return ["post": try self.post(post)] }
    let uri = try uri(of: post)
    let reason: JSON = [
      "$type": "app.bsky.feed.defs#reasonRepost", "by": try profile(reader.author(of: post)), "uri": .string(uri),
      "cid": .string(try BlueskyName.cid(uri)), "indexedAt": .string(post.createdAt.rfc3339),
    ]
    return ["post": try self.post(original), "reason": reason]
  }

  /// A thread, with what a post answers and what answers it.
  /// - Parameter posts: those of the conversation.
  func thread(_ post: Post, among posts: [Post], depth: Int, height: Int) throws -> JSON {
    var members: JSON.Members = [
      ("$type", "app.bsky.feed.defs#threadViewPost"), ("post", try self.post(post)),
    ]
    if height > 0, let id = post.replyTo {
      let parent = try store.post(id).map { try thread($0, among: posts, depth: -1, height: height - 1) }
      members.append(("parent", parent ?? gone(id, "app.bsky.feed.defs#notFoundPost")))
    }
    if depth > 0 {
      let replies = try posts.filter { $0.replyTo == post.id }
        .map { try thread($0, among: posts, depth: depth - 1, height: 0) }
      members.append(("replies", .array(replies)))
    }
    return .object(members)
  }

  // MARK: Accounts

  /// - Parameter isDetailed: whether the answer is about accounts, not about what they have written.
  func profile(_ account: LocalAccount, isDetailed: Bool = false) throws -> JSON {
    var members: JSON.Members = [
      ("did", .string(BlueskyName.did(account.id))), ("handle", .string(BlueskyName.handle(account.username))),
      ("displayName", .string(String(account.name.prefix(64)))), ("avatar", .string(reader.site.portrait(of: account))),
      ("createdAt", .string(account.createdAt.rfc3339)), ("labels", []),
    ]
    if isDetailed {
      let counts = try store.followCounts(of: account)
      members += [
        ("description", .string(String(try text(account.description).text.prefix(256)))),
        ("indexedAt", .string(account.createdAt.rfc3339)), ("followersCount", .number(counts.followers)),
        ("followsCount", .number(counts.following)), ("postsCount", .number(try store.postCount(of: account))),
      ]
    }
    if let viewer, viewer.id != account.id {
      var marks: JSON.Members = [("muted", false), ("blockedBy", false)]
      for (name, follower, followed) in [("following", viewer, account), ("followedBy", account, viewer)] {
        guard let number = try store.number(of: .following, to: followed.id, by: follower.id) else { continue }
        marks.append((name, .string(try uri(BlueskyName.follow, number, of: follower.id))))
      }
      members.append(("viewer", .object(marks)))
    }
    return .object(members)
  }

  // MARK: Notifications

  static func reason(of notice: PostNotice) -> String {
    switch notice {
    case .reply: "reply"
    case .mention: "mention"
    case .quote: "quote"
    case .repost: "repost"
    }
  }

  func notification(_ notice: PostNotice, of post: Post) throws -> JSON {
    let uri = try uri(of: post)
    var members: JSON.Members = [
      ("uri", .string(uri)), ("cid", .string(try BlueskyName.cid(uri))),
      ("author", try profile(reader.author(of: post), isDetailed: false)), ("reason", .string(Self.reason(of: notice))),
      ("record", try record(of: post)), ("isRead", false), ("indexedAt", .string(post.createdAt.rfc3339)),
      ("labels", []),
    ]
    if let subject = post.retweetOf ?? post.quoteOf ?? post.replyTo, let target = try store.post(subject) {
      members.append(("reasonSubject", .string(try self.uri(of: target))))
    }
    return .object(members)
  }
}
