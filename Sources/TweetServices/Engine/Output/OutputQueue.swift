import Libc
package import TweetCore

/// Lines on their way to a descriptor that a slow reader may be behind: what it takes is written, the rest is held.
///
/// ``push()`` never waits, so that whoever waits for other things as well, such as signals, notices them all the time.
/// The descriptor is not made non-blocking, since other processes share it.
package struct OutputQueue: ~Copyable {
  /// Where lines are put together. After appending a whole line to it call ``endLine()``.
  package var buffer: ByteBuffer
  package let descriptor: Int32
  private let name: String
  private let bound: Int
  private let kind: Kind
  /// How much of ``buffer`` was written.
  private var sent = 0

  private enum Kind {
    /// A pipe of so many bytes.
    case pipe(Int)
    /// What is never long in taking bytes: a file, a device.
    case file
    /// A terminal, a socket.
    case other
  }

  /// What a pipe takes at least when poll(2) says that it can be written (Linux: a page; elsewhere PIPE_BUF).
  #if os(Linux)
    private static let page = 4096
  #else
    private static let page = 512
  #endif
  /// Memory that is kept when all is written.
  private static let kept = 1 << 20

  /// - Parameters:
  ///   - descriptor: an open file descriptor; 1 is standard output.
  ///   - name: what messages call it.
  ///   - bound: bytes that are held before the queue counts as full.
  package init(descriptor: Int32 = 1, name: String = "standard output", bound: Int = 0) {
    self.descriptor = descriptor
    self.name = name
    self.bound = bound
    buffer = ByteBuffer(capacity: Self.kept)
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    switch status.st_mode & S_IFMT {
    case S_IFREG where isKnown: kind = .file
    case S_IFCHR where isKnown && isatty(descriptor) == 0: kind = .file
    case S_IFIFO where isKnown: kind = .pipe(Self.size(ofPipe: descriptor))
    default: kind = .other
    }
  }

  /// A pipe is made as large as anyone may make it, so that the two ends wait for each other less often (measured: half as
  /// many bytes again in a second).
  private static func size(ofPipe descriptor: Int32) -> Int {
    #if os(Linux)
      // F_SETPIPE_SZ and F_GETPIPE_SZ of fcntl(2), which Glibc's module leaves out.
      let (setSize, getSize): (Int32, Int32) = (1031, 1032)
      // Where it may not be made larger it stays as it is.
      if fcntl(descriptor, getSize) < largestPipe { _ = fcntl(descriptor, setSize, largestPipe) }
      return max(page, Int(fcntl(descriptor, getSize)))
    #else
      return page
    #endif
  }

  /// What Linux allows without privileges (pipe(7), /proc/sys/fs/pipe-max-size).
  private static let largestPipe: Int32 = 1 << 20

  /// Bytes that are not written yet.
  package var held: Int { buffer.count - sent }
  /// Whether nothing more should be taken in before the reader has taken some.
  package var isFull: Bool { held > bound }

  /// Adds one line and its newline.
  package mutating func write(line: UnsafeBufferPointer<UInt8>) {
    buffer.append(line)
    endLine()
  }

  /// Ends the line that was put into ``buffer``.
  package mutating func endLine() { buffer.append(UInt8(ascii: "\n")) }

  /// Writes what the reader takes at once.
  ///
  /// - Throws: ``ToolError/readerGone`` when nobody reads any more, else ``ToolError/inputOutput(_:)``.
  package mutating func push() throws(ToolError) {
    while held > 0, try canWrite(milliseconds: 0) { try writeSome() }
    settle()
  }

  /// Writes all, however long that takes; once a signal has come, only as long as somebody reads, and at most three
  /// seconds and up to the end of a line.
  ///
  /// - Returns: how many bytes were left out.
  package mutating func finish() throws(ToolError) -> Int {
    var deadline: Int?
    var left = 0
    while held > 0 {
      if Interruption.signal != nil, deadline == nil { deadline = MonotonicClock.milliseconds + Self.patience }
      if let deadline, MonotonicClock.milliseconds >= deadline, left == 0 { left = cutAtLine() }
      if try canWrite(milliseconds: deadline == nil ? -1 : Self.glance) {
        try writeSome()
      } else if deadline != nil {
        throw .readerGone
      }
    }
    settle()
    return left
  }

  /// Milliseconds for what is left when a signal has come, and for a reader to take some of it.
  private static let patience = 3_000
  private static let glance = 1_000

  /// Takes out all behind the line in work.
  private mutating func cutAtLine() -> Int {
    let whole = buffer.count
    let rest = buffer.withBytes { bytes in bytes[sent...].firstIndex(of: UInt8(ascii: "\n")) }
    if let rest { buffer.truncate(to: rest + 1) }
    return whole - buffer.count
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
    let size = min(held, room)
    let (written, failure) = buffer.withBytes { bytes in
      guard let base = bytes.baseAddress else { return (0, Int32(0)) }
      let written = Libc.write(descriptor, base + sent, size)
      return (written, written < 0 ? errno : 0)
    }
    switch failure {
    case 0: sent += written
    case EINTR, EAGAIN: break
    case EPIPE: throw .readerGone
    default: throw .inputOutput("cannot write to \(name): \(describe(errno: failure))")
    }
  }

  /// How many bytes go out without waiting, now that some do.
  private var room: Int {
    switch kind {
    case .file: return .max
    case .other: return Self.page
    case .pipe(let size):
      var waiting: Int32 = 0
      guard ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 else { return Self.page }
      // A pipe is made of pages, and a write goes on in the last one only where it fits in whole: of two neighbours one
      // is half full at least. The reader may have begun with the first.
      return max(Self.page, size - 2 * (Int(waiting) + Self.page))
    }
  }

  /// Gives the memory of what was written back, once that is most of it.
  private mutating func settle() {
    if sent == buffer.count {
      if sent > Self.kept { buffer = ByteBuffer(capacity: Self.kept) } else { buffer.removeAll() }
      sent = 0
    } else if sent > max(Self.kept, buffer.count / 2) {
      buffer.removeFirst(sent)
      sent = 0
    }
  }
}
