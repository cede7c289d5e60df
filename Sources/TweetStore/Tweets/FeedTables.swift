import SQLite
import TweetCore

/// The tables `feeds` and `tweet_feeds`: the sources that a tweet came from, and when it first and last came.
struct FeedTables: ~Copyable {
  private let find: Statement
  private let insert: Statement
  private let record: Statement
  let rows: TweetRows
  /// The keys of feeds used so far, by service and feed with a NUL between.
  private var keys: [String: Int] = [:]
  /// The most keys that are remembered. Records come from strangers and may name any number of feeds.
  private static let mostKept = 1000
  /// The most bytes of a remembered name. Longer ones are looked up each time.
  private static let longestKept = 1024

  /// Stores that a tweet came from `feeds`, an array of strings.
  mutating func add(
    _ feeds: JSONValue?, service: JSONValue, of tweet: Int, _ seen: Sighting, in database: borrowing Database
  ) throws(ToolError) {
    guard let feeds else { return }
    for element in feeds.elements {
      guard let feed = element.nonEmptyString else { continue }
      record.bind(1, try key(feed, service, in: database))
      record.bind(2, tweet)
      record.bind(3, seen)
      try record.run()
    }
  }

  /// Stores that a tweet came from one feed, and when it first and last came.
  mutating func add(
    feed: JSONValue, service: JSONValue, of tweet: Int, first: JSONValue, last: JSONValue,
    in database: borrowing Database
  ) throws(ToolError) {
    guard let name = feed.nonEmptyString else { return }
    let key = try key(name, service, in: database)
    for time in [first, last] {
      record.bind(1, key)
      record.bind(2, tweet)
      record.bind(3, text: time)
      try record.run()
    }
  }

  /// Drops the remembered keys: those from a transaction that was rolled back are not in the table.
  mutating func clearCache() { keys.removeAll() }

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
      insert: try database.prepare(RowSum.feeds.insertNext(["?1", "?2"])),
      record: try database.prepare(
        RowSum.tweetFeeds.insert(["?1", "?2", "?3", "?3"]) + " ON CONFLICT DO UPDATE SET "
          + RowSum.tweetFeeds.assignments(["first_seen": "min(first_seen, ?3)", "last_seen": "max(last_seen, ?3)"])
          + " WHERE ?3 < first_seen OR ?3 > last_seen"),
      rows: try TweetRows(
        database, remove: "DELETE FROM tweet_feeds WHERE feed IN (SELECT key FROM feeds) AND tweet = ?",
        move: RowSum.tweetFeeds.update(["tweet": "?1"]) + " WHERE feed IN (SELECT key FROM feeds) AND tweet = ?2"))
  }
}
