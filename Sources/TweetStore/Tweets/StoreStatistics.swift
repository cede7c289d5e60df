import Libc
import SQLite
package import TweetCore

/// Numbers about a store.
package struct StoreStatistics: Sendable {
  /// Tweets that lists leave out, by reason.
  package var hidden: [(reason: String, tweets: Int)] = []
  /// How many tweets and users there are.
  package var tweets = 0
  package var users = 0
  /// How many tweets were posted in the last this many days.
  package var posted: [(days: Int, tweets: Int)] = []
  package var oldest: String?
  package var newest: String?
  /// Bytes on disk, the log included.
  package var size = 0
  /// The tweets of each service, most first.
  package var services: [(name: String, tweets: Int)] = []
  /// The tweets of each source, most first, and when the first and the last one came.
  package var feeds: [(service: String, feed: String, tweets: Int, firstSeen: String, lastSeen: String)] = []
}

extension TweetStore {
  /// Counts what is in the store. Reads only indexes.
  /// - Parameter now: the end of the last days.
  package func statistics(now: Timestamp = .now) throws(ToolError) -> StoreStatistics {
    var found = StoreStatistics()
    let byService = tweets("key, service", indexedBy: "tweets_by_service")
    found.tweets = try database.first(sql: "SELECT count(*) FROM \(byService)", []) { $0.integer(0) } ?? 0
    found.users = try database.first("SELECT count(*) FROM users") { $0.integer(0) } ?? 0
    for days in [1, 7, 30] {
      let start = now.before(days: days)
      try database.forEachRow(
        sql: "SELECT count(*) FROM \(byService) WHERE key >= ?", .integer(TweetKey.smallest(at: start))
      ) { row in found.posted.append((days, row.integer(0))) }
    }
    try database.forEachRow(
      sql: "SELECT service, count(*) AS n FROM \(byService) GROUP BY service ORDER BY n DESC, 1"
    ) { row in
      found.services.append((row.text(0) ?? "", row.integer(1)))
    }
    try database.forEachRow(
      "SELECT hidden, count(*) FROM tweets WHERE hidden IS NOT NULL GROUP BY hidden"
    ) { row in found.hidden.append((row.text(0) ?? "", row.integer(1))) }
    found.oldest =
      try database.first(
        "SELECT created_at FROM tweets WHERE created_at IS NOT NULL ORDER BY key LIMIT 1"
      ) { $0.text(0) } ?? nil
    found.newest =
      try database.first(
        "SELECT created_at FROM tweets WHERE created_at IS NOT NULL ORDER BY key DESC LIMIT 1"
      ) { $0.text(0) } ?? nil
    found.size = Database.size(path)
    try database.forEachRow(
      """
      SELECT f.service, f.feed, count(*) AS tweets, min(t.first_seen), max(t.last_seen)
      FROM tweet_feeds t JOIN feeds f ON f.key = t.feed GROUP BY t.feed ORDER BY tweets DESC, f.feed
      """
    ) { row in
      found.feeds.append(
        (row.text(0) ?? "", row.text(1) ?? "", row.integer(2), row.text(3) ?? "", row.text(4) ?? ""))
    }
    return found
  }
}
