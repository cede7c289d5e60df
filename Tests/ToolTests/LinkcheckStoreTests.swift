import Foundation
import MediaStore
import TestSupport
import Testing
import TweetCore
import TweetStore

/// What tw-linkcheck remembers of links from run to run.
@Suite(.onOwnThread) struct LinkcheckStoreTests {
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  /// A shortener that dies: its permanent redirects are known, also for links that lead there by another one.
  @Test func aDeadShortenerDoesNotTakeItsTargetsAlong() throws {
    let target = try LoopbackServer { $0.path == "/gone" ? .answer(404) : .page() }
    let home = try TemporaryDirectory()
    var base = ""
    do {
      let short = try LoopbackServer { [target] request in
        switch request.path {
        case "/1": .answer(301, headers: ["Location: /2"])
        case "/2": .answer(308, headers: ["Location: \(target.base)/end"])
        case "/t": .redirect("/u")
        case "/u": .redirect(target.base + "/end")
        default: .answer(301, headers: ["Location: \(target.base)/gone"])
        }
      }
      base = short.base
      let urls = ["/1", "/t", "/3"].map { base + $0 }
      let alive = try Tool.run("tw-linkcheck", ["--allow-private"] + urls, home: home)
      #expect(alive.lines.map { value("verdict", $0) } == ["moved", "ok", "dead"])
    }
    let other = try LoopbackServer { [base] _ in .redirect(base + "/2") }
    let urls = ["/1", "/2", "/t", "/3", "/unknown"].map { base + $0 } + [other.base]
    let dead = try Tool.run("tw-linkcheck", ["--allow-private", "--max-age", "0s"] + urls, home: home)
    #expect(dead.lines.map { value("verdict", $0) } == ["moved", "moved", "error", "dead", "error", "ok"])
    #expect(dead.lines.map { value("stored_redirects", $0) } == ["2", "1", nil, "1", nil, "1"])
    #expect(
      dead.lines.map { value("error", $0) } == ["refused", "refused", "refused", "refused", "refused", "refused"])
    let end = target.base + "/end"
    #expect(
      dead.lines.map { value("unwound_url", $0) } == [end, end, end, target.base + "/gone", base + "/unknown", end])
    // What is known outlives further failures.
    let again = try Tool.run("tw-linkcheck", ["--allow-private", "--max-age", "0s", urls[2]], home: home)
    #expect(value("unwound_url", again.output) == end)
  }

  @Test func failuresAreCountedUntilTheLinkWorksAgain() throws {
    let server = try LoopbackServer { [count = Counter()] request in
      request.method == "HEAD" ? .answer(405) : count.next() <= 3 ? .answer(404) : .page()
    }
    let home = try TemporaryDirectory()
    func run(_ day: Int) throws -> (failures: String?, since: String?) {
      let environment = server.environment.merging(["TW_NOW": "2026-01-0\(day)T00:00:00Z"]) { $1 }
      let result = try Tool.run("tw-linkcheck", [server.base + "/x"], environment: environment, home: home)
      return (value("failures", result.output), value("failing_since", result.output))
    }
    let first = try run(1)
    #expect(first.failures == "1" && first.since == "2026-01-01T00:00:00.000Z")
    let third = (try run(2), try run(3)).1
    #expect(third.failures == "3" && third.since == "2026-01-01T00:00:00.000Z")
    let works = try run(4)
    #expect(works.failures == nil && works.since == nil)
  }

  private final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = 0

    func next() -> Int {
      lock.withLock {
        count += 1
        return count
      }
    }
  }

  /// Many results share a transaction, and a slow input does not keep them from the disk.
  @Test func resultsAreStoredSoonAndTogether() throws {
    let server = try LoopbackServer { _ in .page() }
    let home = try TemporaryDirectory()
    let tool = try RunningTool("tw-linkcheck", ["--db", home.path + "/tw.db"], environment: server.environment)
    tool.send(ToolInput("\(server.base)/1\n\(server.base)/2\n"))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    let path = home.path + "/media.db"
    try waitUntil { try MediaStore(path, note: { _ in }).link(server.base + "/2") != nil }
    tool.closeInput()
    #expect(try tool.finish().status == 0)
    // A reader that leaves loses none either.
    let urls = (0..<50).map { "\(server.base)/head/\($0)" }
    try home.write("urls", urls.joined(separator: "\n"))
    _ = try Tool.shell("tw-linkcheck --db tw.db urls | head -n 1", environment: server.environment, home: home)
    let head = try MediaStore(path, note: { _ in }).link(urls[0])
    #expect(head?.verdict == "ok")
  }

  /// A tool that waits for input keeps nobody from the store: the log can be copied into the file.
  @Test func whoWaitsHoldsNoTransaction() throws {
    let server = try LoopbackServer { _ in .page() }
    let home = try TemporaryDirectory()
    let database = ["--db", home.path + "/tw.db"]
    _ = try Tool.run("tw-linkcheck", database + [server.base + "/1"], environment: server.environment)
    let tool = try RunningTool("tw-linkcheck", database, environment: server.environment)
    tool.send(ToolInput(server.base + "/1\n"))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    // It has printed the line before it waits.
    usleep(200_000)
    let script = "UPDATE links SET title = 'x'; PRAGMA wal_checkpoint(TRUNCATE);"
    let written = try Tool.shell("sqlite3 media.db \"\(script)\"", home: home)
    #expect(written.output == "0|0|0\n", "\(written.errors)")
    tool.closeInput()
    #expect(try tool.finish().status == 0)
  }

  /// Keeps the answers of a warm store the same as those of the check.
  @Test func storedAnswersAreThoseOfTheCheck() throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/1": .answer(301, headers: ["Location: /page#part"])
      case "/song": .answer(200, headers: ["Content-Type: audio/mpeg"])
      case "/page": .page("<title>\"A\"</title><link rel=canonical href=/c>")
      default: .answer(404)
      }
    }
    let home = try TemporaryDirectory()
    let environment = server.environment.merging(["TW_NOW": "2026-01-01T00:00:00Z"]) { $1 }
    let urls = ["/1", "/1#own", "/song?utm_source=x", "/song?utm_source=x#t", "/none"].map { server.base + $0 }
    let options = ["--titles", "--chain"] + urls
    let cold = try Tool.run("tw-linkcheck", options, environment: environment, home: home)
    #expect(
      cold.lines.count == 5 && cold.lines[0].contains(#""title":"\"A\"""#) && cold.lines[0].contains("rel_canonical"))
    let requests = server.requests.count
    let warm = try Tool.run("tw-linkcheck", options, environment: environment, home: home)
    #expect(warm.output == cold.output && server.requests.count == requests)
    // A page without a title is not read again for it.
    let read = try Tool.run("tw-linkcheck", ["--titles", server.base + "/c"], environment: environment, home: home)
    #expect(read.status == 0)
  }
}
