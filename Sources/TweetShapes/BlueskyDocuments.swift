import TweetCore

/// The kinds of lists in answers of Bluesky's AppView.
enum BlueskyList {
  case posts, feed, notifications, users, bookmarks
}

/// Documents of Bluesky that have posts in them: the AppView's lists, feeds and threads, and the events of Jetstream
/// and Tap.
extension TweetMapper {
  /// Appends one post view, or a record with its address, as a record line.
  mutating func mapBluesky(post view: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let post = BlueskyPost(view) else { return "a post without its record" }
    return mapBluesky(post, item: nil, into: &out)
  }

  private mutating func mapBluesky(
    _ post: BlueskyPost, item: JSONValue?, into out: inout ByteBuffer
  ) -> String? {
    out.record("tweet") { out in appendBluesky(post, type: nil, item: item, depth: 0, to: &out) }
  }

  /// Appends the posts, notifications or profiles of a list. Other elements of a list of posts (likes, follows) are
  /// skipped.
  mutating func mapBluesky(list: JSONValue, of kind: BlueskyList, into out: inout ByteBuffer)
    -> String?
  {
    var others = LeftOutLists()
    let reason = mapEach(of: list, into: &out) { mapper, element, out in
      if RecordMark(element) != .none { return Self.forged }
      if kind == .posts, let other = BlueskyAddress(element["uri"]), !other.isPost {
        others.add(String(decoding: other.collection, as: UTF8.self))
        return nil
      }
      return switch kind {
      case .notifications: mapper.mapBluesky(notification: element, into: &out)
      case .posts:
        mapper.appendBlueskyHole(element, to: &out) || element["uri"]?.isPostAddress != true
          ? nil : mapper.mapBluesky(post: element, into: &out)
      case .bookmarks: element["item"].flatMap { mapper.mapBluesky(threadPost: $0, of: $0, into: &out) }
      case .feed: mapper.mapBluesky(item: element, into: &out)
      case .users: mapper.mapBluesky(profile: element, into: &out)
      }
    }
    others.append(service: Array("bluesky".utf8), to: &out)
    return reason
  }

  /// Appends one item of a feed: a post, or a repost of it.
  ///
  /// The id of a repost is the address of its own record. When the server does not send that, the post alone is
  /// appended, and who reposted it is under `extra`.
  mutating func mapBluesky(item: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let view = item["post"], let post = BlueskyPost(view) else {
      return "a feed item without a post"
    }
    if item["replies"] ?? item["parent"] != nil { return mapBluesky(thread: item, into: &out) }
    guard let reason = item["reason"], let by = reason["by"],
      let address = BlueskyAddress(reason["uri"])
    else {
      return mapBluesky(post, item: item, into: &out)
    }
    guard let name = post.author?["handle"], name.isString, let text = post.record["text"],
      text.isString
    else {
      return "a reposted post without text or author"
    }
    return out.record("tweet") { out in
      out.string("id") { $0.append(address.bytes) }
      out.member("service", "bluesky")
      out.appendBlueskyLink(post.address, handle: name)
      out.member("created_at", blueskyTime: reason["indexedAt"])
      out.string("text") { out in
        out.append("RT @")
        out.append(knownInside: name.rawString)
        out.append(": ")
        out.append(knownInside: text.rawString)
      }
      out.member("lang", post.record["langs"]?.elements.first { $0.isString })
      appendBlueskyAuthor(of: address, by, to: &out)
      let embed = post.embed
      appendBlueskyEntities(
        of: post, embed, prefix: 6 + name.rawString.scalarCount, repostOf: post.author, to: &out)
      embed.appendMedia(to: &out)
      let fault = out.array("referenced_tweets") { out in
        appendBlueskyReference(view, "retweeted", depth: 0, to: &out)
      }
      out.append(context.feeds)
      out.append(context.retrieved)
      out.object("extra") { $0.member("reason", reason) }
      return fault
    }
  }

  /// Appends a thread's posts: from its root down to the one that was asked for, then the replies, each followed by its
  /// own replies. A post that is blocked or gone gets a notice.
  mutating func mapBluesky(thread: JSONValue, into out: inout ByteBuffer) -> String? {
    var parents: [JSONValue] = []
    var parent = thread["parent"]
    while let next = parent {
      parents.append(next)
      parent = next["parent"]
    }
    // A stack of our own, because a hostile thread may be very deep.
    var due = [thread]
    for parent in parents.reversed() {
      if let reason = mapBluesky(threadPost: parent, into: &out) { return reason }
    }
    while let view = due.popLast() {
      if let reason = mapBluesky(threadPost: view, into: &out) { return reason }
      guard let replies = view["replies"], replies.isArray else { continue }
      due.append(contentsOf: Array(replies.elements).reversed())
    }
    return nil
  }

  private mutating func mapBluesky(threadPost view: JSONValue, into out: inout ByteBuffer) -> String? {
    mapBluesky(threadPost: view, of: view["post"], into: &out)
  }

  /// Appends a post, or a notice that it is not there.
  private mutating func mapBluesky(threadPost view: JSONValue, of post: JSONValue?, into out: inout ByteBuffer)
    -> String?
  {
    if appendBlueskyHole(view, to: &out) { return nil }
    guard let post, post["uri"]?.isPostAddress ?? false else { return nil }
    return mapBluesky(post: post, into: &out)
  }

  // MARK: Events

  /// Appends the record of an event of the first Jetstream. Its commits are of all collections; only posts, and
  /// deletions of posts and reposts, have a record.
  mutating func mapJetstream(_ event: JSONValue, did: JSONValue, into out: inout ByteBuffer)
    -> String?
  {
    if let account = event["account"] { return mapBluesky(account: account, into: &out) }
    guard let commit = event["commit"] else { return nil }
    return mapBluesky(commit: commit, did: did, at: Self.time(of: event), into: &out)
  }

  /// Appends the record of an event of Tap or of the second Jetstream, which have the parts of a commit at their top
  /// level.
  mutating func mapBluesky(event: JSONValue, into out: inout ByteBuffer) -> String? {
    if let account = event["account"] { return mapBluesky(account: account, into: &out) }
    return mapBluesky(commit: event, did: event["did"], at: Self.time(of: event), into: &out)
  }

  /// When Jetstream saw the event, in microseconds since 1970 or as text; `nil` if it does not say.
  private static func time(of event: JSONValue) -> Timestamp? {
    guard let microseconds = event["time_us"]?.looseInteger, microseconds > 0 else {
      return event["time"].flatMap { $0.isString ? Timestamp(ascii: $0.rawString) : nil }
    }
    // What is not a time of a record is none of an event either.
    return Timestamp(parsing: Timestamp(milliseconds: Int64(microseconds / 1000)).rfc3339)
  }

  private mutating func mapBluesky(
    commit: JSONValue, did: JSONValue?, at sent: Timestamp?, into out: inout ByteBuffer
  ) -> String? {
    guard let collection = commit["collection"] else { return nil }
    let isPost = collection.equals("app.bsky.feed.post")
    guard isPost || collection.equals("app.bsky.feed.repost") else { return nil }
    let isDeletion = (commit["operation"] ?? commit["action"])?.equals("delete") ?? false
    guard isPost || isDeletion else { return nil }
    guard let address = BlueskyAddress(did: did, collection: collection, key: commit["rkey"]) else {
      return "an event without the address of its record"
    }
    if isDeletion {
      out.record("delete") { out in
        out.member("service", "bluesky")
        out.string("id") { $0.append(address.bytes) }
        out.string("user_id") { $0.append(Array(address.did)) }
      }
      return nil
    }
    guard let record = commit["record"], record.isObject else { return "a post without its record" }
    return mapBluesky(BlueskyPost(address, record: record, event: commit, at: sent), item: nil, into: &out)
  }

  /// Appends a notice when an account is not active any more: its posts cannot be seen then.
  private func mapBluesky(account: JSONValue, into out: inout ByteBuffer) -> String? {
    guard account["active"]?.bool == false, let did = account["did"], did.isString else {
      return nil
    }
    let message = "the account \(did.string ?? "") is \(account["status"]?.string ?? "not active")"
    out.notice("info", "account", message, service: Array("bluesky".utf8)) { out in
      out.member("user_id", did)
      out.member("status", account["status"])
      out.member("at", time: account["time"])
    }
    return nil
  }
}
