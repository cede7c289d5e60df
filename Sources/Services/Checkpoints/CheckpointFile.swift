package import TweetCore

/// The file of `--state`: a ``CheckpointList``, with one entry a service, base address, account and feed.
///
/// It is read again before each change and replaced whole, under a lock beside it, so that several programs may share
/// it. A change costs one fsync(2), some milliseconds: once a page or every few seconds, not once a post. What a
/// checkpoint says is delivered must have been written before, or a crash loses it.
package struct CheckpointFile: Sendable {
  private let path: String

  /// - Parameter path: the file; need not be there yet.
  package init(_ path: String) { self.path = path }

  /// The checkpoint of a feed; `nil` if it has none, or there is no file yet.
  /// - Throws: `ToolError.configuration` for a file that holds something else.
  package func checkpoint(of key: Checkpoint.Key) throws(ToolError) -> Checkpoint? {
    try read().checkpoint(of: key)
  }

  /// Saves the checkpoints of some feeds; those of other feeds stay as they are.
  package func save(_ checkpoints: [Checkpoint.Key: Checkpoint]) throws(ToolError) {
    if checkpoints.isEmpty { return }
    // All names of one file have one lock.
    let path = try FileTarget.resolve(path)
    try FileLock.hold(path + ".lock") { (_) throws(ToolError) in
      var list = try read()
      for (key, checkpoint) in checkpoints { list.set(checkpoint, of: key) }
      try StateFile.replace(path, with: list.document)
    }
  }

  /// All its checkpoints.
  /// - Throws: `ToolError.configuration` for a file that holds something else.
  package func read() throws(ToolError) -> CheckpointList {
    // A file that is something else must not be replaced.
    guard let list = CheckpointList(try StateFile.read(path) ?? []) else {
      throw .configuration("'\(path)' is not a file of checkpoints (--state)")
    }
    return list
  }
}
