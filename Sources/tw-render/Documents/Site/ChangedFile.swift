import Libc
import TweetCore

/// A file that is written again, but only if it changes: what comes is compared with what is there, and a new file is
/// begun at the first difference. It takes the old one's name when it is whole, so that a reader, a web server or
/// rsync(1), finds the old file or the new one.
struct ChangedFile: ~Copyable {
  private let path: String
  private let temporary: String
  /// The old file while it has been the same so far; -1 if there is none, or it is another.
  private var old: Int32
  /// The new one; -1 while there is none.
  private var new: Int32 = -1
  /// How many bytes are the same.
  private var same = 0
  /// What was appended and not yet compared or written.
  private var output = ByteBuffer(capacity: limit)

  private static var limit: Int { 64 << 10 }

  /// - Parameters:
  ///   - path: the file's.
  ///   - temporary: what a new file is called before it is whole, on the same disk. What a killed program left there is
  ///     replaced.
  init(_ path: String, temporary: String) {
    self.path = path
    self.temporary = temporary
    old = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if old >= 0, stat(of: old)?.isFile != true {
      close(old)
      old = -1
    }
  }

  deinit {
    if old >= 0 { close(old) }
    if new >= 0 {
      close(new)
      unlink(temporary)
    }
  }

  /// Appends what `body` writes.
  mutating func append(_ body: (inout ByteBuffer) throws(ToolError) -> Void) throws(ToolError) {
    try body(&output)
    if output.count >= Self.limit { try flush() }
  }

  /// Puts the new file in the place of the old one, if it is another.
  mutating func finish() throws(ToolError) {
    try flush()
    if new < 0 {
      if old >= 0, stat(of: old)?.size == same { return }
      try start()
    }
    defer { new = -1 }
    guard close(new) == 0, rename(temporary, path) == 0 else {
      let fault = errno
      unlink(temporary)
      throw failure(fault)
    }
  }

  private mutating func flush() throws(ToolError) {
    if new < 0 {
      if old >= 0, isSame() {
        same += output.count
        return output.removeAll()
      }
      try start()
    }
    let fault = output.withBytes { writeAll($0, to: new) }
    output.removeAll()
    guard fault == 0 else { throw failure(fault) }
  }

  /// Whether the old file goes on with what was appended.
  private func isSame() -> Bool {
    let bytes = readBytes(old, at: same, count: output.count)
    return output.withBytes { $0.elementsEqual(bytes) }
  }

  /// Begins the new file with what is the same in both.
  private mutating func start() throws(ToolError) {
    new = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard new >= 0 else { throw .cannotCreate("cannot create '\(temporary)'", errno) }
    var copied = 0
    while copied < same {
      let piece = readBytes(old, at: copied, count: min(Self.limit, same - copied))
      let fault = piece.isEmpty ? EIO : writeAll(piece, to: new)
      guard fault == 0 else { throw failure(fault) }
      copied += piece.count
    }
  }

  private func failure(_ number: Int32) -> ToolError {
    number == EINTR
      ? .tryLater("interrupted while writing '\(path)'")
      : .inputOutput("cannot write '\(path)': \(describe(errno: number))")
  }
}
