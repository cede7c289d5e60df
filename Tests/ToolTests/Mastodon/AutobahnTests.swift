import Foundation
import Synchronization
import TestSupport
import Testing

/// What tw-stream does as the client of a WebSocket server that plays the cases of the Autobahn suite: a hashtag for
/// each case.
@Suite(.onOwnThread(minutes: 3)) struct AutobahnTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// What a client did.
  private struct Behaviour {
    var pongs: [[UInt8]] = []
    var other: [Connection.Frame] = []
    var close: [UInt8]?
  }

  /// How many connections one tool holds at once.
  private static let atOnce = 100

  @Test(arguments: stride(from: 0, to: AutobahnCase.all.count, by: Self.atOnce).map { $0 })
  func eachCaseIsAsTheSuiteWantsIt(_ first: Int) throws {
    let cases = Array(AutobahnCase.all.dropFirst(first).prefix(Self.atOnce))
    let behaviours = Mutex<[Int: Behaviour]>([:])
    let begun = Mutex<Set<Int>>([])
    var settings = MastodonServer.Settings()
    settings.instance = #"{"version":"2.7.2 (compatible; Pleroma 2.7.0)","configuration":{}}"#
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
      guard request["Upgrade"] != nil, let number = request.parameter("tag").flatMap({ Int($0.dropFirst()) }) else {
        connection.answer(404, "{}")
        return true
      }
      connection.upgrade(request)
      // The connection that is made again after the case has ended.
      guard begun.withLock({ $0.insert(number).inserted }) else {
        connection.hold()
        return true
      }
      let test = cases[number]
      connection.pieceSize = test.piece
      for frame in test.frames { connection.send(frame) }
      var behaviour = Behaviour()
      while behaviour.close == nil, let frame = connection.nextFrame() {
        switch frame.opcode {
        case 8: behaviour.close = frame.payload
        case 10 where frame.isMasked: behaviour.pongs.append(frame.payload)
        default: behaviour.other.append(frame)
        }
      }
      connection.close()
      behaviours.withLock { $0[number] = behaviour }
      return true
    }
    let server = try MastodonServer(settings)
    let sources = cases.indices.map { "'#c\($0)'" }.joined(separator: " ")
    let tool = try RunningTool(
      "/bin/bash", ["-c", "exec tw-stream --quiet \(sources) > out"], environment: server.environment(token: "t0k"),
      home: home)
    // How often each message was printed. The lines are long, and begin alike.
    let printed = {
      let lines = try home.read("out").split(separator: UInt8(ascii: "\n"))
      let ids = lines.compactMap { line in
        String(decoding: line.prefix(80), as: UTF8.self).firstMatch(of: #/"id":"(c[0-9]+n[0-9]+)"/#).map {
          String($0.1)
        }
      }
      return Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
    }
    try waitUntil(seconds: 120) { behaviours.withLock(\.count) == cases.count }
    let wanted = cases.flatMap(\.ids)
    // A message is printed after the client has answered.
    try waitUntil(seconds: 30) { Set(try printed().keys).isSuperset(of: wanted) }
    tool.signal(SIGTERM)
    _ = try tool.finish()
    let counts = try printed()
    for (number, test) in cases.enumerated() {
      let did = try #require(behaviours.withLock { $0[number] })
      #expect(did.pongs == test.pongs, "\(test): pongs")
      #expect(did.other.isEmpty, "\(test): \(did.other)")
      let code = did.close.flatMap { $0.count >= 2 ? Int($0[0]) << 8 | Int($0[1]) : nil }
      // What the server still sends then may reset the connection, and take the close frame along; the suite allows
      // that.
      let isReset = did.close == nil && !test.hasClosed && test.code != 1000
      #expect(isReset || did.close != nil && code == test.code, "\(test): closes with \(code ?? 0)")
      for id in test.ids { #expect(counts[id] == 1, "\(test): message \(id) came \(counts[id] ?? 0) times") }
    }
    // What no case sends as it should be is not printed.
    #expect(counts.count == wanted.count, "\(Set(counts.keys).subtracting(wanted))")
  }
}
