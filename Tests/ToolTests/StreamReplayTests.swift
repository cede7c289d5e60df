import Foundation
import TestSupport
import Testing

/// Captures played back.
@Suite(.onOwnThread) struct StreamReplayTests {
  static let capture = [
    ##"{"tw":"context","feed":"#swift","service":"x","base":"https://api.x.com","at":"2026-01-01T00:00:00.000Z"}"##,
    #"{"data":{"id":"1","text":"a","created_at":"2026-01-01T00:00:01.000Z"}}"#,
    #"{"tw":"notice","level":"info","code":"connect","message":"m","at":"2026-01-01T00:00:01.500Z"}"#,
    #"{"data":{"id":"2","text":"0.1000","created_at":"2025-12-31T00:00:00.000Z"}}"#,
    #"{"tw":"context","feed":"@ann","service":"x","base":"https://api.x.com","at":"2026-01-01T00:00:02.000Z"}"#,
    #"{"created_at":"Thu Jan 01 00:00:03 +0000 2026","id_str":"3","text":"x"}"#,
  ]
  private static var text: String { capture.joined(separator: "\n") }

  private static func play(_ arguments: [String], _ text: String = Self.text) throws -> ToolResult {
    try Tool.run("tw-stream", ["--replay", "-"] + arguments, stdin: ToolInput(text))
  }

  @Test func linesAreThoseOfTheCapture() throws {
    let result = try Self.play(["--speed", "max"])
    #expect(result.lines == Self.capture)
    #expect(result.errors == "")
    #expect(result.ending == .status(0))
    #expect(try Self.play(["--speed", "max", "--no-records"]).lines == Self.capture.filter { !$0.contains("notice") })
    #expect(try Self.play(["--speed", "max", "--count", "2"]).lines == Array(Self.capture[...3]))
  }

  @Test func compressedCapturesAreRecognisedByTheirContent() throws {
    let home = try TemporaryDirectory()
    try home.write("capture", Self.text)
    let script = "gzip -c capture > packed && tw-stream --replay packed --speed max | cmp - <(cat capture; echo)"
    #expect(try Tool.shell(script, home: home).ending == .status(0))
    let damaged = try Tool.shell("head -c 60 packed | tw-stream --replay - --speed max", home: home)
    #expect(damaged.status == 0 || damaged.status == 1)
  }

  @Test func linesThatAreNotJSONAreReportedAndLeftOut() throws {
    let result = try Self.play(["--speed", "max", "--no-records"], "\n{\"id\":\"1\"}\nnonsense\n{\"id\":\"2\"}\n")
    #expect(result.lines == [#"{"id":"1"}"#, #"{"id":"2"}"#])
    #expect(result.ending == .status(1))
  }

  @Test func itTakesAsLongAsTheRecordingOrThePartAskedFor() throws {
    let start = Date()
    let result = try Self.play(["--speed", "4x"])
    #expect(result.lines == Self.capture)
    #expect(Date().timeIntervalSince(start) >= 0.75)
  }

  @Test func forAndSignalsEndItInAPause() throws {
    let text = Self.capture[0] + "\n" + #"{"id_str":"3","created_at":"2026-01-01T10:00:00.000Z"}"#
    let timed = try Self.play(["--for", "300ms"], text)
    #expect(timed.lines == [Self.capture[0]])
    #expect(timed.ending == .status(0))
    let tool = try RunningTool("tw-stream", ["--replay", "-"])
    tool.send(ToolInput(text))
    #expect(try tool.line() == Self.capture[0])
    tool.signal(SIGINT)
    #expect(try tool.finish().ending == .signal(SIGINT))
  }

  @Test(arguments: [
    (["--replay", "nowhere"], 66), (["--replay", "-", "#swift"], 64), (["--speed", "2x", "#swift"], 64),
    (["--replay", "-", "--speed", "0x"], 64), (["--replay", "-", "--speed", "fast"], 64),
    (["--replay", "-", "--speed", "nan"], 64),
  ])
  func wrongUsesAreRefused(_ arguments: [String], _ status: Int) throws {
    let result = try Tool.run("tw-stream", arguments)
    #expect(result.ending == .status(Int32(status)))
    #expect(result.errors.hasPrefix("tw-stream: "))
  }
}
