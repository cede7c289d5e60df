import CSQLite
import TweetCore

/// Turns a result code of SQLite into the error a tool ends with: code, SQLite's words, and the SQL where the fault can
/// only be ours.
///
/// - Parameters:
///   - code: an extended result code.
///   - handle: the connection that gave it; `nil` when none could be made.
///   - path: the database file, where the connection does not know it yet.
///   - doing: what failed, as in "write to"; it stands before the path.
///   - sql: what was run.
func failure(
  _ code: Int32, _ handle: OpaquePointer?, path: String? = nil, doing: String, sql: String? = nil
) -> ToolError {
  let path = path ?? handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) } ?? "database"
  let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
  let said = "cannot \(doing) '\(path)': \(words)"
  let number = handle.map { sqlite3_system_errno($0) } ?? 0
  let reason = number == 0 ? nil : number
  if tw_sqlite_is_unwritable_place(code) != 0 { return .cannotCreate(said) }
  switch code & 0xFF {
  case SQLITE_BUSY, SQLITE_LOCKED:
    return .tryLater("'\(path)' is busy: another program that is not ours has it locked")
  case SQLITE_NOTADB:
    return .badData("'\(path)' is not a database")
  case SQLITE_CORRUPT:
    return .inputOutput(said + "; keep a copy of it, then 'tw-cache check --repair' saves what can be read")
  case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
    return .cannotCreate(reason.map { "cannot \(doing) '\(path)': \(describe(errno: $0))" } ?? said)
  case SQLITE_FULL:
    return .inputOutput("cannot \(doing) '\(path)': the disk is full")
  case SQLITE_IOERR:
    return .inputOutput(reason.map { "cannot \(doing) '\(path)': \(describe(errno: $0))" } ?? said)
  case SQLITE_READONLY, SQLITE_NOMEM, SQLITE_TOOBIG, SQLITE_INTERRUPT, SQLITE_PROTOCOL, SQLITE_NOLFS:
    return .inputOutput(said)
  default:
    return .bug(said + " (code \(code))" + (sql.map { " in: \($0)" } ?? ""))
  }
}
