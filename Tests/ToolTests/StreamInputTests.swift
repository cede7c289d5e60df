import Foundation
import TestSupport
import Testing

/// `tw-stream -`: sources from standard input, each of which replaces the one before.
@Suite(.onOwnThread) struct StreamInputTests {
  /// Prints its argument, then runs until it is stopped; `short` ends by itself, `fail` with 69.
  private static let plugin = """
    echo '{"id":"'$1'"}'
    case $1 in short) exit 0 ;; fail) exit 69 ;; esac
    while :; do sleep 1; done
    """

  private static func start(_ arguments: [String] = []) throws -> RunningTool {
    let home = try StreamPluginTests.home(plugin)
    return try RunningTool(
      "tw-stream", arguments + ["-"], environment: StreamPluginTests.environment(home), home: home)
  }

  private static func line(_ tool: RunningTool) throws -> String? {
    try tool.line().map { StreamPluginTests.plain([$0])[0] }
  }

  @Test func eachSourceReplacesTheOneBefore() throws {
    let tool = try Self.start()
    tool.send("test:one\n")
    #expect(try Self.line(tool) == #"{"tw":"context","feed":"test:one","service":"test"}"#)
    #expect(try Self.line(tool) == #"{"id":"one"}"#)
    tool.send("  test:two  \r\n")
    #expect(try Self.line(tool) == #"{"tw":"query","feed":"test:two","service":"test"}"#)
    #expect(try Self.line(tool) == #"{"tw":"context","feed":"test:two","service":"test"}"#)
    #expect(try Self.line(tool) == #"{"id":"two"}"#)
    // The end of input does not end the last source.
    tool.closeInput()
    usleep(200_000)
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }

  @Test func aBadLineIsReportedAndTheSourceBeforeGoesOn() throws {
    let tool = try Self.start(["--for", "10s"])
    tool.send("test:one\n")
    _ = try tool.line()
    #expect(try Self.line(tool) == #"{"id":"one"}"#)
    for wrong in ["two words", "nobody:x", "#"] {
      tool.send("\(wrong)\n")
      let notice = try #require(try tool.line())
      #expect(notice.contains(#""level":"error","code":"bad-source""#) && notice.contains(#""source":"\#(wrong)""#))
      try tool.waitForErrors(containing: "tw-stream: ")
    }
    tool.send("test:short")
    tool.closeInput()
    let result = try tool.finish()
    #expect(result.output.contains(#"{"id":"short"}"#))
    #expect(result.ending == .status(1))
  }

  @Test func anEmptyLineEndsTheSource() throws {
    let home = try StreamPluginTests.home(#"echo "[$$]"; while :; do sleep 1; done"#)
    let tool = try RunningTool(
      "tw-stream", ["-"], environment: StreamPluginTests.environment(home), home: home)
    tool.send("test:one\n")
    _ = try tool.line()
    let process = try #require(try tool.line().flatMap { Int32($0.dropFirst().dropLast()) })
    tool.send("\n")
    try waitUntil { kill(process, 0) != 0 }
    tool.send("test:two\n")
    #expect(try Self.line(tool) == #"{"tw":"query","feed":"test:two","service":"test"}"#)
    tool.signal(SIGTERM)
    _ = try tool.finish()
  }

  /// A program that sends sources need not start it again because one of them failed.
  @Test func aSourceThatFailsIsReportedAndTheNextOneIsRead() throws {
    let tool = try Self.start()
    tool.send("test:fail\n")
    _ = try tool.line()
    #expect(try Self.line(tool) == #"{"id":"fail"}"#)
    let notice = try #require(try tool.line())
    #expect(notice.contains("ended with status 69") && notice.contains(#""source":"test:fail""#))
    tool.send("test:short\n")
    try tool.waitForLines(6)
    tool.send("test:fail\n")
    tool.closeInput()
    #expect(try tool.finish().ending == .status(69))
  }

  @Test func onceRunsEachToItsEnd() throws {
    let home = try StreamPluginTests.home("sleep 0.2; echo '{\"id\":\"'$1'\"}'")
    let result = try Tool.run(
      "tw-stream", ["--once", "-"], stdin: "test:a\ntest:b\n\ntest:c",
      environment: StreamPluginTests.environment(home), home: home)
    #expect(result.lines.filter { $0.hasPrefix(#"{"id""#) } == [#"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"c"}"#])
    #expect(result.ending == .status(0))
  }

  @Test func noSourceIsAUsageError() throws {
    for input: ToolInput in ["", "\n \n"] {
      let result = try Tool.run("tw-stream", ["-"], stdin: input)
      #expect(result.ending == .status(64))
      #expect(result.errors == "tw-stream: no source on standard input\n")
    }
  }

  /// A hashtag that replaces another keeps the connection, and no rule is left at the end.
  @Test func hashtagsReplaceTheirRules() throws {
    let script = """
      { echo '#swift'; until grep -q '"data"' out; do sleep 0.1; done
        echo '#opensource'; until grep -A99 '"query"' out | grep -q '"data"'; do sleep 0.1; done
      } | { tw-stream - & echo $! > pid; wait; } > out
      """
    let driver = """
      : > out; ( \(script) ) & until grep -A99 '"query"' out | grep -q '"data"'; do sleep 0.1; done
      kill -TERM $(cat pid); wait; cat out; echo; curl -s -H "Authorization: Bearer $TW_TOKEN" \
      "$TW_ENDPOINT/2/tweets/search/stream/rules"
      """
    let result = try Tool.run("tw-local", ["--demo", "--rate", "20", "--", "bash", "-c", driver], timeout: 120)
    let lines = result.lines
    let query = try #require(lines.firstIndex { $0.contains(##""tw":"query","feed":"#opensource""##) })
    #expect(lines[query + 1].contains(##""tw":"context","feed":"#opensource""##))
    #expect(lines.count { $0.contains(#""code":"connect""#) } == 1)
    #expect(result.output.contains(#""result_count":0"#), "\(result.output.suffix(400))")
  }

  /// With --once a source ends by itself. Those that come meanwhile wait in the pipe, and the program that writes them
  /// waits too, however many they are.
  @Test func moreSourcesThanArePolledWaitInThePipe() throws {
    let tool = try Self.start(["--once"])
    // 32 MiB. The test's own end of the pipe takes what the tool does not read.
    tool.send(ToolInput("test:one\n" + String(repeating: "test:short\n", count: 3_000_000)))
    #expect(try Self.line(tool) == #"{"tw":"context","feed":"test:one","service":"test"}"#)
    #expect(try Self.line(tool) == #"{"id":"one"}"#)
    // The first source never ends. A tool that reads all it can has time for it: a piece of 64 KiB each time.
    for _ in 0..<1000 {
      tool.send("")
      usleep(1000)
    }
    #expect(tool.unsentBytes > 30 << 20)
    if let peak = tool.peakMemory { #expect(peak < 64 << 20, "\(peak >> 20) MiB") }
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }
}
