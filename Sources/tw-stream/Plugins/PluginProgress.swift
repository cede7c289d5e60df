import Services
import TweetCore
import TweetServices

/// How far a plugin's lines are delivered: the cursor that it printed last, and the saving of it.
///
/// A cursor is saved only after the lines before it are written: every few seconds, since each time costs an fsync(2),
/// and at the end. If checkpoints are printed, it is printed where it came.
struct PluginProgress {
  /// Milliseconds.
  private static let interval = 5_000

  private let feed: String
  private let checkpoints: Checkpoints?
  /// What the plugin goes on from when it is started again; `nil` at the beginning.
  private(set) var cursor: String?
  /// Whether the cursor is still to be saved.
  private var isUnsaved = false
  private var savedAt = 0
  private var hasCursor = false

  /// - Parameter checkpoints: `nil` keeps the cursor for this run only.
  init(of feed: String, _ checkpoints: Checkpoints?) throws(ToolError) {
    self.feed = feed
    self.checkpoints = checkpoints
    cursor = try checkpoints?.checkpoint(of: feed)?.cursor
  }

  /// Whether a cursor makes a difference for the next run.
  var isKept: Bool { checkpoints != nil }

  mutating func advance(to cursor: String, _ writer: inout FeedWriter) throws(ToolError) {
    self.cursor = cursor
    hasCursor = true
    guard let checkpoints else { return }
    guard checkpoints.arePrinted else {
      isUnsaved = true
      return
    }
    try checkpoints.save(Checkpoint(cursor: cursor), of: feed, to: &writer)
  }

  /// When the cursor is due to be saved; `nil` when it is.
  var dueAt: Int? { isUnsaved ? savedAt + Self.interval : nil }

  /// Saves the cursor if all lines are written; while a slow reader is behind, a later call does.
  mutating func saveIfWritten(_ writer: inout FeedWriter) throws(ToolError) {
    try writer.writeAvailable()
    savedAt = MonotonicClock.milliseconds
    guard let cursor, let checkpoints, writer.bufferedBytes == 0 else { return }
    try checkpoints.saveOrWarn(Checkpoint(cursor: cursor), of: feed, to: &writer)
    isUnsaved = false
  }

  /// Writes all lines, and saves the cursor.
  ///
  /// - Parameter program: says so if it has printed posts and no checkpoint, so that the next run begins anew.
  mutating func close(_ writer: inout FeedWriter, _ program: String, hasPosts: Bool) throws(ToolError) {
    guard let checkpoints, !checkpoints.arePrinted else { return }
    if hasPosts, !hasCursor {
      var notice = Notice(
        .warning, "not-kept", "\(program) printed no checkpoint: the next run does not know where this one ended")
      notice.add("feed", text: feed)
      try writer.write(notice)
    }
    guard isUnsaved, let cursor, try writer.flush() else { return }
    isUnsaved = false
    try checkpoints.save(Checkpoint(cursor: cursor), of: feed, to: &writer)
  }
}
