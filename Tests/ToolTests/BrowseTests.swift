import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-browse in a real terminal.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Starts it, and waits until it has drawn its list.
  private func browse(
    _ options: String = "--offline", columns: Int = 80, until text: String, environment: [String: String] = [:],
    after command: String = ""
  ) throws -> Terminal {
    let script = "\(command)tw-browse \(options)\necho \"left $?\"; stty -a | grep -o '.icanon\\|-echo '"
    let terminal = try Terminal(script, columns: columns, environment: environment, home: home)
    try terminal.wait(for: text)
    return terminal
  }

  /// The row with the cursor.
  private func cursor(_ screen: String) -> String {
    screen.split(separator: "\n").first { $0.hasPrefix("▌") }.map(String.init) ?? ""
  }

  private func store(_ count: Int, from first: Int = 1) throws {
    let records = (first..<first + count).map { tweet($0, second: $0, text: "word number \($0)") }.joined()
    try home.write("records.ndjson", records)
    #expect(try Tool.run("tw-cache", ["add", "--quiet", "records.ndjson"], home: home).status == 0)
  }

  /// The list is there, keys move in it, and the terminal is as it was afterwards.
  @Test func aListIsReadByKeysAndLeavesTheTerminalAsItWas() throws {
    try store(300)
    let terminal = try browse(until: "word number 300")
    #expect(cursor(try terminal.screen()).contains("JACK"))
    try terminal.press("j")
    try terminal.press("Down")
    try terminal.wait("the third under the cursor") { $0.contains("▌      word number 298") }
    try terminal.press("k")
    try terminal.wait("the second under the cursor") { $0.contains("▌      word number 299") }
    try terminal.press("End")
    try terminal.wait("the last of those that are known") { cursor($0).isEmpty == false && !$0.contains("number 300") }
    // The end comes nearer while it is asked for.
    for _ in 1...3 { try terminal.press("G") }
    try terminal.wait(for: "▌      word number 1")
    try terminal.press("g")
    try terminal.wait(for: "▌      word number 300")
    try terminal.press("Enter")
    #expect(try terminal.wait(for: "id 300").contains("word number 300"))
    try terminal.press("Escape")
    try terminal.wait(for: "word number 295")
    try terminal.press("q")
    try terminal.wait(for: "left 0\n")
    let screen = try terminal.screen()
    #expect(!screen.contains("word number") && !screen.contains("-icanon") && !screen.contains("-echo"))
  }

  /// What is stored meanwhile waits above, and nothing moves.
  @Test func newTweetsWaitAboveTheList() throws {
    try store(40)
    let terminal = try browse(until: "word number 40")
    try terminal.press("j")
    try terminal.wait(for: "▌      word number 39")
    let before = try terminal.rows().dropFirst(2).dropLast(2)
    try store(12, from: 41)
    try terminal.wait(for: "12 new (g)")
    #expect(try terminal.rows().dropFirst(2).dropLast(2) == before)
    try terminal.press("g")
    let after = try terminal.wait(for: "▌      word number 52")
    #expect(!after.contains("new (g)"))
  }

  /// Searches go through the whole list in the store, not only through what is on the screen.
  @Test func searchesFindWhatIsFarBelow() throws {
    try store(1500)
    let terminal = try browse(until: "word number 1500")
    try terminal.type("/number 7")
    try terminal.press("Enter")
    try terminal.wait(for: "▌      word number 7")
    try terminal.press("N")
    try terminal.wait(for: "nothing more is found")
    try terminal.type("&number 1234")
    try terminal.press("Enter")
    // The list has its name before it has its tweets.
    let found = try terminal.wait("1234 is found") {
      $0.contains("all › &number 1234") && $0.contains("▌      word number 1234")
    }
    #expect(!found.contains("word number 7"))
    try terminal.press("Escape")
    try terminal.wait(for: "▌      word number 7")
  }

  /// The place is kept until the next time, and what came meanwhile waits.
  @Test func thePlaceIsKeptOverARestart() throws {
    try store(60)
    let first = try browse(until: "word number 60")
    for _ in 1...5 { try first.press("j") }
    try first.wait(for: "▌      word number 55")
    try first.press("q")
    try first.wait(for: "left 0")
    try store(3, from: 61)
    let second = try browse(until: "3 new (g)")
    try second.wait(for: "▌      word number 55")
    #expect(try !second.screen().contains("word number 61"))
  }

  /// Records of standard input are shown, and nothing of them stays.
  @Test func recordsOfStandardInputAreShown() throws {
    try store(5)
    try home.write("other.ndjson", tweet(900, text: "from the pipe"))
    let terminal = try browse("", until: "from the pipe", after: "cat other.ndjson | ")
    #expect(try !terminal.screen().contains("word number"))
    try terminal.press("q")
    try terminal.wait(for: "left 0")
    #expect(try list() == ["5", "4", "3", "2", "1"])
  }

  /// A list of one server shows the copy that this one has, though another was stored first.
  @Test func aListShowsTheCopyThatItHas() throws {
    let records = [("two", "900"), ("one", "7")].map { server, id in
      #"{"tw":"tweet","id":"\#(id)","service":"mastodon:\#(server).example","url":"https://one.example/@ann/7","#
        + #""created_at":"\#(time(1))","text":"as \#(server) has it","author":{"id":"2","username":"ann"},"#
        + #""extra":{"uri":"https://one.example/users/ann/statuses/7"}}"#
    }
    #expect(try add(records.joined(separator: "\n") + "\n").status == 0)
    for server in ["one", "two"] {
      _ = try browse("--offline --service mastodon:\(server).example", until: "as \(server) has it")
    }
  }

  /// Nothing that a tweet holds is obeyed by the terminal.
  @Test func nothingOfATweetReachesTheTerminalUnescaped() throws {
    let hostile = #"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e end"#
    let author = #"{"id":"2","username":"jack","name":"ja\u001b[7mck"}"#
    let record =
      #"{"tw":"tweet","id":"1","service":"x","created_at":"\#(time(1))","text":"\#(hostile)","author":\#(author)}"#
    #expect(try add(record + "\n").status == 0)
    let terminal = try browse(columns: 120, until: " end")
    #expect(try terminal.screen().contains("\u{FFFD}[2J\u{FFFD}]0;owned"))
    try terminal.press("Enter")
    try terminal.wait(for: "id 1")
  }

  /// A signal that ends it leaves the terminal as it was, and another terminal size is drawn anew.
  @Test(arguments: ["TERM", "HUP", "SEGV", "ABRT"])
  func signalsLeaveTheTerminalAsItWas(signal: String) throws {
    try store(5)
    let terminal = try browse(until: "word number 5", after: "sh -c 'echo $$ > pid; exec \"$@\"' sh ")
    let process = String(decoding: try home.read("pid"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try Tool.run("/bin/sh", ["-c", "kill -\(signal) \(process)"], home: home)
    let screen = try terminal.wait(for: "left 1")
    #expect(!screen.contains("word number") && !screen.contains("-icanon") && !screen.contains("-echo"))
  }

  /// A tweet is liked by tw-post, which is shown, and taken back.
  @Test func whatTwPostDoesIsShown() throws {
    let terminal = try Terminal(
      "tw-local --demo -- tw-browse --every 1h '#swift'\necho \"left $?\"", columns: 80, home: home)
    try terminal.wait("a tweet under the cursor") { self.cursor($0).contains("·") }
    try terminal.press("f")
    try terminal.wait(for: "liked")
    try terminal.wait(for: "u undo like")
    try terminal.press("u")
    try terminal.wait(for: "no longer liked")
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }
}
