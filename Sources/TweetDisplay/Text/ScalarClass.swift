import TweetCore

/// The width that a scalar adds to its grapheme cluster, and whether it may join its neighbours in one.
enum ScalarClass: UInt8 {
  /// One column; a cluster of its own, unless a joining scalar follows.
  case narrow = 0
  /// Two columns; a cluster of its own, unless a joining scalar follows.
  case wide = 1
  /// No columns; joins what is before it (accents, joiners, selectors, trailing jamo).
  case mark = 2
  /// One column; joins (spacing vowel signs, prepended signs).
  case spacing = 3
  /// Two columns; joins (leading jamo, halves of flags, skin tones).
  case joiningWide = 4

  /// The class of any scalar. Control characters count as narrow: they must be removed before.
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

  /// The columns it adds to its cluster.
  @inline(__always)
  var width: Int {
    switch self {
    case .narrow, .spacing: 1
    case .wide, .joiningWide: 2
    case .mark: 0
    }
  }

  /// Whether only the full rules can tell if there is a cluster boundary beside it.
  @inline(__always)
  var joins: Bool { rawValue >= ScalarClass.mark.rawValue }
}
