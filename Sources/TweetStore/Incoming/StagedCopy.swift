import SQLite
import Synchronization
import TweetCore

/// The database in memory of ``StagedTweets``.
final class StagedCopy {
  private static let copies = Atomic(0)

  let name: String
  private var writer: TweetWriter
  private var hasBegun = false
  /// The tweets and users that were looked for in the file, by service and id.
  private var tweets: Set<[String]> = []
  private var users: Set<[String]> = []
  private var damaged = DamagedRows()

  init() throws(ToolError) {
    name = "/staged-\(Self.copies.add(1, ordering: .relaxed).newValue)"
    writer = try TweetWriter(try Database(inMemory: name, TweetStore.kind), isPrivate: true)
  }

  /// What of the file was damaged and not copied since the last call.
  func takeDamaged() -> DamagedRows {
    defer { damaged = DamagedRows() }
    return damaged
  }

  /// Stores rows of `incoming`, after copies of what they change in the file. The caller holds a read transaction.
  /// - Returns: the number of each, and its key if it is new or has changed.
  func add(
    _ rows: borrowing IncomingTweets, from file: borrowing Database
  ) throws(ToolError) -> [(number: Int, key: Int?)] {
    try writer.beginTransaction()
    do throws(ToolError) {
      if !hasBegun { try copyNames(from: file) }
      hasBegun = true
      let reader = JSONReader()
      for index in rows.tweets.indices {
        try rows.records.withRecord(index) { (bytes) throws(ToolError) in
          try copyChanged(by: try reader.checked(bytes), from: file)
        }
      }
      let changes = try writer.add(rows)
      // Followers read those of the file.
      writer.recent.discardPending()
      try writer.commit()
      return changes
    } catch {
      writer.rollback()
      throw error
    }
  }

  /// Copies what new rows refer to by key, and the last user: those that are new get keys that none in the file has.
  private func copyNames(from file: borrowing Database) throws(ToolError) {
    for table in ["feeds", "labels"] {
      try file.copyRows("SELECT * FROM main.\(table)", to: writer.database, table)
    }
    let last = try file.first("SELECT key, service, id FROM main.users ORDER BY key DESC LIMIT 1") { row in
      (row.integer(0), [row.text(1) ?? "", row.text(2) ?? ""])
    }
    guard let last else { return }
    users.insert(last.1)
    try copyUser(last.0, from: file)
  }

  /// Copies the stored version of a tweet, those of the tweets inside whose counts it brings, and all their users.
  private func copyChanged(by tweet: JSONValue, from file: borrowing Database) throws(ToolError) {
    guard let service = tweet["service"]?.string else { return }
    try copyTweet(service, tweet["id"], from: file)
    // A new copy of a post gets the labels of the others.
    if let address = CanonicalAddress.of(tweet),
      let other = try file.first(Self.otherSQL, .text(address), body: Self.name)
    {
      try copyTweet(other.service, id: other.id, from: file)
    }
    if let list = tweet["referenced_tweets"] {
      for inner in list.elements where inner["public_metrics"] != nil {
        try copyTweet(service, inner["id"], from: file)
      }
    }
    try copyNeeded(by: tweet, service, from: file)
  }

  private func copyTweet(_ service: String, _ id: JSONValue?, from file: borrowing Database) throws(ToolError) {
    if let id = id?.nonEmptyString { try copyTweet(service, id: id, from: file) }
  }

  private static let otherSQL: StaticString =
    "SELECT service, id FROM main.tweets WHERE address = ? LIMIT 1"

  private static func name(_ row: Row) -> (service: String, id: String) { (row.text(0) ?? "", row.text(1) ?? "") }

  private func copyTweet(_ service: String, id: String, from file: borrowing Database) throws(ToolError) {
    guard tweets.insert([service, id]).inserted else { return }
    var found: (key: Int, record: [UInt8])?
    try file.forEachRow(sql: Self.tweetSQL, .text(service), .text(id)) { row in
      guard row.isSound(2, record: 1) ?? StoredColumns.isRecord(row, service: 3, id: 4, text: 5, json: 1) else {
        // The version that waits is shown in its place.
        return damaged.append("tweet '\(service):\(id)'")
      }
      found = (row.integer(0), Array(row.bytes(1)))
    }
    guard let found else { return }
    let document = try JSONDocument.stored(found.record)
    try document.read { (tweet) throws(ToolError) in try copyNeeded(by: tweet, service, from: file) }
    for (table, condition) in Self.tweetTables {
      try file.copyRows(
        "SELECT * FROM main.\(table) WHERE \(condition) = ?", .integer(found.key), to: writer.database, table)
    }
    try document.read { (tweet) throws(ToolError) in
      let fields = TweetColumns(tweet)
      try writer.tweets.addToIndex(found.key, fields)
      try writer.entities.add(fields.entities, of: found.key)
    }
  }

  private static let tweetSQL =
    "SELECT key, \(TweetPages.columns) FROM main.tweets t WHERE t.service = ? AND t.id = ?"

  /// The tables whose rows of a tweet are copied as they are, and the condition on its key.
  private static let tweetTables = [
    ("tweets", "key"), ("tweet_references", "tweet"), ("tweet_versions", "tweet"), ("tweet_counts", "tweet"),
    ("tweet_feeds", "feed IN (SELECT key FROM main.feeds) AND tweet"),
    ("tweet_labels", "label IN (SELECT key FROM main.labels) AND tweet"),
  ]

  /// Copies the users of a tweet, and what is known of its links.
  private func copyNeeded(by tweet: JSONValue, _ service: String, from file: borrowing Database) throws(ToolError) {
    try copyUsers(of: tweet, service, from: file)
    guard let links = tweet["entities"]?["urls"] else { return }
    for link in links.elements {
      guard let url = (link["expanded_url"] ?? link["url"])?.nonEmptyString else { continue }
      try file.copyRows("SELECT * FROM main.link_kinds WHERE url = ?", .text(url), to: writer.database, "link_kinds")
    }
  }

  private func copyUsers(
    of tweet: JSONValue, _ service: String, from file: borrowing Database, depth: Int = 0
  ) throws(ToolError) {
    if let id = tweet["author"]?["id"]?.nonEmptyString, users.insert([service, id]).inserted {
      let key = try file.first("SELECT key FROM main.users WHERE service = ? AND id = ?", .text(service), .text(id)) {
        $0.integer(0)
      }
      if let key { try copyUser(key, from: file) }
    }
    guard depth < ReferenceTable.deepest, let list = tweet["referenced_tweets"] else { return }
    for inner in list.elements {
      try copyUsers(of: inner, service, from: file, depth: depth + 1)
    }
  }

  private func copyUser(_ key: Int, from file: borrowing Database) throws(ToolError) {
    try file.copyRows("SELECT * FROM main.users WHERE key = ?", .integer(key), to: writer.database, "users")
    try file.copyRows("SELECT * FROM main.user_names WHERE user = ?", .integer(key), to: writer.database, "user_names")
  }
}
