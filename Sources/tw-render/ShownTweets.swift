import TweetCore
import TweetDisplay

/// The tweets that were shown last, so that a tweet that comes again is not shown again. When there are too many, the
/// oldest is forgotten.
struct ShownTweets {
  /// Enough for what a person can scroll back to, and for the repeats of a live pipe, which come within seconds.
  private static let most = 2000

  /// Hashes of what a person has seen of a tweet that may change.
  struct Looks: Equatable {
    /// Of the links' verdicts and targets.
    private(set) var links = 0
    /// Of the counts.
    private(set) var counts = 0
  }

  private var looks: [Int: Looks] = [:]
  /// The keys of `looks`, as a ring.
  private var keys: [Int] = []
  private var oldest = 0

  init() {
    looks.reserveCapacity(Self.most)
    keys.reserveCapacity(Self.most)
  }

  /// Remembers a tweet as it now looks.
  /// - Returns: how it looked when it was last shown; `nil` if it was not, or has no id.
  mutating func remember(_ tweet: TweetFields, _ now: Looks) -> Looks? {
    guard let key = Self.key(tweet.service, tweet.id) else { return nil }
    if let before = looks.updateValue(now, forKey: key) { return before }
    if keys.count < Self.most {
      keys.append(key)
    } else {
      looks[keys[oldest]] = nil
      keys[oldest] = key
      oldest = (oldest + 1) % Self.most
    }
    return nil
  }

  /// Whether a tweet was shown and not forgotten.
  func contains(service: JSONValue?, id: JSONValue?) -> Bool {
    Self.key(service, id).map { looks[$0] != nil } ?? false
  }

  mutating func removeAll() {
    looks.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    oldest = 0
  }

  /// Swift seeds its hash anew in every process: nobody can make two tweets that have one key.
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
  /// Of a tweet's own links and counts, and those of what it retweets.
  init(_ tweet: TweetFields) {
    var links = Hasher()
    var counts = Hasher()
    Self.combine(tweet, &links, &counts)
    if let original = tweet.reference("retweeted") { Self.combine(TweetFields(original), &links, &counts) }
    self.init(links: links.finalize(), counts: counts.finalize())
  }

  private static func combine(_ tweet: TweetFields, _ links: inout Hasher, _ counts: inout Hasher) {
    if let urls = tweet.entities?["urls"] {
      for link in urls.elements {
        for value in [link["verdict"], link["status"], link["error"], ShownAddress.target(of: link)] {
          if let value { links.combine(bytes: UnsafeRawBufferPointer(value.raw)) }
          links.combine(0 as UInt8)
        }
      }
    }
    counts.combine(tweet.counts)
  }
}
