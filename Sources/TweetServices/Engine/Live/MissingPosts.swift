import TweetCore
import TweetNet

/// What a live feed does about the posts it missed while no connection was open: tells that they may be missing, or has
/// them fetched.
struct MissingPosts: Sendable {
  /// `nil`: gaps are only told.
  private var filler: GapFiller?
  /// The gap that is told once the next post comes.
  private var untold: Gap?
  /// What this run, which fills nothing, leaves to a later one: what it was left, and what it told.
  private var left: [Gap] = []
  /// When the first connection was begun: before that nothing was promised.
  private var beganAt: Timestamp?

  init(_ options: LiveFeed.Options) {
    guard options.fillsGaps else { return }
    filler = GapFiller(
      GapFiller.Options(lag: options.searchLag, buffer: options.buffer, budget: options.budget))
  }

  /// Gaps that are left at most; a service's search does not reach back to where more come from.
  private static let mostLeft = RoundPlan.mostHoles

  /// Whether messages must wait for older ones.
  var holds: Bool { filler?.holds ?? false }

  /// Gaps that messages behind them did not wait for.
  var late: [Gap] { filler?.late ?? left }

  /// Takes over what an earlier run left.
  mutating func resume(_ gaps: [Gap], in loop: inout TransferLoop) {
    if filler != nil {
      for gap in gaps { filler?.lost(gap, in: &loop) }
    } else {
      left = gaps.filter(\.isLate)
      untold = gaps.last { !$0.isLate }
    }
  }

  /// A connection is being made.
  mutating func began() { beganAt = beganAt ?? .now }

  /// A connection is lost.
  ///
  /// - Parameter heard: posts older than this have all come.
  mutating func lost(
    _ feeds: [String], _ order: borrowing StreamOrder, since heard: Timestamp, in loop: inout TransferLoop
  ) {
    let last = order.newest
    let from = last == nil ? beganAt ?? heard : heard
    let gap = Gap(starts: feeds.map { ($0, last) }, last: last, from: from)
    if filler != nil {
      filler?.lost(gap, in: &loop)
    } else {
      untold = untold ?? gap
    }
  }

  mutating func connected(at now: Int) { filler?.connected(at: now) }

  /// A new post came by the stream.
  mutating func arrived(_ id: Int, settling: Int, to writer: inout FeedWriter) throws(ToolError) {
    filler?.arrived(id, at: MonotonicClock.milliseconds, settling: settling)
    guard var gap = untold else { return }
    gap.arrived(id, at: 0, settling: 0)
    guard gap.next != nil else { return }
    untold = nil
    try writer.write(gap.notice())
    left.append(gap)
    if left.count > Self.mostLeft { left.removeFirst() }
  }

  /// A post came again. If it is the newest one from before, the service goes back far enough to leave no gap.
  mutating func repeated(_ id: Int) {
    if untold?.last == id { untold = nil }
  }

  mutating func clear(in loop: inout TransferLoop) {
    filler?.clear(in: &loop)
    (untold, left, beganAt) = (nil, [], nil)
  }

  // MARK: Filling

  var wakesAt: Int? { filler?.wakesAt }

  mutating func wake(
    _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder, to writer: inout FeedWriter
  ) throws(ToolError) {
    try filler?.wake(api, in: &loop, &order, to: &writer)
  }

  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI, in loop: inout TransferLoop, _ order: inout StreamOrder,
    to writer: inout FeedWriter
  ) throws(ToolError) {
    try filler?.handle(event, api, in: &loop, &order, to: &writer)
  }

  mutating func close(isKept: Bool, _ order: inout StreamOrder, to writer: inout FeedWriter) throws(ToolError) {
    try filler?.close(isKept: isKept, &order, to: &writer)
  }
}
