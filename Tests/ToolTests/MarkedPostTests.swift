import Foundation
import TestSupport
import Testing

@testable import tw_render

/// What somebody only liked or bookmarked is in no document unless it is asked for, by whatever way it came.
@Suite(.onOwnThread) struct MarkedPostTests {
  private static func tweet(_ id: Int, _ members: String, author: String = "ann", service: String = "x") -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"\#(service)","created_at":"2021-11-03T21:25:00.000Z",\#(members),"#
      + #""author_id":"7","author":{"id":"7","username":"\#(author)","name":"Ann"}}"# + "\n"
  }

  private static func link(_ word: String) -> String {
    #""entities":{"urls":[{"start":0,"end":6,"url":"https://\#(word).example/","title":"\#(word)","verdict":"ok","#
      + #""link_kind":"music"}]}"#
  }

  /// With the word `secret`: known of them is no more than a mark.
  private static let marked = [
    tweet(1, #""text":"secret 1","viewer":{"account":"me","liked":true},"feeds":["likes"],"# + link("secret")),
    tweet(2, #""text":"secret 2","viewer":{"account":"me","bookmarked":true},"feeds":["bookmarks","likes"]"#),
    // What tw-post has liked, and a file without a context.
    tweet(3, #""text":"secret 3","viewer":{"account":"me","liked":true,"retweeted":false}"#),
    // The mark was taken back; another account's is left; somebody looked it up.
    tweet(4, #""text":"secret 4","viewer":{"account":"me","liked":false},"feeds":["likes"]"#),
    tweet(
      5, #""text":"secret 5","viewer":{"account":"me","liked":false},"viewers":[{"account":"b","bookmarked":true}]"#),
    tweet(6, #""text":"secret 6","feeds":["likes","ids:ids.txt"]"#),
    // As an archive has it, without an author.
    #"{"tw":"tweet","id":"7","service":"x","text":"secret 7","viewer":{"account":"me","liked":true},"feeds":["likes"]}"#
      + "\n",
    tweet(8, #""text":"secret 8","viewer":{"liked":true},"feeds":["likes"]"#, author: "me@elsewhere.example"),
  ]
  /// What else is here has another reason, or is the account's own.
  private static let open = [
    tweet(11, #""text":"open 1","viewer":{"account":"me","liked":true},"feeds":["home","likes"],"# + link("open")),
    tweet(12, #""text":"open 2","viewer":{"account":"Ann","liked":true},"feeds":["likes"]"#),
    tweet(
      13,
      #""text":"open 3","viewer":{"account":"me","liked":true},"viewers":[{"account":"ann@m.example"}],"#
        + #""feeds":["likes"]"#,
      service: "mastodon:m.example"),
    tweet(14, #""text":"open 4","viewer":{"account":"me","liked":false,"retweeted":true}"#),
    tweet(15, ##""text":"open 5","feeds":["#likes"]"##),
  ]

  @Test(arguments: FormatChoice.published.map(\.rawValue))
  func documentsHaveNone(_ format: String) throws {
    let notice = #"{"tw":"notice","level":"info","code":"like","message":"a post was liked","url":"https://x.com/i/9"}"#
    let records = (Self.marked + Self.open).joined() + notice + "\n"
    let result = try RenderedFormat.run(format, records: records)
    #expect(result.ending == .status(0))
    #expect(!result.output.contains("secret") && !result.output.contains("was liked"), "\(result.output)")
    for id in 1...8 where format == "ids" { #expect(!result.lines.contains("\(id)")) }
    if format != "m3u" { #expect(result.output.contains(format == "ids" ? "15\n" : "open 5")) }
    // A site and ids have no notices.
    let count = format == "ids" || format == "site" ? 8 : 9
    #expect(
      result.errors == "tw-render: left out \(count) liked or bookmarked posts; --include marked takes them in\n")
    let included = try RenderedFormat.run(format, ["--include", "marked"], records: records)
    #expect(included.errors.isEmpty)
    #expect(format == "ids" ? included.lines.contains("1") : included.output.contains("secret"))
    // One kind of posts is not asked for with the other.
    let closed = Self.marked[0].replacing(#""text""#, with: #""extra":{"visibility":"private"},"text""#)
    for other in ["private", "marked"] {
      let half = try RenderedFormat.run(format, ["--include", other], records: closed)
      #expect(!half.output.contains("secret") && !half.lines.contains("1"), "\(other): \(half.output)")
    }
  }

  @Test(arguments: FormatChoice.terminal.map(\.rawValue))
  func terminalsShowThem(_ format: String) throws {
    let shown = try Tool.run("tw-render", ["--format", format], stdin: ToolInput(Self.marked.joined()))
    #expect(shown.output.contains("secret.example"))
    for id in 2...8 { #expect(shown.output.contains("secret \(id)"), "\(id)") }
    #expect(shown.errors.isEmpty)
    #expect(try Tool.run("tw-render", ["--format", format, "--include", "marked"]).ending == .status(64))
  }

  /// README's recipes: an archive, stored or not, becomes a site. The owner's own tweets stay, liked by them or not,
  /// and what is here for another reason too.
  @Test(arguments: [
    "tw-parse x | tw-cache add | tw-render -f FORMAT",
    "tw-parse x | tw-cache add > all; tw-cache list | tw-render -f FORMAT",
    "tw-parse x/data/account.js x/data/like.js x/data/bookmark.js x/data/tweets.js | tw-cache add > all;"
      + "tw-cache list | tw-render -f FORMAT",
  ])
  func archivesDoNotPublishMarks(_ recipe: String) throws {
    let home = try TemporaryDirectory()
    func script(_ name: String, _ elements: String...) throws {
      try home.write("x/data/\(name).js", "window.YTD.\(name).part0 = [\n\(elements.joined(separator: ",\n"))\n]")
    }
    try script("account", #"{"account":{"accountId":"12","username":"zed_ex","accountDisplayName":"Zed"}}"#)
    try script(
      "tweets", #"{"tweet":{"id_str":"1456000000000000001","full_text":"petrel","favorited":true,"retweeted":false}}"#,
      #"{"tweet":{"id_str":"1456000000000000002","full_text":"mine too"}}"#)
    try script(
      "like", #"{"like":{"tweetId":"1456000000000000002","fullText":"mine too"}}"#,
      #"{"like":{"tweetId":"1456000000000000003","fullText":"secret like"}}"#)
    try script("bookmark", #"{"bookmark":{"tweetId":"1456000000000000004","fullText":"secret bookmark"}}"#)
    for format in ["html", "csv", "site site -"] {
      let command = recipe.replacing("FORMAT", with: format) + "; cat site/*.html site/*/*.js 2>/dev/null"
      let result = try Tool.shell(command, home: home)
      #expect(result.output.contains("petrel") && result.output.contains("mine too"), "\(format): \(result.errors)")
      #expect(!result.output.contains("secret"), "\(format)")
      #expect(result.errors.contains("liked or bookmarked posts; --include marked takes them in"), "\(result.errors)")
    }
  }

  /// What servers say of bookmarks is in `viewer`, so that it is known of posts without a feed too.
  @Test func bookmarksOfOtherNetworksAreKnown() throws {
    let status =
      #"[{"id":"1","uri":"https://m.example/users/ann/statuses/1","url":"https://m.example/@ann/1","#
      + #""content":"<p>secret</p>","created_at":"2021-11-03T21:25:00.000Z","visibility":"public","#
      + #""bookmarked":true,"favourited":false,"reblogged":false,"#
      + #""account":{"id":"7","username":"ann","acct":"ann","url":"https://m.example/@ann"}}]"#
    let result = try Tool.shell(
      "tw-parse > one; grep -c '\"viewer\":{\"liked\":false,\"retweeted\":false,\"bookmarked\":true}' one; "
        + "tw-render -f csv one",
      stdin: ToolInput(status))
    #expect(result.lines.first == "1" && !result.output.contains("secret"), "\(result.output)")
  }

  /// What came for another reason as well is not lost with the mark, whichever comes first.
  @Test func aSiteKeepsWhatIsAlsoHereForAnotherReason() throws {
    let both = [
      Self.tweet(1, #""text":"seagull","feeds":["home"]"#),
      Self.tweet(1, #""text":"seagull","viewer":{"account":"me","liked":true},"feeds":["likes"]"#),
    ]
    for records in [both, both.reversed()] {
      for format in ["site", "html", "csv"] {
        #expect(try RenderedFormat.run(format, records: records.joined()).output.contains("seagull"))
      }
    }
  }
}
