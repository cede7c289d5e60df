import Foundation
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import ServiceClients

/// What a page of a server with Mastodon's API says of the pages after it, and of the next round: a wrong bound loses
/// posts, or repeats them.
struct MastodonPageTests {
  private static let requests = MastodonRequests(
    ServiceAccess(MastodonAPI.any, base: "https://h.example", token: Secret("t0k")))

  private static func pages(_ source: Source) throws -> MastodonPages {
    var pages = try MastodonPages(requests, source)
    pages.set(id: "7")
    return pages
  }

  /// Posts of these ids, each made in the second of its number.
  private static func page(_ ids: [Int], status: Int = 200, link: String? = nil) -> HTTPResponse {
    let posts = ids.map { MastodonServer.status($0, at: "2026-11-26T20:00:\($0 % 60 < 10 ? "0" : "")\($0 % 60).000Z") }
    let fields = link.map { [HTTPHeader("Link", "<https://h.example/api/v1/bookmarks?max_id=\($0)>; rel=next")] } ?? []
    return HTTPResponse(
      status: status, headers: HTTPHeaders(fields), body: Array("[\(posts.joined(separator: ","))]".utf8),
      url: "https://h.example/")
  }

  private static func numbers(_ page: FeedPage?) -> [Int] {
    page?.lines.compactMap { line in
      String(decoding: line.bytes, as: UTF8.self).firstMatch(of: /"id":"(\d+)"/).flatMap { Int($0.1) }
    } ?? [-1]
  }

  private static func time(_ second: Int) throws -> Timestamp {
    try #require(Timestamp(parsing: "2026-11-26T20:00:\(second).000Z"))
  }

  /// What of the posts 30 to 25 is shown, and which of them are the newest and the oldest of the page.
  @Test func aTimelineHasItsBounds() throws {
    for (set, limit, shown, newest, oldest, token) in [
      ({ _ in }, nil, [25, 26, 27, 28, 29, 30], 30, 25, "25"),
      ({ $0.sinceID = .number(27) }, nil, [28, 29, 30], 30, 28, "25"),
      ({ $0.untilID = .number(27) }, nil, [25, 26], 26, 25, "25"),
      // A limit cuts at the newest end, where the next round goes on.
      ({ $0.sinceID = .number(26) }, 2, [27, 28], 28, 27, "25"),
      // Those at the first moment are in it, those at the last are not; what is too new may be wanted later.
      ({ $0.since = try Self.time(27) }, nil, [27, 28, 29, 30], 30, 25, nil),
      ({ $0.until = try Self.time(27) }, nil, [25, 26], 26, 25, "25"),
    ] as [((inout PageRange) throws -> Void, Int?, [Int], Int, Int, String?)] {
      var range = PageRange()
      range.ascends = true
      try set(&range)
      let page = try Self.pages(.timeline("home")).read(
        Self.page(Array((25...30).reversed())), range, known: [], limit: limit)
      #expect(Self.numbers(page) == shown, "\(range) \(Self.numbers(page))")
      #expect(
        page?.newestID == .number(newest) && page?.oldestID == .number(oldest),
        "\(range) \(String(describing: page?.oldestID))")
      #expect(page?.nextToken == token, "\(range)")
    }
    let empty = try Self.pages(.timeline("home")).read(Self.page([]), PageRange(), known: [], limit: nil)
    #expect(empty?.nextToken == nil && empty?.lines.isEmpty == true)
  }

  /// What was added since the last round comes first; what is below its first one was there.
  @Test func bookmarksEndWhereTheLastRoundBegan() throws {
    var range = PageRange()
    range.sinceID = .text("27", order: nil)
    let pages = try Self.pages(.timeline("bookmarks"))
    let page = pages.read(
      Self.page([31, 29, 27, 30, 25], link: "4"), range, known: [.text("29", order: nil)], limit: nil)
    #expect(Self.numbers(page) == [31] && page?.newestID == .text("31", order: nil))
    #expect(page?.nextToken == "/api/v1/bookmarks?max_id=4")
    #expect(pages.read(Self.page([31]), range, known: [], limit: nil)?.nextToken == nil)
  }

  /// A strange element is passed on once: not again with a page that is known.
  @Test func aStrangeElementIsToldOnce() throws {
    var answer = Self.page([25])
    answer.body = Array("[5,\(MastodonServer.status(25)),null]".utf8)
    let pages = try Self.pages(.timeline("home"))
    #expect(pages.read(answer, PageRange(), known: [], limit: nil)?.lines.count == 3)
    #expect(pages.read(answer, PageRange(), known: [.number(25)], limit: nil)?.lines.isEmpty == true)
  }

  /// A notification of a mention without a post, and one whose post is gone.
  @Test func aMentionIsItsPost() throws {
    var answer = Self.page([])
    let gone = MastodonServer.notification(9, type: "mention").replacing(/"status":.*$/, with: #""status":null}"#)
    let bare = MastodonServer.notification(10, type: "mention").replacing(/,"status":.*$/, with: "}")
    answer.body = Array("[\(MastodonServer.notification(8, type: "mention")),\(gone),\(bare)]".utf8)
    let page = try Self.pages(.timeline("mentions")).read(answer, PageRange(), known: [], limit: nil)
    #expect(page?.sentIDs == [.number(8), .number(10)] && Self.numbers(page).sorted() == [1, 10])
  }

  /// A timeline that is built anew is waited for, and not for ever.
  @Test func aTimelineThatIsNeverBuiltIsAProblem() throws {
    let pages = try Self.pages(.timeline("home"))
    for number in 1...13 {
      let page = try #require(pages.read(Self.page([25], status: 206), PageRange(), known: [], limit: nil))
      #expect(page.lines.isEmpty && page.isPartial == (number < 13), "\(number)")
      #expect(
        page.pause == (number < 13 ? 5000 : 0) && page.problem?.status == (number < 13 ? nil : .tryLater), "\(number)")
    }
  }

  /// What is asked for a second time, since the server was still collecting, brings what is new alone.
  @Test func aConversationBringsEachPostOnce() throws {
    var pages = try MastodonPages(Self.requests, .named("conversation", "20"))
    var post = Self.page([])
    post.body = Array(MastodonServer.status(20).utf8)
    _ = try pages.readLookUp(post)
    func answer(_ above: [Int], _ below: [Int]) -> HTTPResponse {
      let parts = [above, below].map { "[\($0.map { MastodonServer.status($0) }.joined(separator: ","))]" }
      var answer = Self.page([])
      answer.body = Array(#"{"ancestors":\#(parts[0]),"descendants":\#(parts[1])}"#.utf8)
      return answer
    }
    let shown = [([10], [21]), ([10], [21, 22])].map {
      pages.read(answer($0.0, $0.1), PageRange(), known: [], limit: nil)
    }
    #expect(shown.map { Self.numbers($0) } == [[10, 20, 21], [22]])
    #expect(pages.read(answer([], [23, 24]), PageRange(), known: [], limit: 1).map { Self.numbers($0) } == [23])
  }

  /// A deleted post is not one that is not shown.
  @Test func aMissingPostIsGoneOrHidden() {
    let lookUp = MastodonLookUp(requests: Self.requests)
    for (status, deleted, hidden) in [(410, ["5"], []), (404, [], ["5"])] as [(Int, [String], [String])] {
      let answer = lookUp.read(Self.page([], status: status), ["5"])
      #expect(answer?.deleted == deleted && answer?.hidden.map(\.id) == hidden, "\(status)")
    }
    for (status, isRead) in [(200, true), (404, true), (410, true), (401, false), (500, false)] {
      #expect(lookUp.reads(Self.page([], status: status)) == isRead, "\(status)")
    }
  }

  /// Which answers mean that there is no such stream, and that a WebSocket is tried.
  @Test func aRefusedStreamHasItsMeaning() {
    for status in [200, 301, 400, 401, 403, 404, 405, 406, 408, 410, 422, 425, 426, 429, 499, 500, 501, 503] {
      var stream = MastodonStream(Self.requests, .timeline("home"))
      let answer = Self.page([], status: status)
      let hasNone = (200...499).contains(status) && ![408, 425, 429].contains(status)
      #expect((stream.refusal(answer).meaning == .noStream) == hasNone, "\(status)")
      let isSocket = stream.recordRefusal(answer)
      #expect(isSocket == [400, 404, 405, 406, 410, 426, 501].contains(status), "\(status)")
      let isAgain = stream.recordRefusal(answer)
      #expect(!isAgain || !isSocket, "\(status): a WebSocket that is refused is not tried again")
    }
  }

  /// What a message of a stream is, by the source.
  @Test(arguments: [
    ("home", #"{"event":"update","payload":{"id":"5"}}"#, "post"),
    ("home", #"{"event":"delete","payload":"5"}"#, "other"),
    ("home", #"{"event":"status.update","payload":{"id":"5"}}"#, "other"),
    ("home", #"{"event":"notification","payload":{"id":"5","type":"mention"}}"#, "nothing"),
    ("home", #"{"event":"filters_changed","payload":{}}"#, "nothing"),
    ("mentions", #"{"event":"notification","payload":{"id":"5","type":"mention"}}"#, "post"),
    ("mentions", #"{"event":"notification","payload":{"id":"5","type":"favourite"}}"#, "nothing"),
    ("mentions", #"{"event":"update","payload":{"id":"5"}}"#, "nothing"),
    ("notifications", #"{"event":"notification","payload":{"id":"5","type":"favourite"}}"#, "post"),
    ("home", #"{"error":"Bad token","status":401}"#, "closing"), ("home", #"{"status":200}"#, "nothing"),
  ])
  func aMessageHasItsMeaning(_ source: String, _ message: String, _ wanted: String) throws {
    let stream = MastodonStream(Self.requests, .timeline(source))
    let found = try JSONDocument(message).read { message in
      switch stream.meaning(of: message) {
      case .post: "post"
      case .other: "other"
      case .closing: "closing"
      case .nothing: "nothing"
      default: "else"
      }
    }
    #expect(found == wanted)
  }

  /// The last id of the millisecond before a time (github.com/ulid/spec).
  @Test func idsOfGoToSocialTellTheTime() {
    #expect(ULID.last(before: Timestamp(milliseconds: 1_469_918_176_386)) == "01ARYZ6S41ZZZZZZZZZZZZZZZZ")
    #expect(ULID.last(before: Timestamp(milliseconds: 0)) == "0000000000ZZZZZZZZZZZZZZZZ")
  }
}
