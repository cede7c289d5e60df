import SQLite
import TweetCore

/// The table `tweet_references`: what a tweet retweets, quotes or replies to.
struct ReferenceTable: ~Copyable {
  /// A stored tweet that refers to another one.
  struct Referrer {
    var key: Int
    /// Whether it is a retweet of that one, without words of its own.
    var isRetweet: Bool
  }

  /// The most levels of tweets inside tweets. Services send one or two.
  static let deepest = 4
  /// The most bytes of a type; `replied_to` is the longest there is. The type of a tweet is repeated in a row for each
  /// tweet inside it, so a long one would fill the disk.
  static let longestType = 32

  private let insert: Statement
  private let referrers: Statement
  private let referrersByAuthor: Statement
  let rows: TweetRows

  /// Calls `body` with each tweet in `list`, a tweet's `referenced_tweets`, that has a row: with the types of those
  /// around it, each followed by a space, its own type, its id, if that is known, and itself. Then come those inside
  /// it.
  static func forEachReference(
    in list: JSONValue?, inside outer: String = "", depth: Int = 1,
    _ body: (_ outer: String, _ type: JSONValue, _ id: JSONValue?, _ tweet: JSONValue) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard let list, depth <= Self.deepest else { return }
    for reference in list.elements {
      let id = reference["id"]
      guard let type = reference["type"], type.isText, type.rawString.count <= Self.longestType, id?.isText ?? true
      else { continue }
      try body(outer, type, id, reference)
      if let inner = reference["referenced_tweets"] {
        try forEachReference(in: inner, inside: outer + (type.string ?? "") + " ", depth: depth + 1, body)
      }
    }
  }

  /// Adds the tweets in `list`, a tweet's `referenced_tweets`, and the tweets inside those. So the tweet can be found
  /// when one of them is deleted or withheld: it contains a copy. The authors of the copies are stored as users.
  func add(
    _ list: JSONValue?, of tweet: Int, service: JSONValue, _ seen: Sighting, users: inout UserTable,
    in database: borrowing Database
  ) throws(ToolError) {
    try Self.forEachReference(in: list) { outer, type, id, reference throws(ToolError) in
      var author: Int?
      if let profile = reference["author"], let id = profile["id"], id.isText {
        author = try users.store(profile, id: id, service: service, seen, in: database).key
      }
      insert.bind(1, tweet)
      if outer.isEmpty { insert.bind(2, text: type) } else { insert.bind(2, outer + (type.string ?? "")) }
      if let id { insert.bind(3, text: id) } else { insert.bind(3, "") }
      insert.bind(4, author)
      try insert.run()
    }
  }

  /// The stored tweets that refer to a tweet.
  func referrers(service: String, id: String) throws(ToolError) -> [Referrer] {
    referrers.bind(1, id)
    referrers.bind(2, service)
    var found: [Referrer] = []
    while try referrers.step() {
      let row = referrers.row
      found.append(Referrer(key: row.integer(0), isRetweet: row.integer(1) != 0))
    }
    return found
  }

  /// The keys of the stored tweets that contain a tweet by this user. Reads the whole table, which is rarely needed.
  func referrers(author: Int) throws(ToolError) -> [Int] {
    referrersByAuthor.bind(1, author)
    var found: [Int] = []
    while try referrersByAuthor.step() { found.append(referrersByAuthor.row.integer(0)) }
    return found
  }
}

extension ReferenceTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare(
        "INSERT OR IGNORE INTO tweet_references (tweet, type, id, author) VALUES (?, ?, ?, ?)"),
      referrers: try database.prepare(
        """
        SELECT r.tweet, r.type = 'retweeted' FROM tweet_references r JOIN tweets t ON t.key = r.tweet
        WHERE r.id = ? AND t.service = ?
        """),
      referrersByAuthor: try database.prepare("SELECT DISTINCT tweet FROM tweet_references WHERE author = ?"),
      rows: try TweetRows(
        database, remove: "DELETE FROM tweet_references WHERE tweet = ?",
        move: "UPDATE tweet_references SET tweet = ? WHERE tweet = ?"))
  }
}
