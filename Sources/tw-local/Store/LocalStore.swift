import TweetCore
import TweetStore

/// The service's data in one SQLite file. Each kind of data has a file beside this one.
///
/// A class, because the parts of the service share it. Only the actor `Service` uses it.
final class LocalStore {
  let database: Database
  /// The largest id in use, so that ids are unique also where a clock stands still or goes back.
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

  /// A new id that contains `time`.
  func newID(at time: Timestamp) -> Int {
    lastID = max(Snowflake.first(at: time), lastID + 1)
    return lastID
  }
}
