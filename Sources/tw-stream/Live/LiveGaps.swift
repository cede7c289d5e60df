import Services
import TweetCore
import TweetNet
import TweetServices

/// What a live feed does about posts it missed while no connection was open: reports that they may be missing, or has
/// them fetched, and says which messages must wait for them.
///
/// Gaps are filled one after the other, the oldest first. It does not matter to a search whether the stream is
/// connected, so a further loss leaves it running and only adds a gap.
struct LiveGaps {
  /// Milliseconds that messages wait for a search which is tried again; after that, posts out of order are better.
  private static let longestHold = 30_000
  /// Gaps that may wait; when there are more, the oldest are given up.
  private static let mostGaps = 1000

  private let options: LiveFeed.Options
  /// Those that are fetched; none if gaps are only reported.
  private var queue = GapQueue()
  private var search: GapSearch
  /// The gap that is reported when the next post comes.
  private var unreported: LiveGap?
  /// What this run, which fetches nothing, leaves to a later one: gaps of earlier runs, and those it reported.
  private var reported: [LiveGap] = []
  /// When the first connection was begun: older posts are not expected.
  private var startedAt: Timestamp?

  init(_ options: LiveFeed.Options) {
    self.options = options
    search = GapSearch(options.budget)
  }

  /// Whether messages must wait for older ones.
  var holdsMessages: Bool { queue.holdsMessages }

  /// Gaps that messages after them did not wait for.
  var late: [LiveGap] { options.fillsGaps ? queue.late : reported }

  // MARK: The connection

  /// Adds the gaps of an earlier run.
  mutating func resume(_ gaps: [LiveGap], in loop: inout TransferLoop) {
    if options.fillsGaps {
      for gap in gaps { add(gap, in: &loop) }
    } else {
      reported = gaps.filter(\.isLate)
      unreported = gaps.last { !$0.isLate }
    }
  }

  private mutating func add(_ gap: LiveGap, in loop: inout TransferLoop) {
    if queue.add(gap) { search.cancel(in: &loop) }
  }

  /// Records that a connection is about to be made.
  mutating func recordStart() { startedAt = startedAt ?? .now }

  /// Records that the connection is lost.
  ///
  /// - Parameter time: all posts older than this have come.
  mutating func recordLoss(
    of feeds: [String], _ order: borrowing DeliveryOrder, since time: Timestamp, in loop: inout TransferLoop
  ) {
    let last = order.newestID
    let gap = LiveGap(
      lastIDs: feeds.map { ($0, last) }, lastID: last, startedAt: last == nil ? startedAt ?? time : time)
    if options.fillsGaps { add(gap, in: &loop) } else { unreported = unreported ?? gap }
  }

  /// Records that some feeds had no rule.
  ///
  /// - Parameters:
  ///   - ids: the feeds, and the newest post of each when its rule was missed.
  ///   - time: their older posts have come.
  mutating func recordLostRules(
    after ids: [(feed: String, id: PostID?)], since time: Timestamp, in loop: inout TransferLoop,
    _ order: inout DeliveryOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    let last = ids.contains { $0.id == nil } ? nil : ids.reduce(nil) { PostID.older($0, $1.id) }
    var gap = LiveGap(lastIDs: ids, lastID: last, startedAt: max(time, startedAt ?? time))
    gap.hasLostRules = true
    if let newest = order.newestID, last.map({ $0.isOlder(than: newest) }) ?? true { gap.isLate = true }
    guard options.fillsGaps else { return unreported = unreported.map(gap.joined) ?? gap }
    if queue.join(gap) { search.cancel(in: &loop) }
    if queue.gaps.last?.isLate == true { try deliverHeld(&order, to: &writer) }
  }

  mutating func recordConnection(at now: Int) { queue.recordConnection(at: now, lag: options.searchLag) }

  /// Records a new post that the stream brought, and reports the gap before it.
  mutating func recordPost(_ id: PostID, deliveryTime: Int, to writer: inout FeedWriter) throws(ToolError) {
    queue.recordPost(id, deliveryTime: deliveryTime)
    guard var gap = unreported else { return }
    gap.recordPost(id, at: 0, deliveryTime: 0)
    guard gap.nextID != nil else { return }
    unreported = nil
    try writer.write(gap.notice())
    reported = (reported + [gap]).suffix(PollPlan.mostGaps)
  }

  /// Records a post that came again. If it is the newest one from before the gap, the service sent everything since.
  mutating func recordRepeated(_ id: PostID) {
    if let gap = unreported, gap.lastID == id, !gap.hasLostRules { unreported = nil }
  }

  /// Forgets all gaps, for other feeds.
  mutating func removeAll(in loop: inout TransferLoop) {
    search.cancel(in: &loop)
    (queue, unreported, reported, startedAt) = (GapQueue(), nil, [], nil)
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

  /// Goes on to the next gap.
  private mutating func finish(
    isWhole: Bool = true, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try deliverFound(&order, isWhole: isWhole, to: &writer)
    queue.removeFirst()
    search.cancel(in: &loop)
  }

  private mutating func giveUp(
    _ reason: String, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    if let gap = queue.first { try writer.write(gap.notice(reason)) }
    try finish(isWhole: false, in: &loop, &order, to: &writer)
  }

  /// Delivers what is held back, and ends the search until the next connection.
  mutating func halt(
    in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    search.cancel(in: &loop)
    try deliverHeld(&order, to: &writer)
  }

  /// Delivers what is held back, since nothing more comes.
  ///
  /// - Parameter isKept: a later run fills the gaps.
  mutating func close(isKept: Bool, _ order: inout DeliveryOrder, to writer: inout FeedWriter) throws(ToolError) {
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
