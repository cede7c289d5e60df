import Foundation
import TestSupport
import Testing

/// tw-linkcheck, tw-avatar and what can go wrong on the way to a server.
@Suite(.onOwnThread) struct LinkcheckNetworkTests {
  /// The value of a key in a line.
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  /// More requests than descriptors; in the second run most of them are in use already.
  @Test(arguments: ["", "for i in $(seq 85); do exec {fd}</dev/null; done;"])
  func withFewDescriptorsGoodLinksAreGood(before: String) throws {
    let server = try LoopbackServer { _ in .page(after: 0.02) }
    let home = try TemporaryDirectory()
    let links = (0..<400).map { number in
      #"{"tw":"link","url":"http://127.0.0.1:\#(server.port)/\#(number)"}"# + "\n"
    }
    try home.write("links", links.joined())
    let result = try Tool.shell(
      "ulimit -n 110; \(before) tw-linkcheck --jobs 300 --jobs-per-host 300 links", environment: server.environment,
      home: home)
    #expect(result.lines.count == 400 && result.lines.allSatisfy { value("verdict", $0) == "ok" })
    #expect(result.status == 0 && result.errors == "")
    #expect((server.mostAtOnce.values.max() ?? 0) > (before.isEmpty ? 5 : 0))
  }

  /// The limit is lowered while the tool runs: descriptors lack although they were shared out.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit"), "needs prlimit(1)"))
  func aRequestWithoutADescriptorWaitsForOne() throws {
    let server = try LoopbackServer { _ in .page(after: 0.02) }
    let tool = try RunningTool(
      "tw-linkcheck", ["--no-cache", "--jobs-per-host", "32", "--patience", "100s"], environment: server.environment)
    func link(_ number: Int) -> String { #"{"tw":"link","url":"\#(server.base)/\#(number)"}"# + "\n" }
    tool.send(ToolInput(link(0)))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    let highest = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(tool.processID)/fd").compactMap {
      Int($0)
    }
    let limit = (highest.max() ?? 0) + 4
    #expect(try Tool.shell("prlimit --pid \(tool.processID) --nofile=\(limit):").status == 0)
    tool.send(ToolInput((1..<200).map(link).joined()))
    tool.closeInput()
    let result = try tool.finish()
    #expect(result.lines.count == 200 && result.lines.allSatisfy { value("verdict", $0) == "ok" })
    #expect(result.status == 0)
    #expect((server.mostAtOnce.values.max() ?? 0) < 8)
  }

  @Test func userAndPasswordReachNobody() throws {
    let heads = TextLog()
    let server = try LoopbackServer { request in
      heads.append(request.head)
      return request.path == "/r"
        ? .redirect("http://us3r:s3cret@127.0.0.1:\(request["Host"]?.suffix(5) ?? "")/x") : .page()
    }
    let home = try TemporaryDirectory()
    let address = "us3r:s3cret@127.0.0.1:\(server.port)"
    let operands = ["http://\(address)/r", "http://\(address)", "ftp://\(address)/", "http:/\(address)/"]
    let links = try Tool.run(
      "tw-linkcheck", ["--chain", "--titles"] + operands, stdin: "", environment: server.environment,
      home: home)
    let tweet = #"{"tw":"tweet","id":"1","entities":{"urls":[{"url":"http://t.example/","expanded_url":"URL"}]}}"#
    let input = operands.map { tweet.replacing("URL", with: $0) + "\n" }.joined()
    let tweets = try Tool.run(
      "tw-linkcheck", ["--chain"], stdin: ToolInput(input), environment: server.environment, home: home)
    let user = #"{"tw":"user","service":"x","id":"1","username":"a","name":"a","profile_image_url":"URL"}"#
    let pictures = try Tool.run(
      "tw-avatar", [],
      stdin: ToolInput([0, 1, 3].map { user.replacing("URL", with: operands[$0]) + "\n" }.joined()),
      environment: server.environment,
      home: home)
    // What stands in a record that passes stays as it is.
    var printed = links.output + links.errors + tweets.errors + pictures.errors
    printed += (tweets.output + pictures.output).replacing(/"(expanded_url|profile_image_url)":"[^"]*"/, with: "")
    #expect(!printed.contains("s3cret") && !printed.contains("us3r"))
    #expect(links.lines.map { value("verdict", $0) } == ["ok", "ok", "unknown", "ok"])
    #expect(tweets.lines.map { value("verdict", $0) } == ["ok", "ok", "unknown", "ok"])
    #expect(!heads.all.isEmpty && heads.all.allSatisfy { !$0.contains("Authorization") && !$0.contains("s3cret") })
    let stored = try Data(contentsOf: URL(fileURLWithPath: home.path + "/.local/share/tw/media.db"))
    #expect(stored.range(of: Data("http://127.0.0.1:\(server.port)/r".utf8)) != nil)
    #expect(stored.range(of: Data("tweet".utf8)) == nil && stored.range(of: Data("s3cret".utf8)) == nil)
  }

  /// A server that leaves HEAD without an answer, or that lies about it, and the GET that follows in the same time.
  @Test func headIsNotTheLastWord() throws {
    let server = try LoopbackServer { request in
      let isHead = request.method == "HEAD"
      return switch request.path {
      case "/hang": .page(after: isHead ? 30 : 0)
      case "/gone", "/limited", "/teapot":
        isHead ? .answer(["/gone": 410, "/limited": 429][request.path] ?? 418) : .page()
      case "/away": isHead ? .redirect("/error") : .page()
      case "/round": isHead ? .redirect("/round") : .page()
      default: .answer(404)
      }
    }
    let urls = ["hang", "gone", "limited", "teapot", "away", "round", "error"].map { "\(server.base)/\($0)" }
    let result = try Tool.run("tw-linkcheck", ["--timeout", "6s"] + urls, environment: server.environment)
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok", "ok", "ok", "ok", "dead"])
    #expect(value("unwound_url", result.lines[4]) == urls[4])
  }

  /// What a server does with every request, and what a link to it is.
  private static let hostile: [(path: String, verdict: String, error: String?)] = [
    ("garbage", "error", "protocol"), ("bare", "error", "protocol"), ("short", "ok", nil),
    ("drip", "error", "timeout"), ("drip-of-head", "ok", nil), ("informing", "error", "protocol"),
    ("header", "error", "protocol"), ("reset", "error", "lost-connection"), ("nothing", "error", "lost-connection"),
    ("chunk", "ok", nil), ("gzip", "ok", nil), ("status", "error", "protocol"), ("304", "error", nil),
    ("file", "error", "bad-redirect"), ("app", "unknown", "unsupported-scheme"), ("empty", "error", "bad-redirect"),
    ("bad", "error", "bad-redirect"),
    ("private", "error", "private-address"), ("self", "error", "redirect-loop"),
    ("deep", "error", "too-many-redirects"),
    ("twice", "ok", nil),
  ]

  private static func serveBadly(_ request: LoopbackServer.Request, _ connection: Connection) {
    let path = String(request.target.split(separator: "/", maxSplits: 1).last ?? "")
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    func redirect(_ location: String) { connection.answer(302, headers: ["Location: \(location)"]) }
    func drip(_ text: String) {
      for byte in text.utf8 {
        connection.send([byte])
        connection.pause(0.2)
      }
    }
    switch path {
    case "garbage": connection.send("this is no HTTP\r\n\r\n")
    case "bare": connection.send("<title>a page</title>")
    case "short": connection.send(page + "Content-Length: 100\r\n\r\nhalf")
    case "drip-of-head" where request.target.hasPrefix("GET"): connection.send(page + "Content-Length: 0\r\n\r\n")
    case "drip", "drip-of-head": drip(page)
    case "informing": for _ in 0..<20_000 { connection.send("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n") }
    case "header": connection.send(page + String(repeating: "a: b\r\n", count: 60_000) + "\r\n")
    case "reset": connection.reset()
    case "nothing": break
    case "chunk": connection.send(page + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nx")
    case "gzip": connection.send(page + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone")
    case "status": connection.send("HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n")
    case "304": connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
    case "file": redirect("file:///etc/passwd")
    case "app": redirect("intent://x")
    case "empty": redirect("")
    case "bad": redirect("http://a b/")
    case "private": redirect("http://169.254.169.254/latest/meta-data/")
    case "self": redirect("/self")
    case "twice": connection.send(page + "Content-Length: 0\r\n\r\n" + page + "Content-Length: 0\r\n\r\n")
    default: redirect("/deep\(path.count)\(path.drop { $0.isLetter })")
    }
  }

  @Test func hostileServersGetTheirVerdicts() throws {
    let server = try LoopbackServer { Self.serveBadly($0, $1) }
    let urls = Self.hostile.map { "\(server.base)/\($0.path)" }
    let result = try Tool.run(
      "tw-linkcheck", ["--timeout", "4s", "--retries", "0", "--jobs-per-host", "32", "--max-redirects", "10"] + urls,
      environment: ["TW_ALLOW_PRIVATE": "127.0.0.1:\(server.port)"])
    #expect(result.lines.count == urls.count && result.errors == "")
    for (row, line) in zip(Self.hostile, result.lines) {
      #expect(value("verdict", line) == row.verdict && value("error", line) == row.error, "\(row.path): \(line)")
    }
  }

  @Test func whatMayPassIsTriedAgain() throws {
    let heads = TextLog()
    let server = try LoopbackServer { request in
      heads.append(request.path)
      return switch (request.path, heads.count(of: request.path)) {
      case ("/reset", ...3): .hangUp
      case ("/broken.png", 1), ("/broken", ...3): .answer(503)
      case ("/limited", ...2): .answer(429, headers: ["Retry-After: 1"])
      case ("/never", _): .answer(500)
      default: .page()
      }
    }
    let urls = ["reset", "broken", "limited", "never"].map { "\(server.base)/\($0)" }
    let result = try Tool.run("tw-linkcheck", ["--no-cache"] + urls, environment: server.environment)
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok", "error"])
    #expect(heads.count(of: "/never") == 4 && heads.count(of: "/limited") == 3)
    let once = try Tool.run(
      "tw-linkcheck", ["--no-cache", "--retries", "0", urls[3]], environment: server.environment)
    #expect(value("status", once.output) == "500" && heads.count(of: "/never") == 6)
    let user = #"{"tw":"user","service":"x","id":"1","username":"a","name":"a","profile_image_url":"URL"}"# + "\n"
    let picture = try Tool.run(
      "tw-avatar", [], stdin: ToolInput(user.replacing("URL", with: server.base + "/broken.png")),
      environment: server.environment)
    #expect(value("error", picture.output) == "not-a-picture" && heads.count(of: "/broken.png") == 2)
    for wrong in ["-1", "11", "x"] {
      #expect(try Tool.run("tw-linkcheck", ["--retries=\(wrong)", urls[0]]).status == 64)
    }
  }

  @Test func acceptedStatusesAreOkInThisRunOnly() throws {
    let server = try LoopbackServer { .answer($0.path == "/shy" ? 999 : 403, headers: ["Content-Type: text/html"]) }
    let home = try TemporaryDirectory()
    let urls = ["shy", "closed"].map { "\(server.base)/\($0)" }
    func verdicts(_ options: [String]) throws -> [String?] {
      let result = try Tool.run("tw-linkcheck", options + urls, environment: server.environment, home: home)
      return result.lines.map { value("verdict", $0) }
    }
    #expect(try verdicts(["--accept", "403,999"]) == ["ok", "ok"])
    #expect(try verdicts([]) == ["blocked", "blocked"])
    #expect(try verdicts(["--accept", "999"]) == ["ok", "blocked"])
    #expect(try verdicts([]) == ["blocked", "blocked"])
    #expect(
      try Tool.run(
        "tw-linkcheck", ["--fail-on", "blocked", "--accept", "403", urls[1]], environment: server.environment
      ).status == 0)
    for wrong in ["", "x", "99", "403,,999", "1000"] {
      #expect(try Tool.run("tw-linkcheck", ["--accept", wrong, urls[0]]).status == 64, "\(wrong)")
    }
  }

  @Test func headersAreSentToEveryHost() throws {
    let heads = TextLog()
    let server = try LoopbackServer { request in
      heads.append(request.head)
      return request.path == "/1"
        ? .redirect("http://localhost:\(request["Host"]?.split(separator: ":").last ?? "")/2") : .page()
    }
    let options = ["--header", "Accept: text/html", "--header", "X-Who: me:too", "--user-agent", "probe/1 (+me)"]
    let result = try Tool.run("tw-linkcheck", ["--allow-private"] + options + [server.base + "/1"])
    #expect(value("verdict", result.output) == "ok" && heads.all.count == 2)
    for head in heads.all {
      let lines = head.components(separatedBy: "\r\n")
      for line in ["Accept: text/html", "X-Who: me:too", "User-Agent: probe/1 (+me)"] {
        #expect(lines.count { $0 == line } == 1)
      }
      #expect(lines.count { $0.hasPrefix("Accept:") || $0.hasPrefix("User-Agent:") } == 2)
    }
    for wrong in [
      "X", "X:", ": y", "a b: c", "X: \u{7}", "Authorization: Bearer x", "cookie: a=b", "Host: other.example",
    ] {
      #expect(try Tool.run("tw-linkcheck", ["--header", wrong, server.base]).status == 64, "\(wrong)")
    }
    #expect(try Tool.run("tw-linkcheck", ["--user-agent", "a\nX-Evil: 1", server.base]).status == 64)
    #expect(heads.all.count == 2)
  }

  @Test func offlineAsksNobodyAndRecheckEverybody() throws {
    let server = try LoopbackServer { request in request.path == "/a" ? .page() : .answer(404) }
    let home = try TemporaryDirectory()
    let urls = ["a", "b"].map { "\(server.base)/\($0)" }
    func run(_ options: [String], now: String) throws -> (verdicts: [String?], status: Int32?, asked: Int) {
      let before = server.requests.count
      let environment = server.environment.merging(["TW_NOW": now]) { $1 }
      let result = try Tool.run("tw-linkcheck", options, environment: environment, home: home)
      return (result.lines.map { value("verdict", $0) }, result.status, server.requests.count - before)
    }
    let new = try run(["--offline"] + urls, now: "2026-01-01T00:00:00Z")
    #expect(new.verdicts == ["unknown", "unknown"] && new.status == 1 && new.asked == 0)
    #expect(try run(urls, now: "2026-01-01T00:00:00Z").asked == 3)
    let old = try run(["--offline"] + urls, now: "2026-03-01T00:00:00Z")
    #expect(old.verdicts == ["ok", "dead"] && old.status == 0 && old.asked == 0)
    #expect(try run(["--recheck", "all"] + urls, now: "2026-01-01T00:00:01Z").asked == 3)
    // They are stored: a day later than the first check they still hold.
    #expect(try run([urls[0]], now: "2026-01-02T00:00:00Z").asked == 0)
    #expect(try run(["--offline", "--recheck", "all"] + urls, now: "2026-01-02T00:00:00Z").status == 64)
    #expect(try run(["--offline", "--no-cache"] + urls, now: "2026-01-02T00:00:00Z").status == 64)
  }

  /// A record that was checked keeps its verdict if nothing newer is known; one that was not is told so.
  @Test func offlineTakesNoVerdictAway() throws {
    let home = try TemporaryDirectory()
    let checked = #"{"tw":"link","url":"http://a.example/1","status":404,"verdict":"dead"}"#
    let new = #"{"tw":"link","url":"http://a.example/2"}"#
    let kept = try Tool.run("tw-linkcheck", ["--offline"], stdin: "\(checked)\n", home: home)
    #expect(kept.lines == [checked] && kept.status == 0)
    let both = try Tool.run("tw-linkcheck", ["--offline"], stdin: "\(checked)\n\(new)\n", home: home)
    #expect(both.lines.first == checked && both.status == 1)
    #expect(value("verdict", both.lines.last ?? "") == "unknown")
    // What the store knows is newer, with or without a title.
    let server = try LoopbackServer { _ in .page() }
    let environment = server.environment
    _ = try Tool.run("tw-linkcheck", [server.base + "/"], environment: environment, home: home)
    let stored = try Tool.run(
      "tw-linkcheck", ["--offline", "--titles"], stdin: #"{"tw":"link","url":"\#(server.base)/","verdict":"dead"}"#,
      environment: environment, home: home)
    #expect(value("verdict", stored.output) == "ok" && stored.status == 0)
  }

  /// Requests to one host begin one after the other, and those to others do not wait for them.
  @Test func timePassesBetweenRequestsToOneHost() throws {
    let server = try LoopbackServer { _ in .page(after: 0.1) }
    let hosts = ["127.0.0.1:\(server.port)", "localhost:\(server.port)"]
    let urls = (0..<3).flatMap { number in hosts.map { "http://\($0)/\(number)" } }
    let result = try Tool.run("tw-linkcheck", ["--host-interval", "400ms"] + urls, environment: server.environment)
    #expect(result.status == 0 && result.lines.count == 6)
    #expect(server.mostAtOnce == [hosts[0]: 1, hosts[1]: 1])
  }

  /// What is wrong here, on the way to every server, says nothing of a link and is not stored.
  @Test func aFailureOfThisMachineIsNoVerdict() throws {
    let server = try LoopbackServer { _ in .page() }
    let home = try TemporaryDirectory()
    let url = server.base.replacing("127.0.0.1", with: "stranger.invalid")
    func run(_ options: [String]) throws -> ToolResult {
      try Tool.run("tw-linkcheck", options + [url], environment: server.environment, home: home)
    }
    for proxy in ["http://us3r:s3cret@127.0.0.1:9", "http://nobody.invalid:3128"] {
      let result = try run(["--proxy", proxy])
      #expect(value("verdict", result.output) == "unknown" && value("error", result.output) == "proxy")
      #expect(result.status == 1 && !(result.output + result.errors).contains("s3cret"))
    }
    let proxied = try run(["--proxy", server.base])
    #expect(value("verdict", proxied.output) == "ok" && proxied.status == 0)
    try home.write("empty.pem", "")
    let closed = try Tool.run(
      "tw-linkcheck", ["--allow-private", "--ca-file", "empty.pem", "https://127.0.0.1:\(server.port)/"], home: home)
    #expect(value("verdict", closed.output) == "unknown" && value("error", closed.output) == "tls-no-authorities")
    #expect(closed.status == 1)
  }

  @Test func theCausesOfTLSFailuresAreToldApart() throws {
    let servers = try TLSServers()
    let urls = ["good", "expired", "early", "name", "issuer", "self", "old"].map { servers.base($0) + "/" }
    let result = try Tool.run("tw-linkcheck", ["--allow-private", "--ca-file", "ca.pem"] + urls, home: servers.home)
    #expect(
      result.lines.map { value("error", $0) } == [
        nil, "tls-expired", "tls-not-yet-valid", "tls-wrong-name", "tls-unknown-issuer", "tls-self-signed",
        "tls-old-protocol",
      ])
    #expect(result.lines.map { value("verdict", $0) } == ["ok"] + Array(repeating: "error", count: 6))
    // Each is a verdict, and a verdict is a result.
    #expect(result.status == 0)
  }
}
