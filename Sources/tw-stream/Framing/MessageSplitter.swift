import Libc
import TweetCore
import TweetServices

/// Finds the messages in the bytes of a stream, however they are cut up on the way.
struct MessageSplitter: Sendable {
  enum Piece {
    /// A whole message without its end, raw newlines made spaces. The bytes are valid only inside the callback.
    case message(ByteView)
    /// An empty line, or an event stream's comment.
    case keepAlive
    /// A message of this many bytes, more than are kept; it is discarded.
    case tooLong(Int)
    /// A length is missing or wrong, and how; the messages are found by their ends instead.
    case wrongLength(String)
  }

  private let framing: StreamFraming
  private let maxMessage: Int
  private var lengths: LengthSplitter
  private var events: EventSplitter
  private let socketEvents: SocketEventSplitter
  /// The beginning of a message whose end has not come.
  private var partial: [UInt8] = []
  /// Bytes of it that were discarded because it is too long.
  private var discarded = 0

  /// - Parameter maxMessage: the most bytes kept of one message.
  init(_ framing: StreamFraming, maxMessage: Int = 16 << 20) {
    self.framing = framing
    self.maxMessage = maxMessage
    lengths = LengthSplitter(maxMessage: maxMessage)
    events = EventSplitter(maxMessage: maxMessage)
    socketEvents = SocketEventSplitter(maxMessage: maxMessage)
  }

  /// Whether a message has begun and not ended: at the end of a connection that half is to be discarded.
  var isMidMessage: Bool {
    !partial.isEmpty || discarded > 0 || lengths.isMidMessage || events.isMidMessage
  }

  /// Discards a half message. For the begin of a new connection.
  mutating func reset() {
    partial.removeAll()
    discarded = 0
    lengths.reset()
    events.reset()
  }

  /// Appends the next bytes, and calls `body` for each piece they complete, in order.
  mutating func append<E: Error>(_ bytes: [UInt8], _ body: (Piece) throws(E) -> Void) throws(E) {
    try bytes.withBytes { (buffer) throws(E) in try append(buffer, body) }
  }

  /// Appends the next bytes, and calls `body` for each piece they complete, in order.
  mutating func append<E: Error>(
    _ buffer: ByteView, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if framing == .lengths { return try lengths.append(buffer, body) }
    if framing == .events { return try events.append(buffer, body) }
    if framing == .socketEvents { return try socketEvents.append(buffer, body) }
    var start = 0
    var search = 0
    while let newline = Self.newline(in: buffer, from: search) {
      search = newline + 1
      let before = newline > start ? buffer[newline - 1] : partial.last
      guard framing == .lines || before == UInt8(ascii: "\r") else { continue }
      try endMessage(buffer.extracting(start..<newline), body)
      start = search
    }
    keep(buffer.extracting(start...))
  }

  static func newline(in buffer: ByteView, from start: Int) -> Int? {
    buffer.firstIndex(of: UInt8(ascii: "\n"), from: start)
  }

  private mutating func keep(_ bytes: ByteView) {
    let room = max(0, maxMessage + 1 - partial.count)
    partial.append(contentsOf: bytes.prefix(room))
    guard bytes.count > room else { return }
    discarded += bytes.count - room
    // The last byte decides whether a following newline ends the message.
    partial[partial.count - 1] = bytes[bytes.count - 1]
  }

  /// - Parameter tail: the message's last bytes in this piece, up to its `\n`; a `\r` before that may be the last byte
  ///   of `partial` instead.
  private mutating func endMessage<E: Error>(
    _ tail: ByteView, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    if partial.isEmpty, discarded == 0 { return try emit(tail, length: tail.count, body) }
    keep(tail)
    var message: [UInt8] = []
    swap(&message, &partial)
    let length = message.count + discarded
    discarded = 0
    try message.withBytes { (whole) throws(E) in try emit(whole, length: length, body) }
    guard message.capacity <= Self.keptCapacity else { return }
    message.removeAll(keepingCapacity: true)
    swap(&message, &partial)
  }

  /// Bytes of memory that are kept for the next message that comes in two pieces.
  private static let keptCapacity = 64 << 10

  /// - Parameters:
  ///   - line: a message, perhaps still with its `\r`.
  ///   - length: how many bytes it has, the discarded ones included.
  private func emit<E: Error>(
    _ line: ByteView, length: Int, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    let returns = line.last == UInt8(ascii: "\r") ? 1 : 0
    if length - returns > maxMessage { return try body(.tooLong(length - returns)) }
    let message = ByteView(rebasing: line.dropLast(returns))
    if message.isEmpty {
      try body(.keepAlive)
    } else if framing == .lines {
      try body(.message(message))
    } else {
      try Self.emitOnOneLine(message, body)
    }
  }

  /// Calls `body` for a message, its raw newlines made spaces.
  static func emitOnOneLine<E: Error>(
    _ message: ByteView, _ body: (Piece) throws(E) -> Void
  ) throws(E) {
    guard newline(in: message, from: 0) != nil else { return try body(.message(message)) }
    try message.onOneLine.withBytes { (line) throws(E) in try body(.message(line)) }
  }
}
