import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet

@Suite(.onOwnThread) struct LookupLoopTests {
  /// This many requests one after the other; the outcome is what happened, a word for each.
  private struct Steps: Lookup {
    let url: String
    var host: String { request.address?.host ?? "" }
    var left: Int
    /// Milliseconds before each request but the first.
    var pause: Int?
    var words: [String] = []

    var request: HTTPRequest { HTTPRequest(.get, url) }

    mutating func begin() -> LookupStep<[String]> { left > 0 ? .request : .done(["none"]) }

    mutating func receive(
      _ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
    ) -> LookupStep<[String]> {
      switch result {
      case .success(let response): words.append("\(response.status)")
      case .failure(let error): return .done(words + [error.code])
      }
      left -= 1
      if left == 0 { return .done(words) }
      return pause.map { .pause($0) } ?? .request
    }
  }

  private func settings(
    jobs: Int = 8, jobsPerHost: Int? = nil, timeout: Int = 20_000, allowsPrivate: Bool = true
  ) throws -> LookupSettings {
    try LookupSettings(
      jobs: jobs, jobsPerHost: jobsPerHost, timeout: timeout, allowsPrivate: allowsPrivate, proxy: nil, caFile: nil)
  }

  /// Runs until this many have finished.
  private func finish(_ loop: inout LookupLoop<Steps>, _ count: Int) throws -> [String: [String]] {
    var outcomes: [String: [String]] = [:]
    let end = MonotonicClock.milliseconds + 30_000
    while outcomes.count < count, MonotonicClock.milliseconds < end {
      for item in loop.drainFinished() { outcomes[item.key] = item.outcome }
      if outcomes.count < count { _ = try loop.wait(reading: [], timeoutMilliseconds: 1000) }
    }
    return outcomes
  }

  @Test func eachMakesItsRequestsInTurn() throws {
    let server = try LoopbackServer { _ in .answer(204) }
    var loop = try LookupLoop<Steps>(settings())
    loop.start("a", Steps(url: server.base + "/a", left: 3))
    loop.start("b", Steps(url: server.base + "/b", left: 1))
    loop.start("c", Steps(url: server.base, left: 0))
    #expect(loop.drainFinished().map(\.key) == ["c"])
    #expect(try finish(&loop, 2) == ["a": ["204", "204", "204"], "b": ["204"]])
    #expect(server.requests.count == 4)
  }

  @Test func whatHasFinishedDoesNotWait() throws {
    let server = try LoopbackServer { _ in .answer(200, after: 3) }
    var loop = try LookupLoop<Steps>(settings())
    loop.start("slow", Steps(url: server.base, left: 1))
    loop.start("none", Steps(url: server.base, left: 0))
    let start = MonotonicClock.milliseconds
    _ = try loop.wait(reading: [], timeoutMilliseconds: 20_000)
    #expect(MonotonicClock.milliseconds - start < 2500)
    #expect(loop.drainFinished().map(\.key) == ["none"])
  }

  @Test func theTimeIsForAllRequestsTogether() throws {
    let server = try LoopbackServer { _ in .answer(200, after: 0.2) }
    var loop = try LookupLoop<Steps>(settings(timeout: 700))
    loop.start("a", Steps(url: server.base, left: 100))
    let words = try #require(try finish(&loop, 1)["a"])
    #expect(words.last == "timeout" && words.count <= 4, "\(words)")
  }

  @Test func aSecondLookUpContinuesInTheTimeOfTheFirst() throws {
    let server = try LoopbackServer { _ in .answer(200) }
    var loop = try LookupLoop<Steps>(settings())
    loop.start("a", Steps(url: server.base, left: 1), millisecondsLeft: 0)
    #expect(try finish(&loop, 1) == ["a": ["timeout"]])
    #expect(server.requests.isEmpty)
  }

  @Test func aPauseHoldsUpNobodyElse() throws {
    let times = Mutex<[String: [Int]]>([:])
    let server = try LoopbackServer { request in
      times.withLock { $0[request.target, default: []].append(MonotonicClock.milliseconds) }
      return .answer(200)
    }
    var loop = try LookupLoop<Steps>(settings(jobs: 1))
    loop.start("a", Steps(url: server.base + "/a", left: 2, pause: 600))
    loop.start("b", Steps(url: server.base + "/b", left: 3))
    #expect(try finish(&loop, 2) == ["a": ["200", "200"], "b": ["200", "200", "200"]])
    let (first, second) = try times.withLock { try (#require($0["GET /a"]), #require($0["GET /b"])) }
    #expect(first[1] - first[0] >= 590)
    #expect(second.allSatisfy { $0 < first[1] })
  }

  @Test func whatHasBegunIsNotWithdrawn() throws {
    let server = try LoopbackServer { _ in .answer(200, after: 0.3) }
    var loop = try LookupLoop<Steps>(settings(jobs: 1))
    for key in ["a", "b", "c", "d"] { loop.start(key, Steps(url: server.base + "/" + key, left: 2)) }
    _ = try loop.wait(reading: [], timeoutMilliseconds: 50)
    #expect(loop.withdraw { $0 != "d" }.sorted() == ["b", "c"])
    // Its first request has ended, and its second one waits its turn.
    _ = try loop.wait(reading: [], timeoutMilliseconds: 20_000)
    #expect(server.requests.count == 1)
    #expect(loop.withdraw { $0 == "a" } == [])
    #expect(try finish(&loop, 2).keys.sorted() == ["a", "d"])
    #expect(server.requests.map(\.target) == ["GET /a", "GET /a", "GET /d", "GET /d"])
  }

  @Test func theAddressPolicyReachesTheRequests() throws {
    let server = try LoopbackServer { _ in .answer(200) }
    var loop = try LookupLoop<Steps>(settings(allowsPrivate: false))
    loop.start("a", Steps(url: server.base, left: 1))
    #expect(try finish(&loop, 1) == ["a": ["private-address"]])
    #expect(server.requests.isEmpty)
  }
}
