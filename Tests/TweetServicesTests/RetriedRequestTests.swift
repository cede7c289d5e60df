import ServiceClients
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

/// The states of a retried request, with an injected clock.
struct RetriedRequestTests {
  /// A clock that a test sets; its jitter is always a half.
  private final class Clock: Sendable {
    private let now = Mutex(1_000)

    func advance(_ milliseconds: Int) { now.withLock { $0 += milliseconds } }

    var retryClock: RetryClock {
      RetryClock(
        milliseconds: { self.now.withLock { $0 } },
        now: { Timestamp(milliseconds: 1_700_000_000_000 + Int64(self.now.withLock { $0 })) }, jitter: { 0.5 })
    }
  }

  /// Nothing listens there; the tests make the answers themselves.
  private static let request = HTTPRequest(.get, "http://127.0.0.1:9/", reaching: .any)

  private static func answer(_ status: Int, _ body: String = "", retryAfter: Int? = nil) -> HTTPResponse {
    var response = HTTPResponse(status: status, body: Array(body.utf8), url: "")
    response.retryAfter = retryAfter
    return response
  }

  /// How the owner reads an answer: the body if it is good; `<` begins one of something other than the service.
  private static func read(_ response: HTTPResponse) -> RetriedRequest.Reading<String> {
    guard response.isSuccess else { return .refused(Refusal(response)) }
    let body = String(decoding: response.body, as: UTF8.self)
    return body.hasPrefix("<") ? .unreadable("a web page") : .answer(body)
  }

  /// The outcome of a try that ends like this, in a few words.
  private static func outcome(
    _ retried: inout RetriedRequest, _ result: Result<HTTPResponse, TransferError>
  ) throws -> String {
    let transfer = try #require(retried.transfer)
    return switch retried.handle(.finished(transfer, result), read: read) {
    case nil: "nothing"
    case .answered(let body): "answered \(body)"
    case .waiting(let wait): "\(wait.cause) \(wait.milliseconds) until \(wait.until): \(wait.reason)"
    case .stopped(let error): "stopped \(error.status): \(error.message ?? "")"
    }
  }

  private static func ignores(_ retried: inout RetriedRequest, _ event: TransferLoop.Event) -> Bool {
    if case nil = retried.handle(event, read: read) { true } else { false }
  }

  @Test func anAnswerEndsItAndAFailureMakesItWait() throws {
    let clock = Clock()
    var loop = try TransferLoop()
    var retried = RetriedRequest(RetryPolicy(.endless), clock: clock.retryClock)
    #expect(retried.isIdle && retried.transfer == nil && retried.wakesAt == nil && !retried.isDue)
    retried.start(Self.request, in: &loop)
    #expect(!retried.isIdle && retried.wakesAt == nil)
    // 5 s of backoff, and half of a tenth by chance.
    #expect(try Self.outcome(&retried, .success(Self.answer(503))) == "server 5250 until 6250: HTTP 503")
    #expect(retried.transfer == nil && retried.wakesAt == 6250 && !retried.isIdle)
    clock.advance(5249)
    #expect(!retried.isDue)
    clock.advance(1)
    #expect(retried.isDue)
    retried.start(Self.request, in: &loop)
    #expect(!retried.isDue && retried.wakesAt == nil)
    #expect(try Self.outcome(&retried, .success(Self.answer(200, "yes"))) == "answered yes")
    #expect(retried.isIdle)
    // The answer ended the series of failures.
    retried.start(Self.request, in: &loop)
    #expect(try Self.outcome(&retried, .success(Self.answer(503))) == "server 5250 until 11500: HTTP 503")
  }

  @Test func eachKindOfFailureIsDecidedByThePolicy() throws {
    let clock = Clock()
    var loop = try TransferLoop()
    func outcome(_ patience: RetryPolicy.Patience, _ results: Result<HTTPResponse, TransferError>...) throws -> String {
      var retried = RetriedRequest(RetryPolicy(patience), clock: clock.retryClock)
      var last = ""
      for result in results {
        retried.start(Self.request, in: &loop)
        last = try Self.outcome(&retried, result)
      }
      return last
    }
    let lost = Result<HTTPResponse, TransferError>.failure(TransferError(.lostConnection, "gone"))
    #expect(try outcome(.endless, lost) == "network 0 until 1000: gone")
    #expect(try outcome(.endless, lost, lost, lost) == "network 525 until 1525: gone")
    #expect(try outcome(.brief, lost, lost, lost) == "stopped tryLater: no connection to the service: gone")
    #expect(try outcome(.endless, .success(Self.answer(200, "<"))) == "server 5250 until 6250: a web page")
    #expect(try outcome(.endless, .success(Self.answer(429, retryAfter: 7))).hasPrefix("rateLimit 7000 until 8000"))
    #expect(try outcome(.brief, .success(Self.answer(401))).hasPrefix("stopped notAllowed"))
  }

  @Test func eventsOfOthersAndCancelledTransfersAreIgnored() throws {
    var loop = try TransferLoop()
    var retried = RetriedRequest(RetryPolicy(.endless), clock: Clock().retryClock)
    let other = loop.start(Self.request)
    #expect(Self.ignores(&retried, .finished(other, .success(Self.answer(200)))))
    retried.start(Self.request, in: &loop)
    let first = try #require(retried.transfer)
    #expect(Self.ignores(&retried, .finished(other, .success(Self.answer(200)))))
    #expect(Self.ignores(&retried, .started(first, Self.answer(200))))
    #expect(Self.ignores(&retried, .readable(0)))
    #expect(retried.transfer == first)
    // Started anew: only the new transfer counts, and the old one is no longer in the loop.
    retried.start(Self.request, in: &loop)
    #expect(Self.ignores(&retried, .finished(first, .success(Self.answer(200)))))
    #expect(loop.count == 2)
    retried.cancel(in: &loop)
    #expect(retried.isIdle && loop.count == 1)
  }

  @Test func aPauseAndAFailureInsideAStreamMakeItWaitToo() throws {
    let clock = Clock()
    var loop = try TransferLoop()
    var retried = RetriedRequest(RetryPolicy(.endless), clock: clock.retryClock)
    retried.pause(until: 1_500)
    #expect(retried.wakesAt == 1_500 && !retried.isDue)
    clock.advance(500)
    #expect(retried.isDue)
    retried.start(Self.request, in: &loop)
    retried.policy.recordAcceptance()
    let closing = Refusal(.rateLimit, "slower", error: .tryLater("slower"))
    let outcome: RetriedRequest.Outcome<Never> = retried.fail(.closed(closing))
    guard case .waiting(let wait) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(wait.milliseconds == 63_000 && wait.until == 64_500 && wait.reason == "slower")
    #expect(retried.wakesAt == wait.until)
  }
}

/// One plain request from beginning to end, as signing in and posting make it: no feed, no writer.
@Suite(.onOwnThread(minutes: 1))
struct PlainRequestTests {
  @Test func isAnsweredAfterItsFailures() throws {
    let tries = Atomic(0)
    let server = try LoopbackServer { _, connection in
      switch tries.add(1, ordering: .relaxed).oldValue {
      case 0: connection.reset()
      case 1: connection.answer(503, headers: ["Retry-After: 1"])
      default: connection.answer(200, "done")
      }
    }
    var loop = try TransferLoop()
    var retried = RetriedRequest(RetryPolicy(.brief))
    var request = HTTPRequest(.post, server.base + "/", reaching: .any)
    request.body = Array("text=x".utf8)
    retried.start(request, in: &loop)
    var waits: [RetryPolicy.Cause] = []
    var answer: String?
    let deadline = MonotonicClock.milliseconds + 50_000
    while answer == nil, MonotonicClock.milliseconds < deadline {
      let timeout = retried.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) } ?? 1_000
      for event in try loop.wait(timeoutMilliseconds: timeout) {
        let outcome = retried.handle(event) { response -> RetriedRequest.Reading<String> in
          response.isSuccess ? .answer(String(decoding: response.body, as: UTF8.self)) : .refused(Refusal(response))
        }
        switch outcome {
        case nil: continue
        case .answered(let body): answer = body
        case .waiting(let wait): waits.append(wait.cause)
        case .stopped(let error): throw error
        }
      }
      if retried.isDue { retried.start(request, in: &loop) }
    }
    #expect(answer == "done")
    #expect(waits == [.network, .server])
    #expect(server.requests.map(\.body) == ["text=x", "text=x", "text=x"])
  }
}
