import SQLite
package import TweetCore

/// What is known about the picture at one URL.
package struct StoredAvatar: Equatable, Sendable {
  package var url: String
  /// What it shows: `avatar` for somebody's profile picture, `media` for a photo or the preview of a video.
  package var kind: String
  /// SHA-256 of the picture's bytes, hexadecimal: its key in the table `pictures`. `nil` if no picture was ever
  /// fetched.
  package var key: String?
  /// The validators of the last answer, for the next request (RFC 9110 §8.8). They are as the server sent them, or as
  /// another program wrote them: check them before they go into a header.
  package var etag: String?
  package var lastModified: String?
  /// When the last request was made.
  package var fetchedAt: Timestamp
  /// HTTP status of the last answer; `nil` if none came.
  package var status: Int?
  /// What failed the last time, in the words of records ("http 404", "timeout"); `nil` if nothing did.
  package var error: String?

  package init(
    url: String, kind: String = "avatar", key: String? = nil, etag: String? = nil, lastModified: String? = nil,
    fetchedAt: Timestamp,
    status: Int? = nil, error: String? = nil
  ) {
    self.url = url
    self.kind = kind
    self.key = key
    self.etag = etag
    self.lastModified = lastModified
    self.fetchedAt = fetchedAt
    self.status = status
    self.error = error
  }
}

/// The properties of a picture, without its bytes.
package struct StoredPicture: Equatable, Sendable {
  /// SHA-256 of the bytes, hexadecimal.
  package var key: String
  /// The media type, detected from the bytes: "image/png".
  package var type: String
  /// Pixels; `nil` if the file does not say.
  package var width: Int?
  package var height: Int?
  /// The number of bytes.
  package var size: Int

  package init(key: String, type: String, width: Int?, height: Int?, size: Int) {
    self.key = key
    self.type = type
    self.width = width
    self.height = height
    self.size = size
  }
}

/// The store of profile pictures and checked links: the file `media.db`. It is not part of `tw.db`, since all in it can
/// be fetched again: it may be pruned or deleted without a write to the tweets.
package struct MediaStore: ~Copyable {
  private let file: MediaDatabase
  /// The thumbnails of its pictures.
  package let thumbnails: Thumbnails

  /// Opens the store, and creates it if it is missing, or damaged.
  /// - Parameter note: gets a message when the file is damaged, now or at a later use.
  package init(_ path: String, note: @escaping (String) -> Void) throws(ToolError) {
    file = try MediaDatabase(path, Self.kind, note: note)
    thumbnails = Thumbnails(beside: path)
  }

  /// Runs `body` with the database, and once more with an empty one if the file turns out to be damaged.
  func use<R>(_ body: (borrowing Database) throws(ToolError) -> R) throws(ToolError) -> R { try file.use(body) }

  /// Whether a file exists at that path.
  package static func exists(_ path: String) -> Bool { Database.exists(path) }

  /// Looks at the kind and the version of the file, and changes nothing.
  /// - Throws: ``ToolError/badData(_:)`` if it is something else, ``ToolError/configuration(_:)`` if another version
  ///   made it.
  package static func checkKind(of path: String) throws(ToolError) { try Database.check(kind, ofDamaged: path) }

  /// What is known about the picture at `url`.
  package func avatar(_ url: String) throws(ToolError) -> StoredAvatar? {
    try use { (database) throws(ToolError) in
      try database.first(sql: Self.selectAvatar, [.text(url)]) { row in
        StoredAvatar(
          url: url, kind: row.text(6) ?? "", key: row.text(0), etag: row.text(1), lastModified: row.text(2),
          fetchedAt: row.time(3), status: row.optionalInteger(4), error: row.text(5))
      }
    }
  }

  /// A picture's properties.
  package func picture(_ key: String) throws(ToolError) -> StoredPicture? {
    try use { (database) throws(ToolError) in
      try database.first(sql: Self.selectPicture, [.text(key)]) { row in
        StoredPicture(
          key: key, type: row.text(0) ?? "", width: row.optionalInteger(1), height: row.optionalInteger(2),
          size: row.integer(3))
      }
    }
  }

  /// The addresses of all pictures of a kind of which something is known, in order.
  /// - Parameter kind: `avatar` or `media`; `nil` for both.
  package func pictureURLs(_ kind: String?) throws(ToolError) -> [String] {
    try use { (database) throws(ToolError) in
      var urls: [String] = []
      let sql: StaticString = "SELECT url FROM avatars WHERE kind = coalesce(?, kind) ORDER BY url"
      try database.forEachRow(sql, SQLValue(kind)) { urls.append($0.text(0) ?? "") }
      return urls
    }
  }

  /// Bytes on disk.
  package func size() throws(ToolError) -> Int {
    try use { (database) throws(ToolError) in Database.size(database.path) }
  }

  /// Whether it has the picture with this key.
  func hasPicture(_ key: String) throws(ToolError) -> Bool {
    try use { (database) throws(ToolError) in
      try database.first("SELECT 1 FROM pictures WHERE key = ?", .text(key)) { _ in true } ?? false
    }
  }

  /// A picture's bytes. Whether they are those of the key is for the caller to say, who can compute it.
  package func bytes(ofPicture key: String) throws(ToolError) -> [UInt8]? {
    try use { (database) throws(ToolError) in
      try database.first("SELECT bytes FROM pictures WHERE key = ?", .text(key)) { row in Array(row.bytes(0)) }
    }
  }

  /// Stores pictures (each key once, in place of a damaged one) and what is now known about their URLs, in one
  /// transaction. A key of a picture that is not in the store, which a damaged file has taken with it, is left out.
  package func store(
    _ avatars: [StoredAvatar], pictures: [(picture: StoredPicture, bytes: [UInt8])] = []
  ) throws(ToolError) {
    if avatars.isEmpty && pictures.isEmpty { return }
    try use { (database) throws(ToolError) in
      try database.write { () throws(ToolError) in
        for (picture, bytes) in pictures {
          try database.run(
            sql: Self.insertPicture, .text(picture.key), .text(picture.type), SQLValue(picture.width),
            SQLValue(picture.height), .integer(picture.size), .bytes(bytes))
        }
        // An index that a damage has put out of order takes a key and does not find it again.
        for (picture, _) in pictures
        where try database.first(sql: Self.selectPicture, [.text(picture.key)], body: { _ in true }) == nil {
          throw .inputOutput("cannot find what was written to '\(database.path)'")
        }
        for avatar in avatars {
          try database.run(
            sql: Self.insertAvatar, .text(avatar.url), SQLValue(avatar.key), SQLValue(avatar.etag),
            SQLValue(avatar.lastModified),
            .text(avatar.fetchedAt.rfc3339), SQLValue(avatar.status), SQLValue(avatar.error), .text(avatar.kind))
        }
      }
    }
  }

  private static let selectAvatar = """
    SELECT key, etag, last_modified, fetched_at, status, error, kind FROM avatars
    WHERE url = ?1 AND \(RowSum.avatars.isSound(nil, ["url": "?1"]))
    """
  private static let insertAvatar = RowSum.avatars.insert(
    ["?1", "(SELECT key FROM pictures WHERE key = ?2)", "?3", "?4", "?5", "?6", "?7", "?8"], or: "OR REPLACE ")

  private static let selectPicture = """
    SELECT type, width, height, size FROM pictures
    WHERE key = ?1 AND \(RowSum.pictures.isSound(nil, ["key": "?1"]))
    """
  private static let insertPicture = """
    INSERT INTO pictures (key, type, width, height, size, checksum, bytes)
    VALUES (?1, ?2, ?3, ?4, ?5, \(RowSum.pictures.sum(pictureValues)), ?6)
    ON CONFLICT DO UPDATE SET type = excluded.type, width = excluded.width, height = excluded.height,
      size = excluded.size, checksum = excluded.checksum, bytes = excluded.bytes
    WHERE bytes <> excluded.bytes OR (\(RowSum.pictures.isSound("pictures"))) IS NOT 1
    """

  private static let pictureValues = ["key": "?1", "type": "?2", "width": "?3", "height": "?4", "size": "?5"]

  /// The application id is "twmd".
  private static let kind = DatabaseKind(
    name: "media store", place: "--db, TW_DB", applicationID: 0x7477_6D64, version: 1,
    move: "remove it, since all that is in it can be fetched again, or name another file",
    damage: "remove it, since all that is in it can be fetched again",
    schema: """
      CREATE TABLE pictures (   -- each picture once, whoever uses it
        key TEXT PRIMARY KEY,   -- SHA-256 of the bytes, hexadecimal
        type TEXT NOT NULL,     -- media type, found from the bytes
        width INTEGER, height INTEGER,
        size INTEGER NOT NULL,  -- number of the bytes
        checksum INTEGER NOT NULL, -- of all but the bytes, whose sum is the key
        bytes BLOB NOT NULL     -- last: to read the other columns, SQLite does not go through them
      );
      CREATE TABLE avatars (    -- what is known about the picture at a URL
        url TEXT PRIMARY KEY,
        key TEXT REFERENCES pictures (key),
        etag TEXT, last_modified TEXT,
        fetched_at TEXT NOT NULL, -- RFC 3339 in UTC, as all times here
        status INTEGER,         -- HTTP status of the last answer
        error TEXT,             -- what was wrong the last time
        kind TEXT NOT NULL,     -- avatar or media
        checksum INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX avatars_by_key ON avatars (key);
      CREATE INDEX avatars_by_time ON avatars (fetched_at);
      CREATE TABLE links (      -- what a check found about a URL
        url TEXT PRIMARY KEY,
        unwound_url TEXT, status INTEGER, content_type TEXT, title TEXT, verdict TEXT NOT NULL,
        link_kind TEXT, link_kind_by TEXT, music_id TEXT, canonical_url TEXT,
        redirects INTEGER NOT NULL,
        chain TEXT,             -- JSON array of the URLs asked and their answers
        checked_at TEXT NOT NULL,
        error TEXT,
        failures INTEGER NOT NULL DEFAULT 0, -- how often in a row checks have failed, and since when
        failing_since TEXT,
        is_page_read INTEGER NOT NULL DEFAULT 0, -- whether the page was read for its title. It may have none
        members TEXT NOT NULL,  -- the members of a link record as they are written, but for the URLs, chain, text
        archived_url TEXT,      -- of a dead link: where the Internet Archive has a copy,
        archived_at TEXT,       -- when that was made,
        archive_asked_at TEXT,  -- and when the archive was asked
        was TEXT,               -- the verdict before the last change, with
        was_status INTEGER,     -- its HTTP status,
        was_at TEXT,            -- and when it was last found
        saved_in TEXT,          -- the directory in which the page is saved,
        page_text TEXT,         -- and the text of it
        checksum INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX links_by_time ON links (checked_at);
      CREATE TABLE hops (       -- permanent redirects (301 and 308), for all links that come by
        url TEXT PRIMARY KEY,
        target TEXT NOT NULL,
        seen_at TEXT NOT NULL,  -- when the server last said so
        checksum INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX hops_by_time ON hops (seen_at);
      """)
}

/// The tables of the store of pictures and links. A row that does not fit its checksum is not there for those who read:
/// what it said is asked for again.
extension RowSum {
  static let pictures = RowSum("pictures", "key type width height size")
  static let avatars = RowSum("avatars", "url key etag last_modified fetched_at status error kind")
  static let links = RowSum(
    "links",
    """
    url unwound_url status content_type title verdict link_kind link_kind_by music_id canonical_url redirects chain \
    checked_at error failures failing_since is_page_read members archived_url archived_at archive_asked_at was \
    was_status was_at saved_in page_text
    """)
  static let hops = RowSum("hops", "url target seen_at")
}
