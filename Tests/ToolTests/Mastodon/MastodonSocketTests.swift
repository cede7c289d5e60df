import Foundation
import TestSupport
import Testing

/// The streams of GoToSocial, which has WebSockets alone, and of other servers without server-sent events, over real
/// sockets.
@Suite(.onOwnThread) struct MastodonSocketTests {
  private static let goToSocial =
    #"{"version":"0.20.1+git-1","source_url":"https://codeberg.org/superseriousbusiness/gotosocial","configuration":{}}"#

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// What a server sends at a WebSocket, the first first; the last one is held open.
  private func server(
    _ connections: [[UInt8]], instance: String? = Self.goToSocial, piece: Int? = nil, posts: Int = 0
  ) throws -> MastodonServer {
    let count = StoredText()
    var settings = MastodonServer.Settings()
    (settings.instance, settings.posts) = (instance, posts)
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
      guard request["Upgrade"] == "websocket" else {
        connection.answer(404, #"{"error":"Not Found: this endpoint doesn't exist"}"#)
        return true
      }
      let number = count.text.count
      count.text += "x"
      connection.pieceSize = piece
      connection.upgrade(request, first: connections[min(number, connections.count - 1)])
      if number >= connections.count - 1 { connection.hold() }
      return true
    }
    return try MastodonServer(settings)
  }

  /// A message as GoToSocial sends it: the data is a text.
  private static func event(_ name: String, _ payload: String, stream: String = "user") -> [UInt8] {
    let data = (try? JSONEncoder().encode(payload)) ?? Data()
    return Connection.text(
      #"{"stream":["\#(stream)"],"event":"\#(name)","payload":\#(String(decoding: data, as: UTF8.self))}"#)
  }

  private static func update(_ id: Int, _ event: String = "update") -> [UInt8] {
    self.event(event, MastodonServer.status(id))
  }

  @Test(arguments: [nil, 1, 7])
  func whatComesIsDeliveredOnce(_ piece: Int?) throws {
    let bytes =
      Self.update(1) + Connection.frame(9, Array("ping!".utf8)) + Self.update(1) + Self.event("delete", "1")
      + Self.update(2, "status.update") + Connection.text(#"{"stream":["user"],"event":"filters_changed"}"#)
      + Self.update(2) + Self.update(3)
    let server = try server([bytes], piece: piece)
    #expect(
      try server.words(["--limit", "3", "home"], home: home) == ["connect", "1", "delete 1", "status.2", "2", "3"])
    #expect(server.targets == ["GET /api/v2/instance", "GET /api/v1/streaming?stream=user"])
    #expect(server.server.requests.allSatisfy { $0["Authorization"] == "Bearer t0k" })
  }

  @Test(arguments: [
    ("home", "user"), ("public", "public"), ("local", "public%3Alocal"), ("mentions", "user%3Anotification"),
    ("notifications", "user%3Anotification"), ("list:Tea", "list&list=3"),
  ])
  func eachSourceHasItsStream(_ source: String, _ name: String) throws {
    let notification = Self.event(
      "notification",
      #"{"id":"9","type":"mention","status":\#(MastodonServer.status(1)),"account":\#(MastodonServer.account)}"#)
    let server = try server([Self.update(1) + notification])
    let words = try server.words(["--limit", "1", source], home: home)
    let isNotification = source == "mentions" || source == "notifications"
    #expect(words.count == 2 && words[1].contains(isNotification ? "notification 9" : "1"), "\(words)")
    #expect(server.targets.last == "GET /api/v1/streaming?stream=" + name)
  }

  /// GoToSocial opens a stream of any name, and never sends anything over that of a hashtag.
  @Test func aHashtagIsPolledThere() throws {
    let server = try server([[]], posts: 100)
    #expect(try server.words(["--limit", "2", "#tea"], home: home) == ["fallback", "1099", "1098"])
    #expect(!server.targets.contains { $0.contains("streaming") })
  }

  /// Servers that do not say what they are: one request finds out that there are no server-sent events, and no other
  /// follows, however often the connection is lost.
  @Test func otherServersAreAskedOnceForEvents() throws {
    let pleroma = #"{"version":"2.7.2 (compatible; Pleroma 2.7.0)","configuration":{}}"#
    let server = try server([Self.update(1050), Self.update(1051), Self.update(1052)], instance: pleroma, posts: 53)
    #expect(
      try server.words(["--fill-gaps", "--search-lag", "0s", "--limit", "3", "#tea"], home: home).compactMap { Int($0) }
        == [
          1050, 1051, 1052,
        ])
    let streams = server.targets.filter { $0.contains("streaming") }
    #expect(
      streams == ["GET /api/v1/streaming/hashtag?tag=tea"]
        + Array(repeating: "GET /api/v1/streaming?stream=hashtag&tag=tea", count: 3))
  }

  @Test func withoutAnyStreamItIsPolled() throws {
    let refusals = ["401 Unauthorized", "404 Not Found", "200 OK"]
    for refusal in refusals {
      var settings = MastodonServer.Settings()
      settings.instance = Self.goToSocial
      settings.first = { request, connection in
        guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
        connection.answer(Int(refusal.prefix(3)) ?? 0, #"{"error":"no"}"#)
        return true
      }
      let server = try MastodonServer(settings)
      #expect(try server.words(["--limit", "2", "home"], home: home) == ["fallback", "1099", "1098"], "\(refusal)")
      #expect(server.targets.filter { $0.contains("streaming") }.count == 1)
    }
  }

  /// Of a WebSocket that it does not open, Mastodon says why in a field, and sends no body.
  @Test func whyAWebSocketIsNotOpenedIsTold() throws {
    var settings = MastodonServer.Settings()
    settings.instance = Self.goToSocial
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
      connection.answer(401, "", headers: ["X-Error-Message: Access token does not cover required scopes"])
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--limit", "1", "home"], home: home, token: "t0k")
    #expect(result.status == 0, "\(result.errors)")
    #expect((result.output + result.errors).contains("Access token does not cover required scopes"), "\(result.output)")
  }

  /// After a break what was missed is fetched, and comes before what came meanwhile.
  @Test func aBreakLosesNothing() throws {
    let server = try server([Self.update(1050), Self.update(1100) + Self.update(1101)], posts: 101)
    let words = try server.words(["--search-lag", "0s", "--limit", "52", "home"], home: home)
    #expect(words.compactMap { Int($0) } == Array(1050...1101), "\(words)")
    #expect(words.contains("disconnect") && words.contains("gap-filled"))
    #expect(server.targets.contains { $0.hasPrefix("GET /api/v1/timelines/home?limit=40&since_id=1050") })
  }

  @Test func aCheckpointIsGoneOnFrom() throws {
    let state = home.path + "/state"
    let first = try server([Self.update(1050)], posts: 101)
    #expect(try first.words(["--state", state, "--limit", "1", "home"], home: home) == ["connect", "1050"])
    let second = try server([Self.update(1101)], posts: 101)
    let kept = try String(contentsOfFile: state, encoding: .utf8)
    let moved = kept.replacing(":\(first.server.port)", with: ":\(second.server.port)")
    try Data(moved.utf8).write(to: URL(fileURLWithPath: state))
    let words = try second.words(
      ["--state", state, "--fill-gaps", "--search-lag", "0s", "--limit", "51", "home"], home: home)
    #expect(words.compactMap { Int($0) } == Array(1051...1101), "\(words)")
  }

  /// A run that was killed before its first post: ids of GoToSocial tell the time at which it began.
  @Test func aGapBeforeTheFirstPostIsFilled() throws {
    let status = MastodonServer.status(1).replacing(#""id":"1""#, with: #""id":"01ZZZZZZZZZZZZZZZZZZZZZZZZ""#)
    let server = try server([[], Self.event("update", status)])
    func start() throws -> RunningTool {
      try RunningTool(
        "tw-stream", ["--state", "places", "--fill-gaps", "--search-lag", "0s", "home"],
        environment: server.environment(token: "t0k"), home: home)
    }
    let first = try start()
    try waitUntil { home.exists("places") }
    first.signal(SIGKILL)
    _ = try first.finish()
    let second = try start()
    try waitUntil { server.targets.contains { $0.contains("since_id") } }
    second.signal(SIGTERM)
    _ = try second.finish()
    let target = try #require(server.targets.first { $0.contains("since_id") })
    // Milliseconds of this century begin with 01, and those of the post are of a later one.
    #expect(target.contains(/since_id=01[0-9A-Y][0-9A-Z]{7}Z{16}/), "\(target)")
  }

  private struct Message: CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    let words: [String]
    var status: Int32 = 0
  }

  private static let messages = [
    Message(
      description: "what is no event is told; the next one comes",
      bytes: Connection.text("{no json") + Connection.text("[]") + update(1), words: ["connect", "bad-message", "1"],
      status: 1),
    Message(
      description: "the data is an object, as no server has it, and has line ends",
      bytes: Connection.text("{\"event\":\"update\",\n\"payload\":\n{\"id\":\n\"1\"}}"), words: ["connect", "1"]),
    Message(
      description: "the data has line ends", bytes: event("update", "{\"id\":\n \"1\"}"), words: ["connect", "1"]),
    Message(
      description: "the server says why it ends the stream",
      bytes: Connection.text(#"{"error":"Access token expired","status":401}"#),
      words: ["connect", "disconnect", "gap"],
      status: 69),
  ]

  @Test(arguments: messages)
  private func aMessageHasItsOutcome(_ message: Message) throws {
    let words = try server([message.bytes]).words(["--limit", "1", "home"], status: message.status, home: home)
    #expect(words.map { $0.contains(#""id""#) ? "1" : $0 } == message.words, "\(words)")
  }

  @Test func eventsBecomeRecords() throws {
    let server = try server([Self.update(1) + Self.event("delete", "1") + Self.update(3)])
    let raw = try server.run("tw-stream", ["--limit", "2", "home"], home: home, token: "t0k")
    let parsed = try Tool.run("tw-parse", ["--strict"], stdin: .init(stringLiteral: raw.output), home: home)
    #expect(parsed.status == 0 && MastodonServer.ids(parsed) == [1, 3], "\(parsed.errors)")
    #expect(parsed.output.contains(#"{"tw":"delete","service":"\#(server.name)","id":"1"}"#), "\(parsed.output)")
  }
}
