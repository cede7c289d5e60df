import TweetCore
import TweetStore

/// Accounts and their tokens.
extension LocalStore {
  func add(_ account: LocalAccount, token: String) throws(ToolError) {
    // The column `picture_format` is no longer used: every profile picture is a PNG.
    try database.run(
      "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'png', ?, ?, ?, NULL)", .integer(account.id),
      .text(account.username), .text(account.name), .text(account.description), .text(account.location),
      .text(account.url), .integer(account.isVerified ? 1 : 0), .integer(Int(account.createdAt.milliseconds)),
      .integer(account.followers), .integer(account.following), .text(token))
    for link in TextPart.links(in: "\(account.url) \(account.description)") { try addShortLink(link) }
  }

  func account(_ id: Int) throws(ToolError) -> LocalAccount? {
    try database.first("SELECT * FROM accounts WHERE id = ?", .integer(id), body: Self.account)
  }

  func account(named username: String) throws(ToolError) -> LocalAccount? {
    try database.first("SELECT * FROM accounts WHERE username = ?", .text(username), body: Self.account)
  }

  func account(token: String) throws(ToolError) -> LocalAccount? {
    try database.first("SELECT * FROM accounts WHERE token = ?", .text(token), body: Self.account)
  }

  func token(of account: LocalAccount) throws(ToolError) -> String? {
    try database.first("SELECT token FROM accounts WHERE id = ?", .integer(account.id)) {
      (row) throws(ToolError) in row.text(0)
    } ?? nil
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
      createdAt: Timestamp(milliseconds: Int64(row.integer(7))), followers: row.integer(9), following: row.integer(10),
      picture: row.text(12))
  }
}
