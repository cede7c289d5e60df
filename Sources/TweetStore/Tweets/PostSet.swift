import SQLite
import TweetCore

/// The posts, or the people, that a table with the columns `service` and `id` names.
struct PostSet: ~Copyable {
  private let find: Statement
  private let any: Statement
  /// Whether the table has rows. In many stores it has none, and no look-up is needed.
  var hasAny = false

  /// Sets `hasAny`. To be called at the beginning of each transaction: other processes write too.
  mutating func reload() throws(ToolError) {
    hasAny = try any.step() && any.row.integer(0) != 0
    any.reset()
  }

  func has(service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    guard hasAny else { return false }
    find.bind(1, text: service)
    find.bind(2, text: id)
    defer { find.reset() }
    return try find.step()
  }
}

extension PostSet {
  init(_ database: borrowing Database, table: String) throws(ToolError) {
    self.init(
      find: try database.prepare("SELECT 1 FROM \(table) WHERE service = ? AND id = ?"),
      any: try database.prepare("SELECT EXISTS (SELECT 1 FROM \(table))"))
  }
}
