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
