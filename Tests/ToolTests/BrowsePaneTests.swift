import Foundation
import TestSupport
import Testing

/// What stands beside the list of tw-browse: the tweet under the cursor, its links and its thread.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowsePaneTests: BrowseSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func answering(_ id: Int) -> String { #","referenced_tweets":[{"type":"replied_to","id":"\#(id)"}]"# }

  /// The rows of the pane.
  private func pane(_ terminal: Terminal) throws -> [String] {
    try terminal.rows().compactMap { row in
      row.firstRange(of: "│ ").map { row[$0.upperBound...].trimmingCharacters(in: .whitespaces) }
    }
  }

  // MARK: The thread

  /// The tweet has its thread below it, as a tree, and answers come into it.
  @Test func aTweetHasItsThread() throws {
    try storeSome(
      tweet(20, second: 20, text: "a question") + tweet(21, second: 21, text: "an answer", more: answering(20))
        + tweet(22, second: 22, text: "another one", more: answering(20)))
    let terminal = try browse(columns: 120)
    try terminal.wait(for: "▌└ JACK: ↳ another one")
    let thread = try pane(terminal).filter { $0.contains("JACK: ") }
    #expect(thread == ["JACK: a question", "├ JACK: ↳ an answer", "▌└ JACK: ↳ another one"])
    // One that comes in is shown, without a key.
    #expect(try add(tweet(23, second: 23, text: "late", more: answering(20))).status == 0)
    try terminal.wait(for: "└ JACK: ↳ late")
    // A tweet that nobody has answered has nothing below it, and neither has a list that is a thread.
    try terminal.press("t")
    try terminal.wait("the thread in place of the list") { $0.contains("› thread") && !$0.contains("JACK: ↳ late") }
    try terminal.press("Escape")
    try terminal.wait(for: "└ JACK: ↳ late")
    try terminal.press("G")
    try terminal.wait("nothing below a tweet without answers") { $0.contains("id 1\n") && !$0.contains("JACK: ") }
  }

  /// Of a long thread the part around the tweet is shown, and how much more there is.
  @Test func ofALongThreadThePartAroundTheTweetIsShown() throws {
    let answers = (2...60).map { tweet($0, second: $0, text: "answer \($0).", more: answering($0 - 1)) }.joined()
    #expect(try add(tweet(1, second: 1, text: "root") + answers).status == 0)
    let terminal = try start("tw-browse --offline", columns: 120, until: "▌JACK: ↳ answer 60.")
    #expect(try terminal.screen().contains("JACK: ↳ answer 59."))
    try terminal.type("/answer 30\r")
    let screen = try terminal.wait(for: "▌JACK: ↳ answer 30.")
    #expect(screen.contains("JACK: ↳ answer 29.") && !screen.contains("JACK: ↳ answer 28."), "\(screen)")
    #expect(screen.contains(" more (t)"))
  }

  // MARK: Links

  /// What tw-linkcheck has found out is shown, though the record was stored before.
  @Test func linksHaveTheVerdictsOfTheStore() throws {
    let site = try LoopbackServer { $0.path == "/gone" ? .answer(404) : .page("<title>The page</title>") }
    let links =
      #","entities":{"urls":[{"url":"\#(site.base)/gone"},{"url":"\#(site.base)/here"},{"url":"\#(site.base)/never"}]}"#
    try storeSome(tweet(20, second: 20, text: "two links", more: links))
    let checked = try Tool.run(
      "tw-linkcheck", ["--titles", "\(site.base)/gone", "\(site.base)/here"], environment: site.environment, home: home)
    #expect(checked.lines.count == 2)
    let asked = site.requests.count
    let terminal = try browse(columns: 120)
    let screen = try terminal.wait(for: "1 ✗ dead 404 127.0.0.1")
    #expect(screen.contains("2 ✓ The page · 127.0.0.1"), "\(screen)")
    // Of a link that was never checked nothing is said, and its host is not asked.
    #expect(screen.contains("3 127.0.0.1"), "\(screen)")
    try terminal.press("j")
    try terminal.wait(for: "id 9\n")
    #expect(site.requests.count == asked)
    try terminal.press("k")
    try terminal.wait(for: "1 ✗ dead 404")
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }
}
