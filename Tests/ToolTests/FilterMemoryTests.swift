import Foundation
import TestSupport
import Testing

/// Every filter stays below 64 MiB, whatever it reads: `VmHWM` of /proc where it waits for more of its standard input,
/// after a hostile file. The tools that are installed are what counts; those built without optimization take minutes.
@Suite(
  .onOwnThread,
  .enabled(
    if: ProcessInfo.processInfo.environment["TW_TEST_TOOLS"]?.isEmpty == false, "needs TW_TEST_TOOLS, as in make test"))
struct FilterMemoryTests {
  private static let bound = 64 << 20

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Runs a filter over a file and then standard input, of which a record comes, and expects that it has held little by
  /// the time that it has printed that.
  private func expectLittleMemory(_ command: [String], _ what: Comment) throws {
    let tool = try RunningTool(
      command[0], Array(command.dropFirst()) + ["input", "-"], home: home, directory: home.path)
    let last = #"{"tw":"tweet","id":"999999999","service":"x","text":"the last one","author":{"id":"1"}}"#
    tool.send(ToolInput(last + "\n"))
    try tool.waitForOutput(containing: "the last one", timeout: 60)
    if let peak = tool.peakMemory {
      #expect(peak < Self.bound, "\(command.joined(separator: " ")) takes \(peak >> 20) MiB for \(what)")
    }
    tool.closeInput()
    _ = try tool.finish()
  }

  private static let filters = [
    ["tw-parse"], ["tw-parse", "--users"], ["tw-render"], ["tw-render", "-f", "html"], ["tw-render", "-f", "atom"],
    ["tw-render", "-f", "mbox"], ["tw-render", "-f", "csv", "--fields", "id,text"], ["tw-cache", "add"],
    ["tw-linkcheck", "--offline"], ["tw-avatar", "--max-age", "10000d"],
  ]

  private static func record(_ id: Int, _ text: String) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","text":\#(text),"author":{"id":"1"}}"# + "\n"
  }

  /// A text as long as it may be and twice that, the longest text that is shown, deep nesting, many tiny records, many
  /// bad lines, a line that does not end. What is printed of them is little: the test reads all of it.
  private static let inputs: [(Comment, @Sendable () -> String)] = [
    ("a text of 2 MB", { record(1, "\"\(String(repeating: "word ", count: 400_000))\"") }),
    ("quotation marks", { record(1, "\"\(String(repeating: #"\""#, count: 200_000))\"") }),
    ("letters with marks", { record(1, "\"\(String(repeating: "e\u{301}", count: 100_000))\"") }),
    (
      "deep nesting",
      {
        String(
          repeating: record(
            1, "\"a\",\"x\":" + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)), count: 200)
      }
    ),
    ("tiny records", { String(repeating: "{\"tw\":\"refresh\"}\n", count: 100_000) }),
    ("bad lines", { String(repeating: "x\n", count: 100_000) }),
    ("a line that does not end", { String(repeating: "x", count: 20_000_000) + "\n" }),
  ]

  @Test(arguments: filters)
  func staysBelow(_ command: [String]) throws {
    for (what, make) in Self.inputs {
      try home.write("input", make())
      try expectLittleMemory(command, what)
    }
  }

  /// An archive's long posts, of which a zip makes a thousandth: their texts wait on disk.
  @Test func longPostsOfAnArchive() throws {
    let script = """
      mkdir data && cd data
      python3 - <<'END'
      note = '{"noteTweet":{"noteTweetId":"%d","createdAt":"2023-09-02T07:00:00.000Z","core":{"text":"%s"}}}'
      with open("note-tweet.js", "w") as file:
          file.write("window.YTD.note_tweet.part0 = [")
          for number in range(3000):
              file.write((",\\n" if number else "") + note % (number, ("x%d " % number) * 5000))
          for number in range(100000):
              file.write(",\\n" + note % (number, "short %d" % number))
          file.write("]")
      END
      echo 'window.YTD.account.part0 = [{"account":{"accountId":"5","username":"m"}}]' > account.js
      cat > tweets.js <<'END'
      window.YTD.tweets.part0 = [{"tweet":{"id_str":"2","full_text":"\(String(repeating: "x7 ", count: 60))… https://t.co/a",
      "created_at":"Sat Sep 02 07:00:00 +0000 2023"}}]
      END
      cd .. && zip -q -r archive.zip data && rm -r data
      """
    try #require(try Tool.shell(script, home: home, timeout: 120).status == 0)
    let tool = try RunningTool("tw-parse", ["archive.zip", "-"], home: home, directory: home.path)
    tool.send("{\"tw\":\"refresh\"}\n")
    try tool.waitForOutput(containing: "refresh", timeout: 120)
    if let peak = tool.peakMemory { #expect(peak < Self.bound, "\(peak >> 20) MiB") }
    tool.closeInput()
    let result = try tool.finish()
    // The eighth of 3000 of one second is found by its words.
    #expect(result.lines.count == 3 && result.lines[1].contains(String(repeating: "x7 ", count: 1000)))
    #expect(result.errors.contains("more than 90000 long posts") && result.status == 1, "\(result.errors)")
  }
}
