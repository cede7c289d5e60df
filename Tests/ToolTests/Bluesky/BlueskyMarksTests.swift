import Foundation
import TestSupport
import Testing

@testable import TweetDisplay
@testable import tw_render

/// What Bluesky's readers must not see, or see with a mark: labels, and posts that are gone, blocked or detached.
@Suite(.onOwnThread) struct BlueskyMarksTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func labels(_ values: [String]) -> String {
    "["
      + values.map { #"{"src":"did:plc:mod","uri":"at://x","val":"\#($0)","cts":"2026-01-01T00:00:00Z"}"# }.joined(
        separator: ",") + "]"
  }

  private static func author(_ name: String, _ values: [String] = []) -> String {
    #"{"did":"did:plc:\#(name)","handle":"\#(name).example","labels":\#(labels(values))}"#
  }

  private static func view(
    _ name: String, _ text: String, by author: String = author("bo"), _ values: [String] = [], more: String = "",
    embed: String? = nil, inner: String = "record"
  ) -> String {
    let record = #"{"$type":"app.bsky.feed.post","text":"\#(text)","createdAt":"2026-11-01T00:00:00.000Z"}"#
    return
      #"{"uri":"at://did:plc:bo/app.bsky.feed.post/\#(name)","cid":"c","author":\#(author),"\#(inner)":\#(record),"#
      + #""indexedAt":"2026-11-01T00:00:00.000Z","labels":\#(labels(values))\#(embed.map { #","embed":\#($0)"# } ?? "")\#(more)}"#
  }

  private static func quote(_ record: String) -> String {
    view("3k1", "outer words", embed: #"{"$type":"app.bsky.embed.record#view","record":\#(record)}"#)
  }

  private static func quoteWithMedia(_ record: String) -> String {
    view(
      "3k1", "outer words",
      embed:
        #"{"$type":"app.bsky.embed.recordWithMedia#view","record":{"record":\#(record)},"media":{"$type":"x.y#view"}}"#)
  }

  private static let anonymous = #"{"tw":"context","feed":"@bo.example","service":"bluesky","base":"http://b"}"# + "\n"
  private static let member =
    #"{"tw":"context","feed":"home","service":"bluesky","account":"ada.example","base":"http://b"}"# + "\n"

  private func parse(_ text: String) throws -> ToolResult {
    try Tool.run("tw-parse", stdin: ToolInput(text + "\n"), home: home)
  }

  private func render(_ records: String, _ arguments: [String] = []) throws -> String {
    try Tool.run("tw-render", arguments, stdin: ToolInput(records), home: home).output
  }

  // MARK: Quotes

  /// A quoted post that nobody, or no stranger, is to see is named, and not shown.
  @Test(arguments: [
    (["!hide"], [String](), true, true), ([], ["!hide"], true, true), ([], ["!no-unauthenticated"], true, false),
    ([], [], false, false),
  ])
  func aQuotedPostIsHidden(_ own: [String], _ ofAuthor: [String], _ isHidden: Bool, _ isHiddenForMembers: Bool) throws {
    let quoted = Self.view("3k2", "inner words", by: Self.author("cy", ofAuthor), own, inner: "value")
    for (context, isHidden) in [(Self.anonymous, isHidden), (Self.member, isHiddenForMembers)] {
      for post in [Self.quote(quoted), Self.quoteWithMedia(quoted)] {
        let parsed = try parse(context + post)
        #expect(parsed.status == 0 && parsed.output.contains("app.bsky.feed.post/3k2"), "\(parsed)")
        #expect(parsed.output.contains("inner words") == !isHidden, "\(parsed.output)")
        #expect(parsed.output.contains(#""quote":{"state":"hidden"}"#) == isHidden, "\(parsed.output)")
        let shown = try render(parsed.output)
        #expect(
          shown.contains("inner words") == !isHidden && shown.contains("not shown to you") == isHidden, "\(shown)")
      }
    }
  }

  /// The same holds for what a post answers.
  @Test func aHiddenParentIsNotShown() throws {
    let parent = Self.view("3k2", "inner words", by: Self.author("cy", ["!no-unauthenticated"]))
    let item = #"{"post":\#(Self.view("3k1", "outer words")),"reply":{"parent":\#(parent),"root":\#(parent)}}"#
    #expect(try parse(Self.member + item).output.contains("inner words"))
    let parsed = try parse(Self.anonymous + item)
    #expect(!parsed.output.contains("inner words") && parsed.output.contains("post/3k2"), "\(parsed.output)")
  }

  @Test(arguments: [
    ("viewNotFound", #""notFound":true"#, Phrase.quoteGone), ("viewBlocked", #""blocked":true"#, .quoteBlocked),
    ("viewDetached", #""detached":true"#, .quoteWithdrawn),
  ])
  func whyAQuoteIsNotThere(_ type: String, _ member: String, _ phrase: Phrase) throws {
    let hole = #"{"$type":"app.bsky.embed.record#\#(type)","uri":"at://did:plc:cy/app.bsky.feed.post/3k2",\#(member)}"#
    for post in [Self.quote(hole), Self.quoteWithMedia(hole)] {
      let parsed = try parse(post)
      let german = try render(parsed.output, ["--locale", "de"])
      #expect(german.contains("\(WordsTable.text(phrase, .de))"), "\(german)")
    }
  }

  /// Mastodon's states of a quote. What is of a blocked or muted account comes along, and is not shown.
  @Test(
    arguments: [
      ("revoked", Phrase.quoteWithdrawn), ("deleted", .quoteGone), ("unauthorized", .quoteHidden),
      ("pending", .quotePending),
      ("rejected", .quoteRefused), ("blocked_account", .quoteBlocked), ("blocked_domain", .quoteBlocked),
      ("muted_account", .quoteMuted), ("something_new", .quoteHidden), ("accepted", nil),
    ] as [(String, Phrase?)])
  func statesOfMastodon(_ state: String, _ phrase: Phrase?) throws {
    func status(_ id: String, _ text: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","created_at":"2026-11-26T20:00:00.000Z","visibility":"public","content":"<p>\#(text)</p>","#
        + #""url":"https://tea.example/@maja/\#(id)","account":{"id":"1","acct":"maja","username":"maja","#
        + #""url":"https://tea.example/@maja"},"media_attachments":[],"mentions":[],"tags":[]\#(more)}"#
    }
    let isSent = phrase == nil || [.quoteBlocked, .quoteMuted].contains(phrase)
    let quoted = isSent ? status("1", "inner words") : "null"
    let parsed = try parse(status("2", "outer words", #","quote":{"state":"\#(state)","quoted_status":\#(quoted)}"#))
    #expect(parsed.status == 0, "\(parsed)")
    for format in ["text", "line", "detail", "html", "markdown", "atom", "json-feed", "mbox"] {
      let hasLanguage = FormatChoice.inLanguage.map(\.rawValue).contains(format)
      let language = hasLanguage ? TableLanguage.fr : .en
      let shown = try render(parsed.output, ["--format", format] + (hasLanguage ? ["--locale", "fr"] : []))
      #expect(shown.contains("inner words") == (phrase == nil), "\(state) \(format): \(shown)")
      let words = phrase.map { "\(WordsTable.text($0, language))" } ?? (hasLanguage ? "tweet cité" : "quoted tweet")
      #expect(shown.contains(words) == (phrase != nil), "\(state) \(format): \(shown)")
    }
  }

  /// Words for one state are no words for another one, in any language.
  @Test func statesHaveWordsOfTheirOwn() {
    let phrases: [Phrase] = [
      .quoteGone, .quoteWithdrawn, .quoteBlocked, .quoteMuted, .quotePending, .quoteRefused, .quoteHidden,
    ]
    for language in TableLanguage.allCases {
      #expect(Set(phrases.map { "\(WordsTable.text($0, language))" }).count == phrases.count, "\(language)")
    }
  }

  // MARK: Marks

  @Test(arguments: ["porn", "sexual", "nudity", "graphic-media", "!warn"], [false, true])
  func labelsMarkAPost(_ label: String, isOfAuthor: Bool) throws {
    let plain = try parse(Self.view("3k1", "some words", ["spam"]))
    #expect(!plain.output.contains("possibly_sensitive") && !plain.output.contains("spoiler_text"))
    let view = Self.view(
      "3k1", "some words", by: Self.author("bo", isOfAuthor ? [label] : []), isOfAuthor ? [] : [label])
    let parsed = try parse(view)
    #expect(parsed.output.contains(#""possibly_sensitive":true"#), "\(parsed.output)")
    #expect(parsed.output.contains(#""spoiler_text":"a moderator warns of"#) == (label == "!warn"), "\(parsed.output)")
    let negated = try parse(view.replacing(#""val":"\#(label)""#, with: #""val":"\#(label)","neg":true"#))
    #expect(!negated.output.contains("possibly_sensitive"), "\(negated.output)")
    guard label == "!warn" else { return }
    let folded = try render(parsed.output, ["--warnings", "fold"])
    #expect(folded.contains("a moderator warns") && !folded.contains("some words"), "\(folded)")
  }

  // MARK: Galleries

  @Test func aGalleryHasItsPictures() throws {
    let views = (1...6).map {
      #"{"$type":"app.bsky.embed.gallery#viewImage","thumbnail":"https://cdn.example/t/p\#($0)@jpeg","#
        + #""fullsize":"https://cdn.example/f/p\#($0)@jpeg","alt":"cup \#($0)","aspectRatio":{"width":30,"height":20}}"#
    }
    let gallery = #"{"$type":"app.bsky.embed.gallery#view","items":[\#(views.joined(separator: ","))]}"#
    let parsed = try parse(Self.view("3k1", "some words", embed: gallery))
    for number in 1...6 {
      #expect(
        parsed.output.contains(
          #"{"media_key":"p\#(number)","type":"photo","url":"https://cdn.example/f/p\#(number)@jpeg","alt_text":"cup \#(number)","#
            + #""width":30,"height":20}"#), "\(parsed.output)")
    }
    #expect(!parsed.output.contains(#""embed""#))
    // A record has hashes in the place of addresses.
    let items = (1...5).map {
      #"{"$type":"app.bsky.embed.gallery#image","image":{"$type":"blob","ref":{"$link":"bafy\#($0)"},"mimeType":"image/png","#
        + #""size":5},"alt":"","aspectRatio":{"width":3,"height":2}}"#
    }
    let event =
      #"{"$type":"message","payload":{"did":"did:plc:bo","collection":"app.bsky.feed.post","rkey":"3k1","operation":"create","#
      + #""time":"2026-11-01T00:00:00.000000Z","record":{"text":"words","createdAt":"2026-11-01T00:00:00.000Z","#
      + #""embed":{"$type":"app.bsky.embed.gallery","items":[\#(items.joined(separator: ","))]}}}}"#
    let live = try parse(event)
    #expect(
      live.output.contains("https://cdn.bsky.app/img/feed_fullsize/plain/did:plc:bo/bafy5@jpeg"), "\(live.output)")
    // What is not a picture stays as it is.
    let other = try parse(Self.view("3k1", "some words", embed: gallery.replacing("fullsize", with: "playlist2")))
    #expect(other.output.contains(#""embed""#) && !other.output.contains(#""media_keys""#), "\(other.output)")
  }

  // MARK: Holes

  private static func hole(_ name: String, isBlocked: Bool) -> String {
    let uri = "at://did:plc:cy/app.bsky.feed.post/\(name)"
    return isBlocked
      ? #"{"$type":"app.bsky.feed.defs#blockedPost","uri":"\#(uri)","blocked":true,"author":{"did":"did:plc:cy"}}"#
      : #"{"$type":"app.bsky.feed.defs#notFoundPost","uri":"\#(uri)","notFound":true}"#
  }

  private static func thread() -> String {
    let replies = [
      hole("3kb", isBlocked: true), #"{"post":\#(view("3k3", "an answer"))}"#, hole("3kc", isBlocked: false),
    ]
    return #"{"post":\#(view("3k1", "some words")),"parent":\#(hole("3ka", isBlocked: false)),"replies":["#
      + replies.joined(separator: ",") + "]}"
  }

  /// What stands for each record: the code of a notice, or the key of a post.
  private func words(_ output: String) -> [String] {
    output.matches(of: #/"tw":"(?:notice","level":"info","code":"([^"]+)"|tweet","id":"[^"]*\/([^"\/]+)")/#).map {
      String($0.1 ?? $0.2 ?? "")
    }
  }

  /// A thread from a file, and one that tw-stream brings post by post.
  @Test func holesOfAThreadAreTold() throws {
    let expected = ["not-found", "3k1", "blocked", "3k3", "not-found"]
    let file = try parse(#"{"thread":\#(Self.thread())}"#)
    #expect(file.status == 0 && words(file.output) == expected, "\(file)")
    #expect(file.output.contains(#""id":"at://did:plc:cy/app.bsky.feed.post/3kb","user_id":"did:plc:cy""#))
    let server = try LoopbackServer { request, connection in
      connection.answer(200, #"{"thread":\#(Self.thread())}"#)
    }
    let address = "bluesky:conversation:at://did:plc:bo/app.bsky.feed.post/3k1"
    let streamed = try Tool.run(
      "/bin/bash", ["-c", "tw-stream --once '\(address)' | tw-parse"],
      environment: ["TW_ENDPOINT_BLUESKY": server.base], home: home)
    #expect(words(streamed.output).filter { expected.contains($0) } == expected, "\(streamed)")
  }

  @Test func deletedBookmarksAreTold() throws {
    let items = [Self.hole("3kc", isBlocked: false), Self.view("3k1", "some words"), Self.hole("3kb", isBlocked: true)]
    let page = #"{"bookmarks":["# + items.map { #"{"subject":{},"item":\#($0)}"# }.joined(separator: ",") + "]}"
    let expected = ["not-found", "3k1", "blocked"]
    #expect(try words(parse(page).output) == expected)
    let server = try LoopbackServer { request, connection in connection.answer(200, page) }
    let streamed = try Tool.run(
      "/bin/bash", ["-c", "tw-stream --once bookmarks | tw-parse"],
      environment: ["TW_SERVICE": "bluesky", "TW_ENDPOINT": server.base, "TW_TOKEN": "t0k"], home: home)
    #expect(words(streamed.output).filter { expected.contains($0) } == expected, "\(streamed)")
    // A limit counts posts.
    let limited = try Tool.run(
      "/bin/bash", ["-c", "tw-stream --once -n 1 bookmarks | tw-parse"],
      environment: ["TW_SERVICE": "bluesky", "TW_ENDPOINT": server.base, "TW_TOKEN": "t0k"], home: home)
    #expect(words(limited.output).contains("3k1"), "\(limited)")
  }

  // MARK: Feeds

  /// A feed by its address, whose owner is named by a handle.
  @Test func aFeedIsReadByItsAddress() throws {
    let server = try LoopbackServer { request, connection in
      if request.target.contains("resolveHandle") { return connection.answer(200, #"{"did":"did:plc:bo"}"#) }
      guard request.target.contains("app.bsky.feed.getFeed") else { return connection.answer(501, "{}") }
      connection.answer(200, #"{"feed":[{"post":\#(Self.view("3k1", "some words"))}]}"#)
    }
    for address in ["https://bsky.app/profile/bo.example/feed/tea", "at://bo.example/app.bsky.feed.generator/tea"] {
      for source in [address, "feed:" + address] {
        let result = try Tool.run(
          "tw-stream", ["--once", "bluesky:" + source], environment: ["TW_ENDPOINT_BLUESKY": server.base], home: home)
        #expect(result.status == 0 && result.output.contains("some words"), "\(source): \(result)")
      }
    }
    let asked = server.requests.last { $0.target.contains("getFeed") }
    #expect(asked?.decoded("feed") == "at://did:plc:bo/app.bsky.feed.generator/tea", "\(asked?.target ?? "")")
  }
}
