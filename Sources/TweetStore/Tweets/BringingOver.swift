import TweetCore

/// Brings the rows of a store of version 2 to version 3, a batch at a time: each row gets a checksum, and the text of each
/// tweet goes into the full-text index.
///
/// A row without a checksum is not done yet, so a process that was killed loses one batch. A record that is damaged already
/// gets a checksum that is wrong: from now on it must not look sound.
enum BringingOver {
  /// How many records have room in one transaction: about 4 MB.
  private static let batch = 1000
  /// The tables of version 2 that are one batch: their rows are short, or few.
  private static let short: [RowSum] = [
    .feeds, .tweetFeeds, .userNames, .edits, .tombstones, .withheld, .scrubbedPlaces, .linkKinds, .sources, .versions,
  ]

  static func run(_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool {
    if position.step < short.count {
      let table = short[position.step]
      let condition = table.columns.contains("json") ? "json_valid(json)" : "TRUE"
      try connection.execute(
        "UPDATE \(table.table) SET checksum = \(sum(table, if: condition)) WHERE checksum IS NULL")
      position.goOn()
      return false
    }
    if position.step == short.count {
      if try addUsers(connection, &position) { position.goOn() }
      return false
    }
    return try addTweets(connection, &position)
  }

  /// SQL for the checksum of a row if a condition is true, else for a wrong one.
  private static func sum(_ table: RowSum, _ values: [String: String] = [:], if condition: String) -> String {
    let sum = table.sum(values)
    return "iif(\(condition), \(sum), ~\(sum))"
  }

  /// Returns whether these were the last ones.
  private static func addUsers(_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool {
    let write = try Statement(
      """
      UPDATE users SET checksum = \(sum(.users, if: "json_valid(json) AND json_extract(json, '$.id') IS id"))
      WHERE key IN (SELECT key FROM users WHERE key >= ? AND checksum IS NULL ORDER BY key LIMIT \(batch))
      RETURNING key
      """, on: connection.handle)
    write.bind(1, position.key)
    var count = 0
    while try write.step() {
      position.done(write.row.integer(0))
      count += 1
    }
    return count < batch
  }

  private static func addTweets(_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool {
    let read = try Statement(
      """
      SELECT key, service, id, text, json FROM tweets WHERE key >= ? AND checksum IS NULL ORDER BY key LIMIT \(batch)
      """, on: connection.handle)
    let write = try Statement(
      "UPDATE tweets SET words = NULL, checksum = \(sum(.tweets, ["words": "NULL"], if: "?2")) WHERE key = ?1",
      on: connection.handle)
    let index = try Statement("INSERT INTO tweet_search (rowid, text) VALUES (?, ?)", on: connection.handle)
    read.bind(1, position.key)
    var count = 0
    var words = ByteBuffer()
    while try read.step() {
      let key = read.row.integer(0)
      SearchText.replace(&words, with: read.row.bytes(3))
      write.bind(1, key)
      write.bind(2, StoredColumns.isRecord(read.row, service: 1, id: 2, text: 3, json: 4) ? 1 : 0)
      index.bind(1, key)
      words.withBytes { index.bind(2, copying: $0) }
      try write.run()
      try index.run()
      position.done(key)
      count += 1
    }
    return count < batch
  }
}
