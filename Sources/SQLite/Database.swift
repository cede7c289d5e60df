import CSQLite
import Libc
package import TweetCore

/// An open database file. All other code reaches SQLite through it.
///
/// It uses a write-ahead log. A commit is on disk when it returns. Each write transaction and each checkpoint holds the
/// `WriteLock`, so any number of processes can read and write. For one thread, or one actor, at a time.
package struct Database: ~Copyable {
  /// Seconds that a writer waits for others before it fails with status 75: far longer than any of our transactions.
  package static let lockTimeout = 30
  /// Milliseconds that SQLite itself waits for programs that do not know our lock.
  private static let busyTimeout: Int32 = 10_000

  /// Bytes of a page of a new file. Rows have about one KiB, so that a page holds several, and a single change writes
  /// half as much as with 16 KiB.
  static let pageSize = 8192

  let connection: Connection
  /// The file's path as the caller gave it.
  package let path: String

  /// Opens the file, and makes the schema of an empty one.
  ///
  /// Throws ``ToolError/noInput(_:)`` for a missing file that is only read, ``ToolError/cannotCreate(_:)``,
  /// ``ToolError/badData(_:)`` if the file is something else, ``ToolError/configuration(_:)`` if another version
  /// made it, ``ToolError/tryLater(_:)`` if other processes keep it busy.
  /// - Parameters:
  ///   - syncs: whether a commit waits until the data is on disk. If not, a crash of the machine (not of a program) may
  ///     lose commits or damage the file.
  ///   - looksAtLog: whether it is an error if SQLite would lose a part of the log; see ``LogFault``.
  package init(
    _ path: String, _ kind: DatabaseKind, _ access: FileAccess, syncs: Bool = true, looksAtLog: Bool = true
  ) throws(ToolError) {
    let connection = try Self.connect(path, access, as: kind, looksAtLog: looksAtLog)
    if !syncs { try connection.execute("PRAGMA synchronous = OFF", doing: "open") }
    if try kind.isEmpty(connection) {
      // A writer may be about to fill it. Who reads does not wait for that.
      if access == .readOnly { throw .noInput("'\(path)' is empty, and no \(kind.name) yet") }
      try connection.acquireWriteLock(within: Self.lockTimeout)
      defer { connection.releaseWriteLock() }
      try kind.create(connection)
    }
    if access == .readOnly { try connection.execute("PRAGMA query_only = 1") }
    _ = kind.functions?(connection.handle)
    self.path = path
    self.connection = connection
  }

  /// Whether the schema of a file is still to be made.
  package static func isEmpty(_ path: String, _ kind: DatabaseKind) throws(ToolError) -> Bool {
    try kind.isEmpty(try connect(path, .readOnly, as: kind))
  }

  /// Opens a file for reading without a look at its schema.
  package init(damaged path: String) throws(ToolError) {
    let connection = try Self.connect(path, .readOnly)
    try connection.execute("PRAGMA query_only = 1", doing: "open")
    self.path = path
    self.connection = connection
  }

  /// Throws what ``init(_:_:_:syncs:looksAtLog:)`` throws for a file of another kind or version. The rest of the file
  /// may be damaged. If nobody uses the file, nothing is created beside it.
  /// - Returns: whether the file is empty.
  @discardableResult
  package static func check(_ kind: DatabaseKind, ofDamaged path: String) throws(ToolError) -> Bool {
    let connection = hasLog(path) ? try connect(path, .readOnly, as: kind) : try openImmutable(path, as: kind)
    return try kind.isEmpty(connection)
  }

  /// The objects in the schema of a file that may be damaged.
  package static func schema(ofDamaged path: String) throws(ToolError) -> [SchemaObject] {
    try SchemaObject.all(of: hasLog(path) ? try connect(path, .readOnly) : try openImmutable(path))
  }

  /// The objects in the schema.
  package func schema() throws(ToolError) -> [SchemaObject] { try SchemaObject.all(of: connection) }

  deinit {
    guard connection.hasWritten else { return }
    // The log is safe on disk. A checkpoint now only saves later readers some work, so its failure is no error.
    sqlite3_busy_timeout(connection.handle, 0)
    guard (try? connection.acquireWriteLock(within: 0)) != nil else { return }
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    connection.releaseWriteLock()
  }

  private static func connect(
    _ path: String, _ access: FileAccess, as kind: DatabaseKind? = nil, looksAtLog: Bool = false
  ) throws(ToolError) -> Connection {
    // With these names SQLite would make a database in memory, which is lost at the end of the process.
    if path.isEmpty || path.hasPrefix(":memory:") {
      throw .cannotCreate("cannot open '\(path)': not the name of a file")
    }
    if stat(of: path)?.isFolder == true {
      let message = "cannot open '\(path)': \(describe(errno: EISDIR))"
      throw access == .readOnly ? .noInput(message) : .cannotCreate(message)
    }
    switch access {
    case .readWrite:
      try Paths.createDirectory(of: path)
      createPrivateFile(path)
      let connection = try Connection(
        path, as: kind, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, looksAtLog: looksAtLog)
      try configure(connection)
      return connection
    case .readOnly:
      guard isReadable(path) else { throw .noInput("cannot open '\(path)'", errno) }
      do throws(ToolError) {
        let connection = try Connection(path, as: kind, flags: SQLITE_OPEN_READWRITE, looksAtLog: looksAtLog)
        try configure(connection)
        return connection
      } catch .cannotCreate {
        return try openImmutable(path, as: kind)
      }
    }
  }

  /// Creates a missing file that only this user can read, also behind a symbolic link; SQLite gives its log the same
  /// rights. An existing file is not opened: closing it would release the locks that another connection of this process
  /// holds on it (POSIX, fcntl()).
  private static func createPrivateFile(_ path: String) {
    if exists(path) { return }
    // With O_EXCL a link to a missing file would be an error.
    // If this fails, SQLite fails next and says why.
    _ = Descriptor(path, O_RDWR | O_CREAT)
  }

  /// Whether commits lie beside the file that are not yet copied into it.
  private static func hasLog(_ path: String) -> Bool { stat(of: path + "-wal").map { $0.size > 0 } ?? false }

  /// Whether a file exists at that path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Opens a file in a directory that this process cannot write to. There SQLite cannot create the log's index. If no
  /// log lies beside the file, the file is complete and nobody is writing to it.
  private static func openImmutable(_ path: String, as kind: DatabaseKind? = nil) throws(ToolError) -> Connection {
    if hasLog(path) {
      throw .cannotCreate(
        "cannot read '\(path)': its directory is not writable, and '\(path)-wal' is not yet copied in")
    }
    let connection = try Connection(path, as: kind, option: "immutable=1", flags: SQLITE_OPEN_READONLY)
    try configure(connection)
    return connection
  }

  static func configure(_ connection: Connection) throws(ToolError) {
    sqlite3_busy_timeout(connection.handle, busyTimeout)
    let handle = connection.handle
    // SQLite must make no checkpoint by itself, since it would not hold our lock. This turns off the one at closing.
    // The connection's hook replaces the one after commits; `PRAGMA wal_autocheckpoint` would remove that hook.
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    // A file may come from a stranger. The first line keeps SQL in its schema from using functions and virtual tables
    // that could do harm. The second keeps SQL from damaging the file.
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // `fullfsync` is for macOS, whose fsync(2) does not reach the disk. The page size applies to new files. It comes
    // first, since SQLite turns the size of the cache into a number of pages.
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA secure_delete = 1;
      PRAGMA cache_size = -\(connection.load.cache);
      PRAGMA journal_size_limit = \(connection.load.keptLog)
      """, doing: "open")
  }

  // MARK: Reading and writing

  /// Prepares a statement that the caller keeps. The SQL may be put together at run time, but never from values.
  package func prepare(_ sql: String) throws(ToolError) -> Statement {
    try connection.prepare(sql)
  }

  /// Runs one statement to its end. The prepared statement is kept for the next call.
  package func run(_ sql: StaticString, _ values: SQLValue...) throws(ToolError) {
    try with("\(sql)", values) { (statement) throws(ToolError) in try statement.run() }
  }

  /// Runs one statement to its end. The SQL may be put together at run time, but never from values.
  package func run(sql: String, _ values: SQLValue...) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in try statement.run() }
  }

  /// Calls `body` with each row of a statement. The prepared statement is kept for the next call.
  package func forEachRow(
    _ sql: StaticString, _ values: SQLValue..., body: (Row) throws(ToolError) -> Void
  ) throws(ToolError) {
    try with("\(sql)", values) { (statement) throws(ToolError) in
      while try statement.step() { try body(statement.row) }
    }
  }

  /// Calls `body` with each row of a statement whose SQL was put together at run time, but never from values. The
  /// prepared statement is kept for the next call.
  package func forEachRow(
    sql: String, _ values: SQLValue..., body: (Row) throws(ToolError) -> Void
  ) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in
      while try statement.step() { try body(statement.row) }
    }
  }

  /// The result of `body` for the first row of a statement; `nil` if there is no row.
  package func first<Result>(
    _ sql: StaticString, _ values: SQLValue..., body: (Row) throws(ToolError) -> Result
  ) throws(ToolError) -> Result? {
    try first(sql: "\(sql)", values, body: body)
  }

  /// The same for a statement whose SQL was put together at run time, but never from values.
  package func first<Result>(
    sql: String, _ values: [SQLValue], body: (Row) throws(ToolError) -> Result
  ) throws(ToolError) -> Result? {
    var result: Result?
    try with(sql, values) { (statement) throws(ToolError) in
      if try statement.step() { result = try body(statement.row) }
    }
    return result
  }

  func with(
    _ sql: String, _ values: [SQLValue], _ body: (borrowing Statement) throws(ToolError) -> Void
  ) throws(ToolError) {
    let statement = try connection.borrowStatement(sql)
    statement.bind(values)
    try body(statement)
    connection.returnStatement(statement, sql)
  }

  /// The row id of the last row that this connection inserted.
  package var lastInsertedRow: Int { Int(sqlite3_last_insert_rowid(connection.handle)) }
  /// A number that changes when another connection commits, but not when this one does.
  package var dataVersion: Int { get throws(ToolError) { try first("PRAGMA data_version") { $0.integer(0) } ?? 0 } }
  /// Whether its path leads to another file now, as after a restore.
  package var isReplaced: Bool { connection.isReplaced }
  /// How many rows the last INSERT, UPDATE or DELETE of this connection changed.
  package var changes: Int { Int(sqlite3_changes64(connection.handle)) }

  /// How many rows this connection has changed in all, those of the full-text index's own tables included.
  package var totalChanges: Int { Int(sqlite3_total_changes64(connection.handle)) }

  /// Adapts the connection to what it is used for from now on.
  package func use(for load: DatabaseLoad) throws(ToolError) { try connection.use(for: load) }

  /// Runs a script once and ignores its rows. The SQL may be put together at run time, but never from values.
  package func execute(_ sql: String) throws(ToolError) { try connection.execute(sql) }

  // MARK: Transactions

  /// Runs `body` as one write transaction: when this returns all of it is on disk; when it throws, nothing of it is.
  package func write<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try begin()
    let result: Result
    do throws(ToolError) {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    try commit()
    return result
  }

  /// Runs `body` in one read transaction: it sees the file as it is now, even if others write meanwhile.
  package func read(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    try connection.execute("BEGIN", doing: "read from")
    // A read transaction has nothing to undo: COMMIT would do the same.
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    try body()
  }

  /// Waits for the write lock and begins a transaction. The caller soon calls ``commit()`` or ``rollback()``: others
  /// wait.
  package func begin() throws(ToolError) {
    try connection.acquireWriteLock(within: Self.lockTimeout)
    do throws(ToolError) {
      try connection.execute("BEGIN IMMEDIATE")
    } catch {
      connection.releaseWriteLock()
      throw error
    }
  }

  /// Commits the transaction: all of it is on disk. When it throws, the transaction is rolled back.
  package func commit() throws(ToolError) { try commit(makesCheckpoint: false) }

  /// - Parameter makesCheckpoint: whether the log is copied into the file however short it is.
  package func commit(makesCheckpoint: Bool) throws(ToolError) {
    do throws(ToolError) {
      try connection.execute("COMMIT")
    } catch {
      rollback()
      throw error
    }
    defer { connection.releaseWriteLock() }
    if makesCheckpoint { connection.makeCheckpoint() } else { connection.makeCheckpointIfDue() }
  }

  /// Undoes the transaction and releases the write lock.
  package func rollback() {
    // After some failures SQLite has rolled back already. Then this is an error that means nothing.
    sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
    connection.releaseWriteLock()
  }
}

extension Database {
  /// Makes a database in memory. It is gone when nobody has it open.
  /// - Parameter name: `/` and something that no other one of this process has.
  package init(inMemory name: String, _ kind: DatabaseKind) throws(ToolError) {
    let connection = try Connection(
      name, as: kind, option: Connection.inMemory, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try Self.configure(connection)
    try connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", doing: "open")
    try kind.create(connection)
    _ = kind.functions?(connection.handle)
    path = name
    self.connection = connection
  }

  /// Makes the tables of a database in memory available to the statements of this connection, as `schema.table`.
  package func attach(inMemory name: String, as schema: StaticString) throws(ToolError) {
    try execute("ATTACH 'file:\(name)?\(Connection.inMemory)' AS \(schema)")
  }

  /// Inserts the rows of a statement into a table with the same columns; those that are there already are left out.
  package func copyRows(
    _ sql: String, _ values: SQLValue..., to other: borrowing Database, _ table: String
  ) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in
      while try statement.step() {
        let marks = Array(repeating: "?", count: statement.row.count).joined(separator: ", ")
        try other.with("INSERT OR IGNORE INTO \(table) VALUES (\(marks))", []) { (insert) throws(ToolError) in
          insert.bind(statement.row)
          try insert.run()
        }
      }
    }
  }
}

extension Database {
  /// Runs `body`, which may write temporary tables. They are in memory, and the file does not change.
  package func writeTemporaryTables(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    // A change of where they are would remove those that are there.
    if try first("PRAGMA temp_store", body: { $0.integer(0) }) != 2 { try execute("PRAGMA temp_store = MEMORY") }
    let isReadOnly = try first("PRAGMA query_only") { $0.integer(0) } != 0
    try execute("PRAGMA query_only = 0")
    do throws(ToolError) {
      try body()
    } catch {
      if isReadOnly { try execute("PRAGMA query_only = 1") }
      throw error
    }
    if isReadOnly { try execute("PRAGMA query_only = 1") }
  }

  /// Runs `body` in one read transaction in which it can make temporary tables, also those of virtual tables. The file
  /// does not change.
  package func readWithTemporaryTables(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    let isReadOnly = try connection.integer("PRAGMA query_only") != 0
    try connection.execute("PRAGMA query_only = 0")
    _ = tw_sqlite_db_config(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer {
      _ = tw_sqlite_db_config(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
      if isReadOnly { sqlite3_exec(connection.handle, "PRAGMA query_only = 1", nil, nil, nil) }
    }
    try read(body)
  }
}

/// Receives how far long work is: how many of all steps are done (of 0 if that is not known), and what the steps are,
/// in the plural.
package typealias WorkSteps = (_ done: Int, _ all: Int, _ noun: String) -> Void

extension Database {
  /// How many instructions of SQLite's virtual machine lie between two calls: some tenths of a millisecond.
  private static let instructions: Int32 = 10_000

  /// Runs `body`, and calls `tick` again and again while its statements run. It must not use the database. A signal
  /// that asks the process to stop ends the statement, with ``ToolError/tryLater(_:)``.
  package func withTicks(_ tick: @escaping () -> Void = {}, _ body: () throws(ToolError) -> Void) throws(ToolError) {
    let handler = TickHandler(tick)
    sqlite3_progress_handler(
      connection.handle, Self.instructions,
      { context in
        if let context { Unmanaged<TickHandler>.fromOpaque(context).takeUnretainedValue().tick() }
        // Another value than 0 interrupts the statement.
        return Interruption.signal == nil ? 0 : 1
      }, Unmanaged.passUnretained(handler).toOpaque())
    defer {
      sqlite3_progress_handler(connection.handle, 0, nil, nil)
      withExtendedLifetime(handler) {}
    }
    try body()
  }
}

/// What SQLite gets a pointer to.
private final class TickHandler {
  let tick: () -> Void

  init(_ tick: @escaping () -> Void) { self.tick = tick }
}

extension Database {
  /// Calls `report` with the table and the name of each row that has a word in one of its columns. The tables of a
  /// full-text index are left out.
  /// - Parameter json: SQL for what is packed in the column `json` of a table with these columns.
  package func forEachTrace(
    of word: TracedWord, json: ([String]) -> String, _ report: (_ table: String, _ row: String) -> Void
  ) throws(ToolError) {
    let isShadow = "name LIKE 'tweet_search%' OR name LIKE 'sqlite_%'"
    var tables: [String] = []
    try forEachRow(sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND NOT (\(isShadow))") {
      tables.append($0.text(0) ?? "")
    }
    for table in tables {
      var (columns, keys, checks, required): ([String], [String], [String], [String]) = ([], [], [], [])
      try forEachRow(sql: "SELECT name, pk, type, \"notnull\" FROM pragma_table_info(?)", .text(table)) { row in
        let name = row.text(0) ?? ""
        columns.append(name)
        if row.integer(1) > 0 { keys.append(name) }
        guard row.text(2) == "TEXT" else { return }
        checks.append(name)
        if row.integer(3) != 0 { required.append(name) }
      }
      if columns.contains("json") { checks.append(json(columns)) }
      guard !checks.isEmpty else { continue }
      // A number says nothing to a person.
      if keys == ["key"], !required.isEmpty { keys = required }
      if columns.contains("service"), columns.contains("id") { keys = ["service", "id"] }
      let names = keys.map { key in
        ["tweet": "tweets", "user": "users"][key].map {
          "(SELECT service || ':' || id FROM main.\($0) WHERE key = t.\(key))"
        } ?? key
      }
      let conditions = checks.flatMap { check in word.forms.indices.map { "instr(lower(\(check)), ?\($0 + 1))" } }
      let name = names.map { "coalesce(\($0), '')" }.joined(separator: " || ':' || ")
      let find = try prepare("SELECT \(name) FROM main.\(table) t WHERE \(conditions.joined(separator: " OR "))")
      find.bind(word.forms.map { .text($0) })
      while try find.step() { report(table, find.row.text(0) ?? "") }
    }
  }
}
