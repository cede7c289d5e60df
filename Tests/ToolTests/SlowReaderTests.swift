import Foundation
import TestSupport
import Testing

/// A reader of tw-stream's output that does not keep up.
@Suite(.onOwnThread) struct SlowReaderTests {
  /// Writes four megabytes, and then a file that shows that all was written.
  private static let plugin = """
    line=$(printf '%0999d' 0)
    for n in $(seq 4000); do echo "[\\"$line\\"]"; done
    echo > "$HOME/done"
    """

  private static func start(_ arguments: [String]) throws -> (RunningTool, TemporaryDirectory) {
    let home = try StreamPluginTests.home(plugin)
    let environment = StreamPluginTests.environment(home)
    return (try RunningTool("tw-stream", arguments + ["test:x"], environment: environment, home: home), home)
  }

  private static func expectAll(_ tool: RunningTool) throws {
    let result = try tool.finish()
    #expect(result.ending == .status(0))
    #expect(result.lines.count == 4001)
    #expect(result.lines.dropFirst().allSatisfy { $0.utf8.count == 1003 })
  }

  @Test func theSourceWaitsForTheReader() throws {
    let (tool, home) = try Self.start([])
    usleep(1_000_000)
    #expect(!home.exists("done"))
    try Self.expectAll(tool)
    #expect(home.exists("done"))
  }

  @Test func withABufferTheSourceRunsAhead() throws {
    let (tool, home) = try Self.start(["--buffer", "8M"])
    try waitUntil { home.exists("done") }
    try Self.expectAll(tool)
  }

  /// The reader leaves while no input comes, which may last for hours: before the first record, and after one.
  @Test(arguments: ["tw-parse", "tw-render"], [false, true])
  func aFilterWhoseReaderHasLeftEndsWhileItsInputIsQuiet(_ name: String, _ hasRecord: Bool) throws {
    let tool = try RunningTool(name)
    if hasRecord {
      tool.send(
        ToolInput(#"{"tw":"tweet","id":"1","service":"x","text":"tea","author":{"id":"2","username":"jack"}}"# + "\n"))
      try tool.waitForOutput(containing: "tea")
    }
    tool.closeOutput()
    try waitUntil { try String(contentsOfFile: "/proc/\(tool.processID)/stat", encoding: .utf8).contains(") Z ") }
    #expect(try tool.finish().ending == .status(0))
  }

  @Test func aSignalEndsItWhileNobodyReads() throws {
    let (tool, home) = try Self.start(["--buffer", "8M"])
    try waitUntil { home.exists("done") }
    tool.signal(SIGTERM)
    // Nobody reads meanwhile: the process must end nevertheless.
    try waitUntil { try String(contentsOfFile: "/proc/\(tool.processID)/stat", encoding: .utf8).contains(") Z ") }
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }

  /// A service may close a connection from which nothing is read for long: after ten seconds there is a message.
  @Test func aReaderThatHoldsUpTheStreamIsReported() throws {
    let tool = try RunningTool(
      "tw-local",
      ["--demo", "--rate", "200", "--", "bash", "-c", "tw-stream '#swift' '#opensource' '#music' | sleep 100"])
    try tool.waitForErrors(containing: "the reader of the output is 10 s behind", timeout: 90)
    tool.signal(SIGTERM)
    // The signal reaches the whole pipeline: no process of it stays behind.
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }
}
