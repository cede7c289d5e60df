/// Remembers the keys seen last, in memory that does not grow with the input.
package struct RecentKeys: Sendable {
  /// Keys are remembered in two sets. When the newer one is full, the older one is forgotten and it takes its place.
  private var newer: Set<Int> = []
  private var older: Set<Int> = []
  private let capacity: Int
  /// The largest key that ever came: a larger one is new, as the ids of a stream mostly are.
  private var largest = Int.min

  /// - Parameter capacity: the last keys, this many of them, are remembered for certain, and never more than twice as
  ///   many.
  package init(capacity: Int) { self.capacity = capacity }

  /// Remembers a number.
  ///
  /// - Returns: `false` if it is remembered from before.
  package mutating func insert(_ key: Int) -> Bool {
    guard newer.insert(key).inserted else { return false }
    let isNew = key > largest || !older.contains(key)
    largest = max(largest, key)
    if newer.count == capacity {
      swap(&newer, &older)
      newer.removeAll(keepingCapacity: true)
    }
    return isNew
  }

  /// Remembers a text by 64 bits of it, from a hash that is seeded for each process.
  ///
  /// - Returns: `false` if it is remembered from before.
  package mutating func insert(_ key: ByteView) -> Bool {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return insert(hasher.finalize())
  }

  /// Whether a number is remembered.
  package func contains(_ key: Int) -> Bool { newer.contains(key) || older.contains(key) }
}
