import Libc
import TweetCore

/// The place of one source, in a file for tw-stream to read and to replace: gone at the end of the round.
///
/// It is in a directory of its own that no other round ever uses: the tw-stream of a process that was killed may live on
/// for a while and write there what nobody has stored. Such a directory is swept away by the next round of any process,
/// which tells by the lock on it that its owner is gone.
struct PlaceFile: ~Copyable {
  private let directory: String
  /// The directory, open and locked.
  private let descriptor: Int32

  var path: String { directory + "/place" }

  init() throws(ToolError) {
    let parent = Paths.stateDirectory
    // Under one lock, so that nobody sweeps what is made but not locked yet.
    (directory, descriptor) = try FileLock.hold(parent + "/rounds.lock") { (_) throws(ToolError) in
      Self.sweep(parent)
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

  /// Puts in what the last round wrote.
  func write(_ place: String) throws(ToolError) {
    var buffer = ByteBuffer(capacity: place.utf8.count)
    buffer.append(place)
    try StateFile.replace(path, with: buffer)
  }

  /// Where the next round begins; `nil` when nothing was written.
  func read() throws(ToolError) -> String? {
    guard let bytes = try StateFile.read(path), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What killed processes left. What cannot be taken away is no harm, and is tried again.
  private static func sweep(_ parent: String) {
    for name in Directory.names(in: parent) ?? [] {
      if name.hasPrefix("held.") { unlink("\(parent)/\(name)") }
      guard name.hasPrefix("round."), let descriptor = lock("\(parent)/\(name)") else { continue }
      remove("\(parent)/\(name)")
      close(descriptor)
    }
  }

  /// The directory, open and locked; `nil` while another process has it so.
  private static func lock(_ directory: String) -> Int32? {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  /// Takes a directory away with the files in it: a tw-stream that was killed may have left more than the place.
  private static func remove(_ directory: String) {
    for name in Directory.names(in: directory) ?? [] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }
}
