import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

/// How many keys are pressed.
private let modelKeys = Int(ProcessInfo.processInfo.environment["TW_BROWSE_KEYS"] ?? "") ?? 200

/// Random keys, sizes and records. Whatever comes, the screen must be the one that is drawn anew, the tweet under the
/// cursor stays where records come and sizes change, and the tool lives.
///
/// `TW_BROWSE_KEYS` says how many keys are pressed; `TW_TEST_SEED`, which is printed, brings the same ones again.
@Suite(
  .onOwnThread(minutes: modelKeys > 1_000 ? 120 : 3), .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseModelTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Keys, the usual ones more often. Left out are those that leave, stop, or run what was typed as a program.
  private static let keys =
    Array(repeating: ["j", "j", "k", "Down", "Up", "Space", "-", "PageDown", "PageUp", "g", "G"], count: 6).flatMap {
      $0
    }
    + Array(
      repeating: ["Enter", "Escape", "Left", "Right", "Tab", "n", "N", "[", "]", "t", "a", "?", "BSpace"], count: 3
    )
    .flatMap { $0 }
    + [
      "/", "&", ":", "o", "l", "f", "b", "B", "F", "u", "d", "y", "R", "1", "2", "3", "9", "x", "p", "z", "C-l", "C-f",
      "C-b", "C-u", "C-w", "C-a", "C-g", "Home", "End", "DC", "F5", "M-x", "é", "漢", "שלום", "w", "7", "~", ";",
    ]

  private func store(_ numbers: Range<Int>) throws {
    // tmux itself takes joined emoji apart, depending on where a write ends.
    let texts = ["n%d plain words #swift", "n%d שלום עולם", "n%d 漢字が入る文章です", "n%d 🦜🎉 e\u{301}"]
    let records = numbers.map { number in
      tweet(
        number, second: number, text: texts[number % texts.count].replacing("%d", with: "\(number)"),
        author: "name\(number % 7)", likes: number, feeds: number % 2 == 0 ? ["#swift"] : ["home"])
    }
    #expect(try add(records.joined(), ["--quiet", "--no-sync"]).status == 0)
  }

  /// The number of the tweet under the cursor, if a list is shown.
  private func selected(_ rows: [Substring]) -> Substring? {
    rows.lazy.filter { $0.hasPrefix("▌") }.compactMap { $0.firstMatch(of: /\bn[0-9]+\b/).map { $0.output } }.first
  }

  @Test func theScreenIsAlwaysTheOneThatIsDrawnAnew() throws {
    var chance = Chance()
    try store(1..<200)
    var stored = 200
    let terminal = try Terminal(
      "sh -c 'echo $$ > pid; exec tw-browse --offline \"#swift\" home \"@name3\"'; echo \"left $?\"", columns: 80,
      environment: ["TW_NOW": time(7200), "EDITOR": "true", "VISUAL": "true", "PAGER": "cat", "BROWSER": "true"],
      home: home)
    try terminal.wait(for: "n198 ")
    let process = try #require(
      Int32(String(decoding: home.read("pid"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    var size = (columns: 80, rows: 30)
    var (pressed, step) = (0, 0)
    while pressed < modelKeys {
      step += 1
      var what: [String] = []
      let before = try terminal.settled(process)
      switch Int.random(in: 0..<12, using: &chance) {
      case 0:
        size = (Int.random(in: 20...220, using: &chance), Int.random(in: 6...60, using: &chance))
        what = ["resize \(size)"]
        try terminal.resize(columns: size.columns, rows: size.rows)
      case 1:
        let new = Int.random(in: 1...12, using: &chance)
        what = ["\(new) records"]
        try store(stored..<stored + new)
        stored += new
        // The store is looked at once a second.
        usleep(1_200_000)
      default:
        for _ in 0..<Int.random(in: 1...16, using: &chance) {
          what.append(Self.keys.randomElement(using: &chance) ?? "j")
        }
        try terminal.press(what)
        pressed += what.count
      }
      let after = try terminal.settled(process)
      let said = "step \(step), seed \(Chance.runSeed), \(size): \(what)\n" + after.joined(separator: "\n")
      try #require(kill(process, 0) == 0 && !after.contains { $0.hasPrefix("left ") }, "it has ended: \(said)")
      let isMoved = what.count == 1 && (what[0].hasPrefix("resize") || what[0].hasSuffix("records"))
      if isMoved, let old = selected(before), let new = selected(after) {
        try #require(old == new, "\(old) was there: \(said)")
      }
      kill(process, SIGCONT)
      usleep(30_000)
      let anew = try terminal.settled(process)
      // The rows above and below tell of what comes meanwhile.
      try #require(body(anew) == body(after), "drawn anew: \(said)\n---\n\(anew.joined(separator: "\n"))")
    }
    try terminal.press(["Escape", "C-g", "C-c", "C-c", "C-c"])
  }

  private func body(_ rows: [Substring]) -> ArraySlice<Substring> { rows.dropFirst(2).dropLast(2) }
}
