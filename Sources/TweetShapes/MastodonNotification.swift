import TweetCore

/// Notifications of Mastodon's API.
extension TweetMapper {
  /// Appends the status that a notification is about, the account that caused it unless that wrote the status, and the
  /// notification.
  mutating func mapMastodon(
    notification: JSONValue, status: JSONValue?, of account: JSONValue, into out: inout ByteBuffer
  ) -> String? {
    guard let type = notification["type"], let id = notification["id"], !id.isBlank, !id.isObject, !id.isArray else {
      return "a notification without an id"
    }
    guard let time = notification["created_at"]?.notificationTime else { return "a notification without a time" }
    let start = out.count
    if let reason = mapMastodon(status: status, of: account, into: &out) { return reason }
    let kind = Self.kind(type)
    let head = NotificationHead(
      id: id.isString ? Array(id.rawString) : Array(id.raw),
      kind: kind == .mention && answersReader(status) ? .reply : kind, type: type, time: time, account: context.account,
      isRead: notification["pleroma"]?["is_seen"]?.bool)
    return appendNotification(head, after: start, to: &out) {
      $0.appendMembers(of: notification, except: ["id", "type", "created_at", "account", "status"])
    }
  }

  private static func kind(_ type: JSONValue) -> NotificationKind {
    switch type.string {
    case "favourite": .like
    case "reblog": .repost
    case "follow": .follow
    case "follow_request": .followRequest
    case "mention": .mention
    case "quote": .quote
    case "poll": .poll
    case "status": .post
    case "update", "quoted_update": .edit
    case "pleroma:emoji_reaction", "emoji_reaction", "reaction": .reaction
    default: .other
    }
  }

  /// Whether a status answers one of the account that is notified. Mastodon calls that a mention; the account is known
  /// by its name, if a context has one.
  private func answersReader(_ status: JSONValue?) -> Bool {
    guard let answered = status?["in_reply_to_account_id"], !answered.isBlank, let mentions = status?["mentions"],
      mentions.isArray
    else { return false }
    return mentions.elements.contains { mention in
      guard let id = mention["id"], id.raw.elementsEqual(answered.raw),
        let name = mention["acct"] ?? mention["username"]
      else { return false }
      return context.isAccount(name)
    }
  }
}
