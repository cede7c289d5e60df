import Foundation
import TestSupport
import Testing

/// `bluesky:notifications`: pages of the account's server, from the newest back to where the last round was.
@Suite(.onOwnThread) struct BlueskyNotificationTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func notification(_ number: Int) -> String {
    let reasons = ["like", "follow", "reply", "quote"]
    let reason = reasons[number % 4]
    let isPost = number % 4 > 1
    let record = isPost ? #"{"text":"answer \#(number)","createdAt":"2026-11-01T00:00:00.000Z"}"# : "{}"
    let uri = "at://did:plc:bo/app.bsky.feed.\(isPost ? "post" : "like")/3k\(number)"
    // Two in each millisecond.
    let time = String(format: "2026-11-01T00:00:00.%03dZ", number / 2)
    return #"{"uri":"\#(uri)","cid":"b","author":{"did":"did:plc:bo","handle":"bo.example"},"reason":"\#(reason)","#
      + #""record":\#(record),"isRead":false,"indexedAt":"\#(time)"}"#
  }

  /// A server with notifications 0 to `count`, of which each answer has `size`.
  private func server(_ all: Int, size: Int = 30, token: String = "t0k") throws -> LoopbackServer {
    try LoopbackServer { request, connection in
      guard request["Authorization"] == "Bearer \(token)" else {
        return connection.answer(401, #"{"error":"AuthMissing","message":"Authentication Required"}"#)
      }
      guard request.target.contains("app.bsky.notification.listNotifications") else {
        return connection.answer(501, #"{"error":"MethodNotImplemented","message":"no"}"#)
      }
      let end = request.parameter("cursor").flatMap { Int($0) } ?? all
      let start = max(0, end - size)
      let list = (start..<end).reversed().map { Self.notification($0) }.joined(separator: ",")
      let cursor = start > 0 ? #","cursor":"\#(start)""# : ""
      connection.answer(200, #"{"notifications":[\#(list)]\#(cursor),"seenAt":"2026-11-01T00:00:00.000Z"}"#)
    }
  }

  private func run(_ base: String, _ command: String) throws -> ToolResult {
    try Tool.run(
      "/bin/bash", ["-c", command],
      environment: ["TW_ENDPOINT_BLUESKY": base, "TW_SERVICE": "bluesky", "TW_TOKEN": "t0k"], home: home)
  }

  private func ids(_ result: ToolResult) -> [String] {
    result.lines.compactMap { $0.firstMatch(of: /"uri":"[^"]*\/3k(\d+)"/).map { String($0.1) } }
  }

  @Test func eachComesOnceAndALaterRoundBringsWhatIsNew() throws {
    let old = try server(75)
    let first = try run(old.base, "tw-stream --once --all --state places notifications")
    #expect(first.status == 0, "\(first.errors)")
    #expect(ids(first) == (0..<75).reversed().map { "\($0)" })
    let places = try String(contentsOfFile: home.path + "/places", encoding: .utf8)
    #expect(places.contains("2026-11-01T00:00:00.037Z at://did:plc:bo/"), "\(places)")
    withExtendedLifetime(old) {}
    // The one that shares its millisecond with the newest of before is not lost.
    let second = try server(150)
    let moved = places.replacing(
      /http:\/\/127.0.0.1:\d+/, with: second.base)
    try moved.write(toFile: home.path + "/places", atomically: true, encoding: .utf8)
    let later = try run(second.base, "tw-stream --once --all --state places notifications")
    #expect(later.status == 0 && ids(later) == (75..<150).reversed().map { "\($0)" }, "\(later.errors)\(ids(later))")
  }

  /// One record may be told for two reasons, and a page may end between them.
  @Test func oneRecordMayBeToldTwice() throws {
    let list = ["reply", "mention"].map { Self.notification(6).replacing("reply", with: $0) }
    let server = try LoopbackServer { request, connection in
      let cursor = request.parameter("cursor").flatMap { Int($0) } ?? 0
      let next = cursor < 2 ? #","cursor":"\#(cursor + 1)""# : ""
      connection.answer(200, #"{"notifications":[\#((list + [Self.notification(5)])[cursor])]\#(next)}"#)
    }
    let result = try run(server.base, "tw-stream --once --all notifications")
    let reasons = result.lines.compactMap { $0.firstMatch(of: /"reason":"([a-z]+)"/).map { String($0.1) } }
    #expect(result.status == 0 && reasons == ["reply", "mention", "follow"], "\(result.output)\(result.errors)")
  }

  @Test func theyAreStoredListedAndShown() throws {
    let server = try server(40, size: 100)
    for _ in 0..<2 {
      let refreshed = try run(server.base, "tw-cache refresh --quiet notifications")
      #expect(refreshed.status == 0, "\(refreshed.errors)")
    }
    let list = try run(server.base, "tw-cache notifications")
    #expect(list.lines.count == 40)
    let shown = try run(server.base, "tw-cache notifications --kind reply -n 1 | tw-render --format line")
    #expect(shown.output == "2026-11-01 00:00  ↩ bo.example replied “answer 38”\n")
    #expect(server.targets.allSatisfy { !$0.contains("updateSeen") })
  }

  @Test func withoutAnAccountItIsSaid() throws {
    let result = try Tool.run("tw-stream", ["--once", "bluesky:notifications"], home: home)
    #expect(result.status == 77 && result.errors.contains("'notifications' needs an account"), "\(result.errors)")
    let other = try server(1, token: "other")
    let refused = try run(other.base, "tw-stream --once notifications")
    withExtendedLifetime(other) {}
    #expect(refused.status == 77, "\(refused.errors)")
    let near = try Tool.run("tw-stream", ["--once", "bluesky:notification"], home: home)
    #expect(near.status == 64 && near.errors.contains("did you mean 'notifications'"), "\(near.errors)")
  }
}
