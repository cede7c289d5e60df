import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetServices
import TweetSources

@testable import tw_post

/// How a post whose answer never came is settled at X, with a clock that the test moves.
@Suite(.onOwnThread) struct WritingSessionTests {
  /// A clock that stands still but for waits.
  private final class Clock: Sendable {
    let start = Timestamp.now.milliseconds
    let waits = Mutex<[Int]>([])
    var passed: Int { waits.withLock { $0.reduce(0, +) } }

    var clock: WritingClock {
      WritingClock(now: { Timestamp(milliseconds: self.start + Int64(self.passed)) }) { (wait) throws(ToolError) in
        // Nobody hands in a day.
        if wait > 3_600_000 { throw .tryLater("waited for the next day") }
        self.waits.withLock { $0.append(wait) }
      }
    }
  }

  private let home: TemporaryDirectory
  private let clock = Clock()
  /// When posts are read: a day's budget stays used up, however late in its day the test runs.
  private var noon: Timestamp { Timestamp(milliseconds: clock.start - clock.start % 86_400_000 + 43_200_000) }
  private var ledger: ReadLedger { ReadLedger(path: home.path + "/reads") }

  init() throws { home = try TemporaryDirectory() }

  private func session(
    _ service: PostService, budget: PostBudget? = nil, waits: Bool = false
  ) throws -> WritingSession {
    let base = try #require(service.environment["TW_ENDPOINT"])
    let access = ServiceAccess(service: "x", base: base, token: Secret("t"), account: "jack")
    let way = WritingWay(waits: waits, isLater: false, isDryRun: false, needsNoQuestion: true)
    let outbox = try Outbox(path: home.path + "/outbox.db", service: "x", base: base, account: "jack")
    let reads = ReadBudget(budget, for: access, ledger: ledger, now: { [noon] in noon })
    return try WritingSession(access, way, outbox, budget: reads, clock: clock.clock)
  }

  private func queue(_ text: String, _ session: WritingSession) throws -> Int {
    try session.outbox.add([.post(PostDraft(text: text))], command: text)[0]
  }

  private func looks(_ service: PostService) -> Int {
    service.requests.count { $0.target.hasPrefix("GET /2/users/7/tweets") }
  }

  @Test func anAnswerThatNeverCameIsLookedForAfterHalfAMinute() throws {
    let service = try PostService([.answer, .lose])
    let session = try session(service)
    #expect(try session.carryOut(queue("first", session)) == .done(id: "1000"))
    #expect(try session.carryOut(queue("second", session)) == .done(id: "1001"))
    #expect(service.posts.map(\.text) == ["first", "second"])
    #expect(clock.waits.withLock { $0 } == [30_000])
    // Both own posts were read, and are billed.
    #expect(try ledger.posts(at: noon, service: "x", account: "jack") == 2)
  }

  @Test func aPostThatWasNotMadeIsMadeAfterTheLook() throws {
    let service = try PostService([.close])
    let session = try session(service)
    #expect(try session.carryOut(queue("hi", session)) == .done(id: "1000"))
    #expect(clock.passed == 30_000 && looks(service) == 1 && service.posts.count == 1)
    #expect(try ledger.posts(at: noon, service: "x", account: "jack") == 0)
  }

  /// A killed program's request may have gone on until now, though not for longer than any request may take.
  @Test(arguments: [(10, 30_000), (70, 20_000), (90, 0), (-5000, 30_000)])
  func aKilledProgramsPostIsLookedForWhenItsRequestMustBeOver(secondsAgo: Int, wait: Int) throws {
    let service = try PostService()
    let session = try session(service)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start - Int64(secondsAgo) * 1000), nil)
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(clock.passed == wait && looks(service) == 1 && service.posts.count == 1)
  }

  /// Half the wait is over when the next program comes: it waits for the other half, and the clock that goes back does not
  /// hold it for ever.
  @Test(arguments: [(15_000, 15_000), (-7_200_000, 30_000)])
  func theWaitGoesOnInTheNextProgram(endedAgo: Int64, wait: Int) throws {
    let service = try PostService()
    let session = try session(service)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start - 20_000), nil)
    try session.outbox.setUnsettled(id, endedAt: Timestamp(milliseconds: clock.start - endedAgo), note: "lost")
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(clock.passed == wait && service.posts.count == 1)
  }

  @Test func withoutABudgetNothingIsReadAndNothingIsPostedAgain() throws {
    let service = try PostService([.lose])
    let poor = try session(service, budget: .perDay(19))
    let id = try queue("hi", poor)
    let error = #expect(throws: ToolError.self) { try poor.carryOut(id) }
    #expect(error?.status == .tryLater && error?.message?.contains("budget of 19 posts") == true)
    #expect(try poor.outbox.entry(id)?.state == .unsettled && looks(service) == 0)
    let patient = try session(service, budget: .perDay(19), waits: true)
    let waited = #expect(throws: ToolError.self) { try patient.carryOut(id) }
    #expect(waited?.message == "waited for the next day")
    #expect(service.posts.count == 1)
    #expect(try session(service).carryOut(id) == .done(id: "1000"))
    #expect(service.posts.count == 1)
  }

  /// Other programs may write while this one waits.
  @Test func theLockIsFreeDuringTheWait() throws {
    let service = try PostService([.lose])
    let path = home.path + "/outbox.db.sending"
    let isFree = Mutex<[Bool]>([])
    let clock = WritingClock(now: self.clock.clock.now) { [inner = self.clock.clock] (wait) throws(ToolError) in
      let descriptor = open(path, O_RDWR)
      isFree.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
      close(descriptor)
      try inner.sleep(wait)
    }
    let usual = try session(service)
    let outbox = try Outbox(path: home.path + "/outbox.db", service: "x", base: usual.access.base, account: "jack")
    let session = try WritingSession(usual.access, usual.way, outbox, budget: nil, clock: clock)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: self.clock.start), nil)
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(!isFree.withLock { $0.isEmpty } && isFree.withLock { $0.allSatisfy { $0 } })
  }
}
