import TweetDisplay

/// The threads of a site: tweets that answer each other, and those of one conversation.
struct SiteThreads {
  typealias Member = ThreadOrder.Member

  /// The members of all threads, one thread after the other: each tweet above those that answer it.
  private(set) var members: [Member] = []
  /// Each thread's members. A thread has two tweets at least.
  private(set) var threads: [Range<Int>] = []

  /// - Parameters:
  ///   - tweets: the oldest first.
  ///   - find: the index of the tweet with a key; `nil` if there is none.
  init(_ tweets: [SiteTweet], find: (Int) -> Int?) {
    let parents = tweets.indices.map { index in
      let answered = tweets[index].answered
      guard answered != 0, let parent = find(answered), parent != index else { return -1 as Int32 }
      return Int32(parent)
    }
    let firsts = Self.firstTweets(tweets, parents)
    var sizes = [Int32](repeating: 0, count: tweets.count)
    for first in firsts { sizes[Int(first)] += 1 }
    let grouped = tweets.indices.map { Int32($0) }.filter { sizes[Int(firsts[Int($0)])] > 1 }
      .sorted { (firsts[Int($0)], $0) < (firsts[Int($1)], $1) }
    var order = ThreadOrder(parents)
    var start = 0
    while start < grouped.count {
      let first = firsts[Int(grouped[start])]
      let end = start + Int(sizes[Int(first)])
      let above = members.count
      order.append(thread: grouped[start..<end], to: &members)
      threads.append(above..<members.count)
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
}
