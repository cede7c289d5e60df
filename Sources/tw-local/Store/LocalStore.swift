import SQLite
import TweetCore

/// The service's data in one SQLite file. Each kind of data has a file beside this one.
///
/// A class, because the parts of the service share it. Only the actor `Service` uses it.
final class LocalStore {
  let database: Database
  /// The largest id in use, so that ids are unique also where a clock stands still or goes back.
  private var lastID: Int

  /// - Parameter syncs: whether a change is on disk before it is answered.
  init(path: String, syncs: Bool = true) throws(ToolError) {
    database = try Database(path, .local, .readWrite, syncs: syncs)
    let top = try database.first(
      """
      SELECT max(id) FROM (
        SELECT id FROM posts UNION ALL SELECT id FROM rules UNION ALL SELECT id FROM accounts
        UNION ALL SELECT grant_id FROM tokens)
      """
    ) { (row) throws(ToolError) in row.integer(0) }
    lastID = top ?? 0
    try addKeyTables()
  }

  /// Runs `body` as one transaction.
  func write<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try database.write(body)
  }

  /// A new id that contains `time`.
  func newID(at time: Timestamp) -> Int {
    lastID = max(Snowflake.first(at: time), lastID + 1)
    return lastID
  }
}
