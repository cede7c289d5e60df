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
  package func export(_ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Bool) throws(ToolError) {
    try database.read { () throws(ToolError) in
      var line = ByteBuffer(capacity: 4096)
      let keepsDeleted = try database.first("SELECT 1 FROM tweets WHERE hidden = 'deleted'") { _ in true } ?? false
      line.append("{\"tw\":\"store\",\"version\":1\(keepsDeleted ? ",\"keeps_deleted\":true" : "")}")
      if try !line.withBytes(body) { return }
      for part in ExportPart.allCases {
        let statement = try database.prepare(part.sql + part.order)
        defer { statement.reset() }
        while try statement.step() {
          line.removeAll()
          try part.append(statement.row, of: database, to: &line)
          if try !line.withBytes(body) { return }
        }
      }
    }
  }
}

/// The parts of an export, in their order: an import needs users before tweets, and deletions after all tweets.
enum ExportPart: CaseIterable {
  case users, tweets, edits, withheld, scrubbedPlaces, tombstones, linkKinds

  /// The name of the table, for parts whose rows have keys.
  var table: String? {
    switch self {
    case .users: "users"
    case .tweets: "tweets"
    default: nil
    }
  }

  /// The ORDER BY clause, for tables whose own order differs.
  fileprivate var order: String { self == .users ? " ORDER BY service, id" : self == .tweets ? " ORDER BY key" : "" }

  var sql: String {
    switch self {
    case .users: "SELECT key, service, json, retrieved_at, first_seen FROM users"
    case .tweets: "SELECT key, json, first_seen, last_seen, hidden FROM tweets"
    case .edits: "SELECT service, id, original FROM tweet_edits"
    case .tombstones: "SELECT service, id, user_id, deleted_at FROM tombstones"
    case .withheld: "SELECT service, subject, id, countries, noticed_at FROM withheld"
    case .scrubbedPlaces: "SELECT service, user_id, up_to_id, noticed_at FROM scrubbed_places"
    case .linkKinds: "SELECT url, kind, checked_at FROM link_kinds"
    }
  }

  /// Appends the lines for one row of ``sql``.
  /// - Parameter isWhole: whether the `stored` object follows the record.
  func append(
    _ row: Row, of database: borrowing Database, to line: inout ByteBuffer, isWhole: Bool = true
  ) throws(ToolError) {
    func add(_ key: StaticString, _ column: Int32, to line: inout ByteBuffer) {
      guard let text = row.text(column) else { return }
      line.append(",\"")
      line.append(key)
      line.append("\":")
      line.appendJSONString(text)
    }
    switch self {
    case .users:
      line.appendUser(row, service: 1, json: 2, retrieved: 3)
      if !isWhole { return }
      line.append("\n{\"tw\":\"stored\"")
      add("first_seen", 4, to: &line)
      try appendNames(of: row.integer(0), database, to: &line)
    case .tweets:
      line.append(row.bytes(1))
      if !isWhole { return }
      line.append("\n{\"tw\":\"stored\",\"key\":\(row.integer(0))")
      add("first_seen", 2, to: &line)
      add("last_seen", 3, to: &line)
      add("hidden", 4, to: &line)
      try appendFeeds(of: row.integer(0), database, to: &line)
      try appendVersions(of: row.integer(0), database, to: &line)
    case .edits:
      line.append("{\"tw\":\"edit\"")
      add("service", 0, to: &line)
      add("id", 1, to: &line)
      add("original", 2, to: &line)
    case .tombstones:
      line.append("{\"tw\":\"delete\"")
      add("service", 0, to: &line)
      add("id", 1, to: &line)
      add("user_id", 2, to: &line)
      add("deleted_at", 3, to: &line)
    case .withheld:
      line.append("{\"tw\":\"notice\",\"level\":\"info\",\"code\":\"withheld\"")
      add("service", 0, to: &line)
      add(row.text(1) == "user" ? "user_id" : "id", 2, to: &line)
      line.append(",\"countries\":\(row.text(3) ?? "[]")")
      add("at", 4, to: &line)
    case .scrubbedPlaces:
      line.append("{\"tw\":\"notice\",\"level\":\"info\",\"code\":\"scrub_geo\"")
      add("service", 0, to: &line)
      add("user_id", 1, to: &line)
      add("up_to_id", 2, to: &line)
      add("at", 3, to: &line)
    case .linkKinds:
      line.append("{\"tw\":\"link\"")
      add("url", 0, to: &line)
      add("link_kind", 1, to: &line)
      add("checked_at", 2, to: &line)
    }
    line.append("}")
  }

  private func appendNames(of user: Int, _ database: borrowing Database, to line: inout ByteBuffer) throws(ToolError) {
    line.append(",\"names\":[")
    var isFirst = true
    try database.forEachRow(
      "SELECT username, name, first_seen FROM user_names WHERE user = ?", .integer(user)
    ) { row in
      line.appendTuple(row, isFirst: &isFirst)
    }
    line.append("]")
  }

  private func appendFeeds(of tweet: Int, _ database: borrowing Database, to line: inout ByteBuffer) throws(ToolError) {
    var isFirst = true
    try database.forEachRow(
      """
      SELECT f.feed, t.first_seen, t.last_seen FROM feeds f JOIN tweet_feeds t ON t.feed = f.key AND t.tweet = ?
      ORDER BY f.feed
      """, .integer(tweet)
    ) { row in
      if isFirst { line.append(",\"feeds\":[") }
      line.appendTuple(row, isFirst: &isFirst)
    }
    if !isFirst { line.append("]") }
  }

  private func appendVersions(of tweet: Int, _ database: borrowing Database, to line: inout ByteBuffer)
    throws(ToolError)
  {
    var isFirst = true
    try database.forEachRow("SELECT json FROM tweet_versions WHERE tweet = ?", .integer(tweet)) { row in
      line.append(isFirst ? ",\"versions\":[" : ",")
      isFirst = false
      line.append(row.bytes(0))
    }
    if !isFirst { line.append("]") }
  }
}

extension ByteBuffer {
  /// Appends a row of three texts as an array, with a comma before it unless it is the first one.
  fileprivate mutating func appendTuple(_ row: Row, isFirst: inout Bool) {
    append(isFirst ? "[" : ",[")
    isFirst = false
    for column: Int32 in 0..<3 {
      if column > 0 { append(",") }
      appendJSONString(row.text(column) ?? "")
    }
    append("]")
  }
}
