package import TweetCore

extension Database {
  /// Calls `report` with the table and the name of each row that has a word in one of its columns. The tables of a
  /// full-text index are left out.
  /// - Parameter json: SQL for what is packed in the column `json` of a table with these columns.
  package func forEachTrace(
    of word: TracedWord, json: ([String]) -> String, _ report: (_ table: String, _ row: String) -> Void
  ) throws(ToolError) {
    let isShadow = "name LIKE 'tweet_search%' OR name LIKE 'sqlite_%'"
    var tables: [String] = []
    try forEachRow(sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND NOT (\(isShadow))") {
      tables.append($0.text(0) ?? "")
    }
    for table in tables {
      var (columns, keys, checks, required): ([String], [String], [String], [String]) = ([], [], [], [])
      try forEachRow(sql: "SELECT name, pk, type, \"notnull\" FROM pragma_table_info(?)", .text(table)) { row in
        let name = row.text(0) ?? ""
        columns.append(name)
        if row.integer(1) > 0 { keys.append(name) }
        guard row.text(2) == "TEXT" else { return }
        checks.append(name)
        if row.integer(3) != 0 { required.append(name) }
      }
      if columns.contains("json") { checks.append(json(columns)) }
      guard !checks.isEmpty else { continue }
      // A number says nothing to a person.
      if keys == ["key"], !required.isEmpty { keys = required }
      if columns.contains("service"), columns.contains("id") { keys = ["service", "id"] }
      let names = keys.map { key in
        ["tweet": "tweets", "user": "users"][key].map {
          "(SELECT service || ':' || id FROM main.\($0) WHERE key = t.\(key))"
        } ?? key
      }
      let conditions = checks.flatMap { check in word.forms.indices.map { "instr(lower(\(check)), ?\($0 + 1))" } }
      let name = names.map { "coalesce(\($0), '')" }.joined(separator: " || ':' || ")
      let find = try prepare("SELECT \(name) FROM main.\(table) t WHERE \(conditions.joined(separator: " OR "))")
      find.bind(word.forms.map { .text($0) })
      while try find.step() { report(table, find.row.text(0) ?? "") }
    }
  }
}
