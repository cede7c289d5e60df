/// The shapes a document can have, by the names that `tw-parse --from` takes.
package enum TweetShape: String, CaseIterable, Sendable {
  /// The kit's own records.
  case records
  /// X API v2: pages, look-ups, stream lines, flattened tweets.
  case v2 = "x-v2"
  /// X API v1.1: tweets, pages, users, stream messages.
  case v1 = "x-v1"
  /// Gnip's activity streams.
  case gnip
  /// X's "Download your data".
  case archive = "x-archive"
  /// Mastodon and servers that speak its API.
  case mastodon
  /// Bluesky's views, records and streams.
  case bluesky
}
