import SQLite
import TweetCore

/// The table `tombstones`: the ids of deleted tweets. An older file that has such a tweet does not bring it back.
struct Tombstones: ~Copyable {
  private let insert: Statement
  var posts: PostSet

  /// Adds a deleted tweet; false if the table has it already.
  mutating func add(
    service: JSONValue, id: JSONValue, user: JSONValue?, now: String, in database: borrowing Database
  ) throws(ToolError) -> Bool {
    insert.bind(1, text: service)
    insert.bind(2, text: id)
    insert.bind(3, text: user)
    insert.bind(4, now)
    try insert.run()
    posts.hasAny = true
    return database.changes > 0
  }
}

extension Tombstones {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare(RowSum.tombstones.insert(["?1", "?2", "?3", "?4"], or: "OR IGNORE ")),
      posts: try PostSet(database, table: "tombstones"))
  }
}

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
