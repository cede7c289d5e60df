import CSQLite
import TweetCore

/// One of the kit's kinds of database file: its name, its mark, and the script that makes its schema.
package struct DatabaseKind: Sendable {
  /// The name in messages: "tweet store".
  package let name: String
  /// The value of `PRAGMA application_id`. We and file(1) recognise the file by it.
  package let applicationID: Int32
  /// The value of `PRAGMA user_version`. A file of another version is not opened.
  package let version: Int
  /// What names another file: an option and a variable of the environment, or one of them.
  package let place: String
  /// What to do with a file of another version, as the end of a message.
  package let move: String
  /// What to do with a damaged file, as the end of a message.
  package let damage: StaticString
  /// SQL that makes the tables of an empty file.
  package let schema: StaticString
  /// Adds the functions of SQL that statements on such a file use, beside `row_sum`, to SQLite's handle of a
  /// connection; `nil` if there are none. If it fails, which only a lack of memory causes, statements that use them
  /// fail.
  package let functions: (@convention(c) (OpaquePointer?) -> Int32)?

  package init(
    name: String, place: String, applicationID: Int32, version: Int, move: String, damage: StaticString,
    functions: (@convention(c) (OpaquePointer?) -> Int32)? = nil, schema: StaticString
  ) {
    self.name = name
    self.place = place
    self.applicationID = applicationID
    self.version = version
    self.move = move
    self.damage = damage
    self.functions = functions
    self.schema = schema
  }

  /// Whether the file is empty, so that the schema is still to be made. Throws if the file is of another kind or
  /// version.
  func isEmpty(_ connection: Connection) throws(ToolError) -> Bool {
    // In one transaction: another process may be setting the file up, which must be seen as a whole or not at all.
    try connection.execute("BEGIN", doing: "open")
    defer { sqlite3_exec(connection.handle, "COMMIT", nil, nil, nil) }
    let version = try connection.integer("PRAGMA user_version")
    let application = try connection.integer("PRAGMA application_id")
    if application != Int(applicationID) {
      let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      guard application == 0, version == 0, isEmpty else {
        throw .badData("'\(connection.path)' is a database, but no \(name)")
      }
      return true
    }
    guard version == self.version else {
      throw .configuration(
        "'\(connection.path)' was made by another version of tw (schema \(version), this one has \(self.version)): \(move)"
      )
    }
    return false
  }

  /// Makes the schema of an empty file. The caller holds the write lock.
  func create(_ connection: Connection) throws(ToolError) {
    // Another process may have done so while this one waited for the lock.
    guard try isEmpty(connection) else { return }
    // Only an empty file accepts this. It lets `prune` shrink the file without writing all of it again.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    // Stored in the file. On a file system without shared memory SQLite keeps its rollback journal, which also works.
    _ = try connection.text("PRAGMA journal_mode = WAL")
    try connection.execute("BEGIN IMMEDIATE")
    do throws(ToolError) {
      try connection.execute("\(schema)")
      try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version); COMMIT")
    } catch {
      sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }
}
