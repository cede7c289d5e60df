import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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

  /// Goes to the beginning, or so many bytes before the end where there are more.
  func rewind(toLast bytes: Int? = nil) {
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - off_t(bytes ?? .max)), SEEK_SET)
  }
}

/// The place of one source, in a file for tw-stream to read and to replace: gone at the end of the round.
struct PlaceFile: ~Copyable {
  private let directory: String

  var path: String { directory + "/place" }

  init() throws(ToolError) {
    let parent = Paths.stateDirectory
    try Paths.createDirectory(parent)
    var template = Array("\(parent)/refresh.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate("cannot create a directory in '\(parent)': \(describe(errno: errno))")
    }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Puts in what the last round wrote.
  func write(_ place: String) throws(ToolError) {
    var buffer = ByteBuffer(capacity: place.utf8.count)
    buffer.append(place)
    try StateFile.replace(path, with: buffer)
  }

  deinit {
    // tw-stream keeps its lock beside it.
    for file in [path, path + ".lock"] { unlink(file) }
    rmdir(directory)
  }

  /// Where the next round begins; `nil` when nothing was written.
  func read() throws(ToolError) -> String? {
    guard let bytes = try StateFile.read(path), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
