import ArgumentParser
import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore

/// The pipeline with look-ups whose answers and failures a test writes down.
@Suite(.onOwnThread) struct LivePipelineTests {
  private enum Event {
    case answer([String])
    case failure(ToolError)
  }

  /// What the look-ups were asked, and what they do when the pipeline can do nothing but wait for them.
  private final class Script {
    var started: [String] = []
    var events: [Event]
    /// How many keys had started at each such wait.
    var startedAtWaits: [Int] = []

    init(_ events: [Event]) { self.events = events }
  }

  private final class Text {
    let value: String

    init(_ value: String) { self.value = value }
  }

  /// A record `{"tw":"x","need":["1","2"]}` needs the answers to 1 and 2.
  private struct ScriptedLookups: LiveLookups, ~Copyable {
    let script: Script
    private var answers: [(key: String, answer: Text)] = []

    init(_ script: Script) { self.script = script }

    func keys(of record: JSONValue) -> [String] { record["need"]?.elements.compactMap(\.string) ?? [] }
    mutating func start(_ keys: [String]) throws(ToolError) { script.started += keys }

    mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
      let readable = reading.filter { $0 > 2 }
      guard readable.isEmpty else { return readable }
      script.startedAtWaits.append(script.started.count)
      guard !script.events.isEmpty else { throw .bug("the pipeline waits for what never comes") }
      switch script.events.removeFirst() {
      case .answer(let keys): answers += keys.map { ($0, Text("<\($0)>")) }
      case .failure(let error): throw error
      }
      return []
    }

    mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: Text)] {
      defer { answers.removeAll() }
      return answers
    }

    mutating func withdraw(where condition: (String) -> Bool) -> [String] { [] }

    func append(_ record: JSONValue, _ answers: LiveAnswers<Text>, to buffer: inout ByteBuffer) throws(ToolError) {
      buffer.append(record.raw)
      for answer in answers.all.map(\.value).sorted() { buffer.append(answer) }
    }
  }

  /// Runs records, one a line, through a pipeline.
  private func run(
    _ records: [String], _ script: Script, limits: LiveRecordsLimits = LiveRecordsLimits()
  ) throws -> (status: Result<TweetCore.ExitStatus, ToolError>, lines: [String]) {
    let home = try TemporaryDirectory()
    let input = try home.write("in", records.map { $0 + "\n" }.joined())
    let output = open(home.path + "/out", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(output) }
    var pipeline = LivePipeline(
      ScriptedLookups(script), patience: nil, limits: limits, writer: RecordWriter(descriptor: output))
    var status: Result<TweetCore.ExitStatus, ToolError>
    do throws(ToolError) {
      status = .success(try pipeline.run(files: [input], options: try Self.options()))
    } catch {
      status = .failure(error)
    }
    let text = String(decoding: try home.read("out"), as: UTF8.self)
    return (status, text.split(separator: "\n").map(String.init))
  }

  private static func options() throws(ToolError) -> InputOptions {
    do { return try InputOptions.parse(["--quiet"]) } catch { throw .bug("\(error)") }
  }

  private func record(_ number: Int, needing keys: [Int]) -> String {
    let keys = keys.map { "\"\($0)\"" }.joined(separator: ",")
    return "{\"tw\":\"x\",\"n\":\(number),\"need\":[\(keys)]}"
  }

  @Test func aFailureOfTheLookUpsLosesNoRecord() throws {
    let records = [[1, 2], [], [3], [4]].enumerated().map { record($0, needing: $1) }
    let full = ToolError.inputOutput("the disk is full")
    let script = Script([.answer(["1", "3"]), .failure(full)])
    let (status, lines) = try run(records, script)
    #expect(status == .failure(full))
    #expect(lines == [records[0] + "<1>", records[1], records[2] + "<3>", records[3]])
  }

  @Test func everyRecordWaitsForItsAnswers() throws {
    let records = [record(1, needing: [1, 2]), record(2, needing: []), record(3, needing: [1])]
    let script = Script([.answer(["2"]), .answer(["1"])])
    let (status, lines) = try run(records, script)
    #expect(status == .success(.done))
    #expect(lines == [records[0] + "<1><2>", records[1], records[2] + "<1>"])
    #expect(script.started == ["1", "2"])
  }

  /// Each wait here is one in which the pipeline does not read.
  @Test func readingStopsAtTheBoundOfBytes() throws {
    let records = (1...30).map { record($0, needing: [$0]) + String(repeating: " ", count: 10) }
    let script = Script((1...30).map { .answer(["\($0)"]) })
    var limits = LiveRecordsLimits()
    limits.bytes = record(1, needing: [1]).utf8.count * 4
    let (status, lines) = try run(records, script, limits: limits)
    #expect(status == .success(.done))
    #expect(lines.count == 30)
    #expect(script.startedAtWaits.prefix(4) == [4, 5, 6, 7])
    #expect(zip(script.startedAtWaits, 0...).allSatisfy { started, answered in started - answered <= 4 })
  }
}
