import TweetCore

extension Database {
  /// Runs `body`, which may write temporary tables. They are in memory, and the file does not change.
  func writeTemporaryTables(_ body: () throws(ToolError) -> Void) throws(ToolError) {
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
}
