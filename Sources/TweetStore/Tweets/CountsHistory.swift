import SQLite
package import TweetCore

/// The counts of a tweet at one time.
package struct CountsAtTime: Sendable {
  /// When the service said so, in the form of the database's times; `nil` if that is not known.
  package var retrievedAt: String?
  package var likes: Int?
  package var retweets: Int?
  package var replies: Int?
  package var quotes: Int?
}

extension TweetStore {
  /// The counts of a tweet that are known, the first ones first; the last ones are those of its record.
  /// - Parameter name: its id, its URL or `service:id`.
  /// - Throws: ``ToolError/noInput(_:)`` if it is not stored.
  package func counts(
    of name: String, service: String?
  ) throws(ToolError) -> (counts: [CountsAtTime], damaged: DamagedRows) {
    let key = try key(of: name, service: service)
    var found: [CountsAtTime] = []
    var damaged = DamagedRows()
    let counts = "retrieved_at, like_count, retweet_count, reply_count, quote_count"
    func append(_ row: Row, isSound: Bool) {
      if !isSound { return damaged.append("counts of '\(name)'") }
      found.append(
        CountsAtTime(
          retrievedAt: row.text(0), likes: row.optionalInteger(1), retweets: row.optionalInteger(2),
          replies: row.optionalInteger(3), quotes: row.optionalInteger(4)))
    }
    try database.forEachRow(
      sql: "SELECT \(counts), \(RowSum.tweetCounts.isSound()) FROM tweet_counts WHERE tweet = ? ORDER BY retrieved_at",
      .integer(key)
    ) { row in append(row, isSound: row.isSound(5) == true) }
    try database.forEachRow(
      sql:
        "SELECT \(counts), \(RowSum.tweets.isSound()), service, id, text, \(RecordPacker.tweet()) FROM tweets WHERE key = ?",
      .integer(key)
    ) { row in
      // A row of another program has no checksum.
      append(
        row, isSound: row.isSound(5, record: 9) ?? StoredColumns.isRecord(row, service: 6, id: 7, text: 8, json: 9))
    }
    return (found, damaged)
  }
}
