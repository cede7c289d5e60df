import SQLite
import TweetCore

/// The rules of the filtered stream.
extension LocalStore {
  struct Rule: Sendable {
    let id: Int
    let value: String
    let tag: String?
    /// As ``Caller/owner`` says.
    let owner: String
  }

  func rules() throws(ToolError) -> [Rule] {
    var found: [Rule] = []
    try database.forEachRow("SELECT id, value, tag, owner FROM rules ORDER BY id") { (row) throws(ToolError) in
      found.append(
        Rule(id: row.integer(0), value: row.text(1) ?? "", tag: row.text(2), owner: row.text(3) ?? ""))
    }
    return found
  }

  func add(_ rule: Rule) throws(ToolError) {
    try database.run(
      "INSERT INTO rules VALUES (?, ?, ?, ?)", .integer(rule.id), .text(rule.value), SQLValue(rule.tag),
      .text(rule.owner))
  }

  func removeRule(_ id: Int) throws(ToolError) {
    try database.run("DELETE FROM rules WHERE id = ?", .integer(id))
  }
}
