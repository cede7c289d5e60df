import Foundation
import Synchronization
import TestSupport
import Testing

/// Older tweets, which are asked for at the end of a list, and what is said of a source that fails.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseOlderTests: BrowseSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func tweets(_ ids: ClosedRange<Int>) -> String {
    let data = ids.reversed().map {
      #"{"id":"\#($0)","text":"word number \#($0).","author_id":"7","created_at":"2026-01-02T00:00:\#($0 % 60 + 10).000Z"}"#
    }
    return
      #"{"data":[\#(data.joined(separator: ","))],"includes":{"users":[{"id":"7","username":"jack","name":"Jack"}]},"#
      + #""meta":{"result_count":\#(ids.count),"newest_id":"\#(ids.upperBound)","oldest_id":"\#(ids.lowerBound)"}}"#
  }

  private func environment(_ server: LoopbackServer) -> [String: String] {
    ["TW_ENDPOINT": server.base, "TW_TOKEN": "token-of-the-test"]
  }

  /// However often the end is asked for, one request is under way, and a row says so.
  @Test func oneRequestIsUnderWay() throws {
    let isOpen = Mutex(false)
    let server = try LoopbackServer { request in
      guard request.parameter("until_id") != nil else { return .answer(200, Self.tweets(31...40)) }
      try? waitUntil { isOpen.withLock { $0 } }
      return .answer(200, Self.tweets(21...30))
    }
    let terminal = try start(
      "tw-browse --every 1h '#swift'", until: "word number 31.", environment: environment(server))
    for _ in 1...10 { try terminal.press(Array(repeating: "End", count: 10)) }
    let screen = try terminal.wait(for: "loading older …")
    #expect(screen.contains("▌      word number 31."), "\(screen)")
    try terminal.wait("the request") { _ in server.requests.contains { $0.parameter("until_id") != nil } }
    try terminal.press(Array(repeating: "j", count: 20))
    try terminal.press("?")
    try terminal.wait(for: "the next tweet")
    try terminal.press("Escape")
    #expect(server.requests.filter { $0.parameter("until_id") != nil }.count == 1)
    #expect(server.mostAtOnce.values.allSatisfy { $0 == 1 })
    isOpen.withLock { $0 = true }
    try terminal.wait("the older ones") { $0.contains("word number 30.") && !$0.contains("loading older") }
    // Others would wait for the first to end, and ask then.
    usleep(1_000_000)
    #expect(server.requests.filter { $0.parameter("until_id") != nil }.count == 1)
    // The cursor stays.
    #expect(try terminal.screen().contains("▌      word number 31."))
  }

  /// A source that could not be asked is asked again after R.
  @Test func aFailureIsNotTheEnd() throws {
    let fails = Mutex(true)
    let server = try LoopbackServer { request in
      guard request.parameter("until_id") != nil else { return .answer(200, Self.tweets(38...40)) }
      return fails.withLock { $0 } ? .answer(400, #"{"title":"Not today"}"#) : .answer(200, Self.tweets(21...30))
    }
    let terminal = try start(
      "tw-browse --every 1h '#swift'", until: "word number 38.", environment: environment(server))
    try terminal.press("G")
    try terminal.wait(for: "Not today")
    fails.withLock { $0 = false }
    try terminal.press("R")
    try terminal.wait(for: "asking the sources")
    try terminal.press("G")
    try terminal.wait(for: "word number 30.")
  }

  /// When the refresh ends, a row says since when nothing has come: the time of the last round that went well.
  @Test func staleListsSaySinceWhen() throws {
    let server = try LoopbackServer { _ in .answer(200, Self.tweets(38...40)) }
    var environment = environment(server)
    environment["TW_NOW"] = "2026-01-02T10:00:00Z"
    let terminal = try start(
      "sh -c 'echo $$ > pid; exec tw-browse --every 1h \"#swift\"'", columns: 160, until: "word number 38.",
      environment: environment)
    try terminal.wait("the time of the round") { $0.contains("10:00") }
    let text = String(decoding: try home.read("pid"), as: UTF8.self)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    kill(try #require(runningChild("tw-cache", of: process)), SIGKILL)
    try terminal.wait(for: "stale since 10:00: R asks again")
  }
}
