import Foundation
import TestSupport
import Testing

/// The live streams of a server with Mastodon's API, over real sockets.
@Suite(.onOwnThread) struct MastodonLiveTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// What a server sends at a connection to its streams, the first connection first; the last one is held open.
  private func server(_ connections: [String], piece: Int? = nil, posts: Int = 0) throws -> MastodonServer {
    let count = StoredText()
    var settings = MastodonServer.Settings()
    settings.posts = posts
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming/") else { return false }
      let number = count.text.count
      count.text += "x"
      connection.startStream()
      connection.chunk(":)\n")
      let text = Array(connections[min(number, connections.count - 1)].utf8)
      for start in stride(from: 0, to: text.count, by: piece ?? max(1, text.count)) {
        connection.chunk(Array(text[start..<min(start + (piece ?? text.count), text.count)]))
      }
      if number >= connections.count - 1 { connection.hold() }
      return true
    }
    return try MastodonServer(settings)
  }

  private static func update(_ id: Int, _ event: String = "update") -> String {
    "event: \(event)\ndata: \(MastodonServer.status(id))\n\n"
  }

  @Test(arguments: [nil, 1, 7])
  func whatComesIsDeliveredOnce(_ piece: Int?) throws {
    let text =
      Self.update(1) + ":thump\n" + Self.update(1) + "event: delete\ndata: 1\n\n" + Self.update(2, "status.update")
      + "event: filters_changed\ndata: undefined\n\nevent: announcement\ndata: {\"id\":\"5\"}\n\n"
      + Self.update(2).replacing("\n", with: "\r\n") + Self.update(3)
    let server = try server([text], piece: piece)
    #expect(
      try server.words(["--limit", "3", "#tea"], home: home) == ["connect", "1", "delete 1", "status.2", "2", "3"])
    #expect(
      server.targets == ["GET /api/v2/instance", "GET /api/v1/streaming/hashtag?tag=tea"]
        && server.server.requests.allSatisfy { $0["Authorization"] == "Bearer t0k" })
  }

  @Test(arguments: [
    ("home", "user"), ("public", "public"), ("local", "public/local"), ("mentions", "user/notification"),
    ("notifications", "user/notification"), ("list:Tea", "list?list=3"),
  ])
  func eachSourceHasItsStream(_ source: String, _ path: String) throws {
    let notification =
      "event: notification\ndata: {\"id\":\"9\",\"type\":\"mention\",\"status\":\(MastodonServer.status(1)),"
      + "\"account\":\(MastodonServer.account)}\n\n"
    let server = try server([Self.update(1) + notification])
    let words = try server.words(["--limit", "1", source], home: home)
    let isNotification = source == "mentions" || source == "notifications"
    #expect(words.count == 2 && words[1].contains(isNotification ? "notification 9" : "1"), "\(words)")
    #expect(server.targets.last == "GET /api/v1/streaming/" + path)
  }

  /// After a break what was missed is fetched without being asked for, and comes before what came meanwhile.
  @Test func aBreakLosesNothing() throws {
    let server = try server([Self.update(1050), Self.update(1100) + Self.update(1101)], posts: 101)
    let words = try server.words(["--search-lag", "0s", "--limit", "52", "#tea"], home: home)
    let ids = words.compactMap { Int($0) }
    #expect(ids == Array(1050...1101), "\(words)")
    #expect(words.contains("disconnect") && words.contains("gap-filled"))
    #expect(server.targets.contains { $0.hasPrefix("GET /api/v1/timelines/tag/tea?limit=40&since_id=1050") })
  }

  /// Before the first post nothing tells what was missed: it is told, and the timeline is not fetched from its end.
  @Test func aBreakBeforeTheFirstPostFetchesNothing() throws {
    let server = try server([":thump\n", Self.update(1100) + Self.update(1101)], posts: 101)
    let words = try server.words(["--search-lag", "0s", "--limit", "2", "#tea"], home: home)
    #expect(words == ["connect", "disconnect", "connect", "gap", "1100", "1101"], "\(words)")
    #expect(!server.targets.contains { $0.contains("/timelines/") }, "\(server.targets)")
  }

  @Test func whatWasMissedMayBeLeftOut() throws {
    let server = try server([Self.update(1050), Self.update(1100) + Self.update(1101)], posts: 101)
    let words = try server.words(["--no-fill-gaps", "--limit", "3", "#tea"], home: home)
    #expect(words == ["connect", "1050", "disconnect", "connect", "gap", "1100", "1101"], "\(words)")
    #expect(!server.targets.contains { $0.contains("since_id") })
    let both = try server.run(
      "tw-stream", ["--no-fill-gaps", "--search-lag", "0s", "#tea"], home: home, token: "t0k")
    #expect(both.status == 64 && both.errors.contains("--search-lag is for --fill-gaps"), "\(both.errors)")
  }

  /// A run that is killed is gone on with.
  @Test func aCheckpointIsGoneOnFrom() throws {
    let state = home.path + "/state"
    let first = try server([Self.update(1050)], posts: 101)
    #expect(try first.words(["--state", state, "--limit", "1", "#tea"], home: home) == ["connect", "1050"])
    let port = first.server.port
    let kept = try String(contentsOfFile: state, encoding: .utf8)
    #expect(kept.contains(#""newest_id":"1050""#), "\(kept)")
    let second = try server([Self.update(1101)], posts: 101)
    let moved = kept.replacing(":\(port)", with: ":\(second.server.port)")
    try Data(moved.utf8).write(to: URL(fileURLWithPath: state))
    let words = try second.words(
      ["--state", state, "--fill-gaps", "--search-lag", "0s", "--limit", "51", "#tea"], home: home)
    #expect(words.compactMap { Int($0) } == Array(1051...1101), "\(words)")
  }

  @Test(arguments: [
    // The connection ends within an event, which comes again.
    (["event: update\ndata: {\"id\":\"1\"", update(1)], ["connect", "disconnect", "connect", "gap", "1"]),
    // Garbage is told, and nothing else is lost.
    (["event: update\ndata: {no json\n\nfoo\nevent: update\n\n" + update(1)], ["connect", "bad-message", "1"]),
    // An event without an id.
    ([update(1).replacing(#""id":"1""#, with: #""no":"1""#) + update(2)], ["connect", "7", "2"]),
  ])
  func aFaultHasItsOutcome(_ connections: [String], _ expected: [String]) throws {
    let count = expected.filter { Int($0) != nil }.count
    let status: Int32 = expected.contains("bad-message") ? 1 : 0
    let words = try server(connections).words(
      ["--no-fill-gaps", "--limit", "\(count)", "#tea"], status: status, home: home)
    #expect(words == expected, "\(words)")
  }

  /// Streams are at a host that the server names. The token goes there if it is one of the server's name, encrypted or
  /// on this machine as the server is; else it is polled, which is told.
  @Test func streamsMayBeAtAnotherHost() throws {
    let streams = try server([Self.update(1)])
    var settings = MastodonServer.Settings()
    settings.configuration = #"{"urls":{"streaming":"ws://127.0.0.1:\#(streams.server.port)"}}"#
    let server = try MastodonServer(settings)
    #expect(try server.words(["--limit", "1", "#tea"], home: home) == ["connect", "1"])
    #expect(streams.targets == ["GET /api/v1/streaming/hashtag?tag=tea"])
    #expect(server.targets == ["GET /api/v2/instance"])
    for place in ["ws://streams.example", "wss://10.9.9.9", "wss://evil.example", "ws://t0k@127.0.0.1:1", "nonsense"] {
      settings.configuration = #"{"urls":{"streaming":"\#(place)"}}"#
      let plain = try MastodonServer(settings)
      let polled = try plain.words(["--limit", "1", "#tea"], home: home)
      #expect(polled.first == "fallback", "\(place): \(polled)")
      #expect(plain.targets.dropFirst().first?.hasPrefix("GET /api/v1/timelines/tag/tea") == true, "\(plain.targets)")
    }
    settings.configuration = #"{"urls":{"streaming":"wss://evil.example"}}"#
    let evil = try MastodonServer(settings)
    let told = try evil.run("tw-stream", ["--limit", "1", "#tea"], home: home, token: "t0k")
    #expect(told.status == 0 && told.output.contains("the token does not go there"), "\(told)")
  }

  /// A server that sends requests elsewhere does not send the token there.
  @Test func redirectsAreNotFollowed() throws {
    let other = try LoopbackServer { _ in .answer(200, "[]") }
    var settings = MastodonServer.Settings()
    settings.first = { [base = other.base] request, connection in
      if request.target.contains("/instance") { return false }
      connection.answer(307, "", headers: ["Location: \(base)\(request.path)"])
      return true
    }
    let server = try MastodonServer(settings)
    for (tool, words) in [
      ("tw-stream", ["--once", "home"]), ("tw-stream", ["--limit", "1", "home"]), ("tw-post", ["hello"]),
      ("tw-auth", ["status"]),
    ] {
      let result = try server.run(tool, words, home: home, token: "t0k")
      #expect(result.status != 0, "\(tool): \(result)")
    }
    #expect(other.requests.isEmpty && server.targets.count > 3)
  }

  /// Servers without such streams, and who has no account, are polled, which is told.
  @Test func withoutAStreamItIsPolled() throws {
    let server = try MastodonServer()
    #expect(try server.words(["--limit", "2", "#tea"], home: home) == ["fallback", "1099", "1098"])
    let anonymous = try server.run("tw-stream", ["--limit", "2", "#tea", "#milk"], home: home)
    #expect(anonymous.status == 0 && anonymous.lines.count >= 3, "\(anonymous.errors)")
    #expect(anonymous.errors.contains("needs an account; polling instead"))
    let home = try server.run("tw-stream", ["--limit", "2", "home"], home: home)
    #expect(home.status == 77 && home.errors.contains("'home' needs an account"), "\(home.errors)")
  }

  @Test func eventsBecomeRecords() throws {
    let text = Self.update(1) + Self.update(2) + "event: delete\ndata: 1\n\n" + Self.update(3)
    let server = try server([text])
    let raw = try server.run("tw-stream", ["--limit", "3", "#tea"], home: home, token: "t0k")
    let parsed = try Tool.run("tw-parse", [], stdin: .init(stringLiteral: raw.output), home: home)
    #expect(parsed.status == 0, "\(parsed.errors)")
    #expect(MastodonServer.ids(parsed) == [1, 2, 3])
    #expect(parsed.output.contains(#"{"tw":"delete","service":"\#(server.name)","id":"1"}"#), "\(parsed.output)")
    #expect(parsed.output.contains(##""feeds":["#tea"]"##))
  }

  /// A server that ends each stream after a new post is asked less and less often.
  @Test func aServerThatEndsEachStreamIsNotHammered() throws {
    let server = try server((1...5000).map { Self.update(2000 + $0) })
    let result = try server.run("tw-stream", ["--for", "3s", "--no-fill-gaps", "#tea"], home: home, token: "t0k")
    let streams = server.targets.filter { $0.hasPrefix("GET /api/v1/streaming/") }.count
    #expect(result.status == 0 && (2...10).contains(streams), "\(streams) streams; \(result.errors)")
  }
}
