import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-render in a real terminal, tmux's.
@Suite(.onOwnThread(minutes: 3), .enabled(if: Terminal.isAvailable, "needs tmux"))
struct RenderTerminalTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// tw-render that shows what is written to a pipe.
  private func render(
    _ arguments: String = "", columns: Int = 100, environment: [String: String] = [:]
  ) throws -> (Terminal, FileHandle) {
    let terminal = try Terminal(
      "tty > name; mkfifo pipe; tw-render --quiet \(arguments) < pipe; echo END", columns: columns,
      environment: environment,
      home: home)
    let path = home.path + "/pipe"
    try waitUntil { FileManager.default.fileExists(atPath: path) }
    return (terminal, try #require(FileHandle(forWritingAtPath: path)))
  }

  private func tweet(_ id: Int, _ text: String) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","text":"\#(text)","author":{"id":"2","username":"jack"}}"#
  }

  private func send(_ record: String, to pipe: FileHandle) throws {
    try pipe.write(contentsOf: Data((record + "\n").utf8))
  }

  private let refresh =
    ##"{"tw":"refresh","feed":"#swift","at":"2021-11-03T21:30:00.000Z","new":3,"next_at":"2021-11-03T21:31:00.000Z"}"##

  private func notice(_ code: String, _ at: String, _ more: String = "") -> String {
    #"{"tw":"notice","level":"warning","code":"\#(code)","message":"what happened",\#(more)"at":"2021-11-03T\#(at):00.000Z"}"#
  }

  /// The row is below what is shown, goes on counting while nothing comes, and is gone at the end.
  @Test func theStatusRowIsBelow() throws {
    let next = Timestamp(milliseconds: Timestamp.now.milliseconds + 20_000).rfc3339
    let (terminal, pipe) = try render("--format line", environment: ["TZ": "UTC"])
    try send(refresh.replacing("2021-11-03T21:31:00.000Z", with: next), to: pipe)
    try terminal.wait(for: "#swift · 3 new at 21:30 · next in ")
    _ = try terminal.wait("a shorter time") {
      $0.contains(" in 17 s") || $0.contains(" in 16 s") || $0.contains(" in 15 s")
    }
    try send(tweet(1, "one"), to: pipe)
    let screen = try terminal.wait("the row below the tweet") { $0.contains("@jack: one\n#swift · 3 new") }
    #expect(screen.split(separator: "\n").count == 2, "\(screen)")
    try pipe.close()
    let end = try terminal.wait(for: "END")
    #expect(!end.contains("3 new"), "\(end)")
  }

  /// The row says that the service is down, since when, and when it is tried again; and that it is back.
  @Test func theStatusRowSaysThatTheServiceIsDown() throws {
    let (terminal, pipe) = try render(environment: ["TZ": "UTC", "TW_NOW": "2021-11-03T21:40:00Z"])
    try send(##"{"tw":"context","feed":"#swift","service":"x"}"##, to: pipe)
    try send(notice("connect", "21:30"), to: pipe)
    try terminal.wait(for: "#swift · live since 21:30")
    try send(notice("disconnect", "21:35"), to: pipe)
    try send(notice("reconnect", "21:39", #""wait":90,"#), to: pipe)
    let screen = try terminal.wait(for: "#swift · ✗ down since 21:35 · next try in 30 s")
    // What the row says is not said twice.
    #expect(!screen.contains("what happened"))
    try send(notice("rate-limit", "21:40", #""wait":1200,"#), to: pipe)
    try terminal.wait(for: "#swift · waiting since 21:40 · next try in 20 min 0 s")
    try send(notice("gap", "21:40"), to: pipe)
    let both = try terminal.wait("the notice, and the row below it") { $0.contains("what happened\n#swift · waiting") }
    #expect(both.hasPrefix("      ⚠ what happened\n"), "\(both)")
    try send(refresh, to: pipe)
    let back = try terminal.wait(for: "#swift · 3 new at 21:30 · next at 21:31")
    #expect(!back.contains("waiting"))
  }

  /// However narrow the terminal is, the row is one row, with what matters most.
  @Test(arguments: [(20, "next at 21:34"), (32, "6 new · next at 21:34"), (8, "next a…")])
  func theStatusRowIsOneRow(_ columns: Int, _ expected: String) throws {
    let (terminal, pipe) = try render("--format line", columns: columns, environment: ["TZ": "UTC"])
    for number in 1...4 {
      let feed = refresh.replacing("#swift", with: "search:many words that are longer than the row")
      try send(feed.replacing("21:31", with: "21:3\(number)").replacing(":3,", with: ":\(number + 2),"), to: pipe)
      usleep(50_000)
    }
    try send(#"{"tw":"notice","code":"x"}"#, to: pipe)
    let screen = try terminal.wait(for: "x\n" + expected)
    #expect(try screen.hasPrefix(" ") && terminal.rows().count <= (columns < 24 ? 4 : 2), "\(screen)")
  }

  /// A notice that tw-stream has shown on the same terminal is not shown again.
  @Test func noticesAreShownOnce() throws {
    let (terminal, pipe) = try render("--format line")
    let name = String(decoding: try home.read("name"), as: UTF8.self).trimmingCharacters(in: .newlines)
    try send(notice("gap", "21:30", #""terminal":"\#(name)","#).replacing("what happened", with: "shown"), to: pipe)
    try send(notice("gap", "21:30", #""terminal":"/dev/pts/none","#), to: pipe)
    #expect(try !terminal.wait(for: "what happened").contains("shown"))
  }

  /// The words of tw-stream's messages are on the screen once, and none of its row is left beside them.
  @Test func theMessagesOfTwStreamAreShownOnce() throws {
    let terminal = try Terminal(
      "tw-local --demo --quiet -- sh -c \"tw-stream '#swift' | tw-parse | tw-render --format line\"", home: home)
    let screen = try terminal.wait("tweets") { $0.split(separator: "\n").count > 4 && $0.contains(" · live since ") }
    #expect(screen.ranges(of: "connected to the stream").count == 1, "\(screen)")
    #expect(screen.contains("tw-stream: connected to the stream\n"), "\(screen)")
    try terminal.press("C-c")
  }

  /// tmux swallows links, so addresses are whole; and tmux, which draws skin tones beside their emoji, breaks no row.
  @Test(arguments: [40, 80])
  func noRowBreaksInTmux(_ columns: Int) throws {
    let words = String(repeating: "👍🏽 and 👨‍👩‍👧‍👦, ❤️ 漢字 🇩🇪🇫🇷 é ", count: 12)
    let record = tweet(1, words + "https://t.co/a").replacing(
      #""author""#,
      with: #""entities":{"urls":[{"url":"https://t.co/a","expanded_url":"https://example.com/a/b"}]},"author""#)
    try home.write("record", record + "\n")
    let terminal = try Terminal("tw-render --color never record; echo; echo END", columns: columns, home: home)
    let screen = try terminal.wait(for: "END")
    #expect(screen.contains("https://example.com/a/b"), "\(screen)")
    let piped = try Tool.run("tw-render", ["--width", "\(columns)", "record"], home: home)
    #expect(try terminal.rows().count == piped.lines.count + 2, "\(screen)")
  }
}
