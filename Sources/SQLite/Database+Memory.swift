import CSQLite
package import TweetCore

extension Database {
  /// Makes a database in memory. It is gone when nobody has it open.
  /// - Parameter name: `/` and something that no other one of this process has.
  package init(inMemory name: String, _ kind: DatabaseKind) throws(ToolError) {
    let connection = try Connection(
      name, as: kind, option: Connection.inMemory, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try Self.configure(connection)
    try connection.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", doing: "open")
    try kind.create(connection)
    _ = kind.functions?(connection.handle)
    path = name
    self.connection = connection
  }

  /// Makes the tables of a database in memory available to the statements of this connection, as `schema.table`.
  package func attach(inMemory name: String, as schema: StaticString) throws(ToolError) {
    try execute("ATTACH 'file:\(name)?\(Connection.inMemory)' AS \(schema)")
  }

  /// Inserts the rows of a statement into a table with the same columns; those that are there already are left out.
  package func copyRows(
    _ sql: String, _ values: SQLValue..., to other: borrowing Database, _ table: String
  ) throws(ToolError) {
    try with(sql, values) { (statement) throws(ToolError) in
      while try statement.step() {
        let marks = Array(repeating: "?", count: statement.row.count).joined(separator: ", ")
        try other.with("INSERT OR IGNORE INTO \(table) VALUES (\(marks))", []) { (insert) throws(ToolError) in
          insert.bind(statement.row)
          try insert.run()
        }
      }
    }
  }
}
