import Libc
import TweetCore

/// Prevents two processes from refreshing one source at the same time: a lock file beside the store with one byte for
/// each source. The kernel releases the locks when their process ends, also by a crash.
struct RefreshLock: ~Copyable {
  private let descriptor: Int32

  /// Opens the lock file of a store. A process must open it only once: closing any descriptor of the file releases all
  /// locks of the process on it (POSIX, fcntl()).
  init(of store: String) throws(ToolError) {
    let path = store + "-refresh.lock"
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// Acquires a source's lock without waiting; false if another process has it.
  func acquire(_ key: Int) throws(ToolError) -> Bool {
    if setLock(Int16(F_WRLCK), key) { return true }
    let fault = errno
    guard fault == EAGAIN || fault == EACCES else {
      throw .inputOutput("cannot lock a source: \(describe(errno: fault))")
    }
    return false
  }

  func release(_ key: Int) { _ = setLock(Int16(F_UNLCK), key) }

  private func setLock(_ type: Int16, _ key: Int) -> Bool {
    var lock = flock()
    lock.l_type = type
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(key)
    lock.l_len = 1
    return fcntl(descriptor, F_SETLK, &lock) == 0
  }
}
