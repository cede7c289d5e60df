import CCrypto
import TweetAccounts
import TweetCore

/// The server's side of a WebSocket (RFC 6455): the answer to the request for one, and the frames of both sides. No
/// extension is spoken.
enum WebSocket {
  /// What is sent in the place of an answer's body, as whole frames.
  enum Frame {
    case text([UInt8])
    case ping
    case pong([UInt8])
    case close(UInt16)

    var chunk: StreamChunk {
      let (opcode, payload): (UInt8, [UInt8]) =
        switch self {
        case .text(let bytes): (1, bytes)
        case .ping: (9, [])
        case .pong(let bytes): (10, bytes)
        case .close(let code): (8, [UInt8(code >> 8), UInt8(code & 0xFF)])
        }
      var head: [UInt8] = [0x80 | opcode]
      switch payload.count {
      case ...125: head.append(UInt8(payload.count))
      case ...0xFFFF: head += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
      default: head += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
      }
      return StreamChunk(frame: head + payload)
    }
  }

  /// The answer that opens a WebSocket, or why there is none (RFC 6455 §4.2).
  /// - Parameter protocols: the subprotocols that the service speaks.
  static func answer(_ request: ServerRequest, protocols: [String], _ queue: () throws -> StreamQueue) throws
    -> ServerResponse
  {
    func words(_ name: String) -> [String] {
      (request.headers[name] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    }
    let key = request.headers["sec-websocket-key"] ?? ""
    guard words("upgrade").contains(where: { $0.lowercased() == "websocket" }),
      words("connection").contains(where: { $0.lowercased() == "upgrade" }),
      request.headers["sec-websocket-version"] == "13"
    else {
      return ServerResponse(status: 426, headers: [("upgrade", "websocket"), ("sec-websocket-version", "13")])
    }
    guard Crypto.bytes(base64: key)?.count == 16 else {
      throw Problem.invalidRequest("Sec-WebSocket-Key must have 16 bytes")
    }
    var headers = [
      (name: "upgrade", value: "websocket"), ("connection", "Upgrade"), ("sec-websocket-accept", accept(key)),
    ]
    if let spoken = words("sec-websocket-protocol").first(where: protocols.contains) {
      headers.append(("sec-websocket-protocol", spoken))
    }
    return ServerResponse(status: 101, headers: headers, body: .webSocket(try queue()))
  }

  private static func accept(_ key: String) -> String {
    let bytes = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var (digest, length) = ([UInt8](repeating: 0, count: 20), UInt32(0))
    EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha1(), nil)
    return String(base64: digest)
  }
}

/// Reads the frames that a client sends. What is in its messages means nothing here, but must be what it is said to be.
struct WebSocketInput {
  enum Event: Equatable {
    case ping([UInt8])
    /// The client closes it, and has sent this code.
    case close(UInt16)
    /// The client does what it may not; the code says what.
    case violation(UInt16)
  }

  /// Most bytes of a message. Each stream may hold as many.
  private static let longest = 16 << 10
  private static let (protocolError, notUTF8, tooBig): (UInt16, UInt16, UInt16) = (1002, 1007, 1009)

  private var bytes: [UInt8] = []
  /// Bytes of the message that is not whole yet; `nil` between messages.
  private var messageLength: Int?
  /// That message, if it is text.
  private var text: [UInt8]?

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// The next event among the frames that are whole; `nil` until there is one.
  mutating func next() -> Event? {
    while bytes.count >= 2 {
      let (first, second) = (bytes[0], bytes[1])
      let (isFinal, opcode) = (first & 0x80 != 0, first & 0x0F)
      let (isControl, isKnown) = (opcode >= 8, opcode & 7 <= 2)
      // Reserved bits are of extensions, and a client must mask (RFC 6455 §5.1).
      guard first & 0x70 == 0, second & 0x80 != 0, isKnown else { return .violation(Self.protocolError) }
      var (length, head) = (Int(second & 0x7F), 2)
      if isControl, length > 125 || !isFinal { return .violation(Self.protocolError) }
      if length >= 126 {
        let size = length == 126 ? 2 : 8
        guard bytes.count >= 2 + size else { return nil }
        let number = bytes[2..<2 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= UInt64(Self.longest) else { return .violation(Self.tooBig) }
        (length, head) = (Int(number), 2 + size)
      }
      if !isControl, (messageLength ?? 0) + length > Self.longest { return .violation(Self.tooBig) }
      guard bytes.count >= head + 4 + length else { return nil }
      let mask = bytes[head..<head + 4]
      let payload = bytes[(head + 4)..<(head + 4 + length)].enumerated().map { $1 ^ mask[head + $0 % 4] }
      bytes.removeFirst(head + 4 + length)
      switch opcode {
      case 0, 1, 2:
        guard (opcode == 0) == (messageLength != nil) else { return .violation(Self.protocolError) }
        if opcode == 1 { text = [] }
        text?.append(contentsOf: payload)
        messageLength = isFinal ? nil : (messageLength ?? 0) + length
        guard isFinal, let whole = text else { continue }
        text = nil
        if String(validating: whole, as: UTF8.self) == nil { return .violation(Self.notUTF8) }
      case 8: return Self.close(payload)
      case 9: return .ping(payload)
      default: break
      }
    }
    return nil
  }

  private static func close(_ payload: [UInt8]) -> Event {
    if payload.isEmpty { return .close(1000) }
    guard payload.count >= 2 else { return .violation(protocolError) }
    // The others are for use inside programs alone, or not assigned (RFC 6455 §7.4, and IANA's registry).
    switch UInt16(payload[0]) << 8 | UInt16(payload[1]) {
    case let code where (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code):
      return String(validating: payload[2...], as: UTF8.self) == nil ? .violation(notUTF8) : .close(code)
    default: return .violation(protocolError)
    }
  }
}
