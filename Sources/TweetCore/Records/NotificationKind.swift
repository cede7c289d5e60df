/// What somebody did that an account is told of: the member `kind` of a `notification` record (tweet(5)).
package enum NotificationKind: String, CaseIterable, Sendable {
  case like, repost, follow
  case followRequest = "follow_request"
  case mention, reply, quote
  /// A poll has ended in which the account voted, or which is its own.
  case poll
  /// Somebody has posted whose posts the account wants to be told of.
  case post
  /// A post was edited which the account has reposted or quoted.
  case edit
  /// An emoji was put under a post of the account's.
  case reaction
  /// What a service has beside these; the member `type` says what.
  case other
}

/// The parts of a `notification` record that are copies: of the tweet that it is about, and of who did something. They
/// have as much as one line shows, and whether everybody may see it; the records of the two have all.
extension ByteBuffer {
  /// Appends the value of `tweet`.
  /// - Parameter tweet: a `tweet` record.
  package mutating func appendNotified(tweet: JSONValue) {
    object { out in
      for (key, value) in tweet.members {
        if key.equals("author") {
          out.object("author") { $0.appendMembers(of: value, in: Self.authorKeys) }
        } else if key.equals("extra") {
          out.object("extra") { $0.appendMembers(of: value, in: Self.extraKeys) }
        } else if Self.tweetKeys.contains(where: { key.equals($0) }) {
          out.key(key)
          out.append(value)
        }
      }
    }
  }

  /// Appends the value of `user`.
  /// - Parameter profile: a `user` record, or the author of a tweet.
  package mutating func appendNotifier(_ profile: JSONValue) {
    object { $0.appendMembers(of: profile, in: Self.userKeys) }
  }

  private static let tweetKeys: [StaticString] = [
    "id", "service", "url", "created_at", "text", "possibly_sensitive", "author_id", "withheld",
  ]
  private static let authorKeys: [StaticString] = ["id", "username", "name", "protected"]
  private static let extraKeys: [StaticString] = ["visibility", "spoiler_text"]
  private static let userKeys: [StaticString] = ["id", "username", "name", "profile_image_url", "avatar"]

  private mutating func appendMembers(of object: JSONValue, in keys: [StaticString]) {
    for (key, value) in object.members where keys.contains(where: { key.equals($0) }) {
      self.key(key)
      append(value)
    }
  }
}
