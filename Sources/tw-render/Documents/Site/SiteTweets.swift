import TweetCore
import TweetDisplay

/// A tweet of a site, as memory holds it: its record is on disk.
struct SiteTweet {
  /// Of service and id (``tweetKey(_:_:)``), of the tweet that it answers, and of its conversation; 0 for none.
  let key, answered, conversation: Int
  /// When it was posted, and when it was fetched, in milliseconds; ``unknown`` if that is not known.
  let time, retrieved: Int64
  /// Puts tweets of one moment into an order that is the same each time.
  let order: UInt64
  /// Where the record is.
  let offset: Int
  let length: Int

  static let unknown = Int64.min
}

/// Collects the tweets of a site: of each the version that was fetched last, else the last one of the input; none that
/// was deleted, wherever in the input its deletion is.
///
/// Records go to disk. Memory has 64 bytes for each.
struct SiteTweets: ~Copyable {
  private let spool: RecordSpool
  private var tweets: [SiteTweet] = []
  private var deleted: Set<Int> = []

  init(_ spool: RecordSpool) { self.spool = spool }

  mutating func append(_ record: JSONValue) throws(ToolError) {
    let tweet = TweetFields(record)
    let posted = TweetTimes(tweet).posted
    let time = 1...9999 ~= posted.date.year && posted.milliseconds != 0 ? posted.milliseconds : nil
    let retrieved = record["retrieved_at"].flatMap { Timestamp(ascii: $0.rawString) }?.milliseconds
    let bytes = record.raw
    let offset = try spool.append(bytes)
    tweets.append(
      SiteTweet(
        key: tweetKey(tweet.service, tweet.id), answered: Self.key(tweet.reference("replied_to")?["id"], of: tweet),
        conversation: Self.key(record["conversation_id"], of: tweet), time: time ?? SiteTweet.unknown,
        retrieved: retrieved ?? SiteTweet.unknown, order: Self.order(of: tweet), offset: offset, length: bytes.count))
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

  /// The tweets of the site, the oldest first; those without a time come first of all.
  consuming func finish() throws(ToolError) -> [SiteTweet] {
    try spool.finish()
    tweets.sort { ($0.key, $0.retrieved, $0.offset) < ($1.key, $1.retrieved, $1.offset) }
    var kept = 0
    for index in tweets.indices {
      let isLast = index + 1 == tweets.count || tweets[index + 1].key != tweets[index].key
      guard isLast, !deleted.contains(tweets[index].key) else { continue }
      tweets[kept] = tweets[index]
      kept += 1
    }
    tweets.removeLast(tweets.count - kept)
    tweets.sort { ($0.time, $0.order, $0.offset) < ($1.time, $1.order, $1.offset) }
    return tweets
  }
}
