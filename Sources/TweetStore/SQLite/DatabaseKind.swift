import CSQLite
import TweetCore

/// One of the kit's kinds of database file: its name, its mark, and the scripts that make its schema.
package struct DatabaseKind: Sendable {
  /// The name in messages: "tweet store".
  package let name: String
  /// The value of `PRAGMA application_id`. We and file(1) recognise the file by it.
  package let applicationID: Int32
  /// SQL scripts. Each brings the schema from one version to the next; `PRAGMA user_version` counts those that were
  /// run. A script that was released never changes: a change of the schema is a new script.
  package let migrations: [StaticString]

  package init(name: String, applicationID: Int32, migrations: [StaticString]) {
    self.name = name
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// Whether the file is empty or a migration is missing. Throws if the file is of another kind or of a newer version.
  func isOutdated(_ connection: Connection) throws(ToolError) -> Bool {
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
    guard version >= 0 else { throw .badData("'\(connection.path)' is no \(name): its schema is \(version)") }
    guard version <= migrations.count else {
      throw .configuration(
        "'\(connection.path)' was made by a newer version of tw (schema \(version), this one knows \(migrations.count)):"
          + " upgrade tw, or name another file")
    }
    return version < migrations.count
  }

  /// Runs the missing migrations in one transaction. The caller holds the write lock.
  func migrate(_ connection: Connection) throws(ToolError) {
    // Another process may have run them while this one waited for the lock.
    guard try isOutdated(connection) else { return }
    // Only an empty file accepts this. It lets `prune` shrink the file without writing all of it again.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    // Stored in the file. On a file system without shared memory SQLite keeps its rollback journal, which also works.
    _ = try connection.text("PRAGMA journal_mode = WAL")
    try connection.execute("BEGIN IMMEDIATE")
    do throws(ToolError) {
      let version = try connection.integer("PRAGMA user_version")
      for script in migrations[version...] { try connection.execute("\(script)") }
      try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(migrations.count)")
      try connection.execute("COMMIT")
    } catch {
      sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }
}
