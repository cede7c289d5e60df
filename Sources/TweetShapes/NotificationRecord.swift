import TweetCore

/// What a service says of a notification, beside the tweet that it is about and who caused it.
struct NotificationHead {
  /// The inside of a JSON string.
  let id: [UInt8]
  let kind: NotificationKind
  /// The service's own word for the kind.
  let type: JSONValue
  let time: Timestamp
  /// `,"account":"…"`, whom it tells, or nothing.
  let account: [UInt8]
  /// Whether the account has read it, if the service says so.
  var isRead: Bool?
  /// The tweet that it is about, if the document has no more of it than its id: the inside of a JSON string.
  var tweetID: [UInt8]?
}

extension TweetMapper {
  /// Appends a `notification` record after the records of the tweet that it is about and of who caused it.
  /// - Parameters:
  ///   - start: where in the output these records begin; each of them may be missing.
  ///   - more: appends the members of `extra`.
  func appendNotification(
    _ head: NotificationHead, after start: Int, to out: inout ByteBuffer, _ more: (inout ByteBuffer) -> Void
  ) -> String? {
    var (tweet, user): (JSONDocument?, JSONDocument?)
    do throws(JSONFault) {
      for line in out.withBytes({ $0.dropFirst(start).split(separator: UInt8(ascii: "\n")).map(Array.init) }) {
        let record = try JSONDocument(line)
        if record["tw"]?.equals("tweet") == true { tweet = record } else { user = record }
      }
    } catch {
      return "the records of a notification: \(error.reason)"
    }
    guard let service = (tweet ?? user)?["service"], let profile = user ?? tweet?["author"] else {
      return "a notification without an account that caused it"
    }
    out.record("notification") { out in
      service.read { out.member("service", $0) }
      out.append(head.account)
      out.member("id", inside: head.id)
      out.member("kind", head.kind.rawValue)
      out.member("type", head.type)
      out.member("at", head.time)
      if let isRead = head.isRead { out.member("read", isRead) }
      out.key("user")
      profile.read { out.appendNotifier($0) }
      if let tweet {
        out.key("tweet")
        tweet.read { out.appendNotified(tweet: $0) }
      } else if let id = head.tweetID {
        out.object("tweet") { $0.member("id", inside: id) }
      }
      out.append(context.retrieved)
      out.object("extra") { more(&$0) }
    }
    return nil
  }
}

extension JSONValue {
  /// Its time, if it is one of a form that the services write.
  var notificationTime: Timestamp? { isString ? Timestamp(ascii: rawString) : nil }
}
