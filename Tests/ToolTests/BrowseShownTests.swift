import Foundation
import TestSupport
import Testing

/// What tw-browse shows of threads, warnings, several feeds, and what changes, in a real terminal.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseShownTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func browse(
    _ options: String = "--offline", columns: Int = 80, until text: String, environment: [String: String] = [:]
  ) throws -> Terminal {
    let terminal = try Terminal(
      "tw-browse \(options)\necho \"left $?\"", columns: columns, environment: environment, home: home)
    try terminal.wait(for: text)
    return terminal
  }

  private func answering(_ id: Int) -> String { #","referenced_tweets":[{"type":"replied_to","id":"\#(id)"}]"# }

  private func row(_ terminal: Terminal, with text: String) throws -> Int? {
    try terminal.rows().firstIndex { $0.contains(text) }
  }

  private func expect(_ rows: [String], in screen: String) {
    for row in rows { #expect(screen.contains(row), "\(row.debugDescription) in\n\(screen)") }
  }

  // MARK: Threads

  /// Each tweet stands below the one that it answers, and the cursor on the one that was asked for.
  @Test func aThreadIsATree() throws {
    let records =
      tweet(1, second: 1, text: "root") + tweet(2, second: 2, text: "one", more: answering(1))
      + tweet(3, second: 3, text: "other", more: answering(1))
      + tweet(4, second: 4, text: "under one", more: answering(2))
      + tweet(5, second: 5, text: "under one too", more: answering(2))
      + tweet(6, second: 6, text: "stray", more: answering(99))
    #expect(try add(records).status == 0)
    let terminal = try browse(until: "stray")
    try terminal.press("j")
    try terminal.wait(for: "▌      ↳ under one too")
    try terminal.press("t")
    let screen = try terminal.wait("the whole thread") {
      $0.contains("all › thread") && $0.contains("▌│         ↳ under one too") && $0.contains("↳ other")
    }
    let margins = try terminal.rows()[4...11].map { String($0.prefix(5)) }
    #expect(
      margins == [" ├  J", " │   ", " │ ├ ", " │ │ ", "▌│ └ ", "▌│   ", " └  J", "     "], "\(screen)")
    #expect(screen.contains("▌│         ↳ under one too"))
    let order = try ["root", "↳ one", "↳ under one", "under one too", "↳ other"].map {
      try row(terminal, with: $0) ?? -1
    }
    #expect(order == order.sorted() && !order.contains(-1), "\(screen)")
    // What comes in waits, since it would move what is read.
    #expect(try add(tweet(7, second: 7, text: "late", more: answering(3))).status == 0)
    try terminal.wait(for: "1 new (g)")
    #expect(try !terminal.screen().contains("late"))
    try terminal.press("g")
    try terminal.wait(for: "↳ late")
    #expect(try (row(terminal, with: "late") ?? 0) > (row(terminal, with: "↳ other") ?? 99))
    // One whose parent is not there says so.
    try terminal.press("Escape")
    try terminal.press("k")
    try terminal.wait("the stray tweet") { $0.contains("▌      ↳ stray") }
    try terminal.press("t")
    try terminal.wait(for: "[its tweet above is not stored] ↳ stray")
  }

  @Test func aThreadIsATreeInASCIIToo() throws {
    let records =
      tweet(1, second: 1, text: "root") + tweet(2, second: 2, text: "one", more: answering(1))
      + tweet(3, second: 3, text: "other", more: answering(1))
    #expect(try add(records).status == 0)
    let terminal = try browse("--offline --ascii --thread 1", until: "other")
    expect([" + ", " | ", " ` "], in: try terminal.screen())
  }

  // MARK: Warnings

  /// What is behind a warning is read after a key, for as long as the tool runs.
  @Test func warningsAreFolded() throws {
    let warned = #","extra":{"spoiler_text":"Season finale"}"#
    let marked =
      #","possibly_sensitive":true,"attachments":{"media":[{"type":"photo","url":"https://a.example/1.jpg","alt_text":"a wound"}]}"#
    #expect(
      try add(
        tweet(1, second: 2, text: "the butler did it", more: warned) + tweet(2, second: 1, text: "look", more: marked)
      ).status == 0)
    let terminal = try browse(until: "⚠\u{A0}Season finale [x]")
    #expect(try !terminal.screen().contains("butler"))
    try terminal.press("Enter")
    try terminal.wait("the tweet, folded") { $0.contains("id 1") && $0.contains("⚠\u{A0}Season finale [x]") }
    #expect(try !terminal.screen().contains("butler"))
    try terminal.press("x")
    try terminal.wait(for: "the butler did it")
    try terminal.press("Escape")
    try terminal.wait(for: "⚠\u{A0}the butler did it")
    try terminal.press("x")
    try terminal.wait("the warning again") { $0.contains("⚠\u{A0}Season finale [x]") && !$0.contains("butler") }
    // What the service warns of is behind the key too.
    try terminal.wait(for: "look ⚠ [photo] [x]")
    try terminal.press("j")
    try terminal.press("Enter")
    try terminal.wait(for: "id 2")
    expect(["⚠\u{A0}sensitive [x]"], in: try terminal.screen())
    #expect(try !terminal.screen().contains("a wound"))
    try terminal.press("x")
    try terminal.wait(for: "a wound")
  }

  // MARK: Columns

  private func storeFeeds() throws {
    let records = (1...90).map { number in
      let feed = ["#a", "#b", "#c"][number % 3]
      return tweet(number, second: number, text: "\(feed.dropFirst())-tweet \(number).", feeds: [feed])
    }
    #expect(try add(records.joined()).status == 0)
  }

  /// On a wide terminal feeds stand beside each other, with the tweet of the one that keys move in.
  @Test(arguments: [200, 400])
  func wideTerminalsHaveColumns(columns: Int) throws {
    try storeFeeds()
    let terminal = try browse("--offline '#a' '#b' '#c'", columns: columns, until: "c-tweet 89.")
    let screen = try terminal.wait("three feeds and a tweet") {
      $0.contains("a-tweet 90.") && $0.contains("b-tweet 88.") && $0.contains("id 90")
    }
    let first = try #require(screen.split(separator: "\n").first { $0.contains("a-tweet 90.") })
    #expect(first.contains("b-tweet 88.") && first.contains("c-tweet 89."), "\(screen)")
    try terminal.press("]")
    try terminal.wait(for: "id 88")
    try terminal.press("j")
    try terminal.wait(for: "id 85")
    // The other columns stay where they are.
    expect(["│      a-tweet 90.", "▌      b-tweet 85.", "│      c-tweet 89."], in: try terminal.screen())
    try terminal.press("[")
    try terminal.wait(for: "▌      a-tweet 90.")
    #expect(try add(tweet(900, second: 900, text: "newer", feeds: ["#b"])).status == 0)
    try terminal.wait(for: "1 new (g)")
  }

  @Test(arguments: [40, 80, 120])
  func narrowerOnesHaveOneList(columns: Int) throws {
    try storeFeeds()
    let terminal = try browse("--offline '#a' '#b' '#c'", columns: columns, until: "a-tweet 90.")
    let screen = try terminal.screen()
    #expect(!screen.contains("b-tweet") && screen.split(separator: "\n").allSatisfy { $0.count <= columns })
    try terminal.press("]")
    try terminal.wait(for: "b-tweet 88.")
  }

  // MARK: Changes

  /// Counts and texts change in place; what is deleted in view keeps its rows.
  @Test func whatChangesStaysInItsPlace() throws {
    #expect(try add((1...8).map { tweet($0, second: $0, text: "word \($0).") }.joined()).status == 0)
    let terminal = try browse(until: "word 8.")
    let before = try row(terminal, with: "word 5.")
    #expect(try add(tweet(6, second: 6, text: "word 6.", likes: 5, read: 60)).status == 0)
    try terminal.wait(for: "♥\u{A0}5")
    #expect(try add(tweet(4, second: 4, text: "other words.", read: 60)).status == 0)
    try terminal.wait("the new text in its place") { $0.contains("other words.") && !$0.contains("word 4.") }
    #expect(try add(#"{"tw":"delete","service":"x","id":"7"}"# + "\n").status == 0)
    try terminal.wait(for: "[deleted] word 7.")
    #expect(try row(terminal, with: "word 5.") == before)
    try terminal.press("g")
    try terminal.wait("it is gone when the list is read anew") { !$0.contains("word 7.") }
  }

  // MARK: States

  @Test func nobodySignedInCanRead() throws {
    #expect(try add(tweet(1, text: "stored", feeds: ["home"])).status == 0)
    let terminal = try browse("home", columns: 120, until: "signed out, read only: run 'tw-auth login'")
    try terminal.press("j")
    try terminal.wait(for: "signed out")
    expect(["stored"], in: try terminal.screen())
  }

  @Test func aServiceThatIsDownIsTriedAgain() throws {
    let terminal = try browse(
      "--every 600s '#swift'", columns: 120, until: "down since",
      environment: ["TW_ENDPOINT": "http://127.0.0.1:9", "TW_TOKEN": "t"])
    expect(["✗ down since", "try in", "no tweet is stored here; R asks"], in: try terminal.wait(for: "no tweet"))
  }

  @Test func aBudgetThatIsUsedUpIsNamed() throws {
    let terminal = try Terminal(
      "TW_BUDGET=1/day tw-local --demo -- tw-browse '#swift'", columns: 160, home: home)
    try terminal.wait(for: "is used up")
    try terminal.press("j")
    try terminal.wait(for: "is used up")
  }

  @Test func aRateLimitCountsDown() throws {
    let terminal = try Terminal(
      "tw-local --demo --fault 'GET /2/tweets/search/recent=429:all' -- tw-browse --every 600s '#swift'",
      columns: 160, home: home)
    let screen = try terminal.wait(for: "rate limit: Too Many Requests")
    #expect(screen.contains("next try in"), "\(screen)")
  }

  // MARK: Small screens

  /// The title of the feed that is shown is in view, and what is written is seen on eight rows.
  @Test func smallScreensShowWhatMatters() throws {
    try storeFeeds()
    let names = ["#a", "#a_longer_name", "#another_long_name", "#c"].map { "'\($0)'" }.joined(separator: " ")
    let terminal = try browse("--offline \(names)", columns: 40, until: "a-tweet 90.")
    for _ in 1...3 { try terminal.press("]") }
    try terminal.wait("the fourth title") { $0.contains(" 4 #c ") && $0.contains("c-tweet 89.") }
    try terminal.resize(columns: 60, rows: 8)
    try terminal.press("c")
    try terminal.wait(for: "─ a post")
    try terminal.type("seen while it is typed")
    try terminal.wait(for: "  seen while it is typed")
  }

  /// A feed of a service has the tweets of this one alone.
  @Test func aFeedIsThatOfItsService() throws {
    func post(_ id: Int, _ service: String) -> String {
      #"{"tw":"tweet","id":"\#(id)","service":"\#(service)","created_at":"\#(time(id))","text":"at \#(service)","feeds":["home"]}"#
        + "\n"
    }
    #expect(try add(post(1, "x") + post(2, "mastodon:a.example") + post(3, "mastodon:b.example")).status == 0)
    #expect(try list("--feed", "mastodon:home@a.example") == ["2"] && list("--feed", "home").count == 3)
    #expect(try list("feed:mastodon:home@a.example OR feed:mastodon:home@b.example") == ["3", "2"])
    #expect(try list("feed:mastodon:home@a.example feed:mastodon:home@b.example") == ["3", "2"])
    #expect(try list("--service", "x", "--feed", "mastodon:home@a.example") == [])
    let terminal = try browse("--offline mastodon:home@a.example", until: "at mastodon:a.example")
    #expect(try !terminal.screen().contains("b.example"))
  }
}
