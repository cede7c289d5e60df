import Foundation
import Synchronization
import TestSupport
import Testing

/// tw-linkcheck, tw-avatar and hosts that want fewer requests.
@Suite(.onOwnThread) struct LinkcheckLimitTests {
  /// The value of a key in a line.
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  /// Takes this many requests in each second of its clock.
  private final class Limit: Sendable {
    let rate: Int
    private let state = Mutex((second: 0, count: 0, refused: 0))

    init(_ rate: Int) { self.rate = rate }

    var refused: Int { state.withLock(\.refused) }

    func takes() -> Bool {
      let second = Int(Date().timeIntervalSince1970)
      return state.withLock { state in
        if state.second != second { (state.second, state.count) = (second, 0) }
        state.count += 1
        if state.count > rate { state.refused += 1 }
        return state.count <= rate
      }
    }
  }

  private func user(_ id: Int, _ url: String) -> String {
    #"{"tw":"user","service":"x","id":"\#(id)","username":"a","name":"a","profile_image_url":"\#(url)"}"# + "\n"
  }

  /// All links are good, although each one alone has less time than they take together.
  @Test(arguments: ["Retry-After: 1", "Retry-After: DATE", "X: y"])
  func aHostThatLimitsIsNotHammered(field: String) throws {
    let limit = Limit(10)
    let server = try LoopbackServer { _ in
      if limit.takes() { return .page() }
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(identifier: "GMT")
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let date = formatter.string(from: Date(timeIntervalSinceNow: 2))
      return .answer(429, headers: [field.replacing("DATE", with: date)])
    }
    let home = try TemporaryDirectory()
    try home.write("links", (0..<60).map { "\(server.base)/\($0)\n" }.joined())
    let result = try Tool.run(
      "tw-linkcheck", ["--timeout", "3s", "--host-stats", "links"], environment: server.environment, home: home)
    #expect(result.lines.count == 60 && result.lines.allSatisfy { value("verdict", $0) == "ok" })
    #expect(result.status == 0 && limit.refused <= 20 && limit.refused > 0, "\(limit.refused) refused")
    let rows = result.errors.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first == ["host", "requests", "ok", "refused", "failed", "median"])
    #expect(rows.last?.prefix(5) == ["127.0.0.1", "\(60 + limit.refused)", "60", "\(limit.refused)", "0"])
  }

  @Test func picturesWaitForTheirHostToo() throws {
    let limit = Limit(10)
    let server = try LoopbackServer { request in
      limit.takes() ? .answer(404) : .answer(503, headers: ["Retry-After: 1"])
    }
    let users = (0..<40).map { user($0, "\(server.base)/\($0).png") }.joined()
    let result = try Tool.run(
      "tw-avatar", ["--timeout", "3s", "--host-stats"], stdin: ToolInput(users), environment: server.environment)
    #expect(result.lines.count == 40 && result.lines.allSatisfy { value("error", $0) == "http 404" })
    #expect(limit.refused <= 20 && limit.refused > 0, "\(limit.refused) refused")
    #expect(result.errors.contains("\n127.0.0.1"))
  }

  /// Where a host wants a longer rest than links wait for, the run ends, and says when to ask again. What was not asked
  /// is not stored.
  @Test func aHostThatLimitsForLongEndsTheRun() throws {
    let server = try LoopbackServer { _ in .answer(429, headers: ["Retry-After: 3600"]) }
    let home = try TemporaryDirectory()
    let urls = (0..<30).map { "\(server.base)/\($0)" }
    func run() throws -> ToolResult {
      try Tool.run(
        "tw-linkcheck", urls, environment: server.environment.merging(["TW_NOW": "2026-01-01T00:00:00Z"]) { $1 },
        home: home)
    }
    let result = try run()
    #expect(result.lines.count == 30 && result.lines.allSatisfy { value("verdict", $0) == "limited" })
    #expect(result.lines.allSatisfy { (value("retry_at", $0) ?? "").hasPrefix("2026-01-01T0") })
    #expect(result.lines.count { value("error", $0) == "limited" } >= 20 && result.status == 0)
    let asked = server.requests.count
    #expect(asked <= 8)
    let second = try run()
    #expect(second.lines.count == 30 && server.requests.count > asked && server.requests.count <= 2 * asked)
  }

  /// A host whose one page is in trouble gives the others at once.
  @Test func onePageInTroubleLimitsNoOther() throws {
    let server = try LoopbackServer { $0.path == "/broken" ? .answer(503) : .page() }
    let urls = ["\(server.base)/broken"] + (0..<40).map { "\(server.base)/\($0)" }
    let result = try Tool.run("tw-linkcheck", urls, environment: server.environment)
    #expect(value("status", result.lines.first ?? "") == "503" && value("verdict", result.lines[0]) == "error")
    #expect(result.lines.dropFirst().allSatisfy { value("verdict", $0) == "ok" })
    #expect(server.targets.count { $0.hasSuffix("/broken") } <= 4)
  }
}
