package import TweetCore

/// Finds the messages in the bytes that a WebSocket server sends, however they are cut up on the way (RFC 6455 §5). No
/// extension is understood, since none is offered.
package struct WebSocketReader: Sendable {
  package enum Event {
    /// A whole message. The bytes are valid only inside the callback.
    case message(ByteView, isText: Bool)
    /// To be answered with the same bytes.
    case ping([UInt8])
    /// The server closes the connection; nothing comes after it.
    case close(code: Int?, reason: String)
  }

  /// How the server broke the rules; the connection is to be closed with that code (§7.4.1).
  package struct Fault: Error, Equatable {
    package let code: Int
    package let text: String

    static func rule(_ text: String) -> Fault { Fault(code: 1002, text: text) }
    static func tooLong(_ bytes: Int) -> Fault { Fault(code: 1009, text: "a message has more than \(bytes) bytes") }
    static func notUTF8(_ what: String) -> Fault { Fault(code: 1007, text: "\(what) is not UTF-8") }
  }

  private enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  /// The first bytes of a frame, and where its payload is.
  private struct Head {
    let opcode: Opcode
    let isFinal: Bool
    let length: Int
    let payloadStart: Int
  }

  private let maxMessage: Int
  /// The beginning of a frame whose end has not come.
  private var partial: [UInt8] = []
  /// The message whose first fragments have come, and whether it is text.
  private var fragments: [UInt8] = []
  private var fragmentedText: Bool?
  private var isClosed = false

  /// The most bytes of a control frame.
  static let longestControl = 125

  /// - Parameter maxMessage: the most bytes of one message; a longer one is a fault before it is received.
  package init(maxMessage: Int = 16 << 20) { self.maxMessage = maxMessage }

  /// Appends the next bytes, and calls `body` for what they complete, in order. Not to be called again after a fault.
  package mutating func append(_ bytes: ByteView, _ body: (Event) -> Void) throws(Fault) {
    if isClosed { return }
    if partial.isEmpty {
      let used = try parse(bytes, body)
      partial.append(contentsOf: bytes[used...])
    } else {
      var whole: [UInt8] = []
      swap(&whole, &partial)
      whole.append(contentsOf: bytes)
      let used = try whole.withBytes { (whole) throws(Fault) in try parse(whole, body) }
      whole.removeFirst(used)
      partial = whole
    }
  }

  /// - Returns: how many bytes were used.
  private mutating func parse(_ bytes: ByteView, _ body: (Event) -> Void) throws(Fault) -> Int {
    var start = 0
    while !isClosed {
      let input = bytes.extracting(start...)
      guard let head = try head(input), input.count - head.payloadStart >= head.length else { break }
      let end = head.payloadStart + head.length
      try read(head, input.extracting(head.payloadStart..<end), body)
      start += end
    }
    return isClosed ? bytes.count : start
  }

  /// `nil` while it is not complete.
  private func head(_ input: ByteView) throws(Fault) -> Head? {
    guard input.count >= 2 else { return nil }
    guard input[0] & 0x70 == 0 else { throw .rule("a frame uses an extension that was not agreed on") }
    guard let opcode = Opcode(rawValue: input[0] & 0x0F) else {
      throw .rule("a frame has the unknown opcode \(input[0] & 0x0F)")
    }
    guard input[1] & 0x80 == 0 else { throw .rule("a frame of the server is masked") }
    let isFinal = input[0] & 0x80 != 0
    let short = Int(input[1])
    let size = short < 126 ? 0 : short == 126 ? 2 : 8
    if opcode.isControl {
      guard isFinal else { throw .rule("a control frame is fragmented") }
      guard size == 0 else { throw .rule("a control frame has more than \(Self.longestControl) bytes") }
    } else {
      guard (opcode == .continuation) == (fragmentedText != nil) else {
        throw .rule(opcode == .continuation ? "a fragment has no message" : "a message begins inside another")
      }
    }
    guard input.count >= 2 + size else { return nil }
    let length = size == 0 ? UInt64(short) : input[2..<2 + size].reduce(0) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(maxMessage - (opcode.isControl ? 0 : min(maxMessage, fragments.count))) || opcode.isControl
    else { throw .tooLong(maxMessage) }
    return Head(opcode: opcode, isFinal: isFinal, length: Int(length), payloadStart: 2 + size)
  }

  private mutating func read(
    _ head: Head, _ payload: ByteView, _ body: (Event) -> Void
  ) throws(Fault) {
    switch head.opcode {
    case .ping: body(.ping(Array(payload)))
    case .pong: break
    case .close:
      isClosed = true
      body(try Self.close(payload))
    case .text, .binary:
      if head.isFinal { return try emit(payload, isText: head.opcode == .text, body) }
      (fragments, fragmentedText) = (Array(payload), head.opcode == .text)
    case .continuation:
      fragments.append(contentsOf: payload)
      guard head.isFinal, let isText = fragmentedText else { return }
      var message: [UInt8] = []
      swap(&message, &fragments)
      fragmentedText = nil
      try message.withBytes { (message) throws(Fault) in try emit(message, isText: isText, body) }
    }
  }

  private func emit(
    _ message: ByteView, isText: Bool, _ body: (Event) -> Void
  ) throws(Fault) {
    if isText, String(validating: message, as: UTF8.self) == nil { throw .notUTF8("a text message") }
    body(.message(message, isText: isText))
  }

  private static func close(_ payload: ByteView) throws(Fault) -> Event {
    if payload.isEmpty { return .close(code: nil, reason: "") }
    guard payload.count >= 2 else { throw .rule("a close frame has half a code") }
    let code = Int(payload[0]) << 8 | Int(payload[1])
    // The others are for use inside programs alone, or not assigned (§7.4.2, and IANA's registry).
    guard (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code) else {
      throw .rule("a close frame has the code \(code), which may not be sent")
    }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .notUTF8("the reason of the end") }
    return .close(code: code, reason: reason)
  }
}

/// What a client sends after the handshake: control frames alone.
enum WebSocketFrame {
  static func pong(_ payload: [UInt8]) -> [UInt8] { control(10, payload) }

  /// - Parameter code: `nil` where the server gave none.
  static func close(_ code: Int?) -> [UInt8] {
    control(8, code.map { [UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] } ?? [])
  }

  /// - Parameter key: what the payload is masked with: random, so that no proxy takes it for something else (§5.3,
  ///   §10.3).
  static func control(
    _ opcode: UInt8, _ payload: [UInt8], key: UInt32 = .random(in: .min ... .max)
  ) -> [UInt8] {
    let payload = payload.prefix(WebSocketReader.longestControl)
    let mask = (0..<4).map { UInt8(truncatingIfNeeded: key >> (24 - 8 * $0)) }
    return [0x80 | opcode, 0x80 | UInt8(payload.count)] + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }
}
