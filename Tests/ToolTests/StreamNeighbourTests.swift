import Foundation
import TestSupport
import Testing

/// Several live sources, of which some fail; and waits that the machine sleeps through.
@Suite(.onOwnThread) struct StreamNeighbourTests {
  private static let library = PreloadedLibrary.compile("suspended-machine")

  private static func start(
    _ service: FaultyService, _ arguments: [String], plugin: String = "exit 69", environment: [String: String] = [:]
  ) throws -> (tool: RunningTool, home: TemporaryDirectory) {
    let home = try StreamPluginTests.home(plugin)
    let variables = ["TW_ENDPOINT": service.base, "TW_SERVICE": "local", "TW_TOKEN": "a-token"]
      .merging(environment) { $1 }
    return (
      try RunningTool(
        "tw-stream", arguments, environment: StreamPluginTests.environment(home, variables), home: home), home
    )
  }

  @Test func oneThatFailsDoesNotEndTheOthers() throws {
    let service = try FaultyService(
      """
      stream
        post 1
        pause 2s
        post 2
        hold
      """)
    let (tool, _) = try Self.start(service, ["--count", "2", "#swift", "test:x"])
    var words: [String] = []
    var failure = ""
    while let line = try tool.line() {
      words += StreamRecords.words(line, of: service)
      if line.contains("\"bad-source\"") { failure = line }
    }
    let result = try tool.finish()
    #expect(words.filter { Int($0) != nil } == ["1", "2"] && words.last == "2", "\(words)")
    #expect(failure.contains("\"source\":\"test:x\",\"status\":69,\"wait\":60"), "\(failure)")
    #expect(result.errors.contains("test:x: tw-source-test ended with status 69; the other sources go on"))
    // It has not recovered.
    #expect(result.ending == .status(69))
  }

  @Test func aloneItEndsTheRunAtOnce() throws {
    let service = try FaultyService("stream\n  hold")
    let result = try Self.start(service, ["test:x"]).tool.finish()
    #expect(result.ending == .status(69) && !result.output.contains("bad-source"))
  }

  /// Both have failed for good: nothing is left to wait for.
  @Test func whenAllHaveFailedTheRunEnds() throws {
    let service = try FaultyService("list\n  status 401 Unauthorized\n  body {}")
    let result = try Self.start(service, ["#swift", "test:x"], plugin: "sleep 1; exit 69").tool.finish()
    #expect(result.ending == .status(69), "\(result.errors)")
    #expect(result.output.contains("\"source\":\"#swift\",\"status\":77"))
  }

  @Test(.enabled(if: library != nil, "\(PreloadedLibrary.comment)"))
  func aWaitEndsWhenTheMachineHasSleptThroughIt() throws {
    let service = try FaultyService(
      """
      stream
        status 429 Too Many Requests
        header x-rate-limit-remaining: 0
        header x-rate-limit-reset: {now+3600}
        body
      stream
        post 1
        hold
      """)
    let sign = try TemporaryDirectory()
    let (tool, _) = try Self.start(
      service, ["--count", "1", "#swift"],
      environment: ["LD_PRELOAD": Self.library ?? "", "TW_SUSPENDED": sign.path + "/sign"])
    try tool.waitForOutput(containing: "rate-limit")
    try sign.write("sign", "")
    #expect(try tool.finish(timeout: 30).ending == .status(0))
    #expect(service.requests.count { $0.kind == "stream" } == 2)
  }
}
