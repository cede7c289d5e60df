import TweetCore

/// One Bluesky post: its record, and what the AppView adds to it.
struct BlueskyPost {
  let address: BlueskyAddress
  let record: JSONValue
  /// The document around the record: a post view, a quoted post, an event.
  let around: JSONValue
  let author: JSONValue?
  /// When the service took note of it.
  let indexedAt: Timestamp?

  /// From a post view, the view of a quoted post, or a record with its address; `nil` for any other value.
  init?(_ view: JSONValue) {
    guard let address = BlueskyAddress(view["uri"]), address.isPost,
      let record = view["value"] ?? view["record"],
      record.isObject
    else { return nil }
    (self.address, self.record, around, author) = (address, record, view, view["author"])
    indexedAt = view["indexedAt"].flatMap { Timestamp(bluesky: $0) }
  }

  /// From an event, and the time when it was sent.
  init(_ address: BlueskyAddress, record: JSONValue, event: JSONValue, at time: Timestamp?) {
    // tw-stream puts the profile there, which the stream does not have.
    (self.address, self.record, around, author) = (address, record, event, event["author"])
    indexedAt = time
  }

  /// The embed of the view; that of the record when there is no view.
  var embed: BlueskyEmbed {
    BlueskyEmbed(
      around["embed"] ?? around["embeds"]?.elements.first { _ in true } ?? record["embed"],
      did: address.did)
  }
}

/// Bluesky's posts.
extension TweetMapper {
  /// Appends a post's members, each with a comma before it.
  /// - Parameters:
  ///   - type: how the post around it refers to it; `nil` for the outermost, which alone gets service and feeds.
  ///   - item: the feed item around the outermost, which has more of the post that it replies to.
  ///   - depth: how many posts are around it.
  mutating func appendBluesky(
    _ post: BlueskyPost, type: StaticString?, item: JSONValue?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    let record = post.record
    guard let text = record["text"], text.isString else { return "a post without text" }
    let embed = post.embed
    out.string("id") { $0.append(post.address.bytes) }
    if type == nil { out.member("service", "bluesky") }
    out.appendBlueskyLink(post.address, handle: post.author?["handle"])
    let isRead = out.member("created_at", blueskyTime: record["createdAt"], indexedAt: post.indexedAt)
    // Also an empty one.
    out.key("text")
    out.append(known: text)
    let langs = record["langs"]
    out.member("lang", langs?.elements.first { $0.isString })
    let root = record["reply"]?["root"]?["uri"]
    if root?.isPostAddress ?? false { out.member("conversation_id", root) }
    let marks = BlueskyMarks(post.around, author: post.author, record: record)
    if marks.isSensitive { out.member("possibly_sensitive", true) }
    appendBlueskyAuthor(of: post.address, post.author, to: &out)
    appendBlueskyCounts(post.around, to: &out)
    appendBlueskyViewer(post.around["viewer"], to: &out)
    appendBlueskyEntities(of: post, embed, prefix: 0, repostOf: nil, to: &out)
    embed.appendMedia(to: &out)
    let parent = item?["reply"]?["parent"] ?? record["reply"]?["parent"]
    appendBlueskyReply(to: parent, out: &out)
    let reason = out.array("referenced_tweets") { out in
      embed.quoted.flatMap { appendBlueskyReference($0, "quoted", depth: depth, to: &out) }
        ?? parent.flatMap { appendBlueskyReference($0, "replied_to", depth: depth, to: &out) }
    }
    if let reason { return reason }
    if type == nil {
      out.append(context.feeds)
      out.append(context.retrieved)
    }
    appendBlueskyExtra(of: post, embed, marks, langs: langs, item: item, isRead: isRead, to: &out)
    return nil
  }

  /// Appends a post that another refers to. One that the document does not have, that is too deep, or that is not to be
  /// shown, gets only its id.
  mutating func appendBlueskyReference(
    _ view: JSONValue, _ type: StaticString, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    guard let address = BlueskyAddress(view["uri"]), address.isPost else { return nil }
    return out.element { out in
      out.member("type", type)
      if depth < Self.maximumNesting, let post = BlueskyPost(view), post.record["text"]?.isString ?? false, !hides(view)
      {
        return appendBluesky(post, type: type, item: nil, depth: depth + 1, to: &out)
      }
      out.string("id") { $0.append(address.bytes) }
      return nil
    }
  }

  /// Appends `,"author_id":…,"author":{…}`, with the profile when the document has it.
  mutating func appendBlueskyAuthor(of address: BlueskyAddress, _ profile: JSONValue?, to out: inout ByteBuffer) {
    out.string("author_id") { $0.append(Array(address.did)) }
    out.key("author")
    if let profile, let did = profile["did"], did.isString, !did.isBlank {
      appendBluesky(profile: profile, to: &out)
    } else if !appendRepositoryOwner(address.did, to: &out) {
      out.object { $0.string("id") { $0.append(Array(address.did)) } }
    }
  }

  private func appendBlueskyCounts(_ view: JSONValue, to out: inout ByteBuffer) {
    out.object("public_metrics") { out in
      out.member("retweet_count", count: view["repostCount"])
      out.member("reply_count", count: view["replyCount"])
      out.member("like_count", count: view["likeCount"])
      out.member("quote_count", count: view["quoteCount"])
      out.member("bookmark_count", count: view["bookmarkCount"])
    }
  }

  /// Appends `,"viewer":{…}`. The AppView has the addresses of the viewer's like and repost; without one there is none.
  private func appendBlueskyViewer(_ viewer: JSONValue?, to out: inout ByteBuffer) {
    guard let viewer, viewer.isObject else { return }
    out.object("viewer") { out in
      out.append(context.account)
      out.member("liked", viewer["like"] != nil)
      out.member("retweeted", viewer["repost"] != nil)
      out.member("bookmarked", viewer["bookmarked"])
    }
  }

  private func appendBlueskyReply(to parent: JSONValue?, out: inout ByteBuffer) {
    guard let parent, let address = BlueskyAddress(parent["uri"]), address.isPost else { return }
    out.string("in_reply_to_user_id") { $0.append(Array(address.did)) }
    guard let author = parent["author"], let handle = author["handle"], !handle.isBlank else {
      return
    }
    out.object("in_reply_to_user") { out in
      out.string("id") { $0.append(Array(address.did)) }
      out.member("username", handle)
      out.member("name", author["displayName"])
    }
  }

  /// Appends `,"extra":{…}`, what v2 has no key for: of the view, of the feed item, and under `record` of the record.
  private func appendBlueskyExtra(
    of post: BlueskyPost, _ embed: BlueskyEmbed, _ marks: BlueskyMarks, langs: JSONValue?, item: JSONValue?,
    isRead: Bool, to out: inout ByteBuffer
  ) {
    let hidesQuote = hides(embed.quoted)
    out.object("extra") { out in
      out.appendMembers(of: post.around, except: blueskyViewNames)
      if let warning = marks.warning { out.member("spoiler_text", warning) }
      if !embed.isMapped, !hidesQuote { embed.appendWhole(to: &out) }
      if let state = embed.quoteState ?? (hidesQuote ? "hidden" : nil) {
        out.object("quote") { $0.member("state", state) }
      }
      if let item {
        out.appendMembers(
          of: item, except: ["post", "reply", "parent", "replies", "$type", CanonicalAddress.crosspost])
      }
      if let root = item?["reply"]?["root"], root["record"] != nil, !hides(root),
        root["uri"]?.rawText != item?["reply"]?["parent"]?["uri"]?.rawText
      {
        out.member("root", root)
      }
      out.object("record") { out in
        if langs?.elements.dropFirst().first(where: { _ in true }) != nil {
          out.member("langs", langs)
        }
        if !isRead { out.member("createdAt", post.record["createdAt"]) }
        out.appendMembers(of: post.record, except: blueskyRecordNames)
      }
    }
  }
}

extension ByteBuffer {
  /// Appends a key and a time. Times without an offset, which old clients wrote, are in UTC.
  /// - Returns: `false` when the value is not a time. Then ``indexedAt`` is appended, if it is known.
  @discardableResult
  mutating func member(_ name: StaticString, blueskyTime value: JSONValue?, indexedAt: Timestamp? = nil) -> Bool {
    let made = value.flatMap { Timestamp(bluesky: $0) }
    member(name, made?.isPlausible(indexedAt: indexedAt) ?? false ? made : indexedAt)
    return made != nil || value?.isBlank ?? true
  }
}

extension Timestamp {
  /// A time as Bluesky's programs write it: in the form of the services, or without a zone, which is UTC.
  fileprivate init?(bluesky value: JSONValue) {
    guard let time = Timestamp(of: value) ?? Timestamp(parsing: (value.string ?? "") + "Z") else { return nil }
    self = time
  }

  /// Milliseconds that an author's clock may be ahead.
  private static let fastest: Int64 = 86_400_000

  /// Whether a post can have been made then, which its author's program says and nobody checks: not before 1970, which
  /// is an empty time of some program, nor a day and more after the service has seen it.
  fileprivate func isPlausible(indexedAt: Timestamp?) -> Bool {
    milliseconds >= 0 && indexedAt.map { milliseconds <= $0.milliseconds + Self.fastest } ?? true
  }
}

private let blueskyViewNames: [StaticString] = [
  "$type", "uri", "author", "record", "value", "embed", "embeds", "replyCount", "repostCount",
  "likeCount",
  "quoteCount", "bookmarkCount", "did", "collection", "rkey", "operation", "action", "reason", "reasonSubject",
  "isRead", CanonicalAddress.crosspost,
]

private let blueskyRecordNames: [StaticString] = [
  "$type", "text", "createdAt", "langs", "facets", "reply", "embed", "tags",
]
