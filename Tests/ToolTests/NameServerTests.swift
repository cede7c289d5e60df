import Foundation
import TestSupport
import Testing

/// Tools and name servers that fail, are silent or lie. The system's resolver would wait for the silent one for
/// minutes, which is longer than these tests wait for a tool.
@Suite(.onOwnThread, .enabled(if: NameServer.isAvailable, "needs unshare(1), ip(8), python3 and the right to use them"))
struct NameServerTests {
  /// The value of a key in a line.
  private func value(_ key: String, _ line: String) -> String? {
    line.firstRange(of: "\"\(key)\":").map { range in
      String(line[range.upperBound...].drop { $0 == "\"" }.prefix { !"\",}".contains($0) })
    }
  }

  private func tweet(_ id: Int, _ url: String) -> ToolInput {
    ToolInput(#"{"tw":"tweet","id":"\#(id)","entities":{"urls":[{"url":"\#(url)"}]}}"# + "\n")
  }

  @Test func onlyANameThatDoesNotExistIsDead() throws {
    let server = try NameServer()
    let hosts = ["ok", "nx", "servfail", "refused", "formerr", "nodata", "silent"]
    let result = try server.run("tw-linkcheck", ["--timeout", "3s"] + hosts.map { "http://\($0).example/" })
    #expect(
      result.lines.map { value("verdict", $0) } == ["ok", "dead", "error", "error", "error", "error", "error"])
    #expect(result.lines.map { value("error", $0) } == [nil, "no-such-host", "dns", "dns", "dns", "dns", "dns"])
    #expect(
      result.lines.allSatisfy { !$0.contains("\"status\"") } == false && value("status", result.lines[0]) == "200")
  }

  /// More silent names than requests at once, and one that answers: it has its turn.
  @Test func silentNamesHoldUpNobody() throws {
    let server = try NameServer()
    let urls = (0..<6).map { "http://silent\($0).example/" } + ["http://ok.example/"]
    let result = try server.run("tw-linkcheck", ["--timeout", "500ms", "--jobs", "2"] + urls)
    #expect(result.lines.map { value("error", $0) } == Array(repeating: "dns", count: 6) + [nil])
    #expect(value("verdict", result.lines[6]) == "ok")
    let author = #"{"tw":"user","service":"x","id":"1","username":"a","name":"a","profile_image_url":"URL"}"# + "\n"
    let users = ["silent", "ok"].map { author.replacing("URL", with: "http://\($0).example/a.png") }.joined()
    let pictures = try server.run("tw-avatar", ["--timeout", "500ms"], stdin: users)
    #expect(pictures.lines.map { value("error", $0) } == ["dns", "not-a-picture"])
  }

  /// A name server that leaves questions for IPv6 without an answer, as some do. The C library would ask for minutes
  /// here.
  @Test func aNameWithoutAnAnswerForIPv6Works() throws {
    let server = try NameServer()
    let result = try server.run("tw-linkcheck", ["http://half.example/"])
    #expect(value("verdict", result.output) == "ok" && value("error", result.output) == nil)
    #expect(server.lines.contains("AAAA half.example"))
  }

  /// A host has moved, and the first answer is its old address: the next request asks for the name again.
  @Test func aHostThatHasMovedIsFound() throws {
    let server = try NameServer()
    let tool = try server.start("tw-linkcheck", ["--patience", "10s"])
    tool.send(tweet(1, "http://moved.example/1"))
    #expect(try value("error", tool.line() ?? "") == "unreachable")
    usleep(700_000)
    tool.send(tweet(2, "http://moved.example/2"))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    #expect(server.lines.count { $0 == "A moved.example" } == 2)
  }

  /// Its links come one after the other, as the requests to one host may only do.
  @Test func aHostIsLookedUpOnce() throws {
    let server = try NameServer()
    let urls = (0..<5).flatMap { number in ["ok", "nx"].map { "http://\($0).example/\(number)" } }
    let result = try server.run("tw-linkcheck", ["--jobs-per-host", "1"] + urls)
    #expect(result.lines.map { value("verdict", $0) } == Array(repeating: ["ok", "dead"], count: 5).flatMap { $0 })
    #expect(server.lines.count { $0 == "A ok.example" } == 1)
    // A name that is not there is asked for in two ways.
    #expect(server.lines.count { $0 == "A nx.example" } == 2)
  }

  /// More silent names than requests at once, whose time never ends: all links to another host are answered.
  @Test func silentNamesHoldNoRequest() throws {
    let server = try NameServer()
    let options = ["--timeout", "100s", "--jobs", "4", "--unordered", "--patience", "90s"]
    let tool = try server.start("tw-linkcheck", options)
    for number in 0..<40 { tool.send(tweet(number, "http://silent\(number).example/")) }
    for number in 0..<20 { tool.send(tweet(100 + number, "http://ok.example/\(number)")) }
    for _ in 0..<20 { #expect(try value("verdict", tool.line() ?? "") == "ok") }
    tool.signal(SIGINT)
    #expect(try tool.finish(timeout: 25).ending == .signal(SIGINT))
  }

  @Test func aLivePipeGoesOnWhileANameServerIsSilent() throws {
    let server = try NameServer()
    let tool = try server.start("tw-linkcheck", ["--patience", "300ms", "--timeout", "3s"])
    tool.send(tweet(1, "http://silent.example/"))
    tool.send(tweet(2, "http://ok.example/"))
    #expect(try value("verdict", tool.line() ?? "") == nil)
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    #expect(try value("error", tool.line() ?? "") == "dns")
    tool.send(tweet(3, "http://ok.example/3"))
    #expect(try value("verdict", tool.line() ?? "") == "ok")
    tool.closeInput()
    #expect(try tool.finish().lines.count == 4)
  }

  @Test(arguments: ["tw-linkcheck", "tw-avatar", "tw-stream", "tw-post"])
  func aSignalEndsAToolWhileANameServerIsSilent(tool name: String) throws {
    let server = try NameServer()
    let link = "http://silent.example/a.png"
    let service = ["TW_ENDPOINT": "https://silent.example", "TW_TOKEN": "t"]
    let (arguments, input, environment): ([String], ToolInput, [String: String]) =
      switch name {
      case "tw-stream": (["--once", "#swift"], "", service)
      case "tw-post": (["a text"], "", service)
      default:
        (
          ["--timeout", "100s"],
          ToolInput(
            #"{"tw":"user","service":"x","id":"1","username":"a","name":"a","profile_image_url":"URL"}"#.replacing(
              "URL", with: link) + "\n"),
          [:]
        )
      }
    let tool = try server.start(name, arguments, environment: environment)
    tool.send(name == "tw-linkcheck" ? tweet(1, link) : input)
    try server.wait(for: "A silent.example")
    tool.signal(SIGINT)
    // Its end is awaited for less time than the resolver tries.
    #expect(try tool.finish(timeout: 25).ending == .signal(SIGINT))
  }

  /// What a name resolves to is judged where the connection is made, whatever else the name server says.
  @Test func privateAddressesAreRefusedWhateverTheNameServerSays() throws {
    let server = try NameServer()
    let urls = ["home", "mixed", "rebind"].map { "http://\($0).example/" }
    let redirected = "http://ok.example/to/home.example/"
    let first = try server.run("tw-linkcheck", ["--no-cache", redirected] + urls)
    #expect(first.lines.map { value("error", $0) } == ["private-address", "private-address", nil, nil])
    // At the next run the name leads home.
    let second = try server.run("tw-linkcheck", ["--no-cache", urls[2]])
    #expect(second.lines.map { value("error", $0) } == ["private-address"])
    #expect(!server.lines.contains { $0.hasSuffix(" at 127.0.0.1") })
  }

  /// Digits and dots of other alphabets lead where usual ones lead; letters that look alike do not pass for others.
  @Test func namesOfOtherAlphabetsAreThoseOfDNS() throws {
    let server = try NameServer()
    let urls = [
      "http://b\u{FC}cher.example/\u{E4}", "http://\u{5BD2}.example/", "http://p\u{430}ypal.example/",
      "http://\u{FF11}\u{FF12}\u{FF17}.0.0.1/", "http://127\u{3002}0\u{3002}0\u{3002}1/", "http://\u{24DB}ocalhost/",
      "http://home\u{FF0E}example/", "http://a\u{2024}b\u{2025}/",
    ]
    let result = try server.run("tw-linkcheck", ["--chain"] + urls)
    #expect(
      result.lines.map { value("unwound_url", $0) }.prefix(3) == [
        "http://xn--bcher-kva.example/%c3%a4", "http://xn--7ct.example/", "http://xn--pypal-4ve.example/",
      ])
    #expect(
      result.lines.map { value("verdict", $0) } == ["ok", "ok", "ok", "error", "error", "error", "error", "unknown"])
    let home = Array(repeating: "private-address", count: 4)
    #expect(result.lines.map { value("error", $0) } == [nil, nil, nil] + home + ["bad-url"])
    #expect(server.lines.contains("HEAD /%c3%a4 xn--bcher-kva.example at 93.184.216.34"))
  }
}
