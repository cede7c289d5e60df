import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A stored tweet's row, copied.
struct StoredTweet {
  var key: Int
  var retrieved: Timestamp?
  /// `nil`: just what it was compared with.
  var json: [UInt8]?
  /// What the full-text index holds of it.
  var indexed: [UInt8]
}

/// The table `tweets` and its full-text index.
struct TweetTable: ~Copyable {
  private let find: Statement
  private let read: Statement
  private let insert: Statement
  private let update: Statement
  private let age: Statement
  private let rewriteJSON: Statement
  private let removeRow: Statement
  private let index: Statement
  private let unindex: Statement
  private var text = ByteBuffer()
  /// The text as the index takes it.
  private var indexed = ByteBuffer()
  /// Whether that is not the text itself.
  private var isSplit = false

  /// The stored tweet of that identity. Where its record is just `json` that is not copied.
  func stored(
    service: JSONValue, id: JSONValue, json: UnsafeBufferPointer<UInt8>
  ) throws(ToolError) -> StoredTweet? {
    find.bind(1, text: service)
    find.bind(2, text: id)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return Self.tweet(find.row, unless: json)
  }

  func stored(key: Int) throws(ToolError) -> StoredTweet? {
    read.bind(1, key)
    guard try read.step() else { return nil }
    defer { read.reset() }
    return Self.tweet(read.row, unless: nil)
  }

  private static func tweet(_ row: Row, unless same: UnsafeBufferPointer<UInt8>?) -> StoredTweet {
    let json = row.bytes(2)
    let isKnown = same.map { isSame($0, json) } ?? false
    return StoredTweet(
      key: row.integer(0), retrieved: row.isNull(1) ? nil : row.time(1), json: isKnown ? nil : Array(json),
      indexed: isKnown ? [] : Array(row.bytes(3)))
  }

  /// The key of the stored tweet of that identity, if it was read before `time`, or nobody knows when.
  func key(service: JSONValue, id: JSONValue, olderThan time: Timestamp) throws(ToolError) -> Int? {
    age.bind(1, text: service)
    age.bind(2, text: id)
    guard try age.step() else { return nil }
    defer { age.reset() }
    return age.row.isNull(1) || age.row.time(1) < time ? age.row.integer(0) : nil
  }

  /// Adds a row and gives its key; `nil` when that tweet is there already.
  mutating func add(
    _ tweet: TweetFields, service: JSONValue, id: JSONValue, json: UnsafeBufferPointer<UInt8>, author: Int,
    _ seen: Seen, in database: borrowing Database
  ) throws(ToolError) -> Int? {
    var key = TweetKey.preferred(
      service: service.rawString, id: id.rawString, created: tweet.createdAt?.time,
      seen: seen.time ?? Timestamp(parsing: seen.now) ?? Timestamp(milliseconds: 0))
    take(tweet.text)
    bind(tweet, json: json, retrieved: seen.retrieved, to: insert)
    insert.bind(13, author)
    insert.bind(14, text: service)
    insert.bind(15, text: id)
    insert.bind(16, seen)
    var tries = 0
    while true {
      insert.bind(1, key)
      try insert.run()
      if database.changes > 0 { break }
      if try has(service: service, id: id) { return nil }
      // Another tweet of the same moment has the key.
      tries += 1
      key = TweetKey.next(after: key, tries: tries)
    }
    try addToIndex(key)
    return key
  }

  private func has(service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    age.bind(1, text: service)
    age.bind(2, text: id)
    defer { age.reset() }
    return try age.step()
  }

  /// Puts a new version in the place of `old`.
  mutating func change(
    _ old: StoredTweet, to tweet: TweetFields, json: UnsafeBufferPointer<UInt8>, retrieved: JSONValue?
  ) throws(ToolError) {
    take(tweet.text)
    bind(tweet, json: json, retrieved: retrieved, to: update)
    update.bind(1, old.key)
    try update.run()
    if indexed.withBytes({ new in old.indexed.withUnsafeBufferPointer { isSame($0, new) } }) { return }
    try removeFromIndex(old)
    try addToIndex(old.key)
  }

  /// Stores a record in which nothing that has a column changed.
  func rewrite(_ key: Int, _ json: [UInt8]) throws(ToolError) {
    rewriteJSON.bind(2, key)
    try json.withUnsafeBufferPointer { (bytes) throws(ToolError) in
      rewriteJSON.bind(1, inPlace: bytes)
      try rewriteJSON.run()
    }
  }

  func remove(_ old: StoredTweet) throws(ToolError) {
    try removeFromIndex(old)
    removeRow.bind(1, old.key)
    try removeRow.run()
  }

  /// Decodes a tweet's text, and makes what is indexed of it.
  private mutating func take(_ value: JSONValue?) {
    text.removeAll()
    if let value { text.append(unescaping: value.rawString) }
    indexed.removeAll()
    isSplit = text.withBytes { SearchText.append($0, to: &indexed) }
    if !isSplit { text.withBytes { indexed.append($0) } }
  }

  /// Binds what both an insert and an update take.
  private func bind(
    _ tweet: TweetFields, json: UnsafeBufferPointer<UInt8>, retrieved: JSONValue?, to statement: borrowing Statement
  ) {
    statement.bind(2, time: tweet.createdAt)
    statement.bind(3, text: tweet.lang)
    statement.bind(4, text: tweet.conversationID)
    statement.bind(5, tweet.publicMetrics?["like_count"]?.integer)
    statement.bind(6, tweet.publicMetrics?["retweet_count"]?.integer)
    statement.bind(7, tweet.publicMetrics?["reply_count"]?.integer)
    statement.bind(8, tweet.publicMetrics?["quote_count"]?.integer)
    statement.bind(9, time: retrieved)
    text.withBytes { statement.bind(10, copying: $0) }
    if isSplit { indexed.withBytes { statement.bind(11, copying: $0) } } else { statement.bindNull(11) }
    statement.bind(12, inPlace: json)
  }

  private func addToIndex(_ key: Int) throws(ToolError) {
    index.bind(1, key)
    indexed.withBytes { index.bind(2, copying: $0) }
    try index.run()
  }

  private func removeFromIndex(_ old: StoredTweet) throws(ToolError) {
    unindex.bind(1, old.key)
    old.indexed.withUnsafeBufferPointer { unindex.bind(2, copying: $0) }
    try unindex.run()
  }
}

extension TweetTable {
  init(_ database: borrowing Database) throws(ToolError) {
    let columns = "key, retrieved_at, json, coalesce(words, text)"
    self.init(
      find: try database.prepare("SELECT \(columns) FROM tweets WHERE service = ? AND id = ?"),
      read: try database.prepare("SELECT \(columns) FROM tweets WHERE key = ?"),
      insert: try database.prepare(
        """
        INSERT INTO tweets (key, created_at, lang, conversation_id, like_count, retweet_count, reply_count, quote_count,
          retrieved_at, text, words, json, author, service, id, first_seen, last_seen)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16)
        ON CONFLICT DO NOTHING
        """),
      // Whatever is named here is written anew in every index it stands in: the author, who stays, is not.
      update: try database.prepare(
        """
        UPDATE tweets SET created_at = ?2, lang = ?3, conversation_id = ?4, like_count = ?5, retweet_count = ?6,
          reply_count = ?7, quote_count = ?8, retrieved_at = ?9, text = ?10, words = ?11, json = ?12,
          last_seen = max(last_seen, coalesce(?9, last_seen))
        WHERE key = ?1
        """),
      age: try database.prepare("SELECT key, retrieved_at FROM tweets WHERE service = ? AND id = ?"),
      rewriteJSON: try database.prepare("UPDATE tweets SET json = ? WHERE key = ?"),
      removeRow: try database.prepare("DELETE FROM tweets WHERE key = ?"),
      index: try database.prepare("INSERT INTO tweet_search (rowid, text) VALUES (?, ?)"),
      unindex: try database.prepare("INSERT INTO tweet_search (tweet_search, rowid, text) VALUES ('delete', ?, ?)"))
  }
}

/// Whether two ranges hold the same bytes.
func isSame(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
  guard one.count == other.count else { return false }
  guard let first = one.baseAddress, let second = other.baseAddress else { return true }
  return memcmp(first, second, one.count) == 0
}
