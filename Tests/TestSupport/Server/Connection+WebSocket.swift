import CCrypto
import Foundation

/// The server's side of a WebSocket (RFC 6455), frame by frame, so that it can also misbehave.
extension Connection {
  package struct Frame: Equatable {
    package let opcode: UInt8
    package let payload: [UInt8]
    package let isMasked: Bool

    package init(opcode: UInt8, payload: [UInt8], isMasked: Bool) {
      (self.opcode, self.payload, self.isMasked) = (opcode, payload, isMasked)
    }
  }

  package static func accept(_ key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var (hash, count) = ([UInt8](repeating: 0, count: 64), UInt32(0))
    EVP_Digest(text, text.count, &hash, &count, EVP_sha1(), nil)
    return Data(hash.prefix(Int(count))).base64EncodedString()
  }

  /// Answers with 101.
  /// - Parameters:
  ///   - fields: in addition to those of every WebSocket.
  ///   - first: bytes that go out together with the head.
  package func upgrade(_ request: LoopbackServer.Request, fields: [String] = [], first: [UInt8] = []) {
    let accept = Self.accept(request["Sec-WebSocket-Key"] ?? "")
    let lines = ["Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Accept: \(accept)"] + fields
    let head = "HTTP/1.1 101 Switching Protocols\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    send(Array(head.utf8) + first)
  }

  package static func frame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = false
  ) -> [UInt8] {
    let mask: UInt8 = isMasked ? 0x80 : 0
    let count = payload.count
    let length: [UInt8] =
      count < 126
      ? [mask | UInt8(count)]
      : count < 65_536
        ? [mask | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        : [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    return [(isFinal ? 0x80 : 0) | reserved << 4 | opcode] + length + (isMasked ? [0, 0, 0, 0] : []) + payload
  }

  package static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

  package static func closing(_ code: Int, _ reason: String = "") -> [UInt8] {
    frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
  }

  /// The next frame of the client, unmasked; `nil` when the connection has ended.
  package func nextFrame() -> Frame? {
    while isOpen {
      if received.count >= 2 {
        let (isMasked, count) = (received[1] & 0x80 != 0, Int(received[1] & 0x7F))
        let start = isMasked ? 6 : 2
        if received.count >= start + count {
          let mask = isMasked ? Array(received[2..<6]) : [0, 0, 0, 0]
          let payload = received[start..<start + count].enumerated().map { $1 ^ mask[$0 % 4] }
          let opcode = received[0] & 0x0F
          received.removeFirst(start + count)
          return Frame(opcode: opcode, payload: payload, isMasked: isMasked)
        }
      }
      if !receive() { return nil }
    }
    return nil
  }
}
