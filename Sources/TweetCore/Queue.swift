/// A first-in, first-out list whose operations take constant time on average. An element can also be put at the front.
@usableFromInline package struct Queue<Element> {
  /// The older elements, the oldest last.
  @usableFromInline var front: [Element] = []
  /// The newer elements, the newest last.
  @usableFromInline var back: [Element] = []

  @inlinable package init() {}

  @inlinable package var count: Int { front.count + back.count }
  @inlinable package var isEmpty: Bool { front.isEmpty && back.isEmpty }
  /// The element that comes out next.
  @inlinable package var first: Element? { front.last ?? back.first }

  @inlinable package mutating func append(_ element: Element) { back.append(element) }
  /// Puts an element before all others: it comes out next.
  @inlinable package mutating func prepend(_ element: Element) { front.append(element) }

  @inlinable package mutating func popFirst() -> Element? {
    if front.isEmpty {
      front = back.reversed()
      back.removeAll(keepingCapacity: true)
    }
    return front.popLast()
  }

  @inlinable package mutating func removeAll() {
    front.removeAll()
    back.removeAll()
  }

  /// Removes the elements that meet `condition` and returns them, the oldest first.
  @inlinable package mutating func extract(where condition: (Element) -> Bool) -> [Element] {
    let all = front.reversed() + back
    front.removeAll()
    back = all.filter { !condition($0) }
    return all.filter(condition)
  }
}
