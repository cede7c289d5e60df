import Libc
import TweetCore
import TweetServices

/// Lines for a descriptor whose reader may be slow: what the reader takes is written, the rest is buffered.
///
/// ``writeAvailable()`` never waits, so that the caller can wait for other things as well, such as signals. The
/// descriptor is not made non-blocking, since other processes share it.
struct OutputQueue: ~Copyable {
  /// Where lines are put together. After appending a whole line to it call ``endLine()``.
  var buffer: ByteBuffer
  let descriptor: Int32
  private let name: String
  private let bound: Int
  private let kind: Kind
  private let isTerminal: Bool
  /// How many bytes of ``buffer`` are written.
  private var written = 0

  private enum Kind {
    /// A pipe of this many bytes.
    case pipe(Int)
    /// A file or a device that never makes a writer wait long.
    case file
    /// A terminal, a socket.
    case other
  }

  /// The bytes that a pipe takes at least when poll(2) says that it can be written (Linux: a page; elsewhere PIPE_BUF).
  #if os(Linux)
    private static let page = 4096
  #else
    private static let page = 512
  #endif
  /// Memory that is kept when all is written.
  private static let keptCapacity = 1 << 20

  /// - Parameters:
  ///   - descriptor: an open file descriptor; 1 is standard output.
  ///   - name: its name in messages.
  ///   - bound: bytes that are buffered before the queue is full.
  init(descriptor: Int32 = 1, name: String = "standard output", bound: Int = 0) {
    self.descriptor = descriptor
    self.name = name
    self.bound = bound
    isTerminal = isatty(descriptor) == 1
    buffer = ByteBuffer(capacity: Self.keptCapacity)
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    switch status.st_mode & S_IFMT {
    case S_IFREG where isKnown: kind = .file
    case S_IFCHR where isKnown && !isTerminal: kind = .file
    case S_IFIFO where isKnown: kind = .pipe(max(Self.page, PipeSize.enlarge(descriptor) ?? 0))
    default: kind = .other
    }
  }

  /// Bytes that are not written yet.
  var bufferedBytes: Int { buffer.count - written }
  /// Whether no more should be received until the reader has taken some.
  var isFull: Bool { bufferedBytes > bound }

  /// Appends one line and its newline.
  mutating func append(line: ByteView) {
    buffer.append(line)
    endLine()
  }

  /// Ends the line that was put into ``buffer``.
  mutating func endLine() {
    if isTerminal {
      let line = buffer.withBytes { bytes in
        Array(bytes[(bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)...])
      }
      buffer.truncate(to: buffer.count - line.count)
      line.withBytes { Printable.append(escaping: $0, to: &buffer) }
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Writes what the reader takes at once.
  ///
  /// - Throws: ``ToolError/readerGone`` when nobody reads any more, else ``ToolError/inputOutput(_:)``.
  mutating func writeAvailable() throws(ToolError) {
    while bufferedBytes > 0, try canWrite(milliseconds: 0) { try writeSome() }
    releaseMemory()
  }

  /// Writes all, however long that takes. Once a signal has come, it goes on only as long as somebody reads, and at
  /// most for three seconds and to the end of a line.
  ///
  /// - Returns: how many bytes were discarded.
  mutating func flush() throws(ToolError) -> Int {
    var deadline: Int?
    var discarded = 0
    while bufferedBytes > 0 {
      if Interruption.signal != nil, deadline == nil { deadline = MonotonicClock.milliseconds + Self.signalTime }
      if let deadline, MonotonicClock.milliseconds >= deadline, discarded == 0 { discarded = discardAfterLine() }
      if try canWrite(milliseconds: deadline == nil ? -1 : Self.readerTime) {
        try writeSome()
      } else if deadline != nil {
        throw .readerGone
      }
    }
    releaseMemory()
    return discarded
  }

  /// Milliseconds for the rest when a signal has come, and for a reader to take some of it.
  private static let signalTime = 3_000
  private static let readerTime = 1_000

  /// Discards all that follows the line being written.
  private mutating func discardAfterLine() -> Int {
    let count = buffer.count
    let end = buffer.withBytes { bytes in bytes[written...].firstIndex(of: UInt8(ascii: "\n")) }
    if let end { buffer.truncate(to: end + 1) }
    return count - buffer.count
  }

  /// - Returns: false after the time, or early when a signal has come.
  private func canWrite(milliseconds: Int) throws(ToolError) -> Bool {
    if case .file = kind { return true }
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: milliseconds < 0 ? Interruption.descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 2, Int32(milliseconds)) >= 0 else { return false }
    return entries[0].revents != 0
  }

  private mutating func writeSome() throws(ToolError) {
    let size = min(bufferedBytes, room)
    let (count, failure) = buffer.withBytes { bytes in
      guard let base = bytes.baseAddress else { return (0, Int32(0)) }
      let count = Libc.write(descriptor, base + written, size)
      return (count, count < 0 ? errno : 0)
    }
    switch failure {
    case 0: written += count
    case EINTR, EAGAIN: break
    default: throw writeError(failure, to: name)
    }
  }

  /// How many bytes can be written without waiting, when some can.
  private var room: Int {
    switch kind {
    case .file: return .max
    case .other: return Self.page
    case .pipe(let size):
      var waiting: Int32 = 0
      guard ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return Self.page }
      // A pipe is made of pages, and a write goes on in the last one only if it fits in whole: of two neighbours one is
      // at least half full. The reader may have begun with the first.
      return max(Self.page, size - 2 * (Int(waiting) + Self.page))
    }
  }

  /// Releases the memory of what is written, once that is most of it.
  private mutating func releaseMemory() {
    if written == buffer.count {
      if written > Self.keptCapacity {
        buffer = ByteBuffer(capacity: Self.keptCapacity)
      } else {
        buffer.removeAll()
      }
      written = 0
    } else if written > max(Self.keptCapacity, buffer.count / 2) {
      buffer.removeFirst(written)
      written = 0
    }
  }
}
