import TweetCore

/// Notifications of Bluesky's AppView (`app.bsky.notification.listNotifications`).
extension TweetMapper {
  /// Appends the post that a notification is about, if the document has it, else the account that caused it, and the
  /// notification.
  ///
  /// Its id is the address of the record that caused it, and the reason: one post can be both an answer and a quote.
  mutating func mapBluesky(notification: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let uri = notification["uri"], let address = BlueskyAddress(uri), let reason = notification["reason"],
      reason.isString, !reason.isBlank
    else { return "a notification without the address of its record" }
    guard let time = notification["indexedAt"]?.notificationTime else { return "a notification without a time" }
    guard let author = notification["author"], author.isObject else {
      return "a notification without an account that caused it"
    }
    let start = out.count
    let fault =
      address.isPost ? mapBluesky(post: notification, into: &out) : mapBluesky(profile: author, into: &out)
    if let fault { return fault }
    let head = NotificationHead(
      id: address.bytes + [UInt8(ascii: "#")] + Array(reason.rawString), kind: Self.kind(reason), type: reason,
      time: time, account: context.account, isRead: notification["isRead"]?.bool, tweetID: Self.subject(notification))
    return appendNotification(head, after: start, to: &out) {
      $0.appendMembers(
        of: notification,
        except: ["$type", "uri", "cid", "reason", "author", "indexedAt", "isRead", "record", "labels"])
    }
  }

  private static func kind(_ reason: JSONValue) -> NotificationKind {
    switch reason.string {
    case "like", "like-via-repost": .like
    case "repost", "repost-via-repost": .repost
    case "follow": .follow
    case "mention": .mention
    case "reply": .reply
    case "quote": .quote
    case "subscribed-post": .post
    default: .other
    }
  }

  /// The post that somebody liked or reposted, which a notification has only the address of.
  private static func subject(_ notification: JSONValue) -> [UInt8]? {
    // What is liked through a repost is the repost, but the like names the post.
    for address in [notification["record"]?["subject"]?["uri"], notification["reasonSubject"]] {
      if let address = BlueskyAddress(address), address.isPost { return Array(address.bytes) }
    }
    return nil
  }
}
