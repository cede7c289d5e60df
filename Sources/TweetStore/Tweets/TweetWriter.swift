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
  /// Tweets inside tweets inside tweets: deeper ones are kept only as part of the record they came in.
  static let deepest = 4

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

  /// Waits for the store and begins a transaction; others wait until ``commit()`` or ``rollback()``.
  package mutating func begin() throws(ToolError) {
    try database.begin()
    do throws(ToolError) {
      try tombstones.look()
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
      throw error
    }
  }

  package mutating func rollback() {
    database.rollback()
    feeds.forget()
  }

  /// Stores one record of type `tweet`, `user` or `delete`.
  package mutating func add(_ record: JSONValue) throws(ToolError) -> AddedRecord {
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
        let isNew = try store(root, TweetFields(root), service: service, id: id, isPost: true, depth: 0)
        return AddedRecord(isNew: isNew, replacement: cleaned.array)
      }
    }
    return AddedRecord(
      isNew: try store(tweet, fields, service: service, id: id, isPost: true, depth: 0))
  }

  /// Stores a tweet and those inside it. `outer` is when the tweet around it was read.
  /// - Returns: whether it is new as what it is: a post that was only inside others so far is a new post.
  private mutating func store(
    _ tweet: JSONValue, _ fields: TweetFields, service: JSONValue, id: JSONValue, isPost: Bool, depth: Int
  ) throws(ToolError) -> Bool {
    guard let author = fields.author, let authorID = author["id"] else { return false }
    let seen = Seen(retrieved: fields.retrievedAt, now: now)
    let old = try tweets.stored(service: service, id: id, json: tweet.raw)
    let isNew = old.map { isPost && !$0.isPost } ?? true
    // The very same record again: all it says is stored, except that it may have come by another way.
    if let old, old.json == nil, !isNew {
      if isPost { try feeds.add(fields.feeds, service: service, of: old.key, seen, in: database) }
      return false
    }
    let user = try users.store(author, id: authorID, service: service, seen, in: database).key
    let key: Int
    if let old {
      key = old.key
      try change(old, to: tweet, seen, isPost: isPost || old.isPost, author: user)
    } else {
      key = try tweets.add(
        fields, service: service, id: id, json: tweet.raw, isPost: isPost, author: user, seen, in: database)
      if isPost { try entities.add(fields.entities, of: key) }
    }
    if isPost { try feeds.add(fields.feeds, service: service, of: key, seen, in: database) }
    if let list = fields.referencedTweets {
      for reference in list.elements {
        try references.add(reference, of: key)
        try store(inner: reference, service: service, seen, depth: depth + 1)
      }
    }
    return isNew
  }

  /// Stores a tweet that stands inside another, where enough is known of it to be one.
  private mutating func store(inner: JSONValue, service: JSONValue, _ outer: Seen, depth: Int) throws(ToolError) {
    guard depth <= Self.deepest, let id = inner["id"], id.isText, TweetFields(inner).fault == nil else { return }
    if try tombstones.has(service: service, id: id) { return }
    var record = ByteBuffer(capacity: inner.raw.count + 128)
    record.append("{\"tw\":\"tweet\",\"id\":")
    record.append(id.raw)
    record.append(",\"service\":")
    record.append(service.raw)
    for (key, value) in inner.members {
      if key.equals("type") || key.equals("id") || key.equals("service") || key.equals("tw") { continue }
      record.append(UInt8(ascii: ","))
      record.append(key.raw)
      record.append(UInt8(ascii: ":"))
      record.append(value.raw)
    }
    if let retrieved = outer.retrieved, inner["retrieved_at"] == nil {
      record.append(",\"retrieved_at\":")
      record.append(retrieved.raw)
    }
    record.append(UInt8(ascii: "}"))
    let document = try JSONDocument.stored(record.array)
    let root = document.root
    _ = try store(root, TweetFields(root), service: service, id: id, isPost: false, depth: depth)
  }

  /// Puts what is stored and what has come together.
  private mutating func change(
    _ old: StoredTweet, to tweet: JSONValue, _ seen: Seen, isPost: Bool, author: Int
  ) throws(ToolError) {
    let stored = try JSONDocument.stored(old.json ?? Array(tweet.raw))
    let isNewer = seen.isNewer(than: old.retrieved)
    merged.removeAll()
    RecordMerge.append(newer: isNewer ? tweet : stored.root, older: isNewer ? stored.root : tweet, to: &merged)
    let document = try JSONDocument.stored(merged.array)
    let (root, before) = (document.root, stored.root)
    if isSame(root.raw, before.raw), isPost == old.isPost { return }
    let fields = TweetFields(root)
    try tweets.change(old, to: fields, json: root.raw, isPost: isPost, author: author, retrieved: fields.retrievedAt)
    guard isPost else { return }
    let oldEntities = old.isPost ? before["entities"]?.raw : nil
    if let oldEntities, let new = fields.entities?.raw, isSame(oldEntities, new) { return }
    if oldEntities != nil { try entities.removeAll(of: old.key) }
    try entities.add(fields.entities, of: old.key)
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
