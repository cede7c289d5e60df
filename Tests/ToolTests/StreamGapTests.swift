import Foundation
import TestSupport
import Testing

/// tw-stream across restarts, and without a stream.
@Suite(.onOwnThread) struct StreamGapTests {
  private static func start(
    _ service: FaultyService, _ arguments: [String], _ home: TemporaryDirectory
  ) throws -> RunningTool {
    try RunningTool(
      "tw-stream", arguments + ["#swift"],
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN": "a-token"], home: home)
  }

  /// Runs to its end.
  private static func run(
    _ service: FaultyService, _ arguments: [String], _ home: TemporaryDirectory
  ) throws -> (words: [String], result: ToolResult) {
    let tool = try start(service, arguments, home)
    var words: [String] = []
    while let line = try tool.line() { words += StreamRecords.words(line, of: service) }
    return (words, try tool.finish())
  }

  /// Posts 4 and 5 are published before the second connection.
  private static let twoRuns = """
    stream
      post 1..3
      hold
    stream
      away 4..5
      post 6
      hold
    """

  @Test func aKilledProgramGoesOnFromItsCheckpoint() throws {
    let service = try FaultyService(Self.twoRuns)
    let home = try TemporaryDirectory()
    let first = try Self.start(service, ["--state", "places"], home)
    while let line = try first.line(), StreamRecords.words(line, of: service) != ["3"] {}
    let kept = "\"newest_id\":\"\(service.firstID + 3)\""
    try waitUntil { try home.exists("places") && String(decoding: home.read("places"), as: UTF8.self).contains(kept) }
    first.signal(SIGKILL)
    _ = try first.finish()
    let second = try Self.run(service, ["--state", "places", "--fill-gaps", "--count", "3"], home)
    #expect(second.words.filter { Int($0) != nil } == ["4", "5", "6"])
    #expect(second.words.contains("gap-filled"))
    // The second removes the rule that the first left behind.
    #expect(service.requests.last?.kind == "delete")
  }

  @Test func withoutBackfillTheTimeBetweenTwoRunsIsAGap() throws {
    let service = try FaultyService(Self.twoRuns)
    let home = try TemporaryDirectory()
    _ = try Self.run(service, ["--state", "places", "--count", "3"], home)
    let second = try Self.run(service, ["--state", "places", "--count", "1"], home)
    #expect(second.words == ["context", "connect", "gap(3,6)", "6"])
    #expect(second.result.errors.contains("may be missing"))
  }

  /// Of two feeds that were saved at different times, the earlier one says since when posts may be missing.
  @Test(arguments: ["#swift", "#tea"]) func theGapBeginsWithTheOlderFeed(_ older: String) throws {
    let service = try FaultyService(
      """
      stream
        post 3
        hold
      """)
    let home = try TemporaryDirectory()
    let entries = ["#swift", "#tea"].map { feed in
      #"{"service":"local","base":"\#(service.base)","feed":"\#(feed)","newest_id":"\#(service.firstID + 1)","#
        + #""updated_at":"2026-01-0\#(feed == older ? 2 : 3)T00:00:00.000Z"}"#
    }
    try home.write("places", #"{"tw":"checkpoints","checkpoints":[\#(entries.joined(separator: ","))]}"#)
    let tool = try Self.start(service, ["--state", "places", "--count", "1", "#tea"], home)
    var gap = ""
    while let line = try tool.line() { if line.contains(#""code":"gap""#) { gap = line } }
    #expect(try tool.finish().ending == .status(0))
    #expect(gap.contains(#""from":"2026-01-02T00:00:00.000Z""#), "\(gap)")
  }

  /// The folder of the checkpoints cannot be written to, and then it can: the stream goes on, and saves one at its end.
  @Test(arguments: [true, false])
  func aCheckpointThatCannotBeSavedEndsNoStream(_ isLastingly: Bool) throws {
    let service = try FaultyService(
      """
      stream
        post 1..2
        pause 7s
        post 3
        hold
      """)
    let home = try TemporaryDirectory()
    // A directory in place of the lock file stops root too.
    let obstacle = home.path + "/places.lock"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    let tool = try Self.start(service, ["--state", "places", "--count", "3"], home)
    var words: [String] = []
    while let line = try tool.line() {
      words += StreamRecords.words(line, of: service)
      if words.last == "not-kept", !isLastingly { try FileManager.default.removeItem(atPath: obstacle) }
    }
    let result = try tool.finish()
    #expect(words == ["context", "not-kept", "connect", "1", "2", "3"])
    #expect(result.errors.contains("the checkpoint is not saved: cannot"), "\(result.errors)")
    #expect(result.ending == .status(isLastingly ? 73 : 0), "\(result.errors)")
    #expect(home.exists("places") == !isLastingly)
  }

  @Test(arguments: [
    ("403 Forbidden", #"{"title":"Client Forbidden","reason":"client-not-enrolled","detail":"no project"}"#),
    (
      "429 Too Many Requests",
      #"{"title":"ConnectionException","connection_issue":"TooManyConnections","detail":"connection limit"}"#
    ),
  ])
  func ifThereIsNoStreamItPolls(_ status: String, _ body: String) throws {
    let service = try FaultyService(
      """
      stream
        away 1..2
        status \(status)
        body \(body)
      """)
    let home = try TemporaryDirectory()
    let outcome = try Self.run(service, ["--fallback", "poll", "--count", "2"], home)
    // A page of a search has the newest post first.
    #expect(outcome.words.filter { $0 != "refresh" } == ["context", "fallback", "2", "1"])
    #expect(service.requests.map(\.kind) == ["list", "add", "stream", "delete", "search"])
    #expect(outcome.result.ending == .status(0))
    #expect(outcome.result.errors.contains("there is no live stream; polling instead"))
  }
}
