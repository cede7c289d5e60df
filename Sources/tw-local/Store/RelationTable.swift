import SQLite
import TweetCore

/// What an account has of posts or of other accounts.
enum Relation {
  case bookmarks, likes, followers, following

  /// Finds numbers and ids for an account, ?1, below a number, ?2.
  fileprivate var sql: StaticString {
    switch self {
    case .bookmarks:
      "SELECT number, post_id FROM bookmarks WHERE account_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
    case .likes: "SELECT number, post_id FROM likes WHERE account_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
    case .followers:
      "SELECT number, follower_id FROM follows WHERE followed_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
    case .following:
      "SELECT number, followed_id FROM follows WHERE follower_id = ? AND number < ? ORDER BY number DESC LIMIT ?"
    }
  }
}

/// Who follows whom, and what is bookmarked.
extension LocalStore {
  /// The ids of what an account has, the latest first, and the numbers by which pages go on.
  /// - Parameter number: only those with smaller numbers.
  func related(
    _ relation: Relation, to account: Int, before number: Int, limit: Int
  ) throws(ToolError) -> [(number: Int, id: Int)] {
    var found: [(number: Int, id: Int)] = []
    try database.forEachRow(relation.sql, .integer(account), .integer(number), .integer(limit)) {
      (row) throws(ToolError) in found.append((row.integer(0), row.integer(1)))
    }
    return found
  }

  // MARK: Follows

  /// Makes an account follow another one, or undoes that.
  func setFollow(_ isFollowing: Bool, of followed: Int, by follower: Int) throws(ToolError) {
    try database.run(
      isFollowing
        ? "INSERT OR IGNORE INTO follows (follower_id, followed_id) VALUES (?, ?)"
        : "DELETE FROM follows WHERE follower_id = ? AND followed_id = ?",
      .integer(follower), .integer(followed))
  }

  /// The ids of the accounts that an account follows.
  func followed(by account: Int) throws(ToolError) -> Set<Int> {
    try ids("SELECT followed_id FROM follows WHERE follower_id = ?", account)
  }

  /// How many follow an account, and how many it follows. The people of the demo have followers that nobody sees.
  func followCounts(of account: LocalAccount) throws(ToolError) -> (followers: Int, following: Int) {
    let counts = try database.first(
      """
      SELECT (SELECT count(*) FROM follows WHERE followed_id = ?1),
        (SELECT count(*) FROM follows WHERE follower_id = ?1)
      """, .integer(account.id)
    ) { (row) throws(ToolError) in (row.integer(0), row.integer(1)) }
    return (account.followers + (counts?.0 ?? 0), account.following + (counts?.1 ?? 0))
  }

  // MARK: Bookmarks

  func setBookmark(_ isBookmarked: Bool, of post: Int, by account: Int) throws(ToolError) {
    try database.run(
      isBookmarked
        ? "INSERT OR IGNORE INTO bookmarks (account_id, post_id) VALUES (?, ?)"
        : "DELETE FROM bookmarks WHERE account_id = ? AND post_id = ?",
      .integer(account), .integer(post))
  }

  func hasBookmark(of post: Int, by account: Int) throws(ToolError) -> Bool {
    try number(of: .bookmarks, to: post, by: account) != nil
  }

  /// The number of a like or of a follow; `nil` if there is none.
  func number(of relation: Relation, to item: Int, by account: Int) throws(ToolError) -> Int? {
    switch relation {
    case .likes: try number("SELECT number FROM likes WHERE account_id = ? AND post_id = ?", account, item)
    case .bookmarks: try number("SELECT number FROM bookmarks WHERE account_id = ? AND post_id = ?", account, item)
    case .following: try number("SELECT number FROM follows WHERE follower_id = ? AND followed_id = ?", account, item)
    case .followers: try number("SELECT number FROM follows WHERE followed_id = ? AND follower_id = ?", account, item)
    }
  }

  /// The post of a like, or the account of a follow.
  func item(numbered number: Int, _ relation: Relation, of account: Int) throws(ToolError) -> Int? {
    try related(relation, to: account, before: number == .max ? number : number + 1, limit: 1)
      .first { $0.number == number }?.id
  }

  private func number(_ sql: StaticString, _ account: Int, _ item: Int) throws(ToolError) -> Int? {
    try database.first(sql, .integer(account), .integer(item)) { (row) throws(ToolError) in row.integer(0) }
  }

  func bookmarkCount(of post: Int) throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM bookmarks WHERE post_id = ?", .integer(post)) { (row) throws(ToolError) in
      row.integer(0)
    } ?? 0
  }
}
