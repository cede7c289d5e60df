extension TweetStore {
  /// "twdb". Times are RFC 3339 in UTC with milliseconds, so text order is time order.
  static let kind = DatabaseKind(name: "tweet store", applicationID: 0x7477_6462, migrations: [version1])

  /// Foreign keys are declared for readers and `PRAGMA foreign_key_check`; we keep them ourselves.
  private static let version1: StaticString = """
    CREATE TABLE users (
      key INTEGER PRIMARY KEY,
      service TEXT NOT NULL,       -- the id space: x, local, mastodon:HOST, bluesky
      id TEXT NOT NULL,
      username TEXT COLLATE NOCASE, -- as read last
      name TEXT,
      first_seen TEXT NOT NULL,
      retrieved_at TEXT,           -- when the profile was read from the service
      json TEXT NOT NULL,          -- the keys of a tweet's author, see tweet(5)
      UNIQUE (service, id)
    );
    CREATE INDEX users_by_username ON users (username);

    CREATE TABLE user_names (      -- every name a user was seen under
      user INTEGER NOT NULL REFERENCES users (key),
      username TEXT NOT NULL COLLATE NOCASE,
      name TEXT NOT NULL,
      first_seen TEXT NOT NULL,
      PRIMARY KEY (user, username, name)
    ) WITHOUT ROWID;
    CREATE INDEX user_names_by_username ON user_names (username);

    CREATE TABLE tweets (
      key INTEGER PRIMARY KEY,     -- grows with the time of posting: (milliseconds since 2006) * 2^22 + something
      service TEXT NOT NULL,
      id TEXT NOT NULL,
      author INTEGER NOT NULL REFERENCES users (key),
      created_at TEXT,
      lang TEXT,
      conversation_id TEXT,
      like_count INTEGER, retweet_count INTEGER, reply_count INTEGER, quote_count INTEGER,
      first_seen TEXT NOT NULL,    -- by us
      last_seen TEXT NOT NULL,
      retrieved_at TEXT,           -- when it was last read from the service
      text TEXT NOT NULL,
      words TEXT,                  -- what is indexed, where scripts without spaces had to be taken apart
      json TEXT NOT NULL,          -- the whole record, see tweet(5)
      UNIQUE (service, id)
    );
    CREATE INDEX tweets_by_author ON tweets (author);
    CREATE INDEX tweets_by_service ON tweets (service);

    CREATE TABLE tweet_hashtags (
      tag TEXT NOT NULL,           -- in lower case, without '#'
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      PRIMARY KEY (tag, tweet)
    ) WITHOUT ROWID;

    CREATE TABLE tweet_mentions (
      username TEXT NOT NULL COLLATE NOCASE,
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      user_id TEXT,
      PRIMARY KEY (username, tweet)
    ) WITHOUT ROWID;

    CREATE TABLE tweet_urls (
      url TEXT NOT NULL,           -- where it leads, as far as the service said
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      short_url TEXT,              -- as it stands in the text
      PRIMARY KEY (url, tweet)
    ) WITHOUT ROWID;

    CREATE TABLE tweet_references ( -- what a tweet retweets, quotes or replies to, on the same service
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      type TEXT NOT NULL,          -- retweeted, quoted, replied_to; of a tweet deeper inside: 'retweeted quoted'
      id TEXT NOT NULL,            -- the other tweet, which need not be here
      PRIMARY KEY (tweet, type, id)
    ) WITHOUT ROWID;
    CREATE INDEX tweet_references_by_id ON tweet_references (id);

    CREATE TABLE feeds (           -- the sources that tweets came from
      key INTEGER PRIMARY KEY,
      service TEXT NOT NULL,
      feed TEXT NOT NULL,          -- as tw-stream takes it: #swift, user:jack, home
      UNIQUE (service, feed)
    );
    CREATE TABLE tweet_feeds (
      feed INTEGER NOT NULL REFERENCES feeds (key),
      tweet INTEGER NOT NULL REFERENCES tweets (key),
      first_seen TEXT NOT NULL,
      last_seen TEXT NOT NULL,
      PRIMARY KEY (feed, tweet)
    ) WITHOUT ROWID;

    CREATE TABLE tombstones (      -- tweets that were deleted: older files do not revive them
      service TEXT NOT NULL,
      id TEXT NOT NULL,
      user_id TEXT,
      deleted_at TEXT NOT NULL,    -- when we were told
      PRIMARY KEY (service, id)
    ) WITHOUT ROWID;

    CREATE VIEW search_source AS   -- what tweet_search indexes
      SELECT key, coalesce(words, text) AS text FROM tweets;
    -- Marks are part of words, or Indic scripts would fall apart at every vowel sign.
    CREATE VIRTUAL TABLE tweet_search USING fts5 (
      text, content = 'search_source', content_rowid = 'key',
      tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
    );
    """
}
