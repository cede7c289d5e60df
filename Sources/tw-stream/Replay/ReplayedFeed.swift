import Services
import TweetCore
import TweetNet
import TweetServices

/// A stream that is held open, and goes on after a break from where it was: connects, finds the posts that its sources
/// want, has their authors looked up, and connects again after failures. A ``ReplayedStream`` says what the service is
/// like.
struct ReplayedFeed: Feed {
  /// Posts whose edits and deletions are delivered: the last ones, at least so many. Twice as many keys take 8 MiB,
  /// which tw-stream reaches after half a million posts.
  private static let remembered = 1 << 18
  /// Microseconds without an event after which some were left out, where the server does not say so.
  private static let longestPause = 60_000_000
  /// Milliseconds between two checkpoints that are printed while no post comes: each is a line that others read.
  private static let quietInterval = 60_000

  private var api: any ReplayedStream
  private let options: LiveFeed.Options
  private let reader = JSONReader()
  private var preparation = RetriedRequest(RetryPolicy(.brief))
  private var connection = RetriedRequest(RetryPolicy(.endless))
  private var order = ReplayedOrder()
  private var authors = AuthorLookups()
  private var progress: FeedProgress?
  /// Feeds that have no checkpoint yet.
  private var new: [String] = []
  /// Where each feed goes on.
  private var places: [String: StreamPlace] = [:]
  /// The newest event that came.
  private var place: StreamPlace?
  /// The place that the connection was to go on from, until its first event.
  private var wanted: StreamPlace?
  private var delivered = RecentKeys(capacity: ReplayedFeed.remembered)
  private var versions = RecentKeys(capacity: 1 << 16)
  private var isOpen = false
  private var isPrepared = false
  private var hasConnected = false
  private var hasData = false
  private var connectedAt = 0

  init(_ api: any ReplayedStream, options: LiveFeed.Options) {
    self.api = api
    self.options = options
    progress = options.checkpoints.map { FeedProgress($0) }
  }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    for feed in api.feeds {
      places[feed] = try progress?.checkpoint(of: feed)?.cursor.flatMap { StreamPlace($0) }
    }
    new = api.feeds.filter { places[$0] == nil }
    // The feed that is farthest behind.
    for other in places.values { if let place, place.isReached(by: other) { continue } else { place = other } }
    if let place {
      order.reach(place)
      api.resume(at: place)
      // Those that are new begin now, not where the others were.
      let now = StreamPlace(time: Int(Timestamp.now.milliseconds) * 1000, number: nil, server: "-")
      for feed in new { places[feed] = now }
    }
    connect(in: &loop)
  }

  var isOver: Bool { false }
  var unansweredReason: String? {
    hasConnected ? nil : connection.unansweredReason ?? preparation.pendingReason
  }

  var wakesAt: Int? {
    [connection.wakesAt, preparation.wakesAt, authors.wakesAt, order.wakesAt, savesAt].compactMap { $0 }.min()
  }

  private var savesAt: Int? {
    guard let progress, order.hasMoved else { return nil }
    return progress.arePrinted && !order.hasNewPosts ? progress.due(after: Self.quietInterval) : progress.due()
  }

  /// How far each feed is delivered.
  private var checkpoints: [String: Checkpoint] {
    guard order.hasMoved, let place = order.delivered else { return [:] }
    return Dictionary(uniqueKeysWithValues: api.feeds.map { ($0, Checkpoint(cursor: place.text)) })
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    if connection.isDue || preparation.isDue { connect(in: &loop) }
    authors.advance(api, in: &loop)
    try order.write(api, &authors, to: &writer)
    if let due = savesAt, MonotonicClock.milliseconds >= due {
      let delivered = checkpoints
      if try progress?.saveIfWritten(delivered, to: &writer) == true { order.markSaved() }
    }
  }

  /// Asks what is to be known first, then connects.
  private mutating func connect(in loop: inout TransferLoop) {
    connection.cancel(in: &loop)
    if !isPrepared, let request = api.preparation { return preparation.start(request, in: &loop) }
    preparation.cancel(in: &loop)
    (isPrepared, wanted) = (true, place)
    var request = api.connection(after: place)
    request.silenceTimeout = options.silence ?? (api.keepAliveInterval + LiveFeed.graceTime)
    connection.start(request, in: &loop)
  }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let id = event.transfer else { return }
    if id == preparation.transfer { return try prepare(event, in: &loop) }
    if let ids = authors.handle(event, api) {
      try order.write(api, &authors, to: &writer)
      return try order.writeLate(of: ids, api, &authors, to: &writer)
    }
    guard id == connection.transfer else { return }
    switch event {
    case .started:
      (isOpen, hasConnected, hasData) = (true, true, false)
      connectedAt = MonotonicClock.milliseconds
      connection.policy.recordAcceptance()
      try writer.write(Notice(.info, "connect", "connected to the stream"))
    case .data(_, let bytes):
      let refusal = try receive(bytes, to: &writer)
      authors.advance(api, in: &loop)
      try order.write(api, &authors, to: &writer)
      guard let refusal else { return }
      connection.cancel(in: &loop)
      try recordLoss(.closed(refusal), in: &loop, to: &writer)
    case .finished(_, .failure(let error)): try recordLoss(.lost(error), in: &loop, to: &writer)
    case .finished(_, .success(let answer)) where !isOpen && answer.status != 101:
      try recordRefusal(answer, in: &loop, to: &writer)
    case .finished: try recordLoss(.lost(nil), in: &loop, to: &writer)
    case .readable, .writable, .hungUp, .namesFound: break
    }
  }

  private mutating func prepare(_ event: TransferLoop.Event, in loop: inout TransferLoop) throws(ToolError) {
    var answer: HTTPResponse?
    let outcome = preparation.handle(event) { response -> RetriedRequest.Reading<Void> in
      answer = response
      return .answer(())
    }
    if case nil = outcome { return }
    if case .waiting = outcome { return }
    isPrepared = try !api.readPreparation(answer)
    connect(in: &loop)
  }

  // MARK: The connection

  private mutating func recordRefusal(
    _ answer: HTTPResponse, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    switch api.recordFailure(answer) {
    case .again, .byTime:
      // What a server does not know is asked for in another way, or of another one.
      isPrepared = false
      connect(in: &loop)
    case nil:
      let deadline = hasConnected ? nil : options.deadline
      try connection.retry(after: .refused(api.refusal(answer)), isTold: false, until: deadline, to: &writer)
    }
  }

  private mutating func recordLoss(
    _ failure: RetryPolicy.Failure, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    let wasOpen = isOpen
    isOpen = false
    if hasData, MonotonicClock.milliseconds - connectedAt >= LiveFeed.shortestConnection {
      connection.policy.recordSuccess()
    }
    if !hasData { _ = api.recordFailure(nil) }
    isPrepared = false
    hasData = false
    if wasOpen { try writer.write(Notice(.warning, "disconnect", "the stream broke off: \(failure.reason)")) }
    try connection.retry(
      after: failure, isTold: wasOpen, until: hasConnected ? nil : options.deadline, to: &writer)
  }

  // MARK: Messages

  /// - Returns: the service's reason, if a message says that it closes the stream.
  private mutating func receive(_ bytes: [UInt8], to writer: inout FeedWriter) throws(ToolError) -> Refusal? {
    var refusal: Refusal?
    try bytes.withBytes { (bytes) throws(ToolError) in
      try WebSocketMessage.forEach(in: bytes) { (message, isText) throws(ToolError) in
        if refusal != nil { return }
        if isText {
          refusal = try receive(message, to: &writer)
        } else if let text = api.text(of: message) {
          refusal = try text.withBytes { (text) throws(ToolError) in try receive(text, to: &writer) }
        } else {
          try writer.writeBadMessage(of: api.feeds.first, "it is not compressed as agreed")
        }
      }
    }
    return refusal
  }

  private mutating func receive(
    _ text: ByteView, to writer: inout FeedWriter
  ) throws(ToolError) -> Refusal? {
    let message: JSONValue
    do throws(JSONFault) {
      message = try reader.read(text)
    } catch {
      try writer.writeBadMessage(of: api.feeds.first, error.reason)
      return nil
    }
    let here = api.place(of: message)
    // Places are inclusive at some servers.
    if let here, let place, here.server == place.server, here.isReached(by: place) { return nil }
    switch api.meaning(of: message) {
    case .nothing: break
    case .closing(let refusal): return refusal
    case .notice(let notice): try writer.write(notice)
    case .post(let id, let feed):
      if isNew(message, at: here, of: feed) {
        _ = delivered.insert(id)
        append(message, of: feed, isPost: true)
      }
    case .changed(let id):
      if delivered.contains(id), isNew(message, at: here, of: nil) {
        append(message, of: api.feeds.first ?? "", isPost: true)
      }
    case .deleted(let id):
      if delivered.contains(id), isNew(message, at: here, of: nil) {
        append(message, of: api.feeds.first ?? "", isPost: false)
      }
    }
    if let here { try reach(here, to: &writer) }
    return nil
  }

  private mutating func reach(_ here: StreamPlace, to writer: inout FeedWriter) throws(ToolError) {
    if !hasData {
      hasData = true
      connection.policy.recordData()
      api.recordSuccess()
      // Nothing is lost if this run is killed before it delivers a post.
      for feed in new {
        try progress?.saveBeginning(Checkpoint(cursor: here.previous.text), of: feed, to: &writer)
      }
      new = []
      if api.skipsSilently, let wanted, here.time - wanted.time > Self.longestPause {
        let (from, to) = (
          Timestamp(milliseconds: Int64(wanted.time / 1000)), Timestamp(milliseconds: Int64(here.time / 1000))
        )
        try writer.write(
          Notice(.warning, "gap", "posts from \(from.rfc3339) to \(to.rfc3339) may be missing")
            .with("from", from.rfc3339))
      }
    }
    place = here
    order.reach(here)
  }

  /// Whether an event has not come before: from another server, or for a feed that has been delivered further than
  /// others.
  private mutating func isNew(_ message: JSONValue, at here: StreamPlace?, of feed: String?) -> Bool {
    if let here, let feed, let last = places[feed], here.isCertainlyReached(by: last) { return false }
    return versions.insert(Int(bitPattern: UInt(api.version(of: message))))
  }

  private mutating func append(_ message: JSONValue, of feed: String, isPost: Bool) {
    let author = isPost ? api.author(of: message) : nil
    if let author, authors.profile(of: author).isUnknown { authors.want(author) }
    order.append(message.raw, of: feed, isPost: isPost, by: author)
  }

  // MARK: The end

  mutating func halt(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    disconnect(in: &loop)
    try close(to: &writer)
  }

  mutating func restart(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    connect(in: &loop)
  }

  mutating func close(to writer: inout FeedWriter) throws(ToolError) {
    try order.write(api, &authors, to: &writer)
    let delivered = checkpoints
    if try progress?.flush(delivered, to: &writer) == true { order.markSaved() }
  }

  mutating func end(in loop: inout TransferLoop) -> ToolError? {
    disconnect(in: &loop)
    return nil
  }

  private mutating func disconnect(in loop: inout TransferLoop) {
    connection.cancel(in: &loop)
    preparation.cancel(in: &loop)
    authors.halt(in: &loop)
    isOpen = false
  }
}
