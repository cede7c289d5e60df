import SQLite
import TweetCore

/// Accounts.
extension LocalStore {
  func add(_ account: LocalAccount) throws(ToolError) {
    try database.run(
      "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", .integer(account.id),
      .text(account.username), .text(account.name), .text(account.description), .text(account.location),
      .text(account.url), .integer(account.isVerified ? 1 : 0), .integer(Int(account.createdAt.milliseconds)),
      .integer(account.followers), .integer(account.following))
    for link in TextPart.links(in: "\(account.url) \(account.description)") { try addShortLink(link) }
  }

  func account(_ id: Int) throws(ToolError) -> LocalAccount? {
    try database.first("SELECT * FROM accounts WHERE id = ?", .integer(id), body: Self.account)
  }

  func account(named username: String) throws(ToolError) -> LocalAccount? {
    try database.first("SELECT * FROM accounts WHERE username = ?", .text(username), body: Self.account)
  }

  func accountCount() throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM accounts") { (row) throws(ToolError) in row.integer(0) } ?? 0
  }

  func postCount(of account: LocalAccount) throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM posts WHERE author_id = ?", .integer(account.id)) {
      (row) throws(ToolError) in row.integer(0)
    } ?? 0
  }

  private static func account(_ row: Row) throws(ToolError) -> LocalAccount {
    LocalAccount(
      id: row.integer(0), username: row.text(1) ?? "", name: row.text(2) ?? "", description: row.text(3) ?? "",
      location: row.text(4) ?? "", url: row.text(5) ?? "", isVerified: row.integer(6) != 0,
      createdAt: Timestamp(milliseconds: Int64(row.integer(7))), followers: row.integer(8), following: row.integer(9),
      picture: row.text(10))
  }
}
