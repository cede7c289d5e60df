import TweetCore

/// The common order of two lists, of which one may have what the other does not have.
enum Alignment {
  /// Indexes in the newer and the older list; at least one of them is there.
  typealias Pair = (newer: Int?, older: Int?)

  /// In a list as short as this a search is faster than a dictionary.
  private static let short = 16

  /// For each element of the older list the same element of the newer one, if there is one.
  static func matches<Identity: Hashable>(_ newer: [Identity], _ older: [Identity]) -> [Int?] {
    // Most lists have the same elements in the same order.
    var next = 0
    var indexes: [Identity: Int]?
    return older.map { identity in
      var found: Int?
      if next < newer.count, newer[next] == identity {
        found = next
      } else if newer.count <= short {
        found = newer.firstIndex(of: identity)
      } else {
        // A record may have any number of elements: a search for each would take quadratic time.
        if indexes == nil {
          indexes = Dictionary(zip(newer, newer.indices), uniquingKeysWith: { first, _ in first })
        }
        found = indexes?[identity]
      }
      if let found { next = found + 1 }
      return found
    }
  }

  /// The newer list in its order. What only the older one has stands after what it came after there.
  /// - Parameters:
  ///   - newer: how many elements the newer list has.
  ///   - matches: for each element of the older list the same one of the newer list. Of several with the same one all
  ///     but
  ///     the first are left out.
  static func pairs(newer: Int, _ matches: [Int?]) -> [Pair] {
    var partners = [Int?](repeating: nil, count: newer)
    var added: [(place: Int, older: Int)] = []
    var place = 0
    for (index, match) in matches.enumerated() {
      if let match {
        partners[match] = partners[match] ?? index
        place = match + 1
      } else {
        added.append((place, index))
      }
    }
    added.sort { ($0.place, $0.older) < ($1.place, $1.older) }
    var pairs: [Pair] = []
    pairs.reserveCapacity(newer + added.count)
    var next = 0
    for index in 0...newer {
      while next < added.count, added[next].place == index {
        pairs.append((nil, added[next].older))
        next += 1
      }
      if index < newer { pairs.append((index, partners[index])) }
    }
    return pairs
  }
}
