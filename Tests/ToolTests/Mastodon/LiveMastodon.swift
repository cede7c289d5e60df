import Foundation
import Synchronization
import TestSupport

/// A server with Mastodon's API whose posts are made while tools read them: a stream tells what is new, and never what
/// was posted before it was opened; the rest is in the pages of the timeline. Ids tell the time, as those of Mastodon
/// and of GoToSocial.
final class LiveMastodon: Sendable {
  private let server: LoopbackServer
  private let shared: Shared

  private final class Shared: Sendable {
    let ids = Mutex<[String]>([])
    let streams = Mutex(0)
  }

  /// - Parameter isSocket: whether it is a GoToSocial, whose streams are WebSockets.
  init(isSocket: Bool) throws {
    let shared = Shared()
    (self.shared, self.isSocket) = (shared, isSocket)
    server = try LoopbackServer { request, connection in
      let path = request.target.prefix { $0 != "?" }
      switch path {
      case "GET /api/v2/instance":
        let name = isSocket ? #","source_url":"https://codeberg.org/superseriousbusiness/gotosocial""# : ""
        connection.answer(
          200, #"{"version":"4.5.2","api_versions":{"mastodon":7},"configuration":{}\#(name)}"#)
      case _ where path.hasPrefix("GET /api/v1/streaming"):
        Self.stream(shared, request, connection, isSocket: isSocket)
      case "GET /api/v1/timelines/home": Self.page(shared.ids.withLock { $0 }, request, connection)
      default: connection.answer(404, #"{"error":"Record not found"}"#)
      }
    }
  }

  private let isSocket: Bool

  var environment: [String: String] {
    ["TW_SERVICE": "mastodon:127.0.0.1:\(server.port)", "TW_TOKEN": "t0k"]
  }
  /// How many streams were opened.
  var streams: Int { shared.streams.withLock { $0 } }

  /// Makes a post.
  /// - Returns: its id.
  func post() -> String {
    shared.ids.withLock { ids in
      let milliseconds = Int(Date.now.timeIntervalSince1970 * 1000)
      // Several posts of a millisecond differ in what follows the time.
      let id = isSocket ? Self.ulid(milliseconds, ids.count) : "\(milliseconds << 16 | ids.count & 0xFFFF)"
      ids.append(id)
      return id
    }
  }

  private static func ulid(_ milliseconds: Int, _ number: Int) -> String {
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    func text(_ value: Int, _ count: Int) -> String {
      String((0..<count).reversed().map { place -> Character in place > 11 ? "0" : digits[value >> (5 * place) & 31] })
    }
    return text(milliseconds, 10) + text(number, 16)
  }

  private static func stream(
    _ shared: Shared, _ request: LoopbackServer.Request, _ connection: Connection, isSocket: Bool
  ) {
    if isSocket { connection.upgrade(request) } else { connection.startStream() }
    var next = shared.ids.withLock { $0.count }
    shared.streams.withLock { $0 += 1 }
    while connection.isOpen {
      let ids = shared.ids.withLock { Array($0[next...]) }
      for id in ids {
        let status = status(id)
        if isSocket {
          let payload = String(decoding: (try? JSONEncoder().encode(status)) ?? Data(), as: UTF8.self)
          connection.send(Connection.text(#"{"stream":["user"],"event":"update","payload":\#(payload)}"#))
        } else {
          connection.chunk("event: update\ndata: \(status)\n\n")
        }
      }
      next += ids.count
      guard ids.isEmpty else { continue }
      // What ends when the reader has gone.
      if isSocket { connection.send(Connection.frame(9, [])) } else { connection.chunk(":thump\n") }
      connection.pause(0.005)
    }
  }

  private static func page(_ all: [String], _ request: LoopbackServer.Request, _ connection: Connection) {
    // Ids of one server have equal lengths, so that their texts have their order.
    var ids = all
    let size = min(40, request.parameter("limit").flatMap { Int($0) } ?? 20)
    if let below = request.parameter("max_id") { ids.removeAll { $0 >= below } }
    if let above = request.parameter("min_id") {
      ids = Array(ids.filter { $0 > above }.prefix(size))
    } else {
      if let above = request.parameter("since_id") { ids.removeAll { $0 <= above } }
      ids = ids.suffix(size)
    }
    connection.answer(200, "[" + ids.reversed().map(status).joined(separator: ",") + "]")
  }

  private static func status(_ id: String) -> String {
    #"{"id":"\#(id)","created_at":"2026-11-26T20:00:00.000Z","visibility":"public","content":"<p>tea</p>","#
      + #""uri":"https://tea.example/s/\#(id)","url":"https://tea.example/@maja/\#(id)","#
      + #""account":\#(MastodonServer.account),"media_attachments":[],"mentions":[],"tags":[]}"#
  }
}
