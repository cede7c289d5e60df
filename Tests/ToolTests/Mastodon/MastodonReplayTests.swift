import Foundation
import TestSupport
import Testing

/// A recorded server: each answer stands with its status, its headers and its body at the path that it was recorded at.
@Suite(.onOwnThread, .enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment)))
struct MastodonReplayTests {
  private struct Exchange: Decodable {
    let method: String
    let uri: String
    let status: Int
    let headers: [String: Values]
    let body: String
  }

  /// What stands after the name of a header, once or several times.
  private struct Values: Decodable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) { texts = [text] } else { texts = try value.decode([String].self) }
    }
  }

  private static let origin = "http://localhost:3000"
  /// What belongs to a connection, and not to an answer.
  private static let ofConnection: Set<String> = [
    "content-length", "transfer-encoding", "connection", "content-encoding",
  ]

  /// The address of an exchange without how many posts were asked for: a client chooses that.
  private static func place(_ target: String) -> String {
    let parts = target.split(separator: "?", maxSplits: 1)
    let query = parts.count < 2 ? [] : parts[1].split(separator: "&").filter { !$0.hasPrefix("limit=") }
    return String(parts[0]) + query.map { "?" + $0 }.joined()
  }

  private static func exchanges() throws -> [Exchange] {
    try TestData.bytes("mastodon/http/mastodon.py.exchanges.ndjson").split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Exchange.self, from: Data($0))
    }
  }

  /// The ids of a page.
  private static func ids(_ body: String) throws -> [String] {
    let page = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [[String: Any]] ?? []
    return page.compactMap { $0["id"] as? String }
  }

  @Test(arguments: [
    ("#fgiztsshwiaqqiztpmmjbtvmescsculuvmgjgopwoeidbcrixp", "/api/v1/timelines/tag/fgiz", 3),
    ("@mastodonpy_test", "/api/v1/accounts/117020565966271181/statuses", 2), ("home", "/api/v1/timelines/home", 1),
    ("notifications", "/api/v1/notifications", 1),
  ])
  func recordedPagesAreReadByTheirLinks(source: String, path: String, pages: Int) throws {
    let home = try TemporaryDirectory()
    var answers: [String: Exchange] = [:]
    for exchange in try Self.exchanges() where exchange.method == "GET" && exchange.uri.hasPrefix(Self.origin) {
      let place = Self.place(String(exchange.uri.dropFirst(Self.origin.count)))
      // Of several the first one whose page is not empty.
      if try answers[place] == nil || Self.ids(answers[place]?.body ?? "").isEmpty { answers[place] = exchange }
    }
    let known = answers
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      let target = request.target.dropFirst("GET ".count)
      guard request.target.hasPrefix("GET "), let exchange = known[Self.place(String(target))] else { return false }
      let own = "http://\(request["Host"] ?? "")"
      let headers = exchange.headers.filter { !Self.ofConnection.contains($0.key) }
        .flatMap { name, values in values.texts.map { "\(name): \($0.replacing(Self.origin, with: own))" } }
      connection.answer(exchange.status, exchange.body, headers: headers.sorted())
      return true
    }
    settings.posts = 0
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "--all", source], home: home, token: "t0k")
    #expect(result.status == 0, "\(result.errors)")
    // The pages that links lead to, from the newest.
    let asked = server.targets.map { $0.dropFirst("GET ".count) }.filter { $0.hasPrefix(path) }.map {
      Self.place(String($0))
    }
    let recorded = asked.filter { known[$0] != nil }
    #expect(recorded.count == pages, "\(server.targets)")
    let wanted = try recorded.flatMap { try Self.ids(known[$0]?.body ?? "") }
    let parsed = try Tool.run("tw-parse", ["--strict"], stdin: ToolInput(result.output), home: home)
    let kind = source == "notifications" ? "notification" : "tweet"
    let made = parsed.lines.filter { $0.hasPrefix(#"{"tw":"\#(kind)""#) }
    let found = made.compactMap { $0.firstMatch(of: #/"id":"([0-9]+)"/#).map { String($0.1) } }
    #expect(parsed.status == 0 && Set(found) == Set(wanted) && found.count == wanted.count, "\(found) \(wanted)")
    #expect(!wanted.isEmpty)
  }
}
