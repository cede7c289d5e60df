import Foundation
import Synchronization
import TestSupport
import Testing

/// What has become of links since the check before.
@Suite(.onOwnThread) struct LinkcheckChangeTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func run(_ server: LoopbackServer, _ options: [String], day: Int) throws -> (lines: [String], asked: [String])
  {
    let before = server.requests.count
    let environment = server.environment.merging(["TW_NOW": "2026-01-0\(day)T00:00:00Z"]) { $1 }
    let result = try Tool.run(
      "tw-linkcheck", ["--get"] + options + ["a", "b", "c"].map { "\(server.base)/\($0)" }, environment: environment,
      home: home)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return (result.lines, server.targets[before...].map { String($0.suffix(1)) }.sorted())
  }

  private func verdicts(_ lines: [String]) -> [String] {
    lines.map { $0.firstMatch(of: /"verdict":"([a-z]*)"/).map { String($0.1) } ?? "" }
  }

  /// Those with the verdicts that are named are asked again, and the others taken from the store.
  @Test func whatWasDeadIsAskedAgain() throws {
    let isBack = Mutex(false)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/a": .page()
      case "/b": isBack.withLock { $0 } ? .page() : .answer(404)
      default: .answer(403)
      }
    }
    #expect(try verdicts(run(server, [], day: 1).lines) == ["ok", "dead", "blocked"])
    isBack.withLock { $0 = true }
    let again = try run(server, ["--recheck", "dead,limited"], day: 1)
    #expect(again.asked == ["b"] && verdicts(again.lines) == ["ok", "ok", "blocked"])
    #expect(try run(server, ["--recheck", "dead,limited"], day: 1).asked.isEmpty)
    #expect(try run(server, ["--recheck", "all"], day: 1).asked == ["a", "b", "c"])
    for wrong in [["--recheck", "gone"], ["--recheck", "dead", "--no-cache"], ["--changed", "--no-cache"]] {
      #expect(try Tool.run("tw-linkcheck", wrong + [server.base], home: home).status == 64)
    }
  }

  /// A link says what it was before, until it becomes something else; only the run that finds it shows it as a change.
  @Test func aLinkThatHasDiedSaysWhatItWas() throws {
    let day = Mutex(1)
    let server = try LoopbackServer { request in
      switch request.path {
      case "/a": .page()
      case "/b": day.withLock { $0 } < 3 ? .page() : .answer(410)
      default: day.withLock { $0 } == 2 ? .page() : .answer(404)
      }
    }
    func check(_ today: Int, _ options: [String] = ["--changed"]) throws -> [String] {
      day.withLock { $0 = today }
      return try run(server, ["--recheck", "all"] + options, day: today).lines
    }
    #expect(try check(1).isEmpty)
    let second = try check(2)
    #expect(second.count == 1 && second[0].contains("/c") && second[0].contains(#""verdict":"ok""#))
    #expect(second[0].contains(#""was":{"verdict":"dead","status":404,"checked_at":"2026-01-01T00:00:00.000Z"}"#))
    let third = try check(3)
    #expect(verdicts(third) == ["dead", "dead"])
    #expect(
      third.allSatisfy {
        $0.contains(#""was":{"verdict":"ok","status":200,"checked_at":"2026-01-02T00:00:00.000Z"}"#)
      })
    // The verdict before the last change stays, in the store and after another check with the same one.
    let was = #""was":{"verdict":"ok","status":200,"checked_at":"2026-01-02T00:00:00.000Z"}"#
    #expect(try check(4).isEmpty)
    #expect(try check(4, []).map { $0.contains(was) } == [false, true, true])
    #expect(try run(server, ["--changed"], day: 4).lines.isEmpty)
    #expect(try run(server, [], day: 4).lines.map { $0.contains(was) } == [false, true, true])
  }

  @Test func aPageSaysWhatItsCardShows() throws {
    let server = try LoopbackServer { request in
      request.path == "/a"
        ? .page(
          """
          <title>Plain</title><meta name="description" content="less">
          <meta name="twitter:card" content="SUMMARY"><meta property="og:description" content="A &quot;b&quot;\u{202E}\n c">
          <meta property="og:title" content="Open"><meta property="og:title" content="second">
          <meta property="og:image" content="../i.png?a=1&amp;b=2"><meta property="og:site_name" content="Site">
          """)
        : .page(
          #"<meta name="twitter:card" content="evil"><meta name="twitter:title" content="T">"#
            + #"<meta property="og:image" content="javascript:alert(1)">"#)
    }
    let (lines, _) = try run(server, ["--titles"], day: 1)
    #expect(
      lines[0].contains(
        #""title":"Plain","card":{"type":"summary","site":"Site","title":"Open","description":"A \"b\" c","#
          + #""image":"\#(server.base)/i.png?a=1&b=2"},"#), "\(lines[0])")
    #expect(lines[1].contains(#""title":"T","card":{"title":"T"},"#), "\(lines[1])")
    #expect(try run(server, ["--titles"], day: 1).lines == lines)
  }
}
