import ServiceClients
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

struct RetryPolicyTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  private static func refusal(
    _ status: Int, _ body: String = "", headers: [HTTPHeader] = [], retryAfter: Int? = nil
  ) -> RetryPolicy.Failure {
    var response = HTTPResponse(status: status, headers: HTTPHeaders(headers), body: Array(body.utf8), url: "")
    response.retryAfter = retryAfter
    return .refused(Refusal(response))
  }

  private static let lost = RetryPolicy.Failure.lost(TransferError(.lostConnection, "gone"))

  private static func waits(
    _ policy: inout RetryPolicy, _ failure: RetryPolicy.Failure, _ count: Int, jitter: Double = 0
  ) -> [Int?] {
    (0..<count).map { _ in
      if case .retry(let wait, _) = policy.decide(failure, now: now, jitter: jitter) { wait } else { nil }
    }
  }

  private static func error(_ policy: inout RetryPolicy, _ failure: RetryPolicy.Failure) -> ToolError? {
    if case .stop(let error) = policy.decide(failure, now: now, jitter: 0) { error } else { nil }
  }

  @Test func lostConnectionsBackOffBy250MillisecondsTo16Seconds() {
    var policy = RetryPolicy(.endless)
    let waits = Self.waits(&policy, Self.lost, 70)
    #expect(waits[..<4] == [0, 250, 500, 750])
    #expect(waits[64] == 16_000)
    #expect(waits[69] == 16_000)
    policy.recordAcceptance()
    #expect(Self.waits(&policy, .lost(nil), 1) == [16_000], "an answer alone does not begin anew")
    policy.recordSuccess()
    #expect(Self.waits(&policy, .lost(nil), 2) == [0, 250])
    #expect(Self.waits(&policy, .lost(nil), 1, jitter: 1) == [550], "not in step with others that lost theirs")
    policy.recordSuccess()
    #expect(Self.waits(&policy, .lost(nil), 1, jitter: 1) == [0])
  }

  /// Fifty connections in a quarter of an hour, each of which breaks off at once: the limit is never reached.
  @Test func connectionsArePacedByWhatIsLeftOfTheirLimit() {
    var policy = RetryPolicy(.endless)
    let end = Self.now.milliseconds + 900_000
    var (now, made) = (Self.now.milliseconds, 0)
    var waits: [Int] = []
    while now < end, made < 60 {
      made += 1
      let window = RateWindow(limit: 50, remaining: 50 - made, resetsAt: Timestamp(milliseconds: end))
      policy.recordConnection(window, at: Timestamp(milliseconds: now))
      // It brings a post: the backoff of failures begins anew.
      policy.recordSuccess()
      guard case .retry(let wait, .network) = policy.decide(Self.lost, now: Timestamp(milliseconds: now), jitter: 0)
      else { return #expect(Bool(false)) }
      waits.append(wait)
      now += Int64(wait)
    }
    #expect(made <= 50 && now >= end, "\(waits)")
    #expect(waits[0] < 500 && waits[..<5].reduce(0, +) < 10_000, "\(waits)")
    #expect(waits[..<20].reduce(0, +) > 60_000, "\(waits)")
    // One that lasted is made again at once; a failure before the next answer is not counted again.
    policy.recordConnection(RateWindow(limit: 50, remaining: 1, resetsAt: Timestamp(milliseconds: end)), at: Self.now)
    policy.recordSuccess()
    let later = Timestamp(milliseconds: end - 1000)
    #expect(policy.decide(Self.lost, now: later, jitter: 0) == .retry(after: 0, .network))
    #expect(policy.decide(Self.lost, now: Self.now, jitter: 0) == .retry(after: 250, .network))
    // None is left: the end of the window is waited for, a second more for the part of a second.
    policy.recordConnection(RateWindow(limit: 50, remaining: 0, resetsAt: Timestamp(milliseconds: end)), at: Self.now)
    #expect(policy.decide(Self.lost, now: Self.now, jitter: 0) == .retry(after: 901_000, .network))
  }

  @Test func serverErrorsDoubleFrom5To320Seconds() {
    var policy = RetryPolicy(.endless)
    let expected = [5, 10, 20, 40, 80, 160, 320, 320].map { Optional($0 * 1000) }
    #expect(Self.waits(&policy, Self.refusal(503, "<html>"), 8) == expected)
    policy.recordAcceptance()
    #expect(Self.waits(&policy, Self.refusal(500), 1) == [320_000], "an answer without data does not begin anew")
    policy.recordData()
    #expect(Self.waits(&policy, Self.refusal(500), 1, jitter: 1) == [5500])
    #expect(Self.waits(&policy, Self.refusal(503, retryAfter: 2), 1) == [2000])
  }

  @Test func aBriefRequestDoesNotWaitADayForAServer() {
    var policy = RetryPolicy(.brief)
    #expect(Self.waits(&policy, Self.refusal(503, retryAfter: 60), 1) == [60_000])
    #expect(Self.error(&policy, Self.refusal(503, retryAfter: 86_400))?.status == .tryLater)
    policy = RetryPolicy(.endless)
    #expect(Self.waits(&policy, Self.refusal(503, retryAfter: 86_400), 1) == [86_400_000])
  }

  @Test func rateLimitsDoubleFromAMinuteUnlessTheServiceSaysWhen() {
    var policy = RetryPolicy(.endless)
    #expect(Self.waits(&policy, Self.refusal(429), 6) == [60, 120, 240, 480, 960, 960].map { $0 * 1000 })
    policy.recordSuccess()
    #expect(Self.waits(&policy, Self.refusal(420), 1) == [60_000])
    func reset(_ seconds: String, remaining: String) -> RetryPolicy.Failure {
      Self.refusal(
        429, headers: [HTTPHeader("X-Rate-Limit-Remaining", remaining), HTTPHeader("x-rate-limit-reset", seconds)])
    }
    policy.recordSuccess()
    #expect(Self.waits(&policy, reset("1700000030", remaining: "0"), 1) == [31_000])
    policy.recordSuccess()
    #expect(Self.waits(&policy, reset("1700000030", remaining: "7"), 1) == [60_000], "another limit than the window's")
    policy.recordSuccess()
    #expect(Self.waits(&policy, reset("1600000000", remaining: "0"), 1) == [60_000], "a window that is over")
    policy.recordSuccess()
    let late = [reset("1699999995", remaining: "0"), reset("1699999998", remaining: "0")]
    #expect(late.flatMap { Self.waits(&policy, $0, 1) } == [1000, 120_000], "a late answer, then another limit")
    #expect(Self.waits(&policy, Self.refusal(429, retryAfter: 3), 1) == [3000])
    #expect(Self.waits(&policy, Self.refusal(429, retryAfter: .max), 1) == [86_400_000])
    for hostile in [Int.min, .max] {
      policy.recordSuccess()
      #expect(Self.waits(&policy, reset(String(hostile), remaining: "0"), 1) == [60_000])
    }
  }

  @Test(arguments: [
    (400, TweetCore.ExitStatus.refused), (401, .notAllowed), (402, .refused), (403, .notAllowed), (404, .refused),
    (406, .refused), (413, .refused), (414, .refused), (416, .refused), (422, .refused), (302, .refused),
  ])
  func finalStatusesStopAtOnce(_ status: Int, _ expected: TweetCore.ExitStatus) {
    var policy = RetryPolicy(.endless)
    #expect(Self.error(&policy, Self.refusal(status))?.status == expected)
  }

  @Test func itStopsWhenWaitingCannotHelp() {
    var policy = RetryPolicy(.endless)
    let capped =
      #"{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap","#
      + #""type":"https://api.twitter.com/2/problems/usage-capped"}"#
    let error = Self.error(&policy, Self.refusal(429, capped, headers: [HTTPHeader("x-rate-limit-remaining", "44")]))
    #expect(error?.status == .refused)
    #expect(error?.message?.contains("Monthly product cap") == true)
    #expect(Self.error(&policy, .lost(TransferError(.tls, "bad certificate")))?.status == .refused)
    #expect(Self.error(&policy, .lost(TransferError(.insecureCredential, "no")))?.status == .configuration)
    policy.recordAcceptance()
    #expect(Self.waits(&policy, .lost(TransferError(.tls, "cut off")), 1) == [0])
  }

  @Test func aHeldConnectionIsRetriedLikeARateLimit() {
    let held =
      #"{"title":"ConnectionException","detail":"maximum allowed connection limit","#
      + #""connection_issue":"TooManyConnections","type":"https://api.twitter.com/2/problems/streaming-connection"}"#
    var policy = RetryPolicy(.endless)
    let window = [HTTPHeader("x-rate-limit-remaining", "0"), HTTPHeader("x-rate-limit-reset", "1700000005")]
    #expect(Self.waits(&policy, Self.refusal(429, held, headers: window), 2) == [60_000, 120_000])
    policy = RetryPolicy(.brief)
    #expect(Self.error(&policy, Self.refusal(429, held))?.status == .tryLater)
  }

  @Test func missingRulesAreRetriedOnlyWhileNewOnesAreNotInForce() {
    let missing = Self.refusal(409, #"{"title":"ConnectionException","connection_issue":"RuleConfigurationIssue"}"#)
    var policy = RetryPolicy(.endless)
    #expect(Self.error(&policy, missing)?.status == .tryLater, "no rule of ours was added")
    policy.recordSetup(at: Timestamp(milliseconds: Self.now.milliseconds - 59_000))
    #expect(Self.waits(&policy, missing, 4) == [5000, 10_000, 20_000, 20_000])
    policy.recordSetup(at: Timestamp(milliseconds: Self.now.milliseconds - 60_000))
    #expect(Self.error(&policy, missing)?.status == .tryLater)
    let other = Self.refusal(409, #"{"connection_issue":"ProvisioningSubscription"}"#)
    policy.recordSetup(at: Self.now)
    #expect(Self.error(&policy, other)?.status == .tryLater)
  }

  @Test func aBriefRequestGivesUpSoon() {
    var policy = RetryPolicy(.brief)
    #expect(Self.waits(&policy, Self.lost, 3) == [0, 250, nil])
    policy.recordSuccess()
    #expect(Self.waits(&policy, Self.refusal(502), 3) == [5000, 10_000, nil])
    policy.recordSuccess()
    let error = Self.error(&policy, Self.refusal(429, #"{"detail":"Too Many Requests"}"#, retryAfter: 90))
    #expect(error == .tryLater("rate limit: Too Many Requests; try again in 90 s"))
  }
}
