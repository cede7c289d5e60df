import Libc

/// The bytes of an input that were read and not consumed yet, and the line they start on.
///
/// The input is a descriptor that is read as it delivers (``fill()``), or a buffer (``exchange(_:isLoading:)``).
/// Offsets count from ``base``; they change when ``fill()`` moves the bytes to the front. ``origin`` turns them into
/// offsets that do not.
struct InputWindow: ~Copyable {
  /// How much is read at once: large enough to spread the cost of a read(2) and an index, small enough for a core's
  /// second-level cache.
  static let readSize = 512 << 10

  /// Which bytes of the memory are in use.
  private struct Extent {
    var start = 0
    var end = 0
    var line = 1
    var origin = 0
    var hasEnded = false
    /// A byte that a NUL stands for at present.
    var terminated: (offset: Int, byte: UInt8)?
  }

  let descriptor: Int32
  let name: String
  /// The memory. At least ``JSONIndex/padding`` bytes after ``end`` can be read.
  private(set) var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var extent = Extent()
  /// How many bytes ``fill()`` has read.
  private(set) var readCount = 0

  /// Offset of the first byte that is not consumed.
  var start: Int { extent.start }
  /// Offset after the last byte that was read.
  var end: Int { extent.end }
  /// The number of the line that ``start`` is on, from 1.
  var line: Int { extent.line }
  /// How many bytes of the input came before ``base``.
  var origin: Int { extent.origin }
  /// Whether the input has no more bytes than those at hand.
  var hasEnded: Bool { extent.hasEnded }
  /// How many bytes are at hand.
  var count: Int { extent.end - extent.start }

  /// - Parameters:
  ///   - descriptor: what to read; it stays the caller's.
  ///   - name: what messages call it.
  ///   - firstLine: the number of the line that the first byte is on.
  ///   - head: bytes that were already read from the descriptor.
  init(descriptor: Int32, name: String, firstLine: Int, head: [UInt8]) {
    (self.descriptor, self.name) = (descriptor, name)
    capacity = max(Self.readSize * 2, head.count)
    base = resized(nil, to: capacity + JSONIndex.padding)
    extent.line = firstLine
    for byte in head {
      base[extent.end] = byte
      extent.end += 1
    }
    (base + extent.end).update(repeating: 0, count: JSONIndex.padding)
  }

  deinit { free(base) }

  /// The bytes from one offset to another.
  func bytes(_ from: Int, _ to: Int) -> ByteView {
    ByteView(start: base + from, count: to - from)
  }

  /// The offset of the first `byte` in a range of offsets.
  func firstOffset(of byte: UInt8, from: Int, to limit: Int) -> Int? {
    guard from < limit, let found = memchr(base + from, Int32(byte), limit - from) else { return nil }
    return found.assumingMemoryBound(to: UInt8.self) - base
  }

  // MARK: Consuming

  /// Consumes the bytes before `offset` and counts their lines.
  mutating func consume(to offset: Int) {
    while let newline = firstOffset(of: 0x0A, from: extent.start, to: offset) {
      extent.start = newline + 1
      extent.line += 1
    }
    extent.start = max(extent.start, offset)
  }

  /// Consumes the bytes before `offset`, none of which is a newline.
  mutating func advance(to offset: Int) { extent.start = offset }

  /// Puts a NUL at `offset` for as long as the bytes before it are indexed: the grammar check stops there.
  mutating func terminate(at offset: Int) {
    extent.terminated = (offset, base[offset])
    base[offset] = 0
  }

  /// Puts the byte back that ``terminate(at:)`` replaced.
  mutating func removeTerminator() {
    if let (offset, byte) = extent.terminated { base[offset] = byte }
    extent.terminated = nil
  }

  // MARK: Reading

  /// Reads once, and waits when the descriptor has nothing yet. A signal that the tool catches ends the wait early.
  mutating func fill() throws(ToolError) {
    makeRoom()
    guard waitForInput() else { return }
    let got = Libc.read(descriptor, base + extent.end, min(Self.readSize, capacity - extent.end))
    if got > 0 {
      extent.end += got
      readCount += got
    } else if got == 0 {
      extent.hasEnded = true
    } else if errno != EINTR && errno != EAGAIN {
      throw .inputOutput("cannot read \(name)", errno)
    }
    (base + extent.end).update(repeating: 0, count: JSONIndex.padding)
  }

  /// Replaces what is at hand; ``fill()`` reads what comes after it.
  /// - Parameter line: the number of the first line.
  mutating func replace(by bytes: ByteView, line: Int) {
    extent = Extent()
    (extent.line, extent.end) = (line, bytes.count)
    if capacity < bytes.count + Self.readSize {
      capacity = max(capacity * 2, bytes.count + Self.readSize)
      base = resized(base, to: capacity + JSONIndex.padding)
    }
    if let start = bytes.baseAddress { base.update(from: start, count: bytes.count) }
    (base + extent.end).update(repeating: 0, count: JSONIndex.padding)
  }

  /// Exchanges the memory with a buffer's, whose bytes become the whole input, or become the buffer's again.
  mutating func exchange(_ bytes: inout ByteBuffer, isLoading: Bool) {
    removeTerminator()
    bytes.exchange(&base, &capacity)
    extent = Extent()
    extent.hasEnded = true
    guard isLoading else { return }
    extent.end = bytes.count
    (base + extent.end).update(repeating: 0, count: JSONIndex.padding)
  }

  /// Whether the byte before the first that is not consumed is known to be the end of a line.
  var isAtLineStart: Bool { extent.start > 0 && base[extent.start - 1] == 0x0A }

  /// Waits until a read will not block; `false` when a signal came instead. Without it a signal that comes between a
  /// tool's check of ``Interruption/signal`` and the read would have no effect until the next byte.
  private func waitForInput() -> Bool {
    let signals = Interruption.descriptor
    if signals < 0 { return true }
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&entries, 2, -1) < 0 {
      if Interruption.signal != nil { return false }
      if errno != EINTR { return true }
    }
    return entries[1].revents == 0
  }

  /// Above 32 MiB, so that glibc gives the memory back when it is freed: it keeps smaller blocks once one of their size
  /// was freed (M_MMAP_THRESHOLD in mallopt(3)).
  private static var largeCapacity: Int { 33 << 20 }

  /// Moves the bytes to the front, and allocates only when that leaves too little room.
  private mutating func makeRoom() {
    removeTerminator()
    // Earlier when more bytes were consumed than are at hand: then no more memory is touched than the longest record
    // needs.
    let isMostlyConsumed = extent.start >= 2 * Self.readSize && extent.start >= count
    if extent.start > 0, capacity - extent.end < Self.readSize || isMostlyConsumed { moveToFront() }
    if capacity - extent.end < Self.readSize {
      // At once to more than most records need: memory that is never touched costs nothing, and nothing is copied
      // twice.
      capacity = max(capacity * 2, Self.largeCapacity)
      base = resized(base, to: capacity + JSONIndex.padding)
    }
  }

  private mutating func moveToFront() {
    memmove(base, base + extent.start, count)
    extent.end -= extent.start
    extent.origin += extent.start
    extent.start = 0
  }

  /// Gives back the memory that a long record needed.
  /// - Returns: whether there was any.
  mutating func shrink() -> Bool {
    let usual = 2 * Self.readSize
    guard capacity > usual, count <= Self.readSize else { return false }
    removeTerminator()
    moveToFront()
    capacity = usual
    base = resized(base, to: capacity + JSONIndex.padding)
    (base + extent.end).update(repeating: 0, count: JSONIndex.padding)
    return true
  }
}
