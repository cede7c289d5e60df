import CSQLite

/// A table whose rows cannot be made again from others. Each row has a checksum in its column `checksum`: XXH3 with 64
/// bits over the name of the table and the other columns, as the SQL function `row_sum` computes it.
///
/// Statements that write such a row put ``sum(_:of:)`` into it, statements that read it ask for ``isSound(_:)``. A row
/// without a checksum (NULL) comes from a program that knows none.
package struct RowSum: Sendable {
  package let table: String
  /// All columns but the checksum, in the order of the table.
  package let columns: [String]

  package init(_ table: String, _ columns: String) {
    self.table = table
    self.columns = columns.split(separator: " ").map(String.init)
  }

  /// SQL for the checksum.
  /// - Parameters:
  ///   - values: SQL for the values of some columns, which the same statement writes.
  ///   - alias: what the table is called in the statement, for the other columns.
  package func sum(_ values: [String: String] = [:], of alias: String? = nil) -> String {
    assert(Set(values.keys).isSubset(of: columns), "\(table) has no such column: \(values.keys)")
    let all = columns.map { values[$0] ?? (alias.map { $0 + "." } ?? "") + $0 }
    return "row_sum('\(table)', \(all.joined(separator: ", ")))"
  }

  /// SQL for whether a row is as it was written: 1 or 0, and NULL for a row without a checksum.
  /// - Parameter values: SQL for the values that some columns must have, whatever is in the row.
  package func isSound(_ alias: String? = nil, _ values: [String: String] = [:]) -> String {
    "\(alias.map { $0 + "." } ?? "")checksum = \(sum(values, of: alias))"
  }

  /// An INSERT statement, up to the end of its values.
  /// - Parameters:
  ///   - values: SQL for the value of each column, in the order of the table.
  ///   - conflict: `OR IGNORE ` or `OR REPLACE `.
  package func insert(_ values: [String], or conflict: String = "") -> String {
    "INSERT \(conflict)INTO \(table) (\(columns.joined(separator: ", ")), checksum) VALUES (\(list(values)))"
  }

  /// An INSERT statement for a table whose first column is its integer key: the row gets the next one.
  /// - Parameter values: SQL for the value of each other column.
  package func insertNext(_ values: [String]) -> String {
    // Not max(key): in an INSERT, SQLite looks at all rows for it. And not INSERT … SELECT: it begins a savepoint, for
    // which FTS5 writes to the disk what it has collected, a segment for each tweet.
    insert(["coalesce((SELECT key FROM \(table) ORDER BY key DESC LIMIT 1), 0) + 1"] + values)
  }

  /// The values of all columns and the checksum.
  private func list(_ values: [String]) -> String {
    assert(values.count == columns.count, "\(table) has \(columns.count) columns")
    let sum = sum(Dictionary(uniqueKeysWithValues: zip(columns, values)))
    return (values + [sum]).joined(separator: ", ")
  }

  /// An UPDATE statement, up to its WHERE.
  /// - Parameters:
  ///   - values: SQL for the new values of columns. What it names of the row are the old values.
  ///   - conflict: `OR IGNORE `.
  package func update(_ values: KeyValuePairs<String, String>, or conflict: String = "") -> String {
    "UPDATE \(conflict)\(table) SET " + assignments(values)
  }

  /// What follows SET in an UPDATE, and in ON CONFLICT DO UPDATE.
  package func assignments(_ values: KeyValuePairs<String, String>) -> String {
    let set = values.map { "\($0.key) = \($0.value)" }
    let sum = sum(Dictionary(uniqueKeysWithValues: values.map { ($0.key, $0.value) }))
    return (set + ["checksum = \(sum)"]).joined(separator: ", ")
  }
}
