import TweetCore

/// What a scalar does to the width of its grapheme cluster, and whether it may join its neighbours.
enum ScalarClass: UInt8 {
  /// One column, a cluster of its own unless a joining scalar follows.
  case narrow = 0
  /// Two columns, likewise.
  case wide = 1
  /// No columns: it joins what stands before it (accents, joiners, selectors, trailing jamo).
  case mark = 2
  /// One column, joins (spacing vowel signs, prepended signs).
  case spacing = 3
  /// Two columns, joins (leading jamo, halves of flags, skin tones).
  case joiningWide = 4

  /// The class of any scalar; control characters count as narrow and must be taken out before.
  @inline(__always)
  init(of scalar: UInt32) {
    if scalar < 0x300 {
      self = .narrow
    } else if (0x4E00...0x9FFF).contains(scalar) || (0xAC00...0xD7A3).contains(scalar)
      || (0x30A1...0x30FE).contains(scalar) || (0x3041...0x3096).contains(scalar)
    {
      self = .wide
    } else {
      self = Self.lookUp(scalar)
    }
  }

  private static func lookUp(_ scalar: UInt32) -> ScalarClass {
    let rows = WidthTable.rows
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      let row = rows[middle]
      if scalar < UInt32(row >> 32) {
        high = middle
      } else if scalar > UInt32(truncatingIfNeeded: row >> 8) & 0xFFFFFF {
        low = middle + 1
      } else {
        return ScalarClass(rawValue: UInt8(row & 0xFF)) ?? .narrow
      }
    }
    return .narrow
  }

  /// Columns it adds to its cluster.
  @inline(__always)
  var width: Int {
    switch self {
    case .narrow, .spacing: 1
    case .wide, .joiningWide: 2
    case .mark: 0
    }
  }

  /// Whether a cluster boundary beside it needs the full rules to be found.
  @inline(__always)
  var joins: Bool { rawValue >= ScalarClass.mark.rawValue }
}

/// How many terminal columns text takes.
///
/// A grapheme cluster is as wide as its scalars together, but never wider than two: that is right for wide letters,
/// conjuncts, flags, skin tones and families of joined emoji. Ambiguous widths (Greek, box drawing) are one. An emoji that is
/// a text sign by default becomes wide with U+FE0F behind it. Terminals differ on the rarer clusters, so layouts should
/// put nothing that must line up behind text from outside.
package enum DisplayWidth {
  /// The columns of printable UTF-8. Control characters count as one each: make text printable first.
  package static func of(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    if text.allSatisfy({ $0 < 0x80 }) { return text.count }
    var clusters = ClusterReader(text)
    var width = 0
    while let cluster = clusters.next() { width += cluster.width }
    return width
  }

  /// The longest beginning of `text` that fits into `columns`, whole clusters only: where it ends and its width.
  package static func prefix(
    of text: UnsafeBufferPointer<UInt8>, fitting columns: Int
  ) -> (end: Int, width: Int) {
    var clusters = ClusterReader(text)
    var end = 0
    var width = 0
    while let cluster = clusters.next(), width + cluster.width <= columns {
      end = cluster.end
      width += cluster.width
    }
    return (end, width)
  }
}

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
