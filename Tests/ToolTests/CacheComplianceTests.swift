import Foundation
import TestSupport
import Testing

/// X's terms for programs that keep posts: notices are applied, and an older file does not undo that.
@Suite(.onOwnThread) struct CacheComplianceTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func notice(_ code: String, _ more: String) -> String {
    "{\"tw\":\"notice\",\"level\":\"info\",\"code\":\"\(code)\",\"message\":\"m\",\"service\":\"x\",\(more)}\n"
  }

  private func inside(_ type: String, _ more: String = "") -> String {
    ",\"referenced_tweets\":[{\"type\":\"\(type)\",\"id\":\"1\",\"text\":\"in\",\"author\":{\"id\":\"ujack\"}\(more)}]"
  }

  @Test func withheldInSomeCountries() throws {
    let quote = tweet(2, author: "bob", more: inside("quoted"))
    _ = try add(tweet(1) + quote + tweet(3, author: "bob"))
    let withheld = notice("withheld", "\"id\":\"1\",\"countries\":[\"DE\",\"FR\"]")
    #expect(try add(withheld).output == withheld)
    let mark = ",\"withheld\":{\"country_codes\":[\"DE\",\"FR\"]}"
    let marked = tweet(1, more: mark)
    let markedQuote = tweet(2, author: "bob", more: inside("quoted", mark))
    func stored() throws -> String { try cache("list", "--oldest-first").output }
    #expect(try stored() == marked + markedQuote + tweet(3, author: "bob"))
    // The same tweets from an older file get the mark again.
    #expect(try add(tweet(1) + quote).output == marked + markedQuote)
    #expect(try stored() == marked + markedQuote + tweet(3, author: "bob"))
    _ = try add(notice("withheld", "\"id\":\"1\",\"countries\":[]"))
    #expect(try stored() == tweet(1) + quote + tweet(3, author: "bob"))
    try checkStore()
  }

  @Test func withheldEverywhere() throws {
    _ = try add(tweet(1) + tweet(2, author: "bob") + tweet(3, author: "bob"))
    _ = try add(notice("withheld", "\"user_id\":\"ubob\",\"countries\":[\"XX\"]"))
    _ = try add(tweet(4, author: "bob"))
    #expect(try list() == ["1"])
    #expect(try list("--search", "hello") == ["1"])
    #expect(try cache("top", "authors").output == "1\tjack\n")
    #expect(try cache("show", "2").status == 66)
    #expect(try list("--all") == ["4", "3", "2", "1"])
  }

  @Test func scrubbedGeographicPlaces() throws {
    let place = ",\"geo\":{\"place_id\":\"p\"}"
    let retweet = tweet(11, author: "bob", more: inside("retweeted", place))
    _ = try add(tweet(1, more: place) + tweet(20, more: place) + retweet)
    _ = try add(notice("scrub_geo", "\"user_id\":\"ujack\",\"up_to_id\":\"9\""))
    let bare = tweet(11, author: "bob", more: inside("retweeted"))
    #expect(try cache("list", "--oldest-first").output == tweet(1) + bare + tweet(20, more: place))
    #expect(try add(tweet(1, more: place) + retweet).output == tweet(1) + bare)
    let bad = try add(notice("scrub_geo", "\"user_id\":\"ujack\""))
    #expect(bad.errors.contains("bad record: no \"up_to_id\"") && bad.status == 65)
  }

  @Test func keepingDeletedTweets() throws {
    let delete = "{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n"
    let retweet = tweet(2, author: "bob", more: inside("retweeted"))
    _ = try add(tweet(1) + retweet + tweet(3))
    #expect(try add(delete, ["--keep-deleted"]).output == delete)
    #expect(try list() == ["3"])
    let all = try cache("list", "--all", "--author", "jack", "--oldest-first", "--limit", "1").output
    #expect(all.hasPrefix(tweet(1).dropLast(2)) && all.contains(",\"deleted_at\":\""))
    #expect(try list("--all") == ["3", "2", "1"])
    #expect(try add(tweet(1) + retweet).output == "")
    // Without the option deleted tweets are removed.
    _ = try add(delete)
    #expect(try list("--all") == ["3"])
    try checkStore()
  }
}
