import Foundation
import TestSupport
import Testing

/// Who has retweeted a post, as far as the store knows.
@Suite(.onOwnThread) struct RetweeterTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func retweet(
    _ id: Int, by name: String, of inner: String = "20", service: String = "x", more: String = "", author: String = ""
  ) -> String {
    let url = service == "x" ? "" : #","url":"https://one.example/@ann/\#(inner)""#
    return
      #"{"tw":"tweet","id":"\#(id)","service":"\#(service)","created_at":"\#(time(id - 100))","text":"RT @ann: hello","#
      + #""author":{"id":"\#(name)","username":"\#(name)","name":"\#(name.uppercased())"\#(author)},"#
      + #""referenced_tweets":[{"type":"retweeted","id":"\#(inner)"\#(url),"text":"hello","#
      + #""author":{"id":"ann","username":"ann","name":"ANN"}}]\#(more)}"# + "\n"
  }

  /// The user names in each record, those of the newest record first.
  private func named(_ arguments: String...) throws -> [[String]] {
    let words = ["list", "--quiet", "--limit", "1000"] + arguments
    return try Tool.run("tw-cache", words, home: home).output.split(separator: "\n").map { line in
      let record = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      guard let all = record["retweeted_by"] as? [String: Any] else { return [] }
      let first = try #require(all["first"] as? [[String: String]])
      #expect(all["count"] as? Int == first.count)
      return first.compactMap { $0["username"] }
    }
  }

  private func rendered(_ format: String) throws -> String {
    let lines = try cache("list", "--limit", "1000").output
    return try Tool.run("tw-render", ["--format", format], stdin: ToolInput(lines)).output
  }

  /// At X each retweet is a row of its own, and each says who else retweeted the post.
  @Test func eachRetweetOfXNamesTheOthers() throws {
    #expect(try add(retweet(101, by: "bob")).status == 0)
    #expect(try named() == [[]])
    let more = retweet(102, by: "cid") + retweet(103, by: "dan") + retweet(104, by: "eve") + retweet(105, by: "fay")
    #expect(try add(more + retweet(106, by: "gil", of: "21")).status == 0)
    #expect(
      try named() == [
        [], ["fay", "bob", "cid", "dan", "eve"], ["eve", "bob", "cid", "dan", "fay"],
        ["dan", "bob", "cid", "eve", "fay"], ["cid", "bob", "dan", "eve", "fay"], ["bob", "cid", "dan", "eve", "fay"],
      ])
    // Of those that the list has.
    #expect(try named("--author", "bob") == [[]])
    #expect(try named("--all-copies").allSatisfy(\.isEmpty))
    // Longer lists are for programs, and quick.
    #expect(try named("--limit", "1001").allSatisfy(\.isEmpty))
    let text = try rendered("text")
    #expect(text.contains("FAY, BOB and 3 others") && text.contains("BOB, CID and 3 others"), "\(text)")
    #expect(text.contains("GIL retweeted"), "\(text)")
    let html = try rendered("html")
    #expect(html.contains(" and 3 others") && html.contains(">FAY<"), "\(html)")
    // Another store does not take over what was known here.
    let other = home.path + "/other.db"
    #expect(try cache("add", "--db", other, stdin: cache("list", "--limit", "2").output).status == 0)
    #expect(try named("--db", other) == [[], []])
  }

  /// A person counts once, a deleted retweet no more, and nobody is told of those that a protected account made.
  @Test func whoIsNamedIsNamedOnceAndMayBe() throws {
    _ = try add(retweet(101, by: "bob") + retweet(102, by: "bob") + retweet(103, by: "cid"))
    _ = try add(retweet(104, by: "dan", author: #","protected":true"#))
    #expect(try named() == [["dan", "bob", "cid"], ["cid", "bob"], ["bob", "cid"], ["bob", "cid"]])
    _ = try add(#"{"tw":"delete","service":"x","id":"103"}"# + "\n")
    #expect(try named("--limit", "2") == [["dan", "bob"], []])
    // The same number is another post elsewhere.
    _ = try add(retweet(107, by: "hal", service: "y"))
    #expect(try named("--limit", "1") == [[]])
  }

  /// In the fediverse one boost stands for all.
  @Test func oneBoostStandsForAll() throws {
    let one = "mastodon:one.example"
    #expect(try add(retweet(101, by: "bob", service: one) + retweet(102, by: "cid", service: one)).status == 0)
    #expect(try named() == [["bob", "cid"]])
    #expect(try rendered("text").contains("BOB, CID"))
    // Who is seen twice is named where one of the two is for everybody.
    let two = "mastodon:two.example"
    let hidden = #","extra":{"visibility":"private"}"#
    _ = try add(retweet(110, by: "dan", of: "30", service: two))
    _ = try add(retweet(112, by: "eve", of: "30", service: two, more: hidden))
    _ = try add(retweet(112, by: "eve", of: "30", service: one))
    #expect(try named("--limit", "1") == [["dan", "eve"]])
  }
}
