package import TweetCore

/// What is known about the picture behind one URL.
package struct StoredAvatar: Equatable, Sendable {
  package var url: String
  /// SHA-256 of the picture's bytes, hexadecimal: its name among the pictures. `nil` when none was ever fetched.
  package var key: String?
  /// The answer's validators, to ask again with (RFC 9110 §8.8).
  package var etag: String?
  package var lastModified: String?
  /// When the service was last asked.
  package var fetchedAt: Timestamp
  /// HTTP status of the last answer; `nil` when none came.
  package var status: Int?
  /// What was wrong the last time, as records show it ("http 404", "timeout"); `nil` when nothing was.
  package var error: String?

  package init(
    url: String, key: String? = nil, etag: String? = nil, lastModified: String? = nil, fetchedAt: Timestamp,
    status: Int? = nil, error: String? = nil
  ) {
    self.url = url
    self.key = key
    self.etag = etag
    self.lastModified = lastModified
    self.fetchedAt = fetchedAt
    self.status = status
    self.error = error
  }
}

/// A picture's properties, without its bytes.
package struct StoredPicture: Equatable, Sendable {
  /// SHA-256 of the bytes, hexadecimal.
  package var key: String
  /// Media type, found from the bytes: "image/png".
  package var type: String
  /// Pixels; `nil` where the format does not tell.
  package var width: Int?
  package var height: Int?
  /// How many bytes it has.
  package var size: Int

  package init(key: String, type: String, width: Int?, height: Int?, size: Int) {
    self.key = key
    self.type = type
    self.width = width
    self.height = height
    self.size = size
  }
}

/// What a check found about one link: the keys of a link record, by their names.
package struct StoredLink: Equatable, Sendable {
  package var url: String
  package var unwoundURL: String?
  /// HTTP status of the last answer.
  package var status: Int?
  package var contentType: String?
  package var title: String?
  package var verdict: String
  package var linkKind: String?
  package var linkKindBy: String?
  package var musicID: String?
  package var canonicalURL: String?
  package var redirects: Int
  /// The URLs asked and their answers, as a JSON array.
  package var chain: String?
  package var checkedAt: Timestamp
  package var error: String?

  package init(
    url: String, unwoundURL: String? = nil, status: Int? = nil, contentType: String? = nil, title: String? = nil,
    verdict: String, linkKind: String? = nil, linkKindBy: String? = nil, musicID: String? = nil,
    canonicalURL: String? = nil, redirects: Int = 0, chain: String? = nil, checkedAt: Timestamp, error: String? = nil
  ) {
    self.url = url
    self.unwoundURL = unwoundURL
    self.status = status
    self.contentType = contentType
    self.title = title
    self.verdict = verdict
    self.linkKind = linkKind
    self.linkKindBy = linkKindBy
    self.musicID = musicID
    self.canonicalURL = canonicalURL
    self.redirects = redirects
    self.chain = chain
    self.checkedAt = checkedAt
    self.error = error
  }
}

/// Profile pictures and checked links: `media.db`, apart from the tweets, so that pruning it never rewrites them, and
/// losing it loses nothing that cannot be fetched again.
package struct MediaStore: ~Copyable {
  let database: Database

  /// Opens the store, making it where it is missing.
  package init(_ path: String) throws(ToolError) {
    database = try Database(path, Self.kind, .readWrite)
  }

  /// Whether there is a file.
  package static func exists(_ path: String) -> Bool { Database.exists(path) }

  /// What is known about the picture at `url`.
  package func avatar(_ url: String) throws(ToolError) -> StoredAvatar? {
    try database.first(
      "SELECT key, etag, last_modified, fetched_at, status, error FROM avatars WHERE url = ?", .text(url)
    ) { row in
      StoredAvatar(
        url: url, key: row.text(0), etag: row.text(1), lastModified: row.text(2),
        fetchedAt: row.time(3), status: row.optionalInteger(4), error: row.text(5))
    }
  }

  /// A picture's properties.
  package func picture(_ key: String) throws(ToolError) -> StoredPicture? {
    try database.first(
      "SELECT type, width, height, length(bytes) FROM pictures WHERE key = ?", .text(key)
    ) { row in
      StoredPicture(
        key: key, type: row.text(0) ?? "", width: row.optionalInteger(1), height: row.optionalInteger(2),
        size: row.integer(3))
    }
  }

  /// A picture's bytes.
  package func bytes(ofPicture key: String) throws(ToolError) -> [UInt8]? {
    try database.first("SELECT bytes FROM pictures WHERE key = ?", .text(key)) { row in Array(row.bytes(0)) }
  }

  /// Stores pictures (each once, by its key) and what is now known about their URLs, in one transaction.
  package func store(
    _ avatars: [StoredAvatar], pictures: [(picture: StoredPicture, bytes: [UInt8])] = []
  ) throws(ToolError) {
    if avatars.isEmpty && pictures.isEmpty { return }
    try database.write { () throws(ToolError) in
      for (picture, bytes) in pictures {
        try database.run(
          """
          INSERT INTO pictures (key, type, width, height, bytes) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
          """,
          .text(picture.key), .text(picture.type), SQLValue(picture.width), SQLValue(picture.height), .bytes(bytes))
      }
      for avatar in avatars {
        try database.run(
          """
          INSERT OR REPLACE INTO avatars (url, key, etag, last_modified, fetched_at, status, error)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
          .text(avatar.url), SQLValue(avatar.key), SQLValue(avatar.etag), SQLValue(avatar.lastModified),
          .text(avatar.fetchedAt.rfc3339), SQLValue(avatar.status), SQLValue(avatar.error))
      }
    }
  }

  /// What was last found about a link.
  package func link(_ url: String) throws(ToolError) -> StoredLink? {
    try database.first(
      """
      SELECT unwound_url, status, content_type, title, verdict, link_kind, link_kind_by, music_id, canonical_url,
        redirects, chain, checked_at, error FROM links WHERE url = ?
      """, .text(url)
    ) { row in
      StoredLink(
        url: url, unwoundURL: row.text(0), status: row.optionalInteger(1), contentType: row.text(2),
        title: row.text(3), verdict: row.text(4) ?? "", linkKind: row.text(5), linkKindBy: row.text(6),
        musicID: row.text(7), canonicalURL: row.text(8), redirects: row.integer(9), chain: row.text(10),
        checkedAt: row.time(11), error: row.text(12))
    }
  }

  /// Stores what was found about links, in one transaction; each takes the place of what was known before.
  package func store(_ links: [StoredLink]) throws(ToolError) {
    if links.isEmpty { return }
    try database.write { () throws(ToolError) in
      for link in links {
        try database.run(
          """
          INSERT OR REPLACE INTO links (url, unwound_url, status, content_type, title, verdict, link_kind, link_kind_by,
            music_id, canonical_url, redirects, chain, checked_at, error)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          .text(link.url), SQLValue(link.unwoundURL), SQLValue(link.status), SQLValue(link.contentType),
          SQLValue(link.title), .text(link.verdict), SQLValue(link.linkKind), SQLValue(link.linkKindBy),
          SQLValue(link.musicID), SQLValue(link.canonicalURL), .integer(link.redirects), SQLValue(link.chain),
          .text(link.checkedAt.rfc3339), SQLValue(link.error))
      }
    }
  }

  /// The next `most` links of a known kind that were checked behind a time and, of those of one time, a URL.
  func kinds(behind time: String, _ url: String, most: Int) throws(ToolError) -> [CheckedKind] {
    var kinds: [CheckedKind] = []
    try database.forEachRow(
      """
      SELECT url, link_kind, checked_at FROM links
      WHERE (checked_at, url) > (?, ?) AND link_kind IS NOT NULL ORDER BY checked_at, url LIMIT ?
      """, .text(time), .text(url), .integer(most)
    ) { row in
      kinds.append(CheckedKind(url: row.text(0) ?? "", kind: row.text(1) ?? "", checkedAt: row.text(2) ?? ""))
    }
    return kinds
  }

  /// "twmd".
  private static let kind = DatabaseKind(
    name: "media store", applicationID: 0x7477_6D64,
    migrations: [
      """
      CREATE TABLE pictures (   -- each picture once, whoever uses it
        key TEXT PRIMARY KEY,   -- SHA-256 of the bytes, hexadecimal
        type TEXT NOT NULL,     -- media type, found from the bytes
        width INTEGER, height INTEGER,
        bytes BLOB NOT NULL
      );
      CREATE TABLE avatars (    -- what is known about the picture at a URL
        url TEXT PRIMARY KEY,
        key TEXT REFERENCES pictures (key),
        etag TEXT, last_modified TEXT,
        fetched_at TEXT NOT NULL, -- RFC 3339 in UTC, as all times here
        status INTEGER,         -- HTTP status of the last answer
        error TEXT              -- what was wrong the last time
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
        error TEXT
      ) WITHOUT ROWID;
      CREATE INDEX links_by_time ON links (checked_at);
      """
    ])
}
