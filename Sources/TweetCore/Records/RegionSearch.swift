/// Finds the last occurrence of one byte in what was read, and searches no byte twice.
struct LastByteSearch {
  let byte: UInt8
  /// Offsets from the start of the input: how far it was searched, and after the last occurrence.
  private var searched = 0
  private var found = 0

  init(_ byte: UInt8) { self.byte = byte }

  /// The offset in `window` after the last occurrence; `window.start` when there is none.
  mutating func end(in window: borrowing InputWindow) -> Int {
    let first = max(window.start, searched - window.origin)
    if let last = lastOffset(in: window, from: first) { found = window.origin + last + 1 }
    searched = window.origin + window.end
    return max(window.start, found - window.origin)
  }

  private func lastOffset(in window: borrowing InputWindow, from first: Int) -> Int? {
    let base = window.base
    let pattern = UInt64(byte) &* Self.ones
    var at = window.end
    while at - first >= 8 {
      // A byte of the difference that is zero sets its high bit in the test; above such a byte others may be set too.
      let difference = UnsafeRawPointer(base + at - 8).loadUnaligned(as: UInt64.self) ^ pattern
      if (difference &- Self.ones) & ~difference & (Self.ones << 7) != 0 { break }
      at -= 8
    }
    while at > first, base[at - 1] != byte { at -= 1 }
    return at > first ? at - 1 : nil
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
}

/// The tries of one document that was incomplete each time: decides when to try again with more bytes.
struct IncompleteDocument {
  /// How many bytes of it were at hand at the last try.
  private var triedLength = 0
  /// How many bytes all tries together went over.
  private(set) var triedTotal = 0

  /// Records that the document was not complete in `length` bytes.
  mutating func recordTry(of length: Int) {
    triedLength = length
    triedTotal += length
  }

  /// Whether to try with these bytes: when there are half as many again as at the last try, or when they look like the
  /// end of a document, so that a short one does not wait. All tries together go over a few times the document's length
  /// at most, whatever pieces it comes in.
  /// - Parameter isLast: whether the document will be given up as too large when this try fails.
  func shouldRetry(with bytes: ByteView, isLast: Bool) -> Bool {
    if triedLength == 0 { return true }
    if bytes.count <= triedLength { return false }
    if bytes.count >= triedLength + triedLength / 2 || isLast { return true }
    if triedTotal > max(Self.freeTotal, bytes.count * Self.triesOfLength) { return false }
    let last = bytes.suffix(Self.endLength).last { $0 > 0x20 }
    return last == UInt8(ascii: "}") || last == UInt8(ascii: "]")
  }

  /// This many bytes are gone over in about 10 ms. A short document never comes to that; for a longer one it is less
  /// than a microsecond for each of its bytes.
  private static var freeTotal: Int { 16 << 20 }
  private static var triesOfLength: Int { 8 }
  /// A document's closing bracket is looked for in the last bytes, this many of them: a line break and some spaces may
  /// follow it.
  private static var endLength: Int { 16 }
}
