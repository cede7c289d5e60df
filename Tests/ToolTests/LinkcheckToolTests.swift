import Foundation
import TestSupport
import Testing

/// tw-linkcheck against a real site on loopback that behaves as badly as the web does.
@Suite(.onOwnThread) struct LinkcheckToolTests {
  private static let tweet = #"{"tw":"tweet","id":"ID","n":0.1000,"entities":{"urls":[{"start":0,"url":"URL"}]}}"#

  private func tweet(_ id: Int, _ url: String) -> String {
    Self.tweet.replacing("ID", with: "\(id)").replacing("URL", with: url) + "\n"
  }

  /// The value of a key in a line, numbers and strings alike.
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  private func site(_ request: LoopbackServer.Request) -> Answer {
    switch request.path {
    case "/page": .page("<title>A page</title>")
    case "/song": .answer(200, headers: ["Content-Type: audio/mpeg"], body: [1])
    case "/1": .redirect("/2")
    case "/2": .redirect("3")
    case "/3": .redirect("//127.0.0.1:\(request["Host"]?.split(separator: ":").last ?? "")/page")
    case "/loop": .redirect("/pool")
    case "/pool": .redirect("/loop")
    case "/nohead": request.method == "HEAD" ? .answer(405) : .page()
    case "/shy": request.method == "HEAD" ? .hangUp : .page()
    case "/huge": request.method == "HEAD" ? .answer(501) : .endless(headers: ["Content-Type: text/html"])
    case "/slow": .page(after: 1.5)
    case "/never", "/later": .page(after: 30)
    case "/broken": .answer(500)
    case "/odd": .redirect("mailto:a@b.example")
    case "/teapot": .answer(418)
    default: .answer(404, headers: ["Content-Type: text/html"])
    }
  }

  @Test func everyFaultGetsItsVerdictInOrder() throws {
    let server = try LoopbackServer(site)
    let paths = ["1", "gone", "nohead", "loop", "song", "shy", "huge", "page", "page", "broken", "teapot"]
    let result = try Tool.run(
      "tw-linkcheck", paths.map { "\(server.base)/\($0)" } + ["--chain"], environment: server.environment)
    #expect(result.errors == "")
    #expect(
      result.lines.map { value("verdict", $0) } == [
        "ok", "dead", "ok", "error", "ok", "ok", "ok", "ok", "ok", "error", "error",
      ])
    #expect(result.lines.map { value("url", $0) } == paths.map { "\(server.base)/\($0)" })
    #expect(
      result.lines.map { value("status", $0) } == [
        "200", "404", "200", "302", "200", "200", "200", "200", "200", "500", "418",
      ])
    let first = try #require(result.lines.first)
    #expect(value("unwound_url", first) == server.base + "/page" && value("redirects", first) == "3")
    #expect(first.contains(#""chain":[{"url":"\#(server.base)/1","status":302}"#))
    #expect(value("error", result.lines[3]) == "redirect-loop")
    #expect(value("link_kind", result.lines[4]) == "music")
    // Once for both links to it, and once at the end of the redirects, which began at another link.
    #expect(server.targets.filter { $0 == "HEAD /page" }.count == 2)
    // The server may have filled the sockets' buffers, but the body was not read to its end.
    #expect(server.sentBytes < 16 << 20)
    #expect(result.status == 0)
  }

  /// What is no URL is a file if there is one of that name.
  @Test func addressesWithoutHTTPAreOperandsToo() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    let address = "127.0.0.1:\(server.port)/song"
    let operands = ["spotify:track:4uLU6h", "rtsp://a.example/live", address]
    let result = try Tool.run("tw-linkcheck", operands, environment: server.environment, home: home)
    #expect(result.lines.map { value("url", $0) } == operands.dropLast() + ["http://" + address])
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok"])
    #expect(result.lines.map { value("link_kind_by", $0) } == ["scheme", "scheme", "content-type"])
    #expect(result.status == 0 && result.errors.isEmpty && server.targets == ["HEAD /song"])
    try home.write("spotify:track:4uLU6h", tweet(1, server.base + "/page"))
    let file = try Tool.run("tw-linkcheck", ["spotify:track:4uLU6h"], environment: server.environment, home: home)
    #expect(value("id", file.output) == "1" && value("verdict", file.output) == "ok")
  }

  /// Otherwise the hosts of `no_proxy` would be reached directly, and nobody would check their addresses.
  @Test func aProxyThatWasNamedIsUsedForEveryHost() throws {
    let proxy = try LoopbackServer { _ in .page() }
    let environment = ["no_proxy": "*", "NO_PROXY": "*", "http_proxy": "http://127.0.0.1:9"]
    let result = try Tool.run(
      "tw-linkcheck", ["--proxy", proxy.base, "http://some.name.invalid/page"], environment: environment)
    #expect(result.lines.map { value("verdict", $0) } == ["ok"])
    #expect(proxy.targets == ["HEAD http://some.name.invalid/page"])
  }

  @Test func privateAddressesAreRefusedAtEveryHop() throws {
    let inside = try LoopbackServer { _ in .page() }
    let outside = try LoopbackServer { [inside] request in
      .redirect(request.path == "/ip" ? inside.base : "http://localhost:\(inside.port)/")
    }
    let urls = [outside.base + "/ip", outside.base + "/name", inside.base, "http://10.0.0.1/", "http://[::1]:9/"]
    let home = try TemporaryDirectory()
    let refused = try Tool.run("tw-linkcheck", urls, environment: outside.environment, home: home)
    #expect(refused.lines.map { value("error", $0) } == Array(repeating: "private-address", count: 5))
    #expect(inside.requests.isEmpty)
    #expect(refused.lines.allSatisfy { value("verdict", $0) == "error" } && refused.status == 0)
    // The refusal says something about that run only: it is not remembered.
    let allowed = try Tool.run("tw-linkcheck", ["--allow-private"] + urls[..<3], home: home)
    #expect(allowed.lines.map { value("verdict", $0) } == ["ok", "ok", "ok"])
    #expect(allowed.status == 0)
    let wrong = try Tool.run("tw-linkcheck", [inside.base], environment: ["TW_ALLOW_PRIVATE": "127.0.0.1"])
    #expect(wrong.status == 78)
  }

  @Test(arguments: [1, 3]) func noHostGetsMoreRequestsAtOnceThanAllowed(most: Int) throws {
    let server = try LoopbackServer { _ in .page(after: 0.15) }
    let hosts = ["127.0.0.1:\(server.port)", "localhost:\(server.port)"]
    let urls = (0..<7).flatMap { number in hosts.map { "http://\($0)/\(number)" } }
    let result = try Tool.run(
      "tw-linkcheck", ["--jobs-per-host", "\(most)"] + urls, environment: server.environment)
    #expect(result.status == 0 && result.lines.count == 14)
    #expect(server.mostAtOnce == [hosts[0]: most, hosts[1]: most])
  }

  @Test func aLivePipeIsNotHeldUp() throws {
    let server = try LoopbackServer(site)
    let tool = try RunningTool("tw-linkcheck", ["--patience", "300ms"], environment: server.environment)
    tool.send(
      ToolInput(tweet(1, server.base + "/slow") + tweet(2, server.base + "/page") + #"{"tw":"new","x":1}"# + "\n"))
    // The first leaves early and as it came; the others follow in their order.
    #expect(try tool.line() == String(tweet(1, server.base + "/slow").dropLast()))
    let second = try tool.line() ?? ""
    #expect(value("id", second) == "2" && value("verdict", second) == "ok")
    #expect(try tool.line() == #"{"tw":"new","x":1}"#)
    let update = try tool.line() ?? ""
    #expect(value("id", update) == "1" && value("verdict", update) == "ok")
    // The pipe is still open, and a known link takes no time.
    tool.send(ToolInput(tweet(3, server.base + "/slow")))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    tool.closeInput()
    #expect(try tool.finish().status == 0)
    #expect(server.targets.filter { $0.hasSuffix("/slow") }.count == 1)
  }

  /// JSON that is not a record of the kit is bad input.
  @Test(arguments: ["tw-linkcheck", "tw-avatar"]) func documentsOfOthersAreBadRecords(tool: String) throws {
    let record = #"{"tw":"new","x":1}"# + "\n"
    let mixed = try Tool.run(tool, [], stdin: ToolInput(#"{"id":1}5 "s" null"# + "\n" + record))
    #expect(mixed.output == record && mixed.status == 1)
    #expect(mixed.errors.split(separator: "\n").count == 4 && mixed.errors.contains("tw-parse"))
    #expect(try Tool.run(tool, [], stdin: ToolInput("5\n")).status == 65)
  }

  @Test func filesAreInNoHurry() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    try home.write("tweets", tweet(1, server.base + "/slow") + tweet(2, server.base + "/page"))
    let result = try Tool.run("tw-linkcheck", ["tweets"], environment: server.environment, home: home)
    #expect(result.lines.map { value("id", $0) } == ["1", "2"])
    #expect(result.lines.allSatisfy { value("verdict", $0) == "ok" })
  }

  @Test func aNewFeedDropsTheWaitingOfTheOldOne() throws {
    let server = try LoopbackServer(site)
    let tool = try RunningTool("tw-linkcheck", ["--patience", "20s"], environment: server.environment)
    tool.send(ToolInput(tweet(1, server.base + "/never") + #"{"tw":"query","feed":"x"}"# + "\n"))
    #expect(try value("verdict", tool.line(timeout: 10) ?? "\"verdict\":\"none\"") == nil)
    #expect(try tool.line(timeout: 10) == #"{"tw":"query","feed":"x"}"#)
    tool.closeInput()
    #expect(try tool.finish(timeout: 10).lines.count == 2)
  }

  @Test func timeOutsAndSignalsLoseNoRecord() throws {
    let server = try LoopbackServer(site)
    let late = try Tool.run(
      "tw-linkcheck", ["--timeout", "200ms"], stdin: ToolInput(tweet(1, server.base + "/never")),
      environment: server.environment)
    #expect(value("error", late.output) == "timeout" && late.status == 0)
    // Of the first run the server may have seen no request: it may have had no time for one.
    let tool = try RunningTool("tw-linkcheck", ["--patience", "20s"], environment: server.environment)
    tool.send(ToolInput(tweet(1, server.base + "/later")))
    try waitUntil { server.targets.contains("HEAD /later") }
    kill(tool.processID, SIGTERM)
    let stopped = try tool.finish(timeout: 10)
    #expect(stopped.ending == .signal(SIGTERM))
    #expect(stopped.output == tweet(1, server.base + "/later"))
  }

  @Test func verdictsAreRememberedForAWhile() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    let urls = ["page#a", "gone", "broken", "odd"].map { "\(server.base)/\($0)" }
    func run(_ options: [String] = [], now: String) throws -> [String] {
      let before = server.requests.count
      let environment = server.environment.merging(["TW_NOW": now]) { $1 }
      let result = try Tool.run("tw-linkcheck", urls + options, environment: environment, home: home)
      #expect(result.lines.map { value("verdict", $0) } == ["ok", "dead", "error", "unknown"])
      let paths = Set(server.targets[before...].map { $0.split(separator: " ").last.map(String.init) ?? "" })
      // A check that says nothing about the link is not remembered.
      #expect(paths.contains("/odd"))
      return paths.subtracting(["/odd"]).sorted()
    }
    #expect(try run(now: "2026-01-01T00:00:00Z") == ["/broken", "/gone", "/page"])
    #expect(try run(now: "2026-01-01T00:59:00Z") == [])
    // A failure may pass; what works is believed for a day.
    #expect(try run(now: "2026-01-01T01:01:00Z") == ["/broken"])
    #expect(try run(["--titles"], now: "2026-01-01T01:02:00Z") == ["/page"])
    #expect(try run(["--max-age", "1h"], now: "2026-01-01T01:01:30Z") == ["/gone"])
    #expect(try run(["--no-cache"], now: "2026-01-01T01:02:00Z").count == 3)
    // What is gone may come back sooner.
    #expect(try run(now: "2026-01-01T07:02:00Z") == ["/broken", "/gone"])
    #expect(try run(now: "2026-01-03T00:00:00Z").count == 3)
  }

  /// A compressed file is a file: its records wait for their links. One that is cut off is reported.
  @Test func compressedFilesAreFilesAndAreReadToTheirEnd() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    try home.write("plain", tweet(1, server.base + "/slow"))
    let whole = try Tool.shell(
      "gzip -k plain && tw-linkcheck plain.gz", environment: server.environment, home: home)
    #expect(whole.lines.map { value("verdict", $0) } == ["ok"])
    #expect(whole.status == 0)
    let noise = (0..<2000).map { "{\"tw\":\"x\",\"n\":\"\(($0 &* 2_654_435_761) % 1_000_003)\"}\n" }.joined()
    try home.write("many", noise)
    let cut = try Tool.shell("gzip -c many | head -c 3000 > cut.gz && tw-linkcheck cut.gz", home: home)
    #expect(cut.status == 1)
    #expect(cut.errors.contains("cannot read 'cut.gz' to its end: 'gzip' says that the file is damaged or cut off"))
  }

  @Test func statusesAndMessages() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    func run(_ arguments: [String], stdin: String = "") throws -> ToolResult {
      try Tool.run("tw-linkcheck", arguments, stdin: ToolInput(stdin), environment: server.environment, home: home)
    }
    #expect(try run(["--fail-on", "dead,blocked", server.base + "/gone"]).status == 1)
    #expect(try run(["--fail-on", "dead,blocked", server.base + "/page"]).status == 0)
    #expect(try run(["--fail-on", "ded"]).status == 64)
    // Any verdict is a result; status 1 says that there is none.
    #expect(try run(["gone", "broken", "loop", "page"].map { "\(server.base)/\($0)" }).status == 0)
    #expect(try run(["http://"]).status == 1)
    #expect(try run([server.base + "/odd"]).status == 1)
    #expect(try run(["--timeout", "5"]).status == 64)
    #expect(try run(["--jobs", "0"]).status == 64)
    #expect(try run(["nowhere"]).errors == "tw-linkcheck: cannot open 'nowhere': no such file or directory\n")
    #expect(try run(["nowhere"]).status == 66)
    #expect(try run(["--cacert", "nowhere", server.base]).status == 66)
    try home.write("other/media.db", "this is not a database, whatever it is called")
    #expect(try run(["--db", "other/tw.db", server.base]).status == 0 && home.exists("other/media.db.damaged"))
    try home.write("file", "")
    #expect(try run(["--db", "file/tw.db", server.base]).status == 73)
    let mixed = try run([], stdin: "{\"tw\":\n{\"tw\":\"x\"}\n{\"tw\":\"tweet\"}\n")
    #expect(mixed.output == "{\"tw\":\"x\"}\n{\"tw\":\"tweet\"}\n" && mixed.status == 1)
  }
}
