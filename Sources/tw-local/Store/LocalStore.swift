import SQLite
import TweetCore

/// The service's data in one SQLite file. Each kind of data has a file beside this one.
///
/// A class, because the parts of the service share it. Only the actor `Service` uses it.
final class LocalStore {
  let database: Database
  /// The largest id in use, so that ids are unique also where a clock stands still or goes back.
  private var lastID: Int

  /// - Parameter syncs: whether a change is on disk before it is answered.
  init(path: String, syncs: Bool = true) throws(ToolError) {
    database = try Database(path, .local, .readWrite, syncs: syncs)
    let top = try database.first(
      """
      SELECT max(id) FROM (
        SELECT id FROM posts UNION ALL SELECT id FROM rules UNION ALL SELECT id FROM accounts
        UNION ALL SELECT grant_id FROM tokens)
      """
    ) { (row) throws(ToolError) in row.integer(0) }
    lastID = top ?? 0
    try addKeyTables()
  }

  /// Runs `body` as one transaction.
  func write<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try database.write(body)
  }

  /// A new id that contains `time`.
  func newID(at time: Timestamp) -> Int {
    lastID = max(Snowflake.first(at: time), lastID + 1)
    return lastID
  }
}

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

/// Short links.
extension LocalStore {
  /// The stored link that a code stands for.
  func link(code: String) throws(ToolError) -> String? {
    try database.first("SELECT link FROM links WHERE code = ?", .text(code)) { (row) throws(ToolError) in
      row.text(0)
    } ?? nil
  }

  /// Makes the short link of a link work.
  func addShortLink(_ link: String) throws(ToolError) {
    try database.run("INSERT OR IGNORE INTO links VALUES (?, ?)", .text(ShortLink.code(for: link)), .text(link))
  }

  /// The links that X puts after the text of a post: to what it quotes, to its photo.
  func attachedLinks(of post: Post) throws(ToolError) -> [String] {
    var links: [String] = []
    if let id = post.quoteOf, let quoted = try self.post(id), let author = try account(quoted.authorID) {
      links.append(OwnLink.link(to: "\(author.username)/status/\(id)"))
    }
    if post.hasMedia, let author = try account(post.authorID) {
      links.append(OwnLink.link(to: "\(author.username)/status/\(post.id)/photo/1"))
    }
    return links
  }
}

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
