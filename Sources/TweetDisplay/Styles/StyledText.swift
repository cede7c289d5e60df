package import TweetCore

/// Printable text with the ink of each piece of it, and the addresses that pieces link to.
///
/// Text is appended to ``bytes`` and then marked. Any range of it can be printed, so that whoever breaks lines need not
/// know of inks and links.
struct StyledText: ~Copyable {
  private struct Run {
    var end: Int
    var ink: Ink
    /// Where its link's address is in `addresses`; empty when it has none.
    var address: Range<Int>
  }

  var bytes = ByteBuffer()
  private var runs: [Run] = []
  private var addresses = ByteBuffer()

  var isEmpty: Bool { bytes.count == 0 }
  var count: Int { bytes.count }

  /// The bytes from `start` on: valid until more is appended.
  borrowing func view(from start: Int) -> UnsafeBufferPointer<UInt8> { view(start..<count) }

  /// The bytes of `range`: valid until more is appended.
  borrowing func view(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    bytes.withBytes { UnsafeBufferPointer(rebasing: $0[range]) }
  }

  mutating func removeAll() {
    bytes.removeAll()
    runs.removeAll(keepingCapacity: true)
    addresses.removeAll()
  }

  /// Gives an ink to all that was appended since the last mark.
  mutating func mark(_ ink: Ink) {
    mark(ink, address: 0..<0)
  }

  /// Gives an ink to all that was appended since the last mark, and links it to `address` if that is a web address.
  mutating func mark(_ ink: Ink, linkingTo address: UnsafeBufferPointer<UInt8>) {
    let start = addresses.count
    ShownAddress.appendEscaped(address, to: &addresses)
    mark(ink, address: start..<addresses.count)
  }

  private mutating func mark(_ ink: Ink, address: Range<Int>) {
    if let last = runs.last, last.end == bytes.count { return }
    if let last = runs.last, last.ink == ink, last.address.isEmpty, address.isEmpty {
      runs[runs.count - 1].end = bytes.count
    } else {
      runs.append(Run(end: bytes.count, ink: ink, address: address))
    }
  }

  mutating func append(_ text: StaticString, _ ink: Ink) {
    bytes.append(text)
    mark(ink)
  }

  /// Prints the bytes of `range`, with the colours and links that `style` allows.
  borrowing func print(_ range: Range<Int>, in style: TerminalStyle, to output: inout ByteBuffer) {
    bytes.withBytes { bytes in
      if style.colours == .none, !style.hasLinks {
        output.append(UnsafeBufferPointer(rebasing: bytes[range]))
        return
      }
      var start = range.lowerBound
      var index = firstRun(endingBehind: start)
      while start < range.upperBound {
        guard index < runs.count else {
          output.append(UnsafeBufferPointer(rebasing: bytes[start..<range.upperBound]))
          return
        }
        let run = runs[index]
        let end = min(run.end, range.upperBound)
        print(UnsafeBufferPointer(rebasing: bytes[start..<end]), as: run, style, to: &output)
        start = end
        index += 1
      }
    }
  }

  private borrowing func print(
    _ piece: UnsafeBufferPointer<UInt8>, as run: Run, _ style: TerminalStyle, to output: inout ByteBuffer
  ) {
    let isLink = style.hasLinks && !run.address.isEmpty
    let hasInk = style.colours != .none && run.ink != .plain
    if isLink {
      output.append("\u{1B}]8;;")
      addresses.withBytes { output.append(UnsafeBufferPointer(rebasing: $0[run.address])) }
      output.append("\u{1B}\\")
    }
    if hasInk { output.append(run.ink.sequence) }
    output.append(piece)
    if hasInk { output.append(Ink.end) }
    if isLink { output.append("\u{1B}]8;;\u{1B}\\") }
  }

  /// The index of the first run that ends behind `offset`. Runs are in order.
  private borrowing func firstRun(endingBehind offset: Int) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension ByteBuffer {
  /// Cuts printable text, all that was appended from `start` on, to `most` columns, the ellipsis included.
  package mutating func cut(from start: Int, most: Int, ellipsis: StaticString) {
    // No letter takes more columns than bytes.
    if count - start <= most { return }
    let end: Int? = withBytes { bytes in
      let text = UnsafeBufferPointer(rebasing: bytes[start...])
      if DisplayWidth.widest(of: text) <= most { return nil }
      return start + DisplayWidth.prefix(of: text, fitting: most - ellipsis.columns).end
    }
    guard let end else { return }
    truncate(to: end)
    append(ellipsis)
  }
}
