package import TweetCore

extension TweetStore {
  /// How many profiles are read at once. No transaction is open while they are printed.
  private static let page = 500

  /// Calls `body` with the stored profiles as `user` records, ordered by service and id, until it returns false.
  /// - Parameter name: only users with this name, present or former; `nil` for all.
  package func forEachUser(
    named name: String?, service: String?, _ body: ([UInt8]) throws(ToolError) -> Bool
  ) throws(ToolError) {
    let wanted =
      name == nil
      ? "TRUE"
      : "key IN (SELECT key FROM users WHERE username = ?4 UNION SELECT user FROM user_names WHERE username = ?4)"
    let statement = try database.prepare(
      """
      SELECT service, json, retrieved_at, id FROM users
      WHERE (service, id) > (?1, ?2) AND \(wanted) AND (?3 IS NULL OR service = ?3) ORDER BY service, id
      LIMIT \(Self.page)
      """)
    var last = (service: "", id: "")
    while true {
      statement.bind(1, last.service)
      statement.bind(2, last.id)
      statement.bind(3, SQLValue(service))
      if let name { statement.bind(4, name) }
      var records: [[UInt8]] = []
      while try statement.step() {
        let row = statement.row
        var record = ByteBuffer(capacity: 1024)
        record.appendUser(row, service: 0, json: 1, retrieved: 2)
        records.append(record.array)
        last = (row.text(0) ?? "", row.text(3) ?? "")
      }
      for record in records where try !body(record) { return }
      if records.count < Self.page { return }
    }
  }

  /// The stored profile of a user as a `user` record; `nil` if there is none.
  package func user(service: String, id: String) throws(ToolError) -> [UInt8]? {
    try database.first(
      "SELECT service, json, retrieved_at FROM users WHERE service = ? AND id = ?", .text(service), .text(id)
    ) { row in
      var record = ByteBuffer(capacity: 1024)
      record.appendUser(row, service: 0, json: 1, retrieved: 2)
      return record.array
    }
  }

  /// Calls `body` with all names, earliest first, of each user who has or had the name `name`.
  package func forEachName(
    ofUsersNamed name: String, service: String?,
    _ body: (_ service: String, _ id: String, _ username: String, _ name: String, _ firstSeen: String) -> Void
  ) throws(ToolError) {
    try database.forEachRow(
      """
      SELECT u.service, u.id, n.username, n.name, n.first_seen FROM user_names n JOIN users u ON u.key = n.user
      WHERE u.key IN (SELECT key FROM users WHERE username = ?2 UNION SELECT user FROM user_names WHERE username = ?2)
        AND (?1 IS NULL OR u.service = ?1) ORDER BY u.service, u.id, n.first_seen
      """, SQLValue(service), .text(name)
    ) { row in
      body(row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? "", row.text(3) ?? "", row.text(4) ?? "")
    }
  }
}

extension ByteBuffer {
  /// Appends a row of `users` as a `user` record.
  mutating func appendUser(_ row: Row, service: Int32, json: Int32, retrieved: Int32) {
    append("{\"tw\":\"user\",\"service\":")
    appendJSONString(row.text(service) ?? "")
    let members = UnsafeBufferPointer(rebasing: row.bytes(json).dropFirst().dropLast())
    if !members.isEmpty {
      append(UInt8(ascii: ","))
      append(members)
    }
    if let time = row.text(retrieved) {
      append(",\"retrieved_at\":")
      appendJSONString(time)
    }
    append(UInt8(ascii: "}"))
  }
}
