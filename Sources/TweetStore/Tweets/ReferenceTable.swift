import TweetCore

/// The table `tweet_references`: what a tweet retweets, quotes or replies to.
struct ReferenceTable: ~Copyable {
  struct Holder {
    var key: Int
    var id: String
    /// It is a retweet: nothing of its own.
    var isRetweet: Bool
  }

  private let insert: Statement
  private let holders: Statement
  private let remove: Statement

  func add(_ reference: JSONValue, of tweet: Int) throws(ToolError) {
    guard let type = reference["type"], type.isText, let id = reference["id"], id.isText else { return }
    insert.bind(1, tweet)
    insert.bind(2, text: type)
    insert.bind(3, text: id)
    try insert.run()
  }

  /// The stored tweets that refer to one.
  func holders(service: String, id: String) throws(ToolError) -> [Holder] {
    holders.bind(1, id)
    holders.bind(2, service)
    var found: [Holder] = []
    while try holders.step() {
      let row = holders.row
      found.append(Holder(key: row.integer(0), id: row.text(1) ?? "", isRetweet: row.integer(2) != 0))
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
        SELECT r.tweet, t.id, r.type = 'retweeted' FROM tweet_references r JOIN tweets t ON t.key = r.tweet
        WHERE r.id = ? AND t.service = ?
        """),
      remove: try database.prepare("DELETE FROM tweet_references WHERE tweet = ?"))
  }
}
