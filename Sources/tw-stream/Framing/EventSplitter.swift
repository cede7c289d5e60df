import Libc
import TweetCore
import TweetNet
import TweetServices

/// Finds the events of a stream of server-sent events (HTML Standard §9.2.6), however its bytes are cut up on the way.
struct EventSplitter: Sendable {
  private let maxMessage: Int
  /// The beginning of a line whose end has not come, and how many bytes of it were discarded.
  private var line: [UInt8] = []
  private var cut = 0
  /// The name and the data of the event whose end has not come.
  private var name: [UInt8] = []
  private var data: [UInt8]?
  /// Bytes of the event's data that were discarded, since it is too long.
  private var discarded = 0
  /// Whether the last byte was a carriage return, which ends a line with or without a line feed after it.
  private var endsWithReturn = false
  private var isAtStart = true

  /// - Parameter maxMessage: the most bytes kept of an event's data.
  init(maxMessage: Int) { self.maxMessage = maxMessage }

  var isMidMessage: Bool { !line.isEmpty || !name.isEmpty || data != nil || discarded > 0 }

  /// Discards what has come of an event.
  mutating func reset() { self = EventSplitter(maxMessage: maxMessage) }

  /// Appends the next bytes, and calls `body` for each event or comment that they complete.
  mutating func append<E: Error>(
    _ buffer: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) {
    var start = 0
    if endsWithReturn, buffer.first == UInt8(ascii: "\n") { start = 1 }
    if !buffer.isEmpty { endsWithReturn = false }
    while let end = Self.lineEnd(in: buffer, from: start) {
      keep(buffer.extracting(start..<end))
      try endLine(body)
      start = end + 1
      guard buffer[end] == UInt8(ascii: "\r") else { continue }
      if start == buffer.count { endsWithReturn = true } else if buffer[start] == UInt8(ascii: "\n") { start += 1 }
    }
    keep(buffer.extracting(start...))
  }

  private static func lineEnd(in buffer: ByteView, from start: Int) -> Int? {
    let feed = MessageSplitter.newline(in: buffer, from: start) ?? buffer.count
    // A carriage return stands before the line feed, if there is one.
    return buffer.extracting(..<feed).firstIndex(of: UInt8(ascii: "\r"), from: start)
      ?? (feed < buffer.count ? feed : nil)
  }

  /// Room for a field's name beside the data.
  private static let fieldRoom = 64

  private mutating func keep(_ bytes: ByteView) {
    let room = max(0, maxMessage + Self.fieldRoom - line.count)
    line.append(contentsOf: bytes.prefix(room))
    cut += max(0, bytes.count - room)
  }

  private mutating func endLine<E: Error>(_ body: (MessageSplitter.Piece) throws(E) -> Void) throws(E) {
    defer {
      line.removeAll(keepingCapacity: line.capacity <= 64 << 10)
      cut = 0
    }
    var field = line[...]
    if isAtStart, field.starts(with: [0xEF, 0xBB, 0xBF]) { field = field.dropFirst(3) }
    isAtStart = false
    guard let first = field.first else { return try endEvent(body) }
    if first == UInt8(ascii: ":") { return try body(.keepAlive) }
    let key = field.prefix { $0 != UInt8(ascii: ":") }
    var value = field.dropFirst(key.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if key.elementsEqual("event".utf8) {
      name = Array(value.prefix(Self.longestName))
    } else if key.elementsEqual("data".utf8) {
      append(value)
    }
  }

  /// Appends a line of data. Inside JSON a line end is a blank.
  private mutating func append(_ value: ArraySlice<UInt8>) {
    let isFirst = data == nil
    var kept = data ?? []
    // It is appended to in place.
    data = nil
    if !isFirst {
      if kept.count < maxMessage { kept.append(UInt8(ascii: " ")) } else { discarded += 1 }
    }
    let room = maxMessage - kept.count
    discarded += max(0, value.count - room) + cut
    kept += value.prefix(room)
    data = kept
  }

  private static let longestName = 256

  private mutating func endEvent<E: Error>(_ body: (MessageSplitter.Piece) throws(E) -> Void) throws(E) {
    defer { (name, data, discarded) = ([], nil, 0) }
    guard let data else { return try body(.keepAlive) }
    if discarded > 0 { return try body(.tooLong(data.count + discarded)) }
    let message = Self.message(name.isEmpty ? "message" : String(decoding: name, as: UTF8.self), data)
    try message.withBytes { (bytes) throws(E) in try body(.message(bytes)) }
  }

  /// The message of an event: `{"event":"NAME","payload":DATA}`.
  ///
  /// - Parameter data: without line ends. What is not an object or list becomes a text.
  static func message(_ name: String, _ data: [UInt8]) -> ByteBuffer {
    var message = ByteBuffer(capacity: data.count + 64)
    message.append("{\"event\":")
    message.appendJSONString(name)
    message.append(",\"payload\":")
    if data.first == UInt8(ascii: "{") || data.first == UInt8(ascii: "[") {
      message.append(data)
    } else {
      message.appendJSONString(String(decoding: data, as: UTF8.self))
    }
    message.append("}")
    return message
  }
}

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

  /// - Returns: `nil` for a message that is not an event, which is delivered as it came.
  private static func event(_ message: [UInt8]) -> ByteBuffer? {
    guard let document = try? JSONDocument(message), let name = document["event"]?.string else { return nil }
    // Mastodon's servers have the data as a text; it may be missing.
    let data = document["payload"].map { $0.isString ? Array(($0.string ?? "").utf8) : $0.read { Array($0.raw) } } ?? []
    return EventSplitter.message(name, data.withBytes { $0.onOneLine })
  }
}
