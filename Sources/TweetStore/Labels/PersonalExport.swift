import SQLite
import TweetCore

/// What an export has of a tweet beside its record that a person gave it, or that the service no longer says: its
/// labels and its earlier counts.
enum PersonalExport {
  /// Appends the members `labels` and `counts` of a `stored` object, if the tweet has any.
  static func append(
    of tweet: Int, _ database: borrowing Database, to line: inout ByteBuffer, _ damaged: inout DamagedRows
  ) throws(ToolError) {
    try line.array("labels") { (line) throws(ToolError) in
      try database.forEachRow(sql: labelsSQL, .integer(tweet)) { row in
        if row.isSound(1) != true { return damaged.append("a row of tweet_labels") }
        line.element(row.text(0) ?? "")
      }
    }
    try line.array("counts") { (line) throws(ToolError) in
      try database.forEachRow(sql: countsSQL, .integer(tweet)) { row in
        if row.isSound(5) != true { return damaged.append("a row of tweet_counts") }
        line.append(",")
        line.array { counts in
          counts.element(row.text(0) ?? "")
          for column: Int32 in 1...4 { counts.append(row.optionalInteger(column).map { ",\($0)" } ?? ",null") }
        }
      }
    }
  }

  private static let labelsSQL = """
    SELECT l.label, \(RowSum.labels.isSound("l")) AND \(RowSum.tweetLabels.isSound("t"))
    FROM labels l JOIN tweet_labels t ON t.label = l.key AND t.tweet = ? ORDER BY l.label
    """

  private static let countsSQL = """
    SELECT retrieved_at, like_count, retweet_count, reply_count, quote_count, \(RowSum.tweetCounts.isSound())
    FROM tweet_counts WHERE tweet = ? ORDER BY retrieved_at
    """
}

extension TweetWriter {
  /// Restores what ``PersonalExport`` has written. Returns what is wrong with it.
  /// - Parameter isNew: whether the store did not have the tweet. One that it had does not become unread again.
  mutating func restorePersonal(_ stored: JSONValue, of tweet: Int, isNew: Bool) throws(ToolError) -> String? {
    if let list = stored["labels"] {
      for element in list.elements {
        guard let label = element.string.flatMap(TweetLabel.init) else { return "a wrong label" }
        if isNew || label != .unread { _ = try labels.add(label, to: tweet, in: database) }
      }
    }
    if let list = stored["counts"] {
      for row in list.elements {
        if let fault = try counts.restore(row, of: tweet) { return fault }
      }
    }
    return nil
  }
}
