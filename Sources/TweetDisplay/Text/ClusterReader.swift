import TweetCore

/// Reads printable UTF-8 a grapheme cluster at a time.
///
/// Most text needs no segmentation rules: where neither of two scalars is one that joins, there is a boundary between
/// them. Only the stretches around joining ones are handed to the standard library's `Character`.
package struct ClusterReader {
  package struct Cluster: Equatable {
    package let start: Int
    package let end: Int
    /// Columns: 0, 1 or 2.
    package let width: Int
    /// The first scalar.
    package let first: UInt32
  }

  private let text: UnsafeBufferPointer<UInt8>
  private var at = 0
  /// Ends of the clusters of the joined stretch being read, the next one last.
  private var ends: [Int] = []

  /// Reads `text`, which must stay in place.
  package init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// Goes on reading at `offset`, which must be a cluster's start.
  package mutating func move(to offset: Int) {
    ends.removeAll(keepingCapacity: true)
    at = offset
  }

  @inline(__always)
  package mutating func next() -> Cluster? {
    guard at < text.count else { return nil }
    if !ends.isEmpty { return nextJoined() }
    let start = at
    let first = text[start]
    if first < 0x80, start + 1 == text.count || text[start + 1] < 0x80 {
      at = start + 1
      return Cluster(start: start, end: at, width: 1, first: UInt32(first))
    }
    return nextBeyondASCII()
  }

  private mutating func nextBeyondASCII() -> Cluster {
    let start = at
    let scalar = decodeScalar(text, at: start)
    let kind = ScalarClass(of: scalar.value)
    let end = start + scalar.length
    if !kind.joins, end == text.count || !ScalarClass(of: decodeScalar(text, at: end).value).joins {
      at = end
      return Cluster(start: start, end: end, width: kind.width, first: scalar.value)
    }
    splitStretch(from: start)
    return nextJoined()
  }

  private mutating func nextJoined() -> Cluster {
    let start = at
    at = ends.popLast() ?? text.count
    return Cluster(
      start: start, end: at, width: width(from: start, to: at), first: decodeScalar(text, at: start).value)
  }

  /// Segments the stretch from `start` to the first boundary between two scalars that do not join.
  private mutating func splitStretch(from start: Int) {
    var end = start
    var lastJoins = true
    while end < text.count {
      let scalar = decodeScalar(text, at: end)
      let joins = ScalarClass(of: scalar.value).joins
      if end > start, !joins, !lastJoins { break }
      lastJoins = joins
      end += scalar.length
      // The first scalar may begin a cluster whether or not it joins.
      if end - scalar.length == start { lastJoins = true }
    }
    let stretch = UnsafeBufferPointer(rebasing: text[start..<end])
    let string = String(decoding: stretch, as: UTF8.self)
    var position = start
    // Repaired bytes would shift every offset behind them.
    if string.utf8.count == stretch.count {
      for character in string {
        position += character.utf8.count
        ends.append(position)
      }
    } else {
      while position < end {
        position += decodeScalar(text, at: position).length
        ends.append(position)
      }
    }
    ends.reverse()
  }

  private func width(from start: Int, to end: Int) -> Int {
    var width = 0
    var position = start
    var previous: UInt32 = 0
    while position < end {
      let scalar = decodeScalar(text, at: position)
      if scalar.value == 0xFE0F, Unicode.Scalar(previous)?.properties.isEmoji == true { return 2 }
      width += ScalarClass(of: scalar.value).width
      previous = scalar.value
      position += scalar.length
    }
    return min(width, 2)
  }
}
