import SQLite
import TweetCore

/// What a client calls something before it is there, so that it is there once however often the client asks: the key of
/// a record of Bluesky, or Mastodon's `Idempotency-Key`.
struct ItemKey: Sendable {
  /// The id of the account whose it is.
  let account: Int
  /// A collection of records, or ``idempotency``.
  let space: String
  let key: String

  static let idempotency = "idempotency-key"
}

/// Keys, and the programs that have registered themselves.
extension LocalStore {
  /// Makes the tables that files of older versions do not have.
  func addKeyTables() throws(ToolError) {
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS item_keys (
        account_id INTEGER NOT NULL, space TEXT NOT NULL, key TEXT NOT NULL, item_id INTEGER NOT NULL,
        PRIMARY KEY (account_id, space, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS item_keys_by_item ON item_keys (space, item_id);
      -- Their numbers are given anew, whoever took the like or the follow away.
      CREATE TRIGGER IF NOT EXISTS like_keys AFTER DELETE ON likes BEGIN
        DELETE FROM item_keys WHERE space = 'app.bsky.feed.like' AND item_id = old.number;
      END;
      CREATE TRIGGER IF NOT EXISTS follow_keys AFTER DELETE ON follows BEGIN
        DELETE FROM item_keys WHERE space = 'app.bsky.graph.follow' AND item_id = old.number;
      END;
      CREATE INDEX IF NOT EXISTS posts_by_conversation ON posts (conversation_id, id);
      CREATE TABLE IF NOT EXISTS registered_apps (
        number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, secret TEXT NOT NULL, name TEXT NOT NULL,
        redirects TEXT NOT NULL -- one a line
      ) STRICT;
      CREATE TRIGGER IF NOT EXISTS app_tokens AFTER DELETE ON registered_apps BEGIN
        DELETE FROM tokens WHERE client = old.key;
      END;
      """)
  }

  // MARK: Keys

  /// Notes that a post, a like or a follow has a key. One that had it before, and is gone, loses it.
  func set(_ key: ItemKey, of item: Int) throws(ToolError) {
    try database.run("DELETE FROM item_keys WHERE space = ? AND item_id = ?", .text(key.space), .integer(item))
    try database.run(
      "INSERT OR REPLACE INTO item_keys VALUES (?, ?, ?, ?)", .integer(key.account), .text(key.space), .text(key.key),
      .integer(item))
  }

  /// What has a key, or had it.
  func item(_ key: ItemKey) throws(ToolError) -> Int? {
    try database.first(
      "SELECT item_id FROM item_keys WHERE account_id = ? AND space = ? AND key = ?", .integer(key.account),
      .text(key.space), .text(key.key)
    ) { (row) throws(ToolError) in row.integer(0) }
  }

  /// The key that a client has given to something.
  func key(of item: Int, in space: String) throws(ToolError) -> String? {
    try database.first("SELECT key FROM item_keys WHERE space = ? AND item_id = ?", .text(space), .integer(item)) {
      (row) throws(ToolError) in row.text(0)
    } ?? nil
  }

  func removeKey(of item: Int, in space: String) throws(ToolError) {
    try database.run("DELETE FROM item_keys WHERE space = ? AND item_id = ?", .text(space), .integer(item))
  }

  // MARK: Programs

  /// Most programs that are remembered. The oldest go, with their tokens, but those that somebody has signed in with.
  private static let mostApps = 1000

  func add(_ app: Client) throws(ToolError) {
    try database.run(
      "INSERT INTO registered_apps (key, secret, name, redirects) VALUES (?, ?, ?, ?)", .text(app.key),
      .text(app.secret ?? ""), .text(app.name), .text(app.redirects.joined(separator: "\n")))
    try database.run(
      """
      DELETE FROM registered_apps WHERE number <= (SELECT max(number) FROM registered_apps) - ?
        AND key NOT IN (SELECT client FROM tokens WHERE account_id IS NOT NULL)
      """, .integer(Self.mostApps))
  }

  /// A program that has registered itself.
  func registeredApp(_ key: String) throws(ToolError) -> Client? {
    try database.first("SELECT secret, name, redirects FROM registered_apps WHERE key = ?", .text(key)) {
      (row) throws(ToolError) in
      Client(
        key: key, secret: row.text(0), name: row.text(1) ?? "",
        redirects: (row.text(2) ?? "").split(separator: "\n").map(String.init))
    }
  }
}
