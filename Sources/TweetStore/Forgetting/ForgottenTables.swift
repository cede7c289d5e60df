import SQLite
import TweetCore

/// The tables `forgotten` and `forgotten_tweets`: tweets that a person removed, and, until the store is pruned, what
/// brings them back.
struct ForgottenTables: ~Copyable {
  private let packer: RecordPacker
  private let insert: Statement
  private let insertTweet: Statement
  private let drop: Statement
  private let remove: Statement
  private let removeTweets: Statement
  private let findAddress: Statement
  var posts: PostSet

  /// Adds a tweet.
  /// - Parameters:
  ///   - named: the id of the tweet that was named, itself or another version of it, or `@` and its author's id.
  ///   - address: of a post whose copies are not to come either; see ``CanonicalAddress``.
  mutating func add(
    service: String, id: String, named: String, now: String, address: String?
  ) throws(ToolError) {
    insert.bind([.text(service), .text(id), .text(named), .text(now), SQLValue(address)])
    try insert.run()
    posts.hasAny = true
  }

  /// Whether a post of that address was forgotten.
  func has(address: String) throws(ToolError) -> Bool {
    findAddress.bind(1, address)
    defer { findAddress.reset() }
    return try findAddress.step()
  }

  /// Keeps a record that goes, or changes, with the tweet that was named.
  /// - Parameters:
  ///   - stored: what the store knows beside the record of a tweet that goes; `nil` for one that stays.
  func keep(
    _ record: JSONValue, stored: String?, of named: String, service: String
  ) throws(ToolError) {
    let text = record["text"]
    var column = ByteBuffer()
    if let text { column.append(unescaping: text.rawString) }
    insertTweet.bind([.text(service), .text(named), SQLValue(record["id"]?.string), SQLValue(stored)])
    try column.withBytes { (bytes) throws(ToolError) in
      insertTweet.bind(5, copying: bytes)
      packer.bind(record.raw, text: text, column: bytes, to: insertTweet, 6)
      try insertTweet.run()
    }
  }

  /// Drops what would bring a tweet back.
  func drop(service: JSONValue, id: JSONValue) throws(ToolError) {
    guard posts.hasAny else { return }
    drop.bind(1, text: service)
    drop.bind(2, text: id)
    try drop.run()
  }

  /// Removes the ids of a tweet that was named: it may be stored again. The caller reloads ``posts``.
  func remove(named: String, service: String) throws(ToolError) {
    remove.bind([.text(service), .text(named)])
    try remove.run()
  }

  /// Removes what is kept of a tweet that was named.
  func removeKept(named: String, service: String) throws(ToolError) {
    removeTweets.bind([.text(service), .text(named)])
    try removeTweets.run()
  }
}

extension ForgottenTables {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    self.init(
      packer: packer,
      insert: try database.prepare(RowSum.forgotten.insert(["?1", "?2", "?3", "?4", "?5"], or: "OR IGNORE ")),
      insertTweet: try database.prepare(
        RowSum.forgottenTweets.insert((1...6).map { "?\($0)" }, or: "OR IGNORE ")),
      drop: try database.prepare(
        """
        DELETE FROM forgotten_tweets WHERE service = ?1 AND named IN
          (SELECT named FROM forgotten WHERE service = ?1 AND id = ?2)
        """),
      remove: try database.prepare("DELETE FROM forgotten WHERE service = ? AND named = ?"),
      removeTweets: try database.prepare("DELETE FROM forgotten_tweets WHERE service = ? AND named = ?"),
      findAddress: try database.prepare("SELECT 1 FROM forgotten WHERE address = ? LIMIT 1"),
      posts: try PostSet(database, table: "forgotten"))
  }
}
