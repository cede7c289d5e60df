package import TweetCore

/// The tweets: `tw.db`.
package struct TweetStore: ~Copyable {
  let database: Database

  /// Opens the store; see ``Database/init(_:_:_:syncs:)``.
  package init(_ path: String, _ access: Database.Access, syncs: Bool = true) throws(ToolError) {
    database = try Database(path, Self.kind, access, syncs: syncs)
  }

  /// Whether there is a file.
  package static func exists(_ path: String) -> Bool { Database.exists(path) }

  /// Opens a store that may be damaged, to read what can be read.
  init(damaged path: String) throws(ToolError) { database = try Database(damaged: path) }

  /// The file's path as it was given.
  package var path: String { database.path }

  consuming func takeDatabase() -> Database { database }
}

/// When a version of a record was read from its service, and what stands in where it does not say.
struct Seen {
  /// `retrieved_at` of the record.
  var retrieved: JSONValue?
  var time: Timestamp?
  /// The present, as the databases write it.
  var now: String

  init(retrieved: JSONValue?, now: String) {
    time = retrieved?.time
    self.retrieved = time == nil ? nil : retrieved
    self.now = now
  }

  /// Whether this version holds against one stored earlier. One that does not say when it was read never does.
  func isNewer(than stored: Timestamp?) -> Bool {
    guard let time else { return false }
    return stored.map { time >= $0 } ?? true
  }
}

extension Statement {
  /// Binds a JSON string's text; NULL for what is no string or empty.
  func bind(_ index: Int32, text value: JSONValue?) {
    guard let value, value.isText else { return bindNull(index) }
    let raw = value.rawString
    if raw.contains(UInt8(ascii: "\\")), let text = value.string {
      bind(index, text)
    } else {
      bind(index, inPlace: raw)
    }
  }

  /// Binds a JSON string's time in the form that the databases hold; NULL for what is none.
  func bind(_ index: Int32, time value: JSONValue?) {
    guard let value, value.isString, let time = value.time else { return bindNull(index) }
    // `2021-11-03T21:30:00.000Z` has 24 bytes, and no other form ends so at that length.
    let raw = value.rawString
    if raw.count == 24, raw[23] == UInt8(ascii: "Z") { bind(index, inPlace: raw) } else { bind(index, time.rfc3339) }
  }

  /// Binds when it was seen: as the record says, else now.
  func bind(_ index: Int32, _ seen: Seen) {
    if seen.time != nil { bind(index, time: seen.retrieved) } else { bind(index, seen.now) }
  }
}
