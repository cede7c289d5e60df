import Foundation
import TestSupport
import Testing

/// Sites: the ways that lead through them.
@Suite(.onOwnThread(minutes: 3)) struct SiteViewTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func tweet(_ id: Int, _ day: String, _ text: String, by name: String = "jane", _ more: String = "")
    -> String
  {
    #"{"tw":"tweet","id":"\#(id)","service":"x","created_at":"\#(day)T10:00:00.000Z","text":"\#(text)","author":{"id":"\#(name)","#
      + #""username":"\#(name)","name":"\#(name.capitalized)","description":"Bakes <bread>"}\#(more)}"# + "\n"
  }

  private static func reply(to id: Int) -> String {
    #","referenced_tweets":[{"type":"replied_to","id":"\#(id)"}],"in_reply_to_user_id":"jane""#
  }

  @discardableResult
  private func write(_ records: String, _ options: [String] = []) throws -> ToolResult {
    let result = try Tool.run(
      "tw-render", ["--format", "site", "site"] + options, stdin: ToolInput(records), home: home)
    #expect(result.status == 0, "\(result.errors)")
    return result
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try home.read("site/" + name), as: UTF8.self)
  }

  private func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: home.path + "/site/" + name) }

  /// The anchors of a page's tweets, in order.
  private func order(_ name: String) throws -> [String] {
    try text(name).matches(of: /<article class="h-entry[^"]*" id="t([^"]*)">/).map { String($0.1) }
  }

  /// Addresses of tweets that the site has lead to them, however they are written; others lead where they did.
  @Test(arguments: [
    ("https://x.com/jane/status/1", "2020-01.html#t1"), ("https://twitter.com/JANE/status/1?s=20", "2020-01.html#t1"),
    ("https://mobile.twitter.com/i/web/status/1", "2020-01.html#t1"),
    ("http://www.x.com/i/status/1/photo/1", "2020-01.html#t1"),
    ("https://tea.example/@maja/5", "2020-02.html#tmastodon_3Atea_2Eexample.5"),
    ("https://x.com/jane/status/9", "https://x.com/jane/status/9"),
    ("https://evil.example/jane/status/1", "https://evil.example/jane/status/1"),
    ("https://x.com.evil.example/jane/status/1", "https://x.com.evil.example/jane/status/1"),
  ])
  func aLinkToATweetOfTheSiteStaysInIt(_ address: String, _ place: String) throws {
    let link = #","entities":{"urls":[{"start":4,"end":20,"url":"https://t.co/abc","expanded_url":"\#(address)"}]}"#
    let toot = Self.tweet(5, "2020-02-01", "tea", by: "maja").replacing(
      #""service":"x""#, with: #""service":"mastodon:tea.example""#
    )
    .replacing(#""text""#, with: #""url":"https://tea.example/@maja/5","text""#)
    try write(Self.tweet(1, "2020-01-01", "first") + toot + Self.tweet(3, "2020-03-01", "see https://t.co/abc", link))
    let march = try text("2020-03.html")
    #expect(march.contains(#"see <a href="\#(place)""#), "\(march)")
  }

  /// A quote leads to its tweet in the site.
  @Test func aQuoteLeadsToItsTweet() throws {
    let first = Self.tweet(1, "2020-01-01", "first")
    let quote = #","referenced_tweets":[{"type":"quoted","# + first.dropFirst().dropLast() + "]"
    try write(first + Self.tweet(2, "2020-03-01", "again", quote))
    #expect(try text("2020-03.html").contains(##"<a class="u-url" href="2020-01.html#t1""##))
  }

  /// On pages with the newest first a thread is read downwards all the same.
  @Test func threadsAreReadDownwards() throws {
    let thread =
      Self.tweet(11, "2020-05-01", "one #tea", Self.tags) + Self.tweet(12, "2020-05-02", "alone #tea", Self.tags)
      + Self.tweet(13, "2020-05-03", "two #tea", Self.tags + Self.reply(to: 11))
      + Self.tweet(14, "2020-05-04", "three #tea", Self.tags + Self.reply(to: 13))
      + Self.tweet(15, "2020-05-05", "last #tea", Self.tags)
    try write(thread)
    for page in ["index.html", "views/tag-tea.html"] {
      #expect(try order(page) == ["15", "11", "13", "14", "12"], "\(page)")
      #expect(try text(page).matches(of: /h-entry joined/).count == 2)
    }
    #expect(try order("2020-05.html") == ["11", "12", "13", "14", "15"])
  }

  private static let tags = #","entities":{"hashtags":[{"start":4,"end":8,"tag":"tea"}]}"#

  /// A retweet says what it repeats, and leads there, where that stands on the same page; else it shows it.
  @Test func aRetweetBesideItsTweetIsNoSecondOne() throws {
    func retweet(_ id: Int, of tweet: String, _ day: String) -> String {
      Self.tweet(id, day, "RT", #","referenced_tweets":[{"type":"retweeted","# + tweet.dropFirst().dropLast() + "]")
    }
    let (near, far) = (
      Self.tweet(1, "2020-05-01", "the near one", by: "bob"), Self.tweet(2, "2019-01-01", "the far one", by: "bob")
    )
    try write(near + far + retweet(3, of: near, "2020-05-02") + retweet(4, of: far, "2020-05-03"))
    let page = try text("2020-05.html")
    #expect(page.matches(of: /<p class="text" dir="auto">the near one/).count == 1)
    #expect(page.contains(##"<a href="#t1">the near one</a>"##))
    #expect(page.matches(of: /<p class="text" dir="auto">the far one/).count == 1)
  }

  /// Of one person the first page has the profile: that of a record of it, else what tweets say.
  @Test func theFirstPageHasTheProfile() throws {
    let tweets =
      Self.tweet(1, "2020-01-01", "a") + Self.tweet(2, "2020-01-02", "b") + Self.tweet(3, "2020-01-03", "c", by: "bob")
    try write(tweets)
    let shown = try #require(
      try text("index.html").firstMatch(of: /(?s)<article class="profile h-card">.*?<\/article>/)
    ).0
    #expect(shown.contains("Bakes &lt;bread&gt;") && shown.contains("https://x.com/jane"), "\(shown)")
    let user =
      #"{"tw":"user","service":"x","id":"jane","username":"jane","name":"Jane","description":"Sails","public_metrics":{"followers_count":7}}"#
      + "\n"
    try write(user + tweets)
    let front = try text("index.html")
    #expect(front.contains("Sails") && front.contains("7 followers"))
    // Of two people alike it is nobody's site.
    try write(Self.tweet(1, "2020-01-01", "a") + Self.tweet(3, "2020-01-03", "c", by: "bob"), ["--yes"])
    #expect(try !text("index.html").contains("class=\"profile"))
  }

  /// Posts without answers and retweets, those with media, and those of a hashtag have pages, unless these would have
  /// all or none.
  @Test func someOfAllHavePages() throws {
    let media = #","attachments":{"media":[{"type":"photo","url":"https://a.example/1.jpg"}]}"#
    func tagged(_ tag: String) -> String { #","entities":{"hashtags":[{"start":0,"end":4,"tag":"\#(tag)"}]}"# }
    try write(
      Self.tweet(1, "2020-01-01", "plain", media) + Self.tweet(2, "2020-01-02", "answer", Self.reply(to: 1))
        + Self.tweet(3, "2020-01-03", "#Tea", tagged("Tea")) + Self.tweet(4, "2020-01-04", "#tea", tagged("tea"))
        + Self.tweet(5, "2020-01-05", "#once", tagged("once")) + Self.tweet(6, "2020-01-06", "#../x", tagged("../x"))
        + Self.tweet(7, "2020-01-07", "#../x", tagged("../x")))
    #expect(try order("views/posts.html") == ["7", "6", "5", "4", "3", "1"])
    #expect(try order("views/media.html") == ["1"])
    #expect(try order("views/tag-tea.html") == ["4", "3"])
    #expect(!has("views/tag-once.html") && has("views/tag-_2e_2e_2fx.html"))
    let front = try text("index.html")
    for page in ["views/posts.html", "views/media.html", "views/tag-tea.html"] {
      #expect(front.contains(#"<a href="\#(page)">"#))
    }
    // In a page of the folder all leads back.
    #expect(try text("views/tag-tea.html").contains(##"href="../2020-01.html#t4""##))
    try write(Self.tweet(1, "2020-01-01", "plain"), ["--yes"])
    #expect(!has("views/posts.html") && !has("views/media.html"))
  }

  /// The years before the newest fold, so that tweets are near the top of the first page.
  @Test func yearsBeforeTheNewestFold() throws {
    try write((2010...2020).map { Self.tweet($0, "\($0)-03-01", "a") }.joined())
    let front = try text("index.html")
    let parts = front.components(separatedBy: "<details><summary>2019 – 2010</summary>")
    #expect(parts.count == 2 && parts[0].contains("2020-03.html") && !parts[0].contains("2019-03.html"))
    #expect(parts.last?.components(separatedBy: "</details>").first?.contains("2010-03.html") == true)
    try write(Self.tweet(1, "2020-03-01", "a"), ["--yes"])
    #expect(try !text("index.html").contains("<details>"))
  }

  /// What tw-avatar has of a picture is in the site whole, and nothing leads to the network for it.
  @Test func picturesAreWhole() throws {
    let photo = PictureSample.png(for: "/photo")
    try home.write("x/data/tweets_media/99-AB-c_.png", photo)
    let record = Self.tweet(
      99, "2020-01-01", "look",
      #","attachments":{"media":[{"type":"photo","url":"https://pbs.twimg.com/media/AB-c_.png"}]}"#)
    let found = try Tool.run(
      "tw-avatar", ["--media", "--archive", "x", "--retries", "0", "--proxy", "http://127.0.0.1:9"],
      stdin: ToolInput(record), home: home)
    try write(found.output, ["--photos"])
    let key = try #require(found.output.firstMatch(of: /"picture":\{"key":"([0-9a-f]{64})"/)?.1)
    let name = "pictures/\(key).png"
    #expect(try home.read("site/" + name) == photo)
    let page = try text("2020-01.html")
    #expect(page.contains(#"<a class="u-photo" href="\#(name)""#) && page.contains(#"<img src="\#(name)""#), "\(page)")
  }

  /// Nothing of a deleted tweet is left: no retweet of it, and no quote.
  @Test func aDeletedTweetIsInNoOther() throws {
    let first = Self.tweet(1, "2020-01-01", "a secret", by: "bob")
    func with(_ id: Int, _ type: String) -> String {
      Self.tweet(
        id, "2020-01-02", "mine", #","referenced_tweets":[{"type":"\#(type)","# + first.dropFirst().dropLast() + "]")
    }
    try write(first + with(2, "quoted") + with(3, "retweeted") + #"{"tw":"delete","service":"x","id":"1"}"# + "\n")
    #expect(try order("2020-01.html") == ["2"])
    for case let name as String in try #require(FileManager.default.enumerator(atPath: home.path + "/site"))
    where name.contains(".") {
      #expect(!String(decoding: (try? home.read("site/" + name)) ?? [], as: UTF8.self).contains("secret"), "\(name)")
    }
  }
}
