import Libc

/// Small files that are read whole and replaced whole.
package enum StateFile {
  /// The kit's own files are far smaller. A larger one is something else.
  private static let largest = 16 << 20

  /// The file's bytes; `nil` when there is no file.
  /// - Throws: `ToolError.inputOutput` when there is one that cannot be read.
  package static func read(_ path: String) throws(ToolError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .inputOutput("cannot open '\(path)'", errno)
    }
    defer { close(descriptor) }
    return try read(descriptor, name: path)
  }

  /// Reads an open file to its end.
  package static func read(_ descriptor: Int32, name: String) throws(ToolError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Libc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .inputOutput("cannot read '\(name)'", errno)
      }
      bytes += piece[..<count]
      if bytes.count > largest { throw .inputOutput("cannot read '\(name)': it is too large for what it should be") }
    }
  }

  /// Writes a new file beside the old one, and renames it to the old name when it is on disk. So a reader finds the
  /// whole old file or the whole new one, also after a power failure. Only this user may read the file. A symbolic link
  /// stays.
  ///
  /// - Parameter isAlone: whether the caller holds a lock, so that nobody else replaces the file now. The new file is
  ///   then called ``temporaryName(of:)`` before it is complete: what a killed program leaves is replaced or removed
  ///   later.
  /// - Throws: `ToolError.cannotCreate`, also if something is there that ``FileTarget`` leaves alone;
  ///   `ToolError.inputOutput`.
  package static func replace(
    _ path: String, with text: borrowing ByteBuffer, isAlone: Bool = false
  ) throws(ToolError) {
    let path = try FileTarget.resolve(path)
    var template = Array((isAlone ? temporaryName(of: path) : "\(path).XXXXXX").utf8CString)
    if isAlone { unlink(template) }
    let descriptor =
      isAlone ? open(template, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) : mkstemp(&template)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    do throws(ToolError) {
      var writer = RecordWriter(descriptor: descriptor, name: "'\(path)'")
      writer.buffer.append(text.array)
      try writer.flush()
      guard fsync(descriptor) == 0, rename(template, path) == 0 else {
        throw .inputOutput("cannot write '\(path)': \(describe(errno: errno))")
      }
    } catch {
      unlink(template)
      throw error
    }
  }

  /// What a file is called that is to replace another one, under a lock.
  package static func temporaryName(of path: String) -> String { path + ".new" }
}
