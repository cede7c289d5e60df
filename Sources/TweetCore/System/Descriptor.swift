package import Libc

/// An open file, or an end of a pipe, that is closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32

  /// Opens a file (open(2)), which no child inherits; `nil` with `errno` set where that fails.
  package init?(_ path: String, _ flags: Int32, mode: mode_t = 0o600) {
    number = open(path, flags | O_CLOEXEC, mode)
    if number < 0 { return nil }
  }

  /// Closes this one from now on.
  package init(owning number: Int32) { self.number = number }

  deinit { if number >= 0 { close(number) } }
}

/// Makes a pipe(2) whose ends are not inherited by programs started later (FD_CLOEXEC).
///
/// - Returns: the end to read from and the end to write to. The caller closes both.
package func makePipe() throws(ToolError) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw .inputOutput("cannot make a pipe", errno) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// Reads once from a descriptor, at most 64 KiB (the room of a Linux pipe), and waits when there is nothing yet.
///
/// - Parameter name: what messages call it.
/// - Returns: the bytes; none at the end of the input; `nil` when there are none yet after all, or a signal came.
/// - Throws: `ToolError.noInput` for a directory, else `ToolError.inputOutput`.
package func readSome(_ descriptor: Int32, name: String) throws(ToolError) -> [UInt8]? {
  var failure: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { room, count in
    let got = read(descriptor, room.baseAddress, room.count)
    if got < 0 { failure = errno }
    count = max(0, got)
  }
  if failure == EINTR || failure == EAGAIN { return nil }
  if failure == EISDIR { throw .noInput("cannot read \(name): \(describe(errno: failure))") }
  if failure != 0 { throw .inputOutput("cannot read \(name): \(describe(errno: failure))") }
  return bytes
}

/// Reads to the end, until a signal comes, or until there are more than `most` bytes.
///
/// - Parameter name: what messages call it.
/// - Throws: as ``readSome(_:name:)``.
package func readAll(_ descriptor: Int32, name: String, most: Int = .max) throws(ToolError) -> [UInt8] {
  var bytes: [UInt8] = []
  while Interruption.signal == nil, bytes.count <= most {
    guard let some = try readSome(descriptor, name: name) else { continue }
    if some.isEmpty { break }
    bytes += some
  }
  return bytes
}

/// Reads bytes at an offset of a file: fewer at its end, or, with `errno` set, where they cannot be read.
package func readBytes(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8] {
  errno = 0
  return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
    while filled < count {
      let got = pread(descriptor, room.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      if got < 0, errno == EINTR { continue }
      if got <= 0 { break }
      filled += got
    }
  }
}

/// The error that ends a tool whose output cannot be written.
///
/// - Parameters:
///   - number: the `errno` of write(2).
///   - name: what messages call the output.
/// - Returns: ``ToolError/readerGone`` when nobody reads any more (EPIPE), else ``ToolError/inputOutput(_:)``.
package func writeError(_ number: Int32, to name: String) -> ToolError {
  number == EPIPE ? .readerGone : .inputOutput("cannot write to \(name): \(describe(errno: number))")
}

/// How many bytes a pipe holds.
package enum PipeSize {
  /// What Linux allows without privileges (pipe(7), /proc/sys/fs/pipe-max-size).
  private static let largest: Int32 = 1 << 20
  // F_SETPIPE_SZ and F_GETPIPE_SZ of fcntl(2), which Glibc's module leaves out.
  private static let (setSize, getSize): (Int32, Int32) = (1031, 1032)

  /// Makes a pipe as large as anyone may make it, so that its two ends wait for each other less often. With 64 KiB, the
  /// usual size, `cat FILE | tw-parse` takes twice as long.
  ///
  /// - Parameter descriptor: either end. What is not a pipe, and a pipe that may not be made larger, stay as they are.
  /// - Returns: the bytes that it holds now; `nil` where the system does not say.
  @discardableResult
  package static func enlarge(_ descriptor: Int32) -> Int? {
    #if os(Linux)
      let size = fcntl(descriptor, getSize)
      if size >= 0, size < largest { _ = fcntl(descriptor, setSize, largest) }
      let now = fcntl(descriptor, getSize)
      return now > 0 ? Int(now) : nil
    #else
      return nil
    #endif
  }
}
