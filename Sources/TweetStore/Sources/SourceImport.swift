import SQLite
import Services
import TweetCore

extension TweetWriter {
  /// Stores the line of a source in an export. A source that the store has keeps its checkpoint and its interval:
  /// nobody but its service can say which of two checkpoints is farther, and a wrong one loses posts or pays for them
  /// twice.
  ///
  /// - Parameter conflicts: gets what the store and the line say differently.
  /// - Returns: what is wrong with the line, `nil` if nothing is.
  mutating func restoreSource(_ line: JSONValue, _ conflicts: inout [String]) throws(ToolError) -> String? {
    guard let service = line["service"]?.string, !service.isEmpty, let account = line["account"]?.string,
      let text = line["source"]?.string, (try? Source(text, of: Services.reading(service)))?.feed == text
    else { return "no source" }
    let every = line["every"]?.integer
    let longest = 3650 * 86_400
    if let every, !(1...longest).contains(every) { return "a wrong \"every\"" }
    let checkpoint = line["checkpoint"]?.string
    if let key = try key(ofSource: text, service: service, account: account) {
      try database.forEachRow("SELECT every, paused FROM sources WHERE key = ?", .integer(key)) { row in
        if let own = row.optionalInteger(0), let every, own != every {
          conflicts.append("the source '\(text)' stays at every \(own) s: the export has every \(every) s")
        }
        if every != nil, (row.integer(1) != 0) != (line["paused"]?.bool == true) {
          conflicts.append(
            "the source '\(text)' \(row.integer(1) != 0 ? "stays paused" : "is paused only in the export")")
        }
      }
      try database.run(
        sql: RowSum.sources.update([
          "every": "coalesce(every, ?2)", "checkpoint": "coalesce(checkpoint, ?3)",
        ]) + " WHERE key = ?1", .integer(key), SQLValue(every), SQLValue(checkpoint))
    } else {
      try database.run(
        sql: RowSum.sources.insertNext(["?1", "?2", "?3", "?4", "?5", "?6"] + Array(repeating: "NULL", count: 6)),
        .text(service), .text(account), .text(text), SQLValue(every), .integer(line["paused"]?.bool == true ? 1 : 0),
        SQLValue(checkpoint))
    }
    return nil
  }

  /// The source of that name, in whatever case (`#Swift` for `#swift`).
  private func key(ofSource text: String, service: String, account: String) throws(ToolError) -> Int? {
    let grammar = Services.reading(service)
    let folded = grammar.folded(text)
    var key: Int?
    try database.forEachRow(
      "SELECT key, source FROM sources WHERE service = ? AND account = ?", .text(service), .text(account)
    ) { row in
      if grammar.folded(row.text(1) ?? "") == folded { key = row.integer(0) }
    }
    return key
  }
}
