import TweetCore

/// Finds copies of posts: the same ``CanonicalAddress`` under another id. What comes first is shown, the others are its
/// copies.
struct PostCopies {
  /// This many addresses are remembered for certain.
  private static let remembered = 50_000

  /// Hashes of addresses, and the key of the post that had each of them first. When the newer table is full, it takes
  /// the place of the older one.
  private var newer: [Int: Int] = [:]
  private var older: [Int: Int] = [:]

  /// Remembers a post. Returns whether it is a copy of one that came before.
  mutating func isCopy(_ tweet: JSONValue) -> Bool {
    guard let address = CanonicalAddress.of(tweet) else { return false }
    let own = tweetKey(tweet["service"], tweet["id"])
    var hasher = Hasher()
    hasher.combine(address)
    let name = hasher.finalize()
    let first = newer[name] ?? older[name] ?? own
    newer[name] = first
    if newer.count >= Self.remembered { (older, newer) = (newer, [:]) }
    return first != own
  }
}
