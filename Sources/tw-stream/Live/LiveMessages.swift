import Services
import TweetCore
import TweetNet
import TweetServices

/// What a live connection brings, from its bytes to the lines that are delivered: framing, meaning, order, gaps,
/// checkpoints and the budget.
struct LiveMessages {
  private let reader = JSONReader()
  private var splitter: MessageSplitter
  private var order = DeliveryOrder()
  private var gaps: LiveGaps
  private var progress: FeedProgress?
  /// The feeds that began at that time without a checkpoint, and have none yet.
  private var begun: (feeds: [String], at: Timestamp)?
  private(set) var meter: ReadMeter?
  /// Whether this connection brought anything.
  private(set) var hasData = false
  /// Whether posts came that match only rules of others.
  private var hasForeignPosts = false
  /// When the service sent something last.
  private var receivedAt: Timestamp?
  /// The newest post of each feed when rules were missed, until they are there again.
  private var newestWithRules: [(feed: String, id: PostID?)]?

  init(_ api: any StreamAPI, _ options: LiveFeed.Options) {
    splitter = MessageSplitter(api.framing)
    gaps = LiveGaps(options)
    progress = options.checkpoints.map { FeedProgress($0) }
    meter = options.budget.map { ReadMeter($0) }
  }

  // MARK: The connection

  /// Goes on from the checkpoints of the feeds, before the first connection or for other feeds. A feed that has none
  /// gets one at once: it says when the feed began.
  mutating func resume(
    _ api: any StreamAPI, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let progress else { return }
    var known: [LiveGap] = []
    var lastIDs: [(feed: String, id: PostID?)] = []
    var since: Timestamp?
    begun = ([], .now)
    for feed in api.feeds {
      guard let checkpoint = try progress.checkpoint(of: feed) else {
        begun?.feeds.append(feed)
        continue
      }
      self.progress?.remember(checkpoint, of: feed)
      for gap in checkpoint.gaps {
        guard let since = gap.since else { continue }
        known.append(LiveGap(feed, since: api.postID(since), until: api.postID(gap.until)))
      }
      guard let id = checkpoint.newestID.map({ api.postID($0) }) else { continue }
      lastIDs.append((feed, id))
      order.resume(id, of: feed)
      since = min(since ?? checkpoint.updatedAt, checkpoint.updatedAt)
    }
    try saveBeginnings(api, to: &writer)
    if let since {
      let last = lastIDs.reduce(nil) { PostID.older($0, $1.id) }
      known.append(LiveGap(lastIDs: lastIDs, lastID: last, startedAt: since))
    }
    gaps.resume(known, in: &loop)
  }

  /// Says of the feeds without a checkpoint when they began, as soon as the stream knows what ids of that time are
  /// like.
  private mutating func saveBeginnings(_ api: any StreamAPI, to writer: inout FeedWriter) throws(ToolError) {
    guard let (feeds, time) = begun, let id = api.lastID(before: time) else { return }
    begun = nil
    for feed in feeds { try progress?.saveBeginning(Checkpoint(newestID: id.description), of: feed, to: &writer) }
  }

  /// Records that a connection is about to be made.
  ///
  /// - Returns: `false` when no more may be read today.
  mutating func prepareConnection() throws(ToolError) -> Bool {
    gaps.recordStart()
    try meter?.advance()
    return meter?.isUsedUp != true
  }

  mutating func recordConnection(
    _ api: any StreamAPI, at now: Int, to writer: inout FeedWriter
  ) throws(ToolError) {
    try saveBeginnings(api, to: &writer)
    splitter = MessageSplitter(api.framing)
    (hasData, receivedAt) = (false, .now)
    gaps.recordConnection(at: now)
  }

  /// Records that the open connection brings other feeds from now on.
  mutating func recordReplacement(at now: Int) { gaps.recordConnection(at: now) }

  /// Records that the connection is lost. Posts from just before the service sent something last may not have come.
  mutating func recordLoss(_ api: any StreamAPI, in loop: inout TransferLoop) {
    let time = Timestamp(milliseconds: (receivedAt ?? .now).milliseconds - Int64(api.deliveryTime))
    gaps.recordLoss(of: api.feeds, order, since: time, in: &loop)
    order.recordLoss()
    newestWithRules = nil
  }

  /// Records that rules are not there. They are about to be added again.
  mutating func recordMissingRules(of feeds: [String]) {
    newestWithRules = newestWithRules ?? feeds.map { ($0, order.newestID(of: $0)) }
  }

  /// Records that others had removed rules. They are there again.
  ///
  /// - Parameter now: when the service applies them on the open connection, by `MonotonicClock`; `nil` if there is
  ///   none.
  mutating func record(
    _ lost: RuleSetup.LostRules, _ api: any StreamAPI, _ now: Int?, in loop: inout TransferLoop,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    let time = Timestamp(milliseconds: lost.since.milliseconds - Int64(api.deliveryTime))
    // The first post of a rule may come before the answer that it was added.
    let newest = newestWithRules ?? lost.feeds.map { ($0, order.newestID(of: $0)) }
    newestWithRules = nil
    let last = newest.filter { lost.feeds.contains($0.feed) }
    try gaps.recordLostRules(after: last, since: time, in: &loop, &order, to: &writer)
    if let now { gaps.recordConnection(at: now) }
  }

  /// Before other feeds: saves the checkpoints and discards everything, messages that are held back too.
  mutating func removeAll(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try saveProgress(to: &writer)
    cancel(in: &loop)
    (order, newestWithRules) = (DeliveryOrder(), nil)
  }

  /// Cancels the request that is in flight.
  mutating func cancel(in loop: inout TransferLoop) { gaps.removeAll(in: &loop) }

  // MARK: In between

  var wakesAt: Int? { [gaps.wakesAt, savesAt, meter?.dueAt].compactMap { $0 }.min() }

  /// When changed checkpoints are due to be saved.
  private var savesAt: Int? { order.hasChanged ? progress?.due() : nil }

  private mutating func saveProgress(to writer: inout FeedWriter) throws(ToolError) {
    let delivered = checkpoints()
    try progress?.flush(delivered, to: &writer)
  }

  /// How far each feed is delivered.
  private mutating func checkpoints() -> [String: Checkpoint] {
    let late = gaps.late
    var checkpoints: [String: Checkpoint] = [:]
    for (feed, id) in order.deliveredIDs() {
      checkpoints[feed] = Checkpoint(newestID: id.description, gaps: late.compactMap { $0.checkpointGap(of: feed) })
    }
    return checkpoints
  }

  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try gaps.wake(api, in: &loop, &order, to: &writer)
    let now = MonotonicClock.milliseconds
    if let due = savesAt, now >= due {
      let delivered = checkpoints()
      if try progress?.saveIfWritten(delivered, to: &writer) == false { order.markChanged() }
    }
    if let due = meter?.dueAt, now >= due { try meter?.advance() }
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    try gaps.handle(event, api, in: &loop, &order, to: &writer)
  }

  /// Delivers what is held back, saves the checkpoints, and keeps the gaps: it is not known how long nothing will come.
  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try meter?.settle()
    try gaps.halt(in: &loop, &order, to: &writer)
    try saveProgress(to: &writer)
  }

  /// Delivers what is held back, and saves the checkpoints.
  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try meter?.settle()
    try gaps.close(isKept: progress != nil, &order, to: &writer)
    try saveProgress(to: &writer)
  }

  // MARK: Messages

  /// Delivers the messages that the bytes complete.
  ///
  /// - Parameter isWanted: `false` if they are only counted.
  /// - Returns: the service's reason, if a message says that it closes the stream.
  mutating func receive(
    _ bytes: [UInt8], _ api: any StreamAPI, isWanted: Bool = true, to writer: inout FeedWriter
  ) throws(ToolError) -> Refusal? {
    if isWanted { (hasData, receivedAt) = (true, .now) }
    var refusal: Refusal?
    // Looking at the refusal itself copies it, for each message.
    var isClosing = false
    // Moved out meanwhile, because the callback changes self.
    var splitter = MessageSplitter(api.framing)
    swap(&splitter, &self.splitter)
    defer { self.splitter = splitter }
    try bytes.withBytes { (bytes) throws(ToolError) in
      try splitter.append(bytes) { (piece) throws(ToolError) in
        switch piece {
        case .keepAlive: return
        case .tooLong(let length):
          meter?.countPost(nil)
          if isWanted { try writer.writeBadMessage(of: api.feeds.first ?? "", "it has \(length) bytes") }
        case .wrongLength(let reason):
          if isWanted {
            try writer.write(Notice(.warning, "wrong-length", "\(reason); messages are found by their ends"))
          }
        case .message(let line):
          let readable = Self.bytes(after: line, in: bytes)
          if isClosing { return }
          if let reason = try receive(line, readable: readable, api, isWanted, to: &writer) {
            (refusal, isClosing) = (reason, true)
          }
        }
      }
    }
    return refusal
  }

  /// How many received bytes follow a message; 0 if it was put together from two pieces.
  private static func bytes(after line: ByteView, in piece: ByteView) -> Int {
    guard let line = line.baseAddress.map({ $0 + line.count }), let start = piece.baseAddress else { return 0 }
    return line >= start && line <= start + piece.count ? start + piece.count - line : 0
  }

  private mutating func receive(
    _ line: ByteView, readable: Int, _ api: any StreamAPI, _ isWanted: Bool, to writer: inout FeedWriter
  ) throws(ToolError) -> Refusal? {
    let message: JSONValue
    do throws(JSONFault) {
      message = try parse(line, readable: readable)
    } catch {
      meter?.countPost(nil)
      if writer.remaining != 0, isWanted { try writer.writeBadMessage(of: api.feeds.first ?? "", error.reason) }
      return nil
    }
    let meaning = api.meaning(of: message)
    count(meaning)
    // After the last post that is wanted, messages are only counted.
    guard writer.remaining != 0, isWanted else { return nil }
    switch meaning {
    case .closing(let refusal): return refusal
    case .nothing: break
    case .foreign: try reportForeignPosts(of: api.feeds.first ?? "", to: &writer)
    case .other(let feed, let notice):
      if let notice { try writer.write(notice) }
      try deliver(line, id: nil, of: feed, isPost: false, to: &writer)
    case .post(let id, let feed):
      if let id, try !recordPost(id, deliveryTime: api.deliveryTime, to: &writer) { return nil }
      try deliver(line, id: id, of: feed, isPost: true, to: &writer)
    }
    return nil
  }

  /// The service bills each post that it delivers, whatever becomes of it here.
  private mutating func count(_ meaning: StreamMessage) {
    switch meaning {
    case .post(let id, _), .foreign(let id): meter?.countPost(id)
    case .other, .nothing, .closing: break
    }
  }

  /// Reports once that posts come, and are billed, that no rule of this program matches.
  private mutating func reportForeignPosts(of feed: String, to writer: inout FeedWriter) throws(ToolError) {
    guard !hasForeignPosts else { return }
    hasForeignPosts = true
    let text = "the stream also brings posts that match only other rules of this app: they are left out, and billed"
    try writer.write(Notice(.warning, "foreign-posts", text).with("feed", feed))
  }

  /// - Returns: `false` if the post came before.
  private mutating func recordPost(
    _ id: PostID, deliveryTime: Int, to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    guard order.insert(id) else {
      gaps.recordRepeated(id)
      return false
    }
    try gaps.recordPost(id, deliveryTime: deliveryTime, to: &writer)
    return true
  }

  private mutating func deliver(
    _ line: ByteView, id: PostID?, of feed: String, isPost: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    if gaps.holdsMessages {
      order.hold(line, id: id, of: feed, isPost: isPost)
    } else {
      try order.deliver(line, id: id, of: feed, isPost: isPost, to: &writer)
    }
  }

  /// Bytes that are not UTF-8 are repaired to look into the message; it is delivered as it came.
  private func parse(_ line: ByteView, readable: Int) throws(JSONFault) -> JSONValue {
    do throws(JSONFault) {
      return try reader.read(line, readable: readable)
    } catch {
      guard error == .badUTF8 else { throw error }
      return try Array(String(decoding: line, as: UTF8.self).utf8).withBytes { (text) throws(JSONFault) in
        try reader.read(text)
      }
    }
  }
}
