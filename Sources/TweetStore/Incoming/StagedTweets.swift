import SQLite
import TweetCore

/// What readers see of `incoming`: the tweets there, as they will be when a writer has moved them.
///
/// A reader neither writes nor waits. So it makes a database in memory, which no other process sees, with the same
/// tables. Into it go copies of the stored tweets that will change, and of their users; then ``TweetWriter`` stores the
/// waiting tweets there, as it will in the file. Temporary views with the names of the tables unite both, so a
/// statement that names `tweets` sees each tweet once. Statements that need an index or the full-text index name the
/// tables of both: `main.` and `staged.`.
///
/// Every transaction that changes tweets moves the waiting ones first. So the copies are as good as the rows they were
/// made from as long as those wait: when rows have gone from `incoming`, all of it is made again from the rest.
final class StagedTweets {
  /// The tables of both, and the column by which the private rows replace those of the file; it is the key of a row of
  /// another table.
  private static let tables: [(name: String, column: String, keys: String)] = [
    ("users", "key", "users"), ("user_names", "user", "users"), ("tweets", "key", "tweets"),
    ("tweet_hashtags", "tweet", "tweets"), ("tweet_mentions", "tweet", "tweets"), ("tweet_urls", "tweet", "tweets"),
    ("tweet_references", "tweet", "tweets"), ("tweet_versions", "tweet", "tweets"),
    ("tweet_counts", "tweet", "tweets"), ("feeds", "key", "feeds"), ("tweet_feeds", "tweet", "tweets"),
    ("labels", "key", "labels"), ("tweet_labels", "tweet", "tweets"),
  ]

  /// `nil` as long as no tweet waited.
  private var copy: StagedCopy?
  /// The state of the file that was read last; see ``Database/dataVersion``.
  private var version: Int?
  /// The rows of `incoming` that are in the copy: how many there are, the damaged ones included, and the largest
  /// number.
  private var rows = (count: 0, last: Int.min)
  /// All changes of the store up to this number can be seen.
  private(set) var position = 0
  /// The numbers of the waiting tweets that can be seen, and the keys of those that are new or have changed.
  private(set) var changes: [(number: Int, key: Int?)] = []
  /// The waiting tweets that are damaged, and what of the file could not be copied.
  private(set) var damaged = DamagedRows()

  /// Whether the statements of the database must unite `main` and `staged`.
  var isAttached: Bool { copy != nil }

  /// Adds what has come into `incoming` since the last call. No statement of the database may have unread rows.
  func update(from database: borrowing Database) throws(ToolError) {
    // Before anything is read: what comes meanwhile is a new version.
    let current = try database.dataVersion
    if current == version { return }
    var isDone = false
    while !isDone {
      try database.read { () throws(ToolError) in
        let waiting = try Self.count(upTo: rows.last, database)
        if let copy {
          // Else some were moved.
          isDone = waiting.known == rows.count
          if isDone, waiting.all > waiting.known { try add(to: copy, from: database) }
        } else {
          isDone = waiting.all == 0
        }
        if isDone { position = try Self.lastNumber(database) }
      }
      // Neither can be done in a transaction.
      if !isDone { try makeCopy(for: database) }
    }
    version = current
  }

  private func add(to copy: StagedCopy, from database: borrowing Database) throws(ToolError) {
    let new = try IncomingTweets(after: rows.last, in: database)
    changes += try copy.add(new, from: database)
    rows.count += new.tweets.count + new.damagedNumbers.count
    rows.last = max(rows.last, new.tweets.last?.number ?? rows.last, new.damagedNumbers.last ?? rows.last)
    damaged.append(new.damaged)
    damaged.append(copy.takeDamaged())
  }

  /// Makes an empty copy, in place of the one that there may be.
  private func makeCopy(for database: borrowing Database) throws(ToolError) {
    let new = try StagedCopy()
    try database.writeTemporaryTables { () throws(ToolError) in
      if copy != nil { try database.execute("DETACH staged") }
      try database.attach(inMemory: new.name, as: "staged")
      if copy == nil { try database.execute(Self.tables.map(Self.view).joined()) }
    }
    (copy, rows) = (new, (0, .min))
    (changes, damaged) = ([], DamagedRows())
  }

  private static func view(_ table: (name: String, column: String, keys: String)) -> String {
    """
    CREATE TEMP VIEW \(table.name) AS SELECT * FROM main.\(table.name)
      WHERE \(table.column) NOT IN (SELECT key FROM staged.\(table.keys)) UNION ALL SELECT * FROM staged.\(table.name);
    """
  }

  /// How many rows `incoming` has, and how many of them up to a number.
  private static func count(
    upTo last: Int, _ database: borrowing Database
  ) throws(ToolError) -> (all: Int, known: Int) {
    try database.first("SELECT count(*), count(*) FILTER (WHERE key <= ?) FROM main.incoming", .integer(last)) { row in
      (row.integer(0), row.integer(1))
    } ?? (0, 0)
  }

  /// The number of the last change of a file.
  static func lastNumber(_ database: borrowing Database) throws(ToolError) -> Int {
    try database.first(
      """
      SELECT max(coalesce((SELECT max(number) FROM main.recent), 0), coalesce((SELECT max(key) FROM main.incoming), 0))
      """
    ) { $0.integer(0) } ?? 0
  }
}
