import TweetCore

/// Where in the output the objects of the document in work were written: a page's users and posts are referred to again and
/// again, and what was written once is copied.
///
/// A small table in which a newer object may take an older one's place.
struct WrittenObjects: ~Copyable {
  private struct Entry {
    var document = 0
    var place: UInt32 = 0
    var level = 0
    var range = 0..<0
  }
  private static let bits = 9
  private var entries: [Entry] = []
  /// Counted on where what was written counts no longer.
  private var document = 1

  /// Forgets everything: another document comes, or what was written is taken back.
  mutating func removeAll() { document += 1 }

  /// Where `object` was written last; `nil` when it was not.
  /// - Parameter level: what else decides of how it is written.
  borrowing func find(_ object: JSONValue, level: Int = 0) -> Range<Int>? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[Self.slot(object.node, level)]
    guard entry.document == document, entry.place == object.node, entry.level == level else { return nil }
    return entry.range
  }

  /// Takes note of where in the output `object` was written.
  mutating func insert(_ object: JSONValue, level: Int = 0, at range: Range<Int>) {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: 1 << Self.bits) }
    entries[Self.slot(object.node, level)] = Entry(
      document: document, place: object.node, level: level, range: range)
  }

  private static func slot(_ place: UInt32, _ level: Int) -> Int {
    let mixed = (place &+ UInt32(truncatingIfNeeded: level)) &* 0x9E37_79B1
    return Int(mixed >> UInt32(32 - bits))
  }
}
