/// Tweets that are stored and passed on, and not shown.
package struct HiddenTweets: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case retweets, replies

    /// The type of the reference that makes a tweet one of them.
    fileprivate var reference: StaticString { self == .retweets ? "retweeted" : "replied_to" }
  }

  package let mute: MuteList?
  package let kinds: [Kind]

  package init(mute: MuteList?, kinds: [Kind]) { (self.mute, self.kinds) = (mute, kinds) }

  package var isEmpty: Bool { mute == nil && kinds.isEmpty }

  /// Whether a record is not shown. Records that are neither tweets nor notifications are.
  /// - Parameter muted: counts those that are muted.
  package func hides(_ record: JSONValue, _ muted: inout Int) -> Bool {
    guard !isEmpty, let type = record["tw"] else { return false }
    if type.equals("notification") {
      guard let mute, mute.mutes(notification: record) else { return false }
      muted += 1
      return true
    }
    guard type.equals("tweet") else { return false }
    let references = record["referenced_tweets"]
    for kind in kinds {
      if references?.elements.contains(where: { $0["type"]?.equals(kind.reference) == true }) == true { return true }
    }
    guard let mute, mute.mutes(record) else { return false }
    muted += 1
    return true
  }
}
