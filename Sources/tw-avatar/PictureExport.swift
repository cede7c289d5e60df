import Libc
import TweetCore

/// A directory of pictures as files, `KEY.png` and so on, for programs that do not read the store.
struct PictureExport {
  private let directory: String

  init(directory: String) throws(ToolError) {
    try Paths.createDirectory(directory)
    self.directory = directory
  }

  /// Writes the picture if its file is missing: under another name first, so that nobody ever sees half a file.
  func write(_ picture: Picture, from cache: PictureCache) throws(ToolError) {
    let suffix = PictureHeader.Format(rawValue: picture.type)?.fileExtension ?? "bin"
    let path = "\(directory)/\(picture.key).\(suffix)"
    if access(path, F_OK) == 0 { return }
    guard let bytes = try cache.bytes(of: picture.key) else { throw .bug("picture \(picture.key) is not in the store") }
    // The name has the process's id, because several may export into one directory.
    let draft = "\(path).\(getpid()).tmp"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(draft)': \(describe(errno: errno))") }
    var failure = bytes.withUnsafeBufferPointer { writeAll($0, to: descriptor) }
    if close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(draft, path) != 0 { failure = errno }
    guard failure == 0 else {
      unlink(draft)
      throw .inputOutput("cannot write '\(path)': \(describe(errno: failure))")
    }
  }
}
