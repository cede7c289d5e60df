package import TweetCore

extension TweetStore {
  /// Calls `body` with the stored records of a tweet's thread in the order of time: the tweets it replies to, directly
  /// or not; the tweet; the replies to it, and the replies to those.
  /// - Parameter name: an id, a URL or `service:id`.
  package func forEach(
    inThreadOf name: String, service: String?, _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Void
  ) throws(ToolError) {
    let key = try key(of: name, service: service)
    if try database.first(
      "SELECT hidden = 'withheld' FROM tweets WHERE key = ?", .integer(key), body: { $0.integer(0) }) == 1
    {
      throw .noInput("tweet '\(name)' is withheld everywhere")
    }
    var keys: Set<Int> = [key]
    // UNION drops rows it has already: it ends also if tweets reply to each other in a ring.
    try database.forEachRow(
      """
      WITH RECURSIVE up (key) AS (
        SELECT ?1 UNION SELECT t.key FROM up JOIN tweets me ON me.key = up.key
          JOIN tweet_references r ON r.tweet = up.key AND r.type = 'replied_to'
          JOIN tweets t ON t.service = me.service AND t.id = r.id AND t.hidden IS NULL)
      SELECT key FROM up
      """, .integer(key)
    ) { keys.insert($0.integer(0)) }
    try database.forEachRow(
      """
      WITH RECURSIVE down (key) AS (
        SELECT ?1 UNION SELECT t.key FROM down JOIN tweets me ON me.key = down.key
          JOIN tweet_references r ON r.id = me.id AND r.type = 'replied_to'
          JOIN tweets t ON t.key = r.tweet AND t.service = me.service AND t.hidden IS NULL)
      SELECT key FROM down
      """, .integer(key)
    ) { keys.insert($0.integer(0)) }
    for key in keys.sorted() {
      try database.forEachRow("SELECT json FROM tweets WHERE key = ?", .integer(key)) { (row) throws(ToolError) in
        try body(row.bytes(0))
      }
    }
  }

  /// Calls `body` with the records of all stored versions of a tweet, first to last.
  package func forEach(
    versionOf name: String, service: String?, _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Void
  ) throws(ToolError) {
    let key = try key(of: name, service: service)
    try database.forEachRow(
      """
      WITH versions (key) AS (
        SELECT ?1 UNION SELECT other.key FROM tweets me
          JOIN tweet_edits mine ON mine.service = me.service AND mine.id = me.id
          JOIN tweet_edits e ON e.service = mine.service AND e.original = mine.original
          JOIN tweets other ON other.service = e.service AND other.id = e.id
          WHERE me.key = ?1 AND other.hidden IS NOT 'withheld')
      SELECT key, 0 AS isPresent, coalesce(retrieved_at, '') AS time, json FROM versions JOIN tweet_versions ON tweet = key
      UNION ALL SELECT key, 1, '', json FROM versions JOIN tweets USING (key)
      ORDER BY key, isPresent, time
      """, .integer(key)
    ) { (row) throws(ToolError) in try body(row.bytes(3)) }
  }
}
