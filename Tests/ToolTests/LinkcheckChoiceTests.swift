import Foundation
import TestSupport
import Testing

/// What tw-linkcheck reads, checks and prints, as its options say.
@Suite(.onOwnThread) struct LinkcheckChoiceTests {
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  private func tweet(_ id: Int, _ urls: String...) -> String {
    let urls = urls.map { #"{"url":"\#($0)"}"# }.joined(separator: ",")
    return #"{"tw":"tweet","id":"\#(id)","entities":{"urls":[\#(urls)]}}"# + "\n"
  }

  private func site(_ request: LoopbackServer.Request) -> Answer {
    switch request.path {
    case "/page": .page()
    case "/slow": .page(after: 0.5)
    case "/song": .answer(200, headers: ["Content-Type: audio/mpeg"])
    case "/old": .answer(301, headers: ["Location: /page"])
    default: .answer(404)
    }
  }

  @Test func linesOfAddressesAreLinks() throws {
    let server = try LoopbackServer(site)
    let bare = "127.0.0.1:\(server.port)/song"
    let lines = "\(server.base)/page\n\n  \(bare)\t\r\nspotify:track:1\n\(server.base)/none?a=[1,{2}]\nno address\n"
    let mixed = lines + tweet(1, server.base + "/page") + "data.example.invalid"
    let result = try Tool.run("tw-linkcheck", [], stdin: ToolInput(mixed), environment: server.environment)
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok", "dead", "unknown", "ok", "unknown"])
    #expect(result.status == 1 && result.errors == "")
    #expect(value("url", result.lines[1]) == "http://" + bare)
    #expect(result.lines.indices.filter { value("error", result.lines[$0]) == "bad-url" } == [4, 6])
  }

  @Test func linksAreChosenByRegularExpressions() throws {
    let server = try LoopbackServer(site)
    let urls = ["/page", "/song", "/none"].map { server.base + $0 }
    func verdicts(_ options: [String]) throws -> [String?] {
      let result = try Tool.run("tw-linkcheck", ["--no-cache"] + options + urls, environment: server.environment)
      return result.lines.map { value("verdict", $0) }
    }
    #expect(try verdicts(["--include", "/(page|so.g)$"]) == ["ok", "ok", nil])
    #expect(try verdicts(["--exclude", "/s", "--exclude", "none"]) == ["ok", nil, nil])
    #expect(try verdicts(["--include", "^http:", "--exclude", "page"]) == [nil, "ok", "dead"])
    let wrong = try Tool.run("tw-linkcheck", ["--include", "(", urls[0]])
    #expect(wrong.status == 64 && wrong.errors.contains("'(' is not a regular expression"))
  }

  @Test func recordsAreChosenByVerdictAndKind() throws {
    let server = try LoopbackServer(site)
    func url(_ path: String) -> String { server.base + path }
    let records =
      tweet(1, url("/page"), url("/none")) + tweet(2, url("/song")) + tweet(3, url("/old")) + tweet(4)
      + #"{"tw":"notice","code":"x"}"# + "\n" + tweet(5, url("/page"))
    func ids(_ options: String...) throws -> [String?] {
      let result = try Tool.run(
        "tw-linkcheck", options, stdin: ToolInput(records), environment: server.environment)
      #expect(result.status == 0)
      return result.lines.map { value("id", $0) }
    }
    #expect(try ids("--verdict", "dead,error") == ["1"])
    #expect(try ids("--verdict", "moved") == ["3"])
    #expect(try ids("--only-kind", "music") == ["2"])
    #expect(try ids("--only-kind", "page", "--verdict", "ok") == ["1", "5"])
    #expect(try ids("--only-kind", "music", "--verdict", "dead") == [])
    #expect(try ids() == ["1", "2", "3", "4", nil, "5"])
    for option in [["--verdict", "ded"], ["--only-kind", "musik"], ["--verdict", ""]] {
      let wrong = try Tool.run("tw-linkcheck", option)
      #expect(wrong.status == 64 && wrong.errors.contains("is not a "))
    }
  }

  /// A record that would leave early does so only if it is known to match.
  @Test func recordsOfALivePipeAreChosenWhenTheyAreComplete() throws {
    let server = try LoopbackServer(site)
    let tool = try RunningTool(
      "tw-linkcheck", ["--patience", "0s", "--verdict", "ok"], environment: server.environment)
    tool.send(ToolInput(tweet(1, server.base + "/slow") + tweet(2, server.base + "/none")))
    let line = try tool.line() ?? ""
    #expect(value("id", line) == "1" && value("verdict", line) == "ok")
    tool.closeInput()
    #expect(try tool.finish().lines.count == 1)
  }

  @Test func unorderedRecordsLeaveWhenTheyAreComplete() throws {
    let server = try LoopbackServer(site)
    let home = try TemporaryDirectory()
    let records = [
      tweet(1, server.base + "/slow"), tweet(2, server.base + "/page"), tweet(3), tweet(4, server.base + "/slow"),
    ]
    try home.write("tweets", records.joined())
    func ids(_ options: [String]) throws -> [String?] {
      let result = try Tool.run(
        "tw-linkcheck", options + ["--no-cache", "tweets"], environment: server.environment, home: home)
      return result.lines.map { value("id", $0) }
    }
    #expect(try ids([]) == ["1", "2", "3", "4"])
    let ids = try ids(["--unordered"])
    #expect(Set(ids) == ["1", "2", "3", "4"] && ids.count == 4)
    #expect(ids.firstIndex(of: "2") ?? 9 < ids.firstIndex(of: "1") ?? 0 && ids.first == "3")
  }

  @Test func theSummaryCountsLinks() throws {
    let server = try LoopbackServer(site)
    let urls = ["/page", "/song", "/old", "/none", "/page"].map { server.base + $0 } + ["mailto://a"]
    let result = try Tool.run("tw-linkcheck", ["--summary"] + urls, environment: server.environment)
    #expect(
      result.errors == """
        verdict  page  music  -  links
        ok          1      1  0      2
        moved       1      0  0      1
        dead        0      0  1      1
        unknown     0      0  1      1
        links       2      1  2      5

        """)
    #expect(result.lines.count == 6 && result.status == 1)
  }

  /// The memory of one record does not grow with its links without end.
  @Test func aRecordFullOfLinksIsCheckedInPart() throws {
    let home = try TemporaryDirectory()
    let urls = (0..<20_000).map { #"{"url":"mms://a.example/\#($0)"}"# }.joined(separator: ",")
    try home.write("tweet", #"{"tw":"tweet","id":"1","entities":{"urls":[\#(urls)]}}"# + "\n")
    let result = try Tool.run("tw-linkcheck", ["tweet"], home: home)
    #expect(
      result.status == 1
        && result.errors == "tw-linkcheck: a record has more than 2048 links: the others are not checked\n")
    #expect(result.output.split(separator: #""verdict":"ok""#, omittingEmptySubsequences: false).count == 2049)
  }

  /// Answers whose body fails are answers.
  @Test func titlesSpoilNoVerdict() throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
    let server = try LoopbackServer { request, connection in
      let path = request.target.split(separator: " ").last.map(String.init) ?? ""
      switch path {
      case "/drip":
        connection.send(head + "\r\n<title>Drip</title>")
        for _ in 0..<20 {
          connection.pause(0.2)
          connection.send("x")
        }
      case "/gzip": connection.send(head + "Content-Encoding: gzip\r\n\r\nthis is no gzip")
      case "/short": connection.send(head + "Content-Length: 5000\r\n\r\n<title>Short</title>")
      case "/chunks": connection.send(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")
      default: connection.send("HTTP/1.1 200 OK\r\nContent-Ty")
      }
    }
    let paths = ["/drip", "/gzip", "/short", "/chunks", "/head"]
    let result = try Tool.run(
      "tw-linkcheck", ["--titles", "--timeout", "1s"] + paths.map { server.base + $0 },
      environment: ["TW_ALLOW_PRIVATE": "127.0.0.1:\(server.port)"])
    #expect(result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok", "ok", "error"])
    #expect(result.lines.map { value("title", $0) } == ["Drip", nil, "Short", nil, nil])
    #expect(value("error", result.lines[4]) == "lost-connection")
  }

  /// Shoutcast answers in its own way, and HEAD not at all.
  @Test func radioStationsAreMusic() throws {
    let server = try LoopbackServer { request, connection in
      guard request.target.hasPrefix("GET") else { return }
      connection.send("ICY 200 OK\r\nicy-name:Radio\r\ncontent-type:audio/mpeg\r\nicy-br:128\r\n\r\n\u{1}\u{2}\u{3}")
      connection.pause(0.1)
    }
    let result = try Tool.run(
      "tw-linkcheck", [server.base + "/;stream"], environment: ["TW_ALLOW_PRIVATE": "127.0.0.1:\(server.port)"])
    #expect(value("verdict", result.output) == "ok" && value("link_kind", result.output) == "music")
    #expect(value("content_type", result.output) == "audio/mpeg" && value("status", result.output) == "200")
    #expect(result.status == 0)
  }
}
