import TestNumbers

/// Numbered posts over many connections that break off at random: `soak 100000 cuts 200 seed 7`. Some of the posts are
/// published while no connection is open. Every run with one seed is the same, except for bytes in flight at a cut.
struct Soak {
  let posts: Int
  let cuts: Int
  let seed: UInt64

  init?(_ words: [String]) {
    guard words.count == 5, words[1] == "cuts", words[3] == "seed", let posts = Int(words[0]),
      let cuts = Int(words[2]), let seed = UInt64(words[4]), cuts > 0, posts > 10 * cuts
    else { return nil }
    self.posts = posts
    self.cuts = cuts
    self.seed = seed
  }
}

struct SoakPlan {
  enum Cut: CaseIterable {
    case end, close, reset
    case halfMessage, halfChunk
    /// A reset right after the last byte, which discards what was not read yet.
    case hardReset
  }

  /// One connection.
  struct Segment {
    /// Posts sent whole, in writes of this many.
    let sent: ClosedRange<Int>
    let batch: Int
    /// How it breaks off; `nil`: not at all.
    let cut: Cut?
    /// The last post published before the next connection begins.
    let last: Int
    /// Milliseconds for which connections are refused afterwards.
    let away: Int
  }

  private var chance: Chance
  /// The last post of each segment.
  private var ends: [Int]
  private var first = 1
  private var number = 0

  init(_ soak: Soak) {
    var chance = Chance(seed: soak.seed)
    let weights = (0...soak.cuts).map { _ in chance.number(in: 50...150) }
    let whole = weights.reduce(0, +)
    var sum = 0
    ends = weights.map { weight in
      sum += weight
      return sum * soak.posts / whole
    }
    self.chance = chance
  }

  mutating func next() -> Segment {
    let isLast = number >= ends.count - 1
    let last = ends[min(number, ends.count - 1)]
    defer {
      number += 1
      first = last + 1
    }
    let batch = chance.number(in: 1...40)
    // More connections than planned bring nothing new.
    if isLast { return Segment(sent: min(first, last)...last, batch: batch, cut: nil, last: last, away: 0) }
    let length = last - first + 1
    let sent = max(1, length * chance.number(in: 60...100) / 100)
    let cut = Cut.allCases[chance.number(in: 0...(Cut.allCases.count - 1))]
    let away = chance.number(in: 0...9) == 0 ? chance.number(in: 20...150) : 0
    return Segment(sent: first...(first + sent - 1), batch: batch, cut: cut, last: last, away: away)
  }
}
