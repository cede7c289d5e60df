import SQLite
package import TweetCore

/// The store of tweets, users and sources: the file `tw.db`.
package struct TweetStore: ~Copyable {
  let database: Database
  /// The tweets that wait in `incoming`, for readers.
  let staged: StagedTweets

  /// Opens the store; ``Database/init(_:_:_:syncs:looksAtLog:)`` says how. Who writes moves the tweets that wait in
  /// `incoming`; who reads sees them where they are.
  /// - Parameters:
  ///   - showsIncoming: false for what does not concern tweets, and for what reads the file as it is.
  ///   - looksAtLog: as for `Database`.
  package init(
    _ path: String, _ access: FileAccess, syncs: Bool = true, showsIncoming: Bool = true, looksAtLog: Bool = true
  ) throws(ToolError) {
    let database = try Database(path, Self.kind, access, syncs: syncs, looksAtLog: looksAtLog)
    let staged = StagedTweets()
    if showsIncoming {
      if access == .readWrite {
        try Self.moveIncoming(of: database, syncs: syncs)
      } else {
        try staged.update(from: database)
      }
    }
    self.database = database
    self.staged = staged
  }

  /// Moves what other programs have put into `incoming`.
  func moveIncoming() throws(ToolError) { try Self.moveIncoming(of: database, syncs: true) }

  private static func moveIncoming(of database: borrowing Database, syncs: Bool) throws(ToolError) {
    guard try hasIncoming(database) else { return }
    // A connection of its own: this one may read at the moment.
    var writer = try TweetWriter(try Database(database.path, kind, .readWrite, syncs: syncs))
    try writer.moveIncoming()
  }

  /// Whether tweets wait there that can be moved.
  static func hasIncoming(_ database: borrowing Database) throws(ToolError) -> Bool {
    var found = false
    try database.forEachRow(sql: "SELECT 1 FROM incoming WHERE \(RowSum.incoming.isSound()) LIMIT 1") { _ in
      found = true
    }
    return found
  }

  /// Shows a reader what has come into `incoming` since. Nothing is read meanwhile.
  package func update() throws(ToolError) { try staged.update(from: database) }

  /// Keeps few pages of the file in memory from now on, for whoever reads a little now and then.
  package func keepFewPages() throws(ToolError) { try database.use(for: .resident) }

  /// SQL for a subquery of `tweets` that reads nothing but an index.
  /// - Parameters:
  ///   - columns: those that are wanted; the index has them.
  ///   - condition: what is true of all rows of the index.
  func tweets(_ columns: String, indexedBy index: String, where condition: String = "TRUE") -> String {
    let select = "SELECT \(columns) FROM"
    guard staged.isAttached else { return "(\(select) tweets INDEXED BY \(index) WHERE \(condition)) AS tweets" }
    return """
      (\(select) main.tweets INDEXED BY \(index)
          WHERE \(condition) AND key NOT IN (SELECT key FROM staged.tweets)
        UNION ALL \(select) staged.tweets WHERE \(condition)) AS tweets
      """
  }

  /// Whether a file exists at that path.
  package static func exists(_ path: String) -> Bool { Database.exists(path) }

  /// Whether a store is there, or something else that opening it will complain about. A file that is about to become a
  /// store is none yet.
  package static func isThere(_ path: String) throws(ToolError) -> Bool {
    guard exists(path) else { return false }
    do throws(ToolError) {
      return try !Database.isEmpty(path, kind)
    } catch .noInput {
      return false
    } catch {
      return true
    }
  }

  /// The file's path as the caller gave it.
  package var path: String { database.path }

  /// Whether another file has taken the place of this one, as after a restore.
  package var isReplaced: Bool { database.isReplaced }

  /// Whether no tweet is stored.
  package var hasNoTweets: Bool {
    get throws(ToolError) { try database.first("SELECT 1 FROM tweets LIMIT 1") { _ in true } == nil }
  }

  /// Returns the database. The store can then no longer be used.
  consuming func releaseDatabase() -> Database { database }
}

/// When a version of a record was read from its service.
struct Sighting {
  /// The record's `retrieved_at`; `nil` if it has none or it is not a time.
  var retrieved: JSONValue?
  /// The same as a time.
  var time: Timestamp?
  /// The present, in the form of the database's times. It stands in for a missing `retrieved_at`.
  var now: String

  init(retrieved: JSONValue?, now: String) {
    time = retrieved?.time
    self.retrieved = time == nil ? nil : retrieved
    self.now = now
  }

  /// Whether this version is newer than the stored one. A version without a time never is.
  func isNewer(than stored: Timestamp?) -> Bool {
    guard let time else { return false }
    return stored.map { time >= $0 } ?? true
  }
}

extension Statement {
  /// Binds the text of a JSON string; NULL for other values and for the empty string.
  func bind(_ index: Int32, text value: JSONValue?) {
    guard let value, value.isText else { return bindNull(index) }
    let raw = value.rawString
    if raw.contains(UInt8(ascii: "\\")), let text = value.string {
      bind(index, text)
    } else {
      bind(index, inPlace: raw)
    }
  }

  /// Binds the time in a JSON string, in the form of the database's times; NULL if it holds no time.
  func bind(_ index: Int32, time value: JSONValue?) {
    guard let value, value.isString, let time = value.time else { return bindNull(index) }
    // `2021-11-03T21:30:00.000Z` has 24 bytes. No other form of a time has this length and ends in Z.
    let raw = value.rawString
    if raw.count == 24, raw[23] == UInt8(ascii: "Z") { bind(index, inPlace: raw) } else { bind(index, time.rfc3339) }
  }

  /// Binds the time in the record's `retrieved_at`, else the present.
  func bind(_ index: Int32, _ seen: Sighting) {
    if seen.time != nil { bind(index, time: seen.retrieved) } else { bind(index, seen.now) }
  }
}
