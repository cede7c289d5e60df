import TweetCore

/// The tables `feeds` and `tweet_feeds`: which sources brought a tweet, first and last when.
struct FeedTables: ~Copyable {
  private let find: Statement
  private let insert: Statement
  private let note: Statement
  private let remove: Statement
  private let move: Statement
  /// Keys of feeds met in this run, by service and feed with a separator that neither has.
  private var keys: [String: Int] = [:]
  /// A record names its feeds itself, so their number is not ours to trust.
  private static let mostKept = 1000
  /// Nor is their length: longer names, in bytes, are looked up each time.
  private static let longestKept = 1024

  /// Notes that a tweet came from `feeds`, an array of strings.
  mutating func add(
    _ feeds: JSONValue?, service: JSONValue, of tweet: Int, _ seen: Seen, in database: borrowing Database
  ) throws(ToolError) {
    guard let feeds else { return }
    for element in feeds.elements {
      guard let feed = element.nonEmptyString else { continue }
      note.bind(1, try key(feed, service, in: database))
      note.bind(2, tweet)
      note.bind(3, seen)
      try note.run()
    }
  }

  /// Notes that a feed brought a tweet, and when first and last.
  mutating func note(
    _ feed: JSONValue, service: JSONValue, of tweet: Int, first: JSONValue, last: JSONValue,
    in database: borrowing Database
  ) throws(ToolError) {
    guard let name = feed.nonEmptyString else { return }
    let key = try key(name, service, in: database)
    for time in [first, last] {
      note.bind(1, key)
      note.bind(2, tweet)
      note.bind(3, text: time)
      try note.run()
    }
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

  /// What was remembered in a transaction that came to nothing is not there.
  mutating func forget() { keys.removeAll() }

  private mutating func key(
    _ feed: String, _ service: JSONValue, in database: borrowing Database
  ) throws(ToolError) -> Int {
    let name = service.rawText + "\u{0}" + feed
    if let known = keys[name] { return known }
    find.bind(1, text: service)
    find.bind(2, feed)
    let key: Int
    if try find.step() {
      key = find.row.integer(0)
      find.reset()
    } else {
      insert.bind(1, text: service)
      insert.bind(2, feed)
      try insert.run()
      key = database.lastInsertedRow
    }
    if keys.count >= Self.mostKept { keys.removeAll() }
    if name.utf8.count <= Self.longestKept { keys[name] = key }
    return key
  }
}

extension FeedTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      find: try database.prepare("SELECT key FROM feeds WHERE service = ? AND feed = ?"),
      insert: try database.prepare("INSERT INTO feeds (service, feed) VALUES (?, ?)"),
      note: try database.prepare(
        """
        INSERT INTO tweet_feeds (feed, tweet, first_seen, last_seen) VALUES (?1, ?2, ?3, ?3)
        ON CONFLICT DO UPDATE SET first_seen = min(first_seen, ?3), last_seen = max(last_seen, ?3)
        WHERE ?3 < first_seen OR ?3 > last_seen
        """),
      remove: try database.prepare("DELETE FROM tweet_feeds WHERE feed IN (SELECT key FROM feeds) AND tweet = ?"),
      move: try database.prepare(
        "UPDATE tweet_feeds SET tweet = ? WHERE feed IN (SELECT key FROM feeds) AND tweet = ?"))
  }
}
