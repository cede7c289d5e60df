import CSQLite
package import TweetCore

/// One object of a schema, as `sqlite_schema` has it.
package struct SchemaObject: Hashable {
  package var type: String
  package var name: String
  package var sql: String

  /// The objects of an open file.
  static func all(of connection: Connection) throws(ToolError) -> [SchemaObject] {
    let statement = try connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
    var found: [SchemaObject] = []
    while try statement.step() {
      let row = statement.row
      found.append(SchemaObject(type: row.text(0) ?? "", name: row.text(1) ?? "", sql: row.text(2) ?? ""))
    }
    return found
  }
}

extension DatabaseKind {
  /// The objects that a file has.
  package func objects() throws(ToolError) -> [SchemaObject] {
    let connection = try Connection(
      ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
    try connection.execute("\(schema)")
    return try SchemaObject.all(of: connection)
  }

  /// What keeps a file that may be damaged from being repaired as one of this kind: it is of another kind or
  /// version. It is returned if SQLite cannot read the file at all: what is in it is not known yet. It is thrown if
  /// SQLite can; then a mark that is wrong alone does not count, as long as the tables are ours.
  package func refusal(ofDamaged path: String) throws(ToolError) -> ToolError? {
    let error: ToolError
    do throws(ToolError) {
      try Database.check(self, ofDamaged: path)
      return nil
    } catch .inputOutput(let message) {
      return .badData("'\(path)' has no record of a \(name): \(message)")
    } catch let failure {
      error = failure
    }
    let found: Set<SchemaObject>
    do throws(ToolError) {
      found = Set(try Database.schema(ofDamaged: path))
    } catch .badData, .inputOutput {
      return error
    }
    let own = Set(try objects())
    // Another version has other objects. One bit of the mark or of the number does not make another schema.
    let isOwn =
      if case .configuration = error { found == own } else { found.intersection(own).count * 2 > own.count }
    if isOwn { return nil }
    throw error
  }
}
