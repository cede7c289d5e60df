import CSQLite
import Libc
package import TweetCore

/// The ``ToolError`` for a result code of SQLite. Its message has SQLite's own words, and the SQL if only our code can
/// be wrong.
///
/// - Parameters:
///   - code: an extended result code.
///   - handle: the connection that returned it; `nil` if there is none.
///   - path: the database file, for a connection that does not know it yet.
///   - doing: what failed, as a verb that the path can follow: "write to".
///   - sql: the statement that failed.
///   - advice: what to do with a damaged file; `nil` where nobody is told.
func failure(
  _ code: Int32, _ handle: OpaquePointer?, path: String? = nil, doing: String, sql: String? = nil, advice: StaticString?
) -> ToolError {
  let path = path ?? handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) } ?? "database"
  let detail = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
  let message = "cannot \(doing) '\(path)': \(detail)"
  let number = handle.map { sqlite3_system_errno($0) } ?? 0
  let reason = number == ENOENT && access(path, F_OK) == 0 ? unwritable(path) : number == 0 ? nil : number
  if tw_sqlite_is_unwritable_place(code) != 0 { return .cannotCreate(message) }
  let advice = advice.map { "; \($0)" } ?? ""
  switch code & 0xFF {
  case SQLITE_BUSY, SQLITE_LOCKED:
    return .tryLater("'\(path)' is busy: another program that is not ours has it locked")
  case SQLITE_NOTADB:
    return .badData("'\(path)' is not a database")
  case SQLITE_CORRUPT:
    return .inputOutput(message + advice)
  case SQLITE_ERROR where damages.contains { detail.hasPrefix($0) }:
    return .inputOutput(message + advice)
  case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
    return reason.map { .cannotCreate("cannot \(doing) '\(path)'", $0) } ?? .cannotCreate(message)
  case SQLITE_FULL:
    return .inputOutput("cannot \(doing) '\(path)'\(fullDisk)")
  case SQLITE_IOERR where tw_has_file_limit() != 0 && (reason == nil || reason == EFBIG):
    return .inputOutput("cannot \(doing) '\(path)': the limit on the size of files is reached (ulimit -f)")
  case SQLITE_IOERR where reason == ENOLCK:
    return WriteLock.failure(ENOLCK, of: path, nil)
  case SQLITE_IOERR:
    return reason.map { .inputOutput("cannot \(doing) '\(path)'", $0) } ?? .inputOutput(message)
  case SQLITE_INTERRUPT:
    return .tryLater("interrupted while '\(path)' was in use")
  case SQLITE_READONLY, SQLITE_NOMEM, SQLITE_TOOBIG, SQLITE_PROTOCOL, SQLITE_NOLFS:
    return .inputOutput(message)
  default:
    return .bug(message + " (code \(code))" + (sql.map { " in: \($0)" } ?? ""))
  }
}

private let fullDisk = ": the disk is full"

extension ToolError {
  /// Whether a write found no room on the disk.
  package var isFullDisk: Bool {
    if case .inputOutput(let message) = self { message.hasSuffix(fullDisk) } else { false }
  }
}

/// Why nothing can be created beside a file that is there; `nil` if it can. SQLite then only says that the log is
/// missing.
private func unwritable(_ path: String) -> Int32? {
  access(Paths.folder(of: path), W_OK) == 0 ? nil : errno
}

/// How SQLite's messages begin that a file without damage cannot cause: its schema is not the one that our SQL is for.
private let damages = [
  "no such table:", "no such column:", "no such index:", "no such view:", "no such module:",
  "no such collation sequence:",
  "no such function:",
  "unsupported file format",
]
