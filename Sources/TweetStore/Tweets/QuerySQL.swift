import SQLite
import TweetCore

/// The range of keys of a list: from `low` to `high`, without `high` itself.
struct KeyRange {
  private(set) var low = Int.min
  private(set) var high = Int.max

  mutating func raise(to key: Int) { low = max(low, key) }
  mutating func raise(above key: Int) { raise(to: key == .max ? key : key + 1) }
  mutating func lower(to key: Int) { high = min(high, key) }
  mutating func narrow(to other: KeyRange) { (low, high) = (max(low, other.low), min(high, other.high)) }
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

  /// Kinds of links whose tweets were found before.
  init(kinds: [SQLValue]) { self.init(table: "temp.kind_tweets", column: "kind", kinds) }

  /// A query of the full-text index.
  init(match query: String) {
    (table, column, comparison, key) = ("tweet_search", "tweet_search", "MATCH", "rowid")
    values = [.text(query)]
  }

  /// The query, if it is one of the full-text index.
  var match: String? {
    guard comparison == "MATCH", case .text(let query)? = values.first else { return nil }
    return query
  }

  /// The table in a schema: `main.`, or `staged.`. Temporary tables have their own.
  func table(in schema: String) -> String { table.contains(".") ? table : schema + table }

  /// What the table is called in expressions.
  fileprivate var name: String { table.split(separator: ".").last.map(String.init) ?? table }

  /// SQL that counts the rows of the file that match, up to `most`.
  func sizeSQL(_ most: Int) -> String {
    let parts = values.indices.map { number in
      "SELECT 1 FROM \(table(in: "main."))\(index.map { " INDEXED BY " + $0 } ?? "") WHERE \(column) \(comparison) ?\(number + 1)"
    }
    return "SELECT count(*) FROM (\(parts.joined(separator: " UNION ALL ")) LIMIT \(most))"
  }
}

/// The SELECT of a list. SQLite walks through the rows of the first filter in the order of their keys, and looks up the
/// others for each row. So it sorts nothing, and the next page begins where the last one ended.
struct QuerySQL {
  /// A filter has no more values: SQLite's limit of SELECTs in one statement is 500, and one is for the tweets that
  /// wait.
  static let mostParts = 499

  let text: String
  /// The values of the parameters from ``firstValue`` on.
  let values: [SQLValue]
  /// The parameters of the range of keys. Those of the values follow.
  static let low: Int32 = 1
  static let high: Int32 = 2
  fileprivate static let firstValue = 3

  /// - Parameters:
  ///   - filters: the first one leads.
  ///   - conditions: what else is asked.
  ///   - columns: what is selected after the key.
  ///   - isStaged: whether there are tweets in `staged`; see ``StagedTweets``.
  init(
    _ filters: [Filter], conditions more: [QueryCondition], columns: String = TweetPages.columns, isOldestFirst: Bool,
    isStaged: Bool = false
  ) {
    var values: [SQLValue] = []
    let checks = filters.map { MarkedCondition.Check($0, &values) }
    let conditions = more.map { MarkedCondition($0, &values) }

    /// The SELECTs for the tables of one schema.
    func selects(_ schema: String, leading: MarkedCondition.Check?, _ further: [String]) -> [String] {
      var all = further + ["\(Self.key) >= ?1", "\(Self.key) < ?2"]
      all += checks.dropFirst(leading == nil ? 0 : 1).map { $0.sql(schema) }
      all += conditions.map { $0.sql(schema) }
      guard let leading else { return [Self.select("\(schema)tweets t", "t.key", columns, all)] }
      let (lead, marks) = (leading.filter, leading.marks)
      if let index = lead.index {
        // The rows of one value are in the order of keys. SQLite merges those of several values.
        return marks.map {
          Self.select("\(schema)tweets t INDEXED BY \(index)", "t.key", columns, ["t.\(lead.column) = \($0)"] + all)
        }
      }
      let (table, name) = (lead.table(in: schema), lead.name)
      return marks.map {
        // CROSS keeps SQLite from changing the order of the tables, and with it that of the rows.
        Self.select(
          "\(table) CROSS JOIN \(schema)tweets t ON t.key = \(name).\(lead.key)", "\(name).\(lead.key)", columns,
          ["\(lead.column) \(lead.comparison) \($0)"] + all)
      }
    }
    var parts = selects(
      "main.", leading: checks.first, isStaged ? ["\(Self.key) NOT IN (SELECT key FROM staged.tweets)"] : [])
    // These are few. They are walked through by key if there would be more than one walk.
    if isStaged { parts += selects("staged.", leading: checks.first.flatMap { $0.marks.count == 1 ? $0 : nil }, []) }
    text = parts.joined(separator: " UNION ALL ") + " ORDER BY 1 \(isOldestFirst ? "ASC" : "DESC")"
    self.values = values
  }

  /// Binds the values to a statement of ``text``.
  func bind(to statement: borrowing Statement) {
    for (index, value) in values.enumerated() { statement.bind(Int32(Self.firstValue + index), value) }
  }

  /// Stands for the column with the tweet's key in conditions.
  private static let key = "$key"

  private static func select(_ from: String, _ key: String, _ columns: String, _ conditions: [String]) -> String {
    let all = conditions.joined(separator: " AND ").replacing(Self.key, with: key)
    return "SELECT \(key) AS key, \(columns) FROM \(from) WHERE \(all)"
  }
}

/// A condition whose values have their numbers as parameters.
private indirect enum MarkedCondition {
  struct Check {
    let filter: Filter
    let marks: [String]

    /// - Parameter values: gets those of the filter.
    init(_ filter: Filter, _ values: inout [SQLValue]) {
      let first = QuerySQL.firstValue + values.count
      values += filter.values
      (self.filter, marks) = (filter, filter.values.indices.map { "?\(first + $0)" })
    }

    func sql(_ schema: String) -> String {
      let wanted = marks.count == 1 ? "\(filter.comparison) \(marks[0])" : "IN (\(marks.joined(separator: ", ")))"
      // The plus keeps SQLite from using this filter's index in place of the leading one's.
      if filter.index != nil { return "+t.\(filter.column) \(wanted)" }
      let table = filter.table(in: schema)
      return "EXISTS (SELECT 1 FROM \(table) WHERE \(filter.column) \(wanted) AND \(filter.key) = t.key)"
    }
  }

  case check(Check)
  case sql(String)
  case all([MarkedCondition])
  case any([MarkedCondition])
  case not(MarkedCondition)

  /// - Parameter values: gets those of the condition.
  init(_ condition: QueryCondition, _ values: inout [SQLValue]) {
    switch condition {
    case .filter(let filter): self = .check(Check(filter, &values))
    case .sql(let text, let value):
      if let value { values.append(value) }
      self = .sql(text.replacing("%", with: "?\(QuerySQL.firstValue + values.count - 1)"))
    case .all(let parts): self = .all(parts.map { MarkedCondition($0, &values) })
    case .any(let parts): self = .any(parts.map { MarkedCondition($0, &values) })
    case .not(let part): self = .not(MarkedCondition(part, &values))
    }
  }

  /// The SQL for the tables of one schema.
  func sql(_ schema: String) -> String {
    switch self {
    case .check(let check): check.sql(schema)
    case .sql(let text): text
    case .all(let parts): parts.isEmpty ? "TRUE" : "(" + parts.map { $0.sql(schema) }.joined(separator: " AND ") + ")"
    case .any(let parts): parts.isEmpty ? "FALSE" : "(" + parts.map { $0.sql(schema) }.joined(separator: " OR ") + ")"
    // A tweet without a language is not in the one that is excluded.
    case .not(let part): "NOT coalesce(\(part.sql(schema)), FALSE)"
    }
  }
}
