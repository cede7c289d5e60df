import Libc
import TweetCore

/// The directory of one poll round. It holds the checkpoint of one source, in a file that tw-stream reads and replaces
/// (`--state`).
///
/// Each round has a directory of its own. If this process is killed, its tw-stream may run a little longer and write a
/// checkpoint behind posts that nobody has stored; no other round reads that directory. The next round of any process
/// removes it. The directory is locked as long as its owner lives.
struct RoundDirectory: ~Copyable {
  private let directory: String
  /// The open and locked directory.
  private let descriptor: Int32

  /// The checkpoint's file. Its name is older than the word checkpoint.
  var checkpointPath: String { directory + "/place" }

  init() throws(ToolError) {
    let parent = Paths.stateDirectory
    // Under a lock, so that no other process removes the directory before it is locked.
    (directory, descriptor) = try FileLock.hold(parent + "/rounds.lock") { (_) throws(ToolError) in
      Self.removeAbandoned(in: parent)
      var template = Array("\(parent)/round.XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else {
        throw .cannotCreate("cannot create a directory in '\(parent)': \(describe(errno: errno))")
      }
      let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard let descriptor = Self.lock(made) else {
        throw .inputOutput("cannot lock '\(made)': \(describe(errno: errno))")
      }
      return (made, descriptor)
    }
  }

  deinit {
    Self.remove(directory)
    close(descriptor)
  }

  /// Writes the checkpoint of the last round.
  func write(_ checkpoint: String) throws(ToolError) {
    var buffer = ByteBuffer(capacity: checkpoint.utf8.count)
    buffer.append(checkpoint)
    try StateFile.replace(checkpointPath, with: buffer)
  }

  /// The checkpoint for the next round; `nil` if nothing was written.
  func read() throws(ToolError) -> String? {
    guard let bytes = try StateFile.read(checkpointPath), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Removes what killed processes left behind. What cannot be removed does no harm, and is tried again.
  private static func removeAbandoned(in parent: String) {
    for name in Directory.names(in: parent) ?? [] {
      if name.hasPrefix("held.") { unlink("\(parent)/\(name)") }
      guard name.hasPrefix("round."), let descriptor = lock("\(parent)/\(name)") else { continue }
      remove("\(parent)/\(name)")
      close(descriptor)
    }
  }

  /// Opens and locks a directory; `nil` if another process holds its lock.
  private static func lock(_ directory: String) -> Int32? {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  /// Removes a directory and the files in it. A tw-stream that was killed may have left a temporary file.
  private static func remove(_ directory: String) {
    for name in Directory.names(in: directory) ?? [] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }
}
