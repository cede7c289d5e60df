import Foundation
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import ServiceClients

/// What decides at Bluesky which server is asked, and what an answer means, by the table.
struct BlueskyAnswerTests {
  /// `f` is a failure, `s` a success, `p` a checkpoint of the third server; the number of the server after each.
  @Test(arguments: [
    ("ffsf", "0000"), ("fffff", "00111"), ("ffsfffsff", "000001111"), ("ffffffffff", "0011122200"),
    ("pffsff", "222222"), ("pfff", "2220"),
  ])
  func anotherServerIsAskedAfterThreeFailures(_ events: String, _ wanted: String) {
    let bases = (0..<3).map { "http://\($0).example" }
    var servers = JetstreamServers(bases, besides: nil)
    var found = ""
    for event in events {
      let before = servers.current
      switch event {
      case "f":
        let isAnother = servers.recordFailure()
        #expect(isAnother == (servers.current != before))
      case "s": servers.recordSuccess()
      default: servers.prefer("http://2.example")
      }
      found += servers.current.base.filter(\.isNumber)
    }
    #expect(found == wanted)
  }

  @Test func theServersAreThoseOfTheAddress() {
    var alone = JetstreamServers(["http://a.example"], besides: "http://b.example")
    let moves = (0..<9).map { _ in alone.recordFailure() }
    #expect(!moves.contains(true))
    alone.prefer("http://elsewhere.example")
    #expect(alone.current == .init(base: "http://a.example"))
    alone.recordFirstVersion()
    #expect(!alone.current.isSecond)
    #expect(JetstreamServers([], besides: "http://b.example").current.base == "http://b.example")
    for usual in ["https://public.api.bsky.app", nil] {
      #expect(JetstreamServers([], besides: usual).current.base == "https://jetstream.us-east.bsky.network")
    }
  }

  private static func answer(_ status: Int, _ body: String, _ fields: [(String, String)] = []) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: HTTPHeaders(fields.map { HTTPHeader($0.0, $0.1) }), body: Array(body.utf8),
      url: "https://h.example/xrpc")
  }

  private static let plain = #"{"error":"InvalidRequest","message":"no"}"#

  @Test(
    arguments: [
      (400, plain, .final, .request, .refused), (401, plain, .final, .request, .notAllowed),
      (400, #"{"error":"ExpiredToken"}"#, .final, .request, .notAllowed),
      (400, #"{"error":"InvalidToken"}"#, .final, .request, .notAllowed), (403, plain, .final, .request, .notAllowed),
      (429, plain, .rateLimit, .account, .tryLater), (408, plain, .trouble, .request, .tryLater),
      (425, plain, .trouble, .request, .tryLater), (500, plain, .trouble, .request, .tryLater),
      (501, plain, .final, .request, .refused), (503, "<html>", .trouble, .request, .tryLater),
      (302, plain, .final, .request, .refused), (404, plain, .final, .request, .refused),
    ] as [(Int, String, Refusal.Meaning, Refusal.Scope, TweetCore.ExitStatus)])
  func eachStatusHasItsMeaning(
    _ status: Int, _ body: String, _ meaning: Refusal.Meaning, _ scope: Refusal.Scope, _ exit: TweetCore.ExitStatus
  ) {
    let refusal = Refusal(bluesky: Self.answer(status, body, [("RateLimit-Reset", "1700000000")]))
    #expect(refusal.meaning == meaning && refusal.scope == scope)
    #expect(refusal.error.status == exit)
    #expect(refusal.resetsAt?.rfc3339 == (status == 429 ? "2023-11-14T22:13:20.000Z" : nil))
    if body == Self.plain { #expect(refusal.text == "InvalidRequest: no") }
    if body == "<html>" { #expect(refusal.text == "HTTP 503") }
  }

  @Test(arguments: ["0", "253402300800", "-1", "soon"]) func anImpossibleTimeIsNone(_ reset: String) {
    #expect(Refusal(bluesky: Self.answer(429, "", [("RateLimit-Reset", reset)])).resetsAt == nil)
  }

  /// What a source wants of the live stream, and posts that have it or not.
  @Test(arguments: [
    ("swift", #""text":"I like Swift!""#, true), ("swift", #""text":"swiftly, then swift""#, true),
    ("swift", #""text":"swiftly""#, false), ("swift", #""text":"taswift""#, false),
    ("swift", #""text":"a_swift""#, false),
    ("潮", #""text":"今日は潮が低い""#, true), ("ไทย", #""text":"ภาษาไทยง่าย""#, true),
    ("\"high tide\"", #""text":"a High tide, now""#, true), ("\"high tide\"", #""text":"high, tide""#, false),
    ("a b", #""text":"b and a""#, true), ("a b", #""text":"a""#, false),
    ("a -b", #""text":"a""#, true), ("a -b", #""text":"a b""#, false), ("a -b", #""text":"c""#, false),
    ("#tea", ##""text":"#Tea""##, true), ("#tea", ##""text":"#teatime""##, false), ("#tea", #""text":"tea""#, false),
    ("#tea", #""text":"x","tags":["Tea"]"#, true), ("#tea", #""text":"x","tags":["teas"]"#, false),
    ("#tea", #""text":"x","facets":[{"features":[{"tag":"TEA"}]}]"#, true),
    ("-#tea", #""text":"x","tags":["tea"]"#, false),
    ("lang:pt", #""text":"x","langs":["pt-BR"]"#, true), ("lang:pt", #""text":"x","langs":["en","PT"]"#, true),
    ("lang:pt", #""text":"x","langs":["ptx"]"#, false), ("lang:pt", #""text":"x""#, false),
    ("lang:pt lang:de a", #""text":"a","langs":["de"]"#, true), ("lang:pt a", #""text":"b","langs":["pt"]"#, false),
    ("from:did:plc:ann", #""text":"x""#, true), ("from:did:plc:bob", #""text":"x""#, false),
    ("from:did:plc:bob from:did:plc:ann a", #""text":"a""#, true), ("from:ann.example", #""text":"x""#, false),
  ])
  func aLivePostIsFoundByItsWords(_ words: String, _ record: String, _ isWanted: Bool) throws {
    let filter = LiveFilter(try LiveWords(words))
    let found = try JSONDocument("{\(record)}").read { filter.matches($0, by: "did:plc:ann") }
    #expect(found == isWanted, "\(words): \(record)")
  }
}
