/// A message of a stream as it is sent: in a chunk of its own (RFC 9112 §7.1), or in a frame of a WebSocket. Any number
/// of streams share it.
struct StreamChunk: Sendable {
  let bytes: [UInt8]

  /// A frame of a WebSocket, whose connection is no HTTP any more.
  init(frame: [UInt8]) { bytes = frame }

  init(_ message: [UInt8]) {
    bytes = Array("\(String(message.count, radix: 16))\r\n".utf8) + message + [0x0D, 0x0A]
  }
}

/// The messages that wait to be sent on one open stream, in order.
///
/// The service appends, the connection sends. A client that reads too slowly is disconnected, as X does it, so that its
/// messages are not held for ever.
struct StreamQueue: Sendable {
  /// The stream's number in this service.
  let id: Int
  let chunks: AsyncStream<StreamChunk>
  private let continuation: AsyncStream<StreamChunk>.Continuation

  /// Most messages held for a client that does not read: 16 seconds of 250 posts a second, which is X's limit.
  private static let capacity = 4096

  init(id: Int) {
    self.id = id
    (chunks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
  }

  /// Appends a message. A full queue is finished instead.
  /// - Returns: how full the queue is now, in per cent.
  @discardableResult
  func append(_ chunk: StreamChunk) -> Int {
    switch continuation.yield(chunk) {
    case .enqueued(let remaining): return 100 - remaining * 100 / Self.capacity
    case .dropped:
      continuation.finish()
      return 100
    default: return 0
    }
  }

  /// Ends the queue: the connection sends what it holds, then the last chunk.
  func finish() { continuation.finish() }
}
