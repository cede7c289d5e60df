import TweetCore

/// The range of keys of a list: from `low` to `high`, without `high` itself.
struct KeyRange {
  private(set) var low = Int.min
  private(set) var high = Int.max

  mutating func raise(to key: Int) { low = max(low, key) }
  mutating func raise(above key: Int) { raise(to: key == .max ? key : key + 1) }
  mutating func lower(to key: Int) { high = min(high, key) }
}

/// One condition of a list: a column that has one of some values. It has an index in which the rows of one value are in
/// the order of the tweets' keys.
struct Filter {
  let table: String
  /// The index of `tweets` whose first column this is.
  var index: String?
  let column: String
  /// The operator between column and value.
  var comparison = "="
  /// The column of `table` with the tweets' keys.
  let key: String
  /// The values; any of them matches.
  let values: [SQLValue]

  /// A condition on a column of `tweets`.
  init(column: String, index: String, _ values: [SQLValue]) {
    (table, key) = ("tweets", "key")
    (self.column, self.index, self.values) = (column, index, values)
  }

  /// A condition on another table, which has the tweets' keys in the column `tweet`.
  init(table: String, column: String, _ values: [SQLValue]) {
    key = "tweet"
    (self.table, self.column, self.values) = (table, column, values)
  }

  /// Hosts whose tweets were found before.
  init(hosts: [SQLValue]) { self.init(table: "temp.host_tweets", column: "host", hosts) }

  /// A query of the full-text index.
  init(match query: String) {
    (table, column, comparison, key) = ("tweet_search", "tweet_search", "MATCH", "rowid")
    values = [.text(query)]
  }

  /// SQL that counts the rows that match, up to `most`.
  func sizeSQL(_ most: Int) -> String {
    let parts = values.indices.map { number in
      "SELECT 1 FROM \(table)\(index.map { " INDEXED BY " + $0 } ?? "") WHERE \(column) \(comparison) ?\(number + 1)"
    }
    return "SELECT count(*) FROM (\(parts.joined(separator: " UNION ALL ")) LIMIT \(most))"
  }
}

/// The SELECT of a list. SQLite walks through the rows of the first filter in the order of their keys, and looks up the
/// others for each row. So it sorts nothing, and the next page begins where the last one ended.
struct QuerySQL {
  /// SQLite's limit of SELECTs in one statement: a filter has no more values.
  static let mostParts = 500

  /// Conditions that a tweet may not meet together.
  struct Exclusion {
    var filters: [Filter]
    /// As those of the query.
    var conditions: [(sql: String, value: SQLValue?)]
  }

  let text: String
  /// The values of the parameters from ``firstValue`` on.
  let values: [SQLValue]
  /// The parameters of the range of keys. Those of the values follow.
  static let low: Int32 = 1
  static let high: Int32 = 2
  private static let firstValue = 3

  /// - Parameters:
  ///   - filters: the first one leads.
  ///   - conditions: further conditions on `tweets t`, each with the value of its one parameter, which `%` stands for, or
  ///     without one.
  ///   - excluded: what the tweets do not match.
  ///   - columns: what is selected after the key.
  init(
    _ filters: [Filter], conditions more: [(sql: String, value: SQLValue?)], excluded: [Exclusion] = [],
    columns: String = TweetPages.columns, isOldestFirst: Bool
  ) {
    var values: [SQLValue] = []
    func marks(_ filter: Filter) -> [String] {
      values += filter.values
      let first = Self.firstValue + values.count - filter.values.count
      return filter.values.indices.map { "?\(first + $0)" }
    }
    let leading = filters.first.map { (filter: $0, marks: marks($0)) }
    var conditions = filters.dropFirst().map { Self.check($0, marks($0)) }
    func condition(_ sql: String, _ value: SQLValue?) -> String {
      if let value { values.append(value) }
      return sql.replacing("%", with: "?\(Self.firstValue + values.count - 1)")
    }
    conditions += more.map { condition($0.sql, $0.value) }
    for exclusion in excluded {
      let all =
        exclusion.filters.map { Self.check($0, marks($0)) } + exclusion.conditions.map { condition($0.sql, $0.value) }
      // A tweet without a language is not in the one that is excluded.
      if !all.isEmpty { conditions.append("NOT coalesce((\(all.joined(separator: " AND "))), FALSE)") }
    }
    let order = isOldestFirst ? "ASC" : "DESC"

    func select(_ from: String, _ key: String, _ first: String?) -> String {
      let all = [first].compactMap { $0 } + ["\(key) >= ?1", "\(key) < ?2"] + conditions
      return "SELECT \(key) AS key, \(columns) FROM \(from) WHERE \(all.joined(separator: " AND "))"
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
    // The rows of one value are in the order of keys. SQLite merges those of several values.
    let parts = leadMarks.map { select(from, key, "\(column) \(lead.comparison) \($0)") }
    text = parts.joined(separator: " UNION ALL ") + " ORDER BY \(parts.count == 1 ? key : "1") \(order)"
    self.values = values
  }

  private static func check(_ filter: Filter, _ marks: [String]) -> String {
    let wanted =
      marks.count == 1 ? "\(filter.comparison) \(marks[0])" : "IN (\(marks.joined(separator: ", ")))"
    // The plus keeps SQLite from using this filter's index in place of the leading one's.
    if filter.index != nil { return "+t.\(filter.column) \(wanted)" }
    return "EXISTS (SELECT 1 FROM \(filter.table) WHERE \(filter.column) \(wanted) AND \(filter.key) = t.key)"
  }
}
