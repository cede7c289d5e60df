import Foundation
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import SQLite
@testable import TweetStore

/// tw-cache add, list and stats.
@Suite(.onOwnThread) struct CacheTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  @Test func everyRecordIsPrintedInOrder() throws {
    let input =
      "{\"tw\":\"context\",\"feed\":\"#a\"}\n" + tweet(1, likes: 3) + "{\"tw\":\"new\",  \"x\":0.1000}\n" + tweet(2)
      + tweet(1)
    let result = try add(input)
    #expect(result.output == input)
    #expect(result.errors == "" && result.status == 0)
    #expect(try list() == ["2", "1"])
    // Records are stored byte by byte.
    #expect(
      try Tool.run("tw-cache", ["list", "--oldest-first", "--limit", "1"], home: home).output == tweet(1, likes: 3))
    try checkStore()
  }

  @Test func filtersOfList() throws {
    let input =
      tweet(1, second: 0, text: "swift release today", author: "Ann", tags: ["Swift"], feeds: ["#swift"])
      + tweet(2, second: 60, text: "私は日本語を話します", author: "bob", tags: ["日本"], feeds: ["#swift", "home"])
      + tweet(3, second: 120, text: "caf\\u00e9 \\\"release\\\" swift notes", author: "ann", feeds: ["home"])
      + tweet(4, second: 180, text: "한국어를 배워요 กรุงเทพมหานคร हिन्दी", author: "c_d", tags: ["SWIFT"])
    #expect(try add(input).status == 0)
    #expect(try list() == ["4", "3", "2", "1"])
    #expect(try list("--oldest-first", "--limit", "2") == ["1", "2"])
    #expect(try list("--author", "@ANN") == ["3", "1"])
    #expect(try list("--author", "nobody") == [])
    #expect(try list("--tag", "#swift") == ["4", "1"])
    #expect(try list("--tag", "日本") == ["2"])
    #expect(try list("--feed", "home") == ["3", "2"])
    #expect(try list("--feed", "home", "--author", "ann", "--search", "swift") == ["3"])
    #expect(try list("--search", "swift release") == ["3", "1"])
    #expect(try list("--search", "\"swift release\"") == ["1"])
    #expect(try list("--search", "CAFE") == ["3"])
    #expect(try list("--search", "日本") == ["2"])
    #expect(try list("--search", "本日") == [])
    #expect(try list("--match", "日本") == ["2"] && list("--match", "本日") == [])
    #expect(try list("--match", "日本 OR notes NOT 話") == ["3", "2"] && list("--match", "คร*") == ["4"])
    #expect(try list("--search", "한국") == ["4"])
    #expect(try list("--search", "เทพ") == ["4"])
    #expect(try list("--search", "हिन्दी") == ["4"])
    #expect(try list("--search", "हिन") == [])
    #expect(try cache("list", "--search", "AND ( \" *").status == 64)
    #expect(try list("--search", "🎉") == [])
    let wordless = try cache("list", "--search", "!? \u{FE0F}")
    #expect(
      wordless.errors == "tw-cache: '!?' has no word that can be searched for\n" && wordless.status == 64)
    #expect(wordless.output == "")
    #expect(try list("--service", "x", "--tag", "swift", "--until", time(100)) == ["1"])
    #expect(try list("--service", "local") == [])
    #expect(try list("--since", time(120)) == ["4", "3"])
    #expect(try list("--since", "58m") == ["4", "3"])
    #expect(try list("--until", "2021-11-03") == [])
    #expect(try list("--after", "2") == ["4", "3"])
    #expect(try list("--after", "https://x.com/bob/status/2?s=20", "--before", "x:4") == ["3"])
    let missing = try Tool.run("tw-cache", ["list", "--after", "9"], home: home)
    #expect(missing.errors == "tw-cache: no tweet '9' in '\(store)'\n" && missing.status == 66)
    let wrong = try Tool.run("tw-cache", ["list", "--since", "noon"], home: home)
    #expect(wrong.status == 64)
  }

  @Test func newerVersionsReplaceAndOlderOnesFillIn() throws {
    func stored() throws -> String { try Tool.run("tw-cache", ["list"], home: home).output }
    _ = try add(tweet(1, likes: 5, read: 100, feeds: ["a"]))
    // An older version, or one without a time, adds missing keys and changes nothing else.
    _ = try add(tweet(1, likes: 3, read: 50, more: ",\"lang\":\"en\""))
    _ = try add(tweet(1, likes: 9, more: ",\"source\":\"web\""))
    #expect(
      try stored() == tweet(1, likes: 5, read: 100, feeds: ["a"], more: ",\"source\":\"web\",\"lang\":\"en\""))
    _ = try add(tweet(1, text: "edited words", likes: 4, read: 200, feeds: ["b"]))
    #expect(
      try stored()
        == tweet(
          1, text: "edited words", likes: 4, read: 200, feeds: ["a", "b"], more: ",\"source\":\"web\",\"lang\":\"en\""))
    #expect(try list("--search", "hello") == [])
    #expect(try list("--search", "edited") == ["1"])
    #expect(try list("--feed", "a") == ["1"])
    try checkStore()
  }

  /// A tweet inside another is not listed. But if that tweet is stored on its own, its numbers are updated.
  @Test func tweetsInsideOthersAreNotListedButUpdateNumbers() throws {
    func quote(_ likes: Int) -> String {
      ",\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"7\",\"text\":\"inside\","
        + "\"author\":{\"id\":\"9\",\"username\":\"eve\"},\"public_metrics\":{\"like_count\":\(likes)}}]"
    }
    _ = try add(tweet(8, second: 5, read: 10, more: quote(1)))
    #expect(try list() == ["8"])
    #expect(try list("--search", "in:text inside") == [] && list("--search", "inside") == ["8"])
    // The inner tweet is new when it comes on its own.
    let own = tweet(7, text: "all of it", author: "eve", likes: 2)
    #expect(try add(own, ["--new-only"]).output == own)
    _ = try add(tweet(9, second: 6, read: 30, more: quote(5)) + tweet(10, second: 7, read: 15, more: quote(3)))
    #expect(try list() == ["10", "9", "8", "7"])
    let newest = tweet(7, text: "all of it", author: "eve", likes: 5, read: 30)
    #expect(try Tool.run("tw-cache", ["list", "--author", "eve"], home: home).output == newest)
    try checkStore()
  }

  @Test func newOnlyPrintsNewTweets() throws {
    _ = try add(tweet(1, likes: 1, read: 1))
    let result = try add(tweet(1, likes: 2, read: 2) + tweet(2) + "{\"tw\":\"refresh\"}\n" + tweet(2), ["--new-only"])
    #expect(result.output == tweet(2) + "{\"tw\":\"refresh\"}\n")
  }

  @Test func deletedTweetsStayDeletedAndTheirCopiesAreRemoved() throws {
    func around(_ type: String) -> String {
      ",\"referenced_tweets\":[{\"type\":\"\(type)\",\"id\":\"1\",\"text\":\"secret\",\"author\":{\"id\":\"ujack\"}}]"
    }
    let retweet = tweet(2, text: "RT @jack: secret", author: "bob", more: around("retweeted"))
    let quote = tweet(3, text: "look", author: "bob", more: around("quoted"))
    let bare = tweet(
      3, text: "look", author: "bob", more: ",\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"1\"}]")
    // A retweet of a quote.
    let deep = around("quoted").dropFirst()
    let outside = ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"3\",\"text\":\"look\","
    let far = tweet(4, text: "RT @bob: look", author: "c", more: outside + "\(deep)}]")
    let bareFar = tweet(
      4, text: "RT @bob: look", author: "c",
      more: outside + "\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"1\"}]}]")
    _ = try add(tweet(1, text: "secret") + retweet + quote + far)
    let delete = "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\",\"user_id\":\"ujack\"}\n"
    #expect(try add(delete).output == delete)
    #expect(try Tool.run("tw-cache", ["list"], home: home).output == bareFar + bare)
    let again = try add(tweet(1, text: "secret") + retweet + quote + far)
    #expect(again.output == bare + bareFar)
    #expect(again.errors == "tw-cache: 2 tweets were deleted before: not stored\n" && again.status == 0)
    #expect(try list("--search", "secret") == [])
    #expect(try add(delete, ["--new-only"]).output == "")
    try checkStore()
  }

  /// A newer version may refer to another tweet. What happens to the former one then does not matter any more.
  @Test func aChangedReferenceIsReplaced() throws {
    func retweet(of id: Int, read: Int) -> String {
      tweet(5, author: "bob", read: read, more: ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"\(id)\"}]")
    }
    _ = try add(retweet(of: 1, read: 10) + retweet(of: 2, read: 20))
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n")
    #expect(try list() == ["5"])
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"2\"}\n")
    #expect(try list() == [])
    try checkStore()
  }

  @Test func aLiveTweetIsPrintedAsSoonAsItIsStored() throws {
    let tool = try RunningTool("tw-cache", ["add"], home: home)
    for number in 1...3 {
      tool.send(ToolInput(tweet(number)))
      #expect(try tool.line(timeout: 10).map { $0 + "\n" } == tweet(number))
      #expect(try list().count == number)
    }
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
    try checkStore()
  }

  @Test func concurrentWriters() throws {
    let tools = try (0..<4).map { writer in
      let tool = try RunningTool("tw-cache", ["add"], home: home)
      var input = ""
      // Each writer has 400 tweets of its own, and all have the same 100.
      for number in 0..<400 { input += tweet(1000 * (writer + 1) + number, second: number, author: "w\(writer)") }
      for number in 0..<100 { input += tweet(number, likes: writer, read: writer) }
      tool.send(ToolInput(input))
      return tool
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.errors == "" && result.status == 0)
      #expect(result.lines.count == 500)
    }
    #expect(try list().count == 1700)
    let shared = try Tool.run("tw-cache", ["list", "--author", "jack"], home: home)
    #expect(shared.lines.count == 100 && shared.lines.allSatisfy { $0.contains("\"like_count\":3") })
    try checkStore()
  }

  @Test func badRecordsAreReportedWithTheirLineAndRejected() throws {
    let bad = "{\"tw\":\"tweet\",\"id\":\"5\",\"service\":\"x\",\"author\":{\"id\":\"1\"}}\n"
    let result = try add(tweet(1) + "{\"cut\":\n" + bad + "{\"id\":1}\n\n" + tweet(2), ["--rejects", "bad"])
    #expect(result.output == tweet(1) + tweet(2))
    #expect(result.status == 1)
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 3)
    #expect(errors[0].hasPrefix("tw-cache: -:2: bad record: "))
    #expect(errors[1] == "tw-cache: -:3: bad record: no \"text\"")
    #expect(errors[2] == "tw-cache: -:4: bad record: no record of tw (tw-parse makes them)")
    #expect(String(decoding: try home.read("bad"), as: UTF8.self) == "{\"cut\":\n" + bad + "{\"id\":1}\n")
    #expect(try list() == ["2", "1"])
  }

  @Test func emptyAndMissingInputs() throws {
    let empty = try add("")
    #expect(empty.output == "" && empty.errors == "" && empty.status == 0)
    #expect(try list() == [])
    try home.write("b", tweet(1))
    let result = try Tool.run("tw-cache", ["add", "a", "b"], home: home)
    #expect(result.errors == "tw-cache: cannot open 'a': no such file or directory\n" && result.status == 66)
    #expect(result.output == tweet(1))
  }

  @Test func outputThatCannotBeWritten() throws {
    let full = try Tool.run("tw-cache", ["add"], stdin: ToolInput(tweet(1)), home: home, stdoutPath: "/dev/full")
    #expect(full.errors == "tw-cache: cannot write to standard output: no space left on device\n" && full.status == 74)
    #expect(try list() == ["1"])
    let tool = try RunningTool("tw-cache", ["add"], home: home)
    tool.closeOutput()
    tool.send(ToolInput(tweet(2)))
    let gone = try tool.finish()
    #expect(gone.errors == "" && gone.status == 0)
    #expect(try list() == ["2", "1"])
  }

  /// A limit on the size of files fails as a full disk does.
  @Test func aFileSizeLimitInTheMiddleOfARun() throws {
    let input = (0..<14_000).map { tweet($0, second: $0 % 3600, text: String(repeating: "word ", count: 100)) }.joined()
    try home.write("input", input)
    let result = try Tool.shell("ulimit -f 13000; exec tw-cache add input", home: home)
    #expect(
      result.errors
        == "tw-cache: cannot write to '\(store)': the limit on the size of files is reached (ulimit -f)\n")
    #expect(result.status == 74)
    let printed = ids(result.lines)
    #expect(!printed.isEmpty && printed.count < 14_000)
    #expect(Set(printed).subtracting(try list()) == [])
    try checkStore()
    #expect(try Tool.run("tw-cache", ["add", "input"], home: home).output == input)
    #expect(try list().count == 14_000)
  }

  @Test func filesThatAreNotAStore() throws {
    func run(_ path: String, _ command: String = "add") throws -> ToolResult {
      try Tool.run("tw-cache", [command, "--db", path], stdin: ToolInput(tweet(1)), home: home)
    }
    let missing = try run("none.db", "list")
    #expect(missing.errors.hasPrefix("tw-cache: cannot open 'none.db': no such file or directory; 'tw-cache refresh "))
    #expect(missing.status == 66)

    let text = try home.write("text.db", String(repeating: "not a database\n", count: 500))
    for command in ["add", "list", "stats"] {
      let result = try run("text.db", command)
      #expect(result.errors == "tw-cache: '\(text)' is not a database\n" && result.status == 65)
    }
    #expect(try home.read("text.db").count == 7500)

    _ = try MediaStore(home.path + "/media.db", note: { _ in })
    let media = try run("media.db")
    #expect(media.errors == "tw-cache: 'media.db' is a database, but no tweet store\n" && media.status == 65)

    #expect(try run("new.db").status == 0)
    do {
      let database = try Database(home.path + "/new.db", TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in try database.run("PRAGMA user_version = 99") }
    }
    let newer = try run("new.db")
    #expect(
      newer.errors
        == "tw-cache: 'new.db' was made by another version of tw (schema 99, this one has 2): 'tw-cache export' by the version "
        + "of tw that made it and 'tw-cache import' by this one move it\n")
    #expect(newer.status == 78 && newer.output == "")

    let below = try run("text.db/x/y.db")
    #expect(below.errors.hasPrefix("tw-cache: cannot create directory 'text.db/x': ") && below.status == 73)
    // A directory where even root cannot create a file.
    let nowhere = try run("/proc/tw.db")
    #expect(nowhere.errors.hasPrefix("tw-cache: cannot open '/proc/tw.db': ") && nowhere.status == 73)
    #expect(nowhere.output == "")
  }

  @Test func unusualPathsAndPermissions() throws {
    let result = try Tool.run(
      "tw-cache", ["add"], stdin: ToolInput(tweet(1)), environment: ["TW_DB": "a b/c?#%/my tweets.db"], home: home)
    #expect(result.errors == "" && result.output == tweet(1))
    // A link to a file that is not there yet.
    try FileManager.default.createSymbolicLink(atPath: home.path + "/link.db", withDestinationPath: "a b/behind.db")
    #expect(try Tool.run("tw-cache", ["add", "--db", "link.db"], stdin: ToolInput(tweet(1)), home: home).status == 0)
    let places = [
      "a b": 0o700, "a b/c?#%/my tweets.db": 0o600, "a b/c?#%/my tweets.db-wal": 0o600, "a b/behind.db": 0o600,
      "a b/behind.db-wal": 0o600, "a b/behind.db.lock": 0o600,
    ]
    for (path, rights) in places {
      let found = try FileManager.default.attributesOfItem(atPath: home.path + "/" + path)[.posixPermissions] as? Int
      #expect(found == rights, "\(path)")
    }
    try checkStore(home.path + "/a b/c?#%/my tweets.db")
  }

  @Test func stats() throws {
    _ = try add(tweet(1, read: 9, feeds: ["#a"]) + tweet(2, second: 60, author: "bob", feeds: ["#a", "home"]))
    let result = try Tool.run("tw-cache", ["stats"], home: home)
    let lines = result.lines
    // What its tables are called is nobody's business.
    #expect(!lines.contains { $0.hasPrefix("rows") || $0.contains("tweet_") })
    // What people ask comes first.
    #expect(
      lines[2...3] == ["tweets\t2", "users\t2"] && lines[4...6] == ["posted\t1d\t0", "posted\t7d\t0", "posted\t30d\t0"])
    #expect(try cache("stats").lines[4] == "posted\t1d\t2")
    #expect(lines.contains("service\tx\t2") && !lines.contains { $0.hasPrefix("media") })
    #expect(lines.contains("oldest\t\(time(0))") && lines.contains("newest\t\(time(60))"))
    #expect(
      lines.contains { $0.hasPrefix("feed\tx\t#a\t2\t\(time(9))\t") }
        && lines.contains { $0.hasPrefix("feed\tx\thome\t1\t") })
    #expect(result.status == 0)
  }

  /// How often over time, by the reader's clocks, and by what each tweet is.
  @Test func countsOverTime() throws {
    _ = try add(
      tweet(1, more: #","lang":"en""#) + tweet(2, second: 60, more: #","lang":"de""#)
        + tweet(3, second: 86_400, more: #","lang":"de""#) + tweet(4).replacing("2021-11-03", with: "2021-12-13"))
    func top(_ kind: String, zone: String = "UTC", _ more: String...) throws -> [String] {
      try Tool.run("tw-cache", ["top", kind] + more, environment: ["TZ": zone], home: home).lines
    }
    func parts(_ second: Int) -> (month: String, day: String, hour: String) {
      let time = time(second)
      let hour = String(time.prefix(13)).replacing("T", with: " ") + ":00"
      return (String(time.prefix(7)), String(time.prefix(10)), hour)
    }
    let (first, second) = (parts(0), parts(86_400))
    let last = (month: "2021-12", day: "2021-12-13", hour: "2021-12-13 21:00")
    #expect(try top("days") == ["1\t\(last.day)", "1\t\(second.day)", "2\t\(first.day)"])
    #expect(try top("hours") == ["1\t\(last.hour)", "1\t\(second.hour)", "2\t\(first.hour)"])
    #expect(try top("months") == ["1\t\(last.month)", "3\t\(first.month)"])
    #expect(try top("days", "--limit", "1") == ["1\t\(last.day)"])
    #expect(try top("days", "--until", time(60)) == ["1\t\(first.day)"])
    // Half an hour is a part of an hour there.
    #expect(try top("days", zone: "UTC-14") != top("days"))
    #expect(try top("hours", zone: "UTC-5:45").allSatisfy { $0.hasSuffix(":00") })
    #expect(try top("languages") == ["2\tde", "1\ten"] && top("services") == ["4\tx"])
    // What a list leaves out is not counted.
    _ = try add(#"{"tw":"delete","service":"x","id":"4"}"# + "\n")
    #expect(try top("services") == ["3\tx"] && top("months") == ["3\t\(first.month)"])
  }

  /// What is held back until the commit is bounded: of tweets, and of other records after a tweet, without a pause
  /// between them. Batches of records that are not stored do not grow.
  @Test(arguments: [true, false]) func memoryUseIsBounded(isTweets: Bool) throws {
    let text = String(repeating: "word ", count: 200)
    let notice = "{\"tw\":\"notice\",\"message\":\"\(text)\"}\n"
    let input =
      isTweets
      ? (0..<20_000).map { tweet($0, second: $0 % 3600, text: text) }.joined() + "{\"tw\":\"last\"}\n"
      : tweet(1) + String(repeating: notice, count: 60_000)
    try home.write("input", input)
    // More tweets, and one file with this many other records, would be a bulk load.
    let files = isTweets ? 1 : 3
    let tool = try RunningTool(
      "tw-cache", ["add"] + Array(repeating: "input", count: files) + ["-"], home: home,
      stdoutPath: home.path + "/output")
    let size = { () throws -> Int in
      try FileManager.default.attributesOfItem(atPath: home.path + "/output")[.size] as? Int ?? 0
    }
    try waitUntil(seconds: 120) { try size() >= files * input.utf8.count }
    #expect(tool.peakMemory.map { $0 < 64 << 20 } ?? true)
    #expect(try tool.finish().status == 0)
    #expect(try size() == files * input.utf8.count)
  }

  @Test func aTruncatedFileIsReported() throws {
    try home.write("plain", (0..<3000).map { tweet($0) }.joined())
    let result = try Tool.shell("gzip -c plain | head -c 5000 > cut.gz && tw-cache add cut.gz", home: home)
    #expect(result.status == 1)
    #expect(
      result.errors.contains("cannot read 'cut.gz' to its end: 'gzip' says that the file is damaged or cut off"))
    #expect(try list().count == result.lines.count - (result.output.hasSuffix("\n") ? 0 : 1))
    // Without a single record the fault is reported as well.
    let none = try Tool.shell("gzip -c plain | head -c 12 > cut.gz && tw-cache add cut.gz", home: home)
    #expect(none.status == 65 && none.output == "")
  }
}
