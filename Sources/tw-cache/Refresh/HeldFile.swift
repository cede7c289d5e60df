import Libc
import TweetCore

/// A file without a name, for what a round brings or says until it is over: nothing is left of it, however we end.
struct HeldFile: ~Copyable {
  /// Open for reading and writing.
  let descriptor: Int32

  init() throws(ToolError) {
    let directory = Paths.stateDirectory
    try Paths.createDirectory(directory)
    var template = Array("\(directory)/held.XXXXXX".utf8CString)
    let made = mkstemp(&template)
    guard made >= 0 else {
      throw .cannotCreate("cannot create a file in '\(directory)': \(describe(errno: errno))")
    }
    unlink(template)
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    descriptor = made
  }

  deinit { close(descriptor) }

  var isEmpty: Bool { lseek(descriptor, 0, SEEK_END) <= 0 }

  /// Goes to the beginning, or so many bytes before the end where there are more.
  func rewind(toLast bytes: Int? = nil) {
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - off_t(bytes ?? .max)), SEEK_SET)
  }
}
