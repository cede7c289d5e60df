import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// tw-cache forget: what is removed, what does not come back, and what does.
@Suite(.onOwnThread) struct CacheForgetTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func referring(_ type: String, to id: Int, text: String) -> String {
    let author = "\"author\":{\"id\":\"uann\",\"username\":\"ann\"}"
    let inner = "{\"type\":\"\(type)\",\"id\":\"\(id)\",\"text\":\"\(text)\",\(author)}"
    return ",\"referenced_tweets\":[\(inner)]"
  }

  /// A tweet, its retweet, a quote of it, and an answer.
  private func records() -> String {
    tweet(1, second: 1, text: "first secret", author: "ann", likes: 3, tags: ["sea"], feeds: ["home"], read: 60)
      + tweet(
        2, second: 2, text: "RT @ann: first secret", author: "ben",
        more: referring("retweeted", to: 1, text: "first secret"), read: 60)
      + tweet(
        3, second: 3, text: "see this", author: "cleo", more: referring("quoted", to: 1, text: "first secret"), read: 60
      )
      + tweet(4, second: 4, text: "other", author: "ann") + tweet(5, second: 5, text: "last", author: "dan")
  }

  private func tweet(
    _ id: Int, second: Int, text: String, author: String, likes: Int? = nil, tags: [String] = [],
    feeds: [String] = [], more: String = "", read: Int? = nil
  ) -> String {
    tweet(
      id, second: second, text: text, author: author, likes: likes, read: read, tags: tags, feeds: feeds, more: more)
  }

  private func sql(_ query: String) throws -> String {
    try Tool.shell("sqlite3 '\(store)' \"\(query)\"", home: home).output
  }

  /// Whether the store has nothing of the tweet but what can bring it back.
  private func expectNothingOfIt() throws {
    #expect(try list() == ["5", "4", "3"] && list("--search", "secret") == [] && list("--tag", "sea") == [])
    #expect(try !cache("list").output.contains("secret"))
    #expect(
      try sql(
        "SELECT (SELECT count(*) FROM tweets WHERE text LIKE '%secret%'), (SELECT count(*) FROM tweet_hashtags),"
          + " (SELECT count(*) FROM tweet_feeds), (SELECT count(*) FROM tweet_labels)") == "0|0|0|0\n")
    #expect(try cache("check").output == "")
    try checkStore()
  }

  @Test func aForgottenTweetStaysAwayAndComesBack() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("label", "+later", "1").status == 0)
    let before = try cache("export").output
    let asked = try cache("forget", "1")
    #expect(asked.status == 64 && asked.output == "")
    #expect(
      asked.errors.contains("forget 1 tweet, 1 retweet of it, and the copies of it in 1 tweet"), "\(asked.errors)")
    let dry = try cache("forget", "--dry-run", "https://x.com/ann/status/1")
    #expect(dry.status == 0 && dry.output.hasPrefix("would forget 1 tweet, 1 retweet of it") && dry.errors == "")
    #expect(try cache("export").output == before)
    let forgot = try cache("forget", "--yes", "x:1")
    #expect(forgot.status == 0 && forgot.output == "" && forgot.errors.contains("forgot 1 tweet; until the next prune"))
    try expectNothingOfIt()
    // Whatever brings it again: a refresh, a file, a stream, an export of earlier times.
    let again = try add(records())
    #expect(again.status == 0 && !again.output.contains("secret"), "\(again.output)")
    #expect(again.errors.contains("2 tweets were forgotten before: not stored"), "\(again.errors)")
    try expectNothingOfIt()
    let live = try RunningTool("tw-cache", ["add"], home: home)
    for record in records().split(separator: "\n") { live.send(ToolInput(record + "\n")) }
    live.closeInput()
    #expect(try !live.finish().output.contains("secret"))
    try expectNothingOfIt()
    #expect(try cache("import", stdin: before.replacing("\"later\"", with: "\"more\"")).status == 0)
    try expectNothingOfIt()
    // It can be looked at, and comes back as it was.
    #expect(ids(try cache("forget", "--list").lines) == ["1"])
    #expect(try cache("forget", "--undo", "--dry-run").output == "would bring back 1 tweet\n")
    #expect(try cache("forget", "--undo", "2").status == 66)
    let undone = try cache("forget", "--undo")
    #expect(undone.status == 0 && undone.errors.contains("brought back 1 tweet"), "\(undone.errors)")
    #expect(try list() == ["5", "4", "3", "2", "1"] && list("--search", "in:text secret") == ["2", "1"])
    #expect(try list("--label", "later") == ["1"] && list("--tag", "sea") == ["1"] && list("--feed", "home") == ["1"])
    #expect(try sorted(cache("export").output) == sorted(before))
    #expect(try cache("forget", "--list").output == "" && cache("check").output == "")
    try checkStore()
  }

  private func sorted(_ export: String) -> [String] {
    export.split(separator: "\n").map { line in
      // When it was stored again is not when it was stored first.
      line.replacing(/"last_seen":"[^"]*"/, with: "").replacing(/"(\w*)","[-0-9T:.]*Z","[-0-9T:.]*Z"/) { "\($0.1)" }
    }.map { String($0) }.sorted()
  }

  @Test func authorsAndLabels() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("label", "+old", "4", "5").status == 0)
    #expect(
      try cache("forget", "--dry-run", "--author", "@ANN").output.hasPrefix("would forget 2 tweets, 1 retweet of them"))
    #expect(try cache("forget", "--yes", "--label", "old", "--author", "ann").status == 0)
    #expect(try list() == ["5", "3", "2", "1"])
    #expect(try cache("forget", "--yes", "--author", "ann").status == 0)
    #expect(try list() == ["5", "3"])
    #expect(ids(try cache("forget", "--list").lines).sorted() == ["1", "4"])
    let nobody = try cache("forget", "--yes", "--author", "nobody")
    #expect(nobody.status == 0 && nobody.errors.contains("no tweet was found"))
    #expect(try cache("forget", "--yes", "--label", "none").errors.contains("no tweet has had the label 'none'"))
    #expect(try cache("forget", "--yes", "99").status == 66)
    for wrong in [[], ["--undo", "--list"], ["1", "--author", "ann"], ["--list", "1"], ["--undo", "--label", "a"]] {
      let result = try Tool.run("tw-cache", ["forget"] + wrong, home: home)
      #expect(result.status == 64 && result.output == "", "\(wrong): \(result.errors)")
    }
    #expect(try cache("forget", "--undo", "1", "--quiet").errors == "")
    #expect(try list() == ["5", "3", "2", "1"])
    #expect(try cache("check").output == "")
  }

  /// After a prune nothing brings it back, and it stays away all the same.
  @Test func aPruneMakesItFinal() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("forget", "--yes", "1").status == 0)
    #expect(
      try cache("prune", "--dry-run", "--older-than", "2006-01-01").output.contains(
        "forgotten or deleted tweets that could come back\t1\n"))
    #expect(
      try cache("prune", "--yes", "--older-than", "2006-01-01").errors.contains(
        "bring back 1 forgotten or deleted tweets"))
    #expect(
      try cache("forget", "--list").output == "" && cache("forget", "--undo").errors.contains("brought back 0 tweets"))
    #expect(try cache("forget", "--undo", "1").status == 66)
    _ = try add(records())
    try expectNothingOfIt()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    #expect(bytes.range(of: Data("secret".utf8)) == nil)
  }

  /// Exports, imports, backups and repairs know what was forgotten.
  @Test func itIsForgottenInCopiesToo() throws {
    #expect(try add(records()).status == 0)
    let before = try cache("export").output
    #expect(try cache("forget", "--yes", "1").status == 0)
    let export = try cache("export").output
    #expect(export.contains("{\"tw\":\"forgotten\",\"service\":\"x\",\"id\":\"1\",\"named\":\"1\""))
    // An empty store, and one that has the tweet.
    for (name, content) in [("empty.db", ""), ("full.db", before)] {
      #expect(try cache("import", "--db", name, stdin: content + export).status == 0)
      #expect(try ids(cache("list", "--db", name).lines) == ["5", "4", "3"], "\(name)")
      #expect(try cache("import", "--db", name, stdin: before).status == 0)
      #expect(try ids(cache("list", "--db", name).lines) == ["5", "4", "3"], "\(name)")
      #expect(try cache("check", "--db", name).output == "")
      #expect(try cache("forget", "--undo", "--db", name).status == 0)
      #expect(try ids(cache("list", "--db", name).lines) == ["5", "4", "3", "2", "1"], "\(name)")
    }
    #expect(try cache("import", "--db", "same.db", stdin: export).status == 0)
    #expect(try cache("export", "--db", "same.db").output == export)
    #expect(try cache("backup", "copy.db").status == 0)
    #expect(try Tool.run("tw-cache", ["add", "--db", "copy.db"], stdin: ToolInput(records()), home: home).status == 0)
    #expect(try ids(cache("list", "--db", "copy.db").lines) == ["5", "4", "3"])
    // A damaged row of another table: what is sound is saved.
    #expect(
      try sql(
        "UPDATE tombstones SET user_id = 1; UPDATE labels SET label = 'x'; UPDATE users SET name = 'x' WHERE id = 'udan'"
      ) == "")
    #expect(try cache("check", "--repair").status != 70)
    #expect(try list("--author", "ann") == ["4"])
    #expect(ids(try cache("forget", "--list").lines) == ["1"])
    _ = try add(records())
    #expect(try list("--search", "secret") == [])
    #expect(try cache("forget", "--undo").errors.contains("brought back 1 tweet"))
  }

  /// What a service deletes or withholds meanwhile does not come back in spite of that.
  @Test func aServiceDemandsMore() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("forget", "--yes", "1", "4").status == 0)
    #expect(try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n").status == 0)
    #expect(ids(try cache("forget", "--list").lines) == ["4"])
    #expect(try sql("SELECT count(*) FROM forgotten_tweets WHERE named = '1'") == "0\n")
    #expect(try cache("forget", "--undo").errors.contains("brought back 1 tweet"))
    #expect(try list() == ["5", "4", "3"])
    #expect(try cache("check").output == "")
  }

  /// What is taken back is found by an index: sixty thousand tweets took a minute.
  @Test func takingBackReadsNoTable() throws {
    #expect(try add(records()).status == 0)
    let database = try Database(store, TweetStore.kind, .readOnly)
    for table in ["forgotten", "forgotten_tweets"] {
      var plan = ""
      try database.forEachRow(sql: "EXPLAIN QUERY PLAN DELETE FROM \(table) WHERE service = 'x' AND named = '1'") {
        row in
        plan += row.text(3) ?? ""
      }
      #expect(plan.contains("service=? AND named=?"), "\(plan)")
    }
    let many = (100..<400).map { tweet($0, second: $0, text: "many", author: "eve") }.joined()
    #expect(try add(many).status == 0)
    #expect(try cache("forget", "--yes", "--author", "eve").status == 0)
    #expect(try cache("forget", "--undo", "399", "100", "x:200").errors.contains("brought back 3 tweets"))
    #expect(try cache("forget", "--undo", "100").status == 66)
    #expect(try cache("forget", "--undo").errors.contains("brought back 297 tweets"))
    try checkStore()
  }

  /// All versions of an edited tweet go, and come back.
  @Test func versionsGoTogether() throws {
    let history = ",\"edit_history_tweet_ids\":[\"11\",\"12\"]"
    let input = tweet(11, second: 1, text: "draft", more: history) + tweet(12, second: 2, text: "final", more: history)
    #expect(try add(input).status == 0)
    #expect(try list("--all") == ["12", "11"] && list() == ["12"])
    #expect(try cache("forget", "--yes", "12").status == 0)
    #expect(try list("--all") == [])
    _ = try add(input)
    #expect(try list("--all") == [])
    #expect(ids(try cache("forget", "--list").lines) == ["12"])
    let export = try cache("export").output
    #expect(try cache("import", "--db", "other.db", stdin: input + export).status != 70)
    #expect(try ids(cache("list", "--all", "--db", "other.db").lines) == [])
    #expect(try cache("forget", "--undo", "x:12").status == 0)
    #expect(try list("--all") == ["12", "11"] && list() == ["12"])
    #expect(try cache("check").output == "")
  }

  /// A damaged row among those that bring a tweet back is told, and nothing is half done.
  @Test func damageIsTold() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("forget", "--yes", "1").status == 0)
    _ = try sql("UPDATE forgotten_tweets SET text = 'other' WHERE id = '2'")
    #expect(try cache("check").output.contains("1 row of forgotten_tweets is damaged"))
    let undone = try cache("forget", "--undo")
    #expect(undone.status == 74 && undone.errors.contains("forgotten tweet 'x:1'"), "\(undone.errors)")
    #expect(try list() == ["5", "4", "3"])
    #expect(try ids(cache("forget", "--list").lines) == ["1"])
  }

  /// A tweet that waits in `incoming` is forgotten too.
  @Test func aWaitingTweet() throws {
    let live = try RunningTool("tw-cache", ["add"], home: home)
    let record = tweet(1, second: 1, text: "first secret", author: "ann")
    live.send(ToolInput(record))
    #expect(try live.line().map { $0 + "\n" } == record)
    #expect(try cache("forget", "--yes", "1").status == 0)
    #expect(try list() == [])
    live.send(ToolInput(record + tweet(5, second: 5, text: "last", author: "dan")))
    live.closeInput()
    #expect(try !live.finish().output.contains("\n\(record)"))
    #expect(try list() == ["5"])
    #expect(try cache("check").output == "")
  }

  // MARK: Deleted by a service

  private func deletion(_ id: Int) -> String { "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"\(id)\"}\n" }

  /// What a feed said is deleted is gone for every reader, and comes back whole until the store is pruned.
  @Test func whatAServiceDeletedComesBack() throws {
    #expect(try add(records()).status == 0)
    #expect(try cache("label", "+later", "1").status == 0)
    let before = try cache("export").output
    #expect(try add(deletion(1) + deletion(9)).status == 0)
    try expectNothingOfIt()
    #expect(try add(records()).errors.contains("2 tweets were deleted before: not stored"))
    // It is not what a person forgot.
    #expect(try cache("forget", "--list").output == "")
    #expect(try cache("forget", "--undo").errors.contains("brought back 0 tweets"))
    #expect(try cache("forget", "--undo", "1").status == 66 && list() == ["5", "4", "3"])
    #expect(ids(try cache("forget", "--list", "--deleted").lines) == ["1"])
    // By time, by source, by service, by name.
    for none in [["--since", "2100-01-01"], ["--feed", "#other"], ["--service", "local"]] {
      let result = try Tool.run("tw-cache", ["forget", "--undo", "--deleted"] + none, home: home)
      #expect(result.status == 0 && result.errors.contains("brought back 0 tweets"), "\(none) \(result.errors)")
    }
    #expect(try cache("forget", "--undo", "--deleted", "5").status == 66)
    #expect(
      try cache("forget", "--undo", "--deleted", "--dry-run", "--since", "2020-01-01", "--feed", "HOME").output
        == "would bring back 1 tweet\n")
    let undone = try cache(
      "forget", "--undo", "--deleted", "--since", "2020-01-01", "--feed", "home", "--service", "x", "1")
    #expect(undone.status == 0 && undone.errors.contains("brought back 1 tweet"), "\(undone.errors)")
    #expect(try list() == ["5", "4", "3", "2", "1"] && list("--search", "in:text secret") == ["2", "1"])
    #expect(try list("--label", "later") == ["1"] && list("--tag", "sea") == ["1"] && list("--feed", "home") == ["1"])
    // The deletion of the other one stays.
    #expect(try sql("SELECT group_concat(id) FROM tombstones") == "9\n")
    #expect(try sorted(cache("export").output).filter { !$0.contains(#""tw":"delete""#) } == sorted(before))
    #expect(try cache("forget", "--list", "--deleted").output == "" && cache("check").output == "")
    // It may be deleted again; a prune is the end.
    #expect(try add(deletion(1)).status == 0)
    #expect(
      try cache("prune", "--dry-run", "--older-than", "2006-01-01").output.contains(
        "forgotten or deleted tweets that could come back\t1"))
    #expect(try cache("prune", "--yes", "--older-than", "2006-01-01").status == 0)
    #expect(try cache("forget", "--undo", "--deleted").errors.contains("brought back 0 tweets") && list().count == 3)
    #expect(try cache("check").output == "")
    try checkStore()
  }

  /// Where deleted tweets are kept, one that comes back loses its mark, and its retweet too.
  @Test func aKeptTweetLosesItsMark() throws {
    #expect(try add(records()).status == 0)
    let before = try sorted(cache("export").output)
    #expect(try add(deletion(1), ["--keep-deleted"]).status == 0)
    #expect(try list() == ["5", "4", "3"] && list("--all") == ["5", "4", "3", "2", "1"])
    // What is done to it meanwhile stays; that the service says it again is nothing new.
    #expect(try cache("label", "+later", "1").status == 0)
    #expect(try add(deletion(1), ["--keep-deleted"]).status == 0)
    #expect(ids(try cache("forget", "--list", "--deleted").lines) == ["1"])
    let undone = try cache("forget", "--undo", "--deleted")
    #expect(undone.status == 0 && undone.errors.contains("brought back 1 tweet"), "\(undone.errors)")
    #expect(try list() == ["5", "4", "3", "2", "1"] && list("--label", "later") == ["1"])
    #expect(try cache("label", "-later", "1").status == 0)
    #expect(try sorted(cache("export").output) == before && cache("check").output == "")
    try checkStore()
  }

  /// A server that deletes all it can, and an export and a repair meanwhile.
  @Test func allThatWasDeletedComesBack() throws {
    let count = 300
    let tweets = (1...count).map { tweet($0, second: $0, text: "post \($0)", author: "ann", feeds: ["home"]) }
    #expect(try add(tweets.joined()).status == 0)
    #expect(try add((1...count).map(deletion).joined()).status == 0)
    #expect(try list() == [])
    let export = try cache("export").output
    let other = try TemporaryDirectory()
    #expect(try Tool.run("tw-cache", ["import"], stdin: ToolInput(export), home: other).status == 0)
    for place in [home, other] {
      let undone = try Tool.run("tw-cache", ["forget", "--undo", "--deleted"], home: place)
      #expect(undone.errors.contains("brought back \(count) tweets"), "\(undone.errors)")
      let ids = ids(try Tool.run("tw-cache", ["list", "--limit", "1000"], home: place).lines)
      #expect(ids.count == count)
    }
    try checkStore()
  }

  @Test(arguments: [
    ["--deleted", "1"], ["--undo", "--since", "1d"], ["--undo", "--feed", "home"], ["--list", "--deleted", "1"],
  ])
  func deletedGoesWithUndoAndList(_ arguments: [String]) throws {
    #expect(try Tool.run("tw-cache", ["forget", "--yes"] + arguments, home: home).status == 64)
  }
}
