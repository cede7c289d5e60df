import TweetCore

/// The tweets shown lately, so that one that comes again is not shown again. It remembers a fixed number, the oldest are
/// forgotten first.
struct ShownTweets {
  /// Enough for what a person can scroll back to, and for the repeats of a live pipe, which come within seconds.
  private static let most = 2000

  /// What a person has seen of a tweet, in two hashes.
  struct Looks: Equatable {
    /// Of the links' verdicts and targets.
    var links: Int
    /// Of the counts.
    var counts: Int
  }

  enum Finding: Equatable {
    case new
    case seen(Looks)
  }

  private var looks: [Int: Looks] = [:]
  private var order: [Int] = []
  private var oldest = 0

  init() {
    looks.reserveCapacity(Self.most)
    order.reserveCapacity(Self.most)
  }

  /// Looks the tweet up and remembers it as it now is. Tweets without an id are always new.
  mutating func note(_ tweet: TweetView, _ now: Looks) -> Finding {
    guard let key = Self.key(tweet.service, tweet.id) else { return .new }
    if let before = looks.updateValue(now, forKey: key) { return .seen(before) }
    if order.count < Self.most {
      order.append(key)
    } else {
      looks[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % Self.most
    }
    return .new
  }

  /// Whether a tweet was shown lately.
  func contains(service: JSONValue?, id: JSONValue?) -> Bool {
    Self.key(service, id).map { looks[$0] != nil } ?? false
  }

  mutating func forgetAll() {
    looks.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    oldest = 0
  }

  /// Swift's own hash is seeded anew in every process: nobody can make tweets that look alike to it.
  private static func key(_ service: JSONValue?, _ id: JSONValue?) -> Int? {
    guard let id else { return nil }
    var hasher = Hasher()
    if let service { hasher.combine(bytes: UnsafeRawBufferPointer(service.rawString)) }
    hasher.combine(0 as UInt8)
    hasher.combine(bytes: UnsafeRawBufferPointer(id.rawString))
    return hasher.finalize()
  }
}

extension ShownTweets.Looks {
  /// - Parameter tweet: its own links and counts, and those of what it retweets.
  init(_ tweet: TweetView) {
    var links = Hasher()
    var counts = Hasher()
    Self.combine(tweet, &links, &counts)
    if let original = tweet.reference("retweeted") { Self.combine(TweetView(original), &links, &counts) }
    self.init(links: links.finalize(), counts: counts.finalize())
  }

  private static func combine(_ tweet: TweetView, _ links: inout Hasher, _ counts: inout Hasher) {
    if let urls = tweet.entities?["urls"] {
      for link in urls.elements {
        for value in [link["verdict"], link["status"], link["error"], TweetText.address(of: link)] {
          if let value { links.combine(bytes: UnsafeRawBufferPointer(value.raw)) }
          links.combine(0 as UInt8)
        }
      }
    }
    if let metrics = tweet.metrics {
      for (key, value) in metrics.members where Metric(key) != nil { counts.combine(value.integer ?? 0) }
    }
  }
}
