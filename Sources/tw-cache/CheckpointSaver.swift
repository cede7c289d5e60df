import Services
import TweetCLI
import TweetCore

/// Saves the checkpoints among the records in a file (`--state`), each when the records before it are on disk.
final class CheckpointSaver: AddObserver {
  private let file: CheckpointFile
  /// Those that came since the last commit.
  private var pending: [Checkpoint.Key: Checkpoint] = [:]
  private var hasAny = false

  /// - Parameter path: the file; need not be there yet.
  /// - Throws: `ToolError.cannotCreate` if nothing can be saved there.
  init(_ path: String) throws(ToolError) {
    _ = try FileTarget.resolve(path)
    file = CheckpointFile(path)
  }

  func receiveTweet(isNew: Bool) {}
  func receiveNotification(isNew: Bool) {}

  func receive(_ type: JSONValue, _ record: JSONValue) -> Bool {
    guard type.equals("checkpoint"), let key = Checkpoint.Key(record) else { return false }
    pending[key] = Checkpoint(record)
    hasAny = true
    return false
  }

  func commit() throws(ToolError) {
    try file.save(pending)
    pending = [:]
  }

  /// Warns if there was nothing to save.
  func finish() {
    if hasAny || Interruption.signal != nil { return }
    Diagnostics.note("no checkpoint came to save: 'tw-stream --resume FILE' prints them now and then, and when it ends")
  }
}
