import SQLite
import TweetCore

/// Lists of accounts.
extension LocalStore {
  /// - Parameter members: the ids of the accounts on it.
  func add(_ list: AccountList, members: [Int]) throws(ToolError) {
    try database.run(
      "INSERT INTO lists VALUES (?, ?, ?, ?, ?)", .integer(list.id), .integer(list.ownerID), .text(list.name),
      .text(list.description), .integer(Int(list.createdAt.milliseconds)))
    for member in members {
      try database.run("INSERT INTO list_members VALUES (?, ?)", .integer(member), .integer(list.id))
    }
  }

  func hasList(_ id: Int) throws(ToolError) -> Bool {
    try database.first("SELECT 1 FROM lists WHERE id = ?", .integer(id)) { _ in true } ?? false
  }

  /// The lists that an account has made, the newest first.
  func lists(of owner: Int) throws(ToolError) -> [AccountList] {
    var found: [AccountList] = []
    try database.forEachRow(
      "SELECT id, name, description, created_at FROM lists WHERE owner_id = ? ORDER BY id DESC", .integer(owner)
    ) { (row) throws(ToolError) in
      found.append(
        AccountList(
          id: row.integer(0), ownerID: owner, name: row.text(1) ?? "", description: row.text(2) ?? "",
          createdAt: Timestamp(milliseconds: Int64(row.integer(3)))))
    }
    return found
  }

  /// The ids of the lists that an account is on.
  func lists(with account: Int) throws(ToolError) -> Set<Int> {
    try ids("SELECT list_id FROM list_members WHERE account_id = ?", account)
  }

  /// The ids of the accounts on a list.
  func members(of list: Int) throws(ToolError) -> Set<Int> {
    try ids("SELECT account_id FROM list_members WHERE list_id = ?", list)
  }

  /// The ids that a statement with one parameter finds.
  func ids(_ sql: StaticString, _ value: Int) throws(ToolError) -> Set<Int> {
    var found: Set<Int> = []
    try database.forEachRow(sql, .integer(value)) { (row) throws(ToolError) in found.insert(row.integer(0)) }
    return found
  }
}
