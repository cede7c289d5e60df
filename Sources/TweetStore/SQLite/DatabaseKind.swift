import CSQLite
import TweetCore

/// One of the kit's kinds of database file: its name, its mark, and the scripts that make its schema.
package struct DatabaseKind: Sendable {
  /// The name in messages: "tweet store".
  package let name: String
  /// The value of `PRAGMA application_id`. We and file(1) recognise the file by it.
  package let applicationID: Int32
  /// Each brings the schema from one version to the next; `PRAGMA user_version` counts those that were run. A migration
  /// that was released never changes: a change of the schema is a new one.
  package let migrations: [Migration]

  package init(name: String, applicationID: Int32, migrations: [Migration]) {
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

  /// Runs the missing migrations. The caller holds the write lock; between two transactions others may get it.
  func migrate(_ connection: Connection, _ report: UpgradeReport? = nil) throws(ToolError) {
    // Another process may have run them while this one waited for the lock.
    guard try isOutdated(connection) else { return }
    // Only an empty file accepts this. It lets `prune` shrink the file without writing all of it again.
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    // Stored in the file. On a file system without shared memory SQLite keeps its rollback journal, which also works.
    _ = try connection.text("PRAGMA journal_mode = WAL")
    var clock = UpgradeClock(report)
    while try !runScripts(connection) {
      let later = migrations[(try connection.integer("PRAGMA user_version") + 1)...].count { $0.isInBatches }
      // Where a batch begins: another process may do some of them.
      var position = BatchPosition()
      while try !runBatch(connection, &position) {
        try clock.update(connection, position, laterMigrations: later)
        if Interruption.signal != nil {
          throw .tryLater(
            "interrupted while '\(connection.path)' is brought to a new version; the next command goes on")
        }
        connection.makeCheckpointIfDue()
        connection.releaseWriteLock()
        try connection.acquireWriteLock(within: Database.lockTimeout)
      }
      clock.finishMigration()
    }
  }

  /// Runs all scripts up to the next migration in batches, in one transaction. Returns whether none is missing then.
  private func runScripts(_ connection: Connection) throws(ToolError) -> Bool {
    try write(connection) { () throws(ToolError) in
      var version = try connection.integer("PRAGMA user_version")
      while version < migrations.count, case .script(let script) = migrations[version] {
        try connection.execute("\(script)")
        version += 1
      }
      try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      return version >= migrations.count
    }
  }

  /// Runs one batch of the current migration. Returns whether it was the last one.
  private func runBatch(_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool {
    var next = position
    let isLast = try write(connection) { () throws(ToolError) in
      let version = try connection.integer("PRAGMA user_version")
      // Another process has finished it.
      guard version < migrations.count, case .batches(let batches) = migrations[version] else { return true }
      let isLast = try batches.run(connection, &next)
      if isLast { try connection.execute("PRAGMA user_version = \(version + 1)") }
      return isLast
    }
    position = next
    return isLast
  }

  private func write(_ connection: Connection, _ body: () throws(ToolError) -> Bool) throws(ToolError) -> Bool {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(ToolError) {
      let result = try body()
      try connection.execute("COMMIT")
      return result
    } catch {
      sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }
}

/// A step from one version of a schema to the next.
package enum Migration: Sendable, ExpressibleByStringLiteral {
  /// SQL that is run in one transaction, together with the scripts beside it.
  case script(StaticString)
  /// Changes of many rows, in transactions of their own, so that others can write between them and a process that is
  /// killed loses little.
  case batches(MigrationBatches)

  package init(stringLiteral script: StaticString) { self = .script(script) }

  var isInBatches: Bool { if case .batches = self { true } else { false } }
}

/// A migration in batches.
package struct MigrationBatches: Sendable {
  /// Does what one transaction has room for, and returns whether nothing is left. It finds by itself what is not done yet;
  /// the position is what it remembers from one batch to the next.
  let run: @Sendable (_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool
}

/// How far a migration in batches is.
struct BatchPosition {
  /// Which of its steps.
  var step = 0
  /// The first key that is not done in this step.
  var key = Int.min
  /// How many rows were done in all steps.
  private(set) var rows = 0

  /// Goes to the next step.
  mutating func goOn() { (step, key) = (step + 1, .min) }

  /// Remembers that the row with this key is done in this step.
  mutating func done(_ key: Int) {
    self.key = max(self.key, key == .max ? key : key + 1)
    rows += 1
  }
}
