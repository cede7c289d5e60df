extension TweetStore {
  /// Dictionaries for packed records, and a full-text index that needs no column of its own in `tweets`. Version 6 differs only
  /// in its rows: those of `tweets` and `users` are packed, and `words` is NULL. To drop that column, SQLite would write all
  /// tweets anew in one transaction.
  static let version5: StaticString = """
    CREATE TABLE dictionaries (    -- what records are packed with (zstd): number 1, 2 and so on, each in two rows
      key INTEGER PRIMARY KEY,
      number INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      checksum INTEGER
    );
    DROP VIEW search_source;
    CREATE VIEW search_source AS   -- the texts of tweet_search, whose index has some of them in another form
      SELECT key, text FROM tweets;
    """
}
