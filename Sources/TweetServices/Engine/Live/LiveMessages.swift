import TweetCore
import TweetNet

/// What a live connection brings, from its bytes to the lines that go out: framing, meaning, order, what was missed, and
/// the place that is kept.
struct LiveMessages {
  private let reader = JSONReader()
  private var splitter: MessageSplitter
  private var order = StreamOrder()
  private var missing: MissingPosts
  private var kept: KeptPlaces?
  private(set) var meter: ReadMeter?
  /// Whether this connection brought anything, and whether a new post was among it.
  private(set) var hasData = false
  private(set) var hasNews = false
  /// When the service was heard last.
  private var heardAt: Timestamp?

  init(_ api: any StreamAPI, _ options: LiveFeed.Options) {
    splitter = MessageSplitter(api.framing)
    missing = MissingPosts(options)
    kept = options.places.map { KeptPlaces($0) }
    meter = options.budget.map { ReadMeter($0) }
  }

  // MARK: The connection

  /// Before the first connection, or for other feeds: takes over what was left earlier.
  mutating func resume(_ feeds: [String], in loop: inout TransferLoop) throws(ToolError) {
    guard let (gaps, newest) = try kept?.gaps(of: feeds) else { return }
    for (feed, id) in newest { order.resume(id, of: feed) }
    missing.resume(gaps, in: &loop)
  }

  /// A connection is to be made.
  ///
  /// - Returns: `false` when no more may be read today.
  mutating func begin() throws(ToolError) -> Bool {
    missing.began()
    try meter?.count()
    return meter?.isUsedUp != true
  }

  mutating func connected(_ api: any StreamAPI, at now: Int) {
    splitter = MessageSplitter(api.framing)
    (hasData, hasNews, heardAt) = (false, false, .now)
    missing.connected(at: now)
  }

  /// The open connection brings other feeds.
  mutating func goesOn(at now: Int) { missing.connected(at: now) }

  /// The connection is lost. What was posted before the service was heard last may have been on its way still.
  mutating func lost(_ api: any StreamAPI, in loop: inout TransferLoop) {
    let heard = Timestamp(milliseconds: (heardAt ?? .now).milliseconds - Int64(api.settling))
    missing.lost(api.feeds, order, since: heard, in: &loop)
  }

  /// Forgets everything, held messages too, but keeps the place: other feeds are wanted.
  mutating func clear(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try meter?.count()
    try kept?.keep(&order, late: missing.late, to: &writer)
    stop(in: &loop)
    order = StreamOrder()
  }

  /// Ends what is under way.
  mutating func stop(in loop: inout TransferLoop) { missing.clear(in: &loop) }

  // MARK: In between

  var wakesAt: Int? { [missing.wakesAt, kept?.dueAt(order), meter?.dueAt].compactMap { $0 }.min() }

  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try missing.wake(api, in: &loop, &order, to: &writer)
    let now = MonotonicClock.milliseconds
    if let due = kept?.dueAt(order), now >= due { try kept?.keepIfWritten(&order, late: missing.late, to: &writer) }
    if let due = meter?.dueAt, now >= due { try meter?.count() }
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try missing.handle(event, api, in: &loop, &order, to: &writer)
  }

  /// Writes what is held, and keeps the place.
  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try meter?.count()
    try missing.close(isKept: kept != nil, &order, to: &writer)
    try kept?.keep(&order, late: missing.late, to: &writer)
  }

  // MARK: Messages

  /// - Returns: the service's reason, if the data says that it closes the stream.
  mutating func take(
    _ bytes: [UInt8], _ api: any StreamAPI, to writer: inout FeedWriter
  ) throws(ToolError) -> Refusal? {
    (hasData, heardAt) = (true, .now)
    var refusal: Refusal?
    // Taken out while it runs, since its callback changes the rest of us.
    var splitter = MessageSplitter(api.framing)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try bytes.withUnsafeBufferPointer { (bytes) throws(ToolError) in
      try splitter.feed(bytes) { (piece) throws(ToolError) in
        switch piece {
        case .keepAlive: return
        case .tooLong(let length):
          try writer.writeBadMessage(of: api.feeds.first ?? "", "it has \(length) bytes")
        case .wrongLength(let reason):
          try writer.write(Notice(.warning, "wrong-length", "\(reason); messages are found by their ends"))
        case .message(let line):
          let behind = Self.bytes(behind: line, in: bytes)
          if refusal == nil { refusal = try take(line, readable: behind, api, to: &writer) }
        }
      }
    }
    return refusal
  }

  /// How many received bytes follow a message; none are known of where it was put together from two pieces.
  private static func bytes(behind line: UnsafeBufferPointer<UInt8>, in piece: UnsafeBufferPointer<UInt8>) -> Int {
    guard let line = line.baseAddress.map({ $0 + line.count }), let start = piece.baseAddress else { return 0 }
    return line >= start && line <= start + piece.count ? start + piece.count - line : 0
  }

  private mutating func take(
    _ line: UnsafeBufferPointer<UInt8>, readable: Int, _ api: any StreamAPI, to writer: inout FeedWriter
  ) throws(ToolError) -> Refusal? {
    guard writer.remaining != 0 else { return nil }
    let message: JSONValue
    do throws(JSONFault) {
      message = try read(line, readable: readable)
    } catch {
      try writer.writeBadMessage(of: api.feeds.first ?? "", error.reason)
      return nil
    }
    switch api.meaning(of: message) {
    case .closing(let refusal): return refusal
    case .foreign: return nil
    case .other(let feed, let notice):
      if let notice { try writer.write(notice) }
      try pass(line, id: nil, of: feed, isPost: false, to: &writer)
    case .post(let id, let feed):
      meter?.read()
      if let id, try !isNew(id, settling: api.settling, to: &writer) { return nil }
      try pass(line, id: id, of: feed, isPost: true, to: &writer)
    }
    return nil
  }

  private mutating func isNew(_ id: Int, settling: Int, to writer: inout FeedWriter) throws(ToolError) -> Bool {
    guard order.isNew(id) else {
      missing.repeated(id)
      return false
    }
    hasNews = true
    try missing.arrived(id, settling: settling, to: &writer)
    return true
  }

  private mutating func pass(
    _ line: UnsafeBufferPointer<UInt8>, id: Int?, of feed: String, isPost: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    if missing.holds {
      order.hold(line, id: id, of: feed, isPost: isPost)
    } else {
      try order.pass(line, id: id, of: feed, isPost: isPost, to: &writer)
    }
  }

  /// Bytes that are no UTF-8 are repaired to look into the message; it is passed on as it came.
  private func read(_ line: UnsafeBufferPointer<UInt8>, readable: Int) throws(JSONFault) -> JSONValue {
    do throws(JSONFault) {
      return try reader.read(line, readable: readable)
    } catch {
      guard error == .badUTF8 else { throw error }
      return try Array(String(decoding: line, as: UTF8.self).utf8).withUnsafeBufferPointer { (text) throws(JSONFault) in
        try reader.read(text)
      }
    }
  }
}
