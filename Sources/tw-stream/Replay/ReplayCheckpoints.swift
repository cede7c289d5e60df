import Services
import TweetCore
import TweetServices

/// The checkpoints of a replayed stream: read at the start, saved every few seconds and at the end. A checkpoint is
/// saved only after the messages before it are written.
struct ReplayCheckpoints {
  /// Milliseconds; each save costs an fsync(2) a feed.
  private static let interval = 5_000
  /// Milliseconds between two that are printed while no post comes: each is a line that others read.
  private static let quietInterval = 60_000

  private let checkpoints: Checkpoints
  private let feeds: [String]
  private var saved: StreamPlace?
  private var savedAt = MonotonicClock.milliseconds
  private var hasFailed = false
  /// Feeds that have no checkpoint yet.
  private var new: [String] = []

  init(_ checkpoints: Checkpoints, feeds: [String]) { (self.checkpoints, self.feeds) = (checkpoints, feeds) }

  /// Reads where each feed goes on.
  mutating func load() throws(ToolError) -> [String: StreamPlace] {
    var places: [String: StreamPlace] = [:]
    for feed in feeds {
      places[feed] = try checkpoints.checkpoint(of: feed)?.cursor.flatMap { StreamPlace($0) }
      if places[feed] == nil { new.append(feed) }
    }
    return places
  }

  /// Saves where feeds begin that have no checkpoint, so that nothing is lost if this run is killed before it delivers
  /// a post.
  mutating func saveBeginning(_ place: StreamPlace, to writer: inout FeedWriter) throws(ToolError) {
    let feeds = new
    new = []
    for feed in feeds {
      do throws(ToolError) {
        try checkpoints.saveBeginning(Checkpoint(cursor: place.text), of: feed)
      } catch {
        try report(error, to: &writer)
      }
    }
  }

  func dueAt(_ order: ReplayedOrder) -> Int? {
    guard order.delivered != saved else { return nil }
    return savedAt + (checkpoints.arePrinted && !order.hasNewPosts ? Self.quietInterval : Self.interval)
  }

  /// Saves if all messages are written; while a slow reader is behind, a later call does. A full disk does not end a
  /// stream.
  mutating func saveIfWritten(_ order: inout ReplayedOrder, to writer: inout FeedWriter) throws(ToolError) {
    try writer.writeAvailable()
    savedAt = MonotonicClock.milliseconds
    if writer.bufferedBytes > 0, !checkpoints.arePrinted { return }
    do throws(ToolError) {
      try save(&order, to: &writer)
      hasFailed = false
    } catch {
      try report(error, to: &writer)
    }
  }

  /// Writes all messages, and saves.
  mutating func flush(_ order: inout ReplayedOrder, to writer: inout FeedWriter) throws(ToolError) {
    if !checkpoints.arePrinted, try !writer.flush() { return }
    try save(&order, to: &writer)
  }

  private mutating func save(_ order: inout ReplayedOrder, to writer: inout FeedWriter) throws(ToolError) {
    guard let place = order.delivered, place != saved else { return }
    for feed in feeds { try checkpoints.save(Checkpoint(cursor: place.text), of: feed, to: &writer) }
    saved = place
    order.markSaved()
  }

  private mutating func report(_ error: ToolError, to writer: inout FeedWriter) throws(ToolError) {
    if hasFailed { return }
    hasFailed = true
    try writer.write(.checkpointNotSaved(error))
  }
}
