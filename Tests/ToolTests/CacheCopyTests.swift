import Foundation
import TestSupport
import Testing

/// The same post, as several servers and networks know it, and its retweets: stored with all ids, listed once.
@Suite(.onOwnThread) struct CacheCopyTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let page = "https://one.example/@ann/7"
  private static let uri = #"{"uri":"https://one.example/users/ann/statuses/7"}"#
  private static let at = "at://did:plc:ann/app.bsky.feed.post/3k7"

  private func post(
    _ service: String, _ id: String, second: Int = 0, url: String? = page, extra: String? = uri, author: String = "ann",
    text: String = "hello", more: String = ""
  ) -> String {
    let members = [
      url.map { #","url":"\#($0)""# }, #","created_at":"\#(time(second))""#, #","text":"\#(text)""#,
      #","author":{"id":"\#(author)","username":"\#(author)"}"#, more, extra.map { #","extra":\#($0)"# },
    ].compactMap(\.self)
    return #"{"tw":"tweet","id":"\#(id)","service":"\#(service)""# + members.joined() + "}\n"
  }

  private func boost(_ service: String, _ id: String, of inner: String, second: Int, by name: String) -> String {
    let inner =
      #","referenced_tweets":[{"type":"retweeted","id":"\#(inner)","url":"\#(Self.page)","text":"hello","extra":\#(Self.uri)}]"#
    return post(
      service, id, second: second, url: "https://one.example/@\(name)/\(id)", extra: nil, author: name,
      text: "RT @ann: hello", more: inner)
  }

  /// Three records of one post on two servers, a retweet of it on each, and what is another post.
  private func fill() throws {
    _ = try add(post("mastodon:two.example", "900", second: 1, more: #","feeds":["home"]"#))
    _ = try add(post("mastodon:one.example", "7", second: 2) + post("mastodon:three.example", "x", extra: nil))
    _ = try add(
      boost("mastodon:one.example", "8", of: "7", second: 10, by: "bob")
        + boost("mastodon:two.example", "905", of: "904", second: 20, by: "cid"))
    _ = try add(post("mastodon:two.example", "901", second: 30, url: "https://one.example/@ann/80", extra: nil))
  }

  /// What one store has forgotten is forgotten in another too, also what only that one has of it.
  @Test func anImportForgetsTheCopiesOfWhatWasForgotten() throws {
    #expect(try add(post("mastodon:two.example", "900")).status == 0)
    #expect(try cache("forget", "--yes", "mastodon:two.example:900").status == 0)
    let export = try cache("export").output
    let other = home.path + "/other.db"
    #expect(try cache("add", "--db", other, stdin: post("mastodon:one.example", "7")).status == 0)
    #expect(try cache("import", "--db", other, stdin: export).status == 0)
    #expect(try list("--db", other, "--all-copies") == [])
  }

  @Test func aPostIsListedOnceAndStoredWithAllItsIDs() throws {
    try fill()
    // The first that was stored, wherever it stands among the others.
    #expect(try list() == ["901", "900"])
    #expect(try list("--oldest-first") == ["900", "901"])
    #expect(try list("--all-copies") == ["901", "905", "8", "7", "900", "x"])
    #expect(try cache("list", "--count").output == "2\n" && cache("list", "--count", "--all-copies").output == "6\n")
    #expect(try list("--sort", "likes") == ["901", "900"])
    // An export has all, and its import lists the same.
    let export = try cache("export").output
    #expect(export.split(separator: "\n").count { $0.hasPrefix(#"{"tw":"tweet""#) } == 6)
    let copy = home.path + "/copy.db"
    #expect(try cache("import", "--db", copy, stdin: export).status == 0)
    #expect(try list("--db", copy) == ["901", "900"] && list("--db", copy, "--all-copies").count == 6)
    #expect(try cache("export", "--db", copy).output == export)
    #expect(try cache("check").output == "")
    try checkStore()
  }

  /// A person at a terminal reads how many are left out, in either order; of a list with a limit, as far as it goes.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func leftOutCopiesAreTold() throws {
    try fill()
    let script =
      ["", "--sort likes", "--sort likes -n 1", "--sort likes --all-copies"].map { "tw-cache list \($0) > /dev/null; " }
      .joined() + "echo over"
    let screen = try Terminal(script, environment: Tool.environment(home: home.path), home: home).wait(for: "over")
    let note = "tw-cache: 4 copies of posts that are shown were left out; --all-copies shows them"
    #expect(screen.split(separator: "\n").filter { $0.hasPrefix("tw-") } == [note[...], note[...]], "\(screen)")
  }

  /// Of the copies that the list has: one that another condition leaves out stands for nothing.
  @Test func aListShowsTheCopyThatItHas() throws {
    try fill()
    #expect(try list("--service", "mastodon:one.example") == ["7"])
    #expect(try list("--service", "mastodon:three.example") == ["x"])
    #expect(try list("--author", "bob") == ["8"] && list("--is", "retweet") == ["8"])
    #expect(try list("--feed", "home") == ["900"] && list("--since", time(5)) == ["901", "8"])
    #expect(try list("-is:retweet", "-service:mastodon:two.example") == ["x"])
    #expect(try list("author:ann OR author:cid", "--search", "hello") == ["901", "900"])
    // When the first one is gone, the next is shown.
    _ = try add(#"{"tw":"delete","service":"mastodon:two.example","id":"900"}"# + "\n")
    #expect(try list() == ["901", "x"])
  }

  /// A limit counts the posts that are shown, and no copy comes again on the next page.
  @Test func pagesFollowEachOther() throws {
    // Those that were stored first are the newer ones, so a page begins between them and their copies.
    for (service, letter, second) in [("mastodon:one.example", "a", 5), ("mastodon:two.example", "b", 0)] {
      let posts = (1...40).map { number in
        post(
          service, "\(letter)\(number)", second: number * 10 + second, url: "https://one.example/@ann/\(number)",
          extra: nil)
      }
      _ = try add(posts.joined())
    }
    var seen: [String] = []
    var before: [String] = []
    while true {
      let result = try Tool.run("tw-cache", ["list", "--limit", "7"] + before, home: home)
      let page = ids(result.lines)
      if page.isEmpty { break }
      #expect(page.count == 7 || seen.count == 35)
      seen += page
      before = ["--before", page.last ?? ""]
    }
    #expect(seen == (1...40).reversed().map { "a\($0)" })
  }

  @Test func labelsBelongToThePost() throws {
    try fill()
    #expect(try cache("label", "+later", "mastodon:one.example:7").status == 0)
    #expect(try list("--label", "later") == ["900"] && list("--label", "later", "--all-copies").count == 5)
    // What comes later is as read as the post is.
    let late =
      post("mastodon:four.example", "44", second: 40) + post("mastodon:four.example", "45", url: nil, extra: nil)
    _ = try Tool.run(
      "tw-cache", ["add"], stdin: ToolInput(late), environment: ["TW_NEW_LABELS": "unread"], home: home)
    #expect(try list("--label", "unread") == ["45"])
    #expect(try cache("label", "mastodon:four.example:44").output == "mastodon:four.example\t44\tlater\n")
    #expect(try cache("label", "-later", "44").status == 0 && list("--label", "later") == [])
    try checkStore()
    #expect(try cache("check").output == "")
  }

  @Test func showHasTheThreadOfAllCopiesAndThePostOnce() throws {
    try fill()
    func answer(_ id: String, to post: String) -> String {
      #","referenced_tweets":[{"type":"replied_to","id":"\#(post)"}]"#
    }
    _ = try add(
      post(
        "mastodon:one.example", "20", second: 50, url: "https://one.example/@dan/20", extra: nil,
        more: answer("20", to: "7"))
        + post("mastodon:two.example", "920", second: 51, url: "https://one.example/@dan/20", extra: nil)
        + post(
          "mastodon:two.example", "921", second: 60, url: "https://two.example/@eve/921", extra: nil,
          more: answer("921", to: "900")))
    #expect(try ids(cache("show", "mastodon:one.example:7").lines) == ["7", "20", "921"])
    // By its address as the browser shows it, the copy of that server; else the one that was stored first.
    #expect(try ids(cache("show", Self.page).lines) == ["7", "20", "921"])
    #expect(try ids(cache("show", "https://one.example/@ann/80").lines) == ["901"])
    _ = try add(#"{"tw":"delete","service":"mastodon:one.example","id":"7"}"# + "\n")
    #expect(try ids(cache("show", Self.page).lines) == ["900", "921"])
  }

  @Test func showHasAllCopies() throws {
    try fill()
    #expect(try ids(cache("show", "--copies", "mastodon:one.example:7").lines) == ["900", "x", "7", "8", "905"])
    #expect(try ids(cache("show", "--copies", "mastodon:two.example:901").lines) == ["901"])
    #expect(try cache("show", "--copies", "--versions", "7").status == 64)
  }

  @Test func aPostIsForgottenWithItsCopies() throws {
    try fill()
    #expect(
      try cache("forget", "--dry-run", "mastodon:one.example:7").output.contains("forget 4 tweets, 1 retweet of them"))
    #expect(try cache("forget", "--yes", "mastodon:one.example:7").status == 0)
    #expect(try list("--all-copies") == ["901"])
    // No other server brings it back, nor a retweet; and another store learns that of an export.
    let late = post("mastodon:four.example", "44") + boost("mastodon:five.example", "9", of: "55", second: 3, by: "dan")
    #expect(try add(late).errors.contains("forgotten"))
    let copy = home.path + "/copy.db"
    #expect(try cache("import", "--db", copy, stdin: cache("export").output).status == 0)
    _ = try Tool.run("tw-cache", ["add", "--db", copy], stdin: ToolInput(late), home: home)
    #expect(try list("--all-copies") == ["901"] && list("--db", copy, "--all-copies") == ["901"])
    #expect(try cache("forget", "--undo", "mastodon:two.example:900").status == 0)
    #expect(try list("--all-copies").sorted() == ["7", "8", "900", "901", "905", "x"] && list() == ["901", "900"])
    // Without a retweet the post is still there.
    #expect(try cache("forget", "--yes", "8").status == 0)
    #expect(try list("--all-copies") == ["901", "905", "7", "900", "x"])
    try checkStore()
  }

  /// What waits in `incoming` is seen as it will be.
  @Test func aLiveStreamBringsCopies() throws {
    try fill()
    #expect(try cache("label", "+later", "900").status == 0)
    let live = try RunningTool("tw-cache", ["add"], environment: ["TW_NEW_LABELS": "unread"], home: home)
    for (line, id) in [
      (post("mastodon:four.example", "44", second: 40), "44"),
      (post("mastodon:four.example", "45", second: 41, url: "https://four.example/@f/45", extra: nil), "45"),
      (post("mastodon:five.example", "55", second: 42, url: "https://four.example/@f/45", extra: nil), "55"),
    ] {
      live.send(ToolInput(line))
      #expect(ids([try live.line() ?? ""]) == [id])
    }
    #expect(try list() == ["45", "901", "900"] && list("--label", "unread") == ["45"])
    #expect(try list("--label", "later", "--all-copies").contains("44"))
    live.closeInput()
    #expect(try live.finish().status == 0)
    #expect(try list() == ["45", "901", "900"] && list("--label", "unread") == ["45"])
    #expect(try cache("check").output == "")
  }

  /// Whoever reads `--new-only` has read the post.
  @Test func aCopyIsNotNew() throws {
    func new(_ input: String) throws -> [String] { try ids(add(input, ["--new-only"]).lines) }
    #expect(try new(post("mastodon:one.example", "7")) == ["7"])
    #expect(try new(post("mastodon:two.example", "900", second: 5)) == [])
    #expect(try new(boost("mastodon:one.example", "8", of: "7", second: 6, by: "bob")) == [])
    let page = "https://four.example/@f/45"
    #expect(
      try new(
        post("mastodon:four.example", "45", second: 8, url: page, extra: nil)
          + post("mastodon:five.example", "55", second: 9, url: page, extra: nil)
          + post("mastodon:five.example", "56", second: 9, url: nil, extra: nil)) == ["45", "56"])
    #expect(try list("--all-copies").count == 6)
  }

  /// The same of what waits in `incoming`, whoever put it there.
  @Test func aCopyInALiveStreamIsNotNew() throws {
    try fill()
    let streams = try (0..<2).map { _ in try RunningTool("tw-cache", ["add", "--new-only"], home: home) }
    func new(_ stream: Int, _ lines: [String]) throws -> [String] {
      // One by one, as they come from a network; the last one is new, so that its line ends the wait.
      for line in lines {
        streams[stream].send(ToolInput(line))
        usleep(150_000)
      }
      return ids([try streams[stream].line() ?? ""])
    }
    func other(_ service: String, _ id: String, _ number: Int) -> String {
      post(service, id, second: 40 + number, url: "https://four.example/@f/\(number)", extra: nil)
    }
    #expect(
      try new(0, [post("mastodon:four.example", "44", second: 40), other("mastodon:a.example", "1", 1)]) == ["1"])
    #expect(try new(0, [other("mastodon:b.example", "2", 1), other("mastodon:b.example", "3", 2)]) == ["3"])
    // What the other one has stored, or put there.
    #expect(try new(1, [other("mastodon:c.example", "4", 2), other("mastodon:c.example", "5", 3)]) == ["5"])
    #expect(try new(0, [other("mastodon:d.example", "6", 3), other("mastodon:d.example", "7", 4)]) == ["7"])
    for (stream, count) in zip(streams, [3, 1]) {
      stream.closeInput()
      let end = try stream.finish()
      #expect(end.status == 0 && end.lines.count == count, "\(end.output)")
    }
    #expect(try cache("check").output == "")
  }

  @Test func whatABridgeCarriedIsOnePost() throws {
    let carried = #"{"uri":"https://bsky.brid.gy/convert/ap/\#(Self.at)"}"#
    _ = try add(post("bluesky", Self.at, url: "https://bsky.app/profile/ann.example/post/3k7", extra: nil))
    _ = try add(
      post(
        "mastodon:two.example", "902", second: 5,
        url: "https://bsky.brid.gy/r/https://bsky.app/profile/did:plc:ann/post/3k7", extra: carried))
    _ = try add(post("mastodon:one.example", "7", second: 10))
    _ = try add(
      post(
        "bluesky", "at://did:plc:b/app.bsky.feed.post/3k8", second: 10, url: "https://bsky.app/profile/b/post/3k8",
        extra: #"{"record":{"bridgyOriginalUrl":"\#(Self.page)","bridgyOriginalText":"<p>hello</p>"}}"#))
    #expect(try list() == ["7", Self.at] && list("--all-copies").count == 4)
  }

  /// Posts as two servers sent them, and one that Bridgy Fed had carried to the second of them.
  @Test(.enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment))) func recordedTwins() throws {
    let exchanges = String(decoding: try TestData.bytes("mastodon/http/mastodon.py.exchanges.ndjson"), as: UTF8.self)
      .split(separator: "\n")
    func statuses(_ address: String, _ key: String?) throws -> [String] {
      let found = exchanges.first { $0.contains(#""uri": "\#(address)""#) || $0.contains(#""uri":"\#(address)""#) }
      let line = try #require(found)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let exchange = try #require(object)
      let body = try JSONSerialization.jsonObject(with: Data((exchange["body"] as? String ?? "").utf8))
      let list = key.flatMap { (body as? [String: Any])?[$0] as? [Any] } ?? [body]
      return try list.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
    }
    func store(_ host: String, _ statuses: [String]) throws {
      let context = #"{"tw":"context","service":"mastodon:\#(host)","base":"https://\#(host)"}"#
      let records = try Tool.run(
        "tw-parse", [], stdin: ToolInput(([context] + statuses).joined(separator: "\n") + "\n"), home: home)
      #expect(records.status == 0 && records.errors == "")
      #expect(try add(records.output).status == 0)
    }
    try store(
      "icosahedron.website",
      try statuses("https://icosahedron.website/api/v2/notifications?expand_accounts=partial_avatars", "statuses"))
    let own = Set(try list())
    try store(
      "mastodon.social",
      try statuses("https://mastodon.social/api/v2/search?exclude_unreviewed=1&q=halcy&resolve=1", "statuses"))
    #expect(own.isSuperset(of: ["116388148912635764", "116388107120681718"]))
    #expect(try Set(list()) == own && list("--all-copies").count == own.count + 2)
    #expect(
      try ids(cache("show", "--copies", "https://icosahedron.website/@greg/116388148912635764").lines) == [
        "116388148912635764", "116388149027005349",
      ])
    try store("mastodon.social", try statuses("https://mastodon.social/api/v1/statuses/115044073088181107", nil))
    let at = "at://did:plc:5syfqzormjkutgo5hi2u2gpr/app.bsky.feed.post/3lwlunj3oqs22"
    _ = try add(
      post("bluesky", at, second: 5, url: "https://bsky.app/profile/h4lcy.bsky.social/post/3lwlunj3oqs22", extra: nil))
    #expect(try ids(cache("show", "--copies", "bluesky:\(at)").lines) == ["115044073088181107", at])
  }
}
