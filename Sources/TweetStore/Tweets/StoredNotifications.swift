import SQLite
package import TweetCore

/// Which notifications ``TweetStore/forEachNotification(_:_:)`` gives.
package struct NotificationQuery: Sendable {
  package var service: String?
  /// Whom they tell.
  package var account: String?
  /// Their kinds; empty for all.
  package var kinds: [String] = []
  package var since: Timestamp?
  package var until: Timestamp?
  package var isOldestFirst = false

  package init() {}
}

extension TweetStore {
  /// How many notifications are read at once. No transaction is open while they are printed.
  private static let notificationPage = 500

  /// Where a notification stands in the order of time.
  private struct Place {
    var at = ""
    var service = ""
    var account = ""
    var id = ""
  }

  /// Calls `body` with the stored notifications as records, the newest first, until it returns false. Each has what is
  /// stored of its tweet and of who caused it.
  /// - Returns: the damaged ones, which are left out.
  package func forEachNotification(
    _ query: NotificationQuery, _ body: ([UInt8]) throws(ToolError) -> Bool
  ) throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    let tweets = try database.prepare(
      "SELECT \(TweetPages.columns) FROM tweets t WHERE t.service = ? AND t.id = ? AND coalesce(t.hidden, 'edited') = 'edited'"
    )
    let users = try database.prepare(
      "SELECT \(RecordPacker.user), \(RowSum.users.isSound()), id FROM users WHERE service = ? AND id = ?")
    var last: Place?
    while true {
      let page = try notifications(query, after: last, &damaged)
      for (place, record) in page.records {
        let whole = try record.read { (record) throws(ToolError) in
          try completed(record, place.service, tweets, users, &damaged)
        }
        if try !body(whole) { return damaged }
      }
      guard page.count == Self.notificationPage else { return damaged }
      last = page.last
    }
  }

  private func notifications(
    _ query: NotificationQuery, after last: Place?, _ damaged: inout DamagedRows
  ) throws(ToolError) -> (records: [(Place, JSONDocument)], count: Int, last: Place?) {
    var (conditions, values): ([String], [SQLValue]) = ([], [])
    func add(_ condition: String, _ new: SQLValue...) {
      conditions.append(condition)
      values += new
    }
    if let service = query.service { add("service = ?", .text(service)) }
    if let account = query.account { add("account = ?", .text(account)) }
    if !query.kinds.isEmpty {
      conditions.append("kind IN (\(query.kinds.map { _ in "?" }.joined(separator: ", ")))")
      values += query.kinds.map { .text($0) }
    }
    if let since = query.since { add("at >= ?", .text(since.rfc3339)) }
    if let until = query.until { add("at < ?", .text(until.rfc3339)) }
    if let last {
      add(
        "(at, service, account, id) \(query.isOldestFirst ? ">" : "<") (?, ?, ?, ?)", .text(last.at),
        .text(last.service), .text(last.account), .text(last.id))
    }
    let order = ["at", "service", "account", "id"].map { query.isOldestFirst ? $0 : $0 + " DESC" }
    let statement = try database.prepare(
      """
      SELECT at, service, account, id, \(RecordPacker.notification), \(RowSum.notifications.isSound()) FROM notifications
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      ORDER BY \(order.joined(separator: ", ")) LIMIT \(Self.notificationPage)
      """)
    statement.bind(values)
    var records: [(Place, JSONDocument)] = []
    var (count, end) = (0, last)
    while try statement.step() {
      let row = statement.row
      let place = Place(
        at: row.text(0) ?? "", service: row.text(1) ?? "", account: row.text(2) ?? "", id: row.text(3) ?? "")
      (count, end) = (count + 1, place)
      guard row.isSound(5, record: 4) == true, let record = StoredColumns.parse(row.bytes(4)) else {
        damaged.append("notification '\(place.service):\(place.id)'")
        continue
      }
      records.append((place, record))
    }
    return (records, count, end)
  }

  /// A stored notification with its tweet and its user.
  private func completed(
    _ record: JSONValue, _ service: String, _ tweets: borrowing Statement, _ users: borrowing Statement,
    _ damaged: inout DamagedRows
  ) throws(ToolError) -> [UInt8] {
    var edits = RecordEdits()
    if let id = record["user"]?["id"], id.isText {
      users.bind(1, service)
      users.bind(2, text: id)
      defer { users.reset() }
      if try users.step() {
        let name = "user '\(service):\(id.string ?? "")'"
        let isSound = users.row.isSound(1, record: 0) ?? StoredColumns.isProfile(users.row, id: 2, json: 0)
        if isSound, let profile = StoredColumns.parse(users.row.bytes(0)) {
          var value = ByteBuffer(capacity: 256)
          profile.read { value.appendNotifier($0) }
          edits.set("user", in: record, to: value.array)
        } else {
          damaged.append(name)
        }
      }
    }
    if let id = record["tweet"]?["id"], id.isText {
      tweets.bind(1, service)
      tweets.bind(2, text: id)
      defer { tweets.reset() }
      if try tweets.step() {
        let isSound =
          tweets.row.isSound(1, record: 0)
          ?? StoredColumns.isRecord(
            tweets.row, service: 2, id: 3, text: 4, json: 0)
        if isSound, let tweet = StoredColumns.parse(tweets.row.bytes(0)) {
          var value = ByteBuffer(capacity: 1024)
          tweet.read { value.appendNotified(tweet: $0) }
          edits.set("tweet", in: record, to: value.array)
        } else {
          damaged.append("tweet '\(service):\(id.string ?? "")'")
        }
      }
    }
    var whole = ByteBuffer(capacity: 1024)
    edits.apply(to: record, into: &whole)
    return whole.array
  }
}
