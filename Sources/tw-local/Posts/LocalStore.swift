import TweetCore
import TweetStore
import TwitterText

/// The service's data: accounts with their tokens, posts, likes, short links and stream rules, in one SQLite file.
///
/// A class because the parts of the service share it; the actor `Service` is the only one to use it.
final class LocalStore {
  let database: Database
  /// The largest id given out, so that ids stay unique also where a clock stands still or goes back.
  private var lastID: Int

  private static let kind = DatabaseKind(
    name: "tw-local database", applicationID: 0x7477_4C31,
    migrations: [
      """
      CREATE TABLE accounts (
        id INTEGER PRIMARY KEY, username TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT NOT NULL,
        description TEXT NOT NULL, location TEXT NOT NULL, url TEXT NOT NULL, verified INTEGER NOT NULL,
        created_at INTEGER NOT NULL, picture_format TEXT NOT NULL, followers INTEGER NOT NULL,
        following INTEGER NOT NULL, token TEXT NOT NULL UNIQUE
      ) STRICT;
      CREATE TABLE posts (
        id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES accounts, text TEXT NOT NULL,
        created_at INTEGER NOT NULL, language TEXT NOT NULL, source TEXT NOT NULL, conversation_id INTEGER NOT NULL,
        reply_to INTEGER, reply_to_author INTEGER, quote_of INTEGER, retweet_of INTEGER, picture TEXT,
        likes INTEGER NOT NULL, retweets INTEGER NOT NULL, replies INTEGER NOT NULL, quotes INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX posts_by_author ON posts (author_id, id);
      CREATE INDEX posts_by_original ON posts (retweet_of, author_id) WHERE retweet_of IS NOT NULL;
      CREATE TABLE likes (
        account_id INTEGER NOT NULL, post_id INTEGER NOT NULL, PRIMARY KEY (account_id, post_id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE links (code TEXT PRIMARY KEY, link TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE rules (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE, tag TEXT) STRICT;
      """,
      """
      CREATE TABLE lists (
        id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL,
        description TEXT NOT NULL, created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE list_members (
        account_id INTEGER NOT NULL, list_id INTEGER NOT NULL, PRIMARY KEY (account_id, list_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX list_members_by_list ON list_members (list_id);
      """,
    ])

  init(path: String) throws(ToolError) {
    database = try Database(path, Self.kind, .readWrite)
    let top = try database.first("SELECT max(id) FROM (SELECT id FROM posts UNION ALL SELECT id FROM rules)") {
      (row) throws(ToolError) in row.integer(0)
    }
    lastID = top ?? 0
  }

  /// Runs `body` as one transaction.
  func write<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try database.write(body)
  }

  /// An id never given out before, that says `time`.
  func newID(at time: Timestamp) -> Int {
    lastID = max(Snowflake.first(at: time), lastID + 1)
    return lastID
  }

  // MARK: Accounts

  func add(_ account: Account, token: String) throws(ToolError) {
    try database.run(
      "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(account.id),
      .text(account.username), .text(account.name), .text(account.description), .text(account.location),
      .text(account.url), .integer(account.isVerified ? 1 : 0), .integer(Int(account.createdAt.milliseconds)),
      .text(account.pictureFormat), .integer(account.followers), .integer(account.following), .text(token))
    for link in TextPart.find(in: "\(account.url) \(account.description)", .urls) {
      try remember(link: link.value)
    }
  }

  func account(_ id: Int) throws(ToolError) -> Account? {
    try database.first("SELECT * FROM accounts WHERE id = ?", .integer(id), body: Self.account)
  }

  func account(named username: String) throws(ToolError) -> Account? {
    try database.first("SELECT * FROM accounts WHERE username = ?", .text(username), body: Self.account)
  }

  func account(token: String) throws(ToolError) -> Account? {
    try database.first("SELECT * FROM accounts WHERE token = ?", .text(token), body: Self.account)
  }

  func token(of account: Account) throws(ToolError) -> String? {
    try database.first("SELECT token FROM accounts WHERE id = ?", .integer(account.id)) {
      (row) throws(ToolError) in row.text(0)
    } ?? nil
  }

  func postCount(of account: Account) throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM posts WHERE author_id = ?", .integer(account.id)) {
      (row) throws(ToolError) in row.integer(0)
    } ?? 0
  }

  private static func account(_ row: Row) throws(ToolError) -> Account {
    Account(
      id: row.integer(0), username: row.text(1) ?? "", name: row.text(2) ?? "", description: row.text(3) ?? "",
      location: row.text(4) ?? "", url: row.text(5) ?? "", isVerified: row.integer(6) != 0,
      createdAt: Timestamp(milliseconds: Int64(row.integer(7))), pictureFormat: row.text(8) ?? "png",
      followers: row.integer(9), following: row.integer(10))
  }

  // MARK: Posts

  /// Stores a post, the links in it, and what it adds to the counts of others.
  func add(_ post: Post) throws(ToolError) {
    try database.run(
      "INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(post.id),
      .integer(post.authorID), .text(post.text), .integer(Int(post.createdAt.milliseconds)), .text(post.language),
      .text(post.source), .integer(post.conversationID), SQLValue(post.replyTo), SQLValue(post.replyToAuthor),
      SQLValue(post.quoteOf), SQLValue(post.retweetOf), SQLValue(post.picture), .integer(post.counts.likes),
      .integer(post.counts.retweets), .integer(post.counts.replies), .integer(post.counts.quotes))
    for link in TextPart.find(in: post.text, .urls) {
      try remember(link: link.value)
    }
    try count(post, by: 1)
  }

  /// Removes a post, its retweets and its likes.
  func remove(_ post: Post) throws(ToolError) {
    try database.run("DELETE FROM likes WHERE post_id = ?", .integer(post.id))
    try database.run("DELETE FROM posts WHERE id = ?1 OR retweet_of = ?1", .integer(post.id))
    try count(post, by: -1)
  }

  private func count(_ post: Post, by step: Int) throws(ToolError) {
    try database.run(
      "UPDATE posts SET replies = max(0, replies + ?) WHERE id = ?", .integer(step), SQLValue(post.replyTo))
    try database.run(
      "UPDATE posts SET quotes = max(0, quotes + ?) WHERE id = ?", .integer(step), SQLValue(post.quoteOf))
    try database.run(
      "UPDATE posts SET retweets = max(0, retweets + ?) WHERE id = ?", .integer(step), SQLValue(post.retweetOf))
  }

  func post(_ id: Int) throws(ToolError) -> Post? {
    try database.first("SELECT * FROM posts WHERE id = ?", .integer(id), body: Self.post)
  }

  /// The retweet of a post by an account.
  func retweet(of post: Int, by account: Int) throws(ToolError) -> Post? {
    try database.first(
      "SELECT * FROM posts WHERE retweet_of = ? AND author_id = ?", .integer(post), .integer(account),
      body: Self.post)
  }

  /// Posts with ids between two others, both left out, newest first.
  /// - Parameters:
  ///   - author: of this account only.
  ///   - limit: at most so many.
  func posts(
    after: Int, before: Int, author: Int? = nil, limit: Int
  ) throws(ToolError) -> [Post] {
    var found: [Post] = []
    if let author {
      try database.forEachRow(
        "SELECT * FROM posts WHERE author_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?", .integer(author),
        .integer(after), .integer(before), .integer(limit)
      ) { (row) throws(ToolError) in found.append(try Self.post(row)) }
    } else {
      try database.forEachRow(
        "SELECT * FROM posts WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?", .integer(after), .integer(before),
        .integer(limit)
      ) { (row) throws(ToolError) in found.append(try Self.post(row)) }
    }
    return found
  }

  /// All retweets of a post.
  func retweets(of post: Int) throws(ToolError) -> [Post] {
    var found: [Post] = []
    try database.forEachRow("SELECT * FROM posts WHERE retweet_of = ? ORDER BY id", .integer(post)) {
      (row) throws(ToolError) in found.append(try Self.post(row))
    }
    return found
  }

  private static func post(_ row: Row) throws(ToolError) -> Post {
    Post(
      id: row.integer(0), authorID: row.integer(1), text: row.text(2) ?? "",
      createdAt: Timestamp(milliseconds: Int64(row.integer(3))), language: row.text(4) ?? "und",
      source: row.text(5) ?? "", conversationID: row.integer(6), replyTo: row.optionalInteger(7),
      replyToAuthor: row.optionalInteger(8), quoteOf: row.optionalInteger(9), retweetOf: row.optionalInteger(10),
      picture: row.text(11),
      counts: Post.Counts(
        likes: row.integer(12), retweets: row.integer(13), replies: row.integer(14), quotes: row.integer(15)))
  }

  /// Notes or takes back a like; false when it was so already.
  func setLike(_ liked: Bool, of post: Int, by account: Int) throws(ToolError) -> Bool {
    if liked {
      try database.run("INSERT OR IGNORE INTO likes VALUES (?, ?)", .integer(account), .integer(post))
    } else {
      try database.run("DELETE FROM likes WHERE account_id = ? AND post_id = ?", .integer(account), .integer(post))
    }
    guard database.changes > 0 else { return false }
    try addLikes(liked ? 1 : -1, to: post)
    return true
  }

  func likes(_ account: Int, post: Int) throws(ToolError) -> Bool {
    try database.first(
      "SELECT 1 FROM likes WHERE account_id = ? AND post_id = ?", .integer(account), .integer(post)
    ) { (row) throws(ToolError) in row.integer(0) } != nil
  }

  /// Adds to a post's likes without saying whose they are.
  func addLikes(_ number: Int, to post: Int) throws(ToolError) {
    try database.run("UPDATE posts SET likes = max(0, likes + ?) WHERE id = ?", .integer(number), .integer(post))
  }

  // MARK: Short links

  /// What a short link's code stands for, as it was written.
  func link(_ code: String) throws(ToolError) -> String? {
    try database.first("SELECT link FROM links WHERE code = ?", .text(code)) { (row) throws(ToolError) in
      row.text(0)
    } ?? nil
  }

  func remember(link: String) throws(ToolError) {
    try database.run("INSERT OR IGNORE INTO links VALUES (?, ?)", .text(ShortLink.code(for: link)), .text(link))
  }

  // MARK: Rules

  /// A rule of the filtered stream.
  struct Rule: Sendable {
    var id: Int
    var value: String
    var tag: String?
  }

  func rules() throws(ToolError) -> [Rule] {
    var found: [Rule] = []
    try database.forEachRow("SELECT id, value, tag FROM rules ORDER BY id") { (row) throws(ToolError) in
      found.append(Rule(id: row.integer(0), value: row.text(1) ?? "", tag: row.text(2)))
    }
    return found
  }

  func add(_ rule: Rule) throws(ToolError) {
    try database.run(
      "INSERT INTO rules VALUES (?, ?, ?)", .integer(rule.id), .text(rule.value), SQLValue(rule.tag))
  }

  func removeRule(_ id: Int) throws(ToolError) {
    try database.run("DELETE FROM rules WHERE id = ?", .integer(id))
  }
}
