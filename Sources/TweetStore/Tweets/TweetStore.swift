package import TweetCore

/// The store of tweets, users and sources: the file `tw.db`.
package struct TweetStore: ~Copyable {
  let database: Database
  /// Why tweets that came one by one cannot be seen yet: the store cannot be written.
  package let incomingFault: ToolError?
  /// Those of them that are damaged.
  let damagedIncoming: DamagedRows

  /// Opens the store; ``Database/init(_:_:_:syncs:looksAtLog:)`` says how.
  /// - Parameters:
  ///   - movesIncoming: whether tweets that came one by one are moved to where lists see them; see ``IncomingTable``.
  ///   - looksAtLog: as for `Database`.
  package init(
    _ path: String, _ access: Database.Access, syncs: Bool = true, movesIncoming: Bool = true, looksAtLog: Bool = true
  ) throws(ToolError) {
    let database = try Database(path, Self.kind, access, syncs: syncs, looksAtLog: looksAtLog)
    var (fault, damaged) = (ToolError?.none, DamagedRows())
    if movesIncoming {
      do throws(ToolError) {
        damaged = try Self.moveIncoming(of: database, syncs: syncs)
      } catch {
        // Who reads gets what can be read.
        if access == .readWrite { throw error }
        fault = error
      }
    }
    self.database = database
    (incomingFault, damagedIncoming) = (fault, damaged)
  }

  /// Moves what other programs have put into `incoming` since the store was opened.
  package func moveIncoming() throws(ToolError) { _ = try Self.moveIncoming(of: database, syncs: true) }

  /// Returns the tweets that are damaged.
  private static func moveIncoming(of database: borrowing Database, syncs: Bool) throws(ToolError) -> DamagedRows {
    guard try database.first("SELECT 1 FROM incoming LIMIT 1", body: { _ in true }) != nil else { return DamagedRows() }
    // A connection of its own: this one may be for reading only, or read at the moment.
    var writer = try TweetWriter(try Database(database.path, kind, .readWrite, syncs: syncs))
    return try writer.moveIncoming()
  }

  /// Whether a file exists at that path.
  package static func exists(_ path: String) -> Bool { Database.exists(path) }

  /// The file's path as the caller gave it.
  package var path: String { database.path }

  /// Whether no tweet is stored.
  package var hasNoTweets: Bool {
    get throws(ToolError) { try database.first("SELECT 1 FROM tweets LIMIT 1") { _ in true } == nil }
  }

  /// Returns the database. The store can then no longer be used.
  consuming func releaseDatabase() -> Database { database }
}

/// When a version of a record was read from its service.
struct Sighting {
  /// The record's `retrieved_at`; `nil` if it has none or it is no time.
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
