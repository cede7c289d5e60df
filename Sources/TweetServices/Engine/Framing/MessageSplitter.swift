import Libc

/// Finds the messages in a stream's bytes, however they are cut up on the way.
package struct MessageSplitter: Sendable {
  package enum Framing: Sendable {
    /// A message ends with `\n`, or with `\r\n`: X API v2, plugins and files, where no newline stands inside one.
    case lines
    /// A message ends with `\r\n`; a bare `\n` may stand inside one: X API v1.1.
    case carriageReturns
    /// A line with its length stands before each message: X API v1.1 with `delimited=length`.
    case lengths
  }

  package enum Piece {
    /// A whole message without its end, raw newlines made spaces. The bytes are valid only inside the callback.
    case message(UnsafeBufferPointer<UInt8>)
    /// An empty line.
    case keepAlive
    /// A message of so many bytes, more than is held; it is left out.
    case tooLong(Int)
    /// A length is missing or wrong, and why; the messages were found by their ends instead.
    case wrongLength(String)
  }

  private let framing: Framing
  private let maxMessage: Int
  private var lengths: LengthSplitter
  /// The beginning of a message whose end has not come.
  private var held: [UInt8] = []
  /// Bytes of it that were thrown away because it is too long.
  private var dropped = 0

  /// - Parameter maxMessage: the most bytes held of one message.
  package init(_ framing: Framing, maxMessage: Int = 16 << 20) {
    self.framing = framing
    self.maxMessage = maxMessage
    lengths = LengthSplitter(maxMessage: maxMessage)
  }

  /// Whether a message has begun and not ended: at the end of a connection that half is to be forgotten.
  package var isMidMessage: Bool { !held.isEmpty || dropped > 0 || lengths.isMidMessage }

  /// Forgets a half message. Called when a new connection begins.
  package mutating func reset() {
    held.removeAll()
    dropped = 0
    lengths.reset()
  }

  /// Takes the next bytes and hands on, in order, what they complete.
  package mutating func feed<E: Error>(_ bytes: [UInt8], _ body: (Piece) throws(E) -> Void) throws(E) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(E) in try feed(buffer, body) }
  }

  /// Takes the next bytes and hands on, in order, what they complete.
  package mutating func feed<E: Error>(
    _ buffer: UnsafeBufferPointer<UInt8>, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if framing == .lengths { return try lengths.feed(buffer, body) }
    var start = 0
    var search = 0
    while let newline = Self.newline(in: buffer, from: search) {
      search = newline + 1
      let before = newline > start ? buffer[newline - 1] : held.last
      guard framing == .lines || before == UInt8(ascii: "\r") else { continue }
      try end(UnsafeBufferPointer(rebasing: buffer[start..<newline]), body)
      start = search
    }
    hold(UnsafeBufferPointer(rebasing: buffer[start...]))
  }

  static func newline(in buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
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

  /// - Parameter tail: the message's last bytes in this piece, up to its `\n`; a `\r` before that may be the last byte
  ///   held instead.
  private mutating func end<E: Error>(
    _ tail: UnsafeBufferPointer<UInt8>, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if held.isEmpty, dropped == 0 { return try hand(on: tail, length: tail.count, body) }
    hold(tail)
    var message: [UInt8] = []
    swap(&message, &held)
    let length = message.count + dropped
    dropped = 0
    try message.withUnsafeBufferPointer { (whole) throws(E) in try hand(on: whole, length: length, body) }
    guard message.capacity <= Self.keptCapacity else { return }
    message.removeAll(keepingCapacity: true)
    swap(&message, &held)
  }

  /// Memory that is worth keeping for the next message that comes in two pieces.
  private static let keptCapacity = 64 << 10

  /// - Parameters:
  ///   - line: a message, perhaps still with its `\r`.
  ///   - length: its bytes, those that are not held included.
  private func hand<E: Error>(
    on line: UnsafeBufferPointer<UInt8>, length: Int, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    let returns = line.last == UInt8(ascii: "\r") ? 1 : 0
    if length - returns > maxMessage { return try body(.tooLong(length - returns)) }
    let message = UnsafeBufferPointer(rebasing: line.dropLast(returns))
    if message.isEmpty {
      try body(.keepAlive)
    } else if framing == .lines {
      try body(.message(message))
    } else {
      try Self.oneLine(message, body)
    }
  }

  /// Hands a message on with its raw newlines made spaces.
  static func oneLine<E: Error>(
    _ message: UnsafeBufferPointer<UInt8>, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    guard newline(in: message, from: 0) != nil else { return try body(.message(message)) }
    let line = message.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    try line.withUnsafeBufferPointer { (line) throws(E) in try body(.message(line)) }
  }
}
