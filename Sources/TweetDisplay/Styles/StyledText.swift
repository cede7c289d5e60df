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
  /// What is highlighted, in order.
  private(set) var highlights: [Range<Int>] = []
  private var runs: [Run] = []
  private var addresses = ByteBuffer()

  var isEmpty: Bool { bytes.count == 0 }
  var count: Int { bytes.count }

  /// The bytes from `start` on: valid until more is appended.
  borrowing func view(from start: Int) -> ByteView { view(start..<count) }

  /// The bytes of `range`: valid until more is appended.
  borrowing func view(_ range: Range<Int>) -> ByteView {
    bytes.withBytes { ByteView(rebasing: $0[range]) }
  }

  mutating func removeAll() {
    bytes.removeAll()
    runs.removeAll(keepingCapacity: true)
    highlights.removeAll(keepingCapacity: true)
    addresses.removeAll()
  }

  /// Removes what is after the first bytes.
  mutating func truncate(to length: Int) {
    bytes.truncate(to: length)
    while runs.count > 1, runs[runs.count - 2].end >= bytes.count { runs.removeLast() }
    if let last = runs.indices.last { runs[last].end = min(runs[last].end, bytes.count) }
    highlights.removeAll { $0.lowerBound >= bytes.count }
  }

  /// Gives an ink to all that was appended since the last mark.
  mutating func mark(_ ink: Ink) {
    mark(ink, address: 0..<0)
  }

  /// Gives an ink to all that was appended since the last mark, and links it to `address` if that is a web address.
  mutating func mark(_ ink: Ink, linkingTo address: ByteView) {
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

  /// Appends another text with its inks, links and highlights.
  mutating func append(_ other: borrowing StyledText) {
    let (start, addressStart) = (count, addresses.count)
    bytes.append(other.view(from: 0))
    other.addresses.withBytes { addresses.append($0) }
    for run in other.runs {
      let address = run.address.lowerBound + addressStart..<run.address.upperBound + addressStart
      runs.append(Run(end: run.end + start, ink: run.ink, address: address))
    }
    // What has no mark yet must not get the next one's.
    mark(.plain)
    for range in other.highlights { highlights.append(range.lowerBound + start..<range.upperBound + start) }
  }

  /// The links of a range of the bytes, each with the words of it that are linked.
  borrowing func links(in range: Range<Int>) -> [BlockRows.Link] {
    var links: [BlockRows.Link] = []
    var start = 0
    for run in runs {
      let words = (start..<run.end).clamped(to: range)
      start = run.end
      if run.address.isEmpty || words.isEmpty { continue }
      let address = addresses.withBytes { Array($0[run.address]) }
      links.append(BlockRows.Link(words: Array(view(words)), address: address))
    }
    return links
  }

  /// Prints the bytes of `range`, with the colours and links that `style` allows.
  borrowing func print(_ range: Range<Int>, in style: TerminalStyle, to output: inout ByteBuffer) {
    bytes.withBytes { bytes in
      if style.colours == .none, !style.hasLinks {
        output.append(ByteView(rebasing: bytes[range]))
        return
      }
      var start = range.lowerBound
      var index = firstRun(endingAfter: start)
      while start < range.upperBound {
        guard index < runs.count else {
          output.append(ByteView(rebasing: bytes[start..<range.upperBound]))
          return
        }
        let run = runs[index]
        let end = min(run.end, range.upperBound)
        print(start..<end, of: bytes, as: run, style, to: &output)
        start = end
        index += 1
      }
    }
  }

  private borrowing func print(
    _ range: Range<Int>, of bytes: ByteView, as run: Run, _ style: TerminalStyle,
    to output: inout ByteBuffer
  ) {
    let isLink = style.hasLinks && !run.address.isEmpty
    let hasInk = style.colours != .none && run.ink != .plain
    if isLink {
      output.append("\u{1B}]8;;")
      addresses.withBytes { output.append(ByteView(rebasing: $0[run.address])) }
      output.append("\u{1B}\\")
    }
    if hasInk { output.append(run.ink.sequence(style.colours)) }
    if highlights.isEmpty || style.colours == .none {
      output.append(ByteView(rebasing: bytes[range]))
    } else {
      printHighlighted(range, of: bytes, to: &output)
    }
    if hasInk { output.append(Ink.end) }
    if isLink { output.append("\u{1B}]8;;\u{1B}\\") }
  }

  /// Prints a range, with what is highlighted in reverse colours.
  private borrowing func printHighlighted(
    _ range: Range<Int>, of bytes: ByteView, to output: inout ByteBuffer
  ) {
    var start = range.lowerBound
    for hit in highlights where hit.overlaps(range) {
      let hit = hit.clamped(to: range)
      output.append(ByteView(rebasing: bytes[start..<hit.lowerBound]))
      output.append("\u{1B}[7m")
      output.append(ByteView(rebasing: bytes[hit]))
      output.append("\u{1B}[27m")
      start = hit.upperBound
    }
    output.append(ByteView(rebasing: bytes[start..<range.upperBound]))
  }

  /// Highlights all occurrences of words from `start` on. ASCII letters match in either case; a word that begins or
  /// ends with an ASCII letter or digit is not found within a longer one.
  mutating func highlight(_ words: [String], from start: Int = 0) {
    if words.isEmpty { return }
    let found: [Range<Int>] = bytes.withBytes { bytes in
      var found: [Range<Int>] = []
      for word in words {
        let word = Array(word.utf8)
        var offset = start
        while offset + word.count <= bytes.count {
          let range = offset..<offset + word.count
          if Self.matches(word, bytes, range) {
            found.append(range)
            offset = range.upperBound
          } else {
            offset += 1
          }
        }
      }
      return found
    }
    highlight(found)
  }

  /// Highlights ranges of the bytes.
  mutating func highlight(_ ranges: [Range<Int>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = highlights.last, last.upperBound >= range.lowerBound {
        highlights[highlights.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        highlights.append(range)
      }
    }
  }

  private static func matches(_ word: [UInt8], _ bytes: ByteView, _ range: Range<Int>) -> Bool {
    for (index, byte) in word.enumerated() {
      let other = bytes[range.lowerBound + index]
      guard byte == other || isLetter(byte) && byte | 0x20 == other | 0x20 else { return false }
    }
    let isInside = { (offset: Int) in
      offset > 0 && offset < bytes.count && isWord(bytes[offset - 1]) && isWord(bytes[offset])
    }
    return !isInside(range.lowerBound) && !isInside(range.upperBound)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || byte &- UInt8(ascii: "0") < 10 }

  /// The index of the first run that ends after `offset`. Runs are in order.
  private borrowing func firstRun(endingAfter offset: Int) -> Int {
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
    let end = withBytes { bytes in
      DisplayWidth.cut(ByteView(rebasing: bytes[start...]), most: most, leaving: ellipsis.columns)
    }
    guard let end else { return }
    truncate(to: start + end)
    append(ellipsis)
  }
}
