import TestSupport
import Testing

/// The same post, as several servers and networks know it, is shown once.
@Suite(.onOwnThread) struct PostCopyTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func post(
    _ service: String, _ id: String, _ text: String, url: String? = nil, extra: String = "", more: String = ""
  ) -> String {
    var line = #"{"tw":"tweet","id":"\#(id)","service":"\#(service)""#
    if let url { line += #","url":"\#(url)""# }
    line +=
      #","created_at":"2026-11-01T00:00:00.000Z","text":"\#(text)","author_id":"1","author":{"id":"1","username":"ann"}"#
    return line + more + (extra.isEmpty ? "" : #","extra":{\#(extra)}"#) + "}\n"
  }

  private func show(_ records: String, _ options: [String] = []) throws -> [String] {
    let result = try Tool.run("tw-render", ["--format", "line"] + options, stdin: ToolInput(records), home: home)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.lines.map { String($0.split(separator: " ").last ?? "") }
  }

  private static let uri = #""uri":"https://one.example/users/ann/statuses/7""#
  private static let at = "at://did:plc:ann/app.bsky.feed.post/3k7"

  @Test func aPostThroughTwoInstancesIsShownOnce() throws {
    let (url, uri) = ("https://one.example/@ann/7", Self.uri)
    let records =
      post("mastodon:one.example", "7", "home", url: url, extra: uri)
      + post("mastodon:two.example", "900", "twin", url: url, extra: uri)
      // A server that names its page alone.
      + post("mastodon:three.example", "x", "third", url: url)
      + post("mastodon:two.example", "901", "other", url: "https://one.example/@ann/8")
    #expect(try show(records) == ["home", "other"])
    #expect(try show(records, ["--all-copies"]) == ["home", "twin", "third", "other"])
    // Where the other one comes first it is the one that is shown, and its updates are.
    let turned = records.split(separator: "\n").reversed().joined(separator: "\n") + "\n"
    #expect(try show(turned + turned.replacing("third", with: "later")) == ["other", "third", "later"])
  }

  @Test func whatABridgeCarriedIsShownOnce() throws {
    let toFediverse = #""uri":"https://bsky.brid.gy/convert/ap/\#(Self.at)""#
    let records =
      post("bluesky", Self.at, "sky", url: "https://bsky.app/profile/ann.example/post/3k7")
      + post(
        "mastodon:two.example", "902", "carried", url: "https://bsky.brid.gy/r/https://x.example/", extra: toFediverse)
      + post("mastodon:one.example", "7", "toot", url: "https://one.example/@ann/7", extra: Self.uri)
      + post(
        "bluesky", "at://did:plc:b/app.bsky.feed.post/3k8", "back", url: "https://bsky.app/profile/b/post/3k8",
        extra: #""record":{"bridgyOriginalUrl":"https://one.example/@ann/7","bridgyOriginalText":"<p>toot</p>"}"#)
    #expect(try show(records) == ["sky", "toot"])
    #expect(try show(records, ["--all-copies"]).count == 4)
  }

  /// A retweet, by whatever server, of what was shown; and of two retweets the first one.
  @Test func aRetweetIsACopy() throws {
    func boost(_ inner: String) -> String { #","referenced_tweets":[{"type":"retweeted",\#(inner)}]"# }
    let url = "https://one.example/@ann/7"
    let near = boost(#""id":"7","url":"\#(url)","extra":{\#(Self.uri)}"#)
    let far = boost(#""id":"900","url":"\#(url)","extra":{\#(Self.uri)}"#)
    let records =
      post("mastodon:one.example", "8", "boosted", url: "https://one.example/@bob/8", more: near)
      + post("mastodon:two.example", "905", "again", url: "https://one.example/@cid/9", more: far)
      + post("mastodon:one.example", "7", "toot", url: url, extra: Self.uri)
      + post("bluesky", Self.at, "sky")
      + post(
        "bluesky", "at://did:plc:b/app.bsky.feed.repost/3k9", "repost",
        more: boost(#""id":"\#(Self.at)""#))
    #expect(try show(records) == ["boosted", "sky"])
    #expect(try show(records, ["--all-copies"]).count == 5)
  }

  /// A retweet of what no address is known of may be of anything. X has no copies, and programs get all.
  @Test func whatIsNoCopyStays() throws {
    let boost = #","referenced_tweets":[{"type":"retweeted","id":"7"}]"#
    let url = "https://one.example/@ann/7"
    let records =
      post("mastodon:one.example", "7", "toot", url: url, extra: Self.uri)
      + post("mastodon:one.example", "8", "boost", url: url, extra: Self.uri, more: boost)
      + post("x", "1", "one", url: url) + post("x", "2", "two", url: url)
      + post("mastodon:one.example", "9", "nameless") + post("mastodon:two.example", "9", "nobody")
    #expect(try show(records) == ["toot", "boost", "one", "two", "nameless", "nobody"])
    let twins =
      post("mastodon:a.example", "1", "firstcopy", url: url) + post("mastodon:b.example", "2", "secondcopy", url: url)
    for format in ["csv", "twarc", "html", "markdown", "atom", "json-feed", "mbox"] {
      let result = try Tool.run("tw-render", ["--format", format], stdin: ToolInput(twins), home: home)
      let isForPrograms = format == "csv" || format == "twarc"
      #expect(result.output.contains("firstcopy"), "\(format)")
      #expect(result.output.contains("secondcopy") == isForPrograms, "\(format)")
    }
    let refused = try Tool.run("tw-render", ["--format", "csv", "--all-copies"], stdin: ToolInput(twins), home: home)
    #expect(refused.status == 64)
  }
}
