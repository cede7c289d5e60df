import SQLite
import TweetCore

/// The table `incoming`: tweets of a live stream, which are on disk but not yet in `tweets` and its indexes.
///
/// A tweet changes a page in each of a dozen tables and indexes, and SQLite writes whole pages: 200 KiB for one record.
/// In this table it changes one page. Later many tweets are moved at once, in the order of their keys, and share the
/// pages that they change. Every transaction that changes tweets moves them first. Readers move nothing: they see them
/// by ``StagedTweets``, and other programs in the view `timeline`.
struct IncomingTable: ~Copyable {
  private let packer: RecordPacker
  private let insert: Statement
  private let find: Statement
  private let any: Statement
  private let first: Statement
  private let delete: Statement
  private var text = ByteBuffer()

  /// Whether the table has rows.
  var hasAny: Bool {
    get throws(ToolError) {
      defer { any.reset() }
      return try any.step() && any.row.integer(0) != 0
    }
  }

  /// What the table has of a tweet.
  struct Known {
    /// Its key in `tweets`.
    var key: Int
    var retrieved: Timestamp?
    var hasTime: Bool
  }

  /// The newest row of a tweet. Looks at all rows: there are few, and an index would be one more page to write.
  func known(service: JSONValue, id: JSONValue) throws(ToolError) -> Known? {
    find.bind(1, text: service)
    find.bind(2, text: id)
    find.bindNull(3)
    defer { find.reset() }
    guard try find.step() else { return nil }
    let row = find.row
    return Known(key: row.integer(0), retrieved: row.isNull(1) ? nil : row.time(1), hasTime: !row.isNull(2))
  }

  /// Whether a tweet here will have that key.
  func has(key: Int) throws(ToolError) -> Bool {
    find.bindNull(1)
    find.bindNull(2)
    find.bind(3, key)
    defer { find.reset() }
    return try find.step()
  }

  /// Appends a tweet. Returns how many there are then, about.
  /// - Parameters:
  ///   - key: the one that it has in `tweets`, or will have.
  ///   - isOlder: whether a newer version is known: `timeline` shows that one.
  mutating func append(
    _ record: JSONValue, _ fields: TweetColumns, key: Int, isOlder: Bool, seenAt: String, labels: [TweetLabel],
    in database: borrowing Database
  ) throws(ToolError) -> Int {
    text.removeAll()
    if let value = fields.text { text.append(unescaping: value.rawString) }
    let metrics = fields.publicMetrics
    insert.bind(1, text: fields.service)
    insert.bind(2, text: fields.id)
    insert.bind(3, key)
    insert.bind(4, time: fields.retrievedAt)
    insert.bind(5, time: fields.createdAt)
    insert.bind(6, text: fields.author?["username"])
    insert.bind(7, text: fields.author?["name"])
    text.withBytes { insert.bind(8, copying: $0) }
    insert.bind(9, metrics?["like_count"]?.integer)
    insert.bind(10, metrics?["retweet_count"]?.integer)
    insert.bind(11, metrics?["reply_count"]?.integer)
    insert.bind(12, metrics?["quote_count"]?.integer)
    insert.bind(13, text: fields.lang)
    insert.bind(14, SQLValue(isOlder ? "older" : fields.flags.isWithheld ? "withheld" : nil))
    insert.bind(15, seenAt)
    insert.bind(16, labels.map(\.text).joined(separator: " "))
    text.withBytes { packer.bind(record.raw, text: fields.text, column: $0, to: insert, 17) }
    try insert.run()
    let last = database.lastInsertedRow
    defer { first.reset() }
    return try first.step() ? last - first.row.integer(0) + 1 : 0
  }

  /// Removes rows that were moved.
  func remove(_ tweets: [IncomingTweet]) throws(ToolError) {
    for tweet in tweets {
      delete.bind(1, tweet.number)
      try delete.run()
    }
  }
}

extension IncomingTable {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    let next = """
      max(coalesce((SELECT number FROM recent ORDER BY number DESC LIMIT 1), 0), \
      coalesce((SELECT key FROM incoming ORDER BY key DESC LIMIT 1), 0)) + 1
      """
    self.init(
      packer: packer, insert: try database.prepare(RowSum.incoming.insert([next] + (1...17).map { "?\($0)" })),
      find: try database.prepare(
        """
        SELECT tweet, retrieved_at, created_at FROM incoming WHERE id = ?2 AND service = ?1 OR tweet = ?3
        ORDER BY key DESC LIMIT 1
        """),
      any: try database.prepare("SELECT EXISTS (SELECT 1 FROM incoming)"),
      first: try database.prepare("SELECT key FROM incoming ORDER BY key LIMIT 1"),
      delete: try database.prepare("DELETE FROM incoming WHERE key = ?"))
  }
}

/// What a row of `incoming` has beside its record.
struct IncomingTweet {
  /// Its number among the changes of the store, which it keeps in `recent`.
  var number: Int
  /// The key that the tweet has in `tweets`, or will have.
  var key: Int
  var seenAt: String
  /// The labels that it gets if it is new.
  var labels: [TweetLabel]
}

/// Rows of `incoming`, in the order in which they came.
struct IncomingTweets: ~Copyable {
  var tweets: [IncomingTweet] = []
  /// Their records, in the same order.
  var records = RecordBatch()
  /// The other ones: their numbers, and what they are.
  var damagedNumbers: [Int] = []
  var damaged = DamagedRows()

  /// Reads the rows with a larger number.
  init(after number: Int, in database: borrowing Database) throws(ToolError) {
    try database.forEachRow(sql: Self.sql, .integer(number)) { row in
      guard row.isSound(7, record: 6) == true, let document = StoredColumns.parse(row.bytes(6)) else {
        damagedNumbers.append(row.integer(0))
        return damaged.append("tweet '\(row.text(2) ?? ""):\(row.text(3) ?? "")'")
      }
      document.read { records.append($0) }
      let labels = (row.text(5) ?? "").split(separator: " ").compactMap { TweetLabel(String($0)) }
      tweets.append(
        IncomingTweet(number: row.integer(0), key: row.integer(1), seenAt: row.text(4) ?? "", labels: labels))
    }
  }

  private static let sql = """
    SELECT key, tweet, service, id, seen_at, labels, \(RecordPacker.tweet()), \(RowSum.incoming.isSound())
    FROM main.incoming WHERE key > ? ORDER BY key
    """
}
