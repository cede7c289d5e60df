package import TweetCore

/// What became of a record that was added.
package struct AddedRecord {
  /// Whether it was not there before.
  package var isNew = false
  /// It was deleted earlier, or retweets what was: it is not stored, and nobody should be shown it.
  package var isGone = false
  /// What was stored in its place, where it held a deleted tweet inside.
  package var replacement: [UInt8]?
  /// Why it cannot be stored.
  package var fault: String?
}

/// Stores records, many to a transaction: ``begin()``, ``add(_:)`` for each, ``commit()``.
package struct TweetWriter: ~Copyable {
  var tweets: TweetTable
  var users: UserTable
  let entities: EntityTables
  let references: ReferenceTable
  var feeds: FeedTables
  var tombstones: Tombstones
  let database: Database
  /// The present, as the database writes it: one for each transaction.
  var now = ""
  private var merged = ByteBuffer()
  /// SQLite holds a billion bytes in a row; two versions of a record may become one.
  private static let largest = 400_000_000
  /// Whether the last tweet was not there before.
  private var lastWasNew = true

  /// Waits for the store and begins a transaction; others wait until ``commit()`` or ``rollback()``.
  package mutating func begin() throws(ToolError) {
    try database.begin()
    do throws(ToolError) {
      try tombstones.look()
      try users.forgetIfOthersWrote()
    } catch {
      database.rollback()
      throw error
    }
    now = Timestamp.now.rfc3339
  }

  /// Puts all that was added on disk. When it throws, nothing of it was stored.
  package mutating func commit() throws(ToolError) {
    do throws(ToolError) {
      try database.commit()
    } catch {
      feeds.forget()
      users.forget()
      throw error
    }
  }

  package mutating func rollback() {
    database.rollback()
    feeds.forget()
    users.forget()
  }

  /// Stores one record of type `tweet`, `user` or `delete`.
  package mutating func add(_ record: JSONValue) throws(ToolError) -> AddedRecord {
    guard record.raw.count <= Self.largest else { return AddedRecord(fault: "too large for the store") }
    guard let service = record["service"], service.isText else { return AddedRecord(fault: "no \"service\"") }
    guard let id = record["id"], id.isText else { return AddedRecord(fault: "no \"id\"") }
    let type = record["tw"]
    if type?.equals("tweet") == true { return try add(tweet: record, service: service, id: id) }
    if type?.equals("delete") == true { return try delete(record, service: service, id: id) }
    return try add(user: record, service: service, id: id)
  }

  private mutating func add(user: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddedRecord {
    var profile = ByteBuffer()
    user.appendProfile(to: &profile)
    let document = try JSONDocument.stored(profile.array)
    let seen = Seen(retrieved: user["retrieved_at"], now: now)
    let (_, isNew) = try users.store(document.root, id: id, service: service, seen, in: database)
    return AddedRecord(isNew: isNew)
  }

  private mutating func add(tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddedRecord {
    let fields = TweetFields(tweet)
    if let fault = fields.fault { return AddedRecord(fault: fault) }
    if tombstones.hasAny {
      if try isDeleted(tweet, service: service, id: id) { return AddedRecord(isGone: true) }
      if try holdsDeleted(tweet, service: service) {
        var cleaned = ByteBuffer()
        try appendWithoutDeleted(tweet, service: service, to: &cleaned)
        let document = try JSONDocument.stored(cleaned.array)
        let root = document.root
        let isNew = try store(root, TweetFields(root), service: service, id: id)
        return AddedRecord(isNew: isNew, replacement: cleaned.array)
      }
    }
    return AddedRecord(
      isNew: try store(tweet, fields, service: service, id: id))
  }

  /// Stores a tweet; gives whether it is new.
  private mutating func store(
    _ tweet: JSONValue, _ fields: TweetFields, service: JSONValue, id: JSONValue
  ) throws(ToolError) -> Bool {
    let seen = Seen(retrieved: fields.retrievedAt, now: now)
    // Looking first costs a bulk load, just adding costs a repeated one: what came last is the better guess.
    if lastWasNew, try add(tweet, fields, service: service, id: id, seen) { return true }
    guard let old = try tweets.stored(service: service, id: id, json: tweet.raw) else {
      lastWasNew = true
      return try add(tweet, fields, service: service, id: id, seen)
    }
    lastWasNew = false
    // The very same record again: all it says is stored, except that it may have come by another way.
    if old.json != nil {
      _ = try storeAuthor(fields, service: service, seen)
      try change(old, to: tweet, seen)
    }
    try feeds.add(fields.feeds, service: service, of: old.key, seen, in: database)
    return false
  }

  /// Adds a tweet; false when it is there.
  private mutating func add(
    _ tweet: JSONValue, _ fields: TweetFields, service: JSONValue, id: JSONValue, _ seen: Seen
  ) throws(ToolError) -> Bool {
    let author = try storeAuthor(fields, service: service, seen)
    let key = try tweets.add(
      fields, service: service, id: id, json: tweet.raw, author: author, seen, in: database)
    guard let key else { return false }
    try entities.add(fields.entities, of: key)
    try feeds.add(fields.feeds, service: service, of: key, seen, in: database)
    try references.add(fields.referencedTweets, of: key)
    try updateTweets(inside: fields, service: service, seen)
    return true
  }

  private mutating func storeAuthor(
    _ fields: TweetFields, service: JSONValue, _ seen: Seen
  ) throws(ToolError) -> Int {
    guard let author = fields.author, let id = author["id"] else { throw .bug("a tweet without an author got through") }
    return try users.store(author, id: id, service: service, seen, in: database).key
  }

  /// A tweet inside another stays in the record that holds it. But where it is stored itself, its numbers are news.
  private mutating func updateTweets(
    inside fields: TweetFields, service: JSONValue, _ seen: Seen
  ) throws(ToolError) {
    guard let list = fields.referencedTweets, let retrieved = seen.retrieved, let time = seen.time else { return }
    for inner in list.elements {
      guard let id = inner["id"], id.isText, let metrics = inner["public_metrics"],
        let key = try tweets.key(service: service, id: id, olderThan: time), let old = try tweets.stored(key: key)
      else { continue }
      var news = ByteBuffer(capacity: 256)
      news.append("{\"public_metrics\":")
      news.append(metrics.raw)
      news.append(",\"retrieved_at\":")
      news.append(retrieved.raw)
      news.append("}")
      let document = try JSONDocument.stored(news.array)
      try change(old, to: document.root, seen)
    }
  }

  /// Puts what is stored and what has come together.
  private mutating func change(_ old: StoredTweet, to tweet: JSONValue, _ seen: Seen) throws(ToolError) {
    guard let json = old.json else { return }
    let stored = try JSONDocument.stored(json)
    let isNewer = seen.isNewer(than: old.retrieved)
    merged.removeAll()
    RecordMerge.append(newer: isNewer ? tweet : stored.root, older: isNewer ? stored.root : tweet, to: &merged)
    let document = try JSONDocument.stored(merged.array)
    let root = document.root
    let before = TweetFields(stored.root)
    if isSame(root.raw, stored.root.raw) { return }
    let after = TweetFields(root)
    try tweets.change(old, to: after, json: root.raw, retrieved: after.retrievedAt)
    if let one = before.entities?.raw, let other = after.entities?.raw, isSame(one, other) { return }
    try entities.remove(before.entities, of: old.key)
    try entities.add(after.entities, of: old.key)
  }
}

extension TweetWriter {
  package init(_ store: consuming TweetStore) throws(ToolError) {
    self.init(
      tweets: try TweetTable(store.database), users: try UserTable(store.database),
      entities: try EntityTables(store.database), references: try ReferenceTable(store.database),
      feeds: try FeedTables(store.database), tombstones: try Tombstones(store.database),
      database: store.takeDatabase())
  }
}

extension TweetFields {
  /// Why this is no tweet that could be stored; `nil` when it is one.
  var fault: String? {
    if text?.isString != true { return "no \"text\"" }
    if author?["id"]?.isText != true { return "no \"id\" of its \"author\"" }
    return nil
  }
}
