/// Remembers the keys seen last, in memory that does not grow with the input: 64 bits of each, from a hash that is seeded
/// for each process.
package struct RecentKeys {
  /// Keys are remembered in two sets. When the newer one is full the older one is forgotten and it takes its place.
  private var newer: Set<Int> = []
  private var older: Set<Int> = []
  private let capacity: Int

  /// - Parameter capacity: so many keys that came last are remembered for certain, up to twice as many at most.
  package init(capacity: Int) { self.capacity = capacity }

  /// Notes that `key` has come; `false` when it is remembered from before.
  package mutating func insert(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key))
    let mark = hasher.finalize()
    guard newer.insert(mark).inserted else { return false }
    let isNew = !older.contains(mark)
    if newer.count == capacity {
      older = newer
      newer = []
    }
    return isNew
  }
}
