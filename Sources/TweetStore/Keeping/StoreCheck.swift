package import SQLite
package import TweetCore

extension TweetStore {
  /// Calls `report` with each fault of the store: of its log, its schema, its pages, the references between its rows,
  /// its records and their checksums, the columns and tables that follow from records, and the full-text index.
  ///
  /// Nothing is written. The write lock is held for a moment if the log looks damaged: it does, too, while somebody
  /// writes it.
  package func check(
    progress: @escaping WorkSteps = { _, _, _ in }, _ report: (String) -> Void
  ) throws(ToolError) {
    if let fault = try LogFault.find(path, TweetStore.kind) { report(fault) }
    try step(report) { () throws(ToolError) in try checkSchema(report) }
    try step(report, { progress(0, 0, "pages") }) { () throws(ToolError) in
      try database.forEachRow("PRAGMA integrity_check") { row in
        if let text = row.text(0), text != "ok" { report(text) }
      }
    }
    try step(report) { () throws(ToolError) in
      try database.forEachRow("SELECT \"table\", count(*), parent FROM pragma_foreign_key_check GROUP BY 1, 3") { row in
        report("\(row.integer(1)) rows of \(row.text(0) ?? "") name what is not in \(row.text(2) ?? "")")
      }
    }
    for table in RowSum.all where table.table != "tweets" && table.table != "users" {
      try step(report) { () throws(ToolError) in try checkSums(of: table, report) }
    }
    try step(report) { () throws(ToolError) in try checkUsers(report) }
    try step(report) { () throws(ToolError) in
      try database.read { () throws(ToolError) in try RecordCheck(database).run(database, progress, report) }
    }
    do throws(ToolError) {
      try database.withTicks { () throws(ToolError) in try database.checkSearchIndex() }
    } catch .inputOutput {
      report("the full-text index does not agree with the texts")
    } catch .bug {
      // A table is missing that its texts are in.
      report("the full-text index cannot be compared with the texts")
    }
  }

  /// Calls `report` with the faults that can be found in a moment, however large the store is: of its log and its
  /// schema. Opening it has found others: of its kind, its version, and its length.
  ///
  /// - Parameter seconds: how long another program may keep the lock.
  /// - Throws: ``ToolError/tryLater(_:)`` if one keeps it longer, ``ToolError/configuration(_:)`` if its file system
  ///   has no locks.
  package func checkQuickly(lockTimeout seconds: Int, _ report: (String) -> Void) throws(ToolError) {
    if let fault = try LogFault.find(path, TweetStore.kind) { report(fault) }
    try step(report) { () throws(ToolError) in try checkSchema(report) }
    let lock: WriteLock
    do throws(ToolError) {
      lock = try WriteLock(of: Paths.real(path) ?? path, TweetStore.kind)
    } catch .cannotCreate {
      // Nobody of this user can write it, so nobody waits for the lock.
      return
    }
    try lock.acquire(within: seconds)
    lock.release()
  }

  /// Runs one step. Data that cannot be read is reported as a fault, and the next step follows. So is what a missing
  /// table makes of a statement. A signal ends the check.
  private func step(
    _ report: (String) -> Void, _ tick: @escaping () -> Void = {}, _ body: () throws(ToolError) -> Void
  ) throws(ToolError) {
    do throws(ToolError) {
      try database.withTicks(tick, body)
    } catch .inputOutput(let message) {
      report(message)
    } catch .bug(let message) {
      report(message)
    }
  }

  private func checkSchema(_ report: (String) -> Void) throws(ToolError) {
    let found = Dictionary(try database.schema().map { ($0.name, $0) }) { first, _ in first }
    for object in try Self.kind.objects() {
      guard let same = found[object.name] else {
        report("the \(object.type) \(object.name) is missing")
        continue
      }
      if same != object { report("the \(object.type) \(object.name) is not as tw made it") }
    }
  }

  private func checkSums(of table: RowSum, _ report: (String) -> Void) throws(ToolError) {
    let statement = try database.prepare(
      "SELECT count(*) FROM \(table.table) WHERE NOT coalesce(\(table.isSound()), FALSE)")
    guard try statement.step(), statement.row.integer(0) > 0 else { return }
    let count = statement.row.integer(0)
    report("\(counted(count, "row")) of \(table.table) \(count == 1 ? "is" : "are") damaged")
  }

  private func checkUsers(_ report: (String) -> Void) throws(ToolError) {
    let statement = try database.prepare(
      "SELECT \(RowSum.users.isSound()), service, id, username, name, \(RecordPacker.user) FROM users ORDER BY key")
    while try statement.step() {
      let row = statement.row
      let name = "user '\(row.text(1) ?? ""):\(row.text(2) ?? "")'"
      guard row.isSound(0) == true, let document = StoredColumns.parse(row.bytes(5)) else {
        report("\(name) is damaged")
        continue
      }
      for (column, key) in [(2, "id"), (3, "username"), (4, "name")] as [(Int32, StaticString)] {
        let told = document[key]?.nonEmptyString ?? "NULL"
        let stored = row.text(column) ?? "NULL"
        if stored != told { report("\(name): \(key) is \(stored), but \(told) in the record") }
      }
    }
  }
}

extension Database {
  /// Compares the full-text index with the texts. FTS5's own check is a statement that writes, so a copy of the index
  /// is checked, in a temporary file: that works where the file cannot be written, and no program has to wait.
  fileprivate func checkSearchIndex() throws(ToolError) {
    try readWithTemporaryTables { () throws(ToolError) in
      guard let index = try schema().first(where: { $0.name == "tweet_search" }) else {
        throw .inputOutput("there is no full-text index")
      }
      try execute(
        """
        CREATE TEMP VIEW search_source AS
          SELECT key, coalesce(indexed, text) AS text, quote, alt, more FROM main.tweets
        """)
      try execute(index.sql.replacing("TABLE tweet_search ", with: "TABLE temp.tweet_search "))
      for table in ["tweet_search_data", "tweet_search_idx", "tweet_search_config"] {
        try execute("DELETE FROM temp.\(table); INSERT INTO temp.\(table) SELECT * FROM main.\(table)")
      }
      try execute("INSERT INTO temp.tweet_search (tweet_search, rank) VALUES ('integrity-check', 1)")
    }
  }
}
