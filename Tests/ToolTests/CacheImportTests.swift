import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// What becomes of two stores when one is imported into the other: what was read, what a person decided differently,
/// and what goes.
@Suite(.onOwnThread) struct CacheImportTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func addUnread(_ input: String, to store: String) throws {
    let result = try Tool.run(
      "tw-cache", ["add", "--db", store], stdin: ToolInput(input), environment: ["TW_NEW_LABELS": "unread"], home: home)
    #expect(result.status == 0)
  }

  private func export(_ store: String) throws -> String { try cache("export", "--db", store).output }

  private func unread(_ store: String) throws -> [String] { try list("--db", store, "--label", "unread") }

  /// Read in one store is read in both, whichever is imported; nothing becomes unread again.
  @Test func readMarksTravel() throws {
    let tweets = (1...4).map { tweet($0, second: $0) }.joined()
    for store in ["a.db", "b.db"] { try addUnread(tweets, to: store) }
    #expect(try cache("label", "--db", "a.db", "-unread", "1", "2").status == 0)
    #expect(try cache("label", "--db", "b.db", "-unread", "3").status == 0)
    let (first, second) = (try export("a.db"), try export("b.db"))
    let merged = try cache("import", "--db", "b.db", stdin: first)
    #expect(merged.status == 0 && merged.errors.contains("2 tweets were read in the other store"), "\(merged.errors)")
    #expect(try unread("b.db") == ["4"])
    #expect(try cache("import", "--db", "a.db", stdin: second).status == 0)
    #expect(try unread("a.db") == ["4"])
    // Again, and into an empty store, nothing is told.
    #expect(try cache("import", "--db", "b.db", stdin: first).errors == "")
    #expect(try cache("import", "--db", "c.db", stdin: second).errors == "" && unread("c.db") == ["4", "2", "1"])
    #expect(try export("c.db") == second)
  }

  /// A store that labels nothing has not read all; and where all was read, the copy of the store knows that too.
  @Test func onlyAStoreThatMarksWhatIsReadSaysSo() throws {
    _ = try add(tweet(1), ["--db", "plain.db"])
    try addUnread(tweet(1) + tweet(2), to: "b.db")
    #expect(try cache("import", "--db", "b.db", stdin: export("plain.db")).errors == "")
    #expect(try unread("b.db").count == 2)
    try addUnread(tweet(1), to: "read.db")
    #expect(try cache("label", "--db", "read.db", "-unread", "1").status == 0)
    let lines = try export("read.db")
    #expect(try cache("import", "--db", "copy.db", stdin: lines).status == 0 && export("copy.db") == lines)
    #expect(try cache("import", "--db", "b.db", stdin: export("copy.db")).status == 0)
    #expect(try unread("b.db") == ["2"])
  }

  @Test func aCopyOfAReadPostIsReadToo() throws {
    func post(_ service: String) -> String {
      tweet(1, more: #","url":"https://a.example/@b/1","extra":{"uri":"https://a.example/users/b/statuses/1"}"#)
        .replacing("\"x\"", with: "\"\(service)\"")
    }
    try addUnread(post("mastodon:a.example"), to: "a.db")
    #expect(try cache("label", "--db", "a.db", "-unread", "1").status == 0)
    try addUnread(post("mastodon:a.example") + post("mastodon:b.example"), to: "b.db")
    #expect(try list("--db", "b.db", "--all-copies", "--label", "unread").count == 2)
    #expect(try cache("import", "--db", "b.db", stdin: export("a.db")).status == 0)
    #expect(try list("--db", "b.db", "--all-copies", "--label", "unread") == [])
  }

  @Test func conflictsAreTold() throws {
    for (store, query, every) in [("a.db", "tea", "15m"), ("b.db", "coffee", "1h")] {
      #expect(try cache("query", "save", "--db", store, "drinks", query).status == 0)
      #expect(try cache("query", "save", "--db", store, "same", "one").status == 0)
      #expect(try cache("source", "add", "--db", store, "#tea", "--every", every).status == 0)
      #expect(try cache("source", "add", "--db", store, "#same", "--every", "2h").status == 0)
    }
    #expect(try cache("source", "pause", "--db", "a.db", "#same").status == 0)
    let lines = try export("a.db")
    let told = try cache("import", "--db", "b.db", stdin: lines).errors
    #expect(told.contains("the saved query 'drinks' stays 'coffee': the export has 'tea'"), "\(told)")
    #expect(told.contains("the source '#tea' stays at every 3600 s: the export has every 900 s"), "\(told)")
    #expect(told.contains("the source '#same' is paused only in the export") && !told.contains("'same'"), "\(told)")
    #expect(told.split(separator: "\n").count == 3, "\(told)")
    #expect(try cache("import", "--db", "b.db", "--quiet", stdin: lines).errors == "")
    #expect(try cache("import", "--db", "a.db", stdin: lines).errors == "")
  }

  /// What the export names as deleted or forgotten goes, and what had a person's label is counted.
  @Test func whatAnImportRemovesIsTold() throws {
    let tweets = (1...5).map { tweet($0, second: $0) }.joined()
    for store in ["a.db", "b.db"] { _ = try add(tweets, ["--db", store]) }
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n", ["--db", "a.db"])
    #expect(try cache("forget", "--db", "a.db", "--yes", "2", "3").status == 0)
    #expect(try cache("label", "--db", "b.db", "+keep", "1", "3", "4").status == 0)
    let lines = try export("a.db")
    let told = try cache("import", "--db", "b.db", "--quiet", stdin: lines)
    #expect(told.status == 0 && told.errors.contains("3 tweets were removed"), "\(told.errors)")
    #expect(told.errors.contains("2 of them had a label"), "\(told.errors)")
    #expect(try list("--db", "b.db") == ["5", "4"])
    #expect(try cache("import", "--db", "b.db", stdin: lines).errors == "")
  }

  // MARK: Edits

  private func edits(_ store: String) throws -> Int {
    try TweetStore(store, .readOnly).database.first("SELECT count(*) FROM tweet_edits") { $0.integer(0) } ?? -1
  }

  /// What is known of the versions of a tweet goes with the last of them, however it goes.
  @Test(arguments: ["forget", "delete", "prune"]) func editsGoWithTheirTweet(way: String) throws {
    let history = #","edit_history_tweet_ids":["1","2"]"#
    _ = try add(
      tweet(1, second: 1, more: history) + tweet(2, second: 1, text: "other", more: history) + tweet(3, second: 900))
    #expect(try edits(store) == 2)
    switch way {
    case "forget": #expect(try cache("forget", "--yes", "2").status == 0)
    case "delete": _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"2\"}\n")
    default:
      let result = try Tool.run(
        "tw-cache", ["prune", "--yes", "--older-than", time(600)], environment: ["TW_NOW": time(172_800)], home: home)
      #expect(result.status == 0)
    }
    #expect(try list("--all") == ["3"] && edits(store) == 0)
    if way == "forget" {
      #expect(try cache("forget", "--undo", "2").status == 0)
      #expect(try list() == ["3", "2"] && Set(list("--all")) == ["1", "2", "3"] && edits(store) == 2)
    }
    try checkStore()
  }

  /// As long as one version is stored, an earlier one that comes late is hidden.
  @Test func editsStayWithAVersion() throws {
    let history = #","edit_history_tweet_ids":["1","2"]"#
    _ = try add(tweet(1, second: 1) + tweet(2, second: 700, text: "other", more: history))
    let result = try Tool.run(
      "tw-cache", ["prune", "--yes", "--older-than", time(600)], environment: ["TW_NOW": time(172_800)], home: home)
    #expect(try result.status == 0 && edits(store) == 2)
    _ = try add(tweet(1, second: 1))
    #expect(try list() == ["2"])
  }

  // MARK: Lists that go on

  private func listed(_ options: String...) throws -> [String] {
    let result = try Tool.run("tw-cache", ["list", "--since-last", "mail", "--quiet"] + options, home: home)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return ids(result.lines).sorted()
  }

  /// Each tweet is in one list, whenever it was posted, and whether it waits to be stored; one that only changed is not
  /// there again.
  @Test func aListGoesOnWhereTheLastOneEnded() throws {
    _ = try add(tweet(1, likes: 1, read: 1) + tweet(2))
    #expect(try listed("--count") == [] && listed() == ["1", "2"] && listed() == [])
    _ = try add(tweet(1, likes: 5, read: 9) + tweet(3, second: -86_400))
    #expect(try listed() == ["3"])
    // One that a program holds is in the next list, and others have their own ends.
    let live = try RunningTool("tw-cache", ["add"], home: home)
    live.send(ToolInput(tweet(4)))
    #expect(try live.line() != nil)
    #expect(try listed() == ["4"])
    #expect(try ids(cache("list", "--since-last", "other").lines).count == 4)
    live.send(ToolInput(tweet(5)))
    #expect(try live.line() != nil && live.finish().status == 0)
    #expect(try ids(cache("list", "--since-last", "other").lines) == ["5"])
  }

  /// What nobody has got is listed again: the reader left, or the command was wrong.
  @Test func anUnfinishedListDoesNotCount() throws {
    _ = try add((1...3000).map { tweet($0, second: $0, text: String(repeating: "word ", count: 40)) }.joined())
    _ = try Tool.shell("cd ~ && tw-cache list --since-last mail | head -n 1", home: home)
    #expect(try listed().count == 3000)
    #expect(try cache("list", "--since-last", "mail", "--follow").status == 64)
    _ = try add(tweet(4000))
    #expect(try cache("list", "--since-last", "mail", "--match", "\"").status == 64)
    #expect(try listed() == ["4000"])
  }

  /// A backup that is restored knows fewer changes: nothing of it is left out, and nothing comes twice.
  @Test func aListGoesOnAfterARestore() throws {
    _ = try add(tweet(1))
    #expect(try cache("backup", "copy.db").status == 0)
    #expect(try listed() == ["1"])
    _ = try add(tweet(2))
    #expect(try listed() == ["2"])
    #expect(try cache("restore", "copy.db").status == 0)
    _ = try add(tweet(3))
    #expect(try listed() == ["1", "3"])
    #expect(try listed() == [])
  }
}
