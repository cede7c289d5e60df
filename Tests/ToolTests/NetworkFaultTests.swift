import Foundation
import TestSupport
import Testing

/// What becomes of the posts of Mastodon and Bluesky when a service fails in each of the ways in which X's stream does
/// (``StreamFaultTests``): none is lost, and none comes twice. What takes half a minute or more, a server that says
/// nothing any more, is for `make soak`.
@Suite(.onOwnThread(minutes: 5)) struct NetworkFaultTests {
  /// How a connection ends, or is refused.
  enum Fault: String, CaseIterable, CustomStringConvertible {
    case none, split, end, reset, half, garbage, tooMany, trouble
    /// The connection stays open, and nothing comes any more; if half open, it stays so within a message.
    case silent, halfOpen

    var description: String { rawValue }

    /// What is answered in place of the next connection or page.
    var refusal: (code: Int, fields: [String])? {
      switch self {
      case .tooMany: (429, ["Retry-After: 1"])
      case .trouble: (503, ["Retry-After: 1"])
      default: nil
      }
    }
  }

  private static let quick = Fault.allCases.filter { ![.silent, .halfOpen].contains($0) }
  private static let long = [Fault.silent, .halfOpen]
  private static let isLong = ProcessInfo.processInfo.environment["SOAK_POSTS"] != nil

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  // MARK: Live

  /// Twelve posts: four on the first connection, four while there is none, four on the last.
  private func mastodon(_ fault: Fault, isSocket: Bool) throws -> MastodonServer {
    let count = StoredText()
    var settings = MastodonServer.Settings()
    settings.posts = 12
    if isSocket { settings.instance = #"{"source_url":"https://codeberg.org/superseriousbusiness/gotosocial"}"# }
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
      let number = count.text.count
      count.text += "x"
      if number == 1, let (code, fields) = fault.refusal {
        connection.answer(code, #"{"error":"not now"}"#, headers: fields)
        return true
      }
      if fault == .split { connection.pieceSize = 1 }
      if isSocket { connection.upgrade(request) } else { connection.startStream() }
      let isFirst = number == 0
      let ids = fault == .none || fault == .split ? Array(1000..<1012) : Array(isFirst ? 1000..<1004 : 1008..<1012)
      for id in ids { Self.send(Self.event(id, isSocket), connection, isSocket) }
      if !isFirst || fault == .none || fault == .split {
        connection.hold()
        return true
      }
      connection.pause(0.05)
      let next = Self.event(1004, isSocket)
      switch fault {
      case .reset: connection.reset()
      case .half:
        Self.send(Array(next.dropLast(20)), connection, isSocket)
        connection.close()
      case .garbage:
        connection.send([UInt8](repeating: 0xFF, count: 64))
        connection.close()
      case .silent: connection.hold()
      case .halfOpen:
        Self.send(Array(next.dropLast(20)), connection, isSocket)
        connection.hold()
      default: if isSocket { connection.close() } else { connection.endStream() }
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private static func event(_ id: Int, _ isSocket: Bool) -> [UInt8] {
    let status = MastodonServer.status(id)
    guard isSocket else { return Array("event: update\ndata: \(status)\n\n".utf8) }
    let payload = String(decoding: (try? JSONEncoder().encode(status)) ?? Data(), as: UTF8.self)
    return Connection.text(#"{"stream":["user"],"event":"update","payload":\#(payload)}"#)
  }

  private static func send(_ bytes: [UInt8], _ connection: Connection, _ isSocket: Bool) {
    if isSocket { connection.send(bytes) } else { connection.chunk(bytes) }
  }

  private func checkMastodon(_ fault: Fault, isSocket: Bool) throws {
    let server = try mastodon(fault, isSocket: isSocket)
    let tool = try RunningTool(
      "tw-stream", ["--fill-gaps", "--search-lag", "0s", "-n", "12", "home"],
      environment: server.environment(token: "t0k"), home: home)
    var lines: [String] = []
    while let line = try tool.line(timeout: 100) { lines.append(line) }
    let result = try tool.finish()
    let ids = lines.compactMap { $0.firstMatch(of: #/"payload":\{"id":"(\d+)"|^\{"id":"(\d+)"/#) }
      .compactMap { ($0.1 ?? $0.2).flatMap { Int($0) } }
    #expect(ids == Array(1000..<1012), "\(fault): \(lines) \(result.errors)")
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  @Test(arguments: quick) func eventsOfMastodon(_ fault: Fault) throws { try checkMastodon(fault, isSocket: false) }
  @Test(arguments: quick) func webSocketsOfGoToSocial(_ fault: Fault) throws {
    try checkMastodon(fault, isSocket: true)
  }

  @Test(.enabled(if: isLong, "make soak"), arguments: long, [false, true])
  func aSilentMastodonIsLeft(_ fault: Fault, _ isSocket: Bool) throws { try checkMastodon(fault, isSocket: isSocket) }

  /// Both versions of Jetstream, which go on from where they were.
  @Test(arguments: quick, [false, true])
  func jetstream(_ fault: Fault, _ isFirstVersion: Bool) throws { try checkJetstream(fault, isFirstVersion) }

  @Test(.enabled(if: isLong, "make soak"), arguments: long, [false, true])
  func aSilentJetstreamIsLeft(_ fault: Fault, _ isFirstVersion: Bool) throws {
    try checkJetstream(fault, isFirstVersion)
  }

  private func checkJetstream(_ fault: Fault, _ isFirstVersion: Bool) throws {
    let end: FakeBluesky.End =
      switch fault {
      case .reset: .reset
      case .half: .halfFrame
      case .garbage: .garbage
      case .end: .endFrame
      case .silent: .silent
      case .halfOpen: .halfOpen
      default: .close
      }
    let refusal = fault.refusal.map { [FakeBluesky.Connection.answer($0.code, #"{"error":"NotNow"}"#)] } ?? []
    let isWhole = fault == .none || fault == .split
    let bluesky = try FakeBluesky(isWhole ? [.all] : [.some(4, end)] + refusal + [.all])
    if fault == .split { bluesky.splitFrames() }
    if isFirstVersion { bluesky.speakFirstVersion() }
    let tool = try RunningTool(
      "tw-stream", ["-n", "12", "bluesky:#swift"], environment: bluesky.environment, home: home)
    try bluesky.waitForStreams(1)
    bluesky.add((1...12).map { "#swift \($0)" })
    var lines: [String] = []
    while let line = try tool.line(timeout: 100) { lines.append(line) }
    let result = try tool.finish()
    let texts = lines.compactMap { $0.firstMatch(of: #/"text":"#swift (\d+)"/#).flatMap { Int($0.1) } }
    #expect(texts == Array(1...12), "\(fault): \(lines) \(result.errors)")
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  // MARK: Pages

  /// Each page fails once before it comes. A limit that is used up ends a single round; the next ones go on where it
  /// was.
  @Test(arguments: quick, [false, true])
  func pages(_ fault: Fault, _ isBluesky: Bool) throws { try checkPages(fault, isBluesky) }

  @Test(.enabled(if: isLong, "make soak"), arguments: long, [false, true])
  func silentPagesAreAskedForAgain(_ fault: Fault, _ isBluesky: Bool) throws { try checkPages(fault, isBluesky) }

  private func checkPages(_ fault: Fault, _ isBluesky: Bool) throws {
    let failed = StoredText()
    let page = { @Sendable (request: LoopbackServer.Request, connection: Connection) -> Bool in
      let key = "<\(request.target)>"
      if fault == .split { connection.pieceSize = 1 }
      guard fault != .none, fault != .split, !failed.text.contains(key) else { return false }
      // Silence takes half a minute: that of one page is enough.
      if Self.long.contains(fault), !failed.text.isEmpty { return false }
      failed.text += key
      switch fault {
      case .reset: connection.reset()
      case .end: connection.close()
      case .silent: connection.hold()
      case .halfOpen:
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n[{\"id\":")
        connection.hold()
      case .half:
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n[{\"id\":")
        connection.close()
      case .garbage:
        connection.send([UInt8](repeating: 0xFF, count: 64))
        connection.close()
      default:
        let (code, fields) = fault.refusal ?? (500, [])
        connection.answer(code, "{}", headers: fields)
      }
      return true
    }
    if isBluesky {
      let server = try LoopbackServer { request, connection in
        if request.target.contains("getProfile") {
          connection.answer(200, #"{"did":"did:plc:bo","handle":"bo.example"}"#)
          return
        }
        if page(request, connection) { return }
        let start = request.parameter("cursor").flatMap { Int($0) } ?? 0
        let posts = (start..<start + 4).map {
          #"{"post":{"uri":"at://did:plc:bo/app.bsky.feed.post/3k\#(9000 - $0)","cid":"b","author":{"did":"did:plc:bo","#
            + #""handle":"bo.example"},"record":{"text":"n\#($0) "},"indexedAt":"2026-11-01T00:\#(59 - $0):00.000Z"}}"#
        }
        let cursor = start < 8 ? #","cursor":"\#(start + 4)""# : ""
        connection.answer(200, #"{"feed":[\#(posts.joined(separator: ","))]\#(cursor)}"#)
      }
      let result = try rounds(fault) {
        try Tool.run(
          "tw-stream", ["--once", "--all", "--state", "places", "bluesky:@bo.example"],
          environment: ["TW_ENDPOINT_BLUESKY": server.base], home: home)
      }
      let texts = result.flatMap(\.lines).compactMap { $0.firstMatch(of: #/"text":"n(\d+) /#).flatMap { Int($0.1) } }
      #expect(texts == Array(0..<12), "\(fault): \(result)")
    } else {
      var settings = MastodonServer.Settings()
      (settings.posts, settings.pageSize) = (12, 4)
      settings.first = { request, connection in request.target.contains("timelines") && page(request, connection) }
      let server = try MastodonServer(settings)
      let result = try rounds(fault) {
        try server.run("tw-stream", ["--once", "--all", "--state", "places", "home"], home: home, token: "t0k")
      }
      #expect(result.flatMap(MastodonServer.ids) == (1000..<1012).reversed(), "\(fault): \(result)")
    }
  }

  /// Runs a round, and after a limit others, until one ends well.
  private func rounds(_ fault: Fault, _ run: () throws -> ToolResult) throws -> [ToolResult] {
    var results: [ToolResult] = []
    repeat { results.append(try run()) } while fault == .tooMany && results.last?.status == 75 && results.count < 10
    #expect(results.last?.status == 0 && (fault == .tooMany) == (results.count > 1), "\(fault): \(results)")
    return results
  }
}
