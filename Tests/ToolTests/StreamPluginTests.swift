import Foundation
import TestSupport
import Testing

/// Source plugins: programs that tw-stream runs for SOURCEs it does not know itself.
@Suite(.onOwnThread) struct StreamPluginTests {
  /// A home whose `bin` is on PATH and has the plugin `tw-source-test`.
  static func home(_ script: String, name: String = "test") throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    try add(script, name, to: home)
    return home
  }

  static func add(_ script: String, _ name: String, to home: TemporaryDirectory) throws {
    try home.program("bin/tw-source-\(name)", "#!/bin/sh\n\(script)\n")
  }

  static func environment(_ home: TemporaryDirectory, _ more: [String: String] = [:]) -> [String: String] {
    ["PATH": "\(home.path)/bin:\(Tool.directory):/usr/local/bin:/usr/bin:/bin"].merging(more) { $1 }
  }

  private static func run(_ script: String, _ arguments: [String]) throws -> ToolResult {
    let home = try home(script)
    return try Tool.run("tw-stream", arguments, environment: environment(home), home: home)
  }

  /// Without the time, which differs.
  static func plain(_ lines: [String]) -> [String] { lines.map { $0.replacing(/,"at":"2[^"]*"/, with: "") } }

  private static let context = #"{"tw":"context","feed":"test:x","service":"test"}"#

  @Test func linesAreCopiedAsTheyAre() throws {
    let result = try Self.run(
      #"printf '{"a":  0.1000}\r\n\n[1, "ü"]\n{"tw":"delete","service":"test","id":"1"}\n'"#, ["test:x"])
    #expect(
      Self.plain(result.lines) == [
        Self.context, #"{"a":  0.1000}"#, #"[1, "ü"]"#, #"{"tw":"delete","service":"test","id":"1"}"#,
      ])
    #expect(result.errors == "")
    #expect(result.ending == .status(0))
  }

  @Test func badLinesAreLeftOutAndReported() throws {
    let result = try Self.run(#"printf 'hello\n{"id":"1"}\n{"id":"2'"#, ["test:x", "--no-records"])
    #expect(Self.plain(result.lines) == [Self.context, #"{"id":"1"}"#])
    #expect(result.errors.contains("a line that is not JSON"))
    #expect(result.errors.contains("tw-source-test ended in the middle of it"))
    #expect(result.ending == .status(1))
  }

  @Test func theOptionsAreInItsEnvironment() throws {
    let script = #"printf '{"argument":"%s","count":%s}\n' "$1" $#; env | grep -E '^TW_(F|O|E|S|U|C|P)' | sort >&2"#
    let home = try Self.home(script)
    let inherited = ["TW_PAGES": "7", "TW_SERVICE": "local"]
    let result = try Tool.run(
      "tw-stream", ["test:-a b:c", "--once", "--since-id", "5", "--count", "9"],
      environment: Self.environment(home, inherited), home: home)
    #expect(result.lines.last == #"{"argument":"-a b:c","count":1}"#)
    #expect(
      result.errors
        == "TW_COUNT=9\nTW_FEED=test:-a b:c\nTW_ONCE=1\nTW_SERVICE=local\nTW_SINCE_ID=5\n")
    let every = try Tool.run(
      "tw-stream", ["test:x", "--every", "1500ms", "--since", "2026-01-01T00:00:00Z"],
      environment: Self.environment(home), home: home)
    #expect(every.errors == "TW_EVERY=1.5\nTW_FEED=test:x\nTW_SINCE=2026-01-01T00:00:00.000Z\n")
  }

  @Test(arguments: [
    ("exit 0", 0), ("exit 1", 1), ("exit 64", 64), ("exit 75", 75), ("exit 77", 77), ("exit 3", 69), ("kill -9 $$", 75),
  ])
  func itsStatusBecomesOurs(_ script: String, _ status: Int) throws {
    // A live one is started again after 75.
    let result = try Self.run(#"echo '{"id":"1"}'; "# + script, ["--once", "test:x"])
    #expect(result.ending == .status(Int32(status)))
    #expect(result.lines.contains(#"{"id":"1"}"#))
    #expect(result.errors.contains("tw-source-test") == (status != 0))
  }

  @Test func aMissingPluginIsNamed() throws {
    let result = try Tool.run("tw-stream", ["nobody:x"])
    #expect(result.ending == .status(64))
    #expect(result.errors.contains("'tw-source-nobody'"))
    #expect(result.output == "")
  }

  /// It is there and executable, but the interpreter of its first line is not: that is reported, and no other process
  /// gets a signal.
  @Test func aPluginThatCannotBeRunIsReported() throws {
    let home = try TemporaryDirectory()
    try home.program("bin/tw-source-test", "#!/no/such/interpreter\n")
    let result = try Tool.run("tw-stream", ["test:x"], environment: Self.environment(home), home: home)
    #expect(result.ending == .status(69))
    #expect(result.errors.contains("tw-source-test': no such file or directory"), "\(result.errors)")
  }

  @Test func countCountsPosts() throws {
    let script = """
      echo '{"tw":"notice","level":"info","code":"hello","message":"hello"}'
      echo '[{"id":"1"},{"id":"2"}]'
      echo '{"tw":"tweet","id":"3","service":"test","text":"","author":{"id":"1"}}'
      while :; do echo '{"id":"4"}'; done
      """
    let result = try Self.run(script, ["test:x", "--count", "4"])
    #expect(result.lines.count == 5)
    #expect(result.lines.last == #"{"id":"4"}"#)
    #expect(result.ending == .status(0))
  }

  /// The context that a plugin writes is used again when its lines follow those of another source.
  @Test func itsOwnContextIsRepeatedAfterAnotherSource() throws {
    let script = """
      echo '{"tw":"context","feed":"test:x","service":"test:example.org"}'
      for file in one two; do until [ -e "$HOME/$file" ]; do sleep 0.05; done; echo '{"id":"'$file'"}'; done
      """
    let home = try Self.home(script)
    try Self.add(#"until [ -e "$HOME/other" ]; do sleep 0.05; done; echo '{"id":"other"}'"#, "other", to: home)
    let tool = try RunningTool("tw-stream", ["test:x", "other:y"], environment: Self.environment(home), home: home)
    try tool.waitForLines(2)
    try home.write("one", "")
    try tool.waitForLines(3)
    try home.write("other", "")
    try tool.waitForLines(5)
    try home.write("two", "")
    let result = try tool.finish()
    let own = #"{"tw":"context","feed":"test:x","service":"test:example.org"}"#
    #expect(
      Self.plain(result.lines) == [
        Self.context, own, #"{"id":"one"}"#, #"{"tw":"context","feed":"other:y","service":"other"}"#,
        #"{"id":"other"}"#, own, #"{"id":"two"}"#,
      ])
  }

  // MARK: The end

  /// A plugin, and what a script starts, end with tw-stream, even if they ignore SIGTERM.
  @Test(arguments: ["", "trap '' TERM; "])
  func aSignalEndsItAndWhatItHasStarted(_ prefix: String) throws {
    let home = try Self.home(prefix + "sleep 1000 & echo \"[$$,$!]\"; while :; do sleep 1; done")
    let tool = try RunningTool("tw-stream", ["test:x"], environment: Self.environment(home), home: home)
    _ = try tool.line()
    let line = try #require(try tool.line())
    let processes = line.dropFirst().dropLast().split(separator: ",").compactMap { Int32($0) }
    #expect(processes.count == 2)
    #expect(processes.allSatisfy { kill($0, 0) == 0 })
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
    try waitForEnd(of: processes)
  }

  @Test func aReaderThatHasGoneEndsIt() throws {
    let home = try Self.home("echo [$$]; while :; do sleep 1; done")
    let tool = try RunningTool("tw-stream", ["test:x"], environment: Self.environment(home), home: home)
    _ = try tool.line()
    let line = try #require(try tool.line())
    tool.closeOutput()
    #expect(try tool.finish().ending == .status(0))
    try waitForEnd(of: [Int32(line.dropFirst().dropLast()) ?? 0])
  }

  @Test func forEndsIt() throws {
    let result = try Self.run(#"while :; do echo '{"id":"1"}'; sleep 0.1; done"#, ["test:x", "--for", "500ms"])
    #expect(result.ending == .status(0))
    #expect(result.lines.last == #"{"id":"1"}"#)
  }

  /// Killed processes stay for a moment, until their new parent has waited for them.
  private func waitForEnd(of processes: [Int32]) throws {
    try waitUntil {
      processes.allSatisfy { process in
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return kill(process, 0) != 0 || status?.contains(") Z ") == true
      }
    }
  }

  // MARK: The example

  private static let statuses = (1...3).reversed().map {
    #"{"id":"10\#($0)","created_at":"2026-01-01T00:00:0\#($0).000Z","content":"<p>post \#($0) #swift</p>","#
      + #""spoiler_text":"","visibility":"public","account":{"id":"7","acct":"ann","username":"ann"}}"#
  }

  /// The program in tw-source(7), run as it is against a server; tw-parse reads its lines.
  @Test(.enabled(if: Self.hasCurl, "needs curl(1)"))
  func theExampleWorks() throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/api/v1/timelines/tag/swift?limit=40&min_id=100": .answer(200, body: Self.page(Self.statuses))
      case "/api/v1/timelines/tag/swift?limit=40&min_id=103": .answer(200, body: Self.page([]))
      default: .answer(404)
      }
    }
    let home = try TemporaryDirectory()
    let source = "mastodon-tag:\(server.base)/swift"
    let once = try Tool.shell(
      "tw-stream --once --since-id 100 \(source) | tw-parse", environment: Self.withExamples, home: home)
    let tweets = once.lines.filter { $0.hasPrefix(#"{"tw":"tweet""#) }
    #expect(tweets.count == 3, "\(once.output)\(once.errors)")
    #expect(tweets.allSatisfy { $0.contains(#""service":"mastodon:127.0.0.1:\#(server.port)""#) })
    #expect(tweets.allSatisfy { $0.contains(#""feeds":["\#(source)"]"#) })
    // It asks again and again.
    let again = try RunningTool(
      "tw-stream", ["--since-id", "100", "--every", "10ms", source], environment: Self.withExamples, home: home)
    try waitUntil { server.targets.count { $0.hasSuffix("min_id=103") } >= 4 }
    again.signal(SIGTERM)
    #expect(try again.finish().ending == .signal(SIGTERM))
  }

  /// A hundred posts are three pages of the example's.
  @Test(.enabled(if: Self.hasCurl, "needs curl(1)"))
  func theExamplePagesWithoutLoss() throws {
    let server = try LoopbackServer { request in
      let id = request.path.split(separator: "=").last.flatMap { Int($0) } ?? 0
      let posts = id < 100 ? Array(161...200) : Array((id + 1..<max(201, id + 1)).prefix(40))
      return .answer(200, body: Self.page(posts.reversed().map { "{\"id\":\"\($0)\"}" }))
    }
    let home = try TemporaryDirectory()
    let all = try Tool.run(
      "tw-stream", ["--once", "--since-id", "100", "mastodon-tag:\(server.base)/swift"],
      environment: Self.withExamples, home: home)
    let ids = all.output.matches(of: /"id":"(\d+)"/).compactMap { Int($0.1) }
    #expect(all.status == 0 && Set(ids) == Set(101...200) && ids.count == 100)
    #expect(server.requests.count == 4)
    // A round may be shorter. It begins at the old end, so the next one goes on without a gap.
    let part = try Tool.run(
      "tw-stream", ["--once", "--pages", "1", "--since-id", "100", "mastodon-tag:\(server.base)/swift"],
      environment: Self.withExamples, home: home)
    #expect(Set(part.output.matches(of: /"id":"(\d+)"/).compactMap { Int($0.1) }) == Set(101...140))
  }

  @Test(
    .enabled(if: Self.hasCurl, "needs curl(1)"),
    arguments: [
      (401, Int32(77)), (403, 77), (404, 69), (410, 69), (422, 69), (429, 75), (503, 75), (200, 75),
    ])
  func theExampleEndsWithItsStatus(_ code: Int, _ status: Int32) throws {
    let server = try LoopbackServer { _ in .answer(code, "<html>") }
    let result = try Tool.run(
      "tw-stream", ["--once", "mastodon-tag:\(server.base)/swift"], environment: Self.withExamples)
    #expect(result.status == status)
    #expect(result.errors.hasPrefix("tw-source-mastodon-tag: "), "\(result.errors)")
  }

  @Test(arguments: ["swift", "example.org/", "/swift", "ex ample.org/swift", "example.org/a?b", "example.org/a\"b"])
  func theExampleRefusesWhatIsNoTag(_ text: String) throws {
    let result = try Tool.run(
      "\(Package.root)/docs/examples/tw-source-mastodon-tag", [text], environment: ["TW_ONCE": "1"])
    #expect(result.status == 64 && result.output == "" && result.errors.contains("is not HOST/TAG"))
  }

  private static let withExamples = [
    "PATH": "\(Package.root)/docs/examples:\(Tool.directory):/usr/local/bin:/usr/bin:/bin"
  ]

  private static func page(_ statuses: [String]) -> [UInt8] { Array("[\(statuses.joined(separator: ","))]".utf8) }

  private static let hasCurl = ["/usr/bin/curl", "/usr/local/bin/curl", "/bin/curl"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}
