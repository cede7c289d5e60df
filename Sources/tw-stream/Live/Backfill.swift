import Services
import TweetCore
import TweetNet
import TweetServices

/// Fetches the posts of gaps, and says which messages must wait for them.
///
/// Gaps are filled one after the other, the oldest first. It does not matter to a search whether the stream is
/// connected, so a further loss leaves it running and only adds a gap.
struct Backfill {
  struct Options: Sendable {
    /// Milliseconds from a reconnect to the search: a service's search lags behind its stream.
    var lag: Int
    /// The most bytes of messages that are held back, and as many again of posts that were found.
    var buffer: Int
    /// What bounds the posts read, where they are billed.
    var budget: ReadBudget?
  }

  /// Milliseconds that messages wait for a search which is tried again; after that, posts out of order are better.
  private static let longestHold = 30_000
  /// Gaps that may wait; when there are more, the oldest are given up.
  private static let mostGaps = 1000

  private let options: Options
  private var queue = GapQueue()
  private var search: GapSearch

  init(_ options: Options) {
    self.options = options
    search = GapSearch(options.budget)
  }

  /// Whether messages must wait for older ones.
  var holdsMessages: Bool { queue.holdsMessages }

  /// Gaps that messages after them did not wait for.
  var late: [LiveGap] { queue.late }

  // MARK: The connection

  /// Adds a gap: the connection is lost, or was never there.
  mutating func add(_ gap: LiveGap, in loop: inout TransferLoop) {
    if queue.add(gap) { search.cancel(in: &loop) }
  }

  /// Adds a gap that began before messages that were delivered, or are held back.
  mutating func join(
    _ gap: LiveGap, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if queue.join(gap) { search.cancel(in: &loop) }
    if queue.gaps.last?.isLate == true { try deliverHeld(&order, to: &writer) }
  }

  mutating func recordConnection(at now: Int) { queue.recordConnection(at: now, lag: options.lag) }

  /// Records a new post that the stream brought.
  mutating func recordPost(_ id: PostID, at now: Int, deliveryTime: Int) {
    queue.recordPost(id, at: now, deliveryTime: deliveryTime)
  }

  /// Forgets all gaps, for other feeds.
  mutating func removeAll(in loop: inout TransferLoop) {
    search.cancel(in: &loop)
    queue = GapQueue()
  }

  // MARK: The search

  var wakesAt: Int? { search.isIdle ? queue.first?.searchDueAt : search.wakesAt }

  /// Asks for what is due.
  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if order.heldBytes > options.buffer { try deliverHeld(&order, to: &writer) }
    while queue.gaps.count > Self.mostGaps { try giveUp("too many gaps at once", in: &loop, &order, to: &writer) }
    guard let due = wakesAt, MonotonicClock.milliseconds >= due else { return }
    try continueSearch(api, in: &loop, &order, to: &writer)
  }

  private mutating func continueSearch(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let gap = queue.first else { return }
    guard search.feed(in: gap) != nil else { return try finish(in: &loop, &order, to: &writer) }
    switch try search.start(gap, end: queue.endOfFirst, api, in: &loop) {
    case nil: break
    case .usedUp:
      queue.abandonFirst()
      try giveUp("the day's budget is used up", in: &loop, &order, to: &writer)
    case .noSearch: try giveUp("the service has no search", in: &loop, &order, to: &writer)
    }
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout DeliveryOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    switch try search.handle(event, api) {
    case nil: return
    case .stopped(let error):
      try giveUp(error.message ?? "the search ended", in: &loop, &order, to: &writer)
    case .waiting(let wait):
      try writer.write(.retry(wait, "cannot search for missed posts: \(wait.reason)"))
      if wait.milliseconds >= Self.longestHold { try deliverHeld(&order, to: &writer) }
    case .answered(.tooFarBack):
      queue.cutFirstShort()
      try continueSearch(api, in: &loop, &order, to: &writer)
    case .answered(.page(var page)):
      guard let feed = queue.first.flatMap(search.feed(in:)) else { return }
      page.remove(from: queue.endOfFirst)
      guard search.record(page, of: feed) else {
        return try giveUp("the service repeats its pages", in: &loop, &order, to: &writer)
      }
      if search.foundBytes > options.buffer {
        // What was found is delivered newest part first.
        try deliverHeld(&order, to: &writer)
        try deliverFound(&order, isWhole: false, to: &writer)
      }
      try continueSearch(api, in: &loop, &order, to: &writer)
    }
  }

  // MARK: Delivery

  /// Delivers all messages that are held back; what is fetched from now on for the gaps before them comes late.
  private mutating func deliverHeld(
    _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    queue.markAllLate()
    try order.deliver([], held: .all, to: &writer)
  }

  private mutating func deliverFound(
    _ order: inout DeliveryOrder, isWhole: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard let gap = queue.first else { return }
    var found = search.removeFound()
    for index in found.indices { found[index].page.remove(from: queue.endOfFirst) }
    let count = order.countNew(found)
    if isWhole, count == 0, gap.isCutShort {
      try writer.write(gap.notice("the search does not reach back to them"))
    } else if isWhole || count > 0 {
      try writer.write(gap.backfillNotice(count: count, isWhole: isWhole))
    }
    // Where messages waited, the first one after the gap comes after the posts of the gap.
    try order.deliver(found, held: gap.isLate ? .none : queue.free, to: &writer)
  }

  private mutating func finish(
    in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try deliverFound(&order, isWhole: true, to: &writer)
    queue.removeFirst()
    search.cancel(in: &loop)
  }

  /// Goes on to the next gap.
  private mutating func giveUp(
    _ reason: String, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if let gap = queue.first { try writer.write(gap.notice(reason)) }
    try deliverFound(&order, isWhole: false, to: &writer)
    queue.removeFirst()
    search.cancel(in: &loop)
  }

  /// Delivers what is held back, and ends the search.
  mutating func halt(
    in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    search.cancel(in: &loop)
    try deliverHeld(&order, to: &writer)
  }

  /// Delivers what is held back, since nothing more comes.
  ///
  /// - Parameter isKept: a later run fills the gaps.
  mutating func close(
    isKept: Bool, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if !isKept {
      for gap in queue.gaps { try writer.write(gap.notice("the program ends before they are fetched")) }
    }
    try deliverHeld(&order, to: &writer)
  }
}

extension GapPage {
  /// Removes a post and all that are newer.
  fileprivate mutating func remove(from end: PostID?) {
    if let end { posts.removeAll { end.isReached(by: $0.id) } }
  }
}
