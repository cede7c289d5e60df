import Services
import TweetCore

/// How far feeds that do not end are delivered: read at the start, saved every few seconds and at the end.
///
/// A checkpoint is saved only after the messages before it are written. So a program that is killed repeats, when it
/// starts again, what it wrote in its last seconds; one that ends in good order repeats nothing.
struct FeedProgress: Sendable {
  /// Milliseconds; each save costs an fsync(2) a feed.
  private static let interval = 5_000

  private let checkpoints: Checkpoints
  private var saved: [String: Checkpoint] = [:]
  private var savedAt: Int
  /// Whether it was reported that saving failed.
  private var hasFailed = false

  /// - Parameter time: when something was saved last, by `MonotonicClock`.
  init(_ checkpoints: Checkpoints, savedAt time: Int = MonotonicClock.milliseconds) {
    (self.checkpoints, savedAt) = (checkpoints, time)
  }

  /// Whether new checkpoints are written as records.
  var arePrinted: Bool { checkpoints.arePrinted }

  /// The checkpoint of an earlier run; `nil` if the feed has none.
  func checkpoint(of feed: String) throws(ToolError) -> Checkpoint? { try checkpoints.checkpoint(of: feed) }

  /// Records what the file has, which need not be saved again.
  mutating func remember(_ checkpoint: Checkpoint, of feed: String) { saved[feed] = checkpoint }

  /// Saves where a feed begins that has no checkpoint.
  mutating func saveBeginning(
    _ checkpoint: Checkpoint, of feed: String, to writer: inout FeedWriter
  ) throws(ToolError) {
    guard saved[feed] == nil else { return }
    do throws(ToolError) {
      try checkpoints.saveBeginning(checkpoint, of: feed)
    } catch {
      try report(error, to: &writer)
    }
  }

  /// When what has changed since the last time is due to be saved.
  func due(after interval: Int = Self.interval) -> Int { savedAt + interval }

  /// Saves the checkpoints that changed if all messages are written; while a slow reader is behind, a later call does.
  /// A full disk does not end a stream: what is not saved now is saved when there is room, or the end reports it.
  ///
  /// - Returns: whether they are saved.
  mutating func saveIfWritten(
    _ checkpoints: [String: Checkpoint], to writer: inout FeedWriter
  ) throws(ToolError) -> Bool {
    try writer.writeAvailable()
    savedAt = MonotonicClock.milliseconds
    if !arePrinted, writer.bufferedBytes > 0 { return false }
    do throws(ToolError) {
      try save(checkpoints, to: &writer)
      hasFailed = false
      return true
    } catch {
      try report(error, to: &writer)
      return false
    }
  }

  /// Writes all messages, and saves the checkpoints that changed.
  ///
  /// - Returns: whether they are saved; not if a signal has come and the reader is too slow.
  @discardableResult
  mutating func flush(_ checkpoints: [String: Checkpoint], to writer: inout FeedWriter) throws(ToolError) -> Bool {
    if !arePrinted, try !writer.flush() { return false }
    savedAt = MonotonicClock.milliseconds
    try save(checkpoints, to: &writer)
    return true
  }

  private mutating func save(_ checkpoints: [String: Checkpoint], to writer: inout FeedWriter) throws(ToolError) {
    for (feed, checkpoint) in checkpoints {
      if let old = saved[feed], old.newestID == checkpoint.newestID, old.gaps == checkpoint.gaps,
        old.cursor == checkpoint.cursor
      {
        continue
      }
      try self.checkpoints.save(checkpoint, of: feed, to: &writer)
      saved[feed] = checkpoint
    }
  }

  /// Reports that saving failed, unless the time before failed too.
  private mutating func report(_ error: ToolError, to writer: inout FeedWriter) throws(ToolError) {
    if hasFailed { return }
    hasFailed = true
    try writer.write(.checkpointNotSaved(error))
  }
}
