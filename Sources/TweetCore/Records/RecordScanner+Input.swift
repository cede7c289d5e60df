import Libc

/// Where a scanner's bytes come from: a descriptor read as it gives them, or one part of a regular file.
extension RecordScanner {
  /// Reads a part of a regular file in one go, as if it were the whole input: the lines from the first that starts a
  /// document at or behind `offset` up to the first one at or behind `offset + length`. Replaces whatever was held, and
  /// starts counting lines anew.
  /// - Returns: where the part starts and ends in the file; `nil` when no line starts a document within reach.
  package mutating func load(segmentAt offset: Int, length: Int) throws(ToolError) -> Range<Int>? {
    (start, end, line, openArrays, triedWith, triedInAll) = (0, 0, 1, 0, 0, 0)
    (newlineEnd, searched, lastBracketEnd, searchedForBrackets, event) = (0, 0, 0, 0, .post)
    (regionStart, regionEnd, piecewiseEnd, isBegun, isDropping, ended) = (0, 0, 0, offset > 0, false, false)
    endsInside = false
    // The byte before tells whether the offset itself is the start of a line.
    let from = max(offset - 1, 0)
    var lineEnd: Int?
    while lineEnd == nil {
      makeRoom()
      let got = pread(descriptor, base + end, min(Self.readSize, capacity - end), off_t(from + end))
      if got < 0 && errno == EINTR { continue }
      if got < 0 { throw .inputOutput("cannot read \(name): \(describe(errno: errno))") }
      let searchFrom = max(end - 1, offset - from + length - 1)
      end += got
      if got == 0 {
        lineEnd = end
      } else if end > searchFrom {
        lineEnd = documentLine(in: searchFrom..<end)
      }
      if lineEnd == nil, end > length + Self.segmentReach { return nil }
    }
    ended = true
    end = lineEnd ?? end
    start = offset == 0 ? 0 : documentLine(in: 0..<end) ?? end
    (base + end).update(repeating: 0, count: JSONIndex.padding)
    return from + start..<from + end
  }

  /// How far behind a segment its last document may end. A file with longer ones, or with none that start a line, is
  /// better read in order than held.
  private static var segmentReach: Int { 4 << 20 }

  /// The first place behind a newline where an object starts.
  private func documentLine(in range: Range<Int>) -> Int? {
    var at = range.lowerBound
    while at < range.upperBound, let found = memchr(base + at, 0x0A, range.upperBound - at) {
      at = found.assumingMemoryBound(to: UInt8.self) - base + 1
      if at < range.upperBound, base[at] == UInt8(ascii: "{") { return at }
    }
    return nil
  }

  /// Above 32 MiB, so that glibc gives it back when it is freed: of smaller pieces it learns to keep all that are no larger
  /// (M_MMAP_THRESHOLD in mallopt(3)).
  private static var largeCapacity: Int { 33 << 20 }

  /// Reads once; waits when the descriptor has nothing yet. A signal that was asked for ends the wait early, with
  /// nothing read.
  package mutating func fill() throws(ToolError) {
    makeRoom()
    guard waitForInput() else { return }
    let got = Libc.read(descriptor, base + end, min(Self.readSize, capacity - end))
    if got > 0 {
      end += got
    } else if got == 0 {
      ended = true
    } else if errno != EINTR && errno != EAGAIN {
      throw .inputOutput("cannot read \(name): \(describe(errno: errno))")
    }
    (base + end).update(repeating: 0, count: JSONIndex.padding)
  }

  /// Waits until a read will not block; false when a signal came instead. Without it a signal between a tool's look at
  /// ``Interruption/signal`` and the read would go unseen until the next byte.
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

  /// Moves what is left to the front, and grows only when that alone leaves no room.
  private mutating func makeRoom() {
    removeGuard()
    // Sooner where much is behind us and less is left, so that no more memory is touched than the longest record takes.
    let isMostlyBehind = start >= 2 * Self.readSize && start >= end - start
    if start > 0, capacity - end < Self.readSize || isMostlyBehind {
      memmove(base, base + start, end - start)
      searched -= min(searched, start)
      newlineEnd -= min(newlineEnd, start)
      searchedForBrackets -= min(searchedForBrackets, start)
      lastBracketEnd -= min(lastBracketEnd, start)
      end -= start
      start = 0
    }
    regionStart = start
    regionEnd = start
    piecewiseEnd = start
    if capacity - end < Self.readSize {
      // At once to more than most records may need: memory that is never touched costs nothing, and none is copied again.
      capacity = max(capacity * 2, Self.largeCapacity)
      base = resized(base, to: capacity + JSONIndex.padding)
    }
  }
}
