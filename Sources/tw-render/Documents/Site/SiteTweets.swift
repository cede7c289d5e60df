import TweetCore
import TweetDisplay

/// A tweet of a site, as memory holds it: its record is on disk.
struct SiteTweet {
  /// Of service and id (``tweetKey(_:_:)``), of the tweet that it answers, of its conversation, and of the tweet that
  /// it repeats; 0 for none.
  let key, answered, conversation, repeated: Int
  /// Of its author.
  let author: Int
  /// Of its address: ``key(ofAddress:)``.
  let address: UInt64
  /// When it was posted, and when it was fetched, in milliseconds; ``unknown`` if that is not known.
  let time, retrieved: Int64
  /// Puts tweets of one moment into an order that is the same each time.
  let order: UInt64
  /// Where the record is.
  let offset: Int
  let length: Int32
  let hasMedia: Bool
  /// Whether it answers or repeats another one.
  let isOfOthers: Bool

  static let unknown = Int64.min

  /// What stands for the address of a page: the same for all that lead to one tweet.
  static func key(ofAddress url: ByteView) -> UInt64 {
    let whole = String(decoding: url, as: UTF8.self)
    guard let scheme = whole.firstRange(of: "://") else { return 0 }
    var text = whole[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    for start in ["www.", "mobile."] where text.hasPrefix(start) { text.removeFirst(start.count) }
    if text.hasSuffix("/") { text.removeLast() }
    if text.hasPrefix("x.com/") || text.hasPrefix("twitter.com/"), let post = ShownAddress.post(url) {
      return fingerprint(ByteView(rebasing: url[post.id]))
    }
    return String(text).withBytes { fingerprint($0) }
  }
}

/// What a site is made from.
struct SiteContent {
  /// The oldest first; those without a time come first of all.
  var tweets: [SiteTweet] = []
  /// The keys of the tweets with a hashtag, by the tag in small letters, and how it is written.
  var tags: [String: (name: String, keys: [Int])] = [:]
  /// Where the record of the person is who wrote most of it, and whether it is a profile; `nil` for nobody.
  var profile: (offset: Int, length: Int, isUser: Bool)?
}

/// Collects the tweets of a site: of each the version that was fetched last, else the last one of the input; none that
/// was deleted, wherever in the input its deletion is.
///
/// Records go to disk. Memory has 96 bytes for each, and some for hashtags and authors.
struct SiteTweets: ~Copyable {
  private let spool: RecordSpool
  private var tweets: [SiteTweet] = []
  private var deleted: Set<Int> = []
  private var content = SiteContent()
  private var decoder = StringDecoder()
  /// Where profiles are.
  private var users: [Int: (offset: Int, length: Int)] = [:]

  init(_ spool: RecordSpool) { self.spool = spool }

  mutating func append(_ record: JSONValue) throws(ToolError) {
    let tweet = TweetFields(record)
    let posted = TweetTimes(tweet).posted
    let time = 1...9999 ~= posted.date.year && posted.milliseconds != 0 ? posted.milliseconds : nil
    let retrieved = record["retrieved_at"].flatMap { Timestamp(ascii: $0.rawString) }?.milliseconds
    let bytes = record.raw
    let offset = try spool.append(bytes)
    let key = tweetKey(tweet.service, tweet.id)
    let repeated = Self.key(tweet.reference("retweeted")?["id"], of: tweet)
    let isX = tweet.service?.equals("x") == true
    tweets.append(
      SiteTweet(
        key: key, answered: Self.key(tweet.reference("replied_to")?["id"], of: tweet),
        conversation: Self.key(record["conversation_id"], of: tweet), repeated: repeated,
        author: tweetKey(tweet.service, tweet.author.id ?? tweet.author.username),
        address: isX ? fingerprint(tweet.id?.rawString ?? .empty) : SiteTweet.key(ofAddress: decoder.decode(tweet.url)),
        time: time ?? SiteTweet.unknown, retrieved: retrieved ?? SiteTweet.unknown, order: Self.order(of: tweet),
        offset: offset, length: Int32(clamping: bytes.count),
        hasMedia: repeated == 0 && tweet.attachments?["media"]?.elements.contains { $0.isObject } == true,
        isOfOthers: repeated != 0 || tweet.reply != nil))
    for tag in repeated == 0 ? tweet.tags() : [] {
      let name = decoder.decode(tag).map { $0 }.withBytes { String(decoding: $0, as: UTF8.self) }
      let known = content.tags[name.lowercased()]
      content.tags[name.lowercased()] = (min(known?.name ?? name, name), (known?.keys ?? []) + [key])
    }
  }

  /// Takes a profile.
  mutating func append(user: JSONValue) throws(ToolError) {
    users[tweetKey(user["service"], user["id"])] = (try spool.append(user.raw), user.raw.count)
  }

  /// Leaves a tweet out, whether it came before or comes later.
  mutating func delete(_ id: JSONValue, service: JSONValue?) { deleted.insert(tweetKey(service, id)) }

  private static func key(_ id: JSONValue?, of tweet: TweetFields) -> Int {
    guard let id, id.isString, !id.rawString.isEmpty else { return 0 }
    return tweetKey(tweet.service, id)
  }

  /// The id itself, since ids that are numbers grow; else its hash.
  private static func order(of tweet: TweetFields) -> UInt64 {
    let id = tweet.id?.rawString ?? .empty
    if let number = Int(ascii: id), number >= 0 { return UInt64(number) }
    return fingerprint(id)
  }

  consuming func finish() throws(ToolError) -> SiteContent {
    try spool.finish()
    tweets.sort { ($0.key, $0.retrieved, $0.offset) < ($1.key, $1.retrieved, $1.offset) }
    var kept = 0
    for index in tweets.indices {
      let isLast = index + 1 == tweets.count || tweets[index + 1].key != tweets[index].key
      guard isLast, !deleted.contains(tweets[index].key), !deleted.contains(tweets[index].repeated) else { continue }
      tweets[kept] = tweets[index]
      kept += 1
    }
    tweets.removeLast(tweets.count - kept)
    tweets.sort { ($0.time, $0.order, $0.offset) < ($1.time, $1.order, $1.offset) }
    content.tweets = tweets
    // Of one that has more than half, it is the author of the tweet in the middle.
    let authors = tweets.map(\.author).sorted()
    if let author = authors.isEmpty ? nil : authors[authors.count / 2],
      let last = tweets.last(where: { $0.author == author }),
      tweets.count(where: { $0.author == author }) * 2 > tweets.count
    {
      let place = users[author] ?? (last.offset, Int(last.length))
      content.profile = (place.offset, place.length, users[author] != nil)
    }
    return content
  }
}
