import Foundation
import TestSupport
import Testing

/// `tw-stream --check-plugin`: the examples pass, and each fault of a plugin is named.
@Suite(.onOwnThread) struct PluginCheckTests {
  private static let examples = Package.root + "/docs/examples"

  private static func has(_ program: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
  }

  private static func check(_ source: String, _ more: [String] = [], home: TemporaryDirectory) throws -> ToolResult {
    try Tool.run(
      "tw-stream", ["--check-plugin", source] + more,
      environment: ["PATH": "\(home.path)/bin:\(examples):\(Tool.directory):/usr/local/bin:/usr/bin:/bin"], home: home)
  }

  private static let status =
    #"{"id":"ID","created_at":"2026-01-01T00:00:00.000Z","content":"<p>post #swift</p>","spoiler_text":"","#
    + #""visibility":"public","account":{"id":"7","acct":"ann","username":"ann"}}"#

  @Test(.enabled(if: Self.has("curl"), "needs curl(1)"))
  func theExampleInShellPasses() throws {
    let server = try LoopbackServer { request in
      let id = request.path.split(separator: "=").last.flatMap { Int($0) } ?? 0
      let new = id < 100 ? [103, 102, 101] : []
      return .answer(
        200, body: Array("[\(new.map { Self.status.replacing("ID", with: "\($0)") }.joined(separator: ","))]".utf8))
    }
    let home = try TemporaryDirectory()
    let result = try Self.check("mastodon-tag:\(server.base)/swift", home: home)
    #expect(result.ending == .status(0) && !result.output.contains("fault:"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("refuses an empty argument") && result.output.contains("each of 3 posts once"))
    #expect(result.output.contains("continues where it stopped") && result.output.contains("ends soon after SIGTERM"))
  }

  private static let rss = """
    <?xml version="1.0"?><rss version="2.0"><channel><title>A &amp; B</title>
    <item><title>second</title><link>https://b.example/2</link><guid>two</guid><description>&lt;p&gt;more &amp;amp;
     more&lt;/p&gt;</description><pubDate>Thu, 02 Jan 2026 03:04:05 +0100</pubDate></item>
    <item><title>first</title><link>https://b.example/1</link><guid>one</guid></item></channel></rss>
    """
  private static let atom = """
    <feed xmlns="http://www.w3.org/2005/Atom"><title>C</title><entry><id>three</id><title>third</title>
    <link href="https://b.example/3"/><updated>2026-01-02T03:04:05.25-02:30</updated></entry></feed>
    """

  @Test(.enabled(if: Self.has("python3"), "needs python3"), arguments: [rss, atom])
  func theExampleInPythonPasses(_ document: String) throws {
    let server = try LoopbackServer { request in
      request["If-None-Match"] == "\"1\""
        ? .answer(304) : .answer(200, document, headers: ["ETag: \"1\""])
    }
    let home = try TemporaryDirectory()
    let result = try Self.check("feed:\(server.base)/feed.xml", home: home)
    #expect(result.ending == .status(0) && !result.output.contains("fault:"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("continues where it stopped"))
    // Its checkpoint saves the feed from being fetched again.
    #expect(server.requests.count >= 2)
  }

  @Test(.enabled(if: Self.has("python3"), "needs python3"))
  func theExampleInPythonReadsFeeds() throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/rss": .answer(200, Self.rss)
      case "/atom": .answer(200, Self.atom)
      case "/busy": .answer(429, headers: ["Retry-After: 90"])
      case "/page": .answer(200, "<html>")
      default: .answer(404)
      }
    }
    let environment = ["PATH": "\(Self.examples):\(Tool.directory):/usr/local/bin:/usr/bin:/bin"]
    let home = try TemporaryDirectory()
    func run(_ path: String, _ more: String = "") throws -> ToolResult {
      try Tool.shell(
        "cd; tw-stream --once \(more) feed:\(server.base)\(path) | tw-parse --only tweet", environment: environment,
        home: home)
    }
    let posts = try JSONObject.list(try run("/rss", "--state state").lines)
    #expect(posts.map { $0["id"] as? String } == ["one", "two"])
    #expect(posts.last?["text"] as? String == "second\n\nmore & more")
    #expect(posts.last?["created_at"] as? String == "2026-01-02T02:04:05.000Z")
    #expect((posts.last?["author"] as? [String: Any])?["name"] as? String == "A & B")
    #expect(try run("/rss", "--state state").output == "")
    let entry = try #require(try JSONObject.list(try run("/atom").lines).first)
    #expect(
      entry["created_at"] as? String == "2026-01-02T05:34:05.000Z" && entry["url"] as? String == "https://b.example/3")
    func status(_ path: String) throws -> ToolResult {
      try Tool.run("tw-stream", ["--once", "feed:\(server.base)\(path)"], environment: environment, home: home)
    }
    #expect(try status("/nothing").status == 69 && status("/page").status == 75)
    let busy = try status("/busy")
    #expect(busy.status == 75 && busy.output.contains(/"bad-source".*"wait":(90|89)/), "\(busy.output)")
  }

  private static let good = #"""
    [ -n "$1" ] || exit 64
    printf '{"tw":"context","feed":"%s","service":"test"}\n' "$TW_FEED"
    [ "${TW_CHECKPOINT:-0}" -ge 1 ] ||
      printf '{"tw":"tweet","id":"1","service":"test","text":"t","author":{"id":"a"}}\n{"tw":"checkpoint","cursor":"1"}\n'
    printf '{"tw":"refresh","feed":"%s"}\n' "$TW_FEED"
    [ -n "$TW_ONCE" ] || sleep 60
    """#

  /// What is changed in a good plugin, and what is said of it.
  @Test(arguments: [
    ("exit 64", "exit 2", "with an empty argument, not with status 64"),
    ("exit 64", "{ echo '{}'; exit 64; }", "prints lines before it refuses"),
    ("|| sleep 60", "|| { trap '' TERM; sleep 60; }", "within 2 s of SIGTERM"),
    ("TW_ONCE", "TW_NEVER", "did not end within 3 s"),
    (#""context""#, #""contest""#, "the first line is no 'context' record"),
    (#""service":"test"}\n' "$TW_FEED""#, #""services":"test"}\n' "$TW_FEED""#, "a 'context' record without 'service'"),
    (
      #"{"tw":"refresh","feed":"%s"}"#, #"{"tw":"notice","level":"info","code":"c","message":"m"}"#,
      "end with a 'refresh'"
    ),
    (#"{"tw":"refresh","feed":"%s"}"#, #"{"tw":"notice","level":"bad","code":"c","message":"m"}"#, "the level 'bad'"),
    (#""refresh","feed":"%s"}\n"#, #""refresh","feed":"other"}\n"#, "'feed' is 'other'"),
    (#""refresh","feed":"%s"}\n"#, #""refresh","feed":"%s"}"#, "the last line has no newline"),
    (#"{"tw":"tweet""#, #"x{"tw":"tweet""#, "is not JSON"),
    (#""text":"t","#, "", "a tweet without 'text'"),
    (#"{"id":"a"}"#, "{}", "an author without 'id'"),
    (#""cursor":"1""#, #""cursor":1"#, "a checkpoint without a 'cursor'"),
    (#"{"tw":"checkpoint","#, #"{"data":{"id":"9"}}\n{"tw":"checkpoint","#, "tw-parse cannot read it: line 3"),
    (#"{"tw":"checkpoint","#, #"{"id":"7"}\n{"id":"7"}\n{"tw":"checkpoint","#, "post 7 is printed twice"),
    ("TW_CHECKPOINT:-0", "TW_NOTHING:-0", "prints post test:1 again"),
    ("[ -n \"$TW_ONCE\" ] ||", "[ -z \"$TW_ONCE\" ] || exit 9;", "with status 9, which is none"),
  ])
  func eachFaultIsNamed(_ old: String, _ new: String, _ fault: String) throws {
    let script = Self.good.replacing(old, with: new)
    #expect(script != Self.good)
    let home = try StreamPluginTests.home(script)
    let result = try Self.check("test:x", ["--for", "3s"], home: home)
    #expect(result.ending == .status(1), "\(result.output)\(result.errors)")
    #expect(result.lines.contains { $0.hasPrefix("fault: ") && $0.contains(fault) }, "\(result.output)")
  }

  @Test func aGoodOneHasNone() throws {
    let home = try StreamPluginTests.home(Self.good)
    let result = try Self.check("test:x", home: home)
    #expect(result.ending == .status(0) && !result.output.contains("fault:"), "\(result.output)")
  }

  /// A service that is not there is no fault of the plugin, and neither is what it need not do.
  @Test func whatCannotBeCheckedIsSaid() throws {
    let home = try StreamPluginTests.home(#"[ -n "$1" ] || exit 64; echo 'no answer' >&2; exit 75"#)
    let away = try Self.check("test:x", home: home)
    #expect(
      away.ending == .status(75) && away.output.contains("note: a poll round ended with status 75"), "\(away.output)")
    #expect(try Self.check("nobody:x", home: home).ending == .status(64))
    for source in ["#swift", "test", "tw-source-test"] {
      let wrong = try Self.check(source, home: home)
      #expect(wrong.ending == .status(64) && wrong.errors.contains("--check-plugin NAME:REST"), "\(wrong.errors)")
    }
    #expect(try Self.check("test:x", ["--once"], home: home).ending == .status(64))
  }

  /// The token of the account, where it is printed for all to see.
  @Test func aPrintedTokenIsAFault() throws {
    let home = try StreamPluginTests.home(Self.good.replacing(#""text":"t""#, with: #""text":"'"$TW_TOKEN"'""#))
    let account =
      #"{"service":"test","name":"jill","base":"https://test.example","method":"token","token":"own-token"}"#
    chmod(try home.write(".config/tw/credentials.json", #"{"accounts":[\#(account)]}"#), 0o600)
    let result = try Self.check("test:x", home: home)
    #expect(result.ending == .status(1) && result.output.contains("fault: it prints the token of the account"))
  }
}
