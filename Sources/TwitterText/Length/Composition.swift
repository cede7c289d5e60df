import TweetCore

/// Text in Unicode's normalization form C, in which X counts it.
///
/// The standard library normalizes only inside comparisons, so this is the algorithm of its own (Unicode, chapter 3.11),
/// over a table of decompositions; combining classes come from the standard library. Compatibility ideographs stay as
/// they are: they weigh what the ideographs they stand for do.
struct ComposedText {
  /// The normalized scalars.
  private(set) var scalars: [UInt32] = []
  /// How many scalars of the text there may be before the cut if it is cut behind each of ``scalars``.
  private(set) var cuts: [Int] = []

  private struct Part {
    var scalar: UInt32
    var combiningClass: UInt8
    /// Where in the text it comes from.
    var source: Int
  }

  /// Whether normalizing cannot change a text: looked at before the work is done.
  static func isComposed(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = 0
    while place < text.count {
      let scalar = decodeScalar(text, at: place)
      guard isStable(scalar.value) else { return false }
      place += scalar.length
    }
    return true
  }

  /// Scalars of everyday text that are their own normalized form and do not join what stands before them.
  private static func isStable(_ scalar: UInt32) -> Bool {
    switch scalar {
    // Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic letters; punctuation, joiners, symbols.
    case 0..<0x300, 0x388...0x482, 0x48A...0x58F, 0x5D0...0x5F4, 0x61B...0x64A, 0x660...0x66F, 0x671...0x6D5,
      0x2002...0x20CF, 0x20E3, 0x2190...0x2328, 0x2400...0x2ADB,
      // Kana without voicing marks, ideographs, Hangul syllables, selectors, wide forms, emoji.
      0x3000...0x3029, 0x3041...0x3096, 0x309B...0x9FFF, 0xAC00...0xD7A3, 0xFE0E, 0xFE0F, 0xFF01...0xFFEF,
      0x1F000...0x1FAFF:
      true
    default: false
    }
  }

  init(_ text: UnsafeBufferPointer<UInt8>) {
    var parts = Self.decomposed(text)
    Self.reorder(&parts)
    Self.compose(&parts)
    scalars = parts.map(\.scalar)
    var cut = text.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    cuts = Array(repeating: cut, count: parts.count)
    for index in parts.indices.reversed() {
      cuts[index] = cut
      cut = min(cut, parts[index].source)
    }
  }

  private static func decomposed(_ text: UnsafeBufferPointer<UInt8>) -> [Part] {
    var parts: [Part] = []
    parts.reserveCapacity(text.count)
    var (place, source) = (0, 0)
    while place < text.count {
      let scalar = decodeScalar(text, at: place)
      decompose(scalar.value, source, into: &parts)
      place += scalar.length
      source += 1
    }
    return parts
  }

  private static func decompose(_ scalar: UInt32, _ source: Int, into parts: inout [Part]) {
    if let row = Decomposition.row(for: scalar) {
      decompose(row.first, source, into: &parts)
      if row.second != 0 { decompose(row.second, source, into: &parts) }
    } else if let jamo = Hangul.jamo(of: scalar) {
      for part in jamo where part != 0 { parts.append(Part(scalar: part, combiningClass: 0, source: source)) }
    } else {
      let combining = scalar < 0x300 ? 0 : Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue
      parts.append(Part(scalar: scalar, combiningClass: combining ?? 0, source: source))
    }
  }

  /// Sorts every run of marks by combining class, those of one class as they came.
  private static func reorder(_ parts: inout [Part]) {
    var start = 0
    while start < parts.count {
      guard parts[start].combiningClass != 0 else {
        start += 1
        continue
      }
      let end = parts[start...].firstIndex { $0.combiningClass == 0 } ?? parts.count
      let sorted = parts[start..<end].enumerated().sorted {
        ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
      }
      parts.replaceSubrange(start..<end, with: sorted.map(\.element))
      start = end
    }
  }

  private static func compose(_ parts: inout [Part]) {
    var kept: [Part] = []
    kept.reserveCapacity(parts.count)
    var starter: Int?
    for part in parts {
      // What stands between blocks a scalar from its starter unless it is a mark of a smaller class.
      if let starter {
        let isNext = starter == kept.count - 1
        let isBlocked = !isNext && (kept.last.map { $0.combiningClass >= part.combiningClass } ?? false)
        if !isBlocked, let whole = Decomposition.whole(of: kept[starter].scalar, part.scalar) {
          kept[starter].scalar = whole
          continue
        }
      }
      if part.combiningClass == 0 { starter = kept.count }
      kept.append(part)
    }
    parts = kept
  }
}

/// What a scalar stands for and what two make together.
private enum Decomposition {
  private static let mask: UInt64 = 0x1F_FFFF
  private static let isOneWay: UInt64 = 1 << 63

  static func row(for scalar: UInt32) -> (first: UInt32, second: UInt32)? {
    // Nothing below has one.
    guard scalar >= 0xC0 else { return nil }
    let rows = DecompositionTable.rows
    let place = lowerBound(rows) { UInt32($0 >> 42 & mask) < scalar }
    guard place < rows.count, UInt32(rows[place] >> 42 & mask) == scalar else { return nil }
    return (UInt32(rows[place] >> 21 & mask), UInt32(rows[place] & mask))
  }

  static func whole(of first: UInt32, _ second: UInt32) -> UInt32? {
    if let syllable = Hangul.syllable(of: first, second) { return syllable }
    let wanted = UInt64(first) << 21 | UInt64(second)
    let place = lowerBound(pairs) { $0.parts < wanted }
    return place < pairs.count && pairs[place].parts == wanted ? pairs[place].whole : nil
  }

  /// The table by parts.
  private static let pairs: [(parts: UInt64, whole: UInt32)] = DecompositionTable.rows
    .filter { $0 & isOneWay == 0 }
    .map { (parts: $0 & (1 << 42 - 1), whole: UInt32($0 >> 42)) }
    .sorted { $0.parts < $1.parts }

  private static func lowerBound<Row>(_ rows: [Row], _ isBefore: (Row) -> Bool) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(rows[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Hangul syllables are put together by rule (Unicode, chapter 3.12).
private enum Hangul {
  static func jamo(of scalar: UInt32) -> [UInt32]? {
    guard (0xAC00...0xD7A3).contains(scalar) else { return nil }
    let index = scalar - 0xAC00
    let trailing = index % 28
    return [0x1100 + index / 588, 0x1161 + index % 588 / 28, trailing == 0 ? 0 : 0x11A7 + trailing]
  }

  static func syllable(of first: UInt32, _ second: UInt32) -> UInt32? {
    if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) {
      return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
    }
    guard (0xAC00...0xD7A3).contains(first), (first - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(second) else {
      return nil
    }
    return first + second - 0x11A7
  }
}
