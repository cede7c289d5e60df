/// First in, first out, in constant time on average; what is put at the front comes out next.
struct Queue<Element> {
  /// The older elements, the oldest last.
  private var front: [Element] = []
  /// The newer elements, the newest last.
  private var back: [Element] = []

  var count: Int { front.count + back.count }
  var isEmpty: Bool { front.isEmpty && back.isEmpty }

  mutating func append(_ element: Element) { back.append(element) }
  mutating func prepend(_ element: Element) { front.append(element) }

  mutating func popFirst() -> Element? {
    if front.isEmpty {
      front = back.reversed()
      back.removeAll(keepingCapacity: true)
    }
    return front.popLast()
  }

  mutating func removeAll() {
    front.removeAll()
    back.removeAll()
  }

  /// Takes out what fits `condition`, and returns it, oldest first.
  mutating func extract(where condition: (Element) -> Bool) -> [Element] {
    let all = front.reversed() + back
    front.removeAll()
    back = all.filter { !condition($0) }
    return all.filter(condition)
  }
}
