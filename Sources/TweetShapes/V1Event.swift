import TweetCore

/// Events of X API v1.1's user streams: somebody has liked, retweeted or quoted a post, or followed a person.
extension TweetMapper {
  /// Appends what a user did to another: a notification, after the records of the post and of the user; a notice, and
  /// then the post, if it is none or the account itself did it.
  mutating func mapV1(event name: JSONValue, of document: JSONValue, into out: inout ByteBuffer) -> String? {
    if let head = notificationHead(of: name, document), let source = document["source"] {
      let start = out.count
      if let reason = mapV1(objectOf: document, into: &out) { return reason }
      let post = document["target_object"]
      let isAuthor = post?["user"]?.v1ID.map { $0.raw.elementsEqual(source.v1ID?.raw ?? .empty) } ?? false
      if !isAuthor || out.count == start, let reason = mapV1(user: source, into: &out) { return reason }
      return appendNotification(head, after: start, to: &out) { _ in }
    }
    let text = name.string ?? "event"
    let (source, target, object) = (document["source"], document["target"], document["target_object"])
    let actor = source?["screen_name"]?.string.map { "@" + $0 } ?? "somebody"
    out.notice("info", "event", "\(actor): \(text)", service: context.service) { out in
      out.member("event", name)
      out.member("source_id", asString: source?.v1ID)
      out.member("target_id", asString: target?.v1ID)
      out.member("target_object_id", asString: object?.v1ID)
      out.member("created_at", time: document["created_at"])
    }
    return mapV1(objectOf: document, into: &out)
  }

  /// Appends the post that something was done to, if it is one.
  private mutating func mapV1(objectOf document: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let object = document["target_object"], object["text"] ?? object["full_text"] != nil else { return nil }
    return mapV1(tweet: object, into: &out)
  }

  /// What a notification says of an event; `nil` for an event that is none. Events have no ids: one is made of what was
  /// done, by whom, to what and when.
  private func notificationHead(of name: JSONValue, _ document: JSONValue) -> NotificationHead? {
    let kind: NotificationKind
    switch name.string {
    case "favorite", "favorited_retweet": kind = .like
    case "retweeted_retweet": kind = .repost
    case "quoted_tweet": kind = .quote
    case "follow": kind = .follow
    default: return nil
    }
    guard let source = document["source"]?.v1ID, let target = document["target"], let targetID = target.v1ID,
      let time = document["created_at"]?.notificationTime, !source.raw.elementsEqual(targetID.raw)
    else { return nil }
    // The stream has also what its account did to others.
    if let own = document["source"]?["screen_name"], context.isAccount(own) { return nil }
    var account = context.account
    if let name = target["screen_name"], name.nonEmptyString != nil {
      var member = ByteBuffer(capacity: 64)
      member.member("account", name)
      account = member.array
    }
    var id = ByteBuffer(capacity: 64)
    id.append(name.rawString)
    for part in [source, document["target_object"]?.v1ID ?? targetID] {
      id.append("-")
      id.append(part.isString ? part.rawString : part.raw)
    }
    id.append("-\(time.milliseconds)")
    return NotificationHead(id: id.array, kind: kind, type: name, time: time, account: account)
  }
}
