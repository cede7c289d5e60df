package import TweetCore

/// Reads the grapheme clusters of printable UTF-8 text, one after the other.
///
/// Most text needs no segmentation rules: between two scalars that never join there is a boundary. Only runs around
/// joining scalars are segmented, by the standard library's `Character`.
package struct ClusterReader {
  package struct Cluster: Equatable {
    package let start: Int
    package let end: Int
    /// In columns: 0, 1 or 2.
    package let width: Int
    /// The columns that it takes in terminals that do not know such clusters, and draw their scalars one by one.
    package let widest: Int
    /// Its first scalar.
    package let first: UInt32
  }

  private let text: ByteView
  private var offset = 0
  /// The ends of the clusters that are left of the run being read, the next one last.
  private var ends: [Int] = []

  /// - Parameter text: must stay valid as long as the reader is used.
  package init(_ text: ByteView) {
    self.text = text
  }

  /// Continues at `offset`, which must be the start of a cluster. What is known of the run that it lies in is kept: a
  /// run that is left for each of its ASCII letters is segmented once.
  package mutating func move(to offset: Int) {
    while self.offset < offset, let end = ends.popLast() { self.offset = end }
    guard self.offset != offset else { return }
    ends.removeAll(keepingCapacity: true)
    self.offset = offset
  }

  /// The next cluster; `nil` at the end.
  @inline(__always)
  package mutating func next() -> Cluster? {
    guard offset < text.count else { return nil }
    if !ends.isEmpty { return nextInRun() }
    let start = offset
    let first = text[start]
    if first < 0x80, start + 1 == text.count || text[start + 1] < 0x80 {
      offset = start + 1
      return Cluster(start: start, end: offset, width: 1, widest: 1, first: UInt32(first))
    }
    return nextBeyondASCII()
  }

  private mutating func nextBeyondASCII() -> Cluster {
    let start = offset
    let scalar = decodeScalar(text, at: start)
    let kind = ScalarClass(of: scalar.value)
    let end = start + scalar.length
    if !kind.joins, end == text.count || !ScalarClass(of: decodeScalar(text, at: end).value).joins {
      offset = end
      return Cluster(start: start, end: end, width: kind.width, widest: kind.width, first: scalar.value)
    }
    splitRun(from: start)
    return nextInRun()
  }

  private mutating func nextInRun() -> Cluster {
    let start = offset
    offset = ends.popLast() ?? text.count
    let (width, widest) = widths(from: start, to: offset)
    return Cluster(
      start: start, end: offset, width: width, widest: widest, first: decodeScalar(text, at: start).value)
  }

  /// About how many bytes of a run are segmented at once, which bounds the memory. A longer cluster is divided.
  private static let longestRun = 32 << 10

  /// Segments the run from `start` to the first boundary between two scalars that do not join, or a part of a long one.
  private mutating func splitRun(from start: Int) {
    var end = start
    var lastJoins = true
    while end < text.count, end - start < Self.longestRun {
      let scalar = decodeScalar(text, at: end)
      let joins = ScalarClass(of: scalar.value).joins
      if !joins, !lastJoins { break }
      lastJoins = joins
      end += scalar.length
    }
    let run = ByteView(rebasing: text[start..<end])
    let string = String(decoding: run, as: UTF8.self)
    var clusterEnd = start
    // If wrong bytes were repaired, offsets in the string are not those in the text.
    if string.utf8.count == run.count {
      for character in string {
        clusterEnd += character.utf8.count
        ends.append(clusterEnd)
      }
    } else {
      while clusterEnd < end {
        clusterEnd += decodeScalar(text, at: clusterEnd).length
        ends.append(clusterEnd)
      }
    }
    // What follows may belong to the last cluster of a part.
    if end - start >= Self.longestRun, ends.count > 1 { ends.removeLast() }
    ends.reverse()
  }

  private func widths(from start: Int, to end: Int) -> (width: Int, widest: Int) {
    var width = 0
    var isEmoji = false
    var flagHalves = 0
    var offset = start
    var previous: UInt32 = 0
    while offset < end {
      let scalar = decodeScalar(text, at: offset)
      if scalar.value == 0xFE0F, Unicode.Scalar(previous)?.properties.isEmoji == true { isEmoji = true }
      if (0x1F1E6...0x1F1FF).contains(scalar.value) { flagHalves += 1 }
      width += ScalarClass(of: scalar.value).width
      previous = scalar.value
      offset += scalar.length
    }
    // Half a flag alone is one column wide for all terminals that draw it so.
    return (isEmoji ? 2 : min(width, 2), max(width - flagHalves, isEmoji ? 2 : min(width, 2)))
  }
}
