import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// Tweets of a live stream: on disk at once, seen by readers, and moved to the other tables when many are there or
/// somebody writes.
@Suite(.onOwnThread) struct CacheLiveTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// How many tweets wait in `incoming`, and how many are in `tweets`. Nothing is moved by this.
  private func counts(_ path: String? = nil) throws -> [Int] {
    let database = try Database(path ?? store, TweetStore.kind, .readOnly)
    return try database.first("SELECT (SELECT count(*) FROM incoming), (SELECT count(*) FROM tweets)") { row in
      [row.integer(0), row.integer(1)]
    } ?? []
  }

  /// Starts `tw-cache add`, and sends it records one by one: the next when the last is printed.
  private func live(
    _ records: [String], _ options: [String] = [], environment: [String: String] = [:]
  ) throws -> RunningTool {
    let tool = try RunningTool("tw-cache", ["add"] + options, environment: environment, home: home)
    for record in records {
      tool.send(ToolInput(record))
      #expect(try tool.line().map { $0 + "\n" } == record)
    }
    return tool
  }

  @Test func whatIsPrintedSurvivesAKill() throws {
    let tool = try live([tweet(2, second: 2, text: "日本 two"), tweet(1, second: 1), tweet(3, second: 3)])
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(try counts() == [3, 0])
    #expect(try cache("check").output == "")
    #expect(try counts() == [3, 0])
    #expect(try list() == ["3", "2", "1"] && list("--search", "本") == ["2"])
    #expect(try counts() == [3, 0])
    #expect(try add("").status == 0 && counts() == [0, 3])
    #expect(try list() == ["3", "2", "1"] && list("--search", "本") == ["2"])
    try checkStore()
  }

  /// At the end of the input all of them are where every program sees them.
  @Test func theyAreMovedAtTheEnd() throws {
    let tool = try live([tweet(1), tweet(2)])
    #expect(try counts() == [2, 0])
    tool.closeInput()
    #expect(try tool.finish().status == 0)
    #expect(try counts() == [0, 2])
    let interrupted = try live([tweet(3)])
    #expect(try counts() == [1, 2])
    interrupted.signal(SIGTERM)
    _ = try interrupted.finish()
    #expect(try counts() == [0, 3])
  }

  /// Four thousand are moved while the input goes on.
  @Test func manyAreMovedAtOnce() throws {
    let tool = try RunningTool("tw-cache", ["add"], home: home)
    var most = 0
    for batch in 0..<42 {
      let records = (0..<100).map { tweet(batch * 100 + $0, second: 5000 - batch * 100 - $0, author: "a\(batch)") }
      tool.send(ToolInput(records.joined()))
      for _ in records { _ = try tool.line() }
      most = max(most, try counts()[0])
    }
    #expect(most >= 3900)
    try waitUntil { try counts()[1] >= 4000 }
    #expect(try counts()[0] <= 200)
    tool.closeInput()
    #expect(try tool.finish().status == 0)
    #expect(try list("--all").count == 4200)
    try checkStore()
  }

  /// Which tweets are new is known before they are moved; what was deleted is neither stored nor printed.
  @Test func whatIsNewAndWhatIsDeleted() throws {
    #expect(try add(tweet(1) + "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"9\"}\n").status == 0)
    let tool = try live([tweet(2)], ["--new-only"])
    let quoted = "{\"type\":\"quoted\",\"id\":\"9\",\"text\":\"gone\",\"author\":{\"id\":\"u\"}}"
    let inside = ",\"referenced_tweets\":[\(quoted)]"
    for record in [tweet(1), tweet(2, likes: 5, read: 9), tweet(9), tweet(4, more: inside), tweet(3)] {
      tool.send(ToolInput(record))
      usleep(100_000)
    }
    let quoting = try tool.line()
    #expect(quoting?.contains("\"id\":\"4\"") == true && quoting?.contains("gone") == false)
    #expect(try tool.line().map { $0 + "\n" } == tweet(3))
    // A deletion applies to what waits too.
    tool.send(ToolInput("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"3\"}\n"))
    #expect(try tool.line() != nil)
    #expect(try counts()[0] == 0)
    tool.closeInput()
    let result = try tool.finish()
    #expect(result.status == 0 && result.errors.contains("1 tweet was deleted before"))
    #expect(try list("--oldest-first").sorted() == ["1", "2", "4"])
    #expect(try cache("list", "--min-likes", "5").lines.count == 1)
    #expect(try !cache("list").output.contains("gone"))
  }

  /// They keep the time at which they came, and get the labels that this writer gives: who moves them does not matter.
  @Test func theMoverChangesNothing() throws {
    #expect(try add(tweet(1)).status == 0)
    let tool = try live(
      [tweet(1, likes: 3, read: 5), tweet(2)], environment: ["TW_NEW_LABELS": "unread,later"])
    tool.signal(SIGKILL)
    _ = try tool.finish()
    let seen = try Database(store, TweetStore.kind, .readOnly).first("SELECT max(seen_at) FROM incoming") { $0.text(0) }
    usleep(20_000)
    #expect(try add("").status == 0 && counts() == [0, 2])
    #expect(try list("--label", "unread") == ["2"] && list("--label", "later") == ["2"])
    let database = try Database(store, TweetStore.kind, .readOnly)
    let times = try database.first("SELECT first_seen FROM tweets WHERE id = '2'") { $0.text(0) }
    #expect(seen != nil && times == seen)
  }

  /// Two programs put tweets there, and two look at the store.
  @Test func severalAtOnce() throws {
    #expect(try add("").status == 0)
    let writers = try (0..<2).map { _ in try RunningTool("tw-cache", ["add"], home: home) }
    let follower = try RunningTool(
      "tw-cache", ["list", "--follow", "--all"], environment: ["TW_NOW": time(3600)], home: home)
    for number in 0..<40 {
      writers[number % 2].send(ToolInput(tweet(number, second: number)))
      guard number % 8 == 0 else { continue }
      let listed = try cache("list", "--quiet")
      #expect(listed.errors == "", "\(listed.errors)")
    }
    for writer in writers { for _ in 0..<20 { #expect(try writer.line() != nil) } }
    var followed: Set<String> = []
    while followed.count < 40, let line = try follower.line() { followed.formUnion(ids([line])) }
    #expect(followed.count == 40)
    follower.signal(SIGTERM)
    _ = try follower.finish()
    for writer in writers {
      writer.closeInput()
      #expect(try writer.finish().status == 0)
    }
    #expect(try list("--all").count == 40 && counts() == [0, 40])
    try checkStore()
  }

  /// In a pipeline: what was printed is there for the next program, though its store is open already.
  @Test func theNextProgramOfAPipelineFindsThem() throws {
    #expect(try add(tweet(1)).status == 0)
    func labelled() throws -> Int? {
      try Database(store, TweetStore.kind, .readOnly).first("SELECT count(*) FROM tweet_labels") { $0.integer(0) }
    }
    let label = try RunningTool("tw-cache", ["label", "+later"], home: home)
    label.send(ToolInput(tweet(1)))
    try waitUntil { try labelled() == 1 }
    let writer = try live([tweet(2), tweet(3)])
    #expect(try counts()[0] == 2)
    label.send(ToolInput(tweet(2)))
    label.closeInput()
    #expect(try label.finish().status == 0)
    writer.closeInput()
    _ = try writer.finish()
    #expect(try list("--label", "later").sorted() == ["1", "2"])
  }

  /// A damaged one is named, is not printed, and keeps nobody from storing others. A repair saves the rest.
  @Test func aDamagedOne() throws {
    let tool = try live([tweet(1), tweet(2), tweet(3)])
    tool.signal(SIGKILL)
    _ = try tool.finish()
    do {
      let database = try Database(store, TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in
        try database.run("UPDATE incoming SET labels = 'other' WHERE id = '2'")
      }
    }
    #expect(try cache("check").lines == ["1 row of incoming is damaged"])
    let result = try cache("list", "--quiet")
    #expect(result.status == 74 && result.errors.contains("'x:2'") && Set(ids(result.lines)) == ["1", "3"])
    #expect(try add(tweet(4)).status == 0 && counts() == [1, 3])
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.errors.contains("saved 3 tweets"), "\(repair.errors)")
    #expect(repair.lines == ["altered\ttweet\tx\t2"])
    #expect(try list().count == 3)
    #expect(try cache("check").output == "")
  }

  /// Copies have them: a backup that is made meanwhile, and the export.
  @Test func copiesHaveThem() throws {
    #expect(try add(tweet(1)).status == 0)
    let tool = try live([tweet(2), tweet(3)])
    let export = try cache("export")
    #expect(export.lines.count { $0.hasPrefix("{\"tw\":\"tweet\"") } == 3)
    tool.send(ToolInput(tweet(4)))
    #expect(try tool.line() != nil)
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(try cache("backup", "copy.db").status == 0)
    #expect(try cache("list", "--db", "copy.db", "--quiet").lines.count == 4)
  }

  /// A program is killed after it has printed 300 records, and one bit of the log is wrong: nothing is overwritten
  /// without a word, and a repair has them all.
  @Test func oneBitOfTheLogOfAKilledWriter() throws {
    #expect(try add(tweet(0)).status == 0)
    let writer = try RunningTool("tw-cache", ["add"], home: home)
    for piece in 0..<30 {
      writer.send(ToolInput((1...10).map { tweet(piece * 10 + $0, second: piece * 10 + $0) }.joined()))
      try writer.waitForLines((piece + 1) * 10)
    }
    writer.signal(SIGKILL)
    #expect(try writer.finish().ending == .signal(SIGKILL))
    let name = ".local/share/tw/tw.db-wal"
    var log = try home.read(name)
    log[20_000] ^= 4
    try home.write(name, log)
    let advice =
      "tw-cache: the log '\(store)-wal' is damaged: what was stored after the damage would be lost; nothing was changed; keep a copy of it, then 'tw-cache check --repair' saves what is sound\n"
    for command in [["list"], ["add"], ["export"], ["prune", "--older-than", "365d"], ["label", "+a"]] {
      let result = try Tool.run("tw-cache", command, stdin: ToolInput(tweet(400)), home: home)
      #expect(result.status == 74 && result.output == "" && result.errors == advice, "\(command): \(result.errors)")
    }
    #expect(try home.read(name) == log)
    let check = try cache("check")
    #expect(check.status == 1 && check.lines.contains { $0.hasPrefix("the log has ") })
    let repair = try cache("check", "--repair")
    #expect(repair.errors.contains("saved 301 tweets"), "\(repair.errors)")
    #expect(try list().count == 301)
    #expect(try cache("check").output == "")
  }
}
