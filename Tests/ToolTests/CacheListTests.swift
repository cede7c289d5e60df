import Foundation
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import SQLite
@testable import TweetStore

/// tw-cache list, show, users and top.
@Suite(.onOwnThread) struct CacheListTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func reply(to id: Int) -> String { ",\"referenced_tweets\":[{\"type\":\"replied_to\",\"id\":\"\(id)\"}]" }

  @Test func filtersWithoutWords() throws {
    let link = ",\"entities\":{\"urls\":[{\"url\":\"https://t.co/1\",\"expanded_url\":\"https://music.example/1\"}]}"
    let picture = ",\"attachments\":{\"media\":[{\"type\":\"photo\"}]}"
    let own = ",\"entities\":{\"urls\":[{\"url\":\"https://t.co/2\",\"media_key\":\"3_1\"}]}"
    let mention = ",\"lang\":\"ja\",\"entities\":{\"mentions\":[{\"username\":\"Ann\"}]}"
    let input =
      tweet(1, second: 1, text: "one", more: ",\"lang\":\"en\"" + link)
      + tweet(2, second: 2, text: "one two", tags: ["Swift"], more: picture)
      + tweet(3, second: 3, text: "two", more: own) + tweet(4, second: 4, text: "three", more: mention)
    #expect(try add(input).status == 0)
    #expect(try list("--lang", "en") == ["1"])
    #expect(try list("--has", "links") == ["1"])
    #expect(try list("--has", "media") == ["2"])
    #expect(try list("--has", "media", "--has", "links") == [])
    #expect(try list("--search", "#swift") == ["2"])
    #expect(try list("--search", "#swift one") == ["2"])
    #expect(try list("--search", "@ann") == ["4"])
    #expect(try list("--match", "one NOT two") == ["1"])
    #expect(try list("--match", "t* OR one", "--search", "two") == ["3", "2"])
    // A newer version changes what lists filter by.
    _ = try add(tweet(4, second: 4, text: "three", read: 9, more: ",\"lang\":\"fr\"" + picture))
    #expect(try list("--lang", "ja") == [] && list("--lang", "fr") == ["4"])
    #expect(try list("--has", "media") == ["4", "2"])
    _ = try add(tweet(2, second: 2, text: "one two", read: 9, more: ",\"withheld\":{\"country_codes\":[\"XX\"]}"))
    #expect(try list("--has", "media") == ["4"] && list("--has", "media", "--all") == ["4", "2"])
    let wrong = try cache("list", "--match", "one AND")
    #expect(wrong.errors.hasPrefix("tw-cache: 'one AND' is not a query of FTS5: ") && wrong.status == 64)
  }

  /// A repeated option never replaces the one before it.
  @Test func optionsThatAreRepeated() throws {
    let input =
      tweet(1, second: 1, author: "ann", tags: ["tea", "milk"]) + tweet(2, second: 2, author: "ben", tags: ["tea"])
      + tweet(3, second: 3, author: "cat", tags: ["Milk", "tea"]) + tweet(4, second: 4, author: "Ann")
    #expect(try add(input).status == 0)
    #expect(try list("--tag", "tea", "--tag", "#Milk") == ["3", "1"])
    #expect(try list("--tag", "#Milk", "--tag", "tea") == ["3", "1"])
    #expect(try list("--tag", "tea", "--tag", "none") == [])
    #expect(try list("--author", "ann", "--author", "@ben") == ["4", "2", "1"])
    #expect(try list("--author", "nobody", "--author", "ben") == ["2"])
    #expect(try list("--author", "nobody", "--author", "noone") == [])
    // The same user twice, and with other conditions: each tweet once.
    #expect(try list("--author", "ann", "--author", "ANN", "--tag", "tea") == ["1"])
    // More than one statement of SQLite can ask for.
    let crowd = (0..<500).map { tweet(100 + $0, author: "user\($0)") }.joined()
    #expect(try add(crowd).status == 0)
    let all = (0..<500).flatMap { ["--author", "user\($0)"] }
    #expect(try Tool.run("tw-cache", ["list"] + all.dropLast(2), home: home).lines.count == 499)
    let tooMany = try Tool.run("tw-cache", ["list"] + all, home: home)
    #expect(tooMany.status == 64 && tooMany.errors.contains("at most 499"))
  }

  @Test func aTweetThatOnlyQuotesIsNotOriginal() throws {
    let quotes = ",\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"9\"}]"
    #expect(try add(tweet(1) + tweet(2, second: 1, more: quotes)).status == 0)
    #expect(try list("--is", "original") == ["1"] && list("--is", "quote") == ["2"])
    #expect(try list("is:original") == ["1"] && list("--", "-is:original") == ["2"])
  }

  @Test func retweetsAreCountedForThemselves() throws {
    func counts(_ retweets: Int, _ likes: Int) -> String {
      ",\"public_metrics\":{\"retweet_count\":\(retweets),\"like_count\":\(likes)}"
    }
    #expect(try add(tweet(1, more: counts(3, 90)) + tweet(2, second: 1, more: counts(40, 5))).status == 0)
    for (least, found) in [("3", ["2", "1"]), ("4", ["2"]), ("40", ["2"]), ("41", [])] {
      #expect(try list("--min-retweets", least) == found && list("min-retweets:\(least)") == found, "\(least)")
    }
    #expect(try list("--min-retweets", "4", "--min-likes", "6") == [])
  }

  /// What has no index of its own: counts, and what a tweet refers to.
  @Test func filtersByCountAndKind() throws {
    func refers(_ types: String...) -> String {
      ",\"referenced_tweets\":[" + types.map { "{\"type\":\"\($0)\",\"id\":\"9\"}" }.joined(separator: ",") + "]"
    }
    let input =
      tweet(1, second: 1, likes: 5, tags: ["a"]) + tweet(2, second: 2, likes: 50, more: refers("replied_to"))
      + tweet(3, second: 3, likes: 7, more: refers("replied_to", "quoted"))
      + tweet(4, second: 4, more: refers("retweeted"))
      + tweet(5, second: 5, likes: 50, tags: ["a"])
    #expect(try add(input).status == 0)
    #expect(try list("--min-likes", "7") == ["5", "3", "2"] && list("--min-likes", "51") == [])
    #expect(try list("--min-likes", "7", "--tag", "a") == ["5"] && list("--min-retweets", "1") == [])
    #expect(
      try list("--is", "reply") == ["3", "2"] && list("--is", "quote") == ["3"] && list("--is", "retweet") == ["4"])
    #expect(
      try list("--is", "original") == ["5", "1"] && list("--is", "original", "--is", "retweet") == ["5", "4", "1"])
    #expect(try list("--is", "original", "--min-likes", "6", "--author", "jack") == ["5"])
    #expect(
      try list("--sort", "likes") == ["5", "2", "3", "1", "4"] && list("--sort", "time") == ["5", "4", "3", "2", "1"])
    #expect(try list("--sort", "likes", "--limit", "2", "--is", "reply") == ["2", "3"])
    #expect(try cache("list", "--count").output == "5\n" && cache("list", "--count", "--tag", "a").output == "2\n")
    #expect(try cache("list", "--count", "--limit", "3").output == "3\n")
    #expect(try cache("list", "--count", "--author", "nobody").output == "0\n")
    for wrong in [
      ["--is", "tweet"], ["--sort", "size"], ["--min-likes", "0"], ["--follow", "--count"],
      ["--follow", "--sort", "likes"],
      ["--oldest-first", "--sort", "likes"],
    ] {
      #expect(try Tool.run("tw-cache", ["list"] + wrong, home: home).status == 64, "\(wrong)")
    }
  }

  /// Who follows a store that is not there yet waits for it.
  @Test func followingAStoreThatIsMadeLater() throws {
    let tool = try RunningTool("tw-cache", ["list", "--follow"], home: home)
    try tool.waitForErrors(containing: "waiting for '\(store)'")
    _ = try add(tweet(1))
    #expect(try tool.line().map { $0 + "\n" } == tweet(1))
    _ = try add(tweet(2, second: 2))
    #expect(try tool.line().map { $0 + "\n" } == tweet(2, second: 2))
    tool.signal(SIGINT)
    #expect(try tool.finish().ending == .signal(SIGINT))
    let left = try RunningTool("tw-cache", ["list", "--follow", "--db", "none.db"], home: home)
    try left.waitForErrors(containing: "waiting for 'none.db'")
    left.signal(SIGTERM)
    let ending = try left.finish().ending
    #expect(ending == .signal(SIGTERM) && !home.exists("none.db"))
  }

  /// A source is named as 'source add' takes it, or as a record names its feed.
  @Test func feedsInAnyForm() throws {
    let input =
      tweet(1, second: 1, feeds: ["user:jack"]) + tweet(2, second: 2, feeds: ["#swift"])
      + tweet(3, second: 3, feeds: ["#Swift", "mine"]) + tweet(4, second: 4, feeds: ["search:a  b"])
    #expect(try add(input).status == 0)
    for name in ["@jack", "user:jack", "@Jack", "https://x.com/jack"] { #expect(try list("--feed", name) == ["1"]) }
    for name in ["#swift", "#Swift", "swift"] { #expect(try list("--feed", name) == ["3", "2"]) }
    #expect(try list("--feed", "mine") == ["3"])
    #expect(try list("--feed", "search:a  b") == ["4"] && list("--feed", "search:A  B") == [])
    let wrong = try cache("list", "--feed", "two words")
    #expect(wrong.status == 64 && wrong.errors.contains("'search:two words'"))
  }

  /// The kind of a link comes from the record or from tw-linkcheck's store.
  @Test func filterByKindOfLink() throws {
    func link(_ url: String, _ kind: String? = nil) -> String {
      ",\"entities\":{\"urls\":[{\"url\":\"\(url)\"\(kind.map { ",\"link_kind\":\"\($0)\"" } ?? "")}]}"
    }
    _ = try add(tweet(1, second: 1, more: link("https://a/", "music")) + tweet(2, second: 2, more: link("https://b/")))
    #expect(try list("--links", "music") == ["1"])
    let media = try MediaStore(Paths.mediaStore(besides: store), note: { _ in })
    let checked = Timestamp(milliseconds: 1_635_975_000_000)
    try media.store([StoredLink(url: "https://b/", verdict: "ok", linkKind: "music", checkedAt: checked)])
    #expect(try list("--links", "music") == ["2", "1"])
    // The next tweet with the link has its kind at once; a later check changes it.
    _ = try add(tweet(3, second: 3, more: link("https://b/")))
    #expect(try list("--links", "music") == ["3", "2", "1"])
    try media.store([StoredLink(url: "https://b/", verdict: "ok", linkKind: "page", checkedAt: checked)])
    #expect(try list("--links", "page") == ["3", "2"])
    try checkStore()
  }

  @Test func threads() throws {
    _ = try add(
      tweet(1, second: 1) + tweet(2, second: 2, more: reply(to: 1)) + tweet(3, second: 3, more: reply(to: 2))
        + tweet(4, second: 4, more: reply(to: 3)) + tweet(5, second: 5, more: reply(to: 1))
        + tweet(6, second: 6, more: reply(to: 3)) + tweet(7, second: 7, more: reply(to: 7)))
    #expect(ids(try cache("show", "3").lines) == ["1", "2", "3", "4", "6"])
    #expect(ids(try cache("show", "x:5").lines) == ["1", "5"])
    #expect(ids(try cache("show", "7").lines) == ["7"])
    let missing = try cache("show", "9")
    // What follows depends on whether the tests have a terminal.
    #expect(missing.errors.hasPrefix("tw-cache: no tweet '9' in '\(store)'; no tweet is numbered 9 here"))
    #expect(missing.status == 66)
  }

  /// If an edit keeps the id, the earlier text is kept. If each version has its own id, only the last one is listed.
  @Test func editedTweets() throws {
    _ = try add(
      tweet(1, text: "first", read: 10) + tweet(1, text: "second", read: 20) + tweet(1, text: "zeroth", read: 5))
    #expect(
      try cache("show", "1", "--versions").output
        == tweet(1, text: "zeroth", read: 5) + tweet(1, text: "first", read: 10) + tweet(1, text: "second", read: 20))
    func version(_ id: Int, of ids: [Int]) -> String {
      let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
      return tweet(id, second: id, text: "version \(id)", more: ",\"edit_history_tweet_ids\":[\(list)]")
    }
    // In a wrong order.
    _ = try add(version(9, of: [8, 9, 10]) + version(8, of: [8]))
    #expect(try list("--search", "version") == ["9"])
    _ = try add(version(10, of: [8, 9, 10]))
    #expect(try list("--search", "version") == ["10"])
    #expect(try list("--search", "version", "--all") == ["10", "9", "8"])
    #expect(ids(try cache("show", "9", "--versions").lines) == ["8", "9", "10"])
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"10\"}\n")
    #expect(try list("--all") == ["1"])
    try checkStore()
  }

  @Test func usersAndTheirNames() throws {
    let inner =
      ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"7\",\"text\":\"t\",\"author\":{\"id\":\"9\","
      + "\"username\":\"eve\"}}]"
    func named(_ name: String, _ read: Int) -> String {
      "{\"tw\":\"user\",\"service\":\"x\",\"id\":\"u1\",\"username\":\"\(name)\",\"name\":\"N\","
        + "\"retrieved_at\":\"\(time(read))\"}\n"
    }
    _ = try add(tweet(1, more: inner) + named("old", 10) + named("new", 20))
    let eve = "{\"tw\":\"user\",\"service\":\"x\",\"id\":\"9\",\"username\":\"eve\"}\n"
    #expect(try cache("users").lines.count == 3)
    #expect(try cache("users", "@eve").output == eve)
    #expect(try cache("users", "old").output == named("new", 20))
    #expect(
      try cache("users", "new", "--names").output == "x\tu1\told\tN\t\(time(10))\nx\tu1\tnew\tN\t\(time(20))\n")
    #expect(try cache("users", "--service", "y").output == "")
    // Without a name, all users.
    #expect(
      try cache("users", "--names").lines.map { $0.split(separator: "\t")[2] } == ["eve", "old", "new", "jack"])
  }

  /// Users are read in several pages; each is printed once.
  @Test func moreUsersThanOnePage() throws {
    let users = (0..<1234).map { "{\"tw\":\"user\",\"service\":\"s\($0 % 3)\",\"id\":\"\($0)\"}\n" }
    _ = try add(users.joined())
    let found = try cache("users").lines
    #expect(found.count == 1234 && Set(found).count == 1234)
    #expect(try cache("users", "--service", "s1").lines.count == 411)
  }

  @Test func topLists() throws {
    let link = ",\"entities\":{\"urls\":[{\"url\":\"https://a/\"}]}"
    _ = try add(
      tweet(1, second: 0, tags: ["a", "b"]) + tweet(2, second: 60, author: "bob", tags: ["B"])
        + tweet(3, second: 120, author: "bob", more: link))
    #expect(try cache("top", "hashtags").output == "2\tb\n1\ta\n")
    #expect(try cache("top", "hashtags", "--since", time(30)).output == "1\tb\n")
    #expect(try cache("top", "links").output == "1\thttps://a/\n")
    #expect(try cache("top", "authors", "--limit", "1").output == "2\tbob\n")
    #expect(try cache("top", "words").status == 64)
    // One name, three people.
    for service in ["bluesky", "mastodon:a.example"] {
      _ = try add(tweet(900).replacing("\"x\"", with: "\"\(service)\"").replacing("jack", with: "bob"))
    }
    let bobs = try cache("top", "authors").lines.filter { $0.contains("\tbob") }
    #expect(bobs == ["2\tbob\tx", "1\tbob\tbluesky", "1\tbob\tmastodon:a.example"], "\(bobs)")
  }

  /// A tweet that any process stores is printed if it matches, also if it is older than those printed before.
  @Test func followingNewTweets() throws {
    _ = try add(tweet(1, second: 10) + tweet(2, second: 20) + tweet(3, second: 30))
    let tool = try RunningTool("tw-cache", ["list", "--follow", "--limit", "2", "--author", "jack"], home: home)
    try tool.waitForLines(2)
    _ = try add(tweet(4, second: 5) + tweet(5, second: 40, author: "eve") + tweet(6, second: 50))
    try tool.waitForLines(4)
    _ = try add(tweet(2, second: 20, likes: 7))
    try tool.waitForLines(5)
    tool.signal(SIGINT)
    let result = try tool.finish()
    #expect(ids(result.lines) == ["2", "3", "4", "6", "2"])
    #expect(result.lines.last?.contains("\"like_count\":7") == true)
    #expect(result.ending == .signal(SIGINT))
  }

  /// A store that is made from a copy, or repaired, is another file: who follows goes on in that one.
  @Test(arguments: ["restore --yes copy.db", "check --repair"])
  func followingAStoreThatIsReplaced(_ command: String) throws {
    _ = try add(tweet(1, second: 10))
    #expect(try cache("backup", "copy.db").status == 0)
    _ = try add(tweet(2, second: 20) + tweet(3, second: 30, likes: 1))
    let tool = try RunningTool("tw-cache", ["list", "--follow"], home: home)
    try tool.waitForLines(3)
    let writer = try RunningTool("tw-cache", ["add"], home: home)
    writer.send(ToolInput(tweet(4, second: 40)))
    try tool.waitForLines(4)
    if command.hasPrefix("check") {
      #expect(try Tool.shell("sqlite3 '\(store)' \"UPDATE users SET name = 'x'\"", home: home).status == 0)
    }
    _ = try Tool.run("tw-cache", command.split(separator: " ").map(String.init), home: home)
    #expect(try add(tweet(5, second: 50)).status == 0)
    try tool.waitForLines(5)
    tool.signal(SIGINT)
    #expect(ids(try tool.finish().lines) == ["1", "2", "3", "4", "5"])
    // Who still has the old file open does not write where nobody looks.
    writer.send(ToolInput(tweet(6, second: 60)))
    let ended = try writer.finish()
    #expect(ended.ending == .status(75) && ended.errors.contains("is another file now"), "\(ended.errors)")
    #expect(try add(tweet(6, second: 60)).status == 0)
    #expect(try list().contains("6"))
  }

  /// What is stored or changed while a slow reader reads the first list comes once, after the list.
  @Test func followingDuringTheFirstList() throws {
    let text = String(repeating: "x", count: 300)
    let first = (1...1000).map { tweet($0, second: $0, text: text) }.joined()
    #expect(try add(first).status == 0)
    let tool = try RunningTool("tw-cache", ["list", "--follow", "--oldest-first", "--all"], home: home)
    // The pipe is full now, long before the end of the list.
    try tool.waitForLines(1)
    let later = tweet(1001, second: 1001) + tweet(1002, second: 500) + tweet(999, second: 999, text: text, likes: 7)
    #expect(try add(later).status == 0)
    try tool.waitForLines(1002)
    _ = try add(tweet(1003, second: 1003))
    try tool.waitForLines(1003)
    tool.signal(SIGINT)
    let lines = ids(try tool.finish().lines)
    #expect(lines.count == 1003 && Set(lines).count == 1003)
    #expect(lines.suffix(4) == ["1002", "999", "1001", "1003"])
  }

  /// Deletions are printed, also where deleted tweets are kept.
  @Test(arguments: [[], ["--keep-deleted"]])
  func followingDeletions(options: [String]) throws {
    let retweet = tweet(9, second: 40, more: ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"1\"}]")
    _ = try add(tweet(1, second: 10) + retweet, options)
    let tool = try RunningTool("tw-cache", ["list", "--follow"], home: home)
    try tool.waitForLines(2)
    // A deletion of an unknown tweet and a second deletion are not printed.
    let deletions = ["1", "7", "1"].map { "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"\($0)\"}\n" }.joined()
    _ = try add(deletions + tweet(2, second: 20), options)
    try tool.waitForLines(5)
    tool.signal(SIGINT)
    let lines = try tool.finish().lines.dropFirst(2)
    #expect(
      Array(lines) == [
        #"{"tw":"delete","service":"x","id":"1","user_id":"ujack"}"#,
        #"{"tw":"delete","service":"x","id":"9","user_id":"ujack"}"#, String(tweet(2, second: 20).dropLast()),
      ])
  }

  /// X's v2 sends no author unless asked. The author may become known later.
  @Test func tweetsWithoutAnAuthor() throws {
    let bare =
      "{\"tw\":\"tweet\",\"id\":\"5\",\"service\":\"x\",\"created_at\":\"\(time(5))\",\"text\":\"whose? #a\"}\n"
    let added = try add(bare + tweet(6, second: 6))
    #expect(added.status == 0 && added.errors == "" && added.output == bare + tweet(6, second: 6))
    #expect(try list() == ["6", "5"] && list("--search", "whose") == ["5"] && list("--author", "jack") == ["6"])
    #expect(try cache("top", "authors").output == "1\tjack\n")
    let columns = try Database(store, TweetStore.kind, .readOnly).first(
      "SELECT count(*) FROM timeline WHERE username IS NULL"
    ) { $0.integer(0) }
    #expect(columns == 1)
    // An imported export equals the store.
    let copy = home.path + "/copy.db"
    #expect(try cache("import", "--db", copy, stdin: cache("export").output).status == 0)
    #expect(try cache("export", "--db", copy).output == cache("export").output)
    _ = try add(tweet(5, second: 5, text: "whose? #a", author: "eve", read: 100))
    #expect(try list("--author", "eve") == ["5"])
    try checkStore()
  }

  /// While a reader does not read, the log is emptied.
  @Test func aSlowReaderDoesNotPreventCheckpoints() throws {
    let text = String(repeating: "word ", count: 200)
    _ = try add((0..<1000).map { tweet($0, second: $0, text: text) }.joined())
    let tool = try RunningTool("tw-cache", ["list"], home: home)
    #expect(try tool.line(timeout: 20) != nil)
    for round in 1...3 { _ = try add((0..<1000).map { tweet(round * 1000 + $0, second: $0, text: text) }.joined()) }
    // The last writer has emptied it. An open read transaction would have prevented that.
    let log = try FileManager.default.attributesOfItem(atPath: store + "-wal")[.size] as? Int
    #expect(log == 0)
    // Each tweet that was stored before comes once. Newer ones may come too.
    let found = ids(try tool.finish().lines)
    #expect(Set(found).count == found.count && Set(found).isSuperset(of: (0..<1000).map(String.init)))
  }

  /// A tweet with an unknown time of posting is listed by its time of retrieval, and moves when its time becomes known.
  @Test func aTimeThatBecomesKnownLater() throws {
    let early =
      "{\"tw\":\"tweet\",\"id\":\"at://1\",\"service\":\"bluesky\",\"text\":\"hi #a\",\"author\":{\"id\":\"d\"},"
      + "\"entities\":{\"hashtags\":[{\"tag\":\"a\"}]},\"referenced_tweets\":[{\"type\":\"replied_to\",\"id\":\"at://0\"}],"
      + "\"feeds\":[\"#a\"],"
    _ = try add(early + "\"retrieved_at\":\"\(time(100))\"}\n" + tweet(1, second: 50))
    #expect(try list() == ["at://1", "1"])
    // Edited, then its time becomes known: the earlier text moves with the tweet.
    let edited = early.replacing("hi #a", with: "hi again #a")
    _ = try add(edited + "\"retrieved_at\":\"\(time(150))\"}\n")
    _ = try add(edited + "\"created_at\":\"\(time(10))\",\"retrieved_at\":\"\(time(200))\"}\n")
    #expect(try list() == ["1", "at://1"])
    #expect(ids(try cache("show", "at://1", "--versions").lines) == ["at://1", "at://1"])
    for filter in [["--tag", "a"], ["--feed", "#a"], ["--search", "hi"]] {
      #expect(try list(filter[0], filter[1]) == ["at://1"])
    }
    try checkStore()
  }

  /// A name that nothing has is most often mistyped: the empty list says so.
  @Test func namesThatNothingHas() throws {
    #expect(try add(tweet(1, tags: ["Swift"], feeds: ["#swift"])).status == 0)
    for (arguments, message) in [
      (["--author", "@nobody"], "the store has no user 'nobody'"),
      (["--tag", "swfit"], "no tweet has the hashtag 'swfit'"),
      (["--feed", "#swfit"], "no tweet has come from '#swfit'; did you mean '#swift'?"),
      (["author:nobody"], "the store has no user 'nobody'"),
    ] {
      let result = try Tool.run("tw-cache", ["list"] + arguments, home: home)
      #expect(result.status == 0 && result.output == "")
      #expect(result.errors == "tw-cache: \(message)\n")
    }
    #expect(try cache("list", "--tag", "SWIFT", "--feed", "#Swift").errors == "")
  }
}
