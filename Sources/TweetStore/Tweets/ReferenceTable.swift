import TweetCore

/// The table `tweet_references`: what a tweet retweets, quotes or replies to.
struct ReferenceTable: ~Copyable {
  struct Holder {
    var key: Int
    /// It is a retweet: nothing of its own.
    var isRetweet: Bool
  }

  /// Services send one or two; more would be somebody's play.
  private static let deepest = 4
  /// Bytes of a type; `replied_to` is the longest there is. It stands in a row of each tweet inside, so a long one would
  /// fill the disk.
  private static let longestType = 32

  private let insert: Statement
  private let holders: Statement
  private let remove: Statement

  /// Adds what `list`, a tweet's `referenced_tweets`, names, and what the tweets in it name in their turn: whatever
  /// happens to one of them, the tweet that holds a copy of it is found.
  func add(_ list: JSONValue?, of tweet: Int, inside outer: String = "", depth: Int = 1) throws(ToolError) {
    guard let list, depth <= Self.deepest else { return }
    for reference in list.elements {
      guard let type = reference["type"], type.isText, type.rawString.count <= Self.longestType,
        let id = reference["id"], id.isText
      else { continue }
      insert.bind(1, tweet)
      if outer.isEmpty { insert.bind(2, text: type) } else { insert.bind(2, outer + (type.string ?? "")) }
      insert.bind(3, text: id)
      try insert.run()
      if let inner = reference["referenced_tweets"] {
        try add(inner, of: tweet, inside: outer + (type.string ?? "") + " ", depth: depth + 1)
      }
    }
  }

  /// The stored tweets that refer to one.
  func holders(service: String, id: String) throws(ToolError) -> [Holder] {
    holders.bind(1, id)
    holders.bind(2, service)
    var found: [Holder] = []
    while try holders.step() {
      let row = holders.row
      found.append(Holder(key: row.integer(0), isRetweet: row.integer(1) != 0))
    }
    return found
  }

  func removeAll(of tweet: Int) throws(ToolError) {
    remove.bind(1, tweet)
    try remove.run()
  }
}

extension ReferenceTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare("INSERT OR IGNORE INTO tweet_references (tweet, type, id) VALUES (?, ?, ?)"),
      holders: try database.prepare(
        """
        SELECT r.tweet, r.type = 'retweeted' FROM tweet_references r JOIN tweets t ON t.key = r.tweet
        WHERE r.id = ? AND t.service = ?
        """),
      remove: try database.prepare("DELETE FROM tweet_references WHERE tweet = ?"))
  }
}
