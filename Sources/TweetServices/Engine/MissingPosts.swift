import TweetCore
import TweetNet

/// What a live feed does about the posts it missed while no connection was open: tells that they may be missing, or has
/// them fetched.
struct MissingPosts: Sendable {
  /// `nil`: gaps are only told.
  private var filler: GapFiller?
  /// The gap that is told once the next post comes.
  private var untold: Gap?
  /// What an earlier run left and this one, which fills nothing, leaves to a later one.
  private var left: [Gap] = []
  /// When the first connection was begun: before that nothing was promised.
  private var beganAt: Timestamp?

  init(_ options: LiveFeed.Options) {
    guard options.fillsGaps else { return }
    filler = GapFiller(
      GapFiller.Options(lag: options.searchLag, buffer: options.buffer, budget: options.budget))
  }

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
  mutating func lost(_ feeds: [String], _ order: borrowing StreamOrder, in loop: inout TransferLoop) {
    let last = order.newest
    let from = last == nil ? beganAt ?? .now : .now
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
    untold = nil
    gap.arrived(id, at: 0, settling: 0)
    try writer.write(gap.notice())
  }

  /// A post came again: the service goes back far enough to leave no gap.
  mutating func repeated() { untold = nil }

  mutating func clear(in loop: inout TransferLoop) {
    filler?.clear(in: &loop)
    untold = nil
    beganAt = nil
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
