import Foundation
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import ServiceClients

/// What a page of Bluesky's AppView says of the pages after it, whose posts are shown, and where a stream goes on.
struct BlueskyPageTests {
  private static let anonymous = BlueskyRequests(
    ServiceAccess(anonymous: BlueskyAPI(), base: "https://h.example", caFile: nil))
  private static let signedIn = BlueskyRequests(
    ServiceAccess(BlueskyAPI(), base: "https://h.example", token: Secret("t0k"), account: "ann.example"))

  private static func answer(_ body: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(body.utf8), url: "https://h.example/xrpc")
  }

  private static func post(_ name: String, labels: String = "", of author: String = "") -> String {
    #"{"uri":"at://did:plc:bob/app.bsky.feed.post/\#(name)","author":{"did":"did:plc:bob","labels":[\#(author)]},"#
      + #""labels":[\#(labels)],"record":{"text":"x"},"indexedAt":"2026-11-01T00:00:00.000Z"}"#
  }

  private static let (hidden, members) = (#"{"val":"!hide"}"#, #"{"val":"!no-unauthenticated"}"#)

  private static func names(_ page: FeedPage?) -> [String] {
    page?.lines.compactMap { line in
      String(decoding: line.bytes, as: UTF8.self).firstMatch(of: /"uri":"[^"]*\/([a-z0-9]+)"/).map { String($0.1) }
    } ?? ["no page"]
  }

  /// Who is not to be shown is not, in any kind of list, also where somebody else repeats or likes it.
  @Test func whatIsHiddenIsInNoList() throws {
    let posts = [
      Self.post("a"), Self.post("b", labels: Self.hidden), Self.post("c", of: Self.hidden),
      Self.post("d", labels: Self.members), Self.post("e", of: Self.members), Self.post("f"),
    ]
    func items(_ more: (Int) -> String) -> String {
      posts.enumerated().map { #"{"post":\#($1)\#(more($0))}"# }.joined(separator: ",")
    }
    let by = { (labels: String) in
      #","reason":{"$type":"app.bsky.feed.defs#reasonRepost","uri":"at://did:plc:eve/app.bsky.feed.repost/r","#
        + #""indexedAt":"2026-11-01T00:00:00.000Z","by":{"did":"did:plc:eve","labels":[\#(labels)]}}"#
    }
    let pin = #","reason":{"$type":"app.bsky.feed.defs#reasonPin"}"#
    for (source, body, all) in [
      (.named("user", "bob.example"), #"{"feed":[\#(items { _ in "" })]}"#, "adef"),
      (.named("user", "bob.example"), #"{"feed":[\#(items { $0 == 5 ? by(Self.hidden) : "" })]}"#, "ade"),
      (.named("user", "bob.example"), #"{"feed":[\#(items { $0 == 0 ? pin : "" })]}"#, "def"),
      (
        .timeline("bookmarks"), #"{"bookmarks":[\#(posts.map { #"{"item":\#($0)}"# }.joined(separator: ","))]}"#, "adef"
      ),
      (.hashtag("tea"), #"{"posts":[\#(posts.joined(separator: ","))]}"#, "adef"),
    ] as [(Source, String, String)] {
      for (requests, wanted) in [(Self.signedIn, all), (Self.anonymous, all.filter { !"de".contains($0) })] {
        let pages = try #require(BlueskyPages(requests, source))
        let page = pages.read(Self.answer(body), PageRange(), known: [], limit: nil)
        #expect(Self.names(page) == wanted.map(String.init), "\(source) \(Self.names(page))")
      }
    }
    for (requests, wanted) in [(Self.signedIn, "adef"), (Self.anonymous, "af")] {
      let found = BlueskyLookUp(requests: requests).read(
        Self.answer(#"{"posts":[\#(posts.joined(separator: ","))]}"#), ["a"])
      #expect(Self.names(found?.page) == wanted.map(String.init))
    }
  }

  /// What is gone counts as no post; a limit counts posts.
  @Test func whatIsMissingIsNoPost() throws {
    let gone = #"{"uri":"at://did:plc:bob/app.bsky.feed.post/gone","notFound":true}"#
    let list = [gone, Self.post("a"), gone.replacing("gone", with: "lost"), Self.post("b"), Self.post("c")]
    let body = #"{"bookmarks":[\#(list.map { #"{"item":\#($0)}"# }.joined(separator: ","))],"cursor":"next"}"#
    let pages = try #require(BlueskyPages(Self.signedIn, .timeline("bookmarks")))
    let page = pages.read(Self.answer(body), PageRange(), known: [], limit: 2)
    #expect(Self.names(page) == ["gone", "a", "lost", "b"] && page?.count == 2 && page?.kept == 3)
    #expect(page?.nextToken == "next")
  }

  /// What is new in a list without an order is on its first page; a cursor that is refused is left out.
  @Test func aLaterRoundReadsTheFirstPage() throws {
    let feed = Source.named("feed", "at://did:plc:eve/app.bsky.feed.generator/hot")
    let body = #"{"feed":[{"post":\#(Self.post("a"))}],"cursor":"next"}"#
    var later = PageRange()
    later.sinceID = .text("x", order: nil)
    for (source, range, token) in [
      (feed, PageRange(), "next"), (feed, later, nil), (.named("user", "bob.example"), PageRange(), "next"),
    ] as [(Source, PageRange, String?)] {
      let pages = try #require(BlueskyPages(Self.signedIn, source))
      #expect(pages.read(Self.answer(body), range, known: [], limit: nil)?.nextToken == token, "\(source)")
    }
    var second = PageRange()
    second.token = "next"
    let pages = try #require(BlueskyPages(Self.signedIn, feed))
    for (range, status, isWithout) in [(second, 400, true), (second, 401, false), (PageRange(), 400, false)] {
      #expect((pages.remedy(Self.answer("", status: status), range) != nil) == isWithout, "\(status)")
    }
  }

  // MARK: The stream

  private static func stream(_ words: [String], _ bases: [String] = ["http://a.example", "http://b.example"])
    -> Jetstream
  {
    Jetstream(anonymous, words.map { .named("live", $0) }, servers: JetstreamServers(bases, besides: nil))
  }

  private static func parameters(_ request: HTTPRequest, _ name: String) -> [String] {
    request.url.split(separator: "?").last?.split(separator: "&").compactMap { pair -> String? in
      let parts = pair.split(separator: "=")
      return parts.first == Substring(name) ? parts.last.map(String.init) : nil
    } ?? []
  }

  /// Its number holds at its own server; elsewhere, and once a number was too old, the time does, five seconds before.
  @Test func aStreamGoesOnFromItsPlace() {
    let place = StreamPlace(time: 1_790_000_000_000_000, number: 77, server: "http://a.example")
    let other = StreamPlace(time: 1_790_000_000_000_000, number: 77, server: "http://z.example")
    var stream = Self.stream(["tea"])
    #expect(Self.parameters(stream.connection(after: nil), "cursor") == [])
    #expect(Self.parameters(stream.connection(after: place), "cursor") == ["77"])
    #expect(Self.parameters(stream.connection(after: other), "cursor") == ["1789999995000000"])
    let tooOld = Self.answer(#"{"error":"CursorTooOld"}"#, status: 400)
    let first = stream.recordFailure(tooOld)
    #expect(first == .byTime && Self.parameters(stream.connection(after: place), "cursor") == ["1789999995000000"])
    let second = stream.recordFailure(tooOld)
    #expect(second == nil, "a time that is too old is asked for once")
    stream.recordSuccess()
    #expect(Self.parameters(stream.connection(after: place), "cursor") == ["77"])
    // A server that does not know the second version is asked in the first, where a time is a place.
    let unknown = stream.recordFailure(Self.answer("", status: 404))
    #expect(unknown == .again && stream.connection(after: place).url.hasPrefix("http://a.example/subscribe?"))
    #expect(Self.parameters(stream.connection(after: place), "cursor") == ["1790000000000000"])
    let again = stream.recordFailure(Self.answer("", status: 404))
    #expect(again == nil)
  }

  /// The authors are named to the server if all sources want some, and not too many.
  @Test func authorsAreNamedToTheServer() {
    func dids(_ count: Int) -> String { (0..<count).map { "from:did:plc:\($0)" }.joined(separator: " ") }
    for (words, count) in [
      (["tea"], 0), ([dids(2)], 2), ([dids(2), "from:did:plc:x"], 3), ([dids(2), "tea"], 0), ([dids(100)], 100),
      ([dids(101)], 0),
    ] { #expect(Self.parameters(Self.stream(words).connection(after: nil), "dids").count == count, "\(words.count)") }
  }

  /// One event is the same at each server; an edit is another version.
  @Test func eachVersionOfAPostIsOne() throws {
    func version(_ operation: String, _ cid: String, key: String = "3k") throws -> UInt64 {
      let event =
        #"{"did":"did:plc:ann","commit":{"operation":"\#(operation)","collection":"app.bsky.feed.post","#
        + #""rkey":"\#(key)","cid":"\#(cid)","record":{}}}"#
      return try JSONDocument(event).read { Self.stream(["tea"]).version(of: $0) }
    }
    let all = try [
      version("create", "a"), version("update", "a"), version("update", "b"), version("create", "a", key: "3l"), 0,
    ]
    #expect(Set(all).count == 5)
    #expect(try version("create", "a") == all[0])
  }

  /// A name that nobody has is refused; one that could not be asked for is tried again later.
  @Test(
    arguments: [
      (200, #"{"did":"did:plc:bob"}"#, nil), (400, #"{"error":"InvalidRequest"}"#, .refused), (200, "{}", .refused),
      (500, "", .tryLater), (401, "", .tryLater), (0, "", .tryLater),
    ] as [(Int, String, TweetCore.ExitStatus?)])
  func anAuthorIsLookedUp(_ status: Int, _ body: String, _ wanted: TweetCore.ExitStatus?) {
    var stream = Self.stream(["from:bob.example"])
    #expect(stream.preparation?.url.contains("resolveHandle?handle=bob.example") == true)
    var failure: ToolError?
    do throws(ToolError) {
      _ = try stream.readPreparation(status == 0 ? nil : Self.answer(body, status: status))
    } catch {
      failure = error
    }
    #expect(failure?.status == wanted)
    if wanted == nil { #expect(Self.parameters(stream.connection(after: nil), "dids") == ["did%3Aplc%3Abob"]) }
  }

  /// The dictionary is asked for twice at most: without one messages come as they are.
  @Test func aDictionaryIsAskedForTwice() throws {
    var stream = Self.stream(["tea"])
    for number in 1...3 {
      #expect((stream.preparation != nil) == (number < 3), "\(number)")
      _ = try stream.readPreparation(Self.answer("", status: 500))
    }
  }

  /// A place that is older than all that a server has is a gap; something else that it says is no warning.
  @Test func whatAStreamSaysIsTold() throws {
    for (name, code) in [("OutdatedCursor", "gap"), ("Maintenance", "stream-info")] {
      let message = #"{"payload":{"$type":"x#info","name":"\#(name)","message":"words"}}"#
      let meaning = try JSONDocument(message).read { Self.stream(["tea"]).meaning(of: $0) }
      guard case .notice(let notice) = meaning else {
        Issue.record("no notice of \(name)")
        continue
      }
      #expect(notice.code == code && notice.message.contains("words"))
    }
  }
}
