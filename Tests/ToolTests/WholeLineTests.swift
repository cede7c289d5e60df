import Foundation
import TestSupport
import Testing

/// A signal comes while a line is under way to a reader that takes its time: the reader gets the line whole.
@Suite(.onOwnThread) struct WholeLineTests {
  /// A tool whose output a test reads as slowly as it likes.
  private struct Pipeline {
    let tool: RunningTool
    let output: FileHandle

    init(_ name: String, _ arguments: [String], environment: [String: String] = [:], home: TemporaryDirectory) throws {
      let path = home.path + "/output"
      guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
      // Without waiting for the other end; the pipe itself may then be waited for.
      let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      tool = try RunningTool(name, arguments, environment: environment, home: home, stdoutPath: path)
      _ = fcntl(descriptor, F_SETFL, 0)
    }

    /// All that comes, a page in this many microseconds.
    func read(pause: UInt32) throws -> [UInt8] {
      var bytes: [UInt8] = []
      while let page = try output.read(upToCount: 4096), !page.isEmpty {
        bytes += page
        usleep(pause)
      }
      return bytes
    }
  }

  private func expectWhole(_ bytes: [UInt8], length: Int, fewerThan count: Int) {
    #expect(bytes.last == 0x0A)
    let lines = bytes.split(separator: 0x0A)
    #expect(lines.count > 0 && lines.count < count)
    #expect(lines.allSatisfy { $0.count == length })
  }

  @Test func ofAFilter() throws {
    let home = try TemporaryDirectory()
    // Records that come out as they went in, of a length that no page or buffer is a multiple of.
    let record = #"{"tw":"tweet","id":"1","service":"x","text":"\#(String(repeating: "x", count: 949))"}"#
    try home.write("records", String(repeating: record + "\n", count: 40_000))
    let pipeline = try Pipeline("tw-parse", ["records"], home: home)
    let first = try #require(try pipeline.output.read(upToCount: 5000))
    pipeline.tool.signal(SIGTERM)
    let rest = try pipeline.read(pause: 1000)
    expectWhole(first + rest, length: record.utf8.count, fewerThan: 40_000)
    #expect(try pipeline.tool.finish().ending == .signal(SIGTERM))
  }

  /// tw-stream gives what it holds three seconds, and then ends with the line in work.
  @Test func ofAStream() throws {
    let line = String(repeating: "0", count: 1003)
    let home = try StreamPluginTests.home(
      """
      for n in $(seq 4000); do echo '["\(line)"]'; done
      echo > "$HOME/done"
      """)
    let pipeline = try Pipeline(
      "tw-stream", ["--no-records", "--buffer", "8M", "test:x"], environment: StreamPluginTests.environment(home),
      home: home)
    try waitUntil { home.exists("done") }
    var context: [UInt8] = []
    while context.last != 0x0A { context += try #require(try pipeline.output.read(upToCount: 1)) }
    pipeline.tool.signal(SIGTERM)
    let rest = try pipeline.read(pause: 10_000)
    expectWhole(rest, length: line.utf8.count + 4, fewerThan: 4000)
    #expect(try pipeline.tool.finish().ending == .signal(SIGTERM))
  }
}
