import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetStore

@testable import tw_browse

/// What keys, answers and the clock do in tw-browse, within the test: the other tools are scripts.
@Suite(.onOwnThread) struct BrowseInnerTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// One with the newest tweet under the cursor.
  private func start(
    _ newest: String, sources: [String] = [], refreshes: Bool = false, settings: String = "",
    known: [(service: String, name: String)] = [], rows: Int = 24, columns: Int = 80
  ) throws -> InnerBrowser {
    let inner = try InnerBrowser(
      home, store: store, sources: sources, refreshes: refreshes, settings: settings, known: known, rows: rows,
      columns: columns)
    try inner.wait(for: newest)
    return inner
  }

  private func likes(_ browser: Browser) -> (isLiked: Bool?, count: Int?) {
    browser.model.selectedEntry?.document?.read {
      ($0["viewer"]?["liked"]?.bool, $0["public_metrics"]?["like_count"]?.looseInteger)
    } ?? (nil, nil)
  }

  private var now: Int { MonotonicClock.milliseconds }

  // MARK: Lists

  /// A query that no store can read is told of, and the program rests: it opened the store again and again.
  @Test func aQueryWithoutWordsEndsNoList() throws {
    try put(1...9)
    let inner = try start("x:9")
    inner.press(.character("&"))
    inner.type("-", .enter)
    try inner.wait { $0.screen.list.state == .failed("'-' has no word that can be searched for") }
    inner.press(.escape)
    try inner.wait { $0.screen.list.keys.count == 9 }
  }

  // MARK: Acts

  /// It is shown at once, offered to be taken back for five seconds, and taken back.
  @Test func anActIsShownDoneAndTakenBack() throws {
    try put(1...9)
    let inner = try start("x:9")
    let browser = inner.browser
    try inner.have("post", do: "until [ -f \"$home/go\" ]; do sleep 0.01; done")
    inner.press(.character("f"))
    #expect(browser.screen.pending == ["x:9": .like] && browser.screen.message == "like …")
    #expect(likes(browser) == (true, 4) && browser.screen.undo == nil)
    try home.write("go", "")
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(browser.screen.message == "liked" && browser.screen.undo == Act(verb: .like, target: "x:9", service: "x"))
    #expect(inner.hints.hasPrefix(" u undo like   "))
    #expect(
      inner.asked.contains("tw-post like --yes x:9") && inner.asked.contains("tw-cache add --quiet --db \(store)"))
    // The store knows nothing of it: what was shown is taken back.
    try inner.wait { likes($0) == (nil, 3) }
    inner.press(.character("u"))
    #expect(browser.screen.pending == ["x:9": .unlike] && browser.screen.undo == nil && likes(browser) == (false, 2))
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(browser.screen.message == "no longer liked" && browser.screen.undo == nil)
    #expect(inner.asked.filter { $0.hasPrefix("tw-post") } == ["tw-post like --yes x:9", "tw-post unlike --yes x:9"])
    inner.press(.character("u"))
    #expect(browser.screen.message == "there is nothing to take back" && browser.screen.pending.isEmpty)
  }

  /// After five seconds nothing is taken back, and each act has five of its own.
  @Test func whatIsOfferedIsOfferedForFiveSeconds() throws {
    try put(1...9)
    let inner = try start("x:9")
    let browser = inner.browser
    inner.press(.character("f"))
    let before = now
    try inner.wait { $0.screen.undo?.verb == .like }
    let after = now
    browser.tick(before + 4_999)
    #expect(browser.screen.undo?.verb == .like)
    inner.press(.character("j"), .character("B"))
    let later = now
    try inner.wait { $0.screen.undo?.verb == .bookmark }
    browser.tick(max(after, later) + 4_900)
    #expect(browser.screen.undo?.verb == .bookmark)
    browser.tick(now + 5_001)
    #expect(browser.screen.undo == nil)
    inner.press(.character("u"))
    #expect(browser.screen.message == "there is nothing to take back")
    #expect(inner.asked.filter { $0.hasPrefix("tw-post") }.count == 2)
  }

  /// What the account did already is taken back by the key; what cannot be done is said, and not offered.
  @Test func whatTheAccountDidAndWhatFails() throws {
    try put(1...8)
    try put(
      tweet(
        9, second: 9, likes: 5,
        more: #","viewer":{"account":"jack","liked":true,"retweeted":false,"bookmarked":true}"#))
    let inner = try start("x:9")
    let browser = inner.browser
    for (key, verb, code, said) in [
      ("f", "unlike", 69, "unlike: the reason"), ("b", "retweet", 75, "retweet waits in the outbox: the reason"),
      ("B", "unbookmark", 1, "unbookmark: the reason"), ("F", "follow", 77, "follow: the reason"),
    ] {
      try inner.have("post", do: "echo 'tw-post: the reason' >&2; exit \(code)")
      inner.press(.character(Character(key)))
      #expect(browser.screen.message == "\(verb) …", "\(key)")
      try inner.wait { $0.screen.pending.isEmpty && $0.running.isEmpty }
      #expect(browser.screen.message == said && browser.screen.undo == nil && browser.screen.followed.isEmpty)
      try inner.wait { likes($0) == (true, 5) }
    }
    try inner.have("post", do: "exit 3")
    inner.press(.character("f"))
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(browser.screen.message == "unlike: it ended with status 3")
    // The first tool that failed says how it went.
    try inner.have("post", do: "exit 0")
    try inner.have("cache", do: "cat > /dev/null; echo 'tw-cache: full' >&2; exit 74")
    inner.press(.character("b"))
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(browser.screen.message == "retweet: full" && browser.screen.undo == nil)
  }

  /// Only a yes deletes, and nothing takes that back.
  @Test func aDeletionIsConfirmed() throws {
    try put(1...9)
    let inner = try start("x:9")
    let browser = inner.browser
    for key in [Key.character("n"), .enter, .escape, .character("x")] {
      inner.press(.character("d"))
      #expect(inner.hints == "delete x:9? [y/n] ")
      inner.press(key)
      #expect(browser.screen.prompt == nil && browser.running.isEmpty)
    }
    inner.press(.character("d"), .character("Y"))
    try inner.wait { $0.screen.pending.isEmpty && $0.screen.message == "deleted" }
    #expect(
      browser.screen.undo == nil && inner.asked.filter { $0.hasPrefix("tw-post") } == ["tw-post delete --yes x:9"])
  }

  /// An act concerns the tweet that is repeated, at its service, by an account of that one.
  @Test func actsAreAtTheServiceOfTheTweet() throws {
    let repeated =
      #","referenced_tweets":[{"type":"retweeted","id":"77","text":"whole","author":{"id":"5","username":"eve","url":"https://one.example/@eve"}}]"#
    let post = tweet(9, second: 9, more: repeated).replacing(
      #""service":"x""#, with: #""service":"mastodon:one.example""#)
    try put(tweet(1, second: 1) + post)
    let inner = try start(
      "mastodon:one.example:9",
      known: [("x", "jack"), ("mastodon:one.example", "ann"), ("mastodon:one.example", "bob")])
    let browser = inner.browser
    try inner.have("post", do: #"echo "as $TW_SERVICE" >> "$home/asked""#)
    #expect(browser.screen.account == "x:jack" && browser.model.tools.accounts.usual == "x")
    for (key, words) in [
      ("f", "like --yes mastodon:one.example:77"), ("F", "follow --yes https://one.example/@eve"),
      ("F", "unfollow --yes https://one.example/@eve"),
    ] {
      try? FileManager.default.removeItem(atPath: home.path + "/asked")
      inner.press(.character(Character(key)))
      try inner.wait { $0.screen.pending.isEmpty }
      #expect(inner.asked.contains("tw-post --account ann \(words)") && inner.asked.contains("as mastodon:one.example"))
    }
    inner.press(.character("t"))
    try inner.wait { $0.screen.list.state != .loading }
    #expect(browser.screen.feeds[0].path == "all › thread")
    guard case .thread("mastodon:one.example:77") = browser.screen.list.source else {
      Issue.record("thread")
      return
    }
    inner.press(.escape, .character("j"))
    try inner.wait(for: "x:1")
    try? FileManager.default.removeItem(atPath: home.path + "/asked")
    inner.press(.character("b"))
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(
      inner.asked.contains("tw-post retweet --yes x:1") && inner.asked.contains("as x"), "the account of the settings")
  }

  /// Another account has not liked what one has; nothing of one's acts is taken back by it.
  @Test func anotherAccountStartsAnew() throws {
    let states = #","viewer":{"account":"jack","liked":true},"viewers":[{"account":"anna","liked":false}]"#
    try put(tweet(9, second: 9, more: states))
    let inner = try start("x:9", known: [("x", "jack"), ("x", "anna")])
    let browser = inner.browser
    #expect(likes(browser).isLiked == true)
    inner.press(.character("b"))
    try inner.wait { $0.screen.undo != nil }
    inner.press(.character("A"))
    #expect(browser.screen.message == "as x:anna" && browser.screen.undo == nil && browser.screen.account == "anna")
    try inner.wait { likes($0).isLiked == false }
    inner.type(":account jack", .enter)
    #expect(browser.screen.message == "as x:jack")
    inner.type(":account eve", .enter)
    #expect(browser.screen.message == "no account is called 'eve' (x:jack, x:anna)" && browser.screen.account == "jack")
  }

  // MARK: Labels and what was read

  /// What was in view for two seconds is read, but what a key has marked; a key counts from its own moment.
  @Test func whatWasInViewForAWhileIsRead() throws {
    try put(1...30)
    let unread = try cache("label", "+unread", "30", "29", "2")
    #expect(unread.status == 0)
    let inner = try start("x:30")
    let browser = inner.browser
    try inner.have("cache", do: "cat >> \"$home/labelled\"")
    func labelled() -> String { (try? home.read("labelled")).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    #expect(browser.model.selectedEntry?.isUnread == true)
    // Marked by hand: it stays.
    inner.press(.character("U"))
    #expect(browser.screen.message == "read")
    try inner.wait { $0.running.isEmpty }
    inner.press(.character("U"))
    #expect(browser.screen.message == "unread" && browser.model.acts.keptUnread == [browser.screen.list.selected])
    try inner.wait { $0.running.isEmpty }
    #expect(
      inner.asked.suffix(2) == [
        "tw-cache label --quiet --db \(store) -unread", "tw-cache label --quiet --db \(store) +unread",
      ])
    #expect(labelled() == "x:30\nx:30\n")
    let start = now + 10_000
    browser.tick(start)
    browser.tick(start + 1_999)
    #expect(browser.running.isEmpty)
    browser.screen.place = .help
    browser.tick(start + 3_000)
    #expect(browser.running.isEmpty, "what the help hides is not read")
    browser.screen.place = .list
    browser.tick(start + 3_001)
    try inner.wait { $0.running.isEmpty }
    #expect(labelled() == "x:30\nx:30\nx:29\n" && inner.asked.last == "tw-cache label --quiet --db \(store) -unread")
    #expect(
      browser.model.records.entry(browser.screen.list.keys.dropFirst().first ?? 0)?.isUnread == false
        && browser.model.selectedEntry?.isUnread == true)
    // Where something else comes into view, it counts from then on.
    inner.press(.end)
    try inner.wait(for: "x:1")
    browser.tick(start + 20_000)
    browser.tick(start + 21_999)
    #expect(browser.running.isEmpty)
    browser.tick(start + 22_000)
    try inner.wait { $0.running.isEmpty }
    #expect(labelled().hasSuffix("x:29\nx:2\n"))
    inner.press(.home)
    try inner.wait(for: "x:30")
    inner.press(.character("U"))
    #expect(
      browser.screen.message == "read" && browser.model.acts.keptUnread.isEmpty
        && browser.model.selectedEntry?.isUnread == false)
  }

  @Test func labelsAreGivenAndFail() throws {
    try put(1...2)
    let inner = try start("x:2")
    let browser = inner.browser
    try inner.have("cache", do: "cat > /dev/null; echo 'tw-cache: no room' >&2; exit 74")
    inner.type("llater -read +good", .enter)
    #expect(browser.screen.message == "+later -read +good")
    try inner.wait { $0.running.isEmpty }
    #expect(
      browser.screen.message == "no room"
        && inner.asked.last == "tw-cache label --quiet --db \(store) +later -read +good")
  }

  // MARK: Lists

  @Test func keysGoThroughFeedsAndLists() throws {
    try put(1...40, feeds: ["#a"])
    try put(101...105, feeds: ["#b"])
    let inner = try start("x:40", sources: ["#a", "#b", "#c"])
    let browser = inner.browser
    func place() -> [Int] { [browser.screen.current, browser.screen.list.cursor, browser.screen.list.top] }
    inner.press(.character("j"), .character("]"))
    #expect(browser.screen.current == 1)
    inner.press(.character("["), .character("["))
    #expect(browser.screen.current == 2)
    inner.press(.character("]"))
    #expect(place() == [0, 1, 0])
    inner.press(.character("3"))
    #expect(browser.screen.current == 2)
    inner.press(.character("4"))
    #expect(browser.screen.current == 2 && browser.screen.message == "there is no feed 4")
    inner.press(.character("1"), .character(" "))
    #expect(place() == [0, 10, 9] && browser.screen.message == nil)
    inner.press(.character("-"))
    #expect(place() == [0, 0, 0])
    inner.press(.wheelDown)
    #expect(place() == [0, 3, 3])
    inner.press(.wheelUp)
    #expect(place() == [0, 3, 0])
    // The button: a tab, a tweet, and the tweet under the cursor, which is opened.
    inner.press(.click(row: 0, column: 6))
    #expect(browser.screen.current == 1)
    inner.press(.click(row: 0, column: 5))
    #expect(browser.screen.current == 0)
    inner.press(.click(row: 0, column: 60), .click(row: 2, column: 3))
    #expect(place() == [0, 0, 0] && browser.screen.place == .list)
    inner.press(.click(row: 5, column: 3))
    #expect(place() == [0, 1, 0])
    inner.press(.click(row: 21, column: 3))
    #expect(place() == [0, 9, 0])
    inner.press(.click(row: 22, column: 3), .click(row: 1, column: 3))
    #expect(place() == [0, 9, 0] && browser.screen.place == .list)
    inner.press(.click(row: 20, column: 3))
    #expect(browser.screen.place == .reader)
    inner.press(.click(row: 4, column: 3))
    #expect(place() == [0, 9, 0] && browser.screen.place == .reader)
    inner.press(.character("2"), .character("1"))
    #expect(browser.screen.place == .list)
    inner.press(.click(row: 0, column: 6), .click(row: 12, column: 3))
    #expect(place() == [1, 0, 0], "there is no tweet")
  }

  @Test func theReaderAndTheHelpScrollToTheirEnds() throws {
    try put(1...8)
    try put(tweet(9, second: 9, text: Array(repeating: "line", count: 40).joined(separator: "\\n")))
    let inner = try start("x:9")
    let browser = inner.browser
    inner.press(.enter)
    #expect(browser.screen.place == .reader)
    inner.settle()
    let last = browser.lastReaderRow
    #expect(last > 10)
    inner.press(.wheelUp)
    #expect(browser.screen.firstRow == 0)
    inner.press(.character(" "))
    #expect(browser.screen.firstRow == 19)
    inner.press(.character(" "), .character(" "))
    // At its end a page more is the next tweet.
    inner.settle()
    #expect(browser.screen.list.cursor == 1 && browser.screen.firstRow == 0 && browser.screen.place == .reader)
    inner.press(.character("k"))
    inner.settle()
    inner.press(.wheelDown)
    #expect(browser.screen.firstRow == 3 && browser.screen.list.cursor == 0)
    inner.press(.character("-"))
    #expect(browser.screen.firstRow == 0)
    inner.press(.character("?"))
    #expect(browser.screen.place == .help)
    inner.press(.character("j"), .character("j"), .character("k"))
    #expect(browser.screen.firstRow == 1)
    for _ in 1...9 { inner.press(.character(" ")) }
    #expect(browser.screen.firstRow == HelpRows.lines(browser.screen, browser.model.selectedEntry).count - 20)
    inner.press(.escape)
    #expect(browser.screen.place == .list && browser.screen.firstRow == 0 && browser.screen.list.cursor == 0)
    inner.press(.escape)
    #expect(browser.screen.feeds[0].lists.count == 1, "the first list is not left")
  }

  @Test func tweetsAreFoundAndListsLimited() throws {
    try put(1...30)
    let inner = try start("x:30")
    let browser = inner.browser
    inner.press(.character("n"))
    #expect(browser.screen.message == "say what to find: /words")
    inner.type("/number 2", .enter)
    try inner.wait(for: "x:2")
    inner.press(.character("n"))
    try inner.wait { $0.screen.message == "nothing more is found" }
    inner.type("/word", .enter)
    try inner.wait(for: "x:1")
    inner.press(.character("N"))
    try inner.wait(for: "x:2")
    inner.type("/(", .enter)
    #expect(browser.screen.message?.isEmpty == false && browser.screen.message != "say what to find: /words")
    inner.type("/", .enter)
    #expect(browser.screen.prompt == nil)
    inner.type("&number 7", .enter)
    try inner.wait(for: "x:7")
    #expect(browser.screen.list.keys.count == 1 && browser.screen.feeds[0].path == "all › &number 7")
    inner.press(.character("t"))
    try inner.wait { $0.screen.feeds[0].path.hasSuffix("› thread") && !$0.screen.list.keys.isEmpty }
    inner.type("&word", .enter)
    #expect(browser.screen.message == "this list is shown whole: & goes with feeds")
    inner.press(.escape, .escape)
    try inner.wait(for: "x:2")
    inner.press(.character("a"))
    try inner.wait { $0.screen.feeds[0].path == "all › @jack" && $0.screen.list.keys.count == 30 }
    inner.press(.backspace)
    for (line, said) in [
      (":mark", nil), (":page-", "'page-' may be several commands"), (":zzz", "no command 'zzz'"),
      (":like it", "':like' takes no words"), (":page", "the tweet has no page"),
      (":query none", "no query is saved: tw-cache query"),
    ] as [(String, String?)] {
      inner.type(line, .enter)
      if let said {
        #expect(browser.screen.message?.hasPrefix(said) == true, "\(line): \(browser.screen.message ?? "")")
      }
    }
    inner.type(":limit number 3", .enter)
    try inner.wait(for: "x:3")
    inner.type("|grep 'number 3'", .enter)
    try inner.wait { $0.screen.feeds[0].path == "all › &number 3 › |grep 'number 3'" }
    inner.press(.escape)
    // What has ended is not shown where another list is by now.
    inner.type("|sleep 0.1; cat", .enter)
    inner.press(.escape)
    try inner.wait { $0.screen.message == "sleep 0.1; cat has ended, but another list is shown now" }
    #expect(browser.screen.feeds[0].path == "all" && browser.model.filtering == nil)
  }

  /// The end of a list is gone to, however far it is; a key ends that.
  @Test func theEndIsGoneToPageByPage() throws {
    try put(1...450)
    let inner = try start("x:450")
    #expect(inner.browser.screen.list.keys.count == 200)
    inner.press(.character("G"))
    try inner.wait(for: "x:1")
    #expect(inner.browser.screen.list.state == .whole)
    // The keys before the end come in time.
    let other = try start("x:450")
    for _ in 0..<19 { other.press(.character(" ")) }
    try other.wait { $0.screen.list.keys.count == 450 }
    #expect(other.browser.screen.list.cursor < 190)
  }

  // MARK: The store

  @Test func whatIsStoredForgottenAndDeletedIsSeen() throws {
    try put(1...30)
    let inner = try start("x:30")
    let browser = inner.browser
    inner.press(.character("j"))
    try put(31...32)
    try inner.wait {
      inner.look()
      return $0.screen.list.waiting.count == 2
    }
    #expect(browser.model.selectedEntry?.name == "x:29")
    try put(tweet(29, second: 29, text: "edited", read: 60))
    try inner.wait {
      inner.look()
      return $0.model.selectedEntry?.document?["text"]?.string == "edited"
    }
    try put(#"{"tw":"delete","service":"x","id":"28"}"# + "\n")
    #expect(try cache("forget", "--yes", "27").status == 0)
    try inner.wait {
      inner.look()
      return $0.screen.list.gone.count == 2
    }
    #expect(browser.screen.list.gone == Set(browser.screen.list.keys.dropFirst(2).prefix(2)))
    inner.press(.character("g"))
    try inner.wait(for: "x:32")
    #expect(browser.screen.list.keys.count == 30 && browser.screen.list.waiting.isEmpty)
    // Of a store that has gone what was read stays.
    for name in try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/share/tw")
    where name.hasPrefix("tw.db") {
      try FileManager.default.removeItem(atPath: home.path + "/.local/share/tw/" + name)
    }
    try inner.wait {
      inner.look()
      return $0.screen.hasNoStore
    }
    #expect(
      browser.screen.message?.hasPrefix("there is no store") == true && browser.model.selectedEntry?.name == "x:32")
    try put(1...1)
    try inner.wait {
      inner.look()
      return !$0.screen.hasNoStore && $0.model.selectedEntry?.name == "x:1"
    }
    #expect(browser.screen.list.keys.count == 1)
  }

  /// Where one is is written down every ten seconds, and at the end.
  @Test func placesAreWrittenDown() throws {
    try put(1...30, feeds: ["#a"])
    try put(41...45, feeds: ["#b"])
    func places() throws -> Places { try Places(store, in: home.path + "/state") }
    let before = now
    let inner = try start("x:30", sources: ["#a", "#b"])
    let browser = inner.browser
    inner.press(.character("j"))
    browser.tick(before + 9_999)
    usleep(20_000)
    #expect(!home.exists("state"))
    browser.tick(now + 10_000)
    try waitUntil { try places().place(in: "#a") != nil }
    let keys = browser.screen.list.keys
    try #require(keys.count == 30)
    #expect(try places().place(in: "#a") == Place(cursor: keys[1], newest: keys[0]))
    // A list that was come to has no place: that of the first list is kept.
    inner.press(.character("j"), .character("t"))
    try inner.wait { $0.screen.list.state == .whole }
    browser.model.finish()
    #expect(try places().place(in: "#a")?.cursor == keys[2] && places().place(in: "#b") != nil)
    try put(31...32, feeds: ["#a"])
    let next = try InnerBrowser(home, store: store, sources: ["#a", "#b"])
    try next.wait(for: "x:28")
    #expect(next.browser.screen.list.waiting.count == 2)
  }

  // MARK: The thread beside

  @Test func theThreadIsReadWhenTheCursorRests() throws {
    let answering = #","referenced_tweets":[{"type":"replied_to","id":"1"}]"#
    try put(tweet(1, second: 1) + tweet(2, second: 2, more: answering) + tweet(3, second: 3))
    let inner = try start("x:3", columns: 120)
    let browser = inner.browser
    inner.press(.character("j"))
    try inner.wait(for: "x:2")
    let time = now
    browser.noteRest(time)
    #expect(
      browser.rest.left(time) == 150 && browser.rest.left(time + 100) == 50 && browser.rest.left(time + 150) == nil)
    browser.noteRest(time + 149)
    #expect(!browser.rest.isAsked)
    browser.noteRest(time + 150)
    #expect(browser.rest.isAsked)
    try inner.wait { $0.screen.beside != nil }
    #expect(browser.screen.beside?.rows.count == 2 && browser.screen.beside?.entry == browser.screen.list.selected)
    browser.outdateThread()
    #expect(!browser.rest.isAsked)
    inner.press(.enter)
    browser.noteRest(time + 400)
    #expect(browser.rest.key == nil && browser.rest.isAsked, "the reader has none")
    inner.press(.escape, .character("t"))
    try inner.wait { $0.screen.list.keys.count == 2 }
    browser.noteRest(time + 500)
    #expect(browser.rest.key == nil)
    let narrow = try start("x:3", columns: 99)
    narrow.browser.noteRest(time)
    #expect(narrow.browser.rest.key == nil)
  }

  // MARK: Sources

  /// What is wrong with the sources stays until they answer, and no longer.
  @Test func troubleEndsWithTheNextRound() throws {
    try put(1...3, feeds: ["#a"])
    try haveRefresh("")
    let inner = try start("x:3", sources: ["#a"], refreshes: true)
    let browser = inner.browser
    func say(_ record: String) throws {
      let handle = try #require(FileHandle(forWritingAtPath: home.path + "/said"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data((record + "\n").utf8))
    }
    browser.model.startRefresh()
    try say(##"{"tw":"notice","level":"warning","code":"refresh","message":"no luck","at":"2026-01-01T00:00:00Z"}"##)
    try inner.wait { $0.screen.trouble == "no luck" }
    #expect(browser.screen.message == nil && inner.status.hasSuffix("no luck"))
    // A round that failed changes nothing; one that did not, ends it.
    try say(##"{"tw":"refresh","feed":"#a","at":"2026-01-01T00:00:00Z","new":0,"status":75}"##)
    try say(##"{"tw":"notice","level":"info","code":"gap","message":"a gap","at":"2026-01-01T00:00:00Z"}"##)
    try inner.wait { $0.screen.message == "a gap" }
    #expect(browser.screen.trouble == "no luck" && browser.sources.refreshedAt == nil && !browser.sources.isSignedOut)
    try say(##"{"tw":"refresh","feed":"#a","at":"2026-01-01T00:00:00Z","new":0}"##)
    try inner.wait { $0.screen.trouble == nil }
    #expect(browser.sources.refreshedAt != nil)
    try say(##"{"tw":"refresh","feed":"#a","at":"2026-01-01T00:00:00Z","new":0,"status":77}"##)
    try say(##"{"tw":"notice","level":"warning","code":"refresh","message":"401","at":"2026-01-01T00:00:00Z"}"##)
    try inner.wait { $0.screen.trouble == "signed out, read only: run 'tw-auth login'" }
    try say(##"{"tw":"refresh","feed":"#a","at":"2026-01-01T00:00:00Z","new":2}"##)
    try say(##"{"tw":"notice","level":"warning","code":"budget","message":"used up","at":"2026-01-01T00:00:00Z"}"##)
    try inner.wait { $0.screen.trouble == "used up" }
    try say(##"{"tw":"notice","level":"info","code":"connect","message":"on","at":"2026-01-01T00:00:00Z"}"##)
    try inner.wait { $0.screen.trouble == nil }
    // When the refresh has ended, what is shown is old, until it is begun again.
    try say("end")
    try inner.wait { $0.screen.trouble != nil }
    #expect(browser.screen.trouble?.hasPrefix("lost ") == true && browser.model.refresh == nil)
    #expect(browser.screen.trouble?.contains(" stale since ") == true)
    browser.screen.message = nil
    #expect(inner.status.contains("stale since"))
    try haveRefresh("")
    inner.press(.character("R"))
    #expect(
      browser.screen.trouble == nil && browser.screen.message == "asking the sources …" && browser.model.refresh != nil)
    try say(##"{"tw":"refresh","feed":"#a","at":"2026-01-01T00:00:00Z","new":0}"##)
    usleep(50_000)
    inner.settle()
    browser.screen.message = nil
    #expect(browser.screen.trouble == nil && !inner.status.contains("stale"))
    browser.model.refresh?.stop()
  }

  /// A refresh that prints what is in the file `said`, up to a line `end`.
  private func haveRefresh(_ text: String) throws {
    try home.write("said", text)
    try home.write(
      "tw-cache.do",
      """
      case "$1" in
      refresh) told=0
        while :; do
          lines=$(wc -l < "$home/said")
          while [ "$told" -lt "$lines" ]; do
            told=$((told + 1))
            line=$(sed -n "${told}p" "$home/said")
            [ "$line" = end ] && { echo "tw-cache: lost" >&2; exit 69; }
            printf '%s\\n' "$line"
          done
          sleep 0.02
        done;;
      *) cat > /dev/null;;
      esac
      """)
  }

  /// A message goes by itself, so that the row below it is seen again; a new one has its own time.
  @Test func aMessageGoesByItself() throws {
    try put(1...3)
    let inner = try start("x:3")
    let browser = inner.browser
    let time = now + 1_000_000
    browser.screen.message = "one"
    browser.tick(time)
    browser.tick(time + 14_999)
    #expect(browser.screen.message == "one")
    browser.screen.message = "two"
    browser.tick(time + 15_000)
    browser.tick(time + 29_999)
    #expect(browser.screen.message == "two" && inner.status == " two")
    browser.screen.trouble = "old"
    browser.tick(time + 30_000)
    #expect(browser.screen.message == nil && inner.status == " old")
    browser.screen.message = "three"
    inner.press(.character("j"))
    #expect(browser.screen.message == nil)
  }

  /// At the end of a feed older tweets are asked for: one request at a time, until there are none.
  @Test func olderTweetsAreAskedForAtTheEnd() throws {
    try put(1...3, feeds: ["#a"])
    try put(11...12, feeds: ["#b"])
    let inner = try start("x:3", sources: ["#a"], refreshes: true)
    let browser = inner.browser
    func older() -> Int { inner.asked.count { $0 == "tw-cache refresh --older --print --db \(store) #a" } }
    try inner.have(
      "cache", do: "until [ -f \"$home/go\" ]; do sleep 0.01; done; cat \"$home/go\"; exit $(cat \"$home/code\")")
    try home.write("code", "0")
    inner.press(.character("j"), .character("j"))
    #expect(browser.screen.feeds[0].older == .mayCome && browser.running.isEmpty, "the end was only now come to")
    inner.press(.character("j"), .character("j"), .character(" "), .character("G"))
    #expect(browser.screen.feeds[0].older == .asked && browser.running.count == 1)
    #expect(!browser.running.contains { !$0.isExpendable })
    try home.write("go", tweet(1))
    try inner.wait { $0.screen.feeds[0].older == .mayCome }
    #expect(older() == 1)
    try home.write("go", "")
    inner.press(.character("k"))
    #expect(browser.running.isEmpty)
    inner.press(.character("j"), .character("j"))
    try inner.wait { $0.screen.feeds[0].older == .over }
    inner.press(.character("j"), .character("G"))
    #expect(browser.running.isEmpty && older() == 2 && browser.screen.message == nil)
    // After R it may be otherwise.
    inner.press(.character("R"))
    #expect(browser.screen.feeds[0].older == .mayCome)
    try home.write("code", "75")
    try home.write("go", tweet(1))
    inner.press(.character("j"))
    try inner.wait { $0.screen.feeds[0].older == .over }
    #expect(browser.screen.message == "older posts could not be fetched")
    // A list that was come to has no source.
    inner.press(.character("R"), .character("a"))
    try inner.wait { $0.screen.list.state == .whole }
    for _ in 1...5 { inner.press(.character("j")) }
    #expect(browser.running.isEmpty)
    browser.model.refresh?.stop()
  }

  /// A profile that says no more than a post is asked for, once; not where nothing is asked at all.
  @Test func aBareProfileIsAskedForOnce() throws {
    try put(1...3, feeds: ["#a"])
    let offline = try start("x:3", sources: ["#a"])
    offline.press(.character("p"))
    try offline.wait { $0.screen.heads.values.first?.record != nil }
    #expect(offline.browser.running.isEmpty && offline.asked.isEmpty)
    offline.press(.escape)
    #expect(offline.browser.screen.heads.isEmpty && offline.browser.screen.feeds[0].lists.count == 1)
    let inner = try start("x:3", sources: ["#a"], refreshes: true)
    let browser = inner.browser
    inner.press(.character("p"))
    try inner.wait { $0.screen.heads.values.first?.isAsked == true }
    try inner.wait { $0.running.isEmpty }
    usleep(30_000)
    inner.settle()
    try inner.wait { $0.running.isEmpty }
    #expect(inner.asked.filter { $0.contains("refresh --quiet") } == ["tw-cache refresh --quiet --db \(store) x:@jack"])
    #expect(browser.screen.feeds[0].path == "#a › @jack")
    inner.press(.character("F"))
    try inner.wait { $0.screen.followed == ["jack": true] }
    #expect(inner.asked.contains("tw-post follow --yes jack"))
    inner.press(.character("F"))
    try inner.wait { $0.screen.followed == ["jack": false] }
  }

  // MARK: Other programs

  /// What the store knows of links is asked once for each time that one comes to the tweet.
  @Test func linksAreLookedUpOnceATime() throws {
    let link = #","entities":{"urls":[{"url":"https://a.example/1"}]}"#
    try put(tweet(1, second: 1) + tweet(2, second: 2, more: link))
    let dead = tweet(2, second: 2, more: link.replacing("/1\"", with: "/1\",\"verdict\":\"dead\",\"status\":404"))
    try home.write("verdict", dead)
    try home.write("tw-linkcheck.do", "cat > /dev/null; cat \"$home/verdict\"\n")
    let inner = try start("x:2", columns: 120)
    func lookUps() -> Int { inner.asked.count { $0 == "tw-linkcheck --offline --quiet --db \(store)" } }
    try inner.wait { $0.model.selectedEntry?.document?["entities"]?.elementsAreDead == true && $0.running.isEmpty }
    for _ in 1...3 { inner.settle() }
    #expect(lookUps() == 1)
    inner.press(.character("j"))
    try inner.wait(for: "x:1")
    inner.press(.character("k"))
    try inner.wait { _ in lookUps() == 2 }
  }

  // MARK: The end

  /// What was begun is done; what nobody misses is ended.
  @Test func theEndWaitsForWhatWasBegun() throws {
    try put(1...3, feeds: ["#a"])
    let inner = try start("x:3", sources: ["#a"], refreshes: true)
    let browser = inner.browser
    try inner.have(
      "cache", do: "[ \"$1\" = add ] || exec sleep 600; cat > /dev/null; sleep 0.1; echo stored >> \"$home/asked\"")
    inner.press(.character("f"), .character("G"), .character("j"), .character("c"))
    inner.type("half a post")
    browser.model.finish()
    #expect(inner.asked.contains("stored") && browser.running.isEmpty && browser.model.isLeaving)
    let drafts = try FileManager.default.contentsOfDirectory(atPath: home.path + "/state/drafts").sorted()
    #expect(drafts.count == 2 && drafts[1].hasSuffix(".lock"), "the draft stays: \(drafts)")
  }
}

extension JSONDocument {
  /// Whether the first link of these entities is dead.
  fileprivate var elementsAreDead: Bool { self["urls"]?.elements.first?["verdict"]?.string == "dead" }
}
