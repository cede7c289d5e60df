import Libc
import TweetCore

/// Keeps two processes from refreshing one source at the same time: a file beside the store with a byte for each source.
/// The kernel drops the locks when their process dies, however it dies.
struct RefreshLock: ~Copyable {
  private let descriptor: Int32

  /// Opens the lock file of a store. It must be opened once in a process: closing any descriptor of a file gives up all
  /// locks that the process has on it (POSIX, fcntl()).
  init(of store: String) throws(ToolError) {
    let path = store + "-refresh.lock"
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .cannotCreate("cannot create '\(path)': \(describe(errno: errno))") }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// Takes a source's lock; false when another process has it.
  func take(_ key: Int) throws(ToolError) -> Bool {
    if set(Int16(F_WRLCK), key) { return true }
    let fault = errno
    guard fault == EAGAIN || fault == EACCES else {
      throw .inputOutput("cannot lock a source: \(describe(errno: fault))")
    }
    return false
  }

  func release(_ key: Int) { _ = set(Int16(F_UNLCK), key) }

  private func set(_ type: Int16, _ key: Int) -> Bool {
    var lock = flock()
    lock.l_type = type
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(key)
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }
}
