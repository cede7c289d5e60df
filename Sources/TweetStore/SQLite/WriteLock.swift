import CSQLite
import Libc
import TweetCore

/// The lock that every write transaction and every checkpoint of one database runs under: a file beside it.
///
/// SQLite before 3.51.3 can lose a commit that races a checkpoint (sqlite.org/wal.html, "the WAL-reset bug"), so no two
/// processes may do either at once; and whoever must wait waits here, where waiting is fair and bounded, instead of
/// meeting "database is locked". The kernel drops the lock when its process dies, however it dies.
///
/// The file has two lockable bytes. A waiter holds the second one, the queue, while it tries for the first; whoever
/// wants the lock again at once must pass the queue too, so that a bulk load cannot keep everybody else out.
final class WriteLock {
  private static let holder: off_t = 0
  private static let queue: off_t = 1
  /// Between two tries, in microseconds: from a transaction's usual length up to what nobody notices.
  private static let pauses: ClosedRange<UInt32> = 500...16_000

  private let path: String
  private let descriptor: Int32

  /// Opens the lock file of a database, making it where it is missing.
  init(of database: String) throws(ToolError) {
    path = database + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      let reason = describe(errno: errno)
      throw .cannotCreate("cannot \(Database.exists(path) ? "write to" : "create") '\(path)': \(reason)")
    }
  }

  deinit { close(descriptor) }

  /// Takes the lock; throws ``ToolError/tryLater(_:)`` when it cannot be had within `seconds`, or when a signal asks to
  /// stop. With 0 it is tried once.
  func take(within seconds: Int) throws(ToolError) {
    let deadline = MonotonicClock.milliseconds + seconds * 1000
    try take(byte: Self.queue, until: deadline, seconds)
    defer { release(byte: Self.queue) }
    try take(byte: Self.holder, until: deadline, seconds)
  }

  func release() { release(byte: Self.holder) }

  private func take(byte: off_t, until deadline: Int, _ seconds: Int) throws(ToolError) {
    var pause = Self.pauses.lowerBound
    while true {
      let fault = set(F_WRLCK, byte)
      if fault == 0 { return }
      guard fault == EAGAIN || fault == EACCES || fault == EINTR else {
        throw .inputOutput("cannot lock '\(path)': \(describe(errno: fault))")
      }
      if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(path)'") }
      if MonotonicClock.milliseconds >= deadline {
        throw .tryLater("the store is busy: another process has held '\(path)' for \(seconds) s")
      }
      usleep(pause)
      pause = min(pause * 2, Self.pauses.upperBound)
    }
  }

  private func release(byte: off_t) { _ = set(F_UNLCK, byte) }

  private func set(_ type: Int32, _ byte: off_t) -> Int32 {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = byte
    lock.l_len = 1
    return fcntl(descriptor, tw_set_file_lock, &lock) == 0 ? 0 : errno
  }
}
