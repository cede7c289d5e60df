import CSQLite
import Libc
import TweetCore

/// The lock on a file beside the database. Every write transaction and every checkpoint holds it.
///
/// SQLite before 3.51.3 can lose a commit if another process makes a checkpoint at the same time
/// (sqlite.org/wal.html, "the WAL-reset bug"). With this lock no two processes do so. Waiting for it is fair and has a
/// time-out, so nobody sees "database is locked". The kernel releases the lock when its process ends, also by a crash.
///
/// Two bytes of the file are locked. Byte 0 is the lock itself. Byte 1 is the queue: a process holds it while it tries
/// to lock byte 0. A process that releases the lock and wants it again at once must also pass the queue, so a bulk load
/// cannot keep other writers out.
final class WriteLock {
  private static let holder: off_t = 0
  private static let queue: off_t = 1
  /// Microseconds between two tries: first the usual length of a transaction, at most a time that nobody notices.
  private static let pauses: ClosedRange<UInt32> = 500...16_000

  private let path: String
  private let descriptor: Int32

  /// Opens the lock file of the database at that path, and creates it if it is missing.
  init(of database: String) throws(ToolError) {
    path = database + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      let reason = describe(errno: errno)
      throw .cannotCreate("cannot \(Database.exists(path) ? "write to" : "create") '\(path)': \(reason)")
    }
  }

  deinit { close(descriptor) }

  /// Waits for the lock, at most `seconds`; 0 means one try. Throws ``ToolError/tryLater(_:)`` after the time-out, or
  /// when a signal asks the process to stop.
  func acquire(within seconds: Int) throws(ToolError) {
    let deadline = MonotonicClock.milliseconds + seconds * 1000
    try acquire(byte: Self.queue, until: deadline, seconds)
    defer { release(byte: Self.queue) }
    try acquire(byte: Self.holder, until: deadline, seconds)
  }

  func release() { release(byte: Self.holder) }

  private func acquire(byte: off_t, until deadline: Int, _ seconds: Int) throws(ToolError) {
    var pause = Self.pauses.lowerBound
    while true {
      let fault = setLock(F_WRLCK, byte)
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

  private func release(byte: off_t) { _ = setLock(F_UNLCK, byte) }

  /// Locks or unlocks one byte without waiting. Gives 0 or `errno`.
  private func setLock(_ type: Int32, _ byte: off_t) -> Int32 {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = byte
    lock.l_len = 1
    return fcntl(descriptor, tw_set_file_lock, &lock) == 0 ? 0 : errno
  }
}
