import Foundation
import TestSupport
import Testing

/// `bluesky:search:WORDS` and hashtags, page by page through the account's server: past what cursors lead to, and at
/// servers that do not know the newer method.
@Suite(.onOwnThread(minutes: 5)) struct BlueskySearchTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Milliseconds since 1970 of a post; three share each of the times, which are 20 ms apart.
  private static func milliseconds(_ number: Int) -> Int64 { 1_790_000_000_000 + Int64(number / 3) * 20 }

  private static func time(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
    let text = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
    return text.replacing("Z", with: "") + String(format: ".%03dZ", milliseconds % 1000)
  }

  private static let digits = Array("234567abcdefghijklmnopqrstuvwxyz")

  /// A record key of that time (AT Protocol, "Timestamp Identifiers").
  private static func key(_ number: Int) -> String {
    let value = UInt64(milliseconds(number)) * 1000 << 10 | UInt64(number % 1024)
    return String((0..<13).map { place -> Character in digits[Int(value >> UInt64(60 - 5 * place)) & 31] })
  }

  /// - Parameter made: when its author says that it was made; `nil` for when it was indexed.
  private static func post(_ number: Int, made: String? = nil) -> String {
    let time = time(milliseconds(number))
    return #"{"uri":"at://did:plc:bo/app.bsky.feed.post/\#(key(number))","cid":"b","author":{"did":"did:plc:bo","#
      + #""handle":"bo.example"},"record":{"text":"n\#(number) #tea","createdAt":"\#(made ?? time)"},"indexedAt":"\#(time)"}"#
  }

  /// A search of posts 0 to `count` that gives no more than 10 000 by its cursors.
  private func server(_ count: Int, old: Bool = false, isShuffled: Bool = false, fault: Int = 501) throws
    -> LoopbackServer
  {
    let numbers = (0..<count).reversed().map { number -> Int in
      // Neighbours change places, as they do where results come from several machines.
      isShuffled && number % 7 == 0 && number + 4 < count
        ? number + 4 : isShuffled && number % 7 == 4 ? number - 4 : number
    }
    let results = numbers.map { (time: Self.time(Self.milliseconds($0)), post: Self.post($0)) }
    return try LoopbackServer { request, connection in
      let isSecond = request.target.contains("app.bsky.feed.searchPostsV2")
      guard isSecond || request.target.contains("app.bsky.feed.searchPosts") else {
        return connection.answer(501, #"{"error":"MethodNotImplemented","message":"no"}"#)
      }
      if old, isSecond {
        return connection.answer(fault, #"{"error":"MethodNotImplemented","message":"Method Not Implemented"}"#)
      }
      guard request["atproto-proxy"] != nil, request.decoded(isSecond ? "query" : "q") == "#tea" else {
        return connection.answer(400, #"{"error":"BadQueryString","message":"what?"}"#)
      }
      let until = request.decoded("until")
      let all = until.map { until in results.filter { $0.time < until } } ?? results
      let start = request.parameter("cursor").flatMap { Int($0) } ?? 0
      let size = request.parameter("limit").flatMap { Int($0) } ?? 25
      let page = all.dropFirst(start).prefix(min(size, max(0, 10_000 - start)))
      let next = start + page.count
      let cursor = next < min(10_000, all.count) ? #","cursor":"\#(next)""# : ""
      connection.answer(200, #"{"posts":[\#(page.map(\.post).joined(separator: ","))]\#(cursor)}"#)
    }
  }

  private func run(_ server: LoopbackServer, _ arguments: [String]) throws -> (numbers: [Int], result: ToolResult) {
    let result = try Tool.run(
      "tw-stream", arguments,
      environment: ["TW_ENDPOINT_BLUESKY": server.base, "TW_SERVICE": "bluesky", "TW_TOKEN": "t0k"], home: home)
    return (result.lines.compactMap { $0.firstMatch(of: #/"text":"n(\d+) /#).flatMap { Int($0.1) } }, result)
  }

  /// 20 350 posts, of which three share each time: at none of the two boundaries is one lost, or there twice.
  @Test(arguments: [false, true])
  func whatIsPastTenThousandIsAskedForByTime(_ isShuffled: Bool) throws {
    let count = 20_350
    let server = try server(count, isShuffled: isShuffled)
    let (numbers, result) = try run(server, ["--once", "--all", "#tea"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(Set(numbers).count == count && numbers.count == count, "\(Set(numbers).count) of \(numbers.count)")
    if !isShuffled { #expect(numbers == (0..<count).reversed()) }
    let first = try #require(server.targets.first)
    #expect(
      first == "GET /xrpc/app.bsky.feed.searchPostsV2?query=%23tea&sort=recent&allTime=true&limit=100", "\(first)")
    #expect(Set(server.requests.compactMap { $0.parameter("until") }).count == 2)
  }

  /// A post that came late is as new as the time at which it came: bridges and importers say that it was made long ago.
  @Test func aPostThatSaysItIsOldIsFoundAmongTheNew() throws {
    let posts = (0..<6).reversed().map { Self.post($0, made: $0 == 3 ? "2020-01-01T00:00:00.000Z" : nil) }
    let server = try LoopbackServer { request in
      let start = request.parameter("cursor").flatMap { Int($0) } ?? 0
      let cursor = start < 3 ? #","cursor":"3""# : ""
      return .answer(200, #"{"posts":[\#(posts.dropFirst(start).prefix(3).joined(separator: ","))]\#(cursor)}"#)
    }
    let (numbers, result) = try run(server, ["--once", "--state", "places", "--since", "2026-01-01", "#tea"])
    #expect(result.status == 0 && numbers == [5, 4, 3, 2, 1, 0], "\(numbers) \(result.errors)")
  }

  /// Cut off past the boundary, the next round goes on from there.
  @Test func aRoundThatEndsPastItIsGoneOnWith() throws {
    let server = try server(12_000)
    let first = try run(server, ["--once", "--all", "--state", "places", "-n", "10450", "#tea"])
    #expect(first.result.status == 0 && first.numbers.count == 10_450, "\(first.result.errors)")
    let before = server.requests.count
    let second = try run(server, ["--once", "--all", "--state", "places", "#tea"])
    #expect(second.result.status == 0, "\(second.result.errors)")
    #expect(first.numbers + second.numbers == (0..<12_000).reversed(), "\(second.numbers.count)")
    // It begins where it was, not at the newest post of all.
    #expect(server.requests.count - before < 25, "\(server.requests.count - before)")
  }

  @Test(arguments: [501, 404, 400])
  func olderServersAreAskedInTheOldWay(_ fault: Int) throws {
    let server = try server(250, old: true, fault: fault)
    let (numbers, result) = try run(server, ["--once", "--all", "search:#tea"])
    #expect(result.status == 0 && numbers == (0..<250).reversed(), "\(result.errors)")
    let methods = server.targets.map { $0.contains("V2") }
    #expect(methods == [true, false, false, false], "\(server.targets)")
    #expect(server.targets[1] == "GET /xrpc/app.bsky.feed.searchPosts?q=%23tea&sort=latest&limit=100")
  }

  /// What is wrong with the words is told, and no other method is tried.
  @Test func badWordsAreRefused() throws {
    let server = try server(3)
    let (_, result) = try run(server, ["--once", "search:milk"])
    #expect(
      result.status == 69 && result.errors.contains("BadQueryString") && server.requests.count == 1, "\(result.errors)")
  }

  /// A server that says the same again and again is not asked for ever.
  @Test func aServerThatTurnsInACircleIsLeft() throws {
    let page = #"{"posts":[\#(Self.post(1))],"cursor":"again"}"#
    let server = try LoopbackServer { _ in .answer(200, page) }
    let (numbers, result) = try run(server, ["--once", "--all", "#tea"])
    #expect(result.status == 0 && numbers == [1], "\(result.errors)")
    #expect(server.requests.count <= 250, "\(server.requests.count)")
  }
}
