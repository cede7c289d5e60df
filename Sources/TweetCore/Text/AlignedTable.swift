/// Rows of cells as lines for people, with two spaces and more between the columns.
package enum AlignedTable {
  /// A table of words: each column begins at the same place.
  /// - Parameter rows: with the same number of cells each, of characters that are one column wide.
  /// - Returns: lines, each with its newline.
  package static func words(_ rows: [[String]]) -> String { lines(rows) { _ in false } }

  /// A table of numbers with a name before them: all columns but the first end at the same place.
  package static func numbers(_ rows: [[String]]) -> String { lines(rows) { $0 > 0 } }

  private static func lines(_ rows: [[String]], endsTogether: (_ column: Int) -> Bool) -> String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        if endsTogether(column) { return space + text }
        // A line has no blanks at its end.
        return column == row.count - 1 ? text : text + space
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
