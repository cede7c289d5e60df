import TweetStore

/// Which tweets a list has.
enum ListSource: Sendable {
  /// Those that a query finds, the newest first.
  case query(TweetQuery)
  /// What others did that accounts were told of, the newest first.
  case notifications(NotificationChoice)
  /// A tweet with what it answers and its answers, the oldest first; named `service:id`.
  case thread(String)
  /// Those of these keys, the newest first.
  case keys([Int])
}
