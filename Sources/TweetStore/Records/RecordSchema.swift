extension TweetStore {
  /// Dictionaries for packed records. Version 6 differs only in its rows: those of `tweets` and `users` are packed.
  static let version5: StaticString = """
    CREATE TABLE dictionaries (    -- what records are packed with (zstd): number 1, 2 and so on, each in two rows
      key INTEGER PRIMARY KEY,
      number INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      checksum INTEGER
    );
    """
}
