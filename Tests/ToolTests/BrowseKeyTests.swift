import Foundation
import TestSupport
import Testing
import TweetCLI

/// Every key of tw-browse, on a list that is there, and what other tools do by them.
@Suite(.onOwnThread(minutes: 5), .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseKeyTests: BrowseSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// What a key does, seen on the screen.
  private struct Effect: Sendable {
    let action: Action
    /// What is pressed before.
    var before: [String] = []
    let isSeen: @Sendable (_ screen: String) -> Bool

    init(_ action: Action, after before: String..., shows text: String) {
      (self.action, self.before) = (action, before)
      isSeen = { $0.contains(text) }
    }

    init(_ action: Action, after before: String..., isSeen: @escaping @Sendable (String) -> Bool) {
      (self.action, self.before, self.isSeen) = (action, before, isSeen)
    }
  }

  private static func cursor(_ text: String) -> String { "▌      \(text)" }

  private static let effects: [Effect] = [
    Effect(.down, shows: cursor("number 59.")), Effect(.up, after: "j", "j", shows: cursor("number 59.")),
    Effect(.pageDown) { !$0.contains("number 60.") && $0.contains("number 40.") },
    Effect(.pageUp, after: "Space", "Space") { $0.contains("number 45.") },
    Effect(.first, after: "Space", shows: cursor("number 60.")), Effect(.last, shows: cursor("number 1.")),
    Effect(.nextUnread, shows: cursor("number 30.")), Effect(.open, shows: "id 60\n"),
    Effect(.back, after: "Enter") { !$0.contains("id 60\n") && $0.contains("number 59.") },
    Effect(.unfold, after: "j", "j", shows: "the butler did it"), Effect(.thread, shows: "#a › thread"),
    Effect(.author, shows: "#a › @jack"), Effect(.profile, shows: "#a › @jack"),
    Effect(.link, shows: " https://a.example/1"), Effect(.page, shows: " https://x.example/60"),
    Effect(.play, shows: "the tweet has no link to music"), Effect(.save, shows: "the tweet has no pictures"),
    Effect(.search, shows: "\n/"), Effect(.searchNext, shows: "say what to find: /words"),
    Effect(.searchPrevious, shows: "say what to find: /words"), Effect(.limit, shows: "\n&"),
    Effect(.filter, shows: "\n|"), Effect(.query, shows: "query: "), Effect(.labelList, shows: "with label: "),
    Effect(.nextFeed, shows: "of feed b"), Effect(.previousFeed, shows: "of feed b"),
    Effect(.reply, shows: "─ reply to @jack"), Effect(.quote, shows: "─ quote of @jack"),
    Effect(.post, shows: "─ a post"),
    Effect(.retweet, shows: "retweet: "), Effect(.like, shows: "like: "), Effect(.bookmark, shows: "bookmark: "),
    Effect(.delete, shows: "delete x:60? [y/n]"), Effect(.follow, shows: "follow: "),
    Effect(.undo, shows: "there is nothing to take back"), Effect(.label, shows: "\nlabel: "),
    Effect(.markRead, after: "G", shows: " unread"), Effect(.copy, shows: "copied: https://x.example/60"),
    Effect(.raw, shows: "#a"), Effect(.pipe, shows: "\n!"),
    Effect(.account, shows: "nobody is signed in: tw-auth login"),
    Effect(.refresh, shows: "nothing is refreshed with --offline"), Effect(.command, shows: "\n:"),
    Effect(.help, shows: "the next tweet"),
  ]

  /// The name that tmux has for a key.
  private func name(_ key: Key) -> String {
    switch key {
    case .character(" "): "Space"
    case .character(let letter): String(letter)
    case .control(let letter): "C-\(letter)"
    case .pageDown: "PageDown"
    case .pageUp: "PageUp"
    case .backspace: "BSpace"
    default: "\(key)".capitalized
    }
  }

  /// Each key of each action does what it is for, from the top of a list.
  @Test func eachKeyDoesWhatItIsFor() throws {
    // Others have tests of their own: they draw anew, stop, and leave.
    #expect(Set(Self.effects.map(\.action)).union([.redraw, .suspend, .quit]) == Set(Action.allCases))
    let rich = #","url":"https://x.example/60","entities":{"urls":[{"url":"https://a.example/1"}]}"#
    let warned = #","extra":{"spoiler_text":"a warning"}"#
    let records = (1...60).map {
      tweet(
        $0, second: $0, text: $0 == 58 ? "the butler did it" : "number \($0).", feeds: ["#a"],
        more: $0 == 60 ? rich : $0 == 58 ? warned : "")
    }
    #expect(try add(records.joined() + tweet(99, text: "of feed b", feeds: ["#b"])).status == 0)
    #expect(try cache("label", "+unread", "30").status == 0)
    let terminal = try start(
      "tw-browse --offline '#a' '#b'", columns: 80, until: "number 60.",
      environment: ["BROWSER": "true", "PAGER": "cat >> paged"])
    for effect in Self.effects {
      for key in effect.action.usualKeys {
        try terminal.press(effect.before + [name(key)])
        let what = ":\(effect.action.rawValue) by \(name(key))"
        try terminal.wait(what) { effect.isSeen($0) }
        // Leaves what is written, a question, a list.
        for _ in 1...3 { try terminal.press("C-g") }
        try terminal.press(["Escape", "1"])
        try terminal.press(["Escape", "Escape", "g"])
        try terminal.wait("the top of the list again, after \(what)") {
          $0.contains(Self.cursor("number 60.")) && $0.contains("j move")
        }
      }
    }
    try terminal.press("q")
    try terminal.wait(for: "left 0")
    #expect(String(decoding: try home.read("paged"), as: UTF8.self).contains(#""text":"number 60.""#))
  }

  /// What another program has written over the screen goes away.
  @Test func theScreenIsDrawnAnewByAKey() throws {
    try storeSome()
    let terminal = try start("tty > tty; tw-browse --offline", columns: 80, until: "hello from 9")
    let device = String(decoding: try home.read("tty"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    let clean = try terminal.settled()
    let handle = try #require(FileHandle(forWritingAtPath: device))
    handle.write(Data("\u{1B}[4;1Hgarbage all over".utf8))
    try terminal.wait(for: "garbage all over")
    try terminal.press("C-l")
    try terminal.wait("a clean screen") { !$0.contains("garbage") }
    #expect(try terminal.settled() == clean)
  }

  /// Keys that give the tweet away: its address to the terminal, its record to a command, a label to the store.
  @Test func theTweetIsCopiedPipedAndLabelled() throws {
    try storeSome(tweet(20, second: 20, text: "rich", more: #","url":"https://x.example/20""#))
    let terminal = try browse()
    try terminal.type("!cat > piped\r")
    try terminal.wait(for: "[Enter]")
    try terminal.press("Enter")
    try terminal.wait(for: "hello from 9")
    #expect(String(decoding: try home.read("piped"), as: UTF8.self).contains(#""text":"rich""#))
    try terminal.type("l+later good\r")
    for label in ["later", "good"] { try wait(for: ["20"], labelled: label) }
    // OSC 52, which tmux keeps to itself: the terminal is one of the test's.
    try home.write("script.sh", "stty cols 80 rows 24\ntw-browse --offline\n")
    let other = try RunningTool(
      "/usr/bin/script", ["-qec", "/bin/bash script.sh", "/dev/null"], environment: ["TERM": "xterm-256color"],
      home: home)
    try other.waitForOutput(containing: "hello from 9")
    other.send("y")
    let address = Data("https://x.example/20".utf8).base64EncodedString()
    try other.waitForOutput(containing: "\u{1B}]52;c;\(address)")
    other.send("q")
    _ = try other.finish()
  }

  /// What is done by keys is done at the service, and taken back by one.
  @Test func actsAreDoneAndTakenBack() throws {
    let terminal = try start("tw-local --demo --rate 0 -- tw-browse --every 1h '#swift'", until: "▌")
    try terminal.wait(for: "  id local:")
    for (key, done, undone) in [
      ("b", "retweeted", "no longer retweeted"), ("B", "bookmarked", "no longer bookmarked"),
      ("f", "liked", "no longer liked"), ("F", "followed", "no longer followed"),
    ] {
      try terminal.press(key)
      try terminal.wait(for: "\n \(done)\n")
      try terminal.wait(for: "u undo")
      try terminal.press("u")
      try terminal.wait(for: "\n \(undone)\n")
    }
    try terminal.press("Q")
    try terminal.wait(for: "─ quote of @")
    try terminal.type("as they say #swift")
    try terminal.press("C-s")
    try terminal.wait(for: "u undo post")
    // The quote is one's own: it can be deleted, after a question.
    try terminal.press(["g", "R"])
    try terminal.wait("the quote") { _ in
      try? terminal.press("g")
      usleep(200_000)
      return (try? terminal.screen().contains("▌      as they say")) ?? false
    }
    try terminal.press("d")
    try terminal.wait(for: "? [y/n]")
    try terminal.press("n")
    try terminal.wait("the question is gone") { !$0.contains("[y/n]") }
    try terminal.press("d")
    try terminal.wait(for: "? [y/n]")
    try terminal.press("y")
    try terminal.wait(for: " deleted")
  }

  /// What is done with a post of another service is done there, by an account of that one.
  @Test func actsAreThoseOfTheServiceOfThePost() throws {
    let terminal = try start(
      "tw-local --demo --rate 0 -- tw-browse --every 1h bluesky:home mastodon:home@localhost", until: "▌")
    for feed in ["1", "2"] {
      try terminal.press(feed)
      try terminal.wait(feed == "1" ? "a post of Bluesky" : "a post of Mastodon") {
        // Not the screen of the feed before.
        let isOfBluesky = $0.contains("bluesky:at://")
        return $0.contains("▌      ") && (feed == "1" ? isOfBluesky : !isOfBluesky && $0.contains("  id "))
      }
      // What a refresh says takes the place of what an act says.
      try terminal.wait(for: "next in ")
      try terminal.press("f")
      try terminal.wait(for: "\n liked\n")
      try terminal.press("u")
      try terminal.wait(for: "\n no longer liked\n")
    }
  }
}
