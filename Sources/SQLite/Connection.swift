import CChecksum
import CSQLite
import TweetCore

/// SQLite's handle of one open file, with its prepared statements and the length of its write-ahead log.
///
/// A class, so that other statements can run on the database while rows are read.
final class Connection {
  let handle: OpaquePointer
  let path: String
  /// What it was opened as; `nil` where that is not known.
  private let kind: DatabaseKind?
  /// What to do with a damaged file of this kind.
  private let advice: StaticString?
  /// Prepared statements that nobody uses now, by their SQL.
  private var idle: [StatementText: OpaquePointer] = [:]
  /// The one of them that was used last. It is mostly the one that is used next.
  private var last: (sql: String, statement: OpaquePointer)?
  /// Opened by the first write: who only reads need not have the right to create a file.
  private var writeLock: WriteLock?
  /// Whether it is a database in memory, which no other process sees: it needs no lock.
  private let isPrivate: Bool
  /// Whether this connection has ever written.
  private(set) var hasWritten = false
  /// Pages in the write-ahead log after the last commit. SQLite's hook sets it.
  private let logLength: UnsafeMutablePointer<Int32>

  /// The file, while this process has it open.
  private let file: LogFault.FileName?

  private var logPages: Int32 { logLength.pointee }
  /// What the connection is used for.
  private(set) var load = DatabaseLoad.usual

  /// The option of a database in memory. Its path begins with a slash; other connections of this process open it by the
  /// same one.
  static let inMemory = "vfs=memdb"

  /// Done once. SQLite also works if it fails.
  private static let isSetUp = tw_sqlite_set_up() == SQLITE_OK

  /// - Parameters:
  ///   - path: the file's path, also for messages.
  ///   - kind: what it is opened as, for messages.
  ///   - option: a parameter of SQLite's URIs: `immutable=1`.
  ///   - flags: `SQLITE_OPEN_…`, added to those that every connection has.
  ///   - looksAtLog: whether it is an error if SQLite would lose a part of the log; see ``LogFault``. The kind is given
  ///     then.
  init(
    _ path: String, as kind: DatabaseKind? = nil, option: String = "", flags: Int32, looksAtLog: Bool = false
  ) throws(ToolError) {
    _ = Self.isSetUp
    (self.kind, advice) = (kind, kind?.damage)
    let file = try LogFault.enter(path, looksAtLog ? kind : nil)
    var opened: OpaquePointer?
    let every = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // No mutexes, since a connection has one user at a time. SQLite gives a handle even if opening fails: it knows why.
    let code = sqlite3_open_v2(Self.uri(path, option), &opened, flags | every, nil)
    guard code == SQLITE_OK, let opened else {
      let error = failure(code, opened, path: path, doing: "open", advice: advice)
      sqlite3_close_v2(opened)
      if let file { LogFault.leave(file) }
      throw error
    }
    self.file = file
    // They can fail only for lack of memory; then statements that use the functions fail.
    _ = tw_add_row_sum(opened)
    handle = opened
    self.path = path
    isPrivate = option == Self.inMemory
    logLength = .allocate(capacity: 1)
    logLength.initialize(to: 0)
    // There is only one hook. This one replaces SQLite's own, which makes checkpoints without our lock.
    _ = sqlite3_wal_hook(
      opened,
      { length, _, _, pages in
        length?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, logLength)
  }

  /// The URI of a file. A connection that was opened by one can attach databases in memory by theirs.
  private static func uri(_ path: String, _ option: String) -> String {
    var uri = ByteBuffer(capacity: 256)
    // A second slash would begin the name of a machine.
    uri.append(path.hasPrefix("/") ? "file://" : "file:")
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        uri.append("%")
        uri.append(String(byte, radix: 16))
      default: uri.append(byte)
      }
    }
    if !option.isEmpty { uri.append("?" + option) }
    return uri.string
  }

  deinit {
    for statement in idle.values { sqlite3_finalize(statement) }
    if let last { sqlite3_finalize(last.statement) }
    sqlite3_close_v2(handle)
    if let file { LogFault.leave(file) }
    logLength.deallocate()
  }

  /// The file's full path with symbolic links resolved: all processes derive the same name of the lock file from it.
  var fullPath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path
  }

  /// Acquires the lock that writes and checkpoints need; see ``WriteLock/acquire(within:)``.
  func acquireWriteLock(within seconds: Int) throws(ToolError) {
    if isPrivate { return }
    let lock: WriteLock
    if let writeLock { lock = writeLock } else { lock = try WriteLock(of: fullPath, kind) }
    writeLock = lock
    try lock.acquire(within: seconds)
    hasWritten = true
  }

  func releaseWriteLock() { writeLock?.release() }

  /// Adapts the connection to what it is used for from now on.
  func use(for load: DatabaseLoad) throws(ToolError) {
    if load == self.load { return }
    try execute("PRAGMA cache_size = -\(load.cache); PRAGMA journal_size_limit = \(load.keptLog)")
    self.load = load
  }

  /// Makes a checkpoint if the log has become long. The caller holds the write lock.
  func makeCheckpointIfDue() {
    if logPages > load.checkpointPages { makeCheckpoint() }
  }

  /// Copies the log into the file, as far as no reader prevents it. The caller holds the write lock. The log is safe on
  /// disk: a checkpoint that fails now is made later.
  func makeCheckpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

  /// Whether its path leads to another file now, or to none: what is written here is in nobody's store.
  var isReplaced: Bool { file.map { LogFault.FileName(fullPath) != $0 } ?? false }

  /// Throws the error that a result code stands for, unless it is success.
  func check(_ code: Int32, doing: String, sql: String? = nil) throws(ToolError) {
    if code != SQLITE_OK { throw failure(code, handle, doing: doing, sql: sql, advice: advice) }
  }

  /// Runs statements without parameters and ignores their rows.
  func execute(_ sql: String, doing: String = "write to") throws(ToolError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), doing: doing, sql: sql)
  }

  /// Prepares a statement.
  func prepare(_ sql: String) throws(ToolError) -> Statement { try Statement(sql, on: handle, advice) }

  /// The integer in the first column of the first row; 0 if there is no row.
  func integer(_ sql: String) throws(ToolError) -> Int {
    let statement = try prepare(sql)
    return try statement.step() ? statement.row.integer(0) : 0
  }

  /// The integer in the first column of the first row; `nil` if there is no row or it is NULL.
  func optionalInteger(_ sql: String) throws(ToolError) -> Int? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.row.optionalInteger(0) : nil
  }

  /// The text in the first column of the first row; `nil` if there is no row or it is NULL.
  func text(_ sql: String) throws(ToolError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.row.text(0) : nil
  }

  /// A statement for `sql`: an idle one if there is one, else a new one. The caller gives it back with
  /// ``returnStatement(_:_:)``.
  func borrowStatement(_ sql: String) throws(ToolError) -> Statement {
    if let last, last.sql == sql {
      self.last = nil
      return Statement(adopting: last.statement, advice)
    }
    if let statement = idle.removeValue(forKey: StatementText(sql)) { return Statement(adopting: statement, advice) }
    return try prepare(sql)
  }

  /// Keeps a statement for the next use of the same SQL.
  func returnStatement(_ statement: consuming Statement, _ sql: String) {
    let pointer = statement.release()
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
    if let last, let other = idle.updateValue(last.statement, forKey: StatementText(last.sql)) {
      sqlite3_finalize(other)
    }
    last = (sql, pointer)
  }
}

/// SQL as the key of its prepared statement. Statements are long and few, and those that are used often are the same
/// string: to hash all of it takes as long as to read a row, to compare it with itself takes nothing.
private struct StatementText: Hashable {
  private let sql: String

  init(_ sql: String) { self.sql = sql }

  func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

/// What a connection is used for.
package enum DatabaseLoad {
  case usual
  /// Large transactions follow each other.
  case bulk
  /// Somebody reads a little now and then, for hours: the system's own cache of the file is enough.
  case resident

  /// KiB of pages that are kept in memory. In a bulk load these are the pages of the indexes that each transaction
  /// changes anew: as many as a store of a million tweets has.
  var cache: Int {
    switch self {
    case .usual: 20_000
    case .bulk: 128_000
    case .resident: 2_000
    }
  }

  /// If the log has more pages than this (32 MiB and 256 MiB of 8 KiB each), a commit makes a checkpoint. A lower
  /// number would make a bulk load copy the pages that change often again and again.
  var checkpointPages: Int32 { self == .bulk ? 32_768 : 4096 }

  /// A log that grew longer, while somebody read for long, is cut to this many bytes. What is kept is not allocated
  /// anew.
  var keptLog: Int { self == .bulk ? 256 << 20 : 64 << 20 }
}
