import Foundation
import Libc
import Synchronization
import TestSupport
import Testing
import TweetCore

@testable import SQLite

/// The lock belongs to the open file, so two objects in one process exclude each other as two processes do.
@Suite(.onOwnThread) struct WriteLockTests {
  private let scratch: TemporaryDirectory
  private var database: String { scratch.path + "/tw.db" }

  init() throws { scratch = try TemporaryDirectory() }

  private func error(_ body: () throws(ToolError) -> Void) -> ToolError? {
    do throws(ToolError) { try body() } catch { return error }
    return nil
  }

  /// How many bytes of the queue, which begins at byte 1 of the lock file, are locked.
  private func waiting() throws -> Int { try LockQueue.count(of: database) }

  private func isQueueTaken() throws -> Bool { try waiting() > 0 }

  /// Waits for the lock in its own thread, and holds it until `release` is called.
  private final class Waiter: Sendable {
    private let outcome = Mutex<ToolError??>(nil)
    private let isDone = Atomic(false)

    init(for database: String, within seconds: Int) throws {
      Thread.detachNewThread { [self] in
        do throws(ToolError) {
          let lock = try WriteLock(of: database, nil)
          try lock.acquire(within: seconds)
          outcome.withLock { $0 = .some(nil) }
          try? waitUntil { isDone.load(ordering: .acquiring) }
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
    let bulk = try WriteLock(of: database, nil)
    try bulk.acquire(within: 0)
    let waiter = try Waiter(for: database, within: 30)
    try waitUntil(isQueueTaken)
    // After this time the waiter's pauses have their full length.
    usleep(50_000)
    bulk.release()
    let again = error { () throws(ToolError) in try bulk.acquire(within: 0) }
    #expect(again?.status == .tryLater)
    try waitUntil { waiter.hasLock }
    try waitUntil { try !isQueueTaken() }
    waiter.release()
    try bulk.acquire(within: 30)
    bulk.release()
  }

  @Test func waitersAreServedInTheOrderInWhichTheyCame() throws {
    let first = try WriteLock(of: database, nil)
    try first.acquire(within: 0)
    var waiters: [Waiter] = []
    for number in 1...6 {
      waiters.append(try Waiter(for: database, within: 30))
      try waitUntil { try waiting() == number }
    }
    first.release()
    while !waiters.isEmpty {
      try waitUntil { waiters[0].hasLock }
      #expect(!waiters.dropFirst().contains { $0.hasLock })
      waiters.removeFirst().release()
    }
    try waitUntil { try waiting() == 0 }
  }

  /// Six writers on a slow disk wait for more than one transaction. Only a holder that keeps the lock ends their
  /// waiting.
  @Test func theTimeOutCountsFromTheLastHolder() throws {
    var deadline = WriteLock.Deadline(seconds: 30, lastChange: timespec(tv_sec: 1, tv_nsec: 0), now: 0)
    // Before the second look another process got the lock.
    let looks = [(0, 29_999), (4, 30_000), (4, 59_999), (4, 60_000)]
    let passed = looks.map { deadline.hasPassed(lastChange: timespec(tv_sec: 1, tv_nsec: $0.0), now: $0.1) }
    #expect(passed == [false, false, false, true])

    func lastChange() throws -> Int {
      var status = stat()
      try #require(stat(database + ".lock", &status) == 0)
      return Int(status.modificationTime.tv_sec)
    }
    func makeOld() { utimes(database + ".lock", [timeval(tv_sec: 9, tv_usec: 0), timeval(tv_sec: 9, tv_usec: 0)]) }
    let holder = try WriteLock(of: database, nil)
    makeOld()
    try holder.acquire(within: 0)
    #expect(try lastChange() > 9)
    let waiter = try Waiter(for: database, within: 30)
    try waitUntil(isQueueTaken)
    makeOld()
    holder.release()
    try waitUntil { waiter.hasLock }
    #expect(try lastChange() > 9)
    waiter.release()
  }

  /// After a time-out the queue is free too.
  @Test func waitingEndsAfterTheTimeOut() throws {
    let holder = try WriteLock(of: database, nil)
    try holder.acquire(within: 0)
    let kind = DatabaseKind(
      name: "note store", place: "--db", applicationID: 7, version: 1, move: "", damage: "", schema: "")
    let waiter = try WriteLock(of: database, kind)
    let start = MonotonicClock.milliseconds
    let late = error { () throws(ToolError) in try waiter.acquire(within: 1) }
    #expect((1000..<20_000).contains(MonotonicClock.milliseconds - start))
    #expect(late == .tryLater("the note store is busy: another process has held '\(database).lock' for 1 s"))
    #expect(try !isQueueTaken())
    let atOnce = error { () throws(ToolError) in try waiter.acquire(within: 0) }
    #expect(atOnce == .tryLater("the note store is busy: another process holds '\(database).lock'"))
    holder.release()
    try waiter.acquire(within: 0)
    let other = error { () throws(ToolError) in try holder.acquire(within: 0) }
    #expect(other?.status == .tryLater)
  }

  /// The kernel releases the lock with the last descriptor of the file, also at the end of a process.
  @Test func closingTheFileReleasesTheLock() throws {
    do {
      let holder = try WriteLock(of: database, nil)
      try holder.acquire(within: 0)
    }
    let next = try WriteLock(of: database, nil)
    try next.acquire(within: 0)
  }

  /// A network file system may have no locks: that is for a person to change.
  @Test func aFileSystemWithoutLocks() {
    #expect(WriteLock.failure(ENOLCK, of: "a", nil).status == .configuration)
    #expect(WriteLock.failure(ENOLCK, of: "a", nil).message?.contains("'a': its file system has no locks") == true)
    #expect(WriteLock.failure(EIO, of: "a", nil).status == .inputOutput)
  }

  @Test func aLockFileThatCannotBeCreated() {
    let missing = scratch.path + "/none/tw.db"
    let failed = error { () throws(ToolError) in _ = try WriteLock(of: missing, nil) }
    #expect(failed == .cannotCreate("cannot create '\(missing).lock': no such file or directory"))
  }
}
