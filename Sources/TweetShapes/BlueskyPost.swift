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
    (self.address, self.record, around, author) = (address, record, event, nil)
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
    out.append(",\"id\":\"")
    out.append(post.address.bytes)
    out.append("\"")
    if type == nil { out.append(",\"service\":\"bluesky\"") }
    out.appendBlueskyLink(post.address, handle: post.author?["handle"])
    out.append(",\"created_at\":", blueskyTime: record["createdAt"], indexedAt: post.indexedAt)
    out.append(",\"text\":")
    out.append(text.raw)
    let langs = record["langs"]
    out.append(",\"lang\":", langs?.elements.first { $0.isString })
    let root = record["reply"]?["root"]?["uri"]
    if root?.isPostAddress ?? false { out.append(",\"conversation_id\":", root) }
    if post.isSensitive { out.append(",\"possibly_sensitive\":true") }
    appendBlueskyAuthor(of: post.address, post.author, to: &out)
    appendBlueskyCounts(post.around, to: &out)
    appendBlueskyViewer(post.around["viewer"], to: &out)
    appendBlueskyEntities(of: post, embed, prefix: 0, repostOf: nil, to: &out)
    embed.appendMedia(to: &out)
    let parent = item?["reply"]?["parent"] ?? record["reply"]?["parent"]
    appendBlueskyReply(to: parent, out: &out)
    let keyStart = out.count
    out.append(",\"referenced_tweets\":")
    let start = out.count
    if let quoted = embed.quoted {
      if let reason = appendBlueskyReference(quoted, "quoted", depth: depth, to: &out) {
        return reason
      }
    }
    if let parent {
      if let reason = appendBlueskyReference(parent, "replied_to", depth: depth, to: &out) {
        return reason
      }
    }
    out.closeArray(from: start, keyStart: keyStart)
    if type == nil {
      out.append(context.feeds)
      out.append(context.retrieved)
    }
    appendBlueskyExtra(of: post, embed, langs: langs, item: item, to: &out)
    return nil
  }

  /// Appends a post that another refers to. One that the document does not have, or that is too deep, gets only its id.
  mutating func appendBlueskyReference(
    _ view: JSONValue, _ type: StaticString, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    guard let address = BlueskyAddress(view["uri"]), address.isPost else { return nil }
    out.append(",{\"type\":\"")
    out.append(type)
    out.append("\"")
    if depth < Self.maximumNesting, let post = BlueskyPost(view),
      post.record["text"]?.isString ?? false
    {
      if let reason = appendBluesky(post, type: type, item: nil, depth: depth + 1, to: &out) {
        return reason
      }
    } else {
      out.append(",\"id\":\"")
      out.append(address.bytes)
      out.append("\"")
    }
    out.append("}")
    return nil
  }

  /// Appends `,"author_id":…,"author":{…}`, with the profile when the document has it.
  mutating func appendBlueskyAuthor(of address: BlueskyAddress, _ profile: JSONValue?, to out: inout ByteBuffer) {
    out.append(",\"author_id\":\"")
    out.append(Array(address.did))
    out.append("\",\"author\":")
    if let profile, let did = profile["did"], did.isString, !did.isBlank {
      appendBluesky(profile: profile, to: &out)
    } else if !appendRepositoryOwner(address.did, to: &out) {
      out.append("{\"id\":\"")
      out.append(Array(address.did))
      out.append("\"}")
    }
  }

  private func appendBlueskyCounts(_ view: JSONValue, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"retweet_count\":", count: view["repostCount"])
    out.append(",\"reply_count\":", count: view["replyCount"])
    out.append(",\"like_count\":", count: view["likeCount"])
    out.append(",\"quote_count\":", count: view["quoteCount"])
    out.append(",\"bookmark_count\":", count: view["bookmarkCount"])
    out.closeObject(from: start, keyStart: keyStart)
  }

  /// Appends `,"viewer":{…}`. The AppView has the addresses of the viewer's like and repost; without one there is none.
  private func appendBlueskyViewer(_ viewer: JSONValue?, to out: inout ByteBuffer) {
    guard let viewer, viewer.isObject else { return }
    out.append(",\"viewer\":")
    let start = out.count
    out.append(context.account)
    out.append(viewer["like"] != nil ? ",\"liked\":true" : ",\"liked\":false")
    out.append(viewer["repost"] != nil ? ",\"retweeted\":true" : ",\"retweeted\":false")
    out.endObject(from: start)
  }

  private func appendBlueskyReply(to parent: JSONValue?, out: inout ByteBuffer) {
    guard let parent, let address = BlueskyAddress(parent["uri"]), address.isPost else { return }
    out.append(",\"in_reply_to_user_id\":\"")
    out.append(Array(address.did))
    out.append("\"")
    guard let author = parent["author"], let handle = author["handle"], !handle.isBlank else {
      return
    }
    out.append(",\"in_reply_to_user\":{\"id\":\"")
    out.append(Array(address.did))
    out.append("\",\"username\":", handle)
    out.append(",\"name\":", author["displayName"])
    out.append("}")
  }

  /// Appends `,"extra":{…}`, what v2 has no key for: of the view, of the feed item, and under `record` of the record.
  private func appendBlueskyExtra(
    of post: BlueskyPost, _ embed: BlueskyEmbed, langs: JSONValue?, item: JSONValue?,
    to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"extra\":")
    let start = out.count
    out.appendMembers(of: post.around, except: blueskyViewNames)
    if !embed.isMapped { embed.appendWhole(to: &out) }
    if let item {
      out.appendMembers(of: item, except: ["post", "reply", "parent", "replies", "$type"])
    }
    if let root = item?["reply"]?["root"], root["record"] != nil,
      root["uri"]?.rawText != item?["reply"]?["parent"]?["uri"]?.rawText
    {
      out.append(",\"root\":", root)
    }
    let recordKeyStart = out.count
    out.append(",\"record\":")
    let recordStart = out.count
    if langs?.elements.dropFirst().first(where: { _ in true }) != nil {
      out.append(",\"langs\":", langs)
    }
    out.appendMembers(of: post.record, except: blueskyRecordNames)
    out.closeObject(from: recordStart, keyStart: recordKeyStart)
    out.closeObject(from: start, keyStart: keyStart)
  }
}

extension BlueskyPost {
  /// Whether a moderator or the author labelled it with one of ``sensitiveLabels``.
  fileprivate var isSensitive: Bool {
    for list in [around["labels"], record["labels"]?["values"]] {
      guard let list, list.isArray else { continue }
      for label in list.elements where label["neg"]?.bool != true {
        if sensitiveLabels.contains(where: { label["val"]?.equals($0) ?? false }) { return true }
      }
    }
    return false
  }
}

extension ByteBuffer {
  /// Appends a key and a time. Times without an offset, which old clients wrote, are in UTC.
  mutating func append(_ key: StaticString, blueskyTime value: JSONValue?, indexedAt: Timestamp? = nil) {
    guard let made = value.flatMap({ Timestamp(bluesky: $0) }) else {
      // What is no time keeps its bytes if nothing better is known.
      return indexedAt.map { append(key, $0) } ?? append(key, time: value)
    }
    if made.isPlausible(indexedAt: indexedAt) {
      append(key, made)
    } else if let indexedAt {
      append(key, indexedAt)
    }
  }

  private mutating func append(_ key: StaticString, _ time: Timestamp) {
    append(key)
    append("\"")
    append(time)
    append("\"")
  }
}

extension Timestamp {
  /// A time as Bluesky's programs write it: in the form of the services, or without a zone, which is UTC.
  fileprivate init?(bluesky value: JSONValue) {
    guard value.isString else { return nil }
    guard let time = Timestamp(ascii: value.rawString) ?? Timestamp(parsing: (value.string ?? "") + "Z") else {
      return nil
    }
    self = time
  }

  /// Milliseconds that an author's clock may be ahead.
  private static let fastest: Int64 = 86_400_000

  /// Whether a post can have been made then, which its author's program says and nobody checks: not before 1970, which is an
  /// empty time of some program, nor a day and more after the service has seen it.
  fileprivate func isPlausible(indexedAt: Timestamp?) -> Bool {
    milliseconds >= 0 && indexedAt.map { milliseconds <= $0.milliseconds + Self.fastest } ?? true
  }
}

/// The labels for which Bluesky hides pictures or posts (the global values of its moderation service).
private let sensitiveLabels: [StaticString] = ["porn", "sexual", "nudity", "graphic-media", "gore"]

private let blueskyViewNames: [StaticString] = [
  "$type", "uri", "author", "record", "value", "embed", "embeds", "replyCount", "repostCount",
  "likeCount",
  "quoteCount", "bookmarkCount", "did", "collection", "rkey", "operation", "action",
]

private let blueskyRecordNames: [StaticString] = [
  "$type", "text", "createdAt", "langs", "facets", "reply", "embed", "tags",
]
