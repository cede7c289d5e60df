import CSQLite
import Libc
package import TweetCore

/// The lock on a file beside the database. Every write transaction and every checkpoint holds it.
///
/// SQLite before 3.51.3 can lose a commit if another process makes a checkpoint at the same time
/// (sqlite.org/wal.html, "the WAL-reset bug"). With this lock no two processes do so. Those who wait get it in the
/// order in which they came, so nobody sees "database is locked". The kernel releases the lock when its process ends,
/// also by a crash.
///
/// Bytes of the file are locked. Byte 0 is the lock itself. The bytes after it are the queue: a process that waits
/// locks the byte after the last one that is locked, and moves forward, byte by byte. So a process that releases the
/// lock and wants it again at once, as a bulk load does, goes after all others.
///
/// A process that Ctrl-Z stops has neither the lock nor a place in the queue: it finishes its transaction first, or
/// leaves the queue and joins it again when it is continued.
///
/// Whoever gets the lock touches the file. By the time of its last change those who wait know that others got the lock
/// meanwhile: their time-out counts from then, however many are before them.
package final class WriteLock {
  private static let holder: off_t = 0
  /// The front of the queue.
  private static let front: off_t = 1
  /// Microseconds between two tries: first the usual length of a transaction, at most a time that nobody notices.
  private static let pauses: ClosedRange<UInt32> = 500...16_000

  private let path: String
  /// What the database is, for messages; `nil` where that is not known.
  private let kind: DatabaseKind?
  private let file: Descriptor
  private var descriptor: Int32 { file.number }
  /// Whether this lock holds Ctrl-Z back.
  private var holdsStop = false

  /// Opens the lock file of the database at that path, and creates it if it is missing.
  package init(of database: String, _ kind: DatabaseKind?) throws(ToolError) {
    path = database + ".lock"
    self.kind = kind
    guard let file = Descriptor(path, O_RDWR | O_CREAT) else {
      let fault = errno
      throw .cannotCreate("cannot \(Database.exists(path) ? "write to" : "create") '\(path)'", fault)
    }
    self.file = file
  }

  /// Waits for the lock, as long as it does not stay with one holder for `seconds`; 0 means one try. Throws
  /// ``ToolError/tryLater(_:)`` after the time-out, or when a signal asks the process to stop.
  package func acquire(within seconds: Int) throws(ToolError) {
    holdsStop = StopSignal.hold()
    do throws(ToolError) {
      while try !wait(within: seconds) {
        // The process stops between these.
        StopSignal.release()
        holdsStop = StopSignal.hold()
      }
    } catch {
      if holdsStop { StopSignal.release() }
      throw error
    }
    touch()
  }

  /// Waits for the lock. Returns false, without a place in the queue, if the process is to stop first.
  private func wait(within seconds: Int) throws(ToolError) -> Bool {
    var position = try endOfQueue()
    if position == Self.front, try lock(Self.holder) { return true }
    if seconds == 0 { throw isBusy(for: seconds) }
    // Another process may join at the same time.
    while try !lock(position) { position += 1 }
    do throws(ToolError) {
      var deadline = Deadline(seconds: seconds, lastChange: lastChange, now: MonotonicClock.milliseconds)
      while position > Self.holder {
        guard try wait(for: position - 1, &deadline) else {
          unlock(position)
          return false
        }
        unlock(position)
        position -= 1
      }
    } catch {
      unlock(position)
      throw error
    }
    return true
  }

  package func release() {
    unlock(Self.holder)
    if holdsStop { StopSignal.release() }
    holdsStop = false
  }

  /// The time until which one holder may have the lock.
  struct Deadline {
    let seconds: Int
    /// The last change of the lock file that was seen.
    private var lastChange: timespec
    private var end: Int

    /// - Parameters:
    ///   - lastChange: the time of the lock file's last change.
    ///   - now: milliseconds of the monotonic clock.
    init(seconds: Int, lastChange: timespec, now: Int) {
      (self.seconds, self.lastChange) = (seconds, lastChange)
      end = now + seconds * 1000
    }

    /// Whether it has passed. It begins anew when the file was changed: another holder has the lock.
    mutating func hasPassed(lastChange change: timespec, now: Int) -> Bool {
      if change.tv_sec != lastChange.tv_sec || change.tv_nsec != lastChange.tv_nsec {
        self = Deadline(seconds: seconds, lastChange: change, now: now)
      }
      return now >= end
    }
  }

  /// Returns false if the process is to stop first.
  private func wait(for byte: off_t, _ deadline: inout Deadline) throws(ToolError) -> Bool {
    var pause = Self.pauses.lowerBound
    while try !lock(byte) {
      if holdsStop, StopSignal.isPending { return false }
      if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(path)'") }
      if deadline.hasPassed(lastChange: lastChange, now: MonotonicClock.milliseconds) {
        throw isBusy(for: deadline.seconds)
      }
      usleep(pause)
      pause = min(pause * 2, Self.pauses.upperBound)
    }
    return true
  }

  private func isBusy(for seconds: Int) -> ToolError {
    .tryLater(
      "the \(kind?.name ?? "database") is busy: another process "
        + (seconds == 0 ? "holds '\(path)'" : "has held '\(path)' for \(seconds) s"))
  }

  /// The first byte after all that are locked.
  private func endOfQueue() throws(ToolError) -> off_t {
    var end = Self.front
    while true {
      var other = Self.record(F_WRLCK, end, length: 0)
      if fcntl(descriptor, tw_get_file_lock, &other) != 0 { throw cannotLock(errno) }
      if other.l_type == Int16(F_UNLCK) { return end }
      end = other.l_start + 1
    }
  }

  /// Locks one byte without waiting. False if another process has locked it.
  private func lock(_ byte: off_t) throws(ToolError) -> Bool {
    var record = Self.record(F_WRLCK, byte, length: 1)
    if fcntl(descriptor, tw_set_file_lock, &record) == 0 { return true }
    let fault = errno
    guard fault == EAGAIN || fault == EACCES || fault == EINTR else { throw cannotLock(fault) }
    return false
  }

  private func unlock(_ byte: off_t) {
    var record = Self.record(F_UNLCK, byte, length: 1)
    _ = fcntl(descriptor, tw_set_file_lock, &record)
  }

  private func cannotLock(_ fault: Int32) -> ToolError { Self.failure(fault, of: path, kind) }

  /// The error of a lock that fails.
  static func failure(_ fault: Int32, of path: String, _ kind: DatabaseKind?) -> ToolError {
    switch fault {
    // A network file system without a lock service, or one that knows no locks.
    case ENOLCK, ENOSYS, EOPNOTSUPP:
      .configuration(
        "cannot lock '\(path)': its file system has no locks; keep the \(kind?.name ?? "database") on another one"
          + (kind.map { " (\($0.place))" } ?? ""))
    default: .inputOutput("cannot lock '\(path)': \(describe(errno: fault))")
    }
  }

  /// - Parameter length: 0 means all bytes from `start` on.
  private static func record(_ type: Int32, _ start: off_t, length: off_t) -> flock {
    var record = flock()
    record.l_type = Int16(type)
    record.l_whence = Int16(SEEK_SET)
    record.l_start = start
    record.l_len = length
    return record
  }

  /// Sets the time of the file's last change to now. If that fails, the others' time-outs count from when they came.
  private func touch() { _ = futimens(descriptor, nil) }

  private var lastChange: timespec { (stat(of: descriptor) ?? stat()).modificationTime }
}
