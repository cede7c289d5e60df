import TweetCore

/// Follows the records of a poll round. Those about its progress are not printed: tw-cache refresh prints its own.
final class RoundProgress: AddObserver {
  /// The message of the last notice of a gap: posts that can no longer be fetched.
  private(set) var gap: String?

  func receiveTweet(isNew: Bool) {}

  func receive(_ type: JSONValue, _ record: JSONValue) -> Bool {
    guard type.equals("notice"), let code = record["code"] else {
      return type.equals("refresh") || type.equals("context") || type.equals("checkpoint")
    }
    if code.equals("gap") { gap = record["message"]?.string ?? gap }
    return code.equals("reconnect")
  }

  func commit() {}
}
