import Libc

/// Writes lines to a descriptor it does not own, in large pieces.
///
/// Whoever reads input must call ``flush()`` before a read that may block: that is what makes a live pipe show a tweet
/// the moment it arrives, while plentiful input is written a buffer at a time.
package struct RecordWriter: ~Copyable {
  /// Above this many bytes a finished line is written out at once; 256 KiB is four times a Linux pipe's room, so that
  /// the cost of write(2) is spread without holding much back.
  private static let limit = 256 << 10

  /// Where lines are put together. After appending a whole line to it call ``endLine()``.
  package var buffer: ByteBuffer
  private let descriptor: Int32
  private let name: String
  private var written = 0

  /// How many bytes were put out so far, those still held included.
  package var position: Int { written + buffer.count }

  /// - Parameters:
  ///   - descriptor: an open file descriptor; 1 is standard output.
  ///   - name: what messages call it.
  package init(descriptor: Int32 = 1, name: String = "standard output") {
    self.descriptor = descriptor
    self.name = name
    buffer = ByteBuffer(capacity: Self.limit + (64 << 10))
  }

  /// Adds one line and its newline.
  package mutating func write(line: UnsafeBufferPointer<UInt8>) throws(ToolError) {
    buffer.append(line)
    try endLine()
  }

  /// Adds one line and its newline.
  package mutating func write(line: [UInt8]) throws(ToolError) {
    buffer.append(line)
    try endLine()
  }

  /// Writes whole lines, newlines included. Many of them go straight out, without a copy.
  package mutating func write(lines: UnsafeBufferPointer<UInt8>) throws(ToolError) {
    if lines.count < Self.limit {
      buffer.append(lines)
      try flushIfLarge()
    } else {
      try flush()
      try check(writeAll(lines, to: descriptor))
      written += lines.count
    }
  }

  /// Ends the line that was put into ``buffer``.
  package mutating func endLine() throws(ToolError) {
    buffer.append(UInt8(ascii: "\n"))
    try flushIfLarge()
  }

  /// Writes out what is held when there is much of it. For whoever puts whole lines into ``buffer`` itself.
  @inline(__always)
  package mutating func flushIfLarge() throws(ToolError) {
    if buffer.count >= Self.limit { try flush() }
  }

  /// Writes out all that is held. Throws ``ToolError/readerGone`` when nobody reads any more (EPIPE), else
  /// ``ToolError/inputOutput(_:)``.
  package mutating func flush() throws(ToolError) {
    if buffer.count == 0 { return }
    let failure = buffer.withBytes { writeAll($0, to: descriptor) }
    written += buffer.count
    buffer.removeAll()
    try check(failure)
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

/// Writes all bytes to a descriptor, waiting where it is not ready. Gives 0 or the `errno` of what stopped it: EINTR when a
/// signal has come and nobody takes the bytes, so that a stuck reader cannot keep a tool from ending.
package func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
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

/// Whether a descriptor takes bytes within the second that a signal leaves us. A pipe that does takes a page at least.
private func becomesWritable(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return poll(&entry, 1, 1000) > 0
}
