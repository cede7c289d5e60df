import CRecords
import SQLite

extension TweetStore {
  /// The application id is "twdb". tw-db(5) describes the tables.
  ///
  /// Foreign keys are for people who read the schema and for `PRAGMA foreign_key_check`. SQLite does not enforce them:
  /// our code keeps them valid. Times are RFC 3339 in UTC with milliseconds, so the order of their text is the order of
  /// time. Rows that cannot be made again from others have a `checksum`; see ``RowSum``.
  static let kind = DatabaseKind(
    name: "tweet store", place: "--db, TW_DB", applicationID: 0x7477_6462, version: 2,
    move: "'tw-cache export' by the version of tw that made it and 'tw-cache import' by this one move it",
    damage: "keep a copy of it, then 'tw-cache check --repair' saves what is sound", functions: tw_add_record,
    schema: """
      CREATE TABLE users (
        key INTEGER PRIMARY KEY,
        service TEXT NOT NULL,       -- the id space: x, local, mastodon:HOST, bluesky
        id TEXT NOT NULL,
        username TEXT COLLATE NOCASE, -- as read last
        name TEXT,
        first_seen TEXT NOT NULL,
        retrieved_at TEXT,           -- when the profile was read from the service
        json BLOB NOT NULL,          -- the keys of a tweet's author, see tweet(5), packed
        checksum INTEGER,
        UNIQUE (service, id)
      );
      CREATE INDEX users_by_username ON users (username);

      CREATE TABLE user_names (      -- all names of users who have had several; others have those in users, since first_seen
        user INTEGER NOT NULL REFERENCES users (key),
        username TEXT NOT NULL COLLATE NOCASE,
        name TEXT NOT NULL,
        first_seen TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (user, username, name)
      ) WITHOUT ROWID;
      CREATE INDEX user_names_by_username ON user_names (username);

      CREATE TABLE tweets (
        key INTEGER PRIMARY KEY,     -- grows with the time of posting: (milliseconds since 2006) * 2^22 + something
        service TEXT NOT NULL,
        id TEXT NOT NULL,
        author INTEGER REFERENCES users (key), -- NULL where the service names none
        created_at TEXT,
        lang TEXT,
        conversation_id TEXT,
        like_count INTEGER, retweet_count INTEGER, reply_count INTEGER, quote_count INTEGER,
        media INTEGER,               -- a sum: 1 photos, 2 videos, 4 others; or NULL
        viewer INTEGER,              -- what signed-in accounts did, a sum: 1 liked, 2 bookmarked; or NULL
        has_links INTEGER,           -- 1 or NULL
        address TEXT,                -- of the post, the same for all its copies and retweets; or NULL
        hidden TEXT,                 -- why lists leave it out: edited, withheld, deleted
        first_seen TEXT NOT NULL,    -- by us
        last_seen TEXT NOT NULL,
        retrieved_at TEXT,           -- when it was last read from the service
        text TEXT NOT NULL,
        indexed TEXT,                -- another form of the text, which is indexed in its place; or NULL
        quote TEXT,                  -- the texts that it quotes, in the form in which they are indexed; or NULL
        alt TEXT,                    -- the descriptions of its media in that form; or NULL
        more TEXT,                   -- warnings, options of polls, titles of cards, saved pages in that form; or NULL
        json BLOB NOT NULL,          -- the whole record, see tweet(5), packed
        checksum INTEGER,
        UNIQUE (service, id)
      );
      CREATE INDEX tweets_by_author ON tweets (author);
      CREATE INDEX tweets_by_service ON tweets (service);
      CREATE INDEX tweets_by_lang ON tweets (lang) WHERE lang IS NOT NULL;
      CREATE INDEX tweets_with_media ON tweets (media) WHERE media IS NOT NULL;
      CREATE INDEX tweets_by_viewer ON tweets (viewer) WHERE viewer IS NOT NULL;
      CREATE INDEX tweets_with_links ON tweets (has_links) WHERE has_links IS NOT NULL;
      CREATE INDEX tweets_by_address ON tweets (address) WHERE address IS NOT NULL;
      CREATE INDEX tweets_hidden ON tweets (hidden) WHERE hidden IS NOT NULL;

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
        kind TEXT,                   -- as in link_kinds
        PRIMARY KEY (url, tweet)
      ) WITHOUT ROWID;
      CREATE INDEX tweet_urls_by_kind ON tweet_urls (kind, tweet) WHERE kind IS NOT NULL;

      CREATE TABLE link_kinds (      -- what tw-linkcheck found behind links, taken over from media.db
        url TEXT PRIMARY KEY,
        kind TEXT NOT NULL,          -- page, image, video, audio, music, playlist, document, other
        checked_at TEXT NOT NULL,
        checksum INTEGER
      ) WITHOUT ROWID;
      CREATE INDEX link_kinds_by_time ON link_kinds (checked_at);

      CREATE TABLE tweet_references ( -- what a tweet retweets, quotes or replies to, on the same service
        tweet INTEGER NOT NULL REFERENCES tweets (key),
        type TEXT NOT NULL,          -- retweeted, quoted, replied_to; of a tweet deeper inside: 'retweeted quoted'
        id TEXT NOT NULL,            -- the other tweet, which need not be here; '' if unknown
        author INTEGER REFERENCES users (key), -- whose it is, where that is known
        PRIMARY KEY (tweet, type, id)
      ) WITHOUT ROWID;
      CREATE INDEX tweet_references_by_id ON tweet_references (id);

      CREATE TABLE tweet_versions (  -- earlier texts of tweets that were edited and kept their id
        tweet INTEGER NOT NULL REFERENCES tweets (key),
        text TEXT NOT NULL,
        retrieved_at TEXT,
        json BLOB NOT NULL,          -- the record of then, packed
        checksum INTEGER,
        PRIMARY KEY (tweet, text)
      ) WITHOUT ROWID;

      CREATE TABLE tweet_edits (     -- tweets whose edits have ids of their own, as on X
        service TEXT NOT NULL,
        id TEXT NOT NULL,            -- a version, which need not be here
        original TEXT NOT NULL,      -- the id of its first version
        checksum INTEGER,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX tweet_edits_by_original ON tweet_edits (service, original);

      CREATE TABLE feeds (           -- the sources that tweets came from
        key INTEGER PRIMARY KEY,
        service TEXT NOT NULL,
        feed TEXT NOT NULL,          -- as tw-stream takes it: #swift, user:jack, home
        checksum INTEGER,
        UNIQUE (service, feed)
      );
      CREATE INDEX feeds_by_feed ON feeds (feed);
      CREATE TABLE tweet_feeds (
        feed INTEGER NOT NULL REFERENCES feeds (key),
        tweet INTEGER NOT NULL REFERENCES tweets (key),
        first_seen TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (feed, tweet)
      ) WITHOUT ROWID;

      CREATE TABLE tombstones (      -- tweets that were deleted: older files do not revive them
        service TEXT NOT NULL,
        id TEXT NOT NULL,
        user_id TEXT,
        deleted_at TEXT NOT NULL,    -- when we were told
        checksum INTEGER,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;

      CREATE TABLE forgotten (       -- tweets that a person removed: nothing but that person brings them back
        service TEXT NOT NULL,
        id TEXT NOT NULL,
        named TEXT NOT NULL,         -- the id that was named: this one, that of another version, or '@' and its author's
        forgotten_at TEXT NOT NULL,
        address TEXT,                -- as in tweets: no copy of it is stored either; NULL for a retweet that was named
        checksum INTEGER,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX forgotten_by_named ON forgotten (service, named);
      CREATE INDEX forgotten_by_address ON forgotten (address) WHERE address IS NOT NULL;
      CREATE TABLE forgotten_tweets ( -- what comes back of them, and of deleted ones, until the store is pruned
        service TEXT NOT NULL,
        named TEXT NOT NULL,         -- as in forgotten; the id in tombstones
        id TEXT NOT NULL,            -- of the tweet itself, another version, a retweet, or a tweet that contained it
        stored TEXT,                 -- what an export has beside the record; NULL for a tweet that only lost its copy
        text TEXT NOT NULL,
        json BLOB NOT NULL,          -- the record, packed
        checksum INTEGER,
        PRIMARY KEY (service, named, id)
      ) WITHOUT ROWID;

      CREATE TABLE forgotten_people ( -- whom a person removed: nothing by them is stored
        service TEXT NOT NULL,
        id TEXT NOT NULL,            -- as in users
        forgotten_at TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;

      CREATE TABLE withheld (        -- what a service asked to withhold in some countries
        service TEXT NOT NULL,
        subject TEXT NOT NULL,       -- tweet or user
        id TEXT NOT NULL,
        countries TEXT NOT NULL,     -- a JSON array of codes; XX is everywhere, XY a copyright complaint
        noticed_at TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (service, subject, id)
      ) WITHOUT ROWID;

      CREATE TABLE scrubbed_places ( -- users who took the places out of their tweets
        service TEXT NOT NULL,
        user_id TEXT NOT NULL,
        up_to_id TEXT NOT NULL,      -- the last of those tweets
        noticed_at TEXT NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (service, user_id)
      ) WITHOUT ROWID;

      CREATE TABLE notifications (   -- what others did that accounts were told of
        service TEXT NOT NULL,
        account TEXT NOT NULL,       -- whom it tells; '' where that is not known
        id TEXT NOT NULL,
        kind TEXT NOT NULL,          -- like, repost, follow, mention and so on, see tweet(5)
        at TEXT NOT NULL,
        user_id TEXT,                -- who did it
        tweet_id TEXT,               -- what it is about
        json BLOB NOT NULL,          -- the record, packed; of the user and of the tweet it has only the ids
        checksum INTEGER,
        PRIMARY KEY (service, account, id)
      ) WITHOUT ROWID;
      CREATE INDEX notifications_by_time ON notifications (at);

      CREATE TABLE recent (          -- what was stored or changed last, in that order; older rows are dropped
        number INTEGER PRIMARY KEY,
        tweet INTEGER,               -- NULL for one that was deleted, of which these are told:
        service TEXT, id TEXT, user_id TEXT
      );

      CREATE TABLE list_ends (       -- where the last list of a name ended: tw-cache list --since-last
        name TEXT PRIMARY KEY,
        number INTEGER NOT NULL,     -- of the last change in recent
        at TEXT NOT NULL
      ) WITHOUT ROWID;

      CREATE TABLE sources (         -- what tw-cache refresh asks for
        key INTEGER PRIMARY KEY,
        service TEXT NOT NULL,
        account TEXT NOT NULL,       -- whose sign-in is used; '' for the service's own
        source TEXT NOT NULL,        -- as tw-stream takes it: #swift, user:jack, home
        every INTEGER,               -- seconds from one refresh to the next; NULL: only when asked for by name
        paused INTEGER NOT NULL DEFAULT 0,
        checkpoint TEXT,             -- where the next refresh begins, as tw-stream wrote it
        refreshed_at TEXT,           -- when the last refresh began
        failing_since TEXT,          -- when the first of the failures began that nothing has ended
        retry_at TEXT,               -- when to ask again after a failure
        refused_token TEXT,          -- a short hash of a token from the environment that the service refused
        reported TEXT,               -- what a person was told of it last: its status, and why, without numbers
        reported_at TEXT,            -- when
        checksum INTEGER,
        UNIQUE (service, account, source)
      );
      CREATE TABLE runs (            -- refreshes that were made; older rows are dropped
        key INTEGER PRIMARY KEY,
        source INTEGER NOT NULL REFERENCES sources (key),
        began_at TEXT NOT NULL,
        milliseconds INTEGER NOT NULL,
        read INTEGER NOT NULL,       -- tweets the service sent
        new INTEGER NOT NULL,        -- those of them that were not here
        status INTEGER NOT NULL,     -- 0: all went well; see EXIT STATUS in tw-cache(1)
        message TEXT                 -- what went wrong
      );
      CREATE INDEX runs_by_source ON runs (source);

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

      CREATE TABLE incoming (        -- tweets that are on disk, and soon in the other tables
        key INTEGER PRIMARY KEY,     -- its number in recent
        service TEXT NOT NULL,
        id TEXT NOT NULL,
        tweet INTEGER NOT NULL,      -- the key that it has in tweets, or will have
        retrieved_at TEXT,           -- as in tweets, as far as json
        created_at TEXT,
        username TEXT, name TEXT,    -- of the author
        text TEXT NOT NULL,
        like_count INTEGER, retweet_count INTEGER, reply_count INTEGER, quote_count INTEGER,
        lang TEXT,
        hidden TEXT,                 -- why timeline leaves it out: withheld, or older than what is known of it
        seen_at TEXT NOT NULL,       -- when it was put here
        labels TEXT NOT NULL,        -- those that it gets if it is new, with spaces between them
        json BLOB NOT NULL,          -- the whole record, packed as in tweets
        checksum INTEGER
      );

      CREATE VIEW search_source AS   -- what tweet_search indexes
        SELECT key, coalesce(indexed, text) AS text, quote, alt, more FROM tweets;
      -- Marks are part of words, or Indic scripts would fall apart at every vowel sign. Emoji are words, most of them as
      -- symbols (So). No sizes: a list of tw-cache is in the order of time; rank,
      -- which others may ask for, is that of a tweet's own text before all else.
      CREATE VIRTUAL TABLE tweet_search USING fts5 (
        text, quote, alt, more, content = 'search_source', content_rowid = 'key', columnsize = 0 /* content="tweets" */,
        tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc So' tokenchars '‼⁉↔◽◾⤴⤵'"
      );
      INSERT INTO tweet_search (tweet_search, rank) VALUES ('rank', 'bm25(20.0, 2.0, 2.0, 1.0)');

      CREATE VIEW timeline AS        -- newest first, as people read; with those that are still in incoming
        SELECT t.created_at, u.username, u.name, t.text, t.like_count, t.retweet_count, t.reply_count, t.quote_count,
          t.lang, t.service, t.id, t.key AS key
        FROM tweets t LEFT JOIN users u ON u.key = t.author
        WHERE t.hidden IS NULL AND t.key NOT IN (SELECT tweet FROM incoming WHERE hidden IS NOT 'older')
        UNION ALL
        SELECT created_at, username, name, text, like_count, retweet_count, reply_count, quote_count,
          lang, service, id, tweet
        FROM incoming
        WHERE key IN (SELECT max(key) FROM incoming WHERE hidden IS NOT 'older' GROUP BY tweet) AND hidden IS NULL
        ORDER BY key DESC;
      CREATE VIEW top_links AS       -- the most linked to first
        SELECT l.url, count(*) AS tweets, count(DISTINCT t.author) AS authors, l.kind, min(t.created_at) AS first_posted,
          max(t.created_at) AS last_posted
        FROM tweet_urls l JOIN tweets t ON t.key = l.tweet WHERE t.hidden IS NULL GROUP BY l.url ORDER BY tweets DESC;
      CREATE VIEW by_day AS          -- how many tweets of how many authors a day, in UTC
        SELECT substr(created_at, 1, 10) AS day, count(*) AS tweets, count(DISTINCT author) AS authors
        FROM tweets WHERE hidden IS NULL AND created_at IS NOT NULL GROUP BY day ORDER BY day DESC;
      """)
}
