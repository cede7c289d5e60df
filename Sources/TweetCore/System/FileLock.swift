import Libc

/// Exclusive locks on small state files, held for milliseconds. The kernel releases a lock when its process dies.
/// flock(2) locks belong to the open file, so two holders in one process exclude each other too.
package enum FileLock {
  /// Opens the file, waits for its lock, and holds it while `body` runs. Creates the file and the directories above it
  /// when they are missing.
  ///
  /// - Parameter body: gets the locked file, open for reading and writing.
  /// - Throws: `ToolError.cannotCreate`, or `ToolError.tryLater` when a signal ends the wait; and what `body` throws.
  package static func hold<Result>(
    _ path: String, _ body: (_ descriptor: Int32) throws(ToolError) -> Result
  ) throws(ToolError) -> Result {
    var descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0, errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Paths.createDirectory(String(path[..<slash]))
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      let fault = errno
      guard fault == EINTR else { throw .inputOutput("cannot lock '\(path)': \(describe(errno: fault))") }
      if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(path)'") }
    }
    return try body(descriptor)
  }
}
