/// One open stream: what is to be sent to it, in order.
///
/// The service puts lines in, the connection takes them out. A client that reads too slowly is cut off, as X does, rather
/// than the lines being held for ever.
struct StreamFeed: Sendable {
  /// Its number, by which the service knows it.
  let id: Int
  let pieces: AsyncStream<[UInt8]>
  private let entrance: AsyncStream<[UInt8]>.Continuation

  /// Lines held for a client that does not read: at 250 posts a second, X's limit, 16 seconds' worth.
  private static let held = 4096

  init(id: Int) {
    self.id = id
    (pieces, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.held))
  }

  /// Puts one line in; ends the feed where there is no room.
  /// - Returns: how much of the room is taken now, in per cent.
  @discardableResult
  func send(_ piece: [UInt8]) -> Int {
    switch entrance.yield(piece) {
    case .enqueued(let remaining): return 100 - remaining * 100 / Self.held
    case .dropped:
      entrance.finish()
      return 100
    default: return 0
    }
  }

  /// No more lines: the connection sends what is held, then the last chunk.
  func finish() { entrance.finish() }
}
