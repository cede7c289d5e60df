import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore

/// tw-cache refresh of many sources, at services that work in part: a broken one is asked a few times, not once for
/// each source.
@Suite(.onOwnThread) struct RefreshHealthTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private typealias Handler = @Sendable (LoopbackServer.Request, Connection) -> Void

  /// The number of sources that tw-stream polls side by side.
  private static let width = 8
  private static let page = #"{"meta":{"result_count":0}}"#

  private func environment(_ server: LoopbackServer) -> [String: String] {
    ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "a-token"]
  }

  private func refresh(_ server: LoopbackServer, _ words: [String]) throws -> ToolResult {
    try Tool.run("tw-cache", ["refresh", "--no-fetch-avatars"] + words, environment: environment(server), home: home)
  }

  private func log(_ source: String...) throws -> [[Substring]] {
    try Tool.run("tw-cache", ["log", "--limit", "10000"] + source, home: home).lines.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
  }

  private static let tags = (1...60).map { "#tag\($0)" }

  private static func isSearch(_ request: LoopbackServer.Request) -> Bool { request.target.contains("/search/recent") }

  /// Whether a search is for one of the tags.
  private static func asks(for tag: String, _ request: LoopbackServer.Request) -> Bool {
    request.target.contains("query=%23\(tag.dropFirst())&")
  }

  @Test(arguments: [
    (401, Int32(77), "token"), (402, 69, "used up"),
    (403, 77, "plan does not include"), (429, 75, "rate limit"),
  ])
  func aRefusalThatConcernsAllEndsTheRound(_ status: Int, _ code: Int32, _ words: String) throws {
    let body = status == 403 ? #"{"reason":"client-not-enrolled","title":"Client Forbidden"}"# : "{}"
    let server = try LoopbackServer { _ in .answer(status, body, headers: ["Retry-After: 600"]) }
    let result = try refresh(server, Self.tags)
    #expect(result.status == code)
    #expect(server.requests.count <= Self.width)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.contains(words) && result.errors.contains("and \(Self.tags.count - 8) more"))
    // All stay due.
    #expect(try log().filter { $0[5] == "\(code)" }.count == Self.tags.count)
  }

  /// A service whose searches are limited, and nothing else.
  private static func limitedSearch(retryAfter seconds: Int) throws -> LoopbackServer {
    try LoopbackServer { request in
      if isSearch(request) {
        return .answer(429, "{}", headers: ["Retry-After: \(seconds)"])
      } else if request.target.contains("by/username") {
        return .answer(200, #"{"data":{"id":"12"}}"#)
      } else {
        return .answer(200, page)
      }
    }
  }

  /// The account's posts of others are not concerned by the rate limit of searches.
  @Test func aRateLimitEndsOnlyItsEndpoint() throws {
    let server = try Self.limitedSearch(retryAfter: 600)
    let users = (1...20).map { "user:name\($0)" }
    let result = try refresh(server, Self.tags + users)
    #expect(result.status == 75 && result.errors.split(separator: "\n").count == 1)
    #expect(server.requests.filter(Self.isSearch).count <= Self.width)
    let statuses = try log().map { (String($0[2]), $0[5]) }
    #expect(statuses.filter { $0.0.hasPrefix("user:") }.allSatisfy { $0.1 == "0" })
    #expect(statuses.count == Self.tags.count + users.count)
  }

  @Test func aServiceInTroubleIsAskedAFewTimes() throws {
    let server = try LoopbackServer { _ in .answer(503, headers: ["Retry-After: 0"]) }
    let result = try refresh(server, Self.tags)
    #expect(result.status == 75 && result.errors.contains("in trouble"))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(server.requests.count <= 3 * Self.width)
  }

  /// Look-ups of posts learn together with searches what the account may not, and what the network cannot.
  @Test(arguments: [
    (401, Int32(77), "token"), (402, 69, "used up"),
    (503, 75, "in trouble"), (nil, 75, "no connection"),
  ])
  func lookUpsShareTheHealthOfTheService(_ status: Int?, _ code: Int32, _ words: String) throws {
    let server = try LoopbackServer { _ in
      status.map { .answer($0, headers: ["Retry-After: 0"]) } ?? .hangUp
    }
    let files = try (1...60).map { "ids:" + (try home.write("ids\($0)", "20\n")) }
    let mixed = zip(files, Self.tags).flatMap { [$0, $1] }
    let result = try refresh(server, mixed)
    #expect(result.status == code && result.errors.contains(words), "\(result.errors)")
    // A service in trouble is so for each of the two endpoints.
    let most = status == 503 ? 6 * Self.width : 3 * Self.width
    #expect(server.requests.count <= most, "\(server.requests.count)")
  }

  @Test func aServiceThatBreaksConnectionsIsAskedAFewTimes() throws {
    let server = try LoopbackServer { _ in .hangUp }
    let result = try refresh(server, Self.tags)
    #expect(result.status == 75 && result.errors.contains("no connection"))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(server.requests.count <= 3 * Self.width)
  }

  /// A search that always fails does not keep the others from being refreshed, whatever its turn.
  @Test(arguments: ["#tag1", "#tag30", "#tag60"])
  func aSourceThatAlwaysFailsEndsAlone(_ bad: String) throws {
    let server = try LoopbackServer { request in
      if Self.asks(for: bad, request) {
        return .answer(503, headers: ["Retry-After: 0"])
      } else {
        return .answer(200, Self.page)
      }
    }
    let result = try refresh(server, Self.tags)
    #expect(result.status == 75)
    #expect(result.errors.hasPrefix("tw-cache: cannot refresh '\(bad)': "), "\(result.errors)")
    #expect(try log().filter { $0[5] == "0" }.count == Self.tags.count - 1)
  }

  /// One service's failures are not those of another account's.
  @Test func sourcesAreAskedSideBySide() throws {
    let server = try LoopbackServer { _ in .answer(200, Self.page, after: 0.05) }
    #expect(try refresh(server, Self.tags).status == 0)
    #expect(server.requests.count == Self.tags.count)
    let most = server.mostAtOnce.values.max() ?? 0
    #expect(most > 1 && most <= Self.width)
  }

  /// A refresh that keeps running does not ask before the rate limit is over.
  @Test func aRateLimitIsWaitedFor() throws {
    let server = try Self.limitedSearch(retryAfter: 3600)
    let running = try RunningTool(
      "tw-cache", ["refresh", "--every", "100ms", "--no-fetch-avatars", "#tag1", "@jack"],
      environment: environment(server), home: home)
    var rounds = 0
    while rounds < 6, let line = try running.line() {
      if line.contains("\"tw\":\"refresh\""), line.contains("user:jack") { rounds += 1 }
    }
    running.signal(SIGTERM)
    let result = try running.finish()
    #expect(server.requests.filter(Self.isSearch).count == 1)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  /// After a signal, what was fetched until then is not fetched again.
  @Test func anInterruptedRoundKeepsWhatItHas() throws {
    let isOpen = Mutex(false)
    let server = try LoopbackServer { request, connection in
      if Self.asks(for: "#tag9", request) { try? waitUntil { isOpen.withLock { $0 } } }
      let post = #"{"data":[{"id":"1456000000000000000","text":"t","author_id":"1"}],"meta":{"result_count":1}}"#
      connection.answer(200, request.target.contains("since_id=1456") ? Self.page : post)
    }
    defer { isOpen.withLock { $0 = true } }
    let running = try RunningTool(
      "tw-cache", ["refresh", "--no-fetch-avatars"] + Self.tags, environment: environment(server), home: home)
    try waitUntil { try log().count >= Self.tags.count - 1 }
    running.signal(SIGINT)
    #expect(try running.finish().ending == .signal(SIGINT))
    isOpen.withLock { $0 = true }
    #expect(try log().count == Self.tags.count - 1)
    let before = server.requests.count
    #expect(try refresh(server, Self.tags).status == 0)
    let asked = server.requests[before...]
    #expect(asked.filter { $0.target.contains("since_id=") }.count == Self.tags.count - 1)
  }

  /// tw-stream itself says which of several sources failed, and goes on with the others.
  @Test func severalSourcesOfOneStreamEndOneByOne() throws {
    let server = try LoopbackServer { request in
      if Self.asks(for: "#tag2", request) {
        return .answer(404, "{}")
      } else {
        return .answer(200, Self.page)
      }
    }
    let result = try Tool.run(
      "tw-stream", ["--once", "#tag1", "#tag2", "nothere:x", "#tag3"], environment: environment(server), home: home)
    #expect(result.status == 64)
    let failures = result.lines.filter { $0.contains(#""code":"bad-source""#) }
    #expect(failures.count == 2)
    #expect(failures[0].contains(##""source":"nothere:x","status":64"##), "\(failures)")
    #expect(failures[1].contains(##""source":"#tag2","status":69"##), "\(failures)")
    #expect(result.lines.filter { $0.contains(#""tw":"refresh""#) }.count == 2)
    #expect(result.errors.split(separator: "\n").count == 2, "\(result.errors)")
    #expect(result.errors.contains("cannot poll '#tag2': not there"))
  }
}
