import TweetCore

/// Finds the same post as another server or network knows it, under an id of its own: seen through two instances of the
/// fediverse, or carried to another network by Bridgy Fed. What comes first is the post, the others are its copies.
struct PostCopies {
  /// This many names are remembered for certain.
  private static let remembered = 50_000

  /// Hashes of names, and the key of the post that had each of them first. When the newer table is full, it takes the place of
  /// the older one.
  private var newer: [Int: Int] = [:]
  private var older: [Int: Int] = [:]

  /// Remembers a post. Returns whether it is a copy of one that came before. A retweet is none: some servers give it the address
  /// of what it retweets.
  mutating func isCopy(_ tweet: JSONValue) -> Bool {
    guard let service = tweet["service"], Self.hasCopies(service), let id = tweet["id"] else { return false }
    let isRetweet = tweet["referenced_tweets"]?.elements.contains { $0["type"]?.equals("retweeted") == true } == true
    if isRetweet { return false }
    let own = tweetKey(service, id)
    let names = Self.names(of: tweet, id).map { name in
      var hasher = Hasher()
      hasher.combine(name)
      return hasher.finalize()
    }
    let first = names.compactMap { newer[$0] ?? older[$0] }.first ?? own
    for name in names { newer[name] = first }
    if newer.count >= Self.remembered { (older, newer) = (newer, [:]) }
    return first != own
  }

  private static func hasCopies(_ service: JSONValue) -> Bool {
    service.equals("bluesky") || service.rawString.starts(with: "mastodon:".utf8)
  }

  /// The addresses by which a post is known everywhere.
  private static func names(of tweet: JSONValue, _ id: JSONValue) -> [String] {
    let extra = tweet["extra"]
    let texts = [
      extra?["uri"]?.nonEmptyString, tweet["url"]?.nonEmptyString,
      id.rawString.starts(with: "at://".utf8) ? id.string : nil,
      extra?["record"]?["bridgyOriginalUrl"]?.nonEmptyString,
    ]
    return texts.compactMap { $0 }.map(original)
  }

  /// What an address of Bridgy Fed leads to; any other address is itself.
  private static func original(_ address: String) -> String {
    for prefix in ["https://bsky.brid.gy/convert/ap/", "https://bsky.brid.gy/r/", "https://fed.brid.gy/r/"] {
      if address.hasPrefix(prefix) { return String(address.dropFirst(prefix.count)) }
    }
    return address
  }
}
