import Services
import TweetCore
import TweetServices

/// Where the checkpoints of a service's feeds come from, and where new ones go: into the same file (`--state`), or as
/// records between the messages (`--resume`). A program after us that stores the messages saves those records when all
/// messages before them are safe; a file says only that they were written to a pipe.
struct Checkpoints: Sendable {
  private let file: CheckpointFile
  /// The file's content when the run began, if new checkpoints are printed.
  private let resumed: CheckpointList?
  private let service: String
  private let base: String?
  private let account: String?

  /// Whether new checkpoints are written as records.
  var arePrinted: Bool { resumed != nil }

  /// - Parameters:
  ///   - path: the file; need not be there yet.
  ///   - resumed: the file's content, to print new checkpoints; `nil` saves them in the file.
  init(_ path: String, for access: ServiceAccess, resumed: CheckpointList? = nil) {
    self.init(path, service: access.service, base: access.base, account: access.account, resumed: resumed)
  }

  /// - Parameters:
  ///   - service: for a source plugin, its name.
  ///   - base: the service's URL; a plugin's is not known.
  init(_ path: String, service: String, base: String?, account: String?, resumed: CheckpointList? = nil) {
    file = CheckpointFile(path)
    self.resumed = resumed
    self.service = service
    self.base = base
    self.account = account
  }

  /// The checkpoint of a feed; `nil` if it has none.
  /// - Throws: `ToolError.configuration` for a file that holds something else.
  func checkpoint(of feed: String) throws(ToolError) -> Checkpoint? {
    if let resumed { return resumed.checkpoint(of: key(feed)) }
    return try file.checkpoint(of: key(feed))
  }

  /// Saves where a feed begins that has no checkpoint, in the file in any case: so a run that is killed before it
  /// delivers a post leaves a gap, which the next run knows of.
  func saveBeginning(_ checkpoint: Checkpoint, of feed: String) throws(ToolError) {
    try file.save([key(feed): checkpoint])
  }

  /// Saves or prints a checkpoint. All messages before it must have been given to the writer, and written if it is not
  /// printed.
  func save(_ checkpoint: Checkpoint, of feed: String, to writer: inout FeedWriter) throws(ToolError) {
    if arePrinted {
      try writer.write(checkpoint, of: key(feed))
    } else {
      try file.save([key(feed): checkpoint])
    }
  }

  /// Saves a checkpoint that is saved again later; if this fails, a notice says so.
  func saveOrWarn(_ checkpoint: Checkpoint, of feed: String, to writer: inout FeedWriter) throws(ToolError) {
    do throws(ToolError) {
      try save(checkpoint, of: feed, to: &writer)
    } catch {
      try writer.write(.checkpointNotSaved(error))
    }
  }

  private func key(_ feed: String) -> Checkpoint.Key {
    Checkpoint.Key(service: service, base: base, account: account, feed: feed)
  }
}

extension Notice {
  /// That a checkpoint cannot be saved, for now.
  static func checkpointNotSaved(_ error: ToolError) -> Notice {
    Notice(.warning, "not-kept", "the checkpoint is not saved: \(error.message ?? "writing failed")")
  }
}
