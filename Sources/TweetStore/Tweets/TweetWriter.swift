package import TweetCore

/// What became of a record that was added.
package struct AddedRecord {
  /// Whether it was not there before.
  package var isNew = false
  /// It was deleted earlier, or retweets what was: it is not stored, and nobody should be shown it.
  package var isGone = false
  /// What was stored in its place, where it held what may not be kept.
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
  var versions: VersionTables
  var tombstones: Tombstones
  var compliance: ComplianceTables
  var recent: RecentTable
  let database: Database
  /// Whether deleted tweets are only marked.
  var keepsDeleted: Bool
  /// Whether what comes was in a store before, so that nothing follows from it but what it says itself.
  let isRestoring: Bool
  /// The key the next tweet had there; which feeds brought it when is told besides.
  var restoredKey: Int?
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
      try compliance.look()
      try versions.look()
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
      try recent.write(in: database)
    } catch {
      rollback()
      throw error
    }
    do throws(ToolError) {
      try database.commit()
    } catch {
      forget()
      throw error
    }
  }

  package mutating func rollback() {
    database.rollback()
    forget()
  }

  private mutating func forget() {
    feeds.forget()
    users.forget()
    recent.forget()
  }

  /// Whether a record is one that ``add(_:)`` stores or obeys. Others are not the store's.
  package static func takes(_ type: JSONValue, _ record: JSONValue) -> Bool {
    if type.equals("tweet") || type.equals("user") || type.equals("delete") { return true }
    guard type.equals("notice"), let code = record["code"] else { return false }
    return code.equals("withheld") || code.equals("scrub_geo")
  }

  /// Stores one record that it ``takes(_:_:)``.
  package mutating func add(_ record: JSONValue) throws(ToolError) -> AddedRecord {
    guard record.raw.count <= Self.largest else { return AddedRecord(fault: "too large for the store") }
    guard let service = record["service"], service.isText else { return AddedRecord(fault: "no \"service\"") }
    let type = record["tw"]
    if type?.equals("notice") == true { return try obey(notice: record, service: service) }
    guard let id = record["id"], id.isText else { return AddedRecord(fault: "no \"id\"") }
    if type?.equals("tweet") == true { return try add(tweet: record, service: service, id: id) }
    if type?.equals("delete") == true { return try delete(record, service: service, id: id) }
    return try add(user: record, service: service, id: id)
  }

  private mutating func add(user: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddedRecord {
    var profile = ByteBuffer()
    user.appendProfile(to: &profile)
    let document = try JSONDocument.stored(profile.array)
    let seen = Seen(retrieved: user["retrieved_at"], now: now)
    let (_, isNew) = try users.store(
      document.root, id: id, service: service, seen, isInTweet: false, in: database)
    return AddedRecord(isNew: isNew)
  }

  private mutating func add(tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddedRecord {
    let fields = TweetFields(tweet)
    if let fault = fields.fault { return AddedRecord(fault: fault) }
    if tombstones.hasAny, try isDeleted(tweet, service: service, id: id) { return AddedRecord(isGone: true) }
    guard let changed = try obeying(tweet, service: service) else {
      return AddedRecord(isNew: try store(tweet, fields, service: service, id: id))
    }
    let document = try JSONDocument.stored(changed)
    let isNew = try store(document.root, TweetFields(document.root), service: service, id: id)
    return AddedRecord(isNew: isNew, replacement: changed)
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
    var key = old.key
    // The very same record again: all it says is stored, except that it may have come by another way.
    if old.json != nil {
      _ = try storeAuthor(fields, service: service, seen)
      key = try change(old, to: tweet, service: service, id: id, seen)
    }
    if restoredKey == nil { try feeds.add(fields.feeds, service: service, of: key, seen, in: database) }
    return false
  }

  /// Adds a tweet; false when it is there.
  private mutating func add(
    _ tweet: JSONValue, _ fields: TweetFields, service: JSONValue, id: JSONValue, _ seen: Seen
  ) throws(ToolError) -> Bool {
    let author = try storeAuthor(fields, service: service, seen)
    let key = try tweets.add(
      fields, service: service, id: id, json: tweet.raw, author: author, seen, key: restoredKey, in: database)
    guard let key else { return false }
    try entities.add(fields.entities, of: key)
    if restoredKey == nil { try feeds.add(fields.feeds, service: service, of: key, seen, in: database) }
    try references.add(
      fields.referencedTweets, of: key, service: service, seen, users: &users, in: database)
    if !isRestoring { try updateTweets(inside: fields, service: service, seen) }
    try versions.noteEdits(fields.editHistory, service: service, id: id)
    recent.note(key)
    return true
  }

  private mutating func storeAuthor(
    _ fields: TweetFields, service: JSONValue, _ seen: Seen
  ) throws(ToolError) -> Int? {
    guard let author = fields.author, let id = fields.authorID else { return nil }
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
      _ = try change(old, to: document.root, service: service, id: id, seen)
    }
  }

  /// Puts what is stored and what has come together; gives the key, which is another when the time of posting was not
  /// known before.
  private mutating func change(
    _ old: StoredTweet, to tweet: JSONValue, service: JSONValue, id: JSONValue, _ seen: Seen
  ) throws(ToolError) -> Int {
    guard let json = old.json else { return old.key }
    let stored = try JSONDocument.stored(json)
    let isNewer = seen.isNewer(than: old.retrieved)
    let (newer, older) = isNewer ? (tweet, stored.root) : (stored.root, tweet)
    merged.removeAll()
    RecordMerge.append(newer: newer, older: older, to: &merged)
    let document = try JSONDocument.stored(merged.array)
    let root = document.root
    if let one = newer["text"], let other = older["text"], !isSame(one.raw, other.raw) {
      try versions.keep(older, of: old.key)
    }
    if isSame(root.raw, stored.root.raw) { return old.key }
    let (before, after) = (TweetFields(stored.root), TweetFields(root))
    try tweets.change(old, from: before, to: after, json: root.raw)
    if before.authorID == nil, let author = try storeAuthor(after, service: service, seen) {
      try tweets.setAuthor(author, of: old.key)
    }
    if !isSame(before.entities?.raw, after.entities?.raw) {
      try entities.remove(before.entities, of: old.key)
      try entities.add(after.entities, of: old.key)
    }
    if !isSame(before.referencedTweets?.raw, after.referencedTweets?.raw) {
      try references.removeAll(of: old.key)
      try references.add(
        after.referencedTweets, of: old.key, service: service, seen, users: &users, in: database)
    }
    try versions.noteEdits(after.editHistory, service: service, id: id)
    var key = old.key
    if before.createdAt == nil, let time = after.createdAt?.time {
      key = try move(old.key, after, service: service, id: id, to: time)
    }
    recent.note(key)
    return key
  }

  /// Gives a tweet whose time of posting has become known its place among the others.
  private mutating func move(
    _ old: Int, _ fields: TweetFields, service: JSONValue, id: JSONValue, to time: Timestamp
  ) throws(ToolError) -> Int {
    let key = try tweets.move(old, service: service, id: id, to: time, in: database)
    if key == old { return key }
    try entities.remove(fields.entities, of: old)
    try entities.add(fields.entities, of: key)
    try references.move(old, to: key)
    try feeds.move(old, to: key)
    try versions.move(old, to: key)
    return key
  }
}

extension TweetWriter {
  /// - Parameter keepsDeleted: whether tweets that were deleted are only marked and hidden, not removed.
  package init(_ store: consuming TweetStore, keepsDeleted: Bool = false) throws(ToolError) {
    try self.init(store.takeDatabase(), keepsDeleted: keepsDeleted)
  }

  init(_ database: consuming Database, keepsDeleted: Bool = false, isRestoring: Bool = false) throws(ToolError) {
    self.init(
      tweets: try TweetTable(database), users: try UserTable(database, isRestoring: isRestoring),
      entities: try EntityTables(database), references: try ReferenceTable(database), feeds: try FeedTables(database),
      versions: try VersionTables(database), tombstones: try Tombstones(database),
      compliance: try ComplianceTables(database), recent: try RecentTable(database), database: database,
      keepsDeleted: keepsDeleted, isRestoring: isRestoring)
  }
}
