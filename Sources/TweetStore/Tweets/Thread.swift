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
    let keys = try keys(inThreadOf: name, service: service)
    var damaged = DamagedRows()
    let read = try database.prepare("SELECT \(TweetPages.columns) FROM tweets t WHERE key = ?")
    for key in keys {
      read.bind(1, key)
      guard try read.step() else { continue }
      defer { read.reset() }
      try read.row.deliverTweet(&damaged, body)
    }
    return damaged
  }

  /// The keys of the tweets of a thread, in the order of time; see ``forEach(inThreadOf:service:_:)``.
  package func keys(inThreadOf name: String, service: String? = nil) throws(ToolError) -> [Int] {
    let key = try key(of: name, service: service)
    if try database.first(
      "SELECT hidden = 'withheld' FROM tweets WHERE key = ?", .integer(key), body: { $0.integer(0) }) == 1
    {
      throw .noInput("tweet '\(name)' is withheld everywhere")
    }
    let keys = try keys(from: key, [Self.answered, Self.copies])
      .union(try keys(from: key, [Self.answers, Self.copies]))
    return try withoutCopies(keys, keeping: key)
  }

  /// The keys of a tweet and of all that can be reached from it. It ends also if tweets reply to each other in a ring.
  private func keys(from key: Int, _ steps: [String]) throws(ToolError) -> Set<Int> {
    var found: Set<Int> = [key]
    var next = [key]
    while let key = next.popLast() {
      for step in steps {
        try database.forEachRow(sql: step, .integer(key)) { row in
          if found.insert(row.integer(0)).inserted { next.append(row.integer(0)) }
        }
      }
    }
    return found
  }

  /// Of each post the key that was stored first, in the order of time; of the post of `named` that one.
  private func withoutCopies(_ keys: Set<Int>, keeping named: Int) throws(ToolError) -> [Int] {
    var first: [String: (isOther: Bool, seen: String, key: Int)] = [:]
    var kept: [Int] = []
    let read = try database.prepare("SELECT address, first_seen FROM tweets WHERE key = ?")
    for key in keys {
      read.bind(1, key)
      defer { read.reset() }
      guard try read.step(), let address = read.row.text(0) else {
        kept.append(key)
        continue
      }
      let own = (key != named, read.row.text(1) ?? "", key)
      if let other = first[address], (other.isOther ? 1 : 0, other.seen, other.key) < (own.0 ? 1 : 0, own.1, own.2) {
        continue
      }
      first[address] = own
    }
    return (kept + first.values.map(\.key)).sorted()
  }

  /// The same post on other servers, which know other answers. Not its retweets: what these answer is nothing.
  private static let copies = """
    SELECT o.key FROM tweets me JOIN tweets o ON o.address = me.address AND o.key <> me.key
    WHERE me.key = ? AND o.hidden IS NULL
      AND NOT EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = o.key AND r.type = 'retweeted')
    """

  /// Calls `body` with the records of a post from all servers and networks that it was read from, and with its
  /// retweets, the one that was stored first before the others.
  /// - Returns: the damaged ones, which are left out.
  package func forEach(
    copyOf name: String, service: String?, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    let key = try key(of: name, service: service)
    var damaged = DamagedRows()
    let read = try database.prepare(
      """
      SELECT \(TweetPages.columns) FROM tweets me JOIN tweets t ON t.key = me.key OR t.address = me.address
      WHERE me.key = ? AND (t.hidden IS NULL OR t.key = me.key) ORDER BY t.first_seen, t.key
      """)
    read.bind(1, key)
    while try read.step() { try read.row.deliverTweet(&damaged, body) }
    return damaged
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
