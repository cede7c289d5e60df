import Foundation
import SQLite
import ServiceClients
import Services
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetServices
import TweetStore

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
  private var ledger: Ledger { Ledger(path: home.path + "/ledger") }
  private func counted(_ kind: BilledKind) throws -> Int { try ledger.entries().reduce(0) { $0 + $1.all[kind] } }

  init() throws { home = try TemporaryDirectory() }

  private func session(
    _ service: PostService, budget: BudgetBound? = nil, waits: Bool = false
  ) throws -> WritingSession {
    let base = try #require(service.environment["TW_ENDPOINT"])
    let access = ServiceAccess(XAPI.x, base: base, token: Secret("t"), account: "jack")
    let way = WritingWay(waits: waits, isLater: false, isDryRun: false, needsNoQuestion: true, keepsMetadata: false)
    let outbox = try Outbox(path: home.path + "/outbox.db", of: Outbox.Owner(access))
    let reads = try ReadBudget(budget, for: access, ledger: ledger, now: { [noon] in noon })
    return try WritingSession(access, way, outbox, budget: reads, clock: clock.clock)
  }

  private func queue(_ text: String, _ session: WritingSession) throws -> Int {
    try session.outbox.add([.post(PostDraft(text: text))], command: text)[0]
  }

  private func looks(_ service: PostService) -> Int {
    service.requests.count { $0.target.hasPrefix("GET /2/users/7/tweets") }
  }

  @Test func anAnswerThatNeverCameIsLookedForAtOnce() throws {
    let service = try PostService([.answer, .lose])
    let session = try session(service)
    #expect(try session.carryOut(queue("first", session)) == .done(id: "1000"))
    #expect(try session.carryOut(queue("second", session)) == .done(id: "1001"))
    #expect(service.posts.map(\.text) == ["first", "second"])
    #expect(clock.passed == 0)
    // Both own posts were read, and are billed.
    #expect(try counted(.posts) == 2)
  }

  /// What is not there at once may still come, for half a minute.
  @Test func aPostThatWasNotMadeIsMadeAfterTheSecondLook() throws {
    let service = try PostService([.close])
    let session = try session(service)
    #expect(try session.carryOut(queue("hi", session)) == .done(id: "1000"))
    #expect(clock.waits.withLock { $0 } == [30_000] && looks(service) == 2 && service.posts.count == 1)
    #expect(try counted(.posts) == 0)
  }

  /// A killed program's request may have gone on until now, though not for longer than any request may take.
  @Test(arguments: [(10, 30_000), (70, 20_000), (90, 0), (-5000, 30_000)])
  func aKilledProgramsPostIsLookedForWhenItsRequestMustBeOver(secondsAgo: Int, wait: Int) throws {
    let service = try PostService()
    let session = try session(service)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start - Int64(secondsAgo) * 1000), nil)
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(clock.passed == wait && looks(service) == (wait > 0 ? 2 : 1) && service.posts.count == 1)
  }

  /// However many posts the account has made since, also by other programs.
  @Test(arguments: [150, 700]) func aPostIsFoundBehindManyNewerOnes(_ count: Int) throws {
    let service = try PostService([.lose])
    let session = try session(service)
    let id = try queue("mine", session)
    _ = try session.exchange.send(
      session.api.request(.post(PostDraft(text: "mine")), WriteParts(), by: session.account()))
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start), nil)
    service.addPosts((0..<count).map { "another \($0)" })
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(service.posts.count == count + 1)
  }

  /// What cannot be looked through is not sent again by itself; a person says what it is.
  @Test func aPostBehindTooManyIsLeftToThePerson() throws {
    let service = try PostService([.lose])
    let session = try session(service, budget: .posts(20_000, .day))
    let id = try queue("mine", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start), nil)
    service.addPosts((0..<1200).map { "another \($0)" })
    for _ in 0..<2 {
      let error = #expect(throws: ToolError.self) { try session.carryOut(id) }
      #expect(error?.status == .tryLater && error?.message?.contains("more than 1000 posts since") == true)
      #expect(error?.message?.contains("'tw-post outbox retry \(id)' if not") == true)
    }
    #expect(try session.outbox.entry(id)?.state == .unsettled && service.posts.count == 1200)
    #expect(try session.outbox.retry(id) == [id])
    service.expect(posts: [.answer])
    #expect(try session.carryOut(id) == .done(id: "2200"))
    #expect(try session.outbox.retry(id).isEmpty, "what is done is not sent again")
  }

  /// Of a post that has the same letters nobody can say whether it is this one: a person looks.
  @Test func aPostThatMayBeItIsLeftToThePerson() throws {
    let service = try PostService([.close])
    service.addPosts(["Hi, there!"])
    let session = try session(service)
    let id = try queue("hi there", session)
    let error = #expect(throws: ToolError.self) { try session.carryOut(id) }
    #expect(error?.status == .tryLater && error?.message?.contains("post 1000 may be it") == true, "\(error as Any)")
    #expect(try session.outbox.entry(id)?.state == .unsettled && service.posts.count == 1)
  }

  /// What was posted long before says nothing of this one, and is not read.
  @Test func anOldPostWithTheSameTextIsAnother() throws {
    let service = try PostService([.close])
    service.addPosts((0..<150).map { _ in "hi" }, at: .now.addingTimeInterval(-3600))
    let session = try session(service)
    #expect(try session.carryOut(queue("hi", session)) == .done(id: "1150"))
    #expect(service.posts.count == 151 && looks(service) == 2)
    #expect(try (20...40).contains(counted(.posts)))
  }

  /// Nobody is asked more often than is said, and the post stays where a person finds it.
  @Test func triesHaveAnEnd() throws {
    let service = try PostService(Array(repeating: .close, count: 9))
    let session = try session(service)
    let id = try queue("hi", session)
    let error = #expect(throws: ToolError.self) { try session.carryOut(id) }
    #expect(error?.status == .tryLater)
    #expect(service.requests.count { $0.target == "POST /2/tweets" } == 3 && clock.passed == 60_000)
    #expect(try session.outbox.entry(id)?.state == .unsettled && session.outbox.entry(id)?.attempts == 3)
  }

  /// What was refused costs nothing.
  @Test(arguments: [(400, 0), (429, 0), (503, 1)]) func whatWasNotMadeIsNotBilled(_ code: Int, _ count: Int) throws {
    let service = try PostService([.status(code, #"{"title":"no","status":\#(code)}"#)])
    let session = try session(service)
    let id = try queue("hi", session)
    _ = try? session.carryOut(id)
    // The second try of the last one was made.
    #expect(try counted(.creates) == count + service.posts.count)
  }

  /// The answer to a post of which nobody knows waits with it.
  @Test(arguments: [Outbox.State.queued, .sending, .unsettled, .refused])
  func anAnswerWaitsForWhatItAnswers(_ state: Outbox.State) throws {
    let service = try PostService()
    let session = try session(service)
    let ids = try session.outbox.add(
      ["one", "two"].map { .post(PostDraft(text: $0)) }, command: "thread", isChain: true)
    try session.outbox.set(state, of: ids[0], at: clock.clock.now())
    let ending = Result { () throws(ToolError) in try session.carryOut(ids[1]) }
    #expect(try session.outbox.entry(ids[1])?.state == (state == .refused ? .refused : .queued))
    if case .failure(let error) = ending { #expect(error.status == .tryLater) } else { #expect(state == .refused) }
    #expect(service.posts.isEmpty)
  }

  @Test func aPageThatFailsLeavesThePostUnsettled() throws {
    let refusal = (code: 403, body: #"{"detail":"No.","status":403}"#)
    let service = try PostService([.lose], refusals: ["GET /2/users/7/tweets": refusal])
    let session = try session(service)
    let id = try queue("mine", session)
    #expect(throws: ToolError.self) { try session.carryOut(id) }
    #expect(try session.outbox.entry(id)?.state == .unsettled && service.posts.count == 1)
  }

  /// Links without a scheme are links at the service, also beside punctuation.
  @Test(arguments: [
    "see (example.com)", "Look:example.com", "\"example.com\", they say", "example.com/a,example.org/b",
    "go to www.example.com/a/b. Now!", "https://example.com/", "見てexample.com",
  ])
  func aPostWithLinksIsFound(_ text: String) throws {
    let service = try PostService([.lose])
    service.addPosts(["see (example.org)", "before"])
    let session = try session(service)
    #expect(try session.carryOut(queue(text, session)) == .done(id: "1002"))
    #expect(service.posts.count == 3)
  }

  /// Half the wait is over when the next program comes: it waits for the other half, and the clock that goes back does
  /// not hold it for ever.
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

  /// The first try was over long ago, and the program was killed in the second one: that one may still go on.
  @Test func aProgramKilledInItsSecondTryIsWaitedForAnew() throws {
    let service = try PostService()
    let session = try session(service)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start - 200_000), nil)
    try session.outbox.setUnsettled(id, endedAt: Timestamp(milliseconds: clock.start - 190_000), note: "lost")
    try session.outbox.setSending(id, at: Timestamp(milliseconds: clock.start - 10_000), nil)
    #expect(try session.outbox.entry(id)?.endedAt == nil)
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(clock.passed == 30_000 && looks(service) == 2 && service.posts.count == 1)
  }

  /// What is finished is forgotten after ninety days; what waits is not.
  @Test func aWriteThatWaitsIsNeverForgotten() throws {
    let session = try session(PostService())
    var old: [Outbox.State: Int] = [:]
    for state in [Outbox.State.queued, .sending, .unsettled, .done, .refused] {
      let id = try queue(state.rawValue, session)
      try session.outbox.set(state, of: id, at: clock.clock.now())
      old[state] = id
    }
    let days = Timestamp(milliseconds: clock.start - 91 * 86_400_000).rfc3339
    try session.outbox.database.write { () throws(ToolError) in
      try session.outbox.database.run("UPDATE writes SET created_at = ?", .text(days))
    }
    _ = try queue("new", session)
    let left = try old.filter { try session.outbox.entry($0.value) != nil }
    #expect(Set(left.keys) == [.queued, .sending, .unsettled])
  }

  @Test func withoutABudgetNothingIsReadAndNothingIsPostedAgain() throws {
    let service = try PostService([.lose])
    let poor = try session(service, budget: .posts(19, .day))
    let id = try queue("hi", poor)
    let error = #expect(throws: ToolError.self) { try poor.carryOut(id) }
    #expect(error?.status == .tryLater && error?.message?.contains("budget of 19 posts") == true)
    #expect(try poor.outbox.entry(id)?.state == .unsettled && looks(service) == 0)
    let patient = try session(service, budget: .posts(19, .day), waits: true)
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
      // A program that another test starts has a copy of what is open here until it becomes that program, and with it
      // the lock.
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      try? waitUntil(seconds: 5) { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
      isFree.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
      close(descriptor)
      try inner.sleep(wait)
    }
    let usual = try session(service)
    let outbox = try Outbox(path: home.path + "/outbox.db", of: Outbox.Owner(usual.access))
    let session = try WritingSession(usual.access, usual.way, outbox, budget: nil, clock: clock)
    let id = try queue("hi", session)
    try session.outbox.setSending(id, at: Timestamp(milliseconds: self.clock.start), nil)
    #expect(try session.carryOut(id) == .done(id: "1000"))
    #expect(!isFree.withLock { $0.isEmpty } && isFree.withLock { $0.allSatisfy { $0 } })
  }
}
