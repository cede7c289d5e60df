import Foundation
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import ServiceClients

/// What fields and statuses of answers mean, by the table: a wrong reading ends a list before its end, or hangs.
struct MastodonAnswerTests {
  private static func answer(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "")
    -> HTTPResponse
  {
    HTTPResponse(
      status: status, headers: HTTPHeaders(fields.map { HTTPHeader($0.0, $0.1) }), body: Array(body.utf8),
      url: "https://h.example/api")
  }

  /// RFC 8288 §3: names and relations in any case, with quotes or without.
  @Test func theNextPageIsFound() {
    for (fields, wanted) in [
      ([#"<https://h/a?max_id=1>; rel="next", <https://h/a?min_id=9>; rel="prev""#], "https://h/a?max_id=1"),
      ([#"<https://h/a?min_id=9>; rel="prev", <https://h/a?max_id=1>; rel="next""#], "https://h/a?max_id=1"),
      (["<https://h/a?min_id=9>; rel=prev,<https://h/a?max_id=1>;rel=next"], "https://h/a?max_id=1"),
      ([#"</a?max_id=1,2>; title="older"; REL="NEXT""#], "/a?max_id=1,2"),
      (["<https://h/p>; rel=prev", "<https://h/n>; rel=next"], "https://h/n"), ([#"<https://h/p>; rel="prev""#], nil),
      ([#"<https://h/n>; rel="next last""#], "https://h/n"), (["<https://h/n>; rel = next"], "https://h/n"),
      ([#"<https://h/n> ;title*=UTF-8'en'a; rel\#t= "last  Next" , <https://h/p>;rel=prev"#], "https://h/n"),
      ([#"<https://h/p>; title="; rel=next, <x>; \"rel=next"; rel=prev, <https://h/n>; rel=next"#], "https://h/n"),
      ([#"<https://h/p>; rel=prev; rel=next, <https://h/p>; rel="prevnext"; arel=next"#], nil),
      ([#"<https://h/p>; rel, <https://h/q>; rel=, <https://h/r>; rel="next"#], "https://h/r"),
      (["https://h/n; rel=next"], nil), (["<https://h/n; rel=next"], nil), ([], nil),
    ] as [([String], String?)] {
      #expect(Self.answer(200, fields.map { ("Link", $0) }).nextLink == wanted, "\(fields)")
    }
  }

  /// Of a link only the path below the server's address counts, which may itself have one.
  @Test func aLinkIsBelowTheBase() {
    for (base, link, wanted) in [
      ("https://h", "https://h/api/v1/a?max_id=1", "/api/v1/a?max_id=1"),
      ("https://h", "https://evil.example/api/v1/a", "/api/v1/a"), ("https://h", "/api/v1/a", "/api/v1/a"),
      ("https://h/masto", "https://h/masto/api/v1/a?max_id=1", "/api/v1/a?max_id=1"),
      ("https://h/masto", "/masto/api/v1/a", "/api/v1/a"), ("https://h/masto", "https://h/api/v1/a", "/api/v1/a"),
      ("https://h/masto", "https://h/mastodon/a", "/mastodon/a"), ("https://h", "//evil.example/a", nil),
      ("https://h", "https://h", nil), ("https://h", "api/v1/a", nil), ("https://h", "", nil),
    ] as [(String, String, String?)] { #expect(MastodonLink.path(of: link, at: base) == wanted, "\(base) \(link)") }
  }

  /// A server may ask for a pause, but for none of hours.
  @Test func aPauseHasBounds() {
    for (field, status, wanted) in [
      (#"id="x", retry=3, result_count=0"#, 200, 3), ("retry=86400", 200, 60), ("retry = 61", 200, 60),
      ("retry=60", 200, 60), ("retry=0", 200, 1), ("retry=-9", 200, 1), ("retry=soon", 200, 5), ("id=x", 200, 5),
      (nil, 206, 5), (nil, 200, nil),
    ] as [(String?, Int, Int?)] {
      let answer = Self.answer(status, field.map { [("Mastodon-Async-Refresh", $0)] } ?? [])
      #expect(answer.refreshWait == wanted, "\(field ?? "none")")
    }
  }

  @Test func theEndOfAWindowIsRead() {
    for (text, wanted) in [
      ("1700000000", "2023-11-14T22:13:20.000Z"), ("2026-11-26T20:00:00.000Z", "2026-11-26T20:00:00.000Z"), ("0", nil),
      ("-5", nil), ("253402300800", nil), ("99999999999999999999", nil), ("soon", nil),
    ] as [(String, String?)] {
      let fields = [("X-RateLimit-Limit", "300"), ("X-RateLimit-Remaining", "20"), ("X-RateLimit-Reset", text)]
      let answer = Self.answer(200, fields)
      #expect(answer.rateReset?.rfc3339 == wanted, "\(text)")
      // Eight requests are left to others, who ask at the same time.
      let window = answer.rateReset.map { RateWindow(limit: 300, remaining: 12, resetsAt: $0) }
      #expect(answer.rateWindow == window, "\(text)")
      #expect(Self.answer(200, Array(fields[1...])).rateWindow == nil)
    }
  }

  /// Which failures may pass, which are the account's, and what a tool ends with.
  @Test(
    arguments: [
      (429, .rateLimit, .account, .tryLater), (408, .trouble, .request, .tryLater),
      (425, .trouble, .request, .tryLater),
      (500, .trouble, .request, .tryLater), (599, .trouble, .request, .tryLater), (401, .final, .account, .notAllowed),
      (403, .final, .request, .notAllowed), (404, .final, .request, .refused), (410, .final, .request, .refused),
      (301, .final, .request, .refused), (422, .final, .request, .refused), (400, .final, .request, .refused),
    ] as [(Int, Refusal.Meaning, Refusal.Scope, TweetCore.ExitStatus)])
  func eachStatusHasItsMeaning(
    _ status: Int, _ meaning: Refusal.Meaning, _ scope: Refusal.Scope, _ exit: TweetCore.ExitStatus
  ) {
    let fields = [("Retry-After", "7"), ("X-RateLimit-Reset", "1700000000")]
    let access = ServiceAccess(MastodonAPI.any, base: "https://h.example", token: Secret("t0k"))
    let refusal = Refusal(Self.answer(status, fields, #"{"error":"no."}"#), access)
    #expect(refusal.meaning == meaning && refusal.scope == scope)
    #expect(refusal.error.status == exit)
    #expect((refusal.resetsAt != nil) == (status == 429) && refusal.text == "no")
  }
}
