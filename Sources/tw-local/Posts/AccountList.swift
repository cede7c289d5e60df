import TweetCore
import TweetStore

/// A list of accounts, read as a timeline.
struct AccountList: Sendable {
  var id: Int
  var ownerID: Int
  var name: String
  var description: String
  var createdAt: Timestamp

  /// The name as v1.1 has it in addresses: lower case, a hyphen for what is no letter or digit.
  var slug: String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}

extension LocalStore {
  func add(_ list: AccountList, members: [Int]) throws(ToolError) {
    try database.run(
      "INSERT INTO lists VALUES (?, ?, ?, ?, ?)", .integer(list.id), .integer(list.ownerID), .text(list.name),
      .text(list.description), .integer(Int(list.createdAt.milliseconds)))
    for member in members {
      try database.run("INSERT INTO list_members VALUES (?, ?)", .integer(member), .integer(list.id))
    }
  }

  func list(_ id: Int) throws(ToolError) -> AccountList? {
    try database.first("SELECT * FROM lists WHERE id = ?", .integer(id), body: Self.list)
  }

  func lists(ownedBy account: Int) throws(ToolError) -> [AccountList] {
    var found: [AccountList] = []
    try database.forEachRow("SELECT * FROM lists WHERE owner_id = ? ORDER BY id", .integer(account)) {
      (row) throws(ToolError) in found.append(try Self.list(row))
    }
    return found
  }

  /// The lists that an account is on.
  func lists(of account: Int) throws(ToolError) -> Set<Int> {
    try numbers("SELECT list_id FROM list_members WHERE account_id = ?", account)
  }

  func members(of list: Int) throws(ToolError) -> Set<Int> {
    try numbers("SELECT account_id FROM list_members WHERE list_id = ?", list)
  }

  private func numbers(_ sql: StaticString, _ value: Int) throws(ToolError) -> Set<Int> {
    var found: Set<Int> = []
    try database.forEachRow(sql, .integer(value)) { (row) throws(ToolError) in found.insert(row.integer(0)) }
    return found
  }

  private static func list(_ row: Row) throws(ToolError) -> AccountList {
    AccountList(
      id: row.integer(0), ownerID: row.integer(1), name: row.text(2) ?? "", description: row.text(3) ?? "",
      createdAt: Timestamp(milliseconds: Int64(row.integer(4))))
  }
}
