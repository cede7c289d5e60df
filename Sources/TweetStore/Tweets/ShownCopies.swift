import SQLite
import TweetCore

/// Decides which of several copies of a post a list shows: of those that the list has, the one that was stored first.
///
/// So a list of one service, one feed or one label shows the copy that it has. Where a page of a list begins does not
/// count: a copy is not shown on the second page because the first one is on the first page.
struct ShownCopies: ~Copyable {
  /// The most addresses whose copy is remembered.
  private static let mostKept = 10_000

  private let copies: Statement
  /// The list's own SELECT, which is asked for one key at a time.
  private let list: Statement
  /// The keys of the list's times.
  private let period: KeyRange
  /// By addresses that several records have, the key of the shown one. So each is looked for once.
  private var shown: [String: Int] = [:]

  /// Whether a list that has the record of this key shows it.
  /// - Parameter address: the record's address; `nil` for a post that has no copies.
  mutating func shows(_ key: Int, address: String?) throws(ToolError) -> Bool {
    guard let address else { return true }
    if let known = shown[address] { return known == key }
    copies.bind(1, address)
    var all: [(seen: String, key: Int)] = []
    while try copies.step() { all.append((copies.row.text(1) ?? "", copies.row.integer(0))) }
    if all.count < 2 { return true }
    all.sort { $0 < $1 }
    for copy in all {
      if copy.key != key, try !has(copy.key) { continue }
      if shown.count >= Self.mostKept { shown.removeAll() }
      shown[address] = copy.key
      return copy.key == key
    }
    return true
  }

  /// Whether several records have an address, as far as a record of it was asked for.
  func areSeveral(_ address: String) -> Bool { shown[address] != nil }

  /// Whether the list has the record of a key, and can print it.
  func has(_ key: Int) throws(ToolError) -> Bool {
    guard key >= period.low, key < period.high else { return false }
    list.bind(QuerySQL.low, key)
    list.bind(QuerySQL.high, key == .max ? key : key + 1)
    defer { list.reset() }
    return try list.step() && TweetPages.isSound(list.row)
  }
}

extension ShownCopies {
  /// - Parameters:
  ///   - sql: the list's, with ``TweetPages/columns``.
  ///   - period: the keys of its times.
  init(_ database: borrowing Database, _ sql: QuerySQL, _ period: KeyRange) throws(ToolError) {
    let list = try database.prepare(sql.text)
    sql.bind(to: list)
    self.init(
      copies: try database.prepare("SELECT key, first_seen FROM tweets WHERE address = ?"), list: list, period: period)
  }
}
