import CSQLite
package import TweetCore

extension Database {
  /// Runs `body`, which may write temporary tables. They are in memory, and the file does not change.
  package func writeTemporaryTables(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    // A change of where they are would remove those that are there.
    if try first("PRAGMA temp_store", body: { $0.integer(0) }) != 2 { try execute("PRAGMA temp_store = MEMORY") }
    let isReadOnly = try first("PRAGMA query_only") { $0.integer(0) } != 0
    try execute("PRAGMA query_only = 0")
    do throws(ToolError) {
      try body()
    } catch {
      if isReadOnly { try execute("PRAGMA query_only = 1") }
      throw error
    }
    if isReadOnly { try execute("PRAGMA query_only = 1") }
  }

  /// Runs `body` in one read transaction in which it can make temporary tables, also those of virtual tables. The file
  /// does not change.
  package func readWithTemporaryTables(_ body: () throws(ToolError) -> Void) throws(ToolError) {
    let isReadOnly = try connection.integer("PRAGMA query_only") != 0
    try connection.execute("PRAGMA query_only = 0")
    _ = tw_sqlite_db_config(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer {
      _ = tw_sqlite_db_config(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
      if isReadOnly { sqlite3_exec(connection.handle, "PRAGMA query_only = 1", nil, nil, nil) }
    }
    try read(body)
  }
}
