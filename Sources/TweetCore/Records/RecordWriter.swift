import Libc

/// Writes lines to a descriptor, which it does not own, in large pieces.
///
/// A tool must call ``flush()`` before a read that may block. So a live pipe shows a tweet when it arrives, and when
/// there is much input, the output is written a buffer at a time.
package struct RecordWriter: ~Copyable {
  /// The buffer is written when it holds this many bytes. 256 KiB is four times the room of a Linux pipe: the cost of
  /// write(2) is spread, and not much is held back.
  private static let limit = 256 << 10

  /// Lines are put together here. Call ``endLine()`` after appending one.
  package var buffer: ByteBuffer
  private let descriptor: Int32
  private let name: String
  /// Whether what a terminal would obey is escaped.
  private let escapes: Bool
  /// How many bytes were written so far.
  package private(set) var written = 0

  /// How many bytes were appended so far, whether they are written yet or not.
  package var position: Int { written + buffer.count }

  /// - Parameters:
  ///   - descriptor: an open file descriptor; 1 is standard output.
  ///   - name: what messages call it.
  ///   - isStyled: whether what is written is made for a terminal. Otherwise one gets it without control characters
  ///     (``Printable/append(escaping:to:)``).
  package init(descriptor: Int32 = 1, name: String = "standard output", isStyled: Bool = false) {
    self.descriptor = descriptor
    self.name = name
    escapes = !isStyled && isatty(descriptor) == 1
    buffer = ByteBuffer(capacity: Self.limit + (64 << 10))
  }

  /// Prints whole lines on standard output.
  package static func print(_ lines: String) throws(ToolError) {
    var writer = RecordWriter()
    writer.buffer.append(lines)
    try writer.flush()
  }

  /// Prints rows of cells, which have tabs between them; what a terminal would obey in one is shown.
  package static func print(rows: some Sequence<[String]>) throws(ToolError) {
    try print(rows.map { $0.map { Printable.line($0) }.joined(separator: "\t") + "\n" }.joined())
  }

  /// Appends one line and a newline.
  package mutating func write(line: ByteView) throws(ToolError) {
    buffer.append(line)
    try endLine()
  }

  /// Appends one line and a newline.
  package mutating func write(line: [UInt8]) throws(ToolError) {
    buffer.append(line)
    try endLine()
  }

  /// Appends whole lines with their newlines. Many of them are written at once, without a copy.
  package mutating func write(lines: ByteView) throws(ToolError) {
    if lines.count < Self.limit {
      buffer.append(lines)
      try flushIfLarge()
    } else {
      try flush()
      try check(write(lines))
      written += lines.count
    }
  }

  /// Appends a newline to the line that was appended to ``buffer``.
  package mutating func endLine() throws(ToolError) {
    buffer.append(UInt8(ascii: "\n"))
    try flushIfLarge()
  }

  /// Writes the buffer when it holds much. For callers that append whole lines to ``buffer`` themselves.
  @inline(__always)
  package mutating func flushIfLarge() throws(ToolError) {
    if buffer.count >= Self.limit { try flush() }
  }

  /// Writes the buffer.
  /// - Throws: ``ToolError/readerGone`` when the reader has gone (EPIPE), else ``ToolError/inputOutput(_:)``.
  package mutating func flush() throws(ToolError) {
    if buffer.count == 0 { return }
    let failure = buffer.withBytes { write($0) }
    written += buffer.count
    buffer.removeAll()
    try check(failure)
  }

  private func write(_ lines: ByteView) -> Int32 {
    guard escapes else { return writeAll(lines, to: descriptor) }
    var escaped = ByteBuffer(capacity: lines.count)
    Printable.append(escaping: lines, to: &escaped)
    return escaped.withBytes { writeAll($0, to: descriptor) }
  }

  private func check(_ failure: Int32) throws(ToolError) {
    switch failure {
    case 0: return
    // A signal came while nobody read: it ends the tool all the same.
    case EINTR: throw .readerGone
    default: throw writeError(failure, to: name)
    }
  }
}

/// Writes all bytes to a descriptor, waiting where it is not ready. Gives 0 or the `errno` of what stopped it: EINTR
/// when a signal has come and nobody takes the bytes, so that a stuck reader cannot keep a tool from ending.
package func writeAll(_ bytes: ByteView, to descriptor: Int32) -> Int32 {
  guard var start = bytes.baseAddress else { return 0 }
  var left = bytes.count
  while left > 0 {
    let isEnding = Interruption.signal != nil
    if isEnding, !becomesWritable(descriptor) { return EINTR }
    // A pipe that can be written takes a page without waiting.
    let size = isEnding ? min(left, 4096) : left
    let written = Libc.write(descriptor, start, size)
    if written > 0 {
      start += written
      left -= written
    } else if written < 0 {
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      default: return errno
      }
    }
  }
  return 0
}

/// The same for an array.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withBytes { writeAll($0, to: descriptor) }
}

/// Whether a descriptor takes bytes within the second that a signal leaves us. A pipe that does takes a page at least.
private func becomesWritable(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return poll(&entry, 1, 1000) > 0
}
