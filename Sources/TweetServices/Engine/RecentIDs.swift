/// Remembers the newest ids seen, so that a post which comes again after a reconnect is left out.
package struct RecentIDs: Sendable {
  private var ring: [Int]
  private var next = 0
  private var known: Set<Int> = []

  /// - Parameter capacity: how many are remembered. X sends at most 250 posts a second and fills in at most a few
  ///   seconds by itself.
  package init(capacity: Int = 8192) {
    ring = []
    ring.reserveCapacity(capacity)
    known.reserveCapacity(capacity)
    self.capacity = capacity
  }

  private let capacity: Int

  package func contains(_ id: Int) -> Bool { known.contains(id) }

  /// Notes an id; `false` when it was there already.
  package mutating func insert(_ id: Int) -> Bool {
    guard known.insert(id).inserted else { return false }
    if ring.count < capacity {
      ring.append(id)
    } else {
      known.remove(ring[next])
      ring[next] = id
      next = (next + 1) % capacity
    }
    return true
  }
}
