import CSQLite
import Libc
package import TweetCore

/// Copies of a store as one file, and stores made from them.
package enum StoreBackup {
  /// Writes a copy of the store to `file`, as it is at one moment; programs may write meanwhile. The copy is checked and on
  /// disk before it takes the place of an older one.
  /// - Throws: ``ToolError/inputOutput(_:)`` if the store is damaged: the older copy stays.
  package static func write(
    _ store: borrowing TweetStore, to file: String, progress: @escaping WorkSteps = { _, _, _ in }
  ) throws(ToolError) {
    let part = file + ".part"
    unlink(part)
    // SQLite would let others read it. It accepts an empty file.
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(part)': \(describe(errno: errno))") }
    close(descriptor)
    do throws(ToolError) {
      let size = try store.database.bytesInUse()
      let tick = { progress(Self.size(of: part) / 1_000_000, size / 1_000_000, "MB") }
      try store.database.withTicks(tick) { () throws(ToolError) in try store.database.copy(to: part) }
      try verify(part, copyOf: store.path, progress)
      try finish(part, as: file)
    } catch {
      DatabaseFiles.remove(part)
      throw error
    }
  }

  /// Makes a store from a copy. The copy is checked first. Returns the path of the store that was there; `nil` if none was.
  package static func restore(
    _ file: String, to path: String, progress: @escaping WorkSteps = { _, _, _ in }
  ) throws(ToolError) -> String? {
    // Reading makes nothing: a copy has no log.
    let source = try TweetStore(file, .readOnly, movesIncoming: false)
    // Where the store is a symbolic link, the file behind it is replaced.
    let path = Paths.real(path) ?? path
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Paths.createDirectory(String(path[..<slash]))
    }
    let lock = try WriteLock(of: path)
    try lock.acquire(within: Database.lockTimeout)
    defer { lock.release() }
    let part = path + ".part"
    try write(source, to: part, progress: progress)
    var old: String?
    if Database.exists(path) {
      let unused = DatabaseFiles.unusedPath(path + ".old")
      try DatabaseFiles.move(path, to: unused)
      old = unused
    }
    try DatabaseFiles.move(part, to: path)
    try Database.useLog(path)
    return old
  }

  /// Bytes of a file; 0 if it is not there.
  private static func size(of file: String) -> Int {
    var status = stat()
    return stat(file, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func verify(
    _ part: String, copyOf path: String, _ progress: @escaping WorkSteps
  ) throws(ToolError) {
    var fault: String?
    let copy = try TweetStore(part, .readOnly, movesIncoming: false)
    try copy.check(progress: progress) { if fault == nil { fault = $0 } }
    guard let fault else { return }
    throw .inputOutput("'\(path)' is damaged and was not copied: \(fault); 'tw-cache check' names all faults")
  }

  private static func finish(_ part: String, as file: String) throws(ToolError) {
    let descriptor = open(part, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      throw .inputOutput("cannot write '\(part)': \(describe(errno: errno))")
    }
    try DatabaseFiles.move(part, to: file)
  }
}

extension Database {
  /// Gives a file that was copied the log that a store has.
  fileprivate static func useLog(_ path: String) throws(ToolError) {
    let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE)
    _ = try connection.text("PRAGMA journal_mode = WAL")
  }
}
