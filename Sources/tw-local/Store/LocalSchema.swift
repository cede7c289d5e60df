import SQLite

extension DatabaseKind {
  /// The file of `--db`.
  static let local = DatabaseKind(
    name: "tw-local database", place: "--db", applicationID: 0x7477_4C31, version: 1,
    move: "name another file",
    damage: "name another file",
    schema: """
      CREATE TABLE accounts (
        id INTEGER PRIMARY KEY, username TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT NOT NULL,
        description TEXT NOT NULL, location TEXT NOT NULL, url TEXT NOT NULL, verified INTEGER NOT NULL,
        created_at INTEGER NOT NULL, followers INTEGER NOT NULL, following INTEGER NOT NULL,
        picture_file TEXT -- the id of a picture and the extension of its file
      ) STRICT;
      CREATE TABLE posts (
        id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES accounts, text TEXT NOT NULL,
        created_at INTEGER NOT NULL, language TEXT NOT NULL, source TEXT NOT NULL, conversation_id INTEGER NOT NULL,
        reply_to INTEGER, reply_to_author INTEGER, quote_of INTEGER, retweet_of INTEGER, picture TEXT,
        likes INTEGER NOT NULL, retweets INTEGER NOT NULL, replies INTEGER NOT NULL, quotes INTEGER NOT NULL,
        media TEXT NOT NULL DEFAULT '' -- ids between commas
      ) STRICT;
      CREATE INDEX posts_by_author ON posts (author_id, id);
      CREATE INDEX posts_by_original ON posts (retweet_of, author_id) WHERE retweet_of IS NOT NULL;
      -- `number` grows with each like; so it does in bookmarks and follows.
      CREATE TABLE likes (
        number INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, post_id INTEGER NOT NULL, UNIQUE (account_id, post_id)
      ) STRICT;
      CREATE TABLE links (code TEXT PRIMARY KEY, link TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE rules (
        id INTEGER PRIMARY KEY, value TEXT NOT NULL, tag TEXT, owner TEXT NOT NULL, UNIQUE (owner, value)
      ) STRICT;
      CREATE TABLE lists (
        id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL,
        description TEXT NOT NULL, created_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE list_members (
        account_id INTEGER NOT NULL, list_id INTEGER NOT NULL, PRIMARY KEY (account_id, list_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX list_members_by_list ON list_members (list_id);
      CREATE TABLE passwords (account_id INTEGER PRIMARY KEY REFERENCES accounts, hash TEXT NOT NULL) STRICT;
      CREATE TABLE apps (key TEXT PRIMARY KEY, secret TEXT NOT NULL) STRICT;
      -- A token is stored as its digest. `secret` must be readable: OAuth 1.0a signs with it.
      CREATE TABLE tokens (
        digest TEXT PRIMARY KEY, kind TEXT NOT NULL, client TEXT NOT NULL, account_id INTEGER REFERENCES accounts,
        scopes TEXT NOT NULL, grant_id INTEGER NOT NULL, secret TEXT, expires_at INTEGER, is_spent INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX tokens_by_grant ON tokens (grant_id);
      CREATE INDEX tokens_by_account ON tokens (client, account_id, grant_id);
      CREATE INDEX tokens_by_end ON tokens (expires_at) WHERE expires_at IS NOT NULL;
      CREATE TABLE follows (
        number INTEGER PRIMARY KEY, follower_id INTEGER NOT NULL, followed_id INTEGER NOT NULL,
        UNIQUE (follower_id, followed_id)
      ) STRICT;
      CREATE INDEX follows_by_followed ON follows (followed_id);
      CREATE TABLE bookmarks (
        number INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, post_id INTEGER NOT NULL, UNIQUE (account_id, post_id)
      ) STRICT;
      CREATE INDEX bookmarks_by_post ON bookmarks (post_id);
      CREATE TABLE media (
        id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES accounts, type TEXT NOT NULL, size INTEGER NOT NULL,
        width INTEGER NOT NULL, height INTEGER NOT NULL, alt_text TEXT NOT NULL, created_at INTEGER NOT NULL,
        finished_at INTEGER, is_used INTEGER NOT NULL, bytes BLOB
      ) STRICT;
      CREATE INDEX media_unused ON media (owner_id) WHERE is_used = 0;
      CREATE TABLE media_chunks (
        media_id INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (media_id, part)
      ) STRICT;
      CREATE TABLE polls (post_id INTEGER PRIMARY KEY, minutes INTEGER NOT NULL) STRICT;
      CREATE TABLE poll_options (
        post_id INTEGER NOT NULL, position INTEGER NOT NULL, label TEXT NOT NULL, PRIMARY KEY (post_id, position)
      ) STRICT, WITHOUT ROWID;
      """)
}
