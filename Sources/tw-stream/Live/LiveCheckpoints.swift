import Services
import TweetCore
import TweetServices

/// The checkpoints of live feeds: read at the start, saved every few seconds and at the end.
///
/// A checkpoint is saved only after the messages before it are written. So a program that is killed repeats, when it
/// starts again, what it wrote in its last seconds; one that ends in good order repeats nothing.
struct LiveCheckpoints: Sendable {
  /// Milliseconds; each save costs an fsync(2) a feed.
  private static let interval = 5_000

  private let checkpoints: Checkpoints
  private var saved: [String: Checkpoint] = [:]
  private var savedAt = MonotonicClock.milliseconds
  /// Whether it was reported that saving failed.
  private var hasFailed = false
  /// The feeds that began at that time without a checkpoint, and have none yet.
  private var begun: (feeds: [String], at: Timestamp)?

  init(_ checkpoints: Checkpoints) { self.checkpoints = checkpoints }

  /// Reads the checkpoints of an earlier run. A feed that has none gets one at once: it says when the feed began.
  ///
  /// - Returns: the gaps that it had not filled and the gap since then, oldest first; the newest post delivered of each
  ///   feed.
  mutating func load(
    _ api: any StreamAPI, to writer: inout FeedWriter
  ) throws(ToolError) -> (gaps: [LiveGap], newestIDs: [String: PostID]) {
    var gaps: [LiveGap] = []
    var newestIDs: [String: PostID] = [:]
    let feeds = api.feeds
    begun = ([], .now)
    var since: Timestamp?
    for feed in feeds {
      guard let checkpoint = try checkpoints.checkpoint(of: feed) else {
        begun?.feeds.append(feed)
        continue
      }
      saved[feed] = checkpoint
      for gap in checkpoint.gaps {
        guard let since = gap.since else { continue }
        gaps.append(LiveGap(feed, since: api.postID(since), until: api.postID(gap.until)))
      }
      guard let id = checkpoint.newestID.map({ api.postID($0) }) else { continue }
      newestIDs[feed] = id
      since = min(since ?? checkpoint.updatedAt, checkpoint.updatedAt)
    }
    try saveBeginnings(api, to: &writer)
    if let since {
      let lastIDs = feeds.compactMap { feed in newestIDs[feed].map { (feed, Optional($0)) } }
      gaps.append(
        LiveGap(lastIDs: lastIDs, lastID: newestIDs.values.reduce(nil) { PostID.older($0, $1) }, startedAt: since))
    }
    return (gaps, newestIDs)
  }

  /// Says of the feeds without a checkpoint when they began, as soon as the stream knows what ids of that time are
  /// like.
  mutating func saveBeginnings(_ api: any StreamAPI, to writer: inout FeedWriter) throws(ToolError) {
    guard let (feeds, time) = begun, let id = (api as? any SearchableStream)?.lastID(before: time) else { return }
    begun = nil
    for feed in feeds where saved[feed] == nil { try saveBeginning(id, of: feed, to: &writer) }
  }

  private mutating func saveBeginning(
    _ id: PostID, of feed: String, to writer: inout FeedWriter
  ) throws(ToolError) {
    do throws(ToolError) {
      try checkpoints.saveBeginning(Checkpoint(newestID: id.description), of: feed)
    } catch {
      try report(error, to: &writer)
    }
  }

  /// Reports that saving failed, unless the time before failed too.
  private mutating func report(_ error: ToolError, to writer: inout FeedWriter) throws(ToolError) {
    if hasFailed { return }
    hasFailed = true
    try writer.write(.checkpointNotSaved(error))
  }

  /// When changed checkpoints are due to be saved.
  func dueAt(_ order: borrowing DeliveryOrder) -> Int? {
    order.hasChanged ? savedAt + Self.interval : nil
  }

  /// Saves the checkpoints that changed if all messages are written; while a slow reader is behind, a later call does.
  /// A full disk does not end a stream: what is not saved now is saved when there is room, or the end reports it.
  mutating func saveIfWritten(
    _ order: inout DeliveryOrder, late: [LiveGap], to writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.writeAvailable()
    savedAt = MonotonicClock.milliseconds
    if !checkpoints.arePrinted, writer.bufferedBytes > 0 { return }
    do throws(ToolError) {
      try save(&order, late, &writer)
      hasFailed = false
    } catch {
      order.markChanged()
      try report(error, to: &writer)
    }
  }

  /// Writes all messages, and saves the checkpoints that changed.
  mutating func flush(
    _ order: inout DeliveryOrder, late: [LiveGap], to writer: inout FeedWriter
  ) throws(ToolError) {
    if !checkpoints.arePrinted, try !writer.flush() { return }
    savedAt = MonotonicClock.milliseconds
    try save(&order, late, &writer)
  }

  private mutating func save(
    _ order: inout DeliveryOrder, _ late: [LiveGap], _ writer: inout FeedWriter
  ) throws(ToolError) {
    for (feed, id) in order.deliveredIDs() {
      let checkpoint = Checkpoint(newestID: id.description, gaps: late.compactMap { $0.checkpointGap(of: feed) })
      guard saved[feed]?.newestID != checkpoint.newestID || saved[feed]?.gaps != checkpoint.gaps else { continue }
      try checkpoints.save(checkpoint, of: feed, to: &writer)
      saved[feed] = checkpoint
    }
  }
}
