import CSQLite
import Libc
package import TweetCore

/// The files of a database: the file itself, and its log with the log's index beside it.
package enum DatabaseFiles {
  private static let suffixes = ["", "-wal", "-shm"]

  /// Renames the files that are there, and brings their new names to the disk. The file itself comes first: a log
  /// without its file is nobody's.
  package static func move(_ old: String, to new: String) throws(ToolError) {
    for suffix in suffixes where Database.exists(old + suffix) {
      if rename(old + suffix, new + suffix) != 0 { throw cannotRename(old + suffix, new + suffix) }
    }
    try Paths.syncDirectory(of: new)
  }

  /// Puts a complete database, which has no log, in the place of another one. The caller holds the write lock. At no
  /// moment is there no database at the path: a program that comes then would make an empty one.
  /// - Parameter name: a name that the other one gets, with a number if it is in use.
  /// - Returns: that name; `nil` if there was none.
  package static func exchange(_ path: String, for new: String, keeping name: String) throws(ToolError) -> String? {
    var old: String?
    if Database.exists(path) {
      let unused = unusedPath(name)
      // Some file systems, such as those of cards, have one name for a file.
      if link(path, unused) != 0, rename(path, unused) != 0 { throw cannotRename(path, unused) }
      old = unused
      // The log is the old one's.
      for suffix in suffixes.dropFirst() where Database.exists(path + suffix) {
        if rename(path + suffix, unused + suffix) != 0 { throw cannotRename(path + suffix, unused + suffix) }
      }
    }
    if rename(new, path) != 0 {
      let error = cannotRename(new, path)
      if let old { for suffix in suffixes.reversed() { rename(old + suffix, path + suffix) } }
      throw error
    }
    try Paths.syncDirectory(of: path)
    return old
  }

  private static func cannotRename(_ old: String, _ new: String) -> ToolError {
    .cannotCreate("cannot rename '\(old)' to '\(new)': \(describe(errno: errno))")
  }

  /// Removes the files that are there, with a rollback journal and the file of our lock.
  package static func remove(_ path: String) {
    for suffix in suffixes + ["-journal", ".lock"] { unlink(path + suffix) }
  }

  /// The path itself, or with the first number after it that makes it unused.
  package static func unusedPath(_ path: String) -> String {
    var (unused, number) = (path, 1)
    while Database.exists(unused) {
      number += 1
      unused = "\(path)-\(number)"
    }
    return unused
  }
}

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
    [path, path + "-wal"].reduce(0) { $0 + (stat(of: $1)?.size ?? 0) }
  }
}
