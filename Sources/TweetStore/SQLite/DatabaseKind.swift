import CSQLite
import TweetCore

/// What a database file of the kit is: how it is recognised, and how its schema came to be.
package struct DatabaseKind: Sendable {
  /// What messages call it: "tweet store".
  package let name: String
  /// `PRAGMA application_id`: file(1) and we tell by it what a file is.
  package let applicationID: Int32
  /// SQL scripts, each taking the schema one version further. One that was released is never changed, only followed;
  /// `PRAGMA user_version` counts those that were run.
  package let migrations: [StaticString]

  package init(name: String, applicationID: Int32, migrations: [StaticString]) {
    self.name = name
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// Whether the file lacks a migration, or is not yet set up at all. Throws when it is none of ours or too new.
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

  /// Sets the file up and runs what is missing, in one transaction. The caller holds the write lock.
  func migrate(_ connection: Connection) throws(ToolError) {
    // Another process may have done it while we waited for the lock.
    guard try isOutdated(connection) else { return }
    // Only a file without pages can still be given this; with it, pruning can shrink the file without rewriting it.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    // Kept in the file. Where the file system cannot do it SQLite stays with its rollback journal, which serves as well.
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
