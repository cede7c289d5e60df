#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The exclusive lock on a small state file, held from `init` to the end of the value's life. The kernel drops it when its
/// process dies, however it dies.
///
/// For files that are held for milliseconds: taking it waits. flock(2) locks belong to the open file, so two values in one
/// process exclude each other too.
package struct FileLock: ~Copyable {
  /// The locked file, open for reading and writing.
  package let descriptor: Int32

  /// Opens the file, making it and the directories above it where they are missing, and waits for the lock.
  /// - Throws: `ToolError.cannotCreate`, or `ToolError.tryLater` when a signal ends the wait.
  package init(_ path: String) throws(ToolError) {
    var opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if opened < 0, errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Paths.createDirectory(String(path[..<slash]))
      opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    guard opened >= 0 else { throw .cannotCreate("cannot create '\(path)': \(describe(errno: errno))") }
    while flock(opened, LOCK_EX) != 0 {
      let fault = errno
      if fault == EINTR, Interruption.signal == nil { continue }
      close(opened)
      if fault == EINTR { throw .tryLater("interrupted while waiting for '\(path)'") }
      throw .inputOutput("cannot lock '\(path)': \(describe(errno: fault))")
    }
    descriptor = opened
  }

  deinit { close(descriptor) }
}
