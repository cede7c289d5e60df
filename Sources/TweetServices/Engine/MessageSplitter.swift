#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the messages in a stream's bytes, however they are cut up on the way. A message ends with `\r\n`; a bare `\n`
/// may stand inside one; nothing but `\r\n` is a keep-alive.
package struct MessageSplitter: Sendable {
  package enum Piece {
    /// A whole message without its end, raw newlines made spaces. The bytes are valid only inside the callback.
    case message(UnsafeBufferPointer<UInt8>)
    case keepAlive
    /// A message of so many bytes, more than is held; it is left out.
    case tooLong(Int)
  }

  private let maxMessage: Int
  /// The beginning of a message whose end has not come.
  private var held: [UInt8] = []
  /// Bytes of it that were thrown away because it is too long.
  private var dropped = 0

  /// - Parameter maxMessage: the most bytes held of one message.
  package init(maxMessage: Int = 16 << 20) { self.maxMessage = maxMessage }

  /// Whether a message has begun and not ended: at the end of a connection that half is to be forgotten.
  package var isMidMessage: Bool { !held.isEmpty || dropped > 0 }

  /// Forgets a half message. Called when a new connection begins.
  package mutating func reset() {
    held.removeAll()
    dropped = 0
  }

  /// Takes the next bytes and hands on, in order, what they complete.
  package mutating func feed<E: Error>(_ bytes: [UInt8], _ body: (Piece) throws(E) -> Void) throws(E) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(E) in
      var start = 0
      var search = 0
      while let newline = Self.newline(in: buffer, from: search) {
        search = newline + 1
        let before = newline > start ? buffer[newline - 1] : held.last
        guard before == UInt8(ascii: "\r") else { continue }
        try end(UnsafeBufferPointer(rebasing: buffer[start..<newline]), body)
        start = search
      }
      hold(UnsafeBufferPointer(rebasing: buffer[start...]))
    }
  }

  private static func newline(in buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < buffer.count, let base = buffer.baseAddress,
      let found = memchr(base + start, 0x0a, buffer.count - start)
    else { return nil }
    return UnsafeRawPointer(base).distance(to: found)
  }

  private mutating func hold(_ rest: UnsafeBufferPointer<UInt8>) {
    let room = max(0, maxMessage + 1 - held.count)
    held.append(contentsOf: rest.prefix(room))
    guard rest.count > room else { return }
    dropped += rest.count - room
    // The last byte decides whether a following newline ends the message.
    held[held.count - 1] = rest[rest.count - 1]
  }

  /// - Parameter tail: the message's last bytes in this piece, up to its `\r`, which may be the last byte held instead.
  private mutating func end<E: Error>(
    _ tail: UnsafeBufferPointer<UInt8>, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if !isMidMessage {
      try hand(on: UnsafeBufferPointer(rebasing: tail.dropLast()), body)
      return
    }
    hold(tail)
    let message = held
    let length = held.count + dropped - 1
    reset()
    if length > maxMessage {
      try body(.tooLong(length))
    } else {
      try message.withUnsafeBufferPointer { (whole) throws(E) in
        try hand(on: UnsafeBufferPointer(rebasing: whole.dropLast()), body)
      }
    }
  }

  private func hand<E: Error>(
    on message: UnsafeBufferPointer<UInt8>, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if message.isEmpty {
      try body(.keepAlive)
    } else if message.count > maxMessage {
      try body(.tooLong(message.count))
    } else if Self.newline(in: message, from: 0) != nil {
      let line = message.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
      try line.withUnsafeBufferPointer { (line) throws(E) in try body(.message(line)) }
    } else {
      try body(.message(message))
    }
  }
}
