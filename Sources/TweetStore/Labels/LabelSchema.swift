extension TweetStore {
  /// Labels, saved queries and earlier counts. They are a person's own, or cannot be fetched again, so their rows have
  /// checksums.
  static let version4: StaticString = """
    CREATE TABLE labels (          -- what a person calls tweets; 'unread' among them
      key INTEGER PRIMARY KEY,
      label TEXT NOT NULL UNIQUE,
      checksum INTEGER
    );
    CREATE TABLE tweet_labels (
      label INTEGER NOT NULL REFERENCES labels (key),
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      checksum INTEGER,
      PRIMARY KEY (label, tweet)
    ) WITHOUT ROWID;

    CREATE TABLE saved_queries (   -- as tw-cache query save was given them
      name TEXT PRIMARY KEY,
      query TEXT NOT NULL,
      checksum INTEGER
    ) WITHOUT ROWID;

    CREATE TABLE tweet_counts (    -- earlier counts of a tweet, at most one row an hour; the last ones are in tweets
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      retrieved_at TEXT NOT NULL,
      like_count INTEGER, retweet_count INTEGER, reply_count INTEGER, quote_count INTEGER,
      checksum INTEGER,
      PRIMARY KEY (tweet, retrieved_at)
    ) WITHOUT ROWID;
    """
}
