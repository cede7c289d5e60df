import SQLite
package import TweetCore

extension TweetStore {
  /// Calls `body` with the stored records of a tweet's thread in the order of time: the tweets it replies to, directly
  /// or not; the tweet; the replies to it, and the replies to those.
  /// - Parameter name: an id, a URL or `service:id`.
  /// - Returns: the damaged ones, which are left out.
  package func forEach(
    inThreadOf name: String, service: String?, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    let key = try key(of: name, service: service)
    if try database.first(
      "SELECT hidden = 'withheld' FROM tweets WHERE key = ?", .integer(key), body: { $0.integer(0) }) == 1
    {
      throw .noInput("tweet '\(name)' is withheld everywhere")
    }
    let keys = try self.keys(from: key, Self.answered).union(try self.keys(from: key, Self.answers))
    var damaged = DamagedRows()
    let read = try database.prepare("SELECT \(TweetPages.columns) FROM tweets t WHERE key = ?")
    for key in keys.sorted() {
      read.bind(1, key)
      guard try read.step() else { continue }
      defer { read.reset() }
      try read.row.deliverTweet(&damaged, body)
    }
    return damaged
  }

  /// The keys of a tweet and of all that can be reached from it. It ends also if tweets reply to each other in a ring.
  private func keys(from key: Int, _ step: String) throws(ToolError) -> Set<Int> {
    var found: Set<Int> = [key]
    var next = [key]
    while let key = next.popLast() {
      try database.forEachRow(sql: step, .integer(key)) { row in
        if found.insert(row.integer(0)).inserted { next.append(row.integer(0)) }
      }
    }
    return found
  }

  /// The tweets that one replies to, and those that reply to it.
  private static let answered = """
    SELECT t.key FROM tweets me JOIN tweet_references r ON r.tweet = me.key AND r.type = 'replied_to'
      JOIN tweets t ON t.service = me.service AND t.id = r.id WHERE me.key = ? AND t.hidden IS NULL
    """
  private static let answers = """
    SELECT t.key FROM tweets me JOIN tweet_references r ON r.id = me.id AND r.type = 'replied_to'
      JOIN tweets t ON t.key = r.tweet AND t.service = me.service WHERE me.key = ? AND t.hidden IS NULL
    """

  /// Calls `body` with the records of all stored versions of a tweet, first to last.
  /// - Returns: the damaged ones, which are left out.
  package func forEach(
    versionOf name: String, service: String?, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    let key = try key(of: name, service: service)
    var damaged = DamagedRows()
    let read = try database.prepare(
      """
      WITH versions (key) AS (
        SELECT ?1 UNION SELECT other.key FROM tweets me
          JOIN tweet_edits mine ON mine.service = me.service AND mine.id = me.id
          JOIN tweet_edits e ON e.service = mine.service AND e.original = mine.original
          JOIN tweets other ON other.service = e.service AND other.id = e.id
          WHERE me.key = ?1 AND other.hidden IS NOT 'withheld')
      SELECT \(RecordPacker.tweet("v")), \(RowSum.versions.isSound("v")), me.service, me.id, v.text, key, 0 AS isPresent,
        coalesce(v.retrieved_at, '') AS time
      FROM versions JOIN tweet_versions v ON v.tweet = key JOIN tweets me USING (key)
      UNION ALL SELECT \(TweetPages.columns), t.key, 1, '' FROM versions JOIN tweets t USING (key)
      ORDER BY 6, 7, 8
      """)
    read.bind(1, key)
    while try read.step() { try read.row.deliverTweet(&damaged, body) }
    return damaged
  }
}

extension Row {
  /// Calls `body` with the record in a row of ``TweetPages/columns`` if it is sound, else counts it.
  fileprivate func deliverTweet(
    _ damaged: inout DamagedRows, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) {
    let isSound = isSound(1, record: 0) ?? StoredColumns.isRecord(self, service: 2, id: 3, text: 4, json: 0)
    if isSound { return try body(bytes(0)) }
    damaged.append("tweet '\(text(2) ?? ""):\(text(3) ?? "")'")
  }
}
