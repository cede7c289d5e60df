package import TweetCore

/// Takes old tweets out of a store, in transactions short enough that others need not wait long.
package struct Pruning: ~Copyable {
  /// Tweets a transaction.
  private static let batch = 200
  /// Pages that one step of shrinking the file moves: 16 MiB.
  private static let pages = 1024

  private var writer: TweetWriter
  private let oldest: Statement
  /// How many tweets were taken out.
  package private(set) var tweets = 0
  /// How many users nobody knows a tweet of any more.
  package private(set) var users = 0

  /// Takes out what was posted before a time, and users that were last read before it and have no tweets left.
  package mutating func remove(before time: Timestamp) throws(ToolError) {
    while try removeOldest(below: TweetKey.smallest(at: time)), Interruption.signal == nil {}
    try removeUsers(before: time)
  }

  /// Takes out the oldest tweets until what is stored needs no more than `size` bytes.
  package mutating func remove(downTo size: Int) throws(ToolError) {
    // What was taken out of the full-text index needs room until its parts are put together, which is work as long as
    // the index: some twenty times at the most.
    let all = try writer.database.first("SELECT count(*) FROM tweets") { $0.integer(0) } ?? 0
    var merged = tweets
    while try writer.database.bytesInUse() > size, Interruption.signal == nil {
      guard try removeOldest(below: .max) else { break }
      if tweets - merged >= all / 20 {
        try mergeIndex()
        merged = tweets
      }
    }
  }

  /// Gives the room that has become free back to the file system.
  package mutating func shrink() throws(ToolError) {
    if tweets > 0 { try mergeIndex() }
    try writer.database.shrink(pages: Self.pages)
  }

  private mutating func removeOldest(below key: Int) throws(ToolError) -> Bool {
    oldest.bind(1, key)
    oldest.bind(2, Self.batch)
    var keys: [Int] = []
    while try oldest.step() { keys.append(oldest.row.integer(0)) }
    if keys.isEmpty { return false }
    try writer.begin()
    do throws(ToolError) {
      for key in keys { try writer.remove(key) }
    } catch {
      writer.rollback()
      throw error
    }
    try writer.commit()
    tweets += keys.count
    return true
  }

  private mutating func removeUsers(before time: Timestamp) throws(ToolError) {
    try writer.begin()
    do throws(ToolError) {
      try writer.database.run(
        """
        CREATE TEMP TABLE unused AS SELECT key FROM users
        WHERE max(first_seen, coalesce(retrieved_at, '')) < ?
          AND NOT EXISTS (SELECT 1 FROM tweets WHERE author = users.key)
          AND key NOT IN (SELECT author FROM tweet_references WHERE author IS NOT NULL)
        """, .text(time.rfc3339))
      try writer.database.run("DELETE FROM user_names WHERE user IN (SELECT key FROM temp.unused)")
      try writer.database.run("DELETE FROM users WHERE key IN (SELECT key FROM temp.unused)")
      users = writer.database.changes
      try writer.database.run("DROP TABLE temp.unused")
    } catch {
      writer.rollback()
      throw error
    }
    try writer.commit()
  }

  /// Puts the parts of the full-text index together, a little a transaction (sqlite.org/fts5.html, "the merge command").
  private func mergeIndex() throws(ToolError) {
    var isFirst = true
    while Interruption.signal == nil {
      let before = writer.database.totalChanges
      try writer.database.write { () throws(ToolError) in
        try writer.database.run(
          "INSERT INTO tweet_search (tweet_search, rank) VALUES ('merge', ?)", .integer(isFirst ? -200 : 200))
      }
      isFirst = false
      if writer.database.totalChanges - before < 2 { return }
    }
  }
}

extension Pruning {
  package init(_ store: consuming TweetStore) throws(ToolError) {
    let oldest = try store.database.prepare("SELECT key FROM tweets WHERE key < ? ORDER BY key LIMIT ?")
    self.init(writer: try TweetWriter(store), oldest: oldest)
  }
}
