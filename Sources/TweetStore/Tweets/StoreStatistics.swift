package import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How much a store holds.
package struct StoreStatistics: Sendable {
  package var tweets = 0
  package var users = 0
  package var tombstones = 0
  package var oldest: String?
  package var newest: String?
  /// Bytes on disk, the log included.
  package var size = 0
  /// Tweets a service, most first.
  package var services: [(name: String, tweets: Int)] = []
  /// Tweets a source, most first, and when the last one was seen.
  package var feeds: [(service: String, feed: String, tweets: Int, lastSeen: String)] = []
}

extension TweetStore {
  /// Counts what the store holds, by its indexes alone.
  package func statistics() throws(ToolError) -> StoreStatistics {
    var found = StoreStatistics()
    try database.forEachRow("SELECT service, count(*) FROM tweets GROUP BY service") { row in
      found.tweets += row.integer(1)
      found.services.append((row.text(0) ?? "", row.integer(1)))
    }
    found.services.sort { $0.tweets > $1.tweets }
    found.users = try database.first("SELECT count(*) FROM users") { $0.integer(0) } ?? 0
    found.tombstones = try database.first("SELECT count(*) FROM tombstones") { $0.integer(0) } ?? 0
    found.oldest =
      try database.first(
        "SELECT created_at FROM tweets WHERE created_at IS NOT NULL ORDER BY key LIMIT 1"
      ) { $0.text(0) } ?? nil
    found.newest =
      try database.first(
        "SELECT created_at FROM tweets WHERE created_at IS NOT NULL ORDER BY key DESC LIMIT 1"
      ) { $0.text(0) } ?? nil
    found.size = Self.size(path) + Self.size(path + "-wal")
    try database.forEachRow(
      """
      SELECT f.service, f.feed, count(*) AS tweets, max(t.last_seen) FROM tweet_feeds t JOIN feeds f ON f.key = t.feed
      GROUP BY t.feed ORDER BY tweets DESC, f.feed
      """
    ) { row in found.feeds.append((row.text(0) ?? "", row.text(1) ?? "", row.integer(2), row.text(3) ?? "")) }
    return found
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
