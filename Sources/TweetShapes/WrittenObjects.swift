import TweetCore

/// Where in the output objects of the current document were written. A page refers to the same users and posts again
/// and again; each is mapped once and then copied from the output.
///
/// It is a cache with one entry a slot: a newer object replaces an older one with the same slot.
struct WrittenObjects: ~Copyable {
  private struct Entry {
    var generation = 0
    /// Of the document, which may be the tweet's or another with what belongs to it.
    var text: UnsafePointer<UInt8>?
    var node: UInt32 = 0
    var variant = 0
    var range = 0..<0
  }
  private static let bits = 9
  private var entries: [Entry] = []
  /// Entries of earlier generations are invalid.
  private var generation = 1

  /// Invalidates all entries: for another document, or when a part of the output is taken back.
  mutating func removeAll() { generation += 1 }

  /// Where `object` was written; `nil` when that is not known.
  /// - Parameter variant: tells apart the forms in which the same object is written.
  borrowing func find(_ object: JSONValue, variant: Int = 0) -> Range<Int>? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[Self.slot(object.node, variant)]
    guard entry.generation == generation, entry.node == object.node, entry.text == object.text,
      entry.variant == variant
    else { return nil }
    return entry.range
  }

  /// Records where in the output `object` was written.
  mutating func insert(_ object: JSONValue, variant: Int = 0, at range: Range<Int>) {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: 1 << Self.bits) }
    entries[Self.slot(object.node, variant)] = Entry(
      generation: generation, text: object.text, node: object.node, variant: variant, range: range)
  }

  private static func slot(_ node: UInt32, _ variant: Int) -> Int {
    let mixed = (node &+ UInt32(truncatingIfNeeded: variant)) &* 0x9E37_79B1
    return Int(mixed >> UInt32(32 - bits))
  }
}
