import SQLite
package import TweetCore

extension TweetStore {
  /// How many profiles are read at once. No transaction is open while they are printed.
  private static let page = 500

  /// Calls `body` with the stored profiles as `user` records, ordered by service and id, until it returns false.
  /// - Parameter name: only users with this name, present or former; `nil` for all.
  /// - Returns: the damaged ones, which are left out.
  package func forEachUser(
    named name: String?, service: String?, _ body: ([UInt8]) throws(ToolError) -> Bool
  ) throws(ToolError) -> DamagedRows {
    let wanted =
      name == nil
      ? "TRUE"
      : "key IN (SELECT key FROM users WHERE username = ?4 UNION SELECT user FROM user_names WHERE username = ?4)"
    let statement = try database.prepare(
      """
      SELECT service, \(RecordPacker.user), retrieved_at, id, \(RowSum.users.isSound()) FROM users
      WHERE (service, id) > (?1, ?2) AND \(wanted) AND (?3 IS NULL OR service = ?3) ORDER BY service, id
      LIMIT \(Self.page)
      """)
    var last = (service: "", id: "")
    var damaged = DamagedRows()
    while true {
      statement.bind(1, last.service)
      statement.bind(2, last.id)
      statement.bind(3, SQLValue(service))
      if let name { statement.bind(4, name) }
      var records: [[UInt8]] = []
      var count = 0
      while try statement.step() {
        let row = statement.row
        count += 1
        last = (row.text(0) ?? "", row.text(3) ?? "")
        guard row.isSound(4, record: 1) ?? StoredColumns.isProfile(row, id: 3, json: 1) else {
          damaged.append("user '\(last.service):\(last.id)'")
          continue
        }
        var record = ByteBuffer(capacity: 1024)
        record.appendUser(row, service: 0, json: 1, retrieved: 2)
        records.append(record.array)
      }
      for record in records where try !body(record) { return damaged }
      if count < Self.page { return damaged }
    }
  }

  /// The stored profile of a user as a `user` record; `nil` if there is none. Throws if it is damaged.
  package func user(service: String, id: String) throws(ToolError) -> [UInt8]? {
    var found: [UInt8]?
    try database.forEachRow(
      sql: """
        SELECT service, \(RecordPacker.user), retrieved_at, \(RowSum.users.isSound()), id FROM users
        WHERE service = ? AND id = ?
        """, .text(service), .text(id)
    ) { (row) throws(ToolError) in
      guard row.isSound(3, record: 1) ?? StoredColumns.isProfile(row, id: 4, json: 1) else {
        throw DamagedRows.error("user '\(service):\(id)'")
      }
      var record = ByteBuffer(capacity: 1024)
      record.appendUser(row, service: 0, json: 1, retrieved: 2)
      found = record.array
    }
    return found
  }

  /// Calls `body` with all names, earliest first, of each user.
  /// - Parameter name: only users with this name, present or former; `nil` for all.
  /// - Returns: the damaged ones, which are left out.
  package func forEachName(
    ofUsersNamed name: String?, service: String?,
    _ body: (_ service: String, _ id: String, _ username: String, _ name: String, _ firstSeen: String)
      throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    let wanted =
      name == nil
      ? "TRUE"
      : "n.user IN (SELECT key FROM users WHERE username = ?2 UNION SELECT user FROM user_names WHERE username = ?2)"
    let read = try database.prepare(
      """
      SELECT u.service, u.id, n.username, n.name, n.first_seen,
        \(RowSum.users.isSound("u")) AND n.isSound
      FROM (\(UserTable.allNames)) n JOIN users u ON u.key = n.user
      WHERE \(wanted) AND (?1 IS NULL OR u.service = ?1) ORDER BY u.service, u.id, n.first_seen
      """)
    read.bind(1, SQLValue(service))
    if let name { read.bind(2, name) }
    while try read.step() {
      let row = read.row
      guard row.isSound(5) == true else {
        damaged.append("a name of user '\(row.text(0) ?? ""):\(row.text(1) ?? "")'")
        continue
      }
      try body(row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? "", row.text(3) ?? "", row.text(4) ?? "")
    }
    return damaged
  }
}

extension ByteBuffer {
  /// Appends a row of `users` as a `user` record.
  mutating func appendUser(_ row: Row, service: Int32, json: Int32, retrieved: Int32) {
    object { out in
      out.member("tw", "user")
      out.member("service", row.text(service) ?? "")
      let members = ByteView(rebasing: row.bytes(json).dropFirst().dropLast())
      if !members.isEmpty {
        out.append(UInt8(ascii: ","))
        out.append(members)
      }
      out.member("retrieved_at", row.text(retrieved))
    }
  }
}
