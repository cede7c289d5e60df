import SQLite
package import TweetCore

/// Queries that a person saved under a name. What is in them, the store does not know.
extension TweetStore {
  /// Saves a query, in place of one of the same name.
  package func save(query: String, as name: String) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        sql: RowSum.savedQueries.insert(["?1", "?2"], or: "OR REPLACE "), .text(name), .text(query))
    }
  }

  /// The query of that name; `nil` if there is none.
  package func savedQuery(_ name: String) throws(ToolError) -> String? {
    try savedQueries().first { $0.name == name }?.query
  }

  /// All saved queries, by name.
  package func savedQueries() throws(ToolError) -> [(name: String, query: String)] {
    var found: [(name: String, query: String)] = []
    try database.forEachRow(
      sql: "SELECT name, query, \(RowSum.savedQueries.isSound()) FROM saved_queries ORDER BY name"
    ) { (row) throws(ToolError) in
      guard row.isSound(2) == true else { throw DamagedRows.error("the saved query '\(row.text(0) ?? "")'") }
      found.append((row.text(0) ?? "", row.text(1) ?? ""))
    }
    return found
  }

  /// Removes a saved query. Returns whether there was one of that name.
  package func removeSavedQuery(_ name: String) throws(ToolError) -> Bool {
    try database.write { () throws(ToolError) in
      try database.run("DELETE FROM saved_queries WHERE name = ?", .text(name))
      return database.changes > 0
    }
  }
}
