import Foundation
import TestSupport
import Testing

@testable import tw_linkcheck

/// tw-linkcheck reads addresses, headers and pages as browsers do, and lists as people paste them.
@Suite(.onOwnThread) struct LinkcheckBrowserTests {
  /// The value of a key in a line.
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  /// The bytes of a `Location` field that leads to `/end`, as servers write it.
  private static let locations: [(name: String, field: [UInt8])] = [
    ("latin", Array("Location: /end/caf".utf8) + [0xE9]), ("tab", Array("Location: /e\tnd/tab".utf8)),
    ("fold", Array("Location:\r\n /end/fold".utf8)), ("slash", Array("Location: http:/end/slash".utf8)),
    ("blank", Array("Location: /end/a b".utf8)), ("utf8", Array("Location: /end/é".utf8)),
  ]

  @Test func redirectsLeadWhereBrowsersGo() throws {
    let server = try LoopbackServer { request, connection in
      let path = String(request.target.split(separator: " ").last ?? "").dropFirst()
      guard let row = Self.locations.first(where: { $0.name == path }) else {
        return connection.answer(path.hasPrefix("end/") ? 200 : 404, headers: ["Content-Type: text/html"])
      }
      connection.send(Array("HTTP/1.1 302 Found\r\n".utf8) + row.field + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let urls = Self.locations.map { "\(server.base)/\($0.name)" }
    let result = try Tool.run(
      "tw-linkcheck", urls, environment: ["TW_ALLOW_PRIVATE": "127.0.0.1:\(server.port)"])
    #expect(result.lines.map { value("verdict", $0) } == Array(repeating: "ok", count: urls.count))
    let ends = ["caf%E9", "tab", "fold", "slash", "a%20b", "%c3%a9"]
    #expect(result.lines.map { value("unwound_url", $0) } == ends.map { "\(server.base)/end/\($0)" })
  }

  /// A site that redirects to the same address until its cookie comes back, and to another host, which does not get it.
  @Test func cookiesLastForOneCheckAndOneHost() throws {
    let heads = TextLog()
    let server = try LoopbackServer { request in
      heads.append("\(request["Host"]?.prefix(9) ?? "") \(request["Cookie"] ?? "-")")
      let port = request["Host"]?.split(separator: ":").last ?? ""
      if request["Host"]?.hasPrefix("localhost") == true { return .page() }
      guard request["Cookie"] == "seen=1; b=2" else {
        return .answer(302, headers: ["Location: /", "Set-Cookie: seen=1; Path=/; HttpOnly", "Set-Cookie: b=2"])
      }
      return .redirect("http://localhost:\(port)/")
    }
    let result = try Tool.run("tw-linkcheck", ["--allow-private", server.base + "/", server.base + "/again"])
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok"])
    #expect(heads.count(of: "127.0.0.1 -") == 2 && heads.count(of: "127.0.0.1 seen=1; b=2") == 2)
    #expect(heads.all.filter { $0.hasPrefix("localhost") } == ["localhost -", "localhost -"])
  }

  @Test func redirectsAreBounded() throws {
    let server = try LoopbackServer { request in
      let number = Int(request.path.dropFirst()) ?? 0
      return number == 0 ? .page() : .redirect("/\(number - 1)")
    }
    func verdicts(_ options: [String]) throws -> [String?] {
      let result = try Tool.run(
        "tw-linkcheck", ["--no-cache"] + options + ["\(server.base)/20", "\(server.base)/21"],
        environment: server.environment)
      return result.lines.map { value("verdict", $0) }
    }
    #expect(try verdicts([]) == ["ok", "error"] && verdicts(["--max-redirects", "21"]) == ["ok", "ok"])
    #expect(try verdicts(["--max-redirects", "3"]) == ["error", "error"])
    #expect(try Tool.run("tw-linkcheck", ["--max-redirects", "101", server.base]).status == 64)
  }

  @Test func headIsLeftOutOnRequestAndWhereItWasWrong() throws {
    let server = try LoopbackServer { request in
      let isHead = request.method == "HEAD"
      return request.path == "/lie" ? (isHead ? .page() : .answer(404)) : isHead ? .answer(405) : .page()
    }
    func run(_ options: [String], _ paths: [String]) throws -> [String?] {
      let result = try Tool.run(
        "tw-linkcheck", ["--no-cache", "--jobs", "1"] + options + paths.map { server.base + $0 },
        environment: server.environment)
      return result.lines.map { value("verdict", $0) }
    }
    #expect(try run(["--get"], ["/lie"]) == ["dead"] && server.targets == ["GET /lie"])
    // Once one answer has shown it, the links that come later are asked by GET.
    let tool = try RunningTool("tw-linkcheck", ["--patience", "90s"], environment: server.environment)
    for number in 1...5 {
      tool.send(ToolInput("\(server.base)/\(number)\n"))
      #expect(try value("verdict", tool.line() ?? "") == "ok")
    }
    tool.closeInput()
    #expect(try tool.finish().status == 0 && server.targets.count { $0.hasPrefix("HEAD") } == 1)
  }

  @Test func titlesAreReadToTheEndOfTheHead() throws {
    let script = "<script>\(String(repeating: "x", count: 300_000))</script>"
    let pages = [
      "far": "<head>\(script)<title>far\u{202E} away\u{2066}</title></head>",
      "late": "<head><style>\(String(repeating: " ", count: 5000))</style><meta charset=windows-1251><title>",
    ]
    let server = try LoopbackServer { request in
      let name = String(request.path.dropFirst())
      if name == "endless" { return .endless(headers: ["Content-Type: text/html"]) }
      return .answer(
        200, headers: ["Content-Type: text/html"],
        body: Array((pages[name] ?? "").utf8) + (name == "late" ? [0xC4, 0xE0] + Array("</title>".utf8) : []))
    }
    let result = try Tool.run(
      "tw-linkcheck", ["--titles"] + ["far", "late", "endless"].map { "\(server.base)/\($0)" },
      environment: server.environment)
    #expect(result.lines.map { value("title", $0) } == ["far away", "Да", nil])
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok"])
  }

  @Test func pastedLinesAreRead() throws {
    let server = try LoopbackServer { _ in .page() }
    let base = server.base
    let input = "<\(base)/1>\n  \(base)/2\n\t\(base)/3,\n\"\(base)/4\",\n'\(base)/5'\n\(base)/6\n    \(base)/7\n"
    let result = try Tool.run("tw-linkcheck", stdin: ToolInput(input), environment: server.environment)
    #expect(result.lines.map { value("url", $0) } == (1...7).map { "\(base)/\($0)" })
    #expect(result.status == 0 && result.errors == "")
  }

  /// A line of a list is an address, also one that cannot be used. What is left of a record is none, and an address
  /// among other words is not made another one.
  @Test func linesThatAreNoAddressesAreAnsweredToo() throws {
    let server = try LoopbackServer { _ in .page() }
    let answered = ["hello world", "htp:/x", "name.txt", "\u{3042} \u{3044}"]
    let cut = [
      "{\"tw\":\"link\",\"url\":\"http://a.exam", "\"text\": \"b\",", "ple/\"}", "see \(server.base)/1 there", "]",
      "\"no address\"",
    ]
    for line in answered {
      let result = try Tool.run("tw-linkcheck", stdin: ToolInput(line + "\n"), environment: server.environment)
      #expect(result.lines.map { value("url", $0) } == [line] && result.status == 1 && result.errors == "", "\(line)")
      #expect(
        result.lines.map { value("error", $0) } == [line == "htp:/x" ? "unsupported-scheme" : "bad-url"], "\(line)")
    }
    for line in cut {
      let result = try Tool.run("tw-linkcheck", stdin: ToolInput(line + "\n"), environment: server.environment)
      #expect(result.lines == [] && result.status != 0 && result.errors.contains("bad record"), "\(line)")
    }
    #expect(server.requests.isEmpty)
  }

  /// A verdict of a clock that was wrong does not last until that time.
  @Test func aVerdictOfTheFutureIsOld() throws {
    let server = try LoopbackServer { _ in .page() }
    let home = try TemporaryDirectory()
    for (now, requests) in [("2035-01-01T00:00:00Z", 1), ("2026-01-01T00:00:00Z", 2), ("2026-01-01T00:01:00Z", 2)] {
      let result = try Tool.run(
        "tw-linkcheck", [server.base], environment: server.environment.merging(["TW_NOW": now]) { $1 }, home: home)
      #expect(result.status == 0 && server.requests.count == requests, "\(now)")
    }
  }

  /// The store cannot be written: one message says so, and each link has its verdict.
  @Test func aBrokenStoreCostsNoLink() throws {
    let server = try LoopbackServer { _ in .page() }
    let home = try TemporaryDirectory()
    _ = try Tool.run("tw-linkcheck", [server.base], environment: server.environment, home: home)
    try home.write("links", (0..<3000).map { "\(server.base)/\($0)\n" }.joined())
    // No file may grow beyond this: the store's is as large already.
    let result = try Tool.shell(
      "ulimit -f 1; trap '' XFSZ; tw-linkcheck links | cat", environment: server.environment, home: home)
    #expect(result.lines.count == 3000 && result.lines.allSatisfy { value("verdict", $0) == "ok" })
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.hasPrefix("tw-linkcheck: links are checked without a store: "), "\(result.errors)")
  }
}
