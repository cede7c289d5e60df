import CSQLite
import TweetCore

/// SQLite's handle of one open file, and what belongs to it: kept statements, and the length of its log.
///
/// A reference, so that rows can be read while other statements run on the same database.
final class Connection {
  let handle: OpaquePointer
  let path: String
  /// Prepared statements that are not in use, by their SQL.
  private var idle: [String: OpaquePointer] = [:]
  /// Opened by the first write, so that whoever only reads needs no right to make a file.
  private var writeLock: WriteLock?
  /// Whether anything was written through it.
  private(set) var hasWritten = false
  /// Pages in the write-ahead log after the last commit; SQLite's hook writes it.
  private let logLength: UnsafeMutablePointer<Int32>

  var logPages: Int32 { logLength.pointee }

  /// Done once, whatever comes of it: SQLite works without.
  private static let isSetUp = tw_sqlite_set_up() == SQLITE_OK

  /// - Parameters:
  ///   - path: what messages call it.
  ///   - uri: what SQLite is to open in its place.
  ///   - flags: `SQLITE_OPEN_…`, beside those that always hold.
  init(_ path: String, uri: String? = nil, flags: Int32) throws(ToolError) {
    _ = Self.isSetUp
    var opened: OpaquePointer?
    // No mutexes: one owner at a time. A handle is given even when opening fails, to ask for the reason.
    // Some builds of SQLite take every name that starts so for a URI; a person means a file.
    let name = uri ?? (path.hasPrefix("file:") ? "./" + path : path)
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let error = failure(code, opened, path: path, doing: "open")
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    self.path = path
    logLength = .allocate(capacity: 1)
    logLength.initialize(to: 0)
    // There is one hook: this one takes the place of SQLite's, which makes checkpoints by itself.
    _ = sqlite3_wal_hook(
      opened,
      { length, _, _, pages in
        length?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, logLength)
  }

  deinit {
    for statement in idle.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    logLength.deallocate()
  }

  /// The file's full path, links resolved: what names that all processes agree on are made of.
  var fullPath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path
  }

  /// Takes the lock that writes and checkpoints run under; see ``WriteLock/take(within:)``.
  func lockWrites(within seconds: Int) throws(ToolError) {
    let lock: WriteLock
    if let writeLock { lock = writeLock } else { lock = try WriteLock(of: fullPath) }
    writeLock = lock
    try lock.take(within: seconds)
    hasWritten = true
  }

  func unlockWrites() { writeLock?.release() }

  /// Throws what a result code means, if it is not success.
  func check(_ code: Int32, doing: String, sql: String? = nil) throws(ToolError) {
    if code != SQLITE_OK { throw failure(code, handle, doing: doing, sql: sql) }
  }

  /// Runs statements without parameters, whose rows nobody wants.
  func execute(_ sql: String, doing: String = "write to") throws(ToolError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), doing: doing, sql: sql)
  }

  /// The first column of a statement's first row; 0 when there is none.
  func integer(_ sql: String) throws(ToolError) -> Int {
    let statement = try Statement(sql, on: handle)
    return try statement.step() ? statement.row.integer(0) : 0
  }

  /// The same as text.
  func text(_ sql: String) throws(ToolError) -> String? {
    let statement = try Statement(sql, on: handle)
    return try statement.step() ? statement.row.text(0) : nil
  }

  /// A statement for `sql`, an idle one where there is one; give it back with ``putBack(_:)``.
  func takeStatement(_ sql: String) throws(ToolError) -> Statement {
    if let statement = idle.removeValue(forKey: sql) { return Statement(adopting: statement) }
    return try Statement(sql, on: handle)
  }

  /// Keeps a statement for the next one who asks for the same SQL.
  func putBack(_ statement: consuming Statement, _ sql: String) {
    let pointer = statement.release()
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
    if let other = idle.updateValue(pointer, forKey: sql) { sqlite3_finalize(other) }
  }
}
