import SQLite
package import TweetCore

/// Stores records, many in one transaction: call ``begin()``, ``add(_:)`` for each record, then ``commit()``.
///
/// Long functions of it are `mutating` though they change nothing: the compiler (6.3) takes seconds over each that
/// borrows a value of so many parts.
package struct TweetWriter: ~Copyable {
  var tweets: TweetTable
  var users: UserTable
  var entities: EntityTables
  let references: ReferenceTable
  var feeds: FeedTables
  var versions: VersionTables
  var labels: LabelTables
  let counts: CountsTable
  var tombstones: Tombstones
  var forgotten: ForgottenTables
  /// The users whom a person removed.
  var forgottenPeople: PostSet
  var compliance: ComplianceTables
  let notifications: NotificationTable
  var recent: RecentTable
  var incomingTweets: IncomingTable
  let database: Database
  /// Whether deleted tweets stay in the store, marked and hidden.
  var keepsDeleted: Bool
  /// Whether the records come from another store's export. Then they change no other rows: the export has those too.
  var isRestoring: Bool
  /// The labels that new tweets get.
  var newLabels: [TweetLabel]
  /// The key that the next tweet had in the exported store. The feeds of such a tweet are restored on their own.
  var restoredKey: Int?
  /// The key that was chosen for the next tweet when it was put into `incoming`.
  var chosenKey: Int?
  /// The present, in the form of the database's times; one value for each transaction.
  var now = ""
  private var merged = ByteBuffer()
  /// Bytes of the largest record. SQLite's rows hold a billion bytes, and two versions of a record may be merged.
  private static let largest = 400_000_000
  /// How many tweets an import has removed, and how many of these had a label of a person's.
  var removed = (all: 0, labelled: 0)
  /// Whether the last tweet was new.
  private var lastWasNew = true
  /// How many tweets are in `incoming`, and when this writer put the first of its own there (milliseconds of the
  /// monotonic clock); `nil` if none of its own is there.
  var incoming = 0
  var incomingSince: Int?
  /// The addresses of the posts in `incoming`, and the last row there that was looked at.
  var incomingAddresses: (known: Set<String>, last: Int) = ([], .min)

  /// Waits for the write lock and begins a transaction. Other writers wait until ``commit()`` or ``rollback()``. What
  /// waits in `incoming` is moved first.
  /// - Returns: the tweets there that are damaged.
  @discardableResult
  package mutating func begin() throws(ToolError) -> DamagedRows {
    try beginTransaction()
    let damaged: DamagedRows
    do throws(ToolError) {
      damaged = try addIncomingTweets()
    } catch {
      rollback()
      throw error
    }
    now = Timestamp.now.rfc3339
    return damaged
  }

  /// As ``begin()``, but `incoming` stays as it is.
  mutating func beginTransaction() throws(ToolError) {
    try database.begin()
    do throws(ToolError) {
      // After a restore: nothing would be stored where anybody looks for it.
      if database.isReplaced { throw .tryLater("'\(database.path)' is another file now: start again") }
      try tombstones.posts.reload()
      try forgotten.posts.reload()
      try forgottenPeople.reload()
      try compliance.reload()
      try versions.reload()
      try users.clearCacheIfOthersWrote()
    } catch {
      database.rollback()
      throw error
    }
    now = Timestamp.now.rfc3339
  }

  /// Commits: all added records are on disk. When it throws, none of them is stored, and they can be added again.
  package mutating func commit() throws(ToolError) { try commit(makesCheckpoint: false) }

  /// - Parameter makesCheckpoint: whether the log is copied into the file however short it is.
  mutating func commit(makesCheckpoint: Bool) throws(ToolError) {
    do throws(ToolError) {
      try entities.insertPending()
      try recent.writePending()
    } catch {
      rollback()
      throw error
    }
    do throws(ToolError) {
      try database.commit(makesCheckpoint: makesCheckpoint)
    } catch {
      clearCaches()
      throw error
    }
  }

  /// Undoes the transaction: no record added in it is stored.
  package mutating func rollback() {
    database.rollback()
    clearCaches()
  }

  /// Drops what was remembered of rows: after a rollback they are not there, or have other keys.
  private mutating func clearCaches() {
    feeds.clearCache()
    labels.clearCache()
    users.clearCache()
    entities.discardPending()
    recent.discardPending()
    incomingAddresses = ([], .min)
  }

  /// Whether ``add(_:)`` has something to do for a record of this type. Other records are not kept in the store.
  package static func accepts(_ type: JSONValue, _ record: JSONValue) -> Bool {
    if type.equals("tweet") || type.equals("user") || type.equals("delete") || type.equals("notification") {
      return true
    }
    guard type.equals("notice"), let code = record["code"] else { return false }
    return code.equals("withheld") || code.equals("scrub_geo")
  }

  /// Why a record that the writer ``accepts(_:_:)`` cannot be stored; `nil` if it can.
  package static func fault(in record: JSONValue) -> String? {
    guard record.raw.count <= largest else { return "too large for the store" }
    guard record["service"]?.isText == true else { return "no \"service\"" }
    let type = record["tw"]
    if type?.equals("notice") == true { return fault(inNotice: record) }
    guard record["id"]?.isText == true else { return "no \"id\"" }
    if type?.equals("tweet") == true, record["text"]?.isString != true { return "no \"text\"" }
    return type?.equals("notification") == true ? fault(inNotification: record) : nil
  }

  /// Stores or applies one record that the writer ``accepts(_:_:)``.
  package mutating func add(_ record: JSONValue) throws(ToolError) -> AddResult {
    if let fault = Self.fault(in: record) { return AddResult(fault: fault) }
    return try addChecked(record)
  }

  /// Stores or applies one record without a fault.
  mutating func addChecked(_ record: JSONValue) throws(ToolError) -> AddResult {
    guard let service = record["service"] else { return AddResult() }
    let type = record["tw"]
    if type?.equals("notice") == true { return try apply(notice: record, service: service) }
    guard let id = record["id"] else { return AddResult() }
    if type?.equals("tweet") == true { return try add(tweet: record, service: service, id: id) }
    if type?.equals("delete") == true { return try delete(record, service: service, id: id) }
    if type?.equals("notification") == true { return try add(notification: record, service: service, id: id) }
    return try add(user: record, service: service, id: id)
  }

  private mutating func add(user: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddResult {
    var profile = ByteBuffer()
    user.appendProfile(to: &profile)
    let document = try JSONDocument.stored(profile.array)
    let seen = Sighting(retrieved: user["retrieved_at"], now: now)
    if try forgottenPeople.has(service: service, id: id) { return AddResult(absence: .forgotten) }
    return try document.read { (profile) throws(ToolError) in
      let (_, isNew) = try users.store(profile, id: id, service: service, seen, isInTweet: false, in: database)
      return AddResult(isNew: isNew)
    }
  }

  private mutating func add(tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddResult {
    let fields = TweetColumns(tweet)
    if fields.retweetedBy != nil {
      // A list has it of what is stored then.
      var own = ByteBuffer(capacity: tweet.raw.count)
      own.object { $0.appendMembers(of: tweet, except: "retweeted_by") }
      return try JSONDocument.stored(own.array).read { (tweet) throws(ToolError) in
        try add(tweet: tweet, service: service, id: id)
      }
    }
    if let absence = try absence(of: tweet, service: service, id: id) { return AddResult(absence: absence) }
    guard let changed = try redacted(tweet, service: service) else {
      return try store(tweet, fields, service: service, id: id)
    }
    let document = try JSONDocument.stored(changed)
    var result = try document.read { (tweet) throws(ToolError) in
      try store(tweet, TweetColumns(tweet), service: service, id: id)
    }
    result.replacement = changed
    return result
  }

  private mutating func store(
    _ tweet: JSONValue, _ fields: TweetColumns, service: JSONValue, id: JSONValue
  ) throws(ToolError) -> AddResult {
    let seen = Sighting(retrieved: fields.retrievedAt, now: now)
    // Searching first would slow a first bulk load; inserting first would slow a repeated one. The next tweet is most
    // likely new if the last one was.
    if lastWasNew, let added = try add(tweet, fields, service: service, id: id, seen) { return added }
    guard let old = try tweets.stored(service: service, id: id, json: tweet.raw) else {
      lastWasNew = true
      return try add(tweet, fields, service: service, id: id, seen) ?? AddResult()
    }
    lastWasNew = false
    var key = old.key
    // If the same bytes are stored already, only the feed that brought the tweet can be new.
    if old.json != nil {
      _ = try storeAuthor(fields, service: service, seen)
      key = try change(old, to: tweet, service: service, id: id, seen)
    }
    if restoredKey == nil { try feeds.add(fields.feeds, service: service, of: key, seen, in: database) }
    return AddResult()
  }

  /// Inserts a tweet; `nil` if it is stored already.
  private mutating func add(
    _ tweet: JSONValue, _ fields: TweetColumns, service: JSONValue, id: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> AddResult? {
    let author = try storeAuthor(fields, service: service, seen)
    let flags = fields.flags
    let key = try tweets.add(
      fields, flags, service: service, id: id, json: tweet.raw, author: author, seen, key: restoredKey ?? chosenKey,
      in: database)
    guard let key else { return nil }
    try entities.add(fields.entities, of: key)
    if restoredKey == nil { try feeds.add(fields.feeds, service: service, of: key, seen, in: database) }
    try references.add(
      fields.referencedTweets, of: key, service: service, seen, users: &users, in: database)
    if !isRestoring { try updateTweets(inside: fields, service: service, seen) }
    try versions.recordEdits(fields.editHistory, service: service, id: id)
    let isCopy = try addLabels(to: key, ofPost: flags.address)
    recent.append(key)
    return AddResult(isNew: true, isCopy: isCopy)
  }

  private mutating func storeAuthor(
    _ fields: TweetColumns, service: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> Int? {
    guard let author = fields.author, let id = fields.authorID else { return nil }
    return try users.store(author, id: id, service: service, seen, in: database).key
  }

  /// Updates the numbers of stored tweets that this one contains. What is not stored on its own stays inside only.
  private mutating func updateTweets(
    inside fields: TweetColumns, service: JSONValue, _ seen: Sighting
  ) throws(ToolError) {
    guard let list = fields.referencedTweets, let retrieved = seen.retrieved, let time = seen.time else { return }
    for inner in list.elements {
      guard let id = inner["id"], id.isText, let metrics = inner["public_metrics"],
        let key = try tweets.key(service: service, id: id, olderThan: time), let old = try tweets.stored(key: key)
      else { continue }
      var update = ByteBuffer(capacity: 256)
      update.object { out in
        out.member("public_metrics", json: metrics.raw)
        out.member("retrieved_at", json: retrieved.raw)
      }
      let document = try JSONDocument.stored(update.array)
      _ = try document.read { (tweet) throws(ToolError) in try change(old, to: tweet, service: service, id: id, seen) }
    }
  }

  /// Merges the stored and the given version. Returns the tweet's key: another one if the time of posting was not known
  /// before.
  private mutating func change(
    _ old: StoredTweet, to tweet: JSONValue, service: JSONValue, id: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> Int {
    guard let json = old.json else { return old.key }
    return try JSONDocument.stored(json).read { (stored) throws(ToolError) in
      let (newer, older) = seen.isNewer(than: old.retrieved) ? (tweet, stored) : (stored, tweet)
      merged.removeAll()
      let isEdit = RecordMerge.append(newer: newer, older: older, to: &merged)
      if isEdit { try versions.insert(older, of: old.key) }
      try counts.insert(older: older, newer: newer, of: old.key)
      if merged.withBytes({ $0 == stored.raw }) { return old.key }
      return try JSONDocument.stored(merged.array).read { (tweet) throws(ToolError) in
        try replace(old, stored, by: tweet, service: service, id: id, seen)
      }
    }
  }

  /// Gives a tweet its merged version. Returns its key.
  private mutating func replace(
    _ old: StoredTweet, _ stored: JSONValue, by tweet: JSONValue, service: JSONValue, id: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> Int {
    let (before, after) = (TweetColumns(stored), TweetColumns(tweet))
    try tweets.change(old, from: before, to: after, json: tweet.raw)
    if before.authorID == nil, let author = try storeAuthor(after, service: service, seen) {
      try tweets.setAuthor(author, of: old.key)
    }
    if before.entities?.raw != after.entities?.raw {
      try entities.remove(before.entities, of: old.key)
      try entities.add(after.entities, of: old.key)
    }
    if before.referencedTweets?.raw != after.referencedTweets?.raw {
      try references.rows.removeAll(of: old.key)
      try references.add(
        after.referencedTweets, of: old.key, service: service, seen, users: &users, in: database)
    }
    try versions.recordEdits(after.editHistory, service: service, id: id)
    var key = old.key
    if before.createdAt == nil, let time = after.createdAt?.time {
      key = try move(old.key, after, service: service, id: id, to: time)
    }
    recent.append(key)
    return key
  }

  /// Gives a tweet the key of its time of posting, which was not known before.
  private mutating func move(
    _ old: Int, _ fields: TweetColumns, service: JSONValue, id: JSONValue, to time: Timestamp
  ) throws(ToolError) -> Int {
    let key = try tweets.move(old, service: service, id: id, to: time, in: database)
    if key == old { return key }
    try entities.remove(fields.entities, of: old)
    try entities.add(fields.entities, of: key)
    try references.rows.move(old, to: key)
    try feeds.rows.move(old, to: key)
    try versions.rows.move(old, to: key)
    try labels.rows.move(old, to: key)
    try counts.rows.move(old, to: key)
    return key
  }
}

extension TweetWriter {
  /// - Parameters:
  ///   - keepsDeleted: whether deleted tweets stay in the store, marked and hidden.
  ///   - newLabels: the labels that new tweets get.
  package init(
    _ store: consuming TweetStore, keepsDeleted: Bool = false, newLabels: [TweetLabel] = []
  ) throws(ToolError) {
    try self.init(store.releaseDatabase(), keepsDeleted: keepsDeleted, newLabels: newLabels)
  }

  init(
    _ database: consuming Database, keepsDeleted: Bool = false, isRestoring: Bool = false, isPrivate: Bool = false,
    newLabels: [TweetLabel] = []
  ) throws(ToolError) {
    let packer = try RecordPacker(isPacking: !isPrivate)
    self.init(
      tweets: try TweetTable(database, packer), users: try UserTable(database, packer, isRestoring: isRestoring),
      entities: try EntityTables(database), references: try ReferenceTable(database), feeds: try FeedTables(database),
      versions: try VersionTables(database, packer), labels: try LabelTables(database),
      counts: try CountsTable(database),
      tombstones: try Tombstones(database), forgotten: try ForgottenTables(database, packer),
      forgottenPeople: try PostSet(database, table: "forgotten_people"),
      compliance: try ComplianceTables(database), notifications: try NotificationTable(database, packer),
      recent: try RecentTable(database), incomingTweets: try IncomingTable(database, packer), database: database,
      keepsDeleted: keepsDeleted, isRestoring: isRestoring, newLabels: newLabels)
  }
}

/// What ``TweetWriter/add(_:)`` did with a record.
package struct AddResult: Sendable {
  /// Whether the store did not have it before.
  package var isNew = false
  /// Whether it is new, and a copy of a post that the store had: see ``CanonicalAddress``.
  package var isCopy = false
  /// Why the tweet is not stored, and must not be shown; `nil` if it is stored.
  package var absence: Absence?
  /// The record that was stored in place of the given one, if that had parts that may not be kept.
  package var replacement: [UInt8]?
  /// Why the record cannot be stored; `nil` if it can.
  package var fault: String?
  /// Whether the record is a notification.
  package var isNotification = false
}

/// Why a tweet does not come back: it, or the one it retweets, was deleted earlier, or a person removed it.
package enum Absence: Sendable { case deleted, forgotten }
