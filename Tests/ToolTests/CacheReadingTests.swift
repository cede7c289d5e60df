import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import SQLite
@testable import TweetStore

/// Readers see the tweets that wait in `incoming`, and neither wait for the write lock nor write.
@Suite(.onOwnThread) struct CacheReadingTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// How many tweets wait in `incoming`, and how many are in `tweets`.
  private func counts() throws -> [Int] {
    let database = try Database(store, TweetStore.kind, .readOnly)
    return try database.first("SELECT (SELECT count(*) FROM incoming), (SELECT count(*) FROM tweets)") { row in
      [row.integer(0), row.integer(1)]
    } ?? []
  }

  /// Puts tweets into `incoming`, one by one: the writer is killed before it moves them.
  private func leaveWaiting(
    _ records: [String], atOnce: Int = 1, environment: [String: String] = [:]
  ) throws {
    let before = try counts()[0]
    let tool = try RunningTool("tw-cache", ["add"], environment: environment, home: home)
    for start in stride(from: 0, to: records.count, by: atOnce) {
      let batch = records[start..<min(start + atOnce, records.count)]
      tool.send(ToolInput(batch.joined()))
      for _ in batch { #expect(try tool.line() != nil) }
    }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(try counts()[0] == before + records.count)
  }

  /// A user, as members of an `author`.
  private func author(_ id: String, _ username: String) -> String {
    "{\"id\":\"\(id)\",\"username\":\"\(username)\",\"name\":\"\(username) \(id)\"}"
  }

  private func inner(_ type: String, _ id: Int, _ more: String = "") -> String {
    ",\"referenced_tweets\":[{\"type\":\"\(type)\",\"id\":\"\(id)\"\(more)}]"
  }

  private var stored: String {
    tweet(1, second: 1, text: "first #a", likes: 1, read: 10, tags: ["a"], feeds: ["home"])
      + tweet(2, second: 2, author: "ann", read: 10, more: inner("replied_to", 1))
      + tweet(3, second: 3, author: "bob", likes: 3, read: 10, more: ",\"lang\":\"de\"")
      + tweet(4, second: 4, author: "cid", read: 10, tags: ["a", "b"], feeds: ["#b"])
      + tweet(5, second: 5, author: "zoe")
  }

  /// New tweets and new versions of stored ones: newer, older and the same, with users, names, hashtags, links and
  /// sources that are stored and that are new.
  private var waiting: [String] {
    let link = "{\"start\":0,\"end\":1,\"url\":\"https://t.co/1\",\"expanded_url\":\"https://www.example.com/1\"}"
    let retweeted = ",\"text\":\"hello\",\"author\":\(author("ubob", "bob")),\"public_metrics\":{\"like_count\":33}"
    let quoted = ",\"text\":\"q\",\"author\":\(author("uqq", "qq"))"
    return [
      tweet(1, second: 1, text: "first, later #c", likes: 11, read: 20, tags: ["c"], feeds: ["#new"]),
      tweet(6, second: 6, author: "eve", read: 20, more: inner("replied_to", 2)),
      tweet(7, second: 7, author: "ann", read: 20, more: inner("retweeted", 3, retweeted)),
      tweet(8, second: 8, author: "cid", read: 20, tags: ["b"], feeds: ["#b"])
        .replacing("\"username\":\"cid\"", with: "\"username\":\"sid\""),
      tweet(9, second: 9, text: "日本語の", author: "new", read: 20, more: inner("quoted", 77, quoted)),
      tweet(10, second: 10, read: 20, more: ",\"entities\":{\"urls\":[\(link)]},\"lang\":\"de\""),
      tweet(2, second: 2, author: "ann", likes: 2, read: 5, more: ",\"lang\":\"fr\""),
      tweet(4, second: 4, author: "cid", read: 10, tags: ["a", "b"], feeds: ["#b"]),
      tweet(6, second: 6, author: "eve", likes: 6, read: 30, more: inner("replied_to", 2)),
      tweet(11, second: 11, author: "zoe", more: ",\"withheld\":{\"country_codes\":[\"XX\"]}"),
      tweet(12, second: 3, author: "late", likes: 1, read: 20, tags: ["A"]),
    ]
  }

  private static let readers: [[String]] = [
    ["list"], ["list", "--all"], ["list", "--oldest-first", "-n", "4"], ["list", "-n", "3"], ["list", "--count"],
    ["list", "--tag", "b"], ["list", "--tag", "a"], ["list", "--tag", "c"], ["list", "--author", "cid"],
    ["list", "--author", "sid"], ["list", "--author", "sid", "--author", "ann", "--service", "x"],
    ["list", "--author", "new"], ["list", "--search", "本語"], ["list", "--search", "later"],
    ["list", "--search", "first"], ["list", "--match", "hello OR later"], ["list", "--feed", "#new"],
    ["list", "--feed", "#b", "--feed", "home"], ["list", "--lang", "de"], ["list", "--lang", "de", "--has", "links"],
    ["list", "--is", "reply"], ["list", "--is", "original"], ["list", "--is", "retweet"], ["list", "--min-likes", "6"],
    ["list", "--sort", "likes"], ["list", "--label", "unread"], ["list", "--without-label", "unread"],
    ["list", "--host", "example.com"], ["list", "--links", "page"], ["list", "--after", "5"],
    ["list", "--before", "6"],
    ["list", "lang:de -author:bob"], ["list", "--query", "mine"], ["show", "1"], ["show", "6"],
    ["show", "--versions", "1"],
    ["show", "--counts", "1"], ["show", "--counts", "3"], ["top", "hashtags"], ["top", "links"], ["top", "authors"],
    ["users"], ["users", "sid"], ["users", "--names"], ["export"], ["stats"], ["label", "8"],
    ["prune", "--dry-run", "--older-than", "1d"],
  ]

  /// What all readers print of the store; of `stats` what counts tweets.
  private func outputs() throws -> [String] {
    try Self.readers.map { arguments in
      let result = try Tool.run("tw-cache", arguments, environment: ["TW_NOW": time(3600)], home: home)
      #expect(result.status == 0 && !result.errors.contains("no tweets"), "\(arguments): \(result.errors)")
      let lines = result.lines.filter {
        !$0.hasPrefix("bytes\t") && !$0.contains("\trecent\t") && !$0.contains("\tincoming\t")
      }
      return (["$ " + arguments.joined(separator: " ")] + lines).joined(separator: "\n")
    }
  }

  /// Whatever is asked of the store, the answer is the same before and after a writer moves the tweets.
  @Test func whatWaitsIsSeenAsIfItWereMoved() throws {
    #expect(try add(stored).status == 0 && cache("query", "save", "mine", "tag:b").status == 0)
    try leaveWaiting(waiting, environment: ["TW_NEW_LABELS": "unread"])
    let kinds: [StoredNames] = [.hashtags, .users, .feeds, .labels, .queries]
    func names() throws -> [[String]] { try kinds.map { try $0.names(startingWith: "", in: store) } }
    let (before, namesBefore) = (try outputs(), try names())
    #expect(try counts() == [11, 5])
    #expect(try add("").status == 0 && counts() == [0, 12])
    for (one, other) in zip(before, try outputs()) { #expect(one == other) }
    #expect(try namesBefore == names() && namesBefore[0] == ["a", "b", "c"])
    #expect(try list() == ["10", "9", "8", "7", "6", "5", "4", "12", "3", "2", "1"])
    try checkStore()
  }

  /// With several pages, and tweets with the same times.
  @Test func manyThatWait() throws {
    #expect(try add((0..<300).map { tweet($0, second: $0 % 50, author: "a\($0 % 9)") }.joined()).status == 0)
    try leaveWaiting(
      (200..<500).map { tweet($0, second: $0 % 50, author: "a\($0 % 7)", likes: 5, read: 1) }, atOnce: 60)
    let before = try (list("--all"), list("--author", "a3"), list("--author", "a3", "--author", "a4", "--oldest-first"))
    #expect(before.0.count == 500 && Set(before.0).count == 500)
    #expect(try add("").status == 0)
    #expect(
      try before == (list("--all"), list("--author", "a3"), list("--author", "a3", "--author", "a4", "--oldest-first")))
  }

  /// A process that was stopped in a transaction has the lock for ever.
  @Test func noReaderWaitsForTheLock() throws {
    #expect(try add(stored).status == 0 && cache("query", "save", "mine", "tag:b").status == 0)
    try leaveWaiting(waiting)
    let media = try MediaStore(Paths.mediaStore(besides: store)) { Issue.record("\($0)") }
    let checked = try #require(Timestamp(parsing: "2021-11-03T22:00:00.000Z"))
    try media.store([
      StoredLink(url: "https://www.example.com/1", verdict: "ok", linkKind: "music", checkedAt: checked)
    ])
    let before = try outputs()
    let writer = try Database(store, TweetStore.kind, .readWrite)
    try writer.begin()
    defer { writer.rollback() }
    try writer.run("DELETE FROM tweets")
    #expect(try outputs() == before)
    #expect(try list("--links", "music") == ["10"])
    #expect(try StoredNames.users.names(startingWith: "si", in: store) == ["sid"])
  }

  /// A follower prints each tweet when it comes, and not again when it is moved.
  @Test func aFollowerPrintsEachChangeOnce() throws {
    #expect(try add(stored).status == 0)
    let follower = try RunningTool(
      "tw-cache", ["list", "--follow", "--all"], environment: ["TW_NOW": time(3600)], home: home)
    try follower.waitForLines(5)
    let writer = try RunningTool("tw-cache", ["add"], home: home)
    for (number, record) in waiting.enumerated() {
      writer.send(ToolInput(record))
      #expect(try writer.line() != nil)
      if number == 5 { try follower.waitForLines(11) }
    }
    // One waits when the follower begins.
    let second = try RunningTool("tw-cache", ["list", "--follow", "--tag", "b"], home: home)
    try second.waitForLines(2)
    writer.closeInput()
    _ = try writer.finish()
    #expect(try add(tweet(13, second: 13, tags: ["b"])).status == 0)
    var lines: [String] = []
    while let line = try follower.line() {
      lines.append(line)
      if ids([line]) == ["13"] { break }
    }
    // The same version of 4 is no change. The retweet has brought new counts of 3, which are stored when it is moved.
    #expect(ids(lines) == ["1", "2", "3", "4", "5", "1", "6", "7", "8", "9", "10", "2", "6", "11", "12", "3", "13"])
    #expect(try second.line() != nil && second.line() != nil && second.line().map { ids([$0]) } == ["13"])
    for tool in [follower, second] {
      tool.signal(SIGTERM)
      _ = try tool.finish()
    }
  }

  /// What comes while a follower reads its first list is a change too, whether it is moved meanwhile or not.
  @Test func nothingIsMissedInTheFirstList() throws {
    #expect(try add(stored).status == 0)
    let reader = try TweetStore(store, .readOnly)
    let last = try reader.lastChange()
    try leaveWaiting([tweet(6), tweet(7)])
    try reader.update()
    let waiting = try reader.changes(after: last)
    #expect(waiting.changes.count == 2 && waiting.isComplete)
    #expect(try add("").status == 0)
    try reader.update()
    let moved = try reader.changes(after: last)
    #expect(moved.changes.count == 2 && moved.isComplete && moved.last == last + 2)
    let rest = try reader.changes(after: moved.last)
    #expect(rest.changes.isEmpty)
  }

  /// Any program sees them at once, by the view for people: the newest version of each, and no withheld one.
  @Test func otherProgramsSeeThemInTheTimeline() throws {
    #expect(try add(stored).status == 0)
    try leaveWaiting(waiting)
    func timeline() throws -> [[String]] {
      let database = try Database(store, TweetStore.kind, .readOnly)
      var rows: [[String]] = []
      try database.forEachRow("SELECT id, text, username, like_count, lang, key, created_at FROM timeline") { row in
        rows.append((0..<7).map { row.text($0) ?? "-" })
      }
      return rows
    }
    let before = try timeline()
    #expect(before.map { $0[0] } == ["10", "9", "8", "7", "6", "5", "4", "12", "3", "2", "1"])
    #expect(before.last?[1] == "first, later #c" && before[4][3] == "6" && before[2][2] == "sid")
    #expect(try add("").status == 0)
    // What is known beside the newest version of a tweet comes with the move.
    let after = try timeline()
    #expect(before.map { [$0[0], $0[1], $0[5], $0[6]] } == after.map { [$0[0], $0[1], $0[5], $0[6]] })
  }

  /// Two tweets of one moment whose ids end in the same bits: each has a key of its own.
  @Test func keysThatOthersHave() throws {
    let ids = (0..<4).map { 7 + $0 << 22 }
    #expect(try add(tweet(ids[0])).status == 0)
    // One has the moment of the stored one; two have another one.
    try leaveWaiting([
      tweet(ids[1]), tweet(ids[2], second: 1), tweet(ids[3], second: 1), tweet(ids[1], likes: 3, read: 1),
    ])
    let before = try cache("list").output
    // What other programs see, and what a follower finds a changed tweet by.
    let keys = { () throws -> Int in
      let database = try Database(store, TweetStore.kind, .readOnly)
      return try database.connection.integer("SELECT count(DISTINCT key) FROM timeline")
    }
    #expect(try keys() == 4 && list().count == 4)
    #expect(try add("").status == 0 && cache("list").output == before && keys() == 4)
  }

  /// A tweet whose storing changes others does not wait: X's edits hide the versions before.
  @Test func anEditIsStoredAtOnce() throws {
    #expect(try add(tweet(1)).status == 0)
    let history = ",\"edit_history_tweet_ids\":[\"1\",\"2\"]"
    let tool = try RunningTool("tw-cache", ["add"], home: home)
    for record in [tweet(3), tweet(2, second: 1, more: history)] {
      tool.send(ToolInput(record))
      #expect(try tool.line() != nil)
    }
    #expect(try counts() == [0, 3] && Set(list()) == ["2", "3"])
    tool.closeInput()
    _ = try tool.finish()
  }

  /// A file that a writer is about to fill is not waited for, and is not a store without tweets.
  @Test func anEmptyFile() throws {
    try home.write("empty.db", "")
    let lock = try WriteLock(of: home.path + "/empty.db", nil)
    try lock.acquire(within: 0)
    defer { lock.release() }
    let result = try cache("list", "--db", "empty.db")
    #expect(result.status == 66 && result.errors.contains("'empty.db' is empty") && result.output == "")
  }

  // MARK: Ctrl-Z

  /// Waits until a process has stopped.
  private func waitForStop(_ process: Int32) throws {
    try waitUntil {
      try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")").last?.hasPrefix(" T")
        == true
    }
  }

  /// A writer that is stopped in its work has no lock: others write, and it goes on where it was.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
  func ctrlZReleasesTheLock() throws {
    func tweets(_ range: Range<Int>) -> ToolInput {
      ToolInput(range.map { tweet($0, second: $0, author: "a\($0 % 999)", tags: ["t\($0 % 77)"]) }.joined())
    }
    let writer = try RunningTool("tw-cache", ["add", "--quiet"], home: home, stdoutPath: "/dev/null")
    writer.send(tweets(0..<20_000))
    var chance = Chance()
    try waitUntil { TweetStore.exists(store) }
    for round in 0..<8 {
      // It is in its work, however quick it is.
      writer.send(tweets(20_000 + round * 5000..<25_000 + round * 5000))
      chance.pause(upTo: 50_000)
      writer.signal(SIGTSTP)
      try waitForStop(writer.processID)
      let lock = try WriteLock(of: store, nil)
      try lock.acquire(within: 0)
      lock.release()
      #expect(try add(tweet(100_000 + round)).status == 0)
      writer.signal(SIGCONT)
    }
    #expect(try writer.finish(timeout: 300).status == 0)
    #expect(try cache("list", "--count").output == "60008\n")
    try checkStore()
  }

  /// One that waits for the lock leaves the queue, and joins it again at its end.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
  func ctrlZLeavesTheQueue() throws {
    #expect(try add(tweet(1)).status == 0)
    let lock = try WriteLock(of: store, nil)
    try lock.acquire(within: 0)
    let first = try RunningTool("tw-cache", ["label", "+a", "1"], home: home)
    try waitUntil { try LockQueue.count(of: store) >= 1 }
    first.signal(SIGTSTP)
    try waitForStop(first.processID)
    #expect(try LockQueue.count(of: store) == 0)
    let second = try RunningTool("tw-cache", ["label", "+b", "1"], home: home)
    try waitUntil { try LockQueue.count(of: store) >= 1 }
    lock.release()
    #expect(try second.finish().status == 0)
    first.signal(SIGCONT)
    #expect(try first.finish().status == 0)
    #expect(try list("--label", "a", "--label", "b") == ["1"])
  }

  /// A process that ignores Ctrl-Z goes on.
  @Test func ctrlZCanBeIgnored() throws {
    let tool = try RunningTool("/bin/sh", ["-c", "trap '' TSTP; exec \"$0\" add", Tool.path("tw-cache")], home: home)
    tool.send(ToolInput(tweet(1)))
    #expect(try tool.line() != nil)
    tool.signal(SIGTSTP)
    tool.send(ToolInput(tweet(2)))
    #expect(try tool.line() != nil)
    tool.closeInput()
    #expect(try tool.finish().status == 0)
  }
}
