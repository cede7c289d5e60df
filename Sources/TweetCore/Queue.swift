/// A first-in, first-out list whose operations take constant time on average. An element can also be put at the front.
package struct Queue<Element> {
  /// The older elements, the oldest last.
  private var front: [Element] = []
  /// The newer elements, the newest last.
  private var back: [Element] = []

  package init() {}

  package var count: Int { front.count + back.count }
  package var isEmpty: Bool { front.isEmpty && back.isEmpty }
  /// The element that comes out next.
  package var first: Element? { front.last ?? back.first }

  package mutating func append(_ element: Element) { back.append(element) }
  /// Puts an element before all others: it comes out next.
  package mutating func prepend(_ element: Element) { front.append(element) }

  package mutating func popFirst() -> Element? {
    if front.isEmpty {
      front = back.reversed()
      back.removeAll(keepingCapacity: true)
    }
    return front.popLast()
  }

  package mutating func removeAll() {
    front.removeAll()
    back.removeAll()
  }

  /// Removes the elements that meet `condition` and returns them, the oldest first.
  package mutating func extract(where condition: (Element) -> Bool) -> [Element] {
    let all = front.reversed() + back
    front.removeAll()
    back = all.filter { !condition($0) }
    return all.filter(condition)
  }
}
