import Foundation
import TestSupport
import Testing

@testable import tw_local

/// The WebSocket of tw-local: what it takes, byte by byte.
@Suite(.onOwnThread) struct LocalWebSocketTests {
  private let local: LocalService

  init() throws { local = try LocalService() }

  private static let head = "GET /subscribe?wantedCollections=app.bsky.feed.post HTTP/1.1\r\n"
  private static let fields = [
    "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
    // RFC 6455 §1.3.
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  ]

  private func open(_ changes: [String: String] = [:], after bytes: [UInt8] = []) throws -> LocalClient {
    let fields = Self.fields.merging(changes) { $1 }.filter { !$0.value.isEmpty }
    let client = try local.open(
      Self.head + "Host: 127.0.0.1:\(local.port)\r\n" + fields.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n")
    if !bytes.isEmpty { try client.send(bytes) }
    return client
  }

  /// A frame of a client, with a mask of 1, 2, 3, 4.
  private static func frame(_ first: UInt8, _ payload: [UInt8], masked: Bool = true) -> [UInt8] {
    var bytes = [first]
    let mark: UInt8 = masked ? 0x80 : 0
    if payload.count < 126 {
      bytes.append(mark | UInt8(payload.count))
    } else {
      bytes += [mark | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    }
    return masked ? bytes + [1, 2, 3, 4] + payload.enumerated().map { $1 ^ UInt8($0 % 4 + 1) } : bytes + payload
  }

  @Test func theHandshakeIsThatOfTheStandard() throws {
    let answer = try open().head()
    #expect(answer.status == 101 && answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(answer.headers["transfer-encoding"] == nil && answer.headers["content-length"] == nil)
  }

  @Test(arguments: [
    (["Upgrade": ""], 426), (["Connection": "close"], 426), (["Sec-WebSocket-Version": "8"], 426),
    (["Sec-WebSocket-Key": ""], 400), (["Sec-WebSocket-Key": "c2hvcnQ="], 400),
    (["Origin": "http://evil.example"], 403),
  ])
  func anotherRequestOpensNone(_ changes: [String: String], _ status: Int) throws {
    #expect(try open(changes).head().status == status)
  }

  private static func close(_ code: Int, _ reason: [UInt8] = []) -> [UInt8] {
    frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
  }

  /// What a client may not do ends the connection, with the reason; what it may, too, with its own.
  @Test func aFrameThatMayNotBeEndsIt() throws {
    let (text, part, end): (UInt8, UInt8, UInt8) = (0x81, 0x01, 0x80)
    var table: [([UInt8], Int)] = [
      (Self.frame(text, [1], masked: false), 1002), (Self.frame(0x09, []), 1002),
      (Self.frame(0x89, [UInt8](repeating: 0, count: 126)), 1002), (Self.frame(end, [1]), 1002),
      (Self.frame(part, [1]) + Self.frame(text, [1]), 1002), (Self.frame(0x88, [3]), 1002),
      ([0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1], 1009), ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1009),
      (Self.frame(0x88, []), 1000),
      // Texts, whole and in parts (§8.1); what is not text may be anything.
      (Self.frame(text, Array("é😀".utf8)) + Self.close(4000), 4000), (Self.frame(text, [0xFF]), 1007),
      (Self.frame(text, [0xC3]), 1007), (Self.frame(text, [0xC0, 0xAF]), 1007),
      (Self.frame(text, [0xED, 0xA0, 0x80]), 1007), (Self.frame(text, [0xF4, 0x90, 0x80, 0x80]), 1007),
      (Self.frame(part, [0xC3]) + Self.frame(end, [0xA9]) + Self.close(4000), 4000),
      (Self.frame(part, [0xC3]) + Self.frame(end, [0x28]), 1007),
      (Self.frame(part, [0xC3]) + Self.frame(end, []), 1007),
      (Self.frame(0x82, [0xFF]) + Self.frame(0x02, [0xC3]) + Self.frame(end, [0x28]) + Self.close(4000), 4000),
      (Self.close(1000, [0xFF]), 1007), (Self.close(1000, [0xC3]), 1007), (Self.close(1000, Array("é".utf8)), 1000),
      (Self.close(5, [0xFF]), 1002),
    ]
    for bit in [0x40, 0x20, 0x10] as [UInt8] { table.append((Self.frame(text | bit, [1]), 1002)) }
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
      table.append((Self.frame(0x80 | opcode, []), 1002))
    }
    // RFC 6455 §7.4, and IANA's registry.
    for code in [0, 1, 5, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
      table.append((Self.close(code), 1002))
    }
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1011, 1014, 3000, 3999, 4000, 4999] {
      table.append((Self.close(code), code))
    }
    for (bytes, code) in table {
      let client = try open(after: bytes)
      #expect(try client.head().status == 101)
      let rest = try client.rest()
      #expect(rest == [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)], "\(bytes): \(rest)")
    }
    // The service is there for others.
    #expect(try local.ask("GET", "/api/v2/instance", token: nil).status == 200)
  }

  @Test func pingsAreAnsweredAlsoBetweenTheFramesOfAMessage() throws {
    let client = try open(
      after: Self.frame(0x01, [1]) + Self.frame(0x89, [7, 8]) + Self.frame(0x80, [2]) + Self.frame(0x8A, [])
        + Self.frame(0x88, [3, 0xE8]))
    #expect(try client.head().status == 101)
    #expect(try client.rest() == [0x8A, 2, 7, 8, 0x88, 2, 3, 0xE8])
  }

  /// A frame in pieces of any size is one frame.
  @Test func framesComeInPieces() {
    let frames =
      Self.frame(0x89, [1, 2, 3]) + Self.frame(0x82, [UInt8](repeating: 9, count: 300)) + Self.frame(0x88, [3, 0xE9])
    for size in 1...frames.count {
      var (input, events) = (WebSocketInput(), [WebSocketInput.Event]())
      for start in stride(from: 0, to: frames.count, by: size) {
        input.append(Array(frames[start..<min(frames.count, start + size)]))
        while let event = input.next() { events.append(event) }
      }
      #expect(events == [.ping([1, 2, 3]), .close(1001)], "in pieces of \(size)")
    }
  }

  /// A service that ends says so.
  @Test func theEndIsAFrame() throws {
    let client = try open()
    #expect(try client.head().status == 101)
    try local.stop()
    #expect(try client.rest() == [0x88, 2, 3, 0xE9])
  }

  /// The texts of all frames up to the end of a connection.
  private static func texts(_ bytes: [UInt8]) -> [LooseJSON] {
    var (texts, rest) = ([LooseJSON](), bytes[...])
    while rest.count >= 2, rest.first == 0x81 {
      var (length, head) = (Int(rest[rest.startIndex + 1]), 2)
      if length == 126 {
        (length, head) = (Int(rest[rest.startIndex + 2]) << 8 | Int(rest[rest.startIndex + 3]), 4)
      }
      let payload = rest.dropFirst(head).prefix(length)
      texts.append(LooseJSON(try? JSONSerialization.jsonObject(with: Data(payload))))
      rest = rest.dropFirst(head + length)
    }
    return texts
  }

  /// More of the past than one connection brings is read by several: nothing is lost, and nothing comes twice.
  @Test func aLongPastIsReadInParts() throws {
    let local = try LocalService(["--rate-limit", "1000000"])
    for number in 1...2050 {
      let body = ["status": "\(number)"]
      let answer = try local.ask("POST", "/api/v1/statuses", headers: ["Content-Type": "application/json"], body: body)
      try #require(answer.status == 200)
    }
    func open(_ cursor: String) throws -> LocalClient {
      let fields = Self.fields.map { "\($0.key): \($0.value)\r\n" }.joined()
      let client = try local.open(
        "GET /xrpc/network.bsky.jetstream.subscribeEvents?cursor=\(cursor) HTTP/1.1\r\nHost: 127.0.0.1:\(local.port)\r\n"
          + fields + "\r\n")
      #expect(try client.head().status == 101)
      return client
    }
    let first = try open("0")
    var texts = Self.texts(try first.rest())
    let error = try #require(texts.last)
    texts.removeLast()
    #expect(error["error"] == "ConsumerTooSlow" && texts.count == 2048)
    let second = try open(String(try #require(error["message"].text.split(separator: "=").last)))
    try second.send(Self.frame(0x88, [3, 0xE8]))
    texts += Self.texts(try second.rest())
    #expect(texts.map { $0["payload"]["record"]["text"].text } == (1...2050).map(String.init))
  }

  // MARK: Names

  @Test func idsAreOrderedAlikeEverywhere() {
    let ids = [0, 1, 1 << 22, 2_126_166_159_144_255_488, 2_126_166_159_144_255_489, 2_126_166_159_148_449_792]
    for id in ids {
      #expect(TimedID.id(mastodon: TimedID.mastodon(id)) == id && TimedID.id(key: TimedID.key(id)) == id)
      #expect(TimedID.firstID(sequence: TimedID.sequence(id)) == id)
      #expect(BlueskyName.account(did: BlueskyName.did(id)) == id)
    }
    #expect(ids.map(TimedID.key).sorted() == ids.map(TimedID.key) && Set(ids.map(TimedID.key)).count == ids.count)
    #expect(ids.map(TimedID.sequence).allSatisfy { $0 < 1_000_000_000_000_000 })
    for text in ["", "-1", "+1", "1e3", "99999999999999999999", "١"] { #expect(TimedID.id(mastodon: text) == nil) }
    for text in ["", "222222222222", "k222222222222", "222222222222é", "1222222222222"] {
      #expect(TimedID.number(text) == nil)
    }
    #expect(TimedID.number("bzzzzzzzzzzzz") == nil || TimedID.number("bzzzzzzzzzzzz") ?? 0 > 0)
  }

  @Test(arguments: [
    ("maren_k", "maren-k.test"), ("You", "you.test"), ("a__b", "a--b.test"), ("_a", "handle.invalid"),
    ("a_", "handle.invalid"),
  ])
  func namesAreHandles(_ name: String, _ handle: String) {
    #expect(BlueskyName.handle(name) == handle)
    if handle != BlueskyName.noHandle { #expect(BlueskyName.username(handle: handle) == name.lowercased()) }
  }

  /// The hash of a file is the one that others compute (multiformats: CIDv1, raw, SHA-256).
  @Test func hashesOfFilesAreTheTrueOnes() throws {
    #expect(
      try BlueskyName.cid(Array("hello world".utf8)) == "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e")
  }
}
