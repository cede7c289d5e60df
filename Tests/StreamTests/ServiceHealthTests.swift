import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetServices

@testable import tw_stream

/// What feeds learn together, by a clock of the test.
struct ServiceHealthTests {
  private static func wait(_ cause: RetryPolicy.Cause) -> RetriedRequest.Wait {
    var request = RetriedRequest(
      RetryPolicy(.brief), clock: RetryClock(milliseconds: { 0 }, now: { .now }, jitter: { 0 }))
    let failure: RetryPolicy.Failure =
      cause == .network
      ? .lost(nil) : .refused(Refusal(.trouble, "HTTP 503", error: .tryLater("HTTP 503")))
    let outcome: RetriedRequest.Outcome<Never> = request.fail(failure)
    guard case .waiting(let wait) = outcome else { preconditionFailure("the first failure is retried") }
    return wait
  }

  /// A clock that a test sets.
  private final class Time: Sendable {
    let now = Mutex(1_000)
    var clock: RetryClock { RetryClock(milliseconds: { self.now.withLock { $0 } }, now: { .now }, jitter: { 0 }) }
    func set(_ milliseconds: Int) { now.withLock { $0 = milliseconds } }
  }

  @Test func requestsThatFailTogetherCountOnce() {
    let time = Time()
    let health = ServiceHealth(clock: time.clock)
    for second in 1...2 {
      time.set(second * 1000)
      for _ in 0..<8 { health.record(Self.wait(.server), isTimeout: false, of: "a", sentAt: second * 1000 - 5) }
      #expect(health.error(for: "a") == nil)
    }
    time.set(3000)
    health.record(Self.wait(.server), isTimeout: false, of: "a", sentAt: 2995)
    #expect(health.error(for: "a")?.status == .tryLater)
    #expect(health.error(for: "b") == nil)
  }

  @Test func eachTimeOutCounts() {
    let health = ServiceHealth(clock: Time().clock)
    for _ in 0..<3 { health.record(Self.wait(.network), isTimeout: true, of: "a", sentAt: 1) }
    // A connection is the same for all endpoints.
    #expect(health.error(for: "b")?.status == .tryLater)
  }

  @Test func anAnswerBeginsTheCountAnew() {
    let time = Time()
    let health = ServiceHealth(clock: time.clock)
    for second in 1...20 {
      time.set(second * 1000)
      health.record(Self.wait(.server), isTimeout: false, of: "a", sentAt: second * 1000 - 1)
      if second % 2 == 0 { health.recordAnswer(of: "a") }
    }
    #expect(health.error(for: "a") == nil)
  }

  @Test func anErrorHasItsScope() {
    let time = Time()
    let health = ServiceHealth(clock: time.clock)
    health.recordEnd(.refused("gone"), .request, of: "a")
    #expect(health.error(for: "a") == nil)
    health.recordEnd(.tryLater("limit"), .endpoint, of: "a", wait: 60_000)
    #expect(health.error(for: "a")?.message == "limit" && health.error(for: "b") == nil)
    #expect(health.resumesAt("a") == 61_000 && health.resumesAt("b") == nil)
    health.recordEnd(.notAllowed("token"), .account, of: "b")
    #expect(health.error(for: "b")?.message == "token" && health.error(for: "a")?.message == "token")
  }
}
