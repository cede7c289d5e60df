import Foundation
import ServiceClients
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

@Suite(.onOwnThread(minutes: 1))
struct LookUpFeedTests {
  private func run(
    _ server: LoopbackServer, _ ids: String, _ version: ServiceAPIVersion = .v2, isBrief: Bool = true
  ) throws -> FeedRun {
    let home = try TemporaryDirectory()
    let path = try home.write("ids", ids)
    let access = ServiceAccess(XAPI.x, base: server.base, token: Secret("t"))
    let ids = try IDReader(path, service: XService(), base: "https://api.x.com")
    let feed = LookUpFeed(
      XLookUp(XRequests(access), version), .ids(path), ids, service: XService(), isBrief: isBrief)
    return try FeedRun(feed, access)
  }

  private static func ids(_ request: LoopbackServer.Request) -> [String] {
    let list = request.target.split(separator: "ids=").last?.prefix { $0 != "&" } ?? ""
    return list.split(separator: "%2C").map(String.init)
  }

  /// Has every post except those that end in 7 (deleted) and 9 (protected).
  private static func answer(_ request: LoopbackServer.Request) -> Answer {
    let problems = "https://api.x.com/2/problems/"
    let data = ids(request).filter { !$0.hasSuffix("7") && !$0.hasSuffix("9") }.map { #"{"id":"\#($0)"}"# }
    let errors = ids(request).filter { $0.hasSuffix("7") || $0.hasSuffix("9") }.map { id in
      let kind = id.hasSuffix("7") ? "resource-not-found" : "not-authorized-for-resource"
      return #"{"resource_id":"\#(id)","parameter":"ids","detail":"no \#(id)","type":"\#(problems)\#(kind)"}"#
    }
    let quoted = #"{"resource_id":"12","parameter":"referenced_tweets.id","type":"\#(problems)resource-not-found"}"#
    let list = (errors + (data.isEmpty ? [] : [quoted])).joined(separator: ",")
    let posts = data.isEmpty ? "" : #""data":[\#(data.joined(separator: ","))],"#
    return .answer(200, #"{\#(posts)"errors":[\#(list)]}"#)
  }

  @Test func everyFormOfAnIDIsLookedUpOnceAndMissingPostsAreDeleted() throws {
    let server = try LoopbackServer { Self.answer($0) }
    let ids = """
      # of yesterday
      10
      x:11

      https://x.com/jack/status/12?s=20
      {"tw":"tweet","id":"13","service":"x"}
      {"tw":"notice","code":"gap"}
      {"id":14,"id_str":"14"}
      10\r
      17
      19
      local:15
      jack
      """
    let run = try run(server, ids)
    let lines = run.lines
    #expect(run.error == nil)
    #expect(server.requests.map(Self.ids) == [["10", "11", "12", "13", "14", "17", "19"]])
    let page = try #require(lines.first { $0.hasPrefix(#"{"data""#) })
    // The error about the quoted post stays; those that became records do not.
    #expect(page.contains(#""errors":[{"resource_id":"12""#) && !page.contains(#""17""#))
    #expect(lines.contains(#"{"tw":"delete","service":"x","id":"17"}"#))
    #expect(lines.filter { $0.hasPrefix(#"{"tw":"delete""#) }.count == 1)
    #expect(lines.contains { $0.contains(#""code":"unavailable","message":"post 19 is not available: no 19""#) })
    #expect(run.badMessages == 2)
    #expect(lines.contains { $0.contains("line 12 of ids:") && $0.contains("is of service 'local', not 'x'") })
    #expect(lines.last?.contains(#""tw":"refresh""#) == true && lines.last?.contains(#""new":5"#) == true)
  }

  @Test func idsAreLookedUpInBatchesAndARateLimitSaysWhereToGoOn() throws {
    let server = try LoopbackServer { request in
      Self.ids(request).first == "2100" ? .answer(429, headers: ["Retry-After: 60"]) : Self.answer(request)
    }
    let run = try run(server, (0..<250).map { "\(2000 + $0)\n" }.joined())
    #expect(server.requests.map { Self.ids($0).count } == [100, 100])
    #expect(run.lines.filter { $0.hasPrefix(#"{"data""#) }.count == 1)
    #expect(run.error?.status == .tryLater)
    #expect(run.error?.message?.hasSuffix("100 ids were looked up, line 101 is the next (tail -n +101)") == true)
  }

  /// v1.1 does not distinguish deleted from hidden posts, so there are no `delete` records.
  @Test func version1OnlyReportsThatAPostIsNotThere() throws {
    let server = try LoopbackServer { _ in .answer(200, #"[{"id":2,"id_str":"2"}]"#) }
    let run = try run(server, "1\n2\n", .v1)
    let lines = run.lines
    #expect(run.error == nil)
    #expect(server.requests[0].target == "GET /1.1/statuses/lookup.json?id=1%2C2&tweet_mode=extended")
    #expect(lines.contains(#"{"id":2,"id_str":"2"}"#))
    #expect(lines.contains { $0.contains(#""code":"unavailable""#) && $0.contains(#""id":"1""#) })
    #expect(!lines.contains { $0.contains(#""tw":"delete""#) })
  }

  @Test func aMissingFileIsNoInput() {
    let error = #expect(throws: ToolError.self) {
      try IDReader("/nowhere/ids", service: XService(), base: "https://api.x.com")
    }
    #expect(error?.status == .noInput)
  }
}
