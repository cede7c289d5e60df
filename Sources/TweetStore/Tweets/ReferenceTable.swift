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
  private let holdersByAuthor: Statement
  private let remove: Statement
  private let move: Statement

  /// Adds what `list`, a tweet's `referenced_tweets`, names, and what the tweets in it name in their turn: whatever
  /// happens to one of them, the tweet that holds a copy of it is found. The authors of these copies become users.
  func add(
    _ list: JSONValue?, of tweet: Int, service: JSONValue, _ seen: Seen, users: inout UserTable,
    in database: borrowing Database, inside outer: String = "", depth: Int = 1
  ) throws(ToolError) {
    guard let list, depth <= Self.deepest else { return }
    for reference in list.elements {
      guard let type = reference["type"], type.isText, type.rawString.count <= Self.longestType,
        let id = reference["id"], id.isText
      else { continue }
      var author: Int?
      if let profile = reference["author"], let id = profile["id"], id.isText {
        author = try users.store(profile, id: id, service: service, seen, in: database).key
      }
      insert.bind(1, tweet)
      if outer.isEmpty { insert.bind(2, text: type) } else { insert.bind(2, outer + (type.string ?? "")) }
      insert.bind(3, text: id)
      insert.bind(4, author)
      try insert.run()
      if let inner = reference["referenced_tweets"] {
        try add(
          inner, of: tweet, service: service, seen, users: &users, in: database,
          inside: outer + (type.string ?? "") + " ", depth: depth + 1)
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

  /// The keys of stored tweets that hold a copy of one by this user. Goes through all references: what asks for it is
  /// rare.
  func holders(author: Int) throws(ToolError) -> [Int] {
    holdersByAuthor.bind(1, author)
    var found: [Int] = []
    while try holdersByAuthor.step() { found.append(holdersByAuthor.row.integer(0)) }
    return found
  }

  func removeAll(of tweet: Int) throws(ToolError) {
    remove.bind(1, tweet)
    try remove.run()
  }

  /// A tweet's key has changed.
  func move(_ tweet: Int, to key: Int) throws(ToolError) {
    move.bind(1, key)
    move.bind(2, tweet)
    try move.run()
  }
}

extension ReferenceTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare(
        "INSERT OR IGNORE INTO tweet_references (tweet, type, id, author) VALUES (?, ?, ?, ?)"),
      holders: try database.prepare(
        """
        SELECT r.tweet, r.type = 'retweeted' FROM tweet_references r JOIN tweets t ON t.key = r.tweet
        WHERE r.id = ? AND t.service = ?
        """),
      holdersByAuthor: try database.prepare("SELECT DISTINCT tweet FROM tweet_references WHERE author = ?"),
      remove: try database.prepare("DELETE FROM tweet_references WHERE tweet = ?"),
      move: try database.prepare("UPDATE tweet_references SET tweet = ? WHERE tweet = ?"))
  }
}
