import Services
import TweetCore
import TweetNet
import TweetServices

/// What a live feed does about posts it missed while no connection was open: reports that they may be missing, or has
/// them fetched.
struct LiveGaps {
  /// `nil`: gaps are only reported.
  private var backfill: Backfill?
  /// The gap that is reported when the next post comes.
  private var unreported: LiveGap?
  /// What this run, which fetches nothing, leaves to a later one: gaps of earlier runs, and those it reported.
  private var reported: [LiveGap] = []
  /// When the first connection was begun: older posts are not expected.
  private var startedAt: Timestamp?

  init(_ options: LiveFeed.Options) {
    guard options.fillsGaps else { return }
    backfill = Backfill(
      Backfill.Options(lag: options.searchLag, buffer: options.buffer, budget: options.budget))
  }

  /// Whether messages must wait for older ones.
  var holdsMessages: Bool { backfill?.holdsMessages ?? false }

  /// Gaps that messages after them did not wait for.
  var late: [LiveGap] { backfill?.late ?? reported }

  /// Adds the gaps of an earlier run.
  mutating func resume(_ gaps: [LiveGap], in loop: inout TransferLoop) {
    if backfill != nil {
      for gap in gaps { backfill?.add(gap, in: &loop) }
    } else {
      reported = gaps.filter(\.isLate)
      unreported = gaps.last { !$0.isLate }
    }
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
    if backfill != nil {
      backfill?.add(gap, in: &loop)
    } else {
      unreported = unreported ?? gap
    }
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
    if backfill != nil {
      try backfill?.join(gap, in: &loop, &order, to: &writer)
    } else {
      unreported = unreported.map(gap.joined) ?? gap
    }
  }

  mutating func recordConnection(at now: Int) { backfill?.recordConnection(at: now) }

  /// Records a new post that the stream brought, and reports the gap before it.
  mutating func recordPost(_ id: PostID, deliveryTime: Int, to writer: inout FeedWriter) throws(ToolError) {
    backfill?.recordPost(id, at: MonotonicClock.milliseconds, deliveryTime: deliveryTime)
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

  mutating func removeAll(in loop: inout TransferLoop) {
    backfill?.removeAll(in: &loop)
    (unreported, reported, startedAt) = (nil, [], nil)
  }

  // MARK: Fetching

  var wakesAt: Int? { backfill?.wakesAt }

  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try backfill?.wake(api, in: &loop, &order, to: &writer)
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout DeliveryOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    try backfill?.handle(event, api, in: &loop, &order, to: &writer)
  }

  /// Delivers what is held back, and ends the search until the next connection.
  mutating func halt(
    in loop: inout TransferLoop, _ order: inout DeliveryOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try backfill?.halt(in: &loop, &order, to: &writer)
  }

  /// Delivers what is held back.
  ///
  /// - Parameter isKept: a later run fills the gaps.
  mutating func close(isKept: Bool, _ order: inout DeliveryOrder, to writer: inout FeedWriter) throws(ToolError) {
    try backfill?.close(isKept: isKept, &order, to: &writer)
  }
}
