import TweetCore

/// The keys a list may have: from `low` up to, without it, `high`.
struct KeyRange {
  private(set) var low = Int.min
  private(set) var high = Int.max

  mutating func raise(to key: Int) { low = max(low, key) }
  mutating func raise(above key: Int) { raise(to: key == .max ? key : key + 1) }
  mutating func lower(to key: Int) { high = min(high, key) }
}

/// One thing that a list asks of its tweets: a column that has one of some values, on an index that is in the order of
/// the tweets' keys.
struct Filter {
  let table: String
  /// The index of `tweets` that leads by this column.
  var index: String?
  let column: String
  /// What stands between column and value.
  var comparison = "="
  /// The column of `table` that holds the tweets' keys.
  let key: String
  /// Any of these.
  let values: [SQLValue]

  /// A column of the tweet itself.
  init(column: String, index: String, _ values: [SQLValue]) {
    (table, key) = ("tweets", "key")
    (self.column, self.index, self.values) = (column, index, values)
  }

  /// A table that names tweets in the column `tweet`.
  init(table: String, column: String, _ values: [SQLValue]) {
    key = "tweet"
    (self.table, self.column, self.values) = (table, column, values)
  }

  /// The full-text index.
  init(match query: String) {
    (table, column, comparison, key) = ("tweet_search", "tweet_search", "MATCH", "rowid")
    values = [.text(query)]
  }

  /// Counts how many rows fit, up to `most`.
  func sizeSQL(_ most: Int) -> String {
    let parts = values.indices.map { place in
      "SELECT 1 FROM \(table)\(index.map { " INDEXED BY " + $0 } ?? "") WHERE \(column) \(comparison) ?\(place + 1)"
    }
    return "SELECT count(*) FROM (\(parts.joined(separator: " UNION ALL ")) LIMIT \(most))"
  }
}

/// A list's SELECT: the rarest filter is walked through, in the order of its keys; the others are looked up for each row.
/// So nothing is sorted, and the next page goes on where the last one ended.
struct QuerySQL {
  /// SQLite joins no more SELECTs than this.
  private static let mostParts = 500

  let text: String
  /// The values of the parameters from ``firstValue`` on.
  let values: [SQLValue]
  /// The parameters of the range of keys; the rest follows.
  static let low: Int32 = 1
  static let high: Int32 = 2
  private static let firstValue = 3

  /// - Parameters:
  ///   - filters: the one to lead first.
  ///   - condition: another one on `tweets t`, without parameters.
  init(_ filters: [Filter], condition: String?, isOldestFirst: Bool) {
    var values: [SQLValue] = []
    func marks(_ filter: Filter) -> [String] {
      values += filter.values
      let first = Self.firstValue + values.count - filter.values.count
      return filter.values.indices.map { "?\(first + $0)" }
    }
    let leading = filters.first.map { (filter: $0, marks: marks($0)) }
    var conditions = filters.dropFirst().map { Self.check($0, marks($0)) }
    if let condition { conditions.append(condition) }
    let order = isOldestFirst ? "ASC" : "DESC"

    func select(_ from: String, _ key: String, _ first: String?) -> String {
      let all = [first].compactMap { $0 } + ["\(key) >= ?1", "\(key) < ?2"] + conditions
      return "SELECT \(key) AS key, t.json FROM \(from) WHERE \(all.joined(separator: " AND "))"
    }
    guard let (lead, leadMarks) = leading else {
      text = select("tweets t", "t.key", nil) + " ORDER BY t.key \(order)"
      self.values = values
      return
    }
    let from: String
    let key: String
    if let index = lead.index {
      (from, key) = ("tweets t INDEXED BY \(index)", "t.key")
    } else {
      // CROSS keeps SQLite from changing the order of the tables, and with it that of the rows.
      (from, key) = (
        "\(lead.table) CROSS JOIN tweets t ON t.key = \(lead.table).\(lead.key)", "\(lead.table).\(lead.key)"
      )
    }
    let column = lead.index == nil ? lead.column : "t." + lead.column
    // Of one value an index is in the order of keys; those of several are merged.
    let parts = leadMarks.prefix(Self.mostParts).map { select(from, key, "\(column) \(lead.comparison) \($0)") }
    text = parts.joined(separator: " UNION ALL ") + " ORDER BY \(parts.count == 1 ? key : "1") \(order)"
    self.values = values
  }

  private static func check(_ filter: Filter, _ marks: [String]) -> String {
    let wanted =
      marks.count == 1 ? "\(filter.comparison) \(marks[0])" : "IN (\(marks.joined(separator: ", ")))"
    // The plus keeps SQLite from another index than the one that leads.
    if filter.index != nil { return "+t.\(filter.column) \(wanted)" }
    return "EXISTS (SELECT 1 FROM \(filter.table) WHERE \(filter.column) \(wanted) AND \(filter.key) = t.key)"
  }
}
