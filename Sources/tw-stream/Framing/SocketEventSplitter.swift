import TweetCore
import TweetNet
import TweetServices

/// Finds the events in the messages of a WebSocket of Mastodon's API (docs.joinmastodon.org, "Streaming timelines"):
/// `{"stream":[…],"event":"NAME","payload":"DATA"}`. They come out as those of server-sent events do.
struct SocketEventSplitter: Sendable {
  private let maxMessage: Int

  /// - Parameter maxMessage: the most bytes of a message; a longer one is discarded.
  init(maxMessage: Int) { self.maxMessage = maxMessage }

  /// Calls `body` for each message.
  ///
  /// - Parameter buffer: whole messages, as ``WebSocketMessage`` says.
  func append<E: Error>(
    _ buffer: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) {
    try WebSocketMessage.forEach(in: buffer) { (message, _) throws(E) in
      if message.isEmpty { return try body(.keepAlive) }
      if message.count > maxMessage { return try body(.tooLong(message.count)) }
      guard let event = Self.event(Array(message)) else { return try MessageSplitter.emitOnOneLine(message, body) }
      try event.withBytes { (bytes) throws(E) in try body(.message(bytes)) }
    }
  }

  /// - Returns: `nil` for a message that is no event, which is delivered as it came.
  private static func event(_ message: [UInt8]) -> ByteBuffer? {
    guard let document = try? JSONDocument(message), let name = document["event"]?.string else { return nil }
    // Mastodon's servers have the data as a text; it may be missing.
    let data = document["payload"].map { $0.isString ? Array(($0.string ?? "").utf8) : $0.read { Array($0.raw) } } ?? []
    return EventSplitter.message(name, data.withBytes { $0.onOneLine })
  }
}
