import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore

@testable import TweetNet
@testable import tw_linkcheck

/// Copies of dead links, from an archive on loopback.
@Suite(.onOwnThread) struct LinkcheckArchiveTests {
  private let home: TemporaryDirectory
  private static let copy = "http://web.archive.org/web/20130919044612/http://example.com/"
  private static let archived =
    #""archived":{"url":"\#(copy.replacing("http://web", with: "https://web"))","at":"2013-09-19T04:46:12.000Z"}"#

  init() throws { home = try TemporaryDirectory() }

  private static func answer(_ url: String, _ time: String = "20130919044612", status: String = "200") -> String {
    #"{"url":"x","archived_snapshots":{"closest":{"status":"\#(status)","available":true,"url":"\#(url)","timestamp":"\#(time)"}}}"#
  }

  private func run(_ server: LoopbackServer, _ options: [String], now: String = "2026-01-01T00:00:00Z") throws
    -> ToolResult
  {
    try Tool.run(
      "tw-linkcheck", options,
      environment: server.environment.merging(["TW_WAYBACK": server.base + "/api/", "TW_NOW": now]) { $1 }, home: home)
  }

  private func questions(_ server: LoopbackServer) -> [String] { server.targets.filter { $0.contains("/wayback/") } }

  @Test func aDeadLinkHasItsCopy() throws {
    let server = try LoopbackServer { request in
      if request.path.hasPrefix("/api/wayback/") { return .answer(200, Self.answer(Self.copy)) }
      return request.path.hasPrefix("/gone") ? .answer(404) : .page()
    }
    let urls = ["\(server.base)/gone?a=b&c#d", "\(server.base)/ok"]
    let plain = try run(server, urls)
    #expect(!plain.output.contains("archived") && questions(server).isEmpty)
    let found = try run(server, ["--wayback"] + urls)
    #expect(found.lines.map { $0.contains(Self.archived) } == [true, false] && found.status == 0 && found.errors == "")
    let asked = PercentEncoding.encode("\(server.base)/gone?a=b&c")
    #expect(questions(server) == ["GET /api/wayback/available?url=\(asked)"])
    // It is stored with the verdict, and outlives it for a week.
    let before = server.requests.count
    #expect(try run(server, ["--wayback"] + urls).output == found.output && server.requests.count == before)
    let later = try run(server, ["--wayback", urls[0]], now: "2026-01-02T00:00:00Z")
    #expect(later.output.contains(Self.archived) && later.output.contains(#""failures":3"#))
    #expect(server.requests.count > before && questions(server).count == 1)
    #expect(try run(server, [urls[0]], now: "2026-01-03T00:00:00Z").output.contains(Self.archived))
    _ = try run(server, ["--wayback", urls[0]], now: "2026-01-09T00:00:00Z")
    #expect(questions(server).count == 2)
    // An earlier check's copy is replaced, and goes when the link works.
    let record = #"{"tw":"link","url":"\#(urls[1])","archived":{"url":"x","at":"y"},"verdict":"dead"}"#
    let works = try Tool.run(
      "tw-linkcheck", [], stdin: "\(record)\n", environment: server.environment, home: home)
    #expect(works.output.contains(#""verdict":"ok""#) && !works.output.contains("archived"))
  }

  @Test func whereThereIsNoCopyNoneIsAskedForAgain() throws {
    let server = try LoopbackServer { request in
      request.path.hasPrefix("/api/") ? .answer(200, #"{"archived_snapshots":{}}"#) : .answer(410)
    }
    for _ in 0..<2 {
      let result = try run(server, ["--wayback", server.base + "/a"])
      #expect(!result.output.contains("archived") && result.output.contains(#""verdict":"dead""#) && result.status == 0)
    }
    // It is asked twice before it is believed, and then a day later: a verdict of that age is no more used either.
    #expect(questions(server).count == 2)
    #expect(try run(server, ["--wayback", "--offline", server.base + "/a"]).status == 0)
    _ = try run(server, ["--wayback", server.base + "/a"], now: "2026-01-01T20:00:00Z")
    #expect(questions(server).count == 2)
    _ = try run(server, ["--wayback", server.base + "/a"], now: "2026-01-02T03:00:00Z")
    #expect(questions(server).count == 4)
  }

  /// Its API says at times that there is none where there is one.
  @Test func theSecondAnswerCounts() throws {
    let isFirst = Mutex(true)
    let server = try LoopbackServer { request in
      guard request.path.hasPrefix("/api/") else { return .answer(410) }
      let first = isFirst.withLock { value in
        defer { value = false }
        return value
      }
      return .answer(200, body: Array((first ? #"{"archived_snapshots":{}}"# : Self.answer(Self.copy)).utf8))
    }
    let result = try run(server, ["--wayback", server.base + "/a"])
    #expect(result.lines.count == 1 && result.output.contains(Self.archived) && questions(server).count == 2)
  }

  /// The copy that is nearest to the first post of the link shows what its author saw.
  @Test func theCopyIsThatOfThePostsTime() throws {
    let server = try LoopbackServer { request in
      request.path.hasPrefix("/api/") ? .answer(200, Self.answer(Self.copy)) : .answer(404)
    }
    func tweet(_ id: Int, _ time: String) -> String {
      #"{"tw":"tweet","service":"x","id":"\#(id)","text":"a","created_at":"\#(time)","author":{"id":"1"},"#
        + #""entities":{"urls":[{"start":0,"end":1,"url":"\#(server.base)/x"}]}}"# + "\n"
    }
    let input = tweet(2, "2014-03-02T01:02:03.000Z") + tweet(1, "2013-09-18T23:59:01.000Z")
    let result = try Tool.run(
      "tw-linkcheck", ["--wayback"], stdin: ToolInput(input),
      environment: server.environment.merging(["TW_WAYBACK": server.base + "/api"]) { $1 }, home: home)
    #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains(Self.archived) })
    #expect(questions(server).count == 1 && questions(server)[0].hasSuffix("&timestamp=20130918235901"))
  }

  /// A page that works and has no copy gets one; the archive is asked for it once.
  @Test func aPageThatWorksIsCopied() throws {
    let server = try LoopbackServer { request in
      if request.path.hasPrefix("/api/save/") {
        return request.path.hasSuffix("/refused")
          ? .answer(403)
          : .answer(302, headers: ["Location: /web/20260101000001/" + request.path.dropFirst("/api/save/".count)])
      }
      if request.path.hasPrefix("/api/") {
        let body = request.path.contains("known") ? Self.answer(Self.copy) : #"{"archived_snapshots":{}}"#
        return .answer(200, body)
      }
      if request.path == "/picture" { return .answer(200, headers: ["Content-Type: image/png"]) }
      return request.path == "/gone" ? .answer(404) : .page()
    }
    let urls = ["new", "known", "gone", "picture", "refused"].map { "\(server.base)/\($0)" }
    let result = try run(server, ["--wayback-save"] + urls)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let copy =
      #""archived":{"url":"\#(server.base)/web/20260101000001/\#(server.base)/new","at":"2026-01-01T00:00:01.000Z"}"#
    #expect(result.lines[0].contains(copy), "\(result.lines[0])")
    #expect(result.lines[1].contains(Self.archived) && result.lines[1].contains(#""verdict":"ok""#))
    #expect(result.lines[2...].allSatisfy { !$0.contains("archived") })
    // Links are looked up side by side, so either may be asked for first.
    let saves = server.targets.filter { $0.contains("/save/") }.sorted()
    #expect(saves == ["GET /api/save/\(server.base)/new", "GET /api/save/\(server.base)/refused"])
    let again = try run(server, ["--wayback-save"] + urls.prefix(4))
    #expect(again.output == result.lines.prefix(4).map { $0 + "\n" }.joined())
    #expect(server.targets.filter { $0.contains("/save/") }.sorted() == saves && questions(server).count == 3)
  }

  /// An archive that refuses is left alone; links keep their verdicts, and the next run asks.
  @Test func anArchiveThatRefusesIsLeftAlone() throws {
    let isBusy = Mutex(true)
    let server = try LoopbackServer { request in
      guard request.path.hasPrefix("/api/") else { return .answer(404) }
      if isBusy.withLock({ $0 }) { return .answer(429, headers: ["Retry-After: 3600"]) }
      return .answer(200, Self.answer(Self.copy))
    }
    let urls = (1...3).map { "\(server.base)/\($0)" }
    let refused = try run(server, ["--wayback"] + urls)
    #expect(
      refused.lines.count == 3
        && refused.lines.allSatisfy { $0.contains(#""verdict":"dead""#) && !$0.contains("archived") })
    #expect(refused.status == 0 && refused.errors.split(separator: "\n").count == 1)
    #expect(refused.errors.contains("the Internet Archive is not asked any more in this run"))
    #expect(questions(server).count == 1)
    isBusy.withLock { $0 = false }
    let found = try run(server, ["--wayback"] + urls.prefix(2))
    #expect(found.lines.count == 2 && found.lines.allSatisfy { $0.contains(Self.archived) } && found.errors == "")
    #expect(questions(server).count == 3)
  }

  @Test func aWrongBaseIsAConfigurationFault() throws {
    let result = try Tool.run(
      "tw-linkcheck", ["--wayback", "http://127.0.0.1:1/"], environment: ["TW_WAYBACK": "ftp://u:secret@a.example"],
      home: home)
    #expect(result.status == 78 && !result.errors.contains("secret") && result.errors.contains("TW_WAYBACK"))
  }

  // MARK: Without a network

  private func outcome(_ status: Int, _ body: String, retryAfter: Int? = nil) throws -> ArchiveSearch.Outcome {
    let base = try #require(WebAddress("https://archive.example"))
    var response = HTTPResponse(status: status, body: Array(body.utf8), url: "")
    response.retryAfter = retryAfter
    guard
      case .done(let outcome) = ArchiveSearch(of: "http://a.example/", base: base, postedAt: nil).receive(
        .success(response), millisecondsLeft: 1000)
    else { return .failed("no end") }
    return outcome
  }

  @Test func answersOfTheArchive() throws {
    let time = try #require(Timestamp(parsing: "2013-09-19T04:46:12Z"))
    #expect(
      try outcome(200, Self.answer(Self.copy))
        == .found(ArchivedCopy(url: "https" + Self.copy.dropFirst(4), madeAt: time)))
    let other = "http://archive.example:8080/web/1"
    #expect(try outcome(200, Self.answer(other)) == .found(ArchivedCopy(url: other, madeAt: time)))
    // There is none that is of use.
    #expect(try outcome(200, Self.answer(Self.copy, status: "404")) == .found(nil))
    for url in ["javascript:alert(1)", "/web/1", "", String(repeating: "http://a.example/", count: 1000)] {
      #expect(try outcome(200, Self.answer(url)) == .found(nil), "\(url)")
    }
    for wrong in ["", "2013", "20131319044612", "2013091904461x", "20130919044699"] {
      #expect(try outcome(200, Self.answer(Self.copy, wrong)) == .found(nil), "\(wrong)")
    }
    #expect(try outcome(200, Self.answer(Self.copy).replacing("true", with: "false")) == .found(nil))
    // No answer.
    for body in ["", "<html>", "{}", "[]", "{\"archived_snapshots\":"] {
      guard case .failed = try outcome(200, body) else {
        Issue.record("\(body)")
        continue
      }
    }
    #expect(try outcome(302, "") == .failed("http 302"))
    #expect(try outcome(429, "", retryAfter: 7) == .refused(7000))
    #expect(try outcome(503, "") == .refused(60_000))
  }

  private func link(_ key: String) -> ArchiveQueue.Waiting {
    let result = LinkResult(url: key, unwoundURL: key, verdict: .dead, checkedAt: Timestamp(milliseconds: 0))
    return ArchiveQueue.Waiting(key: key, result: result, chain: nil)
  }

  /// One request at a time, with time between two; a rest that the archive asks for is longer.
  @Test func theArchiveIsAskedSlowly() {
    var queue = ArchiveQueue()
    for key in ["a", "b", "c"] { queue.append(link(key)) }
    #expect(queue.startNext(at: 10_000)?.key == "a" && queue.startNext(at: 90_000) == nil && queue.nextRequest == nil)
    let copy = ArchivedCopy(url: "x", madeAt: Timestamp(milliseconds: 0))
    #expect(queue.finish(.found(copy), at: 10_100)?.result.archived == copy)
    #expect(queue.nextRequest == 14_000 && queue.startNext(at: 13_999) == nil)
    #expect(queue.startNext(at: 14_000)?.key == "b")
    // It is asked about again after the rest.
    #expect(queue.finish(.refused(20_000), at: 14_100) == nil && queue.nextRequest == 34_100)
    #expect(queue.startNext(at: 34_100)?.key == "b")
    #expect(queue.finish(.failed("x"), at: 34_200)?.key == "b" && queue.refusal == nil)
    #expect(queue.startNext(at: 40_000)?.key == "c")
    // That there is none is asked about once more, after the others.
    queue.append(link("e"))
    #expect(queue.finish(.found(nil), at: 40_100) == nil && queue.startNext(at: 44_000)?.key == "e")
    #expect(queue.finish(.refused(1000), at: 44_100) == nil && queue.startNext(at: 48_000)?.key == "e")
    #expect(queue.finish(.failed("x"), at: 48_100)?.key == "e" && queue.startNext(at: 52_000)?.key == "c")
    #expect(queue.finish(.refused(1000), at: 52_100)?.key == "c" && queue.refusal != nil)
    queue.append(link("d"))
    #expect(queue.startNext(at: 90_000) == nil && queue.drainRefused().map(\.key) == ["d"])
  }
}
