import Libc
import SQLite
import TweetCore

/// A copy of a row of `tweets`.
struct StoredTweet {
  var key: Int
  var retrieved: Timestamp?
  /// The record; `nil` if it equals the bytes it was compared with.
  var json: [UInt8]?
  /// The text as the full-text index has it, and what else it has.
  var indexed: [UInt8]
  var parts: SearchedParts?
}

/// The table `tweets` and its full-text index.
struct TweetTable: ~Copyable {
  private let packer: RecordPacker
  private let find: Statement
  private let read: Statement
  private let insert: Statement
  private let update: Statement
  private let updateFlags: Statement
  private let findAge: Statement
  private let findKey: Statement
  private let updateAuthor: Statement
  private let rewriteJSON: Statement
  private let mark: Statement
  private let moveRow: Statement
  private let keysByAuthor: Statement
  private let otherByAddress: Statement
  private let removeRow: Statement
  private let index: Statement
  private let unindex: Statement
  private var text = ByteBuffer()
  /// That in the form in which the full-text index has it.
  private var indexed = ByteBuffer()
  /// Whether that is the text itself.
  private var isIndexedAsIs = true
  /// What else the index has of the tweet.
  private var parts: SearchedParts

  /// The stored tweet with that service and id. If its record equals `json`, the record is not copied.
  func stored(
    service: JSONValue, id: JSONValue, json: ByteView
  ) throws(ToolError) -> StoredTweet? {
    find.bind(1, text: service)
    find.bind(2, text: id)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return try Self.tweet(find.row, unless: json)
  }

  func stored(key: Int) throws(ToolError) -> StoredTweet? {
    read.bind(1, key)
    guard try read.step() else { return nil }
    defer { read.reset() }
    return try Self.tweet(read.row, unless: nil)
  }

  /// Throws if the row is damaged: with a new checksum it would look sound.
  private static func tweet(
    _ row: Row, unless same: ByteView?
  ) throws(ToolError) -> StoredTweet {
    guard row.isSound(4, record: 2) ?? StoredColumns.isRecord(row, service: 5, id: 6, text: 3, json: 2) else {
      throw DamagedRows.error("tweet '\(row.text(5) ?? ""):\(row.text(6) ?? "")'")
    }
    let json = row.bytes(2)
    let isKnown = same.map { $0 == json } ?? false
    return StoredTweet(
      key: row.integer(0), retrieved: row.isNull(1) ? nil : row.time(1), json: isKnown ? nil : Array(json),
      indexed: isKnown ? [] : Array(row.bytes(row.isNull(7) ? 3 : 7)),
      parts: isKnown ? nil : SearchedParts(row, from: 8))
  }

  /// The key of the stored tweet with that service and id, if it was read before `time` or at an unknown time.
  func key(service: JSONValue, id: JSONValue, olderThan time: Timestamp) throws(ToolError) -> Int? {
    findAge.bind(1, text: service)
    findAge.bind(2, text: id)
    guard try findAge.step() else { return nil }
    defer { findAge.reset() }
    return findAge.row.isNull(1) || findAge.row.time(1) < time ? findAge.row.integer(0) : nil
  }

  func key(service: JSONValue, id: JSONValue) throws(ToolError) -> Int? {
    try known(service: service, id: id)?.key
  }

  /// The key of the stored tweet with that service and id, and what is known of its times.
  func known(service: JSONValue, id: JSONValue) throws(ToolError) -> IncomingTable.Known? {
    findAge.bind(1, text: service)
    findAge.bind(2, text: id)
    defer { findAge.reset() }
    guard try findAge.step() else { return nil }
    let row = findAge.row
    return IncomingTable.Known(
      key: row.integer(0), retrieved: row.isNull(1) ? nil : row.time(1), hasTime: !row.isNull(2))
  }

  /// Whether a tweet has that key.
  func has(key: Int) throws(ToolError) -> Bool {
    findKey.bind(1, key)
    defer { findKey.reset() }
    return try findKey.step()
  }

  /// The key of another record of a post than `key`; `nil` if there is none.
  func other(ofPost address: String, than key: Int) throws(ToolError) -> Int? {
    otherByAddress.bind(1, address)
    otherByAddress.bind(2, key)
    defer { otherByAddress.reset() }
    return try otherByAddress.step() ? otherByAddress.row.integer(0) : nil
  }

  /// The keys of a user's tweets.
  func keys(author: Int) throws(ToolError) -> [Int] {
    keysByAuthor.bind(1, author)
    var found: [Int] = []
    while try keysByAuthor.step() { found.append(keysByAuthor.row.integer(0)) }
    return found
  }

  /// Inserts a row and returns its key; `nil` if the tweet is stored already.
  /// - Parameters:
  ///   - flags: the tweet's.
  ///   - restored: a key to use if it is free.
  mutating func add(
    _ tweet: TweetColumns, _ flags: TweetFlags, service: JSONValue, id: JSONValue, json: ByteView, author: Int?,
    _ seen: Sighting, key restored: Int? = nil, in database: borrowing Database
  ) throws(ToolError) -> Int? {
    var key = restored ?? tweet.preferredKey(service: service, id: id, seen)
    prepareText(tweet)
    bind(tweet, json: json, retrieved: seen.retrieved, to: insert)
    insert.bind(3, text: tweet.lang)
    insert.bind(12, author)
    insert.bind(13, text: service)
    insert.bind(14, text: id)
    insert.bind(15, seen)
    insert.bind(16, flags.media)
    insert.bind(20, flags.viewer)
    insert.bind(17, flags.hasLinks ? 1 : nil)
    insert.bind(21, SQLValue(flags.address))
    if flags.isWithheld { insert.bind(18, "withheld") } else { insert.bindNull(18) }
    var tries = 0
    while true {
      insert.bind(1, key)
      try insert.run()
      if database.changes > 0 { break }
      if try self.key(service: service, id: id) != nil { return nil }
      // Another tweet of the same millisecond has this key.
      tries += 1
      key = TweetKey.next(after: key, tries: tries)
    }
    try addToIndex(key)
    return key
  }

  /// Replaces `old` by a new version.
  mutating func change(
    _ old: StoredTweet, from before: TweetColumns, to tweet: TweetColumns, json: ByteView
  ) throws(ToolError) {
    prepareText(tweet)
    bind(tweet, json: json, retrieved: tweet.retrievedAt, to: update)
    update.bind(1, old.key)
    try update.run()
    let flags = tweet.flags
    if flags != before.flags { try updateFlags(of: old.key, flags, lang: tweet.lang) }
    try reindex(old)
  }

  private func updateFlags(of key: Int, _ flags: TweetFlags, lang: JSONValue?) throws(ToolError) {
    updateFlags.bind(1, key)
    updateFlags.bind(2, text: lang)
    updateFlags.bind(3, flags.media)
    updateFlags.bind(6, flags.viewer)
    updateFlags.bind(4, flags.hasLinks ? 1 : nil)
    updateFlags.bind(7, SQLValue(flags.address))
    updateFlags.bind(5, flags.isWithheld ? 1 : 0)
    try updateFlags.run()
  }

  /// Sets the author of a tweet that had none.
  func setAuthor(_ author: Int, of key: Int) throws(ToolError) {
    updateAuthor.bind(1, author)
    updateAuthor.bind(2, key)
    try updateAuthor.run()
  }

  /// Replaces a tweet's record by one that differs only in whether it may be shown, and in parts without a column but
  /// those of searches.
  mutating func rewrite(_ old: StoredTweet, _ record: JSONValue) throws(ToolError) {
    let fields = TweetColumns(record)
    prepareText(fields)
    packer.bind(record.raw, to: rewriteJSON, 1)
    rewriteJSON.bind(2, old.key)
    parts.bind(to: rewriteJSON, from: 3)
    try rewriteJSON.run()
    try updateFlags(of: old.key, fields.flags, lang: fields.lang)
    try reindex(old)
  }

  /// Replaces the record of a tweet that gets or loses the mark of a deleted one, where deleted tweets are kept.
  /// - Parameter hidden: why lists leave it out; `nil` if they do not.
  func mark(_ key: Int, _ json: [UInt8], hidden: String?) throws(ToolError) {
    mark.bind([.null, .integer(key), SQLValue(hidden)])
    try json.withBytes { (bytes) throws(ToolError) in
      packer.bind(bytes, to: mark, 1)
      try mark.run()
    }
  }

  /// Gives a row the key of another time and returns that key. ``change(_:from:to:json:)`` must have written the row
  /// just before: the text in the buffers is used.
  mutating func move(
    _ old: Int, service: JSONValue, id: JSONValue, to time: Timestamp, in database: borrowing Database
  ) throws(ToolError) -> Int {
    var key = TweetKey.preferred(service: service.rawString, id: id.rawString, created: time, seen: time)
    if TweetKey.isSameMoment(key, old) { return old }
    unindex.bind(1, old)
    indexed.withBytes { unindex.bind(2, copying: $0) }
    parts.bind(to: unindex, from: 3)
    try unindex.run()
    var tries = 0
    while true {
      moveRow.bind(1, key)
      moveRow.bind(2, old)
      try moveRow.run()
      if database.changes > 0 { break }
      tries += 1
      key = TweetKey.next(after: key, tries: tries)
    }
    try addToIndex(key)
    return key
  }

  mutating func remove(_ old: StoredTweet) throws(ToolError) {
    try removeFromIndex(old)
    removeRow.bind(1, old.key)
    try removeRow.run()
  }

  /// Decodes a tweet's text into `text`, and makes `indexed` from it, and `parts`.
  private mutating func prepareText(_ tweet: TweetColumns) {
    text.removeAll()
    indexed.removeAll()
    if let value = tweet.text { text.append(unescaping: value.rawString) }
    isIndexedAsIs = !text.withBytes { SearchText.append($0, to: &indexed) }
    if isIndexedAsIs { text.withBytes { indexed.append($0) } }
    parts = SearchedParts(tweet)
  }

  /// Binds the parameters that an insert and an update have in common.
  private func bind(
    _ tweet: TweetColumns, json: ByteView, retrieved: JSONValue?, to statement: borrowing Statement
  ) {
    statement.bind(2, time: tweet.createdAt)
    statement.bind(4, text: tweet.conversationID)
    statement.bind(5, tweet.publicMetrics?["like_count"]?.integer)
    statement.bind(6, tweet.publicMetrics?["retweet_count"]?.integer)
    statement.bind(7, tweet.publicMetrics?["reply_count"]?.integer)
    statement.bind(8, tweet.publicMetrics?["quote_count"]?.integer)
    statement.bind(9, time: retrieved)
    text.withBytes { statement.bind(10, copying: $0) }
    text.withBytes { packer.bind(json, text: tweet.text, column: $0, to: statement, 11) }
    if isIndexedAsIs { statement.bindNull(19) } else { indexed.withBytes { statement.bind(19, copying: $0) } }
    parts.bind(to: statement, from: 22)
  }

  /// Adds the text of a tweet to the full-text index.
  mutating func addToIndex(_ key: Int, _ tweet: TweetColumns) throws(ToolError) {
    prepareText(tweet)
    try addToIndex(key)
  }

  private func addToIndex(_ key: Int) throws(ToolError) {
    index.bind(1, key)
    indexed.withBytes { index.bind(2, copying: $0) }
    parts.bind(to: index, from: 3)
    try index.run()
  }

  /// Brings the full-text index up to date, if what it has of a tweet has changed.
  private func reindex(_ old: StoredTweet) throws(ToolError) {
    if old.parts == parts, indexed.withBytes({ new in old.indexed.withBytes { $0 == new } }) { return }
    try removeFromIndex(old)
    try addToIndex(old.key)
  }

  private func removeFromIndex(_ old: StoredTweet) throws(ToolError) {
    unindex.bind(1, old.key)
    old.indexed.withBytes { unindex.bind(2, copying: $0) }
    (old.parts ?? SearchedParts()).bind(to: unindex, from: 3)
    try unindex.run()
  }
}

extension TweetTable {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    let columns = """
      key, retrieved_at, \(RecordPacker.tweet()), text, \(RowSum.tweets.isSound()), service, id, indexed, quote, alt,
      more
      """
    self.init(
      packer: packer, find: try database.prepare("SELECT \(columns) FROM tweets WHERE service = ? AND id = ?"),
      read: try database.prepare("SELECT \(columns) FROM tweets WHERE key = ?"),
      insert: try database.prepare(
        RowSum.tweets.insert([
          "?1", "?13", "?14", "?12", "?2", "?3", "?4", "?5", "?6", "?7", "?8", "?16", "?20", "?17", "?21", "?18", "?15",
          "?15",
          "?9",
          "?10", "?19", "?22", "?23", "?24", "?11",
        ]) + " ON CONFLICT DO NOTHING"),
      // SQLite writes the indexes of all columns that are set here. So `author`, which does not change, is left out.
      update: try database.prepare(
        RowSum.tweets.update([
          "created_at": "?2", "conversation_id": "?4", "like_count": "?5", "retweet_count": "?6", "reply_count": "?7",
          "quote_count": "?8", "retrieved_at": "?9", "text": "?10", "indexed": "?19",
          "quote": "?22", "alt": "?23", "more": "?24", "json": "?11",
          "last_seen": "max(last_seen, coalesce(?9, last_seen))",
        ]) + " WHERE key = ?1"),
      updateFlags: try database.prepare(
        RowSum.tweets.update([
          "lang": "?2", "media": "?3", "viewer": "?6", "has_links": "?4", "address": "?7",
          "hidden":
            "CASE WHEN hidden = 'deleted' THEN hidden WHEN ?5 THEN 'withheld' WHEN hidden = 'edited' THEN hidden END",
        ]) + " WHERE key = ?1"),
      findAge: try database.prepare("SELECT key, retrieved_at, created_at FROM tweets WHERE service = ? AND id = ?"),
      findKey: try database.prepare("SELECT 1 FROM tweets WHERE key = ?"),
      updateAuthor: try database.prepare(RowSum.tweets.update(["author": "?1"]) + " WHERE key = ?2"),
      rewriteJSON: try database.prepare(
        RowSum.tweets.update(["json": "?1", "quote": "?3", "alt": "?4", "more": "?5"]) + " WHERE key = ?2"),
      mark: try database.prepare(RowSum.tweets.update(["json": "?1", "hidden": "?3"]) + " WHERE key = ?2"),
      moveRow: try database.prepare(RowSum.tweets.update(["key": "?1"], or: "OR IGNORE ") + " WHERE key = ?2"),
      keysByAuthor: try database.prepare("SELECT key FROM tweets WHERE author = ?"),
      otherByAddress: try database.prepare(
        "SELECT key FROM tweets WHERE address = ? AND key <> ? LIMIT 1"),
      removeRow: try database.prepare("DELETE FROM tweets WHERE key = ?"),
      index: try database.prepare("INSERT INTO tweet_search (rowid, text, quote, alt, more) VALUES (?, ?, ?, ?, ?)"),
      unindex: try database.prepare(
        "INSERT INTO tweet_search (tweet_search, rowid, text, quote, alt, more) VALUES ('delete', ?, ?, ?, ?, ?)"),
      parts: SearchedParts())
  }
}
