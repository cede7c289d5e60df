import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// Records are packed, and come out as they went in.
@Suite(.onOwnThread(minutes: 8)) struct CachePackedTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Tweets with texts in all forms that JSON has for them.
  private func records(_ numbers: Range<Int>) -> String {
    let texts = [
      "birds and stones", #"caf\u00e9 \ud83c\udf89"#, #"https:\/\/a.example\/b"#, #"日本 🎉\n\"a/b\""#, #"upper \u00C9"#,
      "",
    ]
    return numbers.map { number in
      tweet(
        number, second: number, text: texts[number % texts.count], read: number, feeds: ["#a"],
        more: ",\"extra\":{\"more\":\"of \(number)\"}")
    }.joined()
  }

  /// Two programs at once pack with the same dictionary.
  @Test func allComesOutAsItWentIn() throws {
    let lines = records(0..<600).split(separator: "\n").map { "\($0)\n" }
    let tools = try (0..<2).map { number in
      let tool = try RunningTool("tw-cache", ["add"], home: home)
      tool.send(ToolInput(lines.enumerated().filter { $0.offset % 2 == number }.map(\.element).joined()))
      return tool
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.status == 0 && result.errors == "" && result.lines.count == 300)
    }
    let database = try Database(store, TweetStore.kind, .readOnly)
    var numbers: Set<Int> = []
    try database.forEachRow("SELECT json FROM tweets") { row in numbers.insert(Int(row.bytes(0)[0] & 0x1F)) }
    #expect(numbers == [1])
    #expect(try cache("list", "--all", "--oldest-first").output == lines.joined())
    #expect(try cache("check").output == "")
  }

  /// A record that nobody can unpack is left out, whatever its checksum says, and a repair says which one it is.
  @Test func withADictionaryOfALaterVersion() throws {
    let lines = records(0..<9).split(separator: "\n").map { "\($0)\n" }
    _ = try add(lines.joined())
    do {
      let database = try Database(store, TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in
        try database.run(
          sql: RowSum.tweets.update(["json": "CAST(x'02' || substr(json, 2) AS BLOB)"]) + " WHERE id = '4'")
      }
    }
    let listed = try cache("list", "--all", "--oldest-first")
    #expect(listed.output == (lines[..<4] + lines[5...]).joined() && listed.status == 74)
    #expect(listed.errors.contains("1 record is damaged and was left out: tweet 'x:4'"))
    #expect(try cache("export").status == 74)
    #expect(try cache("check").lines == ["tweet 'x:4' is damaged"])
    let again = try add(lines[4])
    #expect(again.output == "" && again.status == 74)
    let repair = try cache("check", "--repair")
    #expect(repair.lines == ["lost\ttweet\tx\t4", "lost\trows\ttweet_feeds\t1"] && repair.status == 1)
    #expect(try cache("list", "--all").lines.count == 8 && cache("check").status == 0)
  }

  /// An earlier version of a tweet takes about as much room as the tweet.
  @Test func earlierVersionsArePackedToo() throws {
    let more = ",\"extra\":{\"list\":[" + (0..<300).map { "{\"number\":\($0)}" }.joined(separator: ",") + "]}"
    let versions = (0..<3).map { (number: Int) in tweet(7, text: "version \(number) \\/ ☕", read: number, more: more) }
    for version in versions { #expect(try add(version).status == 0) }
    let database = try Database(store, TweetStore.kind, .readOnly)
    let size: StaticString = "SELECT count(*), max(length(json)), min(typeof(json)) FROM tweet_versions"
    let row = try #require(try database.first(size) { ($0.integer(0), $0.integer(1), $0.text(2) ?? "") })
    #expect(row.0 == 2 && row.1 * 4 < more.utf8.count && row.2 == "blob", "\(row)")
    #expect(try cache("show", "--versions", "7").output == versions.joined())
    let export = try cache("export").output
    for version in versions { #expect(export.contains(version.dropLast().dropFirst("{\"tw\":\"tweet\",".count))) }
    #expect(try cache("import", "--db", "copy.db", stdin: export).status == 0)
    #expect(try cache("show", "--versions", "7", "--db", "copy.db").output == versions.joined())
    #expect(try cache("check", "--db", "copy.db").output == "" && cache("check").output == "")
  }

  /// The program of tw-db(5), as it stands there, reads what tw-cache lists.
  @Test func aProgramOfSomebodyElseReadsRecords() throws {
    let python = try PythonPackage.needed("zstandard")
    let page = try Package.text("man/tw-db.5")
    let start = try #require(page.range(of: ".Bd -literal\nimport json, sqlite3, zstandard\n"))
    let end = try #require(page[start.upperBound...].range(of: "\n.Ed\n"))
    let dictionary = Package.root + "/Sources/CRecords/records-1.zdict"
    let installed = "/usr/local/share/tw/records-1.zdict"
    let program =
      "import json, sqlite3, zstandard\n" + page[start.upperBound..<end.lowerBound].replacing("\\e", with: "\\")
    #expect(program.contains(installed))
    try home.write(
      "read.py", program.replacing(installed, with: dictionary).replacing("\"tw.db\"", with: "\"\(store)\""))
    let input = records(0..<24)
    _ = try add(input)
    let result = try Tool.run(python, ["read.py"], home: home)
    #expect(result.errors == "" && Set(result.lines) == Set(input.split(separator: "\n").map(String.init)))
  }
}
