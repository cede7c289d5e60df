/// The threads of a site: tweets that answer each other, and those of one conversation.
struct SiteThreads {
  /// A tweet of a thread.
  struct Member {
    let tweet: Int32
    /// How many forks are above it.
    let depth: UInt8
  }

  /// Deeper ones are not indented any further.
  private static let deepest: UInt8 = 4

  /// The members of all threads, one thread after the other: each tweet above those that answer it.
  private(set) var members: [Member] = []
  /// Each thread's members. A thread has two tweets at least.
  private(set) var threads: [Range<Int>] = []
  private let parents: [Int32]

  /// - Parameters:
  ///   - tweets: the oldest first.
  ///   - find: the index of the tweet with a key; `nil` if there is none.
  init(_ tweets: [SiteTweet], find: (Int) -> Int?) {
    parents = tweets.indices.map { index in
      let answered = tweets[index].answered
      guard answered != 0, let parent = find(answered), parent != index else { return -1 }
      return Int32(parent)
    }
    let firsts = Self.firstTweets(tweets, parents)
    var sizes = [Int32](repeating: 0, count: tweets.count)
    for first in firsts { sizes[Int(first)] += 1 }
    let grouped = tweets.indices.map { Int32($0) }.filter { sizes[Int(firsts[Int($0)])] > 1 }
      .sorted { (firsts[Int($0)], $0) < (firsts[Int($1)], $1) }
    let children = Children(parents)
    var visited = [Bool](repeating: false, count: tweets.count)
    var start = 0
    while start < grouped.count {
      let first = firsts[Int(grouped[start])]
      let end = start + Int(sizes[Int(first)])
      append(thread: grouped[start..<end], children, &visited)
      start = end
    }
  }

  /// The oldest tweet of each tweet's thread (disjoint sets, with the smallest index as the root of each).
  private static func firstTweets(_ tweets: [SiteTweet], _ parents: [Int32]) -> [Int32] {
    var firsts = tweets.indices.map { Int32($0) }
    func root(_ index: Int32) -> Int32 {
      var index = index
      while firsts[Int(index)] != index {
        firsts[Int(index)] = firsts[Int(firsts[Int(index)])]
        index = firsts[Int(index)]
      }
      return index
    }
    func join(_ one: Int32, _ other: Int32) {
      let (one, other) = (root(one), root(other))
      firsts[Int(max(one, other))] = min(one, other)
    }
    for (index, parent) in parents.enumerated() where parent >= 0 { join(Int32(index), parent) }
    let inConversation = tweets.indices.filter { tweets[$0].conversation != 0 }
      .sorted { tweets[$0].conversation < tweets[$1].conversation }
    for (one, other) in zip(inConversation, inConversation.dropFirst())
    where tweets[one].conversation == tweets[other].conversation { join(Int32(one), Int32(other)) }
    for index in firsts.indices { firsts[index] = root(Int32(index)) }
    return firsts
  }

  /// Appends a thread in the order in which it is read. Tweets whose parent is not in the site begin it; so do those that
  /// answer each other in a circle, which only made-up ones do.
  private mutating func append(thread: ArraySlice<Int32>, _ children: Children, _ visited: inout [Bool]) {
    let start = members.count
    for isCircle in [false, true] {
      for tweet in thread where !visited[Int(tweet)] && (isCircle || parents[Int(tweet)] < 0) {
        append(from: tweet, children, &visited)
      }
    }
    threads.append(start..<members.count)
  }

  private mutating func append(from first: Int32, _ children: Children, _ visited: inout [Bool]) {
    var waiting = [Member(tweet: first, depth: 0)]
    while let member = waiting.popLast() {
      if visited[Int(member.tweet)] { continue }
      visited[Int(member.tweet)] = true
      members.append(member)
      let answers = children.of(member.tweet)
      // An answer goes on below what it answers; several of them are indented.
      let depth = answers.count > 1 ? min(member.depth + 1, Self.deepest) : member.depth
      waiting += answers.reversed().map { Member(tweet: $0, depth: depth) }
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
