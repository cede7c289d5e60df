import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// The lock belongs to the open file, so two objects in one process exclude each other as two processes do.
@Suite(.onOwnThread) struct WriteLockTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path + "/tw.db" }

  init() throws { scratch = try TemporaryDirectory() }

  private func error(_ body: () throws(ToolError) -> Void) -> ToolError? {
    do throws(ToolError) { try body() } catch { return error }
    return nil
  }

  /// Whether a waiter holds the queue, byte 1 of the lock file.
  private func isQueueTaken() throws -> Bool {
    let descriptor = open(database + ".lock", O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 1
    lock.l_len = 1
    try #require(fcntl(descriptor, F_GETLK, &lock) == 0)
    return lock.l_type != Int16(F_UNLCK)
  }

  /// Waits until `isTrue` returns true, at most half a minute.
  private func wait(until isTrue: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 30)
    while try !isTrue() {
      try #require(Date() < deadline, "it did not happen within half a minute")
      usleep(1000)
    }
  }

  /// Waits for the lock in its own thread, and holds it until `release` is called.
  private final class Waiter: Sendable {
    private let outcome = Mutex<ToolError??>(nil)
    private let isDone = Atomic(false)

    init(for database: String, within seconds: Int) throws {
      Thread.detachNewThread { [self] in
        do throws(ToolError) {
          let lock = try WriteLock(of: database)
          try lock.acquire(within: seconds)
          outcome.withLock { $0 = .some(nil) }
          while !isDone.load(ordering: .acquiring) { usleep(1000) }
          lock.release()
        } catch {
          outcome.withLock { $0 = .some(error) }
        }
      }
    }

    /// Whether it has the lock.
    var hasLock: Bool {
      if case .some(nil) = outcome.withLock({ $0 }) { true } else { false }
    }

    func release() { isDone.store(true, ordering: .releasing) }
  }

  /// A bulk load releases the lock and wants it again at once, while a waiter sleeps between two tries.
  @Test func aWaiterGetsTheLockBeforeItsFormerHolder() throws {
    let bulk = try WriteLock(of: database)
    try bulk.acquire(within: 0)
    let waiter = try Waiter(for: database, within: 30)
    try wait(until: isQueueTaken)
    // After this time the waiter's pauses have their full length.
    usleep(50_000)
    bulk.release()
    let again = error { () throws(ToolError) in try bulk.acquire(within: 0) }
    #expect(again?.status == .tryLater)
    try wait { waiter.hasLock }
    try wait { try !isQueueTaken() }
    waiter.release()
    try bulk.acquire(within: 30)
    bulk.release()
  }

  /// After a time-out the queue is free too.
  @Test func waitingEndsAfterTheTimeOut() throws {
    let holder = try WriteLock(of: database)
    try holder.acquire(within: 0)
    let waiter = try WriteLock(of: database)
    let start = MonotonicClock.milliseconds
    let late = error { () throws(ToolError) in try waiter.acquire(within: 1) }
    #expect((1000..<20_000).contains(MonotonicClock.milliseconds - start))
    #expect(late == .tryLater("the store is busy: another process has held '\(database).lock' for 1 s"))
    #expect(try !isQueueTaken())
    let atOnce = error { () throws(ToolError) in try waiter.acquire(within: 0) }
    #expect(atOnce?.status == .tryLater)
    holder.release()
    try waiter.acquire(within: 0)
    let other = error { () throws(ToolError) in try holder.acquire(within: 0) }
    #expect(other?.status == .tryLater)
  }

  /// The kernel releases the lock with the last descriptor of the file, also at the end of a process.
  @Test func closingTheFileReleasesTheLock() throws {
    do {
      let holder = try WriteLock(of: database)
      try holder.acquire(within: 0)
    }
    let next = try WriteLock(of: database)
    try next.acquire(within: 0)
  }

  @Test func aLockFileThatCannotBeCreated() {
    let missing = scratch.path + "/none/tw.db"
    let failed = error { () throws(ToolError) in _ = try WriteLock(of: missing) }
    #expect(failed == .cannotCreate("cannot create '\(missing).lock': no such file or directory"))
  }
}
