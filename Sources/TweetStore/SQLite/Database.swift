import CSQLite
import Libc
package import TweetCore

/// A connection to one database file: the only way to SQLite.
///
/// Write-ahead log, every commit on disk before it returns, and each write transaction and checkpoint under one
/// `WriteLock`, so that any number of processes can read and write at once. For one thread, or one actor, at a time.
package struct Database: ~Copyable {
  package enum Access: Sendable {
    /// The file must be there; nothing is changed, except that an old schema is brought up to date.
    case readOnly
    /// The file and its directory are made where they are missing.
    case readWrite
  }

  /// Seconds a writer waits for others before it gives up with status 75: far longer than any of our transactions.
  private static let patience = 30
  /// Milliseconds that SQLite itself waits: only for programs that do not know our lock.
  private static let busyTimeout: Int32 = 10_000
  /// Pages in the log above which a commit is followed by a checkpoint: 32 MiB, so that a bulk load copies pages that
  /// change often only now and then.
  private static let checkpointPages: Int32 = 2048

  private let connection: Connection
  /// The file's path as it was given.
  package let path: String

  /// Opens the file, and makes or brings up to date its schema.
  ///
  /// Throws ``ToolError/noInput(_:)`` for a missing file that is only to be read, ``ToolError/cannotCreate(_:)``,
  /// ``ToolError/badData(_:)`` when it is something else, ``ToolError/configuration(_:)`` when a newer version made it,
  /// ``ToolError/tryLater(_:)`` when others keep it busy.
  /// - Parameter syncs: whether a commit waits until the disk has it. Without, a crash of the machine, not of a program,
  ///   may lose commits or damage the file.
  package init(
    _ path: String, _ kind: DatabaseKind, _ access: Access, syncs: Bool = true
  ) throws(ToolError) {
    let connection = try Self.connect(path, access)
    if !syncs { try connection.execute("PRAGMA synchronous = OFF", doing: "open") }
    if try kind.isOutdated(connection) {
      try connection.lockWrites(within: Self.patience)
      defer { connection.unlockWrites() }
      try kind.migrate(connection)
    }
    if access == .readOnly { try connection.execute("PRAGMA query_only = 1") }
    self.path = path
    self.connection = connection
  }

  /// Opens a file whatever it holds, only to be read.
  init(damaged path: String) throws(ToolError) {
    let connection = try Self.connect(path, .readOnly)
    try connection.execute("PRAGMA query_only = 1", doing: "open")
    self.path = path
    self.connection = connection
  }

  deinit {
    guard connection.hasWritten else { return }
    // What is in the log is safe there; copying it now only saves later readers some work. So nothing is said when it
    // cannot be done.
    sqlite3_busy_timeout(connection.handle, 0)
    guard (try? connection.lockWrites(within: 0)) != nil else { return }
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    connection.unlockWrites()
  }

  private static func connect(_ path: String, _ access: Access) throws(ToolError) -> Connection {
    // SQLite takes these names for stores that vanish with the process.
    if path.isEmpty || path.hasPrefix(":memory:") {
      throw .cannotCreate("cannot open '\(path)': not the name of a file")
    }
    if isDirectory(path) {
      let said = "cannot open '\(path)': \(describe(errno: EISDIR))"
      throw access == .readOnly ? .noInput(said) : .cannotCreate(said)
    }
    switch access {
    case .readWrite:
      if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try Paths.createDirectory(String(path[..<slash]))
      }
      makePrivate(path)
      let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      try configure(connection)
      return connection
    case .readOnly:
      guard isReadable(path) else { throw .noInput("cannot open '\(path)': \(describe(errno: errno))") }
      do throws(ToolError) {
        let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
        try configure(connection)
        return connection
      } catch .cannotCreate {
        return try openUnchanging(path)
      }
    }
  }

  /// Makes a file that is not there, for this user alone; SQLite gives its log the same rights. It must not be opened here
  /// when it is there: closing it would take away the locks that another connection of this process has on it.
  private static func makePrivate(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // Where it cannot be made SQLite says why.
    if descriptor >= 0 { close(descriptor) }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether there is a file.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Opens a file in a directory that we cannot write to, where SQLite cannot make the log's index. Without a log beside
  /// it the file is whole and nobody can be writing it.
  private static func openUnchanging(_ path: String) throws(ToolError) -> Connection {
    var status = stat()
    if stat(path + "-wal", &status) == 0, status.st_size > 0 {
      throw .cannotCreate(
        "cannot read '\(path)': its directory is not writable, and '\(path)-wal' is not yet copied in")
    }
    var uri = ByteBuffer(capacity: 256)
    uri.append("file:")
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        uri.append("%")
        uri.append(String(byte, radix: 16))
      default: uri.append(byte)
      }
    }
    uri.append("?immutable=1")
    let connection = try Connection(path, uri: uri.string, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    try configure(connection)
    return connection
  }

  private static func configure(_ connection: Connection) throws(ToolError) {
    sqlite3_busy_timeout(connection.handle, busyTimeout)
    let handle = connection.handle
    // Checkpoints are ours alone, under the lock: not at closing, nor after commits, where the connection's hook stands in
    // the place of SQLite's own (`PRAGMA wal_autocheckpoint` would take ours away again).
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    // Files come from elsewhere too: SQL in a schema gets no powers, and no SQL can break the file.
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = tw_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // `fullfsync` is for macOS, whose fsync(2) does not reach the disk. The cache is what a bulk load's indexes need,
    // of the 64 MiB that a filter may take. A log grown large under a long reader is cut back to 64 MiB.
    // The page size holds for new files only: rows are one to five KiB, of which 16 KiB hold several and leave little
    // empty. It comes first, since the cache's size is turned into a number of pages.
    try connection.execute(
      """
      PRAGMA page_size = 16384;
      PRAGMA synchronous = FULL; PRAGMA fullfsync = 1;
      PRAGMA cache_size = -20000; PRAGMA journal_size_limit = 67108864
      """, doing: "open")
  }

  // MARK: Reading and writing

  /// Prepares a statement that the caller keeps. For SQL put together at run time; never put values into it.
  package func prepare(_ sql: String) throws(ToolError) -> Statement {
    try Statement(sql, on: connection.handle)
  }

  /// Runs one statement to its end; its preparation is kept for the next time.
  package func run(_ sql: StaticString, _ values: SQLValue...) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in try statement.run() }
  }

  /// Calls `body` with each row of a statement, whose preparation is kept for the next time.
  package func forEachRow(
    _ sql: StaticString, _ values: SQLValue..., body: (Row) throws(ToolError) -> Void
  ) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in
      while try statement.step() { try body(statement.row) }
    }
  }

  /// What `body` makes of a statement's first row; `nil` when there is none.
  package func first<Result>(
    _ sql: StaticString, _ values: SQLValue..., body: (Row) throws(ToolError) -> Result
  ) throws(ToolError) -> Result? {
    var result: Result?
    try with(sql, values) { (statement) throws(ToolError) in
      if try statement.step() { result = try body(statement.row) }
    }
    return result
  }

  private func with(
    _ sql: StaticString, _ values: [SQLValue], _ body: (borrowing Statement) throws(ToolError) -> Void
  ) throws(ToolError) {
    let text = "\(sql)"
    let statement = try connection.takeStatement(text)
    statement.bind(values)
    try body(statement)
    connection.putBack(statement, text)
  }

  /// The row id of the last row inserted here.
  package var lastInsertedRow: Int { Int(sqlite3_last_insert_rowid(connection.handle)) }
  /// A number that changes with every commit of another connection, and with none of this one.
  package var othersVersion: Int { get throws(ToolError) { try first("PRAGMA data_version") { $0.integer(0) } ?? 0 } }
  /// How many rows the last INSERT, UPDATE or DELETE here touched.
  package var changes: Int { Int(sqlite3_changes64(connection.handle)) }

  /// How many rows were ever touched here, those of the full-text index's own tables included.
  var totalChanges: Int { Int(sqlite3_total_changes64(connection.handle)) }

  /// Statements that give no rows and are run once: a script, or one put together at run time; never put values into it.
  func execute(_ sql: String) throws(ToolError) { try connection.execute(sql) }

  // MARK: Transactions

  /// Runs `body` as one write transaction: all of it is on disk when this returns, and nothing when it throws.
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

  /// Runs `body` in one read transaction: it sees the file as it is now, whatever others write.
  func read(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    try connection.execute("BEGIN", doing: "read from")
    // There is nothing that ending it could undo.
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    try body()
  }

  /// Bytes of the pages that hold something.
  func bytesInUse() throws(ToolError) -> Int {
    let pages = try connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count")
    return try pages * connection.integer("PRAGMA page_size")
  }

  /// Gives free pages back to the file system, `pages` a transaction.
  func shrink(pages: Int) throws(ToolError) {
    while try connection.integer("PRAGMA freelist_count") > 0, Interruption.signal == nil {
      let before = try connection.integer("PRAGMA page_count")
      try write { () throws(ToolError) in
        let vacuum = try prepare("PRAGMA incremental_vacuum(\(pages))")
        try vacuum.run()
      }
      if try connection.integer("PRAGMA page_count") >= before { break }
    }
    // Only what has been copied out of the log shortens the file. Readers may keep it for a later writer to do.
    try connection.lockWrites(within: Self.patience)
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    connection.unlockWrites()
  }

  /// Waits for the write lock and begins a transaction. Follow it with ``commit()`` or ``rollback()`` soon: others wait.
  package func begin() throws(ToolError) {
    try connection.lockWrites(within: Self.patience)
    do throws(ToolError) {
      try connection.execute("BEGIN IMMEDIATE")
    } catch {
      connection.unlockWrites()
      throw error
    }
  }

  /// Ends the transaction with all it did on disk. When it throws, nothing of it was done.
  package func commit() throws(ToolError) {
    do throws(ToolError) {
      try connection.execute("COMMIT")
    } catch {
      rollback()
      throw error
    }
    defer { connection.unlockWrites() }
    if connection.logPages > Self.checkpointPages {
      // What the log holds is safe there: a checkpoint that cannot run now runs after a later commit.
      sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
  }

  /// Ends the transaction with nothing of it done.
  package func rollback() {
    // After some failures SQLite has rolled back already, and says so; there is nothing left to do then.
    sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil)
    connection.unlockWrites()
  }
}
