import TweetCore
import TweetDisplay

/// The tweets that were shown last, so that a tweet that comes again is not shown again. When there are too many, the
/// oldest is forgotten.
struct ShownTweets {
  /// Enough for what a person can scroll back to, and for the repeats of a live pipe, which come within seconds.
  private static let most = 2000
  /// A tweet is near if at most this many came after it: a person still sees it, or scrolls back one page.
  private static let near = 20

  /// Hashes of what a person has seen of a tweet that may change.
  struct Looks: Equatable {
    /// Of the links' verdicts and targets.
    private(set) var links = 0
    /// Of the counts.
    private(set) var counts = 0
    /// Of the words.
    private(set) var text = 0

    /// What is different in other looks.
    func changes(to other: Looks) -> TweetChange {
      var changes: TweetChange = []
      if links != other.links { changes.insert(.links) }
      if counts != other.counts { changes.insert(.counts) }
      if text != other.text { changes.insert(.text) }
      return changes
    }
  }

  private struct Entry {
    var looks: Looks
    /// Its index in `keys`.
    var slot: Int
    /// How many tweets came before it.
    let number: Int
    var isDeleted = false
  }

  private var entries: [Int: Entry] = [:]
  /// The keys of `entries`, as a ring.
  private var keys: [Int] = []
  private var excerpts = Excerpts()
  private var count = 0

  init() {
    entries.reserveCapacity(Self.most)
    keys.reserveCapacity(Self.most)
  }

  /// Remembers a tweet as it now looks.
  /// - Returns: how it looked when it was last shown; `nil` if it was not, or has no id.
  mutating func remember(_ tweet: TweetFields, _ now: Looks) -> Looks? {
    remember(service: tweet.service, id: tweet.id, username: tweet.author.username, text: tweet.headWords, now)
  }

  /// Remembers a tweet that is nested in another.
  /// - Parameter service: that of the tweet around it.
  mutating func remember(nested tweet: JSONValue, service: JSONValue?, _ now: Looks) {
    _ = remember(
      service: service, id: tweet["id"], username: tweet["author"]?["username"], text: tweet["text"], now)
  }

  private mutating func remember(
    service: JSONValue?, id: JSONValue?, username: JSONValue?, text: JSONValue?, _ now: Looks
  ) -> Looks? {
    guard let id else { return nil }
    let key = tweetKey(service, id)
    if let index = entries.index(forKey: key) {
      defer { entries.values[index].looks = now }
      return entries.values[index].looks
    }
    let slot = count % Self.most
    if slot < keys.count {
      entries[keys[slot]] = nil
      keys[slot] = key
    } else {
      keys.append(key)
    }
    entries[key] = Entry(looks: now, slot: slot, number: count)
    excerpts.set(slot, username: username, text: text)
    count += 1
    return nil
  }

  /// Whether a tweet was shown and not forgotten.
  func contains(service: JSONValue?, id: JSONValue?) -> Bool {
    id.map { entries[tweetKey(service, $0)] != nil } ?? false
  }

  /// Whether a tweet was shown a short while ago.
  func isNear(service: JSONValue?, id: JSONValue?) -> Bool {
    guard let id, let entry = entries[tweetKey(service, id)] else { return false }
    return count - entry.number <= Self.near
  }

  /// The author and first words of a tweet that was shown; `nil` if it was not, or is deleted already.
  mutating func delete(service: JSONValue?, id: JSONValue?) -> ShownWords? {
    guard let id else { return nil }
    let key = tweetKey(service, id)
    guard let entry = entries[key], !entry.isDeleted else { return nil }
    entries[key]?.isDeleted = true
    return excerpts[entry.slot]
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    count = 0
  }
}

extension ShownTweets.Looks {
  /// Of a tweet's own links, counts and words, or those of what it retweets.
  /// - Parameter watched: what else is left out.
  init(_ tweet: TweetFields, _ watched: TweetChange) {
    if watched.isEmpty { return }
    let original = tweet.reference("retweeted").flatMap { $0["text"] == nil ? nil : $0 }
    if watched.contains(.links) { links = Self.hash(links: original.map { $0["entities"] } ?? tweet.entities) }
    if watched.contains(.text) {
      text = (original?["text"] ?? tweet.text).map { Self.hash(words: $0.rawString) } ?? 0
    }
    if watched.contains(.counts) {
      counts = (original.map { TweetCounts($0["public_metrics"]) } ?? tweet.counts).hashValue
    }
  }

  /// Nothing but a row that is missing comes of two texts with one hash, so a quick one is enough: FNV-1a over eight
  /// bytes at a time.
  private static func hash(words bytes: ByteView) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = (hash ^ bytes.word(at: offset)) &* 0x100_0000_01B3
      hash ^= hash >> 29
      offset += 8
    }
    for byte in bytes[offset...] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash)
  }

  private static func hash(links entities: JSONValue?) -> Int {
    guard let urls = entities?["urls"], !urls.isEmpty else { return 0 }
    var hasher = Hasher()
    for link in urls.elements {
      for value in [link["verdict"], link["status"], link["error"], ShownAddress.target(of: link)] {
        if let value { hasher.combine(bytes: value.raw) }
        hasher.combine(0 as UInt8)
      }
    }
    return hasher.finalize()
  }
}

/// The authors and first words of tweets, this many bytes of each.
private struct Excerpts {
  private static let longestName = 40
  private static let longestText = 118
  /// Slots that are added at once.
  private static let grownBy = 100
  /// Marks the length of what is cut.
  private static let cut: UInt8 = 0x80
  /// A byte each for the lengths.
  private static let slot = 2 + longestName + longestText

  private var bytes: [UInt8] = []

  /// Sets those of a slot: at most the next one that is not set yet.
  mutating func set(_ slot: Int, username: JSONValue?, text: JSONValue?) {
    let start = slot * Self.slot
    if bytes.count < start + Self.slot { bytes += [UInt8](repeating: 0, count: Self.slot * Self.grownBy) }
    bytes[start] = copy(username, to: start + 2, most: Self.longestName)
    bytes[start + 1] = copy(text, to: start + 2 + Self.longestName, most: Self.longestText)
  }

  private mutating func copy(_ value: JSONValue?, to start: Int, most: Int) -> UInt8 {
    guard let source = value?.rawString, !source.isEmpty else { return 0 }
    var length = min(source.count, most)
    if length < source.count {
      // A letter or an escape that is cut is left out.
      while length > 0, source[length] & 0xC0 == 0x80 { length -= 1 }
      if let escape = source[max(0, length - 6)..<length].lastIndex(of: UInt8(ascii: "\\")) { length = escape }
    }
    bytes.replaceSubrange(start..<start + length, with: source[..<length])
    return UInt8(length) | (length < source.count ? Self.cut : 0)
  }

  subscript(slot: Int) -> ShownWords {
    let start = slot * Self.slot
    let words = start + 2 + Self.longestName
    return ShownWords(
      username: Array(bytes[start + 2..<start + 2 + Int(bytes[start] & ~Self.cut)]),
      words: Array(bytes[words..<words + Int(bytes[start + 1] & ~Self.cut)]), isCut: bytes[start + 1] & Self.cut != 0)
  }
}

/// A hash that stands for a tweet among those that were written: of its service and its id.
///
/// Swift seeds its hash anew in every process: nobody can make two tweets that have one key.
/// - Parameter id: `nil` if the record has none: all those of a service have one key.
func tweetKey(_ service: JSONValue?, _ id: JSONValue?) -> Int {
  var hasher = Hasher()
  if let service { hasher.combine(bytes: service.rawString) }
  hasher.combine(0 as UInt8)
  if let id { hasher.combine(bytes: id.rawString) }
  return hasher.finalize()
}
