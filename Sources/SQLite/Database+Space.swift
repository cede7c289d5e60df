import CSQLite
import Libc
package import TweetCore

extension Database {
  /// Writes a copy of the file, as it is now, to a file that is empty. Nothing else changes; others may write
  /// meanwhile.
  /// - Parameter name: what messages call the copy: what cannot be written is that, not this file.
  package func copy(to file: String, named name: String) throws(ToolError) {
    let isReadOnly = try connection.integer("PRAGMA query_only") != 0
    try connection.execute("PRAGMA query_only = 0")
    defer { if isReadOnly { sqlite3_exec(connection.handle, "PRAGMA query_only = 1", nil, nil, nil) } }
    let copying = try connection.prepare("VACUUM INTO ?")
    copying.bind([.text(file)])
    do throws(ToolError) {
      _ = try copying.step()
    } catch {
      let code = sqlite3_extended_errcode(connection.handle)
      // SQLITE_IOERR_READ, _SHORT_READ and _DATA, which Swift does not import.
      let isReading = [1, 2, 32].contains(code >> 8)
      guard [SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xFF), !isReading else { throw error }
      throw failure(code, connection.handle, path: name, doing: "write", advice: nil)
    }
  }

  /// Bytes of all pages that are not free.
  package func bytesInUse() throws(ToolError) -> Int {
    let pages = try connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count")
    return try pages * connection.integer("PRAGMA page_size")
  }

  /// Bytes that the log can have: the room on the disk, and what it has already, once it is copied into the file.
  package func roomForLog() throws(ToolError) -> Int {
    try copyLog()
    var (disk, log) = (statvfs(), stat())
    guard statvfs(connection.fullPath, &disk) == 0 else { return .max }
    let used = stat(connection.fullPath + "-wal", &log) == 0 ? Int(log.st_size) : 0
    return Int(clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
      + used
  }

  /// Copies the log into the file, so that it begins anew.
  package func copyLog() throws(ToolError) {
    try connection.acquireWriteLock(within: Self.lockTimeout)
    connection.makeCheckpoint()
    connection.releaseWriteLock()
  }

  /// Returns free pages to the file system, `pages` in each transaction.
  /// - Parameter makesCheckpoints: whether the log is copied into the file after each, so that it stays short.
  package func shrink(
    pages: Int, makesCheckpoints: Bool = false, _ progress: WorkSteps = { _, _, _ in }
  ) throws(ToolError) {
    let all = try connection.integer("PRAGMA freelist_count")
    while case let rest = try connection.integer("PRAGMA freelist_count"), rest > 0, Interruption.signal == nil {
      progress(all - rest, all, "pages")
      let before = try connection.integer("PRAGMA page_count")
      try begin()
      do throws(ToolError) {
        let vacuum = try prepare("PRAGMA incremental_vacuum(\(pages))")
        try vacuum.run()
      } catch {
        rollback()
        throw error
      }
      try commit(makesCheckpoint: makesCheckpoints)
      if try connection.integer("PRAGMA page_count") >= before { break }
    }
    // The file becomes shorter only with a checkpoint. If readers prevent this one, a later writer makes it.
    try connection.acquireWriteLock(within: Self.lockTimeout)
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    connection.releaseWriteLock()
  }

  /// Writes the whole file anew, so that it has nothing of rows that are gone: not in free pages, not in gaps between
  /// rows, and, unless somebody reads it meanwhile, not in the log. Needs room for a second one.
  package func rewrite() throws(ToolError) {
    try connection.acquireWriteLock(within: Self.lockTimeout)
    defer { connection.releaseWriteLock() }
    try connection.execute("VACUUM")
    sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Copies the log of a file that nobody else has open into it, and removes it.
  package static func removeLog(of path: String) throws(ToolError) {
    let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
    try configure(connection)
    try connection.check(
      sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil), doing: "write to")
    _ = tw_sqlite_db_config(connection.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
  }

  /// Gives a file that was copied the log that other files have.
  package static func useLog(_ path: String) throws(ToolError) {
    let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
    _ = try connection.text("PRAGMA journal_mode = WAL")
  }

  /// Bytes of a database file and its log.
  package static func size(_ path: String) -> Int {
    [path, path + "-wal"].reduce(0) { total, path in
      var status = stat()
      return stat(path, &status) == 0 ? total + Int(status.st_size) : total
    }
  }
}
