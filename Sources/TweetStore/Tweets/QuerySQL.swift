import TweetCore

/// The keys a list may have: from `low` up to, without it, `high`.
struct KeyRange {
  private(set) var low = Int.min
  private(set) var high = Int.max

  mutating func raise(to key: Int) { low = max(low, key) }
  mutating func raise(above key: Int) { raise(to: key == .max ? key : key + 1) }
  mutating func lower(to key: Int) { high = min(high, key) }
}

/// A SELECT put together from conditions.
struct QuerySQL {
  private(set) var text = ""
  private(set) var values: [SQLValue] = []
  private var driver: String?
  private var conditions: [String] = []
  private var key = "t.key"

  /// A condition on another table whose `key` is the tweet's.
  mutating func add(table: String, key column: String, where condition: String, _ values: [SQLValue]) {
    if driver == nil && conditions.isEmpty {
      driver = table
      key = "\(table).\(column)"
      conditions.append(condition)
    } else {
      conditions.append("EXISTS (SELECT 1 FROM \(table) WHERE \(condition) AND \(column) = t.key)")
    }
    self.values += values
  }

  /// A condition on the tweet itself.
  mutating func add(where condition: String, _ values: [SQLValue]) {
    conditions.append(condition)
    self.values += values
  }

  mutating func finish(_ range: KeyRange, isOldestFirst: Bool, limit: Int?) {
    if range.low > .min { add(where: "\(key) >= ?", [.integer(range.low)]) }
    if range.high < .max { add(where: "\(key) < ?", [.integer(range.high)]) }
    // CROSS keeps SQLite from changing the order of the tables, and with it that of the rows.
    let tables = driver.map { "\($0) CROSS JOIN tweets t ON t.key = \(key)" } ?? "tweets t"
    text =
      "SELECT t.json FROM \(tables)" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
      + " ORDER BY \(key) \(isOldestFirst ? "ASC" : "DESC")"
    if let limit {
      text += " LIMIT ?"
      values.append(.integer(limit))
    }
  }
}
