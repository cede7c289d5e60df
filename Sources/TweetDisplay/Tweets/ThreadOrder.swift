/// The order in which threads are read: each tweet above those that answer it, the oldest answer first.
package struct ThreadOrder {
  /// A tweet of a thread, and its place in the tree.
  package struct Member: Sendable {
    package let tweet: Int32
    /// How many forks are above it.
    package let depth: UInt8
    /// Where it stands among the answers to one tweet.
    package let place: Place
    /// The forks, a bit for each depth, to which another answer comes further down.
    fileprivate let open: UInt8

    /// Whether an answer to the fork of that depth, from 1 on, comes further down.
    package func isOpen(_ depth: UInt8) -> Bool { open >> depth & 1 == 1 }
  }

  /// Where a tweet stands among the answers to one tweet.
  package enum Place: UInt8, Sendable {
    /// It answers nothing here, or is the only answer.
    case alone
    case among
    case last
  }

  /// Deeper ones are not indented any further.
  private static let deepest: UInt8 = 4

  private let parents: [Int32]
  private let children: Children
  private var visited: [Bool]

  /// - Parameter parents: for each tweet, the oldest first, the index of the one that it answers; -1 for none.
  package init(_ parents: [Int32]) {
    self.parents = parents
    children = Children(parents)
    visited = [Bool](repeating: false, count: parents.count)
  }

  /// Appends a thread in the order in which it is read. Tweets whose parent is not there begin it; so do those that
  /// answer each other in a circle, which only made-up ones do.
  /// - Parameter thread: the indices of its tweets, the oldest first.
  package mutating func append(thread: some Sequence<Int32>, to members: inout [Member]) {
    for isCircle in [false, true] {
      for tweet in thread where !visited[Int(tweet)] && (isCircle || parents[Int(tweet)] < 0) {
        append(from: tweet, to: &members)
      }
    }
  }

  private mutating func append(from first: Int32, to members: inout [Member]) {
    var waiting = [Member(tweet: first, depth: 0, place: .alone, open: 0)]
    while let member = waiting.popLast() {
      if visited[Int(member.tweet)] { continue }
      visited[Int(member.tweet)] = true
      members.append(member)
      let answers = children.of(member.tweet)
      // An answer goes on below what it answers; several of them are indented.
      guard answers.count > 1 else {
        waiting += answers.map { Member(tweet: $0, depth: member.depth, place: .alone, open: member.open) }
        continue
      }
      let depth = min(member.depth + 1, Self.deepest)
      let bit: UInt8 = 1 << depth
      for answer in answers.reversed() {
        let isLast = answer == answers.last
        let open = isLast ? member.open & ~bit : member.open | bit
        waiting.append(Member(tweet: answer, depth: depth, place: isLast ? .last : .among, open: open))
      }
    }
  }
}

/// The answers to each tweet, as lists that are linked by indices.
private struct Children {
  private var first: [Int32]
  private var next: [Int32]

  init(_ parents: [Int32]) {
    first = [Int32](repeating: -1, count: parents.count)
    next = first
    for (index, parent) in parents.enumerated().reversed() where parent >= 0 {
      next[index] = first[Int(parent)]
      first[Int(parent)] = Int32(index)
    }
  }

  /// The oldest first.
  func of(_ tweet: Int32) -> [Int32] {
    var found: [Int32] = []
    var child = first[Int(tweet)]
    while child >= 0 {
      found.append(child)
      child = next[Int(child)]
    }
    return found
  }
}
