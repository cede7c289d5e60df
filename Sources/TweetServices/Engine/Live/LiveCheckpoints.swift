import TweetCore

/// The checkpoints of live feeds: read at the start, saved every few seconds and at the end.
///
/// A checkpoint is saved only after the messages before it are written. So a program that is killed repeats, when it
/// starts again, what it wrote in its last seconds; one that ends in good order repeats nothing.
struct LiveCheckpoints: Sendable {
  /// Milliseconds; each save costs an fsync(2) a feed.
  private static let interval = 5_000

  private let file: CheckpointFile
  private var saved: [String: Checkpoint] = [:]
  private var savedAt = MonotonicClock.milliseconds
  /// Whether it was reported that saving failed.
  private var hasFailed = false

  init(_ file: CheckpointFile) { self.file = file }

  /// Reads the checkpoints of an earlier run.
  ///
  /// - Returns: the gaps that it had not filled and the gap since then, oldest first; the newest post delivered of each
  ///   feed.
  mutating func load(_ feeds: [String]) throws(ToolError) -> (gaps: [LiveGap], newestIDs: [String: Int]) {
    var gaps: [LiveGap] = []
    var newestIDs: [String: Int] = [:]
    var since: Timestamp?
    for feed in feeds {
      guard let checkpoint = try file.checkpoint(of: feed) else { continue }
      saved[feed] = checkpoint
      for gap in checkpoint.gaps {
        guard let since = gap.since.flatMap({ Int($0) }), let until = Int(gap.until) else { continue }
        gaps.append(LiveGap(feed, since: since, until: until))
      }
      guard let id = checkpoint.newestID.flatMap({ Int($0) }) else { continue }
      newestIDs[feed] = id
      since = min(since ?? checkpoint.updatedAt, checkpoint.updatedAt)
    }
    if let since {
      let lastIDs = feeds.compactMap { feed in newestIDs[feed].map { (feed, Optional($0)) } }
      gaps.append(LiveGap(lastIDs: lastIDs, lastID: newestIDs.values.min(), startedAt: since))
    }
    return (gaps, newestIDs)
  }

  /// When changed checkpoints are due to be saved.
  func dueAt(_ order: borrowing DeliveryOrder) -> Int? {
    order.hasChanged ? savedAt + Self.interval : nil
  }

  /// Saves the checkpoints that changed if all messages are written; while a slow reader is behind, a later call does. A
  /// full disk does not end a stream: what is not saved now is saved when there is room, or the end reports it.
  mutating func saveIfWritten(
    _ order: inout DeliveryOrder, late: [LiveGap], to writer: inout FeedWriter
  ) throws(ToolError) {
    try writer.writeAvailable()
    savedAt = MonotonicClock.milliseconds
    if writer.bufferedBytes > 0 { return }
    do throws(ToolError) {
      try save(&order, late)
      hasFailed = false
    } catch {
      order.markChanged()
      if hasFailed { return }
      hasFailed = true
      try writer.write(.checkpointNotSaved(error))
    }
  }

  /// Writes all messages, and saves the checkpoints that changed.
  mutating func flush(
    _ order: inout DeliveryOrder, late: [LiveGap], to writer: inout FeedWriter
  ) throws(ToolError) {
    guard try writer.flush() else { return }
    savedAt = MonotonicClock.milliseconds
    try save(&order, late)
  }

  private mutating func save(_ order: inout DeliveryOrder, _ late: [LiveGap]) throws(ToolError) {
    for (feed, id) in order.deliveredIDs() {
      let checkpoint = Checkpoint(newestID: String(id), gaps: late.compactMap { $0.checkpointGap(of: feed) })
      guard saved[feed]?.newestID != checkpoint.newestID || saved[feed]?.gaps != checkpoint.gaps else { continue }
      try file.save(checkpoint, of: feed)
      saved[feed] = checkpoint
    }
  }
}
