import TweetCore

/// The table `incoming`: tweets of a live stream, which are on disk but not yet in `tweets` and its indexes.
///
/// A tweet changes a page in each of a dozen tables and indexes, and SQLite writes whole pages: 200 KiB for one record. In
/// this table it changes one page. Later many tweets are moved at once, in the order of their keys, and share the pages that
/// they change. Every transaction that changes tweets moves them first, and so does every program of the kit that opens the
/// store: only other programs see them later.
struct IncomingTable: ~Copyable {
  /// What a row has beside its record.
  struct Tweet {
    var seenAt: String
    var labels: [TweetLabel]
  }

  private let packer: RecordPacker
  private let insert: Statement
  private let find: Statement
  private let any: Statement
  private let read: Statement
  private let delete: Statement

  /// Whether the table has rows.
  var hasAny: Bool {
    get throws(ToolError) {
      defer { any.reset() }
      return try any.step() && any.row.integer(0) != 0
    }
  }

  /// Looks at all rows: there are few, and an index would be one more page to write.
  func has(service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    find.bind(1, text: service)
    find.bind(2, text: id)
    defer { find.reset() }
    return try find.step()
  }

  /// Appends a tweet. Returns how many there are then.
  func append(
    _ record: UnsafeBufferPointer<UInt8>, service: JSONValue, id: JSONValue, seenAt: String, labels: [TweetLabel],
    in database: borrowing Database
  ) throws(ToolError) -> Int {
    insert.bind(1, text: service)
    insert.bind(2, text: id)
    insert.bind(3, seenAt)
    insert.bind(4, labels.map(\.text).joined(separator: " "))
    packer.bind(record, to: insert, 5)
    try insert.run()
    // Keys begin at 1 again when the table has become empty.
    return database.lastInsertedRow
  }

  /// Moves the records of all sound rows to a batch. The damaged rows stay.
  /// - Returns: the rest of the rows, in the order of the batch, and which rows are damaged.
  func removeAll(to records: inout RecordBatch) throws(ToolError) -> (tweets: [Tweet], damaged: DamagedRows) {
    var (tweets, damaged) = ([Tweet](), DamagedRows())
    var keys: [Int] = []
    while try read.step() {
      let row = read.row
      guard row.isSound(6, record: 5) == true, let document = StoredColumns.parse(row.bytes(5)) else {
        damaged.append("tweet '\(row.text(1) ?? ""):\(row.text(2) ?? "")'")
        continue
      }
      keys.append(row.integer(0))
      records.append(document.root)
      let labels = (row.text(4) ?? "").split(separator: " ").compactMap { TweetLabel(String($0)) }
      tweets.append(Tweet(seenAt: row.text(3) ?? "", labels: labels))
    }
    for key in keys {
      delete.bind(1, key)
      try delete.run()
    }
    return (tweets, damaged)
  }
}

extension IncomingTable {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    self.init(
      packer: packer, insert: try database.prepare(RowSum.incoming.insertNext(["?1", "?2", "?3", "?4", "?5"])),
      find: try database.prepare("SELECT 1 FROM incoming WHERE id = ?2 AND service = ?1"),
      any: try database.prepare("SELECT EXISTS (SELECT 1 FROM incoming)"),
      read: try database.prepare(
        """
        SELECT key, service, id, seen_at, labels, record(json, NULL), \(RowSum.incoming.isSound())
        FROM incoming ORDER BY key
        """),
      delete: try database.prepare("DELETE FROM incoming WHERE key = ?"))
  }
}
