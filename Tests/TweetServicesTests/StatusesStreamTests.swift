import ServiceClients
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

/// What the messages of X API v1.1's streams mean.
struct StatusesStreamTests {
  private static let access = ServiceAccess(XAPI.local, base: "http://127.0.0.1:9", token: Secret("t"))

  /// A message's meaning in a few words.
  private static func meaning(_ json: String, _ hashtags: [String]? = ["Swift", "b"]) throws -> String {
    let stream = StatusesStream(XRequests(access), hashtags: hashtags)
    let document = try JSONDocument(json)
    return switch document.read({ stream.meaning(of: $0) }) {
    case .post(let id, let feed): "post \(id ?? 0) \(feed)"
    case .other(let feed, let notice): "other \(feed) \(notice?.code ?? "-")"
    case .foreign: "foreign"
    case .nothing: "nothing"
    case .closing(let refusal): "closing \(refusal.meaning) \(refusal.error.status)"
    }
  }

  @Test(arguments: [
    (#"{"id":7,"user":{},"entities":{"hashtags":[{"text":"x"},{"text":"B"}]}}"#, "post 7 #b"),
    (#"{"id":7,"user":{},"entities":{"hashtags":[{"text":"swift"}]}}"#, "post 7 #Swift"),
    // Long posts name those that stand beyond the first 140 characters in their extension only.
    (
      #"{"id":7,"user":{},"entities":{"hashtags":[]},"extended_tweet":{"entities":{"hashtags":[{"text":"b"}]}}}"#,
      "post 7 #b"
    ),
    (
      #"{"id":7,"user":{},"retweeted_status":{"extended_tweet":{"entities":{"hashtags":[{"text":"b"}]}}}}"#,
      "post 7 #b"
    ),
    (#"{"id":7,"user":{}}"#, "post 7 #Swift"),
    (#"{"delete":{"status":{"id":7,"user_id":3}}}"#, "other #Swift -"),
    (#"{"status_withheld":{"id":7,"user_id":3,"withheld_in_countries":["DE"]}}"#, "other #Swift -"),
    (#"{"limit":{"track":22,"timestamp_ms":"1477757470194"}}"#, "other #Swift limit"),
    (
      #"{"warning":{"code":"FALLING_BEHIND","message":"Your connection is falling behind","percent_full":60}}"#,
      "other #Swift slow-reader"
    ),
    (#"{"disconnect":{"code":4,"stream_name":"s","reason":"stall"}}"#, "closing trouble tryLater"),
    (#"{"disconnect":{"code":2,"stream_name":"s","reason":""}}"#, "closing connectionHeld tryLater"),
    (#"{"disconnect":{"code":6,"stream_name":"s","reason":"token"}}"#, "closing final notAllowed"),
  ])
  func isUnderstood(_ json: String, _ expected: String) throws {
    #expect(try Self.meaning(json) == expected)
  }

  @Test func theSampleHasOneFeedAndNoSearch() throws {
    #expect(try Self.meaning(#"{"id":7,"user":{},"entities":{"hashtags":[{"text":"b"}]}}"#, nil) == "post 7 sample")
    let stream = StatusesStream(XRequests(Self.access), hashtags: nil)
    #expect(stream.pages(of: "sample") == nil)
  }

  @Test func theRequestNamesTheHashtagsAndTheFraming() {
    let stream = StatusesStream(XRequests(Self.access), hashtags: ["a", "b"])
    #expect(
      stream.connection().body.map { String(decoding: $0, as: UTF8.self) }
        == "track=%23a%2C%23b&stall_warnings=true&delimited=length")
    #expect(stream.framing == .lengths)
    let plain = StatusesStream(XRequests(Self.access), hashtags: nil, isDelimited: false)
    #expect(plain.connection().url == "http://127.0.0.1:9/1.1/statuses/sample.json?stall_warnings=true")
    #expect(plain.framing == .carriageReturns)
  }

  @Test func theNextPageOfASearchBeginsBelowTheOldestPost() throws {
    let pages = try #require(StatusesStream(XRequests(Self.access), hashtags: ["a"]).pages(of: "#a"))
    var range = try #require(pages.gapRange(PageRange(sinceID: 3, untilID: 90, since: .now)))
    #expect(pages.page(range).url.hasSuffix("&since_id=3&max_id=89&tweet_mode=extended"))
    let answer = HTTPResponse(
      status: 200, body: Array(#"{"statuses":[{"id":80,"text":"t"},{"id":71}]}"#.utf8), url: "")
    let page = pages.readGap(answer)
    #expect(page?.posts.map(\.id) == [80, 71] && page?.nextToken == "70")
    range.token = page?.nextToken
    #expect(pages.page(range).url.hasSuffix("&since_id=3&max_id=70&tweet_mode=extended"))
    let empty = HTTPResponse(status: 200, body: Array(#"{"statuses":[]}"#.utf8), url: "")
    #expect(pages.readGap(empty)?.nextToken == nil)
  }
}
