import SQLite
import TweetCore

/// The table `tweet_counts`: how often a tweet was liked, retweeted, answered and quoted when it was read before.
struct CountsTable: ~Copyable {
  /// Milliseconds: of the counts of an hour the first ones are kept.
  private static let interval: Int64 = 3_600_000

  private let insert: Statement
  private let restoreRow: Statement
  let rows: TweetRows

  /// Inserts the counts of the older one of two versions of a tweet, if they differ from those of the newer one and the
  /// time when they were read is known.
  func insert(older: JSONValue, newer: JSONValue, of tweet: Int) throws(ToolError) {
    let counts = older["public_metrics"]
    guard let counts, let retrieved = older["retrieved_at"], let time = retrieved.time,
      counts.raw != newer["public_metrics"]?.raw
    else { return }
    insert.bind(1, tweet)
    insert.bind(2, time: retrieved)
    insert.bind(3, counts["like_count"]?.integer)
    insert.bind(4, counts["retweet_count"]?.integer)
    insert.bind(5, counts["reply_count"]?.integer)
    insert.bind(6, counts["quote_count"]?.integer)
    insert.bind(7, Timestamp(milliseconds: time.milliseconds - Self.interval).rfc3339)
    insert.bind(8, Timestamp(milliseconds: time.milliseconds + Self.interval).rfc3339)
    try insert.run()
  }

  /// Inserts a row of an export: its time, then the counts or `null`. Returns what is wrong with it.
  func restore(_ row: JSONValue, of tweet: Int) throws(ToolError) -> String? {
    let parts = Array(row.elements)
    guard parts.count == 5, parts[0].time != nil else { return "wrong counts" }
    restoreRow.bind(1, tweet)
    restoreRow.bind(2, time: parts[0])
    for index in 1...4 { restoreRow.bind(Int32(index + 2), parts[index].integer) }
    try restoreRow.run()
    return nil
  }
}

extension CountsTable {
  init(_ database: borrowing Database) throws(ToolError) {
    let values = ["?1", "?2", "?3", "?4", "?5", "?6"]
    let table = RowSum.tweetCounts
    let sum = table.sum(Dictionary(uniqueKeysWithValues: zip(table.columns, values)))
    self.init(
      insert: try database.prepare(
        """
        INSERT INTO tweet_counts (\(table.columns.joined(separator: ", ")), checksum)
        SELECT \(values.joined(separator: ", ")), \(sum)
        WHERE NOT EXISTS (SELECT 1 FROM tweet_counts WHERE tweet = ?1 AND retrieved_at > ?7 AND retrieved_at < ?8)
        """),
      restoreRow: try database.prepare(table.insert(values, or: "OR IGNORE ")),
      rows: try TweetRows(
        database, remove: "DELETE FROM tweet_counts WHERE tweet = ?",
        move: table.update(["tweet": "?1"], or: "OR IGNORE ") + " WHERE tweet = ?2"))
  }
}
