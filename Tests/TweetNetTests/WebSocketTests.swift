import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore

@testable import TweetNet

/// WebSockets on real sockets: the handshake, messages however they are cut, and each way in which a server breaks the
/// rules.
@Suite(.onOwnThread(minutes: 1)) struct WebSocketTests {
  /// What became of a WebSocket.
  private struct End {
    var start: HTTPResponse?
    var messages: [String] = []
    var result: Result<HTTPResponse, TransferError>
    /// What the client sent after the handshake.
    var sent: [Connection.Frame]
    var requests: [LoopbackServer.Request]

    var error: String? { if case .failure(let error) = result { error.text } else { nil } }
  }

  private func run(
    _ offer: WebSocketOffer = WebSocketOffer(), silence: Int? = nil, pieces: Int? = nil,
    _ serve: @escaping @Sendable (LoopbackServer.Request, Connection) -> Void
  ) throws -> End {
    let frames = Mutex<[Connection.Frame]>([])
    let hasEnded = Mutex(false)
    let server = try LoopbackServer { request, connection in
      connection.pieceSize = pieces
      serve(request, connection)
      while let frame = connection.nextFrame() { frames.withLock { $0.append(frame) } }
      connection.close()
      hasEnded.withLock { $0 = true }
    }
    var request = HTTPRequest(.get, "\(server.base)/live?a=b")
    request.webSocket = offer
    request.silenceTimeout = silence
    request.headers = [HTTPHeader("X-Own", "1")]
    var loop = try TransferLoop(limit: 1)
    let id = loop.start(request)
    var end = End(result: .failure(TransferError(.other, "it never ended")), sent: [], requests: [])
    let deadline = MonotonicClock.milliseconds + 20_000
    var isOver = false
    while !isOver, MonotonicClock.milliseconds < deadline {
      for event in try loop.wait(timeoutMilliseconds: 1000) {
        switch event {
        case .started(id, let response): end.start = response
        case .data(id, let bytes):
          bytes.withBytes {
            WebSocketMessage.forEach(in: $0) { message, isText in
              end.messages.append((isText ? "" : "binary ") + String(decoding: message, as: UTF8.self))
            }
          }
        case .finished(id, let result): (end.result, isOver) = (result, true)
        default: break
        }
      }
    }
    while !hasEnded.withLock({ $0 }), MonotonicClock.milliseconds < deadline { usleep(1000) }
    end.sent = frames.withLock { $0 }
    end.requests = server.requests
    return end
  }

  private static func closing(_ code: Int) -> Connection.Frame {
    Connection.Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)], isMasked: true)
  }

  // MARK: The handshake

  @Test func theRequestIsAWebSockets() throws {
    let end = try run(WebSocketOffer(protocols: ["xrpc.v1.json"])) { request, connection in
      connection.upgrade(request, fields: ["Sec-WebSocket-Protocol: xrpc.v1.json"])
      connection.send(Connection.closing(1000))
    }
    let request = try #require(end.requests.first)
    #expect(request.target == "GET /live?a=b" && request.head.hasPrefix("GET /live?a=b HTTP/1.1\r\n"))
    #expect(request["Upgrade"] == "websocket" && request["Connection"] == "Upgrade")
    #expect(request["Sec-WebSocket-Version"] == "13" && request["Sec-WebSocket-Extensions"] == nil)
    #expect(Data(base64Encoded: request["Sec-WebSocket-Key"] ?? "")?.count == 16)
    #expect(request["Host"]?.hasPrefix("127.0.0.1:") == true && request["User-Agent"]?.hasPrefix("tw/") == true)
    #expect(request["X-Own"] == "1" && request["Sec-WebSocket-Protocol"] == "xrpc.v1.json")
    #expect(end.start?.status == 101 && end.error == nil)
    #expect(end.sent == [Self.closing(1000)])
  }

  /// RFC 6455 §1.3.
  @Test func theKeyIsAnswered() {
    #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test(arguments: [
    ("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "is not the answer to this request"),
    (
      "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
      "is not the answer"
    ),
    ("HTTP/1.1 101 x\r\nConnection: Upgrade\r\n\r\n", "without 'Upgrade'"),
    ("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n", "without 'Connection: Upgrade'"),
    ("SSH-2.0-OpenSSH_9\r\n\r\n", "is not HTTP"), ("HTTP/1.1 101 x\r\nUpgr", "ended inside the head"),
  ])
  func anotherAnswerOpensNone(_ answer: String, _ reason: String) throws {
    let end = try run { _, connection in
      connection.send(answer)
      connection.close()
    }
    #expect(end.error?.contains(reason) == true && end.start == nil, "\(end.result)")
  }

  @Test(arguments: [
    ("Sec-WebSocket-Extensions: permessage-deflate", "extensions nobody offered"),
    ("Sec-WebSocket-Protocol: chat", "a subprotocol nobody offered"),
  ])
  func whatWasNotOfferedIsRefused(_ field: String, _ reason: String) throws {
    let end = try run { request, connection in connection.upgrade(request, fields: [field]) }
    #expect(end.error?.contains(reason) == true)
  }

  /// The body says why, as a length, in chunks, or up to the end of the connection.
  @Test(arguments: [
    "Content-Length: 23\r\n\r\n{\"error\":\"CursorTooOld\"}", "\r\n{\"error\":\"CursorTooOld\"}",
    "Transfer-Encoding: chunked\r\n\r\n9;x=y\r\n{\"error\":\r\ne\r\n\"CursorTooOld\"\r\n1\r\n}\r\n0\r\n\r\n",
  ])
  func aRefusalIsReadWhole(_ rest: String) throws {
    let end = try run(pieces: 7) { _, connection in
      connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\nHTTP/1.1 400 Bad Request\r\nRetry-After: 7\r\n" + rest)
      connection.close()
    }
    let answer = try end.result.get()
    #expect(answer.status == 400 && answer.retryAfter == 7)
    #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix("{\"error\":\"CursorTooOld\""))
    #expect(end.start == nil)
  }

  @Test func aServerThatSaysNothingIsGivenUp() throws {
    let end = try run(silence: 300) { request, connection in
      connection.upgrade(request, first: Connection.text("one"))
      connection.hold()
    }
    #expect(end.messages == ["one"] && end.error?.contains("nothing came") == true)
  }

  // MARK: Messages

  /// Messages come together with the head, and in pieces of any size.
  @Test(arguments: [nil, 1, 3])
  func messagesComeWhole(_ pieces: Int?) throws {
    let sizes = [0, 1, 125, 126, 127, 1000]
    let end = try run(pieces: pieces) { request, connection in
      let frames = sizes.flatMap { Connection.frame(1, [UInt8](repeating: UInt8(ascii: "x"), count: $0)) }
      connection.upgrade(request, first: frames + Connection.frame(2, Array("b".utf8)))
      connection.send(Connection.closing(1000))
    }
    #expect(end.messages.map(\.count) == sizes + ["binary b".count] && end.messages.last == "binary b")
    #expect(end.error == nil)
  }

  /// More than a read and a batch: nothing is left behind in libcurl when the socket has nothing more.
  @Test func manyAndLargeMessagesComeWhole() throws {
    let end = try run { request, connection in
      connection.upgrade(request)
      for number in 0..<5000 { connection.send(Connection.text("\(number) " + String(repeating: "x", count: 700))) }
      connection.send(Connection.frame(1, [UInt8](repeating: UInt8(ascii: "y"), count: 3 << 20)))
      connection.send(Connection.closing(1001))
    }
    #expect(end.messages.count == 5001 && end.messages.last?.utf8.count == 3 << 20 && end.error == nil)
    #expect(end.messages.prefix(5000).map { Int($0.prefix { $0 != " " }) } == Array(0..<5000))
  }

  @Test func fragmentsAreOneMessageAndPingsBetweenThemAreAnswered() throws {
    let end = try run(pieces: 2) { request, connection in
      connection.upgrade(request)
      connection.send(Connection.frame(1, Array("Gr\u{FC}".utf8.dropLast()), isFinal: false))
      connection.send(Connection.frame(9, Array("are you there".utf8)))
      connection.send(Connection.frame(0, [Array("\u{FC}".utf8)[1]], isFinal: false) + Connection.frame(10, []))
      connection.send(Connection.frame(0, Array("n".utf8)) + Connection.closing(1000))
    }
    #expect(end.messages == ["Gr\u{FC}n"] && end.error == nil)
    let pong = Connection.Frame(opcode: 10, payload: Array("are you there".utf8), isMasked: true)
    #expect(end.sent == [pong, Self.closing(1000)])
  }

  // MARK: Ends

  @Test(arguments: [
    (1000, "", nil), (1001, "restart", nil), (1008, "no data, please", "code 1008: no data, please"),
    (4000, "", "code 4000"),
  ])
  func theServersEndIsAnswered(_ code: Int, _ reason: String, _ error: String?) throws {
    let end = try run { request, connection in
      connection.upgrade(
        request, first: Connection.text("last") + Connection.closing(code, reason) + Connection.text("late"))
    }
    #expect(end.messages == ["last"] && end.sent == [Self.closing(code)])
    #expect(error.map { end.error?.contains($0) == true } ?? (end.error == nil), "\(end.result)")
  }

  @Test func anEndWithoutACodeIsOne() throws {
    let end = try run { request, connection in connection.upgrade(request, first: Connection.frame(8, [])) }
    #expect(end.error == nil && end.sent == [Connection.Frame(opcode: 8, payload: [], isMasked: true)])
  }

  @Test func aConnectionThatBreaksOffIsLost() throws {
    for isHard in [false, true] {
      let end = try run { request, connection in
        connection.upgrade(request, first: Connection.text("one") + Connection.frame(1, Array("half".utf8)).dropLast(2))
        usleep(50_000)
        if isHard { connection.reset() } else { connection.close() }
      }
      guard case .failure(let error) = end.result else { return #expect(Bool(false)) }
      #expect(end.messages == ["one"] && error.kind == .lostConnection && error.isInsideAnswer)
    }
  }

  @Test(arguments: [
    (Connection.frame(1, [0x61, 0xFF]), 1007, "is not UTF-8"),
    (Connection.frame(1, [0xC3], isFinal: false) + Connection.frame(0, [0x28]), 1007, "is not UTF-8"),
    (Connection.frame(1, [0x61], isMasked: true), 1002, "masked"),
    (Connection.frame(1, [0x61], reserved: 4), 1002, "extension"),
    (Connection.frame(3, []), 1002, "opcode 3"), (Connection.frame(11, []), 1002, "opcode 11"),
    (Connection.frame(0, [0x61]), 1002, "a fragment has no message"),
    (Connection.frame(1, [0x61], isFinal: false) + Connection.frame(1, [0x61]), 1002, "inside another"),
    (Connection.frame(9, [], isFinal: false), 1002, "fragmented"),
    (Connection.frame(9, [UInt8](repeating: 0, count: 126)), 1002, "more than 125 bytes"),
    (Connection.frame(8, [3]), 1002, "half a code"), (Connection.closing(1005), 1002, "the code 1005"),
    (Connection.closing(999), 1002, "the code 999"), (Connection.closing(2999), 1002, "the code 2999"),
    (Connection.closing(5), 1002, "the code 5"), (Connection.closing(1004), 1002, "the code 1004"),
    (Connection.closing(1006), 1002, "the code 1006"), (Connection.closing(1015), 1002, "the code 1015"),
    (Connection.closing(1016), 1002, "the code 1016"), (Connection.closing(5000), 1002, "the code 5000"),
    (Connection.frame(8, [3, 0xE8, 0xFF]), 1007, "is not UTF-8"),
    ([0x82, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0], 1009, "more than 1000 bytes"),
    (
      Connection.frame(1, [UInt8](repeating: 0x61, count: 600), isFinal: false)
        + Connection.frame(0, [UInt8](repeating: 0x61, count: 600)), 1009, "more than 1000 bytes"
    ),
  ])
  func whatBreaksTheRulesEndsIt(_ frames: [UInt8], _ code: Int, _ reason: String) throws {
    let end = try run(WebSocketOffer(maxMessage: 1000)) { request, connection in
      connection.upgrade(request, first: Connection.text("good") + frames + Connection.text("never"))
    }
    #expect(end.messages == ["good"] && end.error?.contains(reason) == true, "\(end.result)")
    #expect(end.sent == [Self.closing(code)])
  }

  /// A transfer that is cancelled says goodbye.
  @Test func aCancelledOneIsClosed() throws {
    let frames = Mutex<[Connection.Frame]>([])
    let server = try LoopbackServer { request, connection in
      connection.upgrade(request, first: Connection.text("one"))
      while let frame = connection.nextFrame() { frames.withLock { $0.append(frame) } }
    }
    var request = HTTPRequest(.get, server.base)
    request.webSocket = WebSocketOffer()
    var loop = try TransferLoop(limit: 1)
    let id = loop.start(request)
    var isThere = false
    while !isThere { for case .data in try loop.wait(timeoutMilliseconds: 1000) { isThere = true } }
    loop.cancel(id)
    let deadline = MonotonicClock.milliseconds + 5000
    while frames.withLock({ $0.isEmpty }), MonotonicClock.milliseconds < deadline { usleep(1000) }
    #expect(frames.withLock { $0 } == [Self.closing(1000)])
    #expect(loop.count == 0)
  }

  /// Other transfers of the loop go on beside it.
  @Test func othersRunBesideIt() throws {
    let server = try LoopbackServer { request, connection in
      guard request["Upgrade"] != nil else { return connection.answer(200, "page") }
      connection.upgrade(request)
      for number in 0..<20 {
        connection.send(Connection.text("\(number)"))
        usleep(5000)
      }
      connection.send(Connection.closing(1000))
    }
    var request = HTTPRequest(.get, server.base)
    request.webSocket = WebSocketOffer()
    var loop = try TransferLoop(limit: 4)
    _ = loop.start(request)
    _ = loop.start(HTTPRequest(.get, server.base + "/page"))
    var (pages, bytes) = (0, 0)
    while loop.count > 0 {
      for event in try loop.wait(timeoutMilliseconds: 5000) {
        if case .data(_, let data) = event { bytes += data.count }
        if case .finished(_, .success(let answer)) = event, answer.status == 200 { pages += 1 }
      }
    }
    #expect(pages == 1 && bytes == 20 * WebSocketMessage.headLength + 10 + 20)
  }
}
