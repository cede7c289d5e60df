import SQLite
package import TweetCore

extension TweetStore {
  /// Calls `body` with each line of an export, as tw-db(5) describes it, until it returns false.
  ///
  /// All lines come from one read transaction, so the export shows the store at one moment. No checkpoint can finish
  /// until the export ends. Pages, as a list has them, would avoid that, but a tweet whose key changes meanwhile could
  /// be missing in all of them.
  ///
  /// Users, tweets in the order of time, deletions and notices are records of tweet(5). After each user and each tweet
  /// comes a `stored` object with what the store knows beside the record.
  /// - Returns: the damaged rows, which are left out.
  package func export(
    _ body: (ByteView) throws(ToolError) -> Bool
  ) throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    try database.read { () throws(ToolError) in
      var line = ByteBuffer(capacity: 4096)
      let keepsDeleted = try database.first("SELECT 1 FROM tweets WHERE hidden = 'deleted'") { _ in true } ?? false
      let marksRead = try key(of: .unread) != nil
      line.object { line in
        line.member("tw", "store")
        line.member("version", 1)
        if keepsDeleted { line.member("keeps_deleted", true) }
        if marksRead { line.member("marks_read", true) }
      }
      if try !line.withBytes(body) { return }
      for part in ExportPart.allCases {
        let statement = try database.prepare(part.sql + part.order)
        defer { statement.reset() }
        while try statement.step() {
          guard part.isSound(statement.row) else {
            damaged.append(part.name(of: statement.row))
            continue
          }
          line.removeAll()
          try part.append(statement.row, of: database, to: &line, &damaged)
          if try !line.withBytes(body) { return }
        }
      }
      // A row whose key is damaged was not found for its user or tweet, and it may hide others.
      if damaged.count == 0 { damaged = try damagedBesides() }
    }
    return damaged
  }

  /// The damaged rows of what an export has beside records.
  private func damagedBesides() throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    for table in [RowSum.userNames, .feeds, .tweetFeeds, .versions, .labels, .tweetLabels, .tweetCounts] {
      let count = try database.prepare(
        "SELECT count(*) FROM \(table.table) WHERE NOT coalesce(\(table.isSound()), FALSE)")
      guard try count.step() else { continue }
      for _ in 0..<count.row.integer(0) { damaged.append("a row of \(table.table)") }
    }
    return damaged
  }
}

/// The parts of an export, in their order: an import needs to know first whom it must not store, then users before
/// tweets, and deletions after all tweets.
enum ExportPart: CaseIterable {
  case forgottenPeople, users, tweets, notifications, edits, withheld, scrubbedPlaces, tombstones, forgotten,
    forgottenTweets, linkKinds, savedQueries, sources

  private var table: RowSum {
    switch self {
    case .users: .users
    case .tweets: .tweets
    case .notifications: .notifications
    case .edits: .edits
    case .withheld: .withheld
    case .scrubbedPlaces: .scrubbedPlaces
    case .tombstones: .tombstones
    case .forgotten: .forgotten
    case .forgottenTweets: .forgottenTweets
    case .forgottenPeople: .forgottenPeople
    case .linkKinds: .linkKinds
    case .savedQueries: .savedQueries
    case .sources: .sources
    }
  }

  /// The ORDER BY clause, for tables whose own order differs.
  fileprivate var order: String { self == .users ? " ORDER BY service, id" : self == .tweets ? " ORDER BY key" : "" }

  fileprivate var sql: String {
    "SELECT \(columns.joined(separator: ", ")), \(table.isSound()) FROM \(table.table)"
  }

  private var columns: [String] {
    switch self {
    case .users: ["key", "service", RecordPacker.user, "retrieved_at", "first_seen", "id"]
    case .tweets: ["key", RecordPacker.tweet(), "first_seen", "last_seen", "hidden", "service", "id", "text"]
    case .forgottenTweets: ["service", "named", "id", "stored", RecordPacker.tweet()]
    case .notifications: ["service", "id", RecordPacker.notification]
    default: table.columns
    }
  }

  /// Whether a row of ``sql`` is as it was written.
  fileprivate func isSound(_ row: Row) -> Bool {
    let sum = Int32(columns.count)
    let isSound =
      switch self {
      case .users: row.isSound(sum, record: 2)
      case .tweets: row.isSound(sum, record: 1)
      case .forgottenTweets: row.isSound(sum, record: 4)
      case .notifications: row.isSound(sum, record: 2)
      default: row.isSound(sum)
      }
    if let isSound { return isSound }
    return switch self {
    case .users: StoredColumns.isProfile(row, id: 5, json: 2)
    case .tweets: StoredColumns.isRecord(row, service: 5, id: 6, text: 7, json: 1)
    default: false
    }
  }

  /// What a damaged row is called.
  fileprivate func name(of row: Row) -> String {
    switch self {
    case .users: "user '\(row.text(1) ?? ""):\(row.text(5) ?? "")'"
    case .tweets: "tweet '\(row.text(5) ?? ""):\(row.text(6) ?? "")'"
    case .notifications: "notification '\(row.text(0) ?? ""):\(row.text(1) ?? "")'"
    default: "a row of \(table.table)"
    }
  }

  /// Appends the lines for one row of ``sql``: the record, and what the store knows beside it.
  fileprivate func append(
    _ row: Row, of database: borrowing Database, to line: inout ByteBuffer, _ damaged: inout DamagedRows
  ) throws(ToolError) {
    switch self {
    case .users:
      line.appendUser(row, service: 1, json: 2, retrieved: 3)
      line.append("\n")
    case .tweets:
      line.append(row.bytes(1))
      line.append("\n")
    case .notifications: return line.append(row.bytes(2))
    default: break
    }
    try line.object { (line) throws(ToolError) in
      line.member("tw", type)
      switch self {
      case .tweets: line.member("key", row.integer(0))
      case .withheld, .scrubbedPlaces:
        line.member("level", "info")
        line.member("code", self == .withheld ? "withheld" : "scrub_geo")
      default: break
      }
      for (key, column) in texts { line.member(key, row.text(column)) }
      switch self {
      case .users: try appendNames(of: row.integer(0), database, to: &line, &damaged)
      case .tweets:
        try appendFeeds(of: row.integer(0), database, to: &line, &damaged)
        try appendVersions(of: row.integer(0), database, to: &line, &damaged)
        try PersonalExport.append(of: row.integer(0), database, to: &line, &damaged)
      case .forgottenTweets:
        line.member("record", json: row.bytes(4))
        if !row.isNull(3) { line.member("stored", json: row.bytes(3)) }
      case .withheld:
        line.member(row.text(1) == "user" ? "user_id" : "id", row.text(2))
        line.member("countries", json: row.text(3) ?? "[]")
        line.member("at", row.text(4))
      case .sources:
        line.member("every", row.optionalInteger(4))
        if row.integer(5) != 0 { line.member("paused", true) }
        line.member("checkpoint", row.text(6))
      default: break
      }
    }
  }

  /// The type of its lines.
  private var type: StaticString {
    switch self {
    case .users, .tweets, .notifications: "stored"
    case .edits: "edit"
    case .withheld, .scrubbedPlaces: "notice"
    case .tombstones: "delete"
    case .forgotten: "forgotten"
    case .forgottenTweets: "forgotten_tweet"
    case .forgottenPeople: "forgotten_person"
    case .linkKinds: "link"
    case .savedQueries: "saved_query"
    case .sources: "source"
    }
  }

  /// The members that are texts as they stand, and their columns.
  private var texts: [(key: StaticString, column: Int32)] {
    switch self {
    case .users: [("first_seen", 4)]
    case .tweets: [("first_seen", 2), ("last_seen", 3), ("hidden", 4)]
    case .notifications: []
    case .edits: [("service", 0), ("id", 1), ("original", 2)]
    case .withheld: [("service", 0)]
    case .scrubbedPlaces: [("service", 0), ("user_id", 1), ("up_to_id", 2), ("at", 3)]
    case .tombstones: [("service", 0), ("id", 1), ("user_id", 2), ("deleted_at", 3)]
    case .forgotten: [("service", 0), ("id", 1), ("named", 2), ("forgotten_at", 3), ("address", 4)]
    case .forgottenTweets: [("service", 0), ("named", 1)]
    case .forgottenPeople: [("service", 0), ("id", 1), ("forgotten_at", 2)]
    case .linkKinds: [("url", 0), ("link_kind", 1), ("checked_at", 2)]
    case .savedQueries: [("name", 0), ("query", 1)]
    case .sources: [("service", 1), ("account", 2), ("source", 3)]
    }
  }

  /// Appends the lines of one tweet.
  /// - Returns: false if it is not stored.
  /// - Throws: if it is damaged.
  static func appendTweet(
    _ key: Int, of database: borrowing Database, to lines: inout ByteBuffer
  ) throws(ToolError) -> Bool {
    let statement = try database.prepare(tweets.sql + " WHERE key = ?")
    statement.bind(1, key)
    defer { statement.reset() }
    guard try statement.step() else { return false }
    guard tweets.isSound(statement.row) else { throw DamagedRows.error(tweets.name(of: statement.row)) }
    var damaged = DamagedRows()
    try tweets.append(statement.row, of: database, to: &lines, &damaged)
    try damaged.check(of: database.path)
    return true
  }

  private func appendNames(
    of user: Int, _ database: borrowing Database, to line: inout ByteBuffer, _ damaged: inout DamagedRows
  ) throws(ToolError) {
    line.key("names")
    try line.array { (line) throws(ToolError) in
      try database.forEachRow(sql: Self.namesSQL, .integer(user)) { row in
        if row.isSound(3) != true { return damaged.append("a row of user_names") }
        line.appendTuple(row)
      }
    }
  }

  private static let namesSQL =
    "SELECT username, name, first_seen, isSound FROM (\(UserTable.allNames)) WHERE user = ?"

  private func appendFeeds(
    of tweet: Int, _ database: borrowing Database, to line: inout ByteBuffer, _ damaged: inout DamagedRows
  ) throws(ToolError) {
    try line.array("feeds") { (line) throws(ToolError) in
      try database.forEachRow(sql: Self.feedsSQL, .integer(tweet)) { row in
        if row.isSound(3) != true { return damaged.append("a row of tweet_feeds") }
        line.appendTuple(row)
      }
    }
  }

  private static let feedsSQL = """
    SELECT f.feed, t.first_seen, t.last_seen, \(RowSum.feeds.isSound("f")) AND \(RowSum.tweetFeeds.isSound("t"))
    FROM feeds f JOIN tweet_feeds t ON t.feed = f.key AND t.tweet = ? ORDER BY f.feed
    """

  private func appendVersions(
    of tweet: Int, _ database: borrowing Database, to line: inout ByteBuffer, _ damaged: inout DamagedRows
  ) throws(ToolError) {
    try line.array("versions") { (line) throws(ToolError) in
      try database.forEachRow(sql: Self.versionsSQL, .integer(tweet)) { row in
        if row.isSound(1, record: 0) != true { return damaged.append("a row of tweet_versions") }
        line.append(",")
        line.append(row.bytes(0))
      }
    }
  }

  private static let versionsSQL =
    "SELECT \(RecordPacker.tweet()), \(RowSum.versions.isSound()) FROM tweet_versions WHERE tweet = ?"
}

extension ByteBuffer {
  /// Appends a row of three texts as an element that is an array.
  fileprivate mutating func appendTuple(_ row: Row) {
    append(",")
    array { for column: Int32 in 0..<3 { $0.element(row.text(column) ?? "") } }
  }
}
