import Foundation
import TestSupport
import Testing

/// tw-parse's memory stays below 64 MiB, whatever it reads. Measured where it waits for more of its standard input.
@Suite(.onOwnThread) struct ParseMemoryTests {
  private static let bound = 64 << 20

  /// Runs over a file and then standard input, of which a record comes, and gives the most memory it held by then. That
  /// record alone is printed, as tests are slow readers.
  private func peak(of file: String, status: Int32 = 0) throws -> Int? {
    let home = try TemporaryDirectory()
    defer { withExtendedLifetime(home) {} }
    let tool = try RunningTool("tw-parse", ["--only", "refresh", try home.write("input", file), "-"])
    tool.send(ToolInput("{\"tw\":\"refresh\"}\n"))
    try tool.waitForLines(1, timeout: 60)
    let peak = tool.peakMemory
    #if os(Linux)
      #expect(peak != nil || Sanitizer.name != nil)
    #endif
    tool.closeInput()
    #expect(try tool.finish().ending == .status(status))
    return peak
  }

  /// Records nearly as long as they may be, on one line or many, in a file that all cores try first.
  @Test(arguments: ["line", "lines"])
  func longRecords(_ layout: String) throws {
    let text = String(repeating: "some words ", count: (1 << 20) / 11)
    let space = layout == "lines" ? "\n  " : ""
    let more = (0..<14).map { ",\(space)\"more\($0)\":\"\(text)\"" }.joined()
    let record = "{\"id_str\":\"1\",\(space)\"text\":\"\"\(more),\(space)\"user\":{\"id_str\":\"7\"}}\n"
    let peak = try peak(of: record + record)
    if let peak { #expect(peak < Self.bound) }
  }

  /// Records that would take many times their length: they are bad ones.
  @Test(arguments: ["&amp;", "<b>x</b>", "\",\"k\":\""])
  func hostileRecords(_ piece: String) throws {
    let pieces = String(repeating: piece, count: (14 << 20) / piece.utf8.count)
    let tweet = "{\"id_str\":\"1\",\"text\":\"\(pieces)\",\"user\":{\"id_str\":\"7\"}}\n"
    let status =
      "{\"id\":\"1\",\"content\":\"\(pieces)\",\"visibility\":\"public\",\"account\":{\"id\":\"7\",\"acct\":\"a\"}}\n"
    let peak = try peak(of: tweet + status, status: 1)
    if let peak { #expect(peak < Self.bound) }
  }

  /// A page whose users are put into each of its posts becomes many times as long as itself.
  @Test func aPageThatGrows() throws {
    let about = String(repeating: "x", count: 60_000)
    let users = (1...20).map { #"{"id":"\#($0)","username":"u\#($0)","description":"\#(about)"}"# }
    let posts = (1...1200).map { #"{"id":"\#($0)","text":"hello","author_id":"\#($0 % 20 + 1)"}"# }
    let page = #"{"data":[\#(posts.joined(separator: ","))],"includes":{"users":[\#(users.joined(separator: ","))]}}"#
    let peak = try peak(of: page)
    if let peak { #expect(peak < Self.bound) }
  }
}
