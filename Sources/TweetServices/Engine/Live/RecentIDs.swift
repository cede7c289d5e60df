/// Remembers the newest ids seen, so that a post which comes again after a reconnect is left out.
package struct RecentIDs: Sendable {
  private let capacity: Int
  /// The ids, in the order they came; once there are enough, each takes the place of the oldest.
  private var ring: [Int] = []
  private var next = 0
  /// A hash table of places in the ring, counted from 1; 0 is free. Half of them at least are free, and what collides
  /// stands in the next free one. A `Set` takes several times as long.
  private var slots: [Int32]
  private let shift: Int

  /// - Parameter capacity: how many are remembered, at least 1. X sends at most 250 posts a second and fills in at most
  ///   a few seconds by itself.
  package init(capacity: Int = 8192) {
    self.capacity = capacity
    ring.reserveCapacity(capacity)
    let bits = Int.bitWidth - (capacity * 2 - 1).leadingZeroBitCount
    slots = Array(repeating: 0, count: 1 << bits)
    shift = Int.bitWidth - bits
  }

  package func contains(_ id: Int) -> Bool { slots[slot(of: id)] != 0 }

  /// Notes an id; `false` when it was there already.
  package mutating func insert(_ id: Int) -> Bool {
    guard !contains(id) else { return false }
    if ring.count < capacity {
      ring.append(id)
      slots[slot(of: id)] = Int32(ring.count)
    } else {
      remove(ring[next])
      ring[next] = id
      slots[slot(of: id)] = Int32(next + 1)
      next = (next + 1) % capacity
    }
    return true
  }

  /// Where an id would stand if nothing collided (Fibonacci hashing).
  private func home(of id: Int) -> Int { Int(bitPattern: (UInt(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) >> shift) }

  private func after(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

  /// Where an id stands, or the free slot where it would.
  private func slot(of id: Int) -> Int {
    var slot = home(of: id)
    while slots[slot] != 0, ring[Int(slots[slot]) - 1] != id { slot = after(slot) }
    return slot
  }

  /// Frees an id's slot, and moves up what stands behind it only because it was taken.
  private mutating func remove(_ id: Int) {
    var free = slot(of: id)
    slots[free] = 0
    var slot = after(free)
    while slots[slot] != 0 {
      let way = slot - home(of: ring[Int(slots[slot]) - 1])
      if way & (slots.count - 1) >= (slot - free) & (slots.count - 1) {
        slots[free] = slots[slot]
        slots[slot] = 0
        free = slot
      }
      slot = after(slot)
    }
  }
}
