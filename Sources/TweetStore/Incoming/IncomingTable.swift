import SQLite
package import TweetCore

/// The table `incoming`: tweets of a live stream, which are on disk but not yet in `tweets` and its indexes.
///
/// A tweet changes a page in each of a dozen tables and indexes, and SQLite writes whole pages: 200 KiB for one record.
/// In this table it changes one page. Later many tweets are moved at once, in the order of their keys, and share the
/// pages that they change. Every transaction that changes tweets moves them first. Readers move nothing: they see them
/// by ``StagedTweets``, and other programs in the view `timeline`.
struct IncomingTable: ~Copyable {
  private let packer: RecordPacker
  private let insert: Statement
  private let find: Statement
  private let any: Statement
  private let first: Statement
  private let delete: Statement
  private var text = ByteBuffer()

  /// Whether the table has rows.
  var hasAny: Bool {
    get throws(ToolError) {
      defer { any.reset() }
      return try any.step() && any.row.integer(0) != 0
    }
  }

  /// What the table has of a tweet.
  struct Known {
    /// Its key in `tweets`.
    var key: Int
    var retrieved: Timestamp?
    var hasTime: Bool
  }

  /// The newest row of a tweet. Looks at all rows: there are few, and an index would be one more page to write.
  func known(service: JSONValue, id: JSONValue) throws(ToolError) -> Known? {
    find.bind(1, text: service)
    find.bind(2, text: id)
    find.bindNull(3)
    defer { find.reset() }
    guard try find.step() else { return nil }
    let row = find.row
    return Known(key: row.integer(0), retrieved: row.isNull(1) ? nil : row.time(1), hasTime: !row.isNull(2))
  }

  /// Whether a tweet here will have that key.
  func has(key: Int) throws(ToolError) -> Bool {
    find.bindNull(1)
    find.bindNull(2)
    find.bind(3, key)
    defer { find.reset() }
    return try find.step()
  }

  /// Appends a tweet. Returns how many there are then, about.
  /// - Parameters:
  ///   - key: the one that it has in `tweets`, or will have.
  ///   - isOlder: whether a newer version is known: `timeline` shows that one.
  mutating func append(
    _ record: JSONValue, _ fields: TweetColumns, key: Int, isOlder: Bool, seenAt: String, labels: [TweetLabel],
    in database: borrowing Database
  ) throws(ToolError) -> Int {
    text.removeAll()
    if let value = fields.text { text.append(unescaping: value.rawString) }
    let metrics = fields.publicMetrics
    insert.bind(1, text: fields.service)
    insert.bind(2, text: fields.id)
    insert.bind(3, key)
    insert.bind(4, time: fields.retrievedAt)
    insert.bind(5, time: fields.createdAt)
    insert.bind(6, text: fields.author?["username"])
    insert.bind(7, text: fields.author?["name"])
    text.withBytes { insert.bind(8, copying: $0) }
    insert.bind(9, metrics?["like_count"]?.integer)
    insert.bind(10, metrics?["retweet_count"]?.integer)
    insert.bind(11, metrics?["reply_count"]?.integer)
    insert.bind(12, metrics?["quote_count"]?.integer)
    insert.bind(13, text: fields.lang)
    insert.bind(14, SQLValue(isOlder ? "older" : fields.flags.isWithheld ? "withheld" : nil))
    insert.bind(15, seenAt)
    insert.bind(16, labels.map(\.text).joined(separator: " "))
    text.withBytes { packer.bind(record.raw, text: fields.text, column: $0, to: insert, 17) }
    try insert.run()
    let last = database.lastInsertedRow
    defer { first.reset() }
    return try first.step() ? last - first.row.integer(0) + 1 : 0
  }

  /// Removes rows that were moved.
  func remove(_ tweets: [IncomingTweet]) throws(ToolError) {
    for tweet in tweets {
      delete.bind(1, tweet.number)
      try delete.run()
    }
  }
}

extension IncomingTable {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    let next = """
      max(coalesce((SELECT number FROM recent ORDER BY number DESC LIMIT 1), 0), \
      coalesce((SELECT key FROM incoming ORDER BY key DESC LIMIT 1), 0)) + 1
      """
    self.init(
      packer: packer, insert: try database.prepare(RowSum.incoming.insert([next] + (1...17).map { "?\($0)" })),
      find: try database.prepare(
        """
        SELECT tweet, retrieved_at, created_at FROM incoming WHERE id = ?2 AND service = ?1 OR tweet = ?3
        ORDER BY key DESC LIMIT 1
        """),
      any: try database.prepare("SELECT EXISTS (SELECT 1 FROM incoming)"),
      first: try database.prepare("SELECT key FROM incoming ORDER BY key LIMIT 1"),
      delete: try database.prepare("DELETE FROM incoming WHERE key = ?"))
  }
}

/// What a row of `incoming` has beside its record.
struct IncomingTweet {
  /// Its number among the changes of the store, which it keeps in `recent`.
  var number: Int
  /// The key that the tweet has in `tweets`, or will have.
  var key: Int
  var seenAt: String
  /// The labels that it gets if it is new.
  var labels: [TweetLabel]
}

/// Rows of `incoming`, in the order in which they came.
struct IncomingTweets: ~Copyable {
  var tweets: [IncomingTweet] = []
  /// Their records, in the same order.
  var records = RecordBatch()
  /// The other ones: their numbers, and what they are.
  var damagedNumbers: [Int] = []
  var damaged = DamagedRows()

  /// Reads the rows with a larger number.
  init(after number: Int, in database: borrowing Database) throws(ToolError) {
    try database.forEachRow(sql: Self.sql, .integer(number)) { row in
      guard row.isSound(7, record: 6) == true, let document = StoredColumns.parse(row.bytes(6)) else {
        damagedNumbers.append(row.integer(0))
        return damaged.append("tweet '\(row.text(2) ?? ""):\(row.text(3) ?? "")'")
      }
      document.read { records.append($0) }
      let labels = (row.text(5) ?? "").split(separator: " ").compactMap { TweetLabel(String($0)) }
      tweets.append(
        IncomingTweet(number: row.integer(0), key: row.integer(1), seenAt: row.text(4) ?? "", labels: labels))
    }
  }

  private static let sql = """
    SELECT key, tweet, service, id, seen_at, labels, \(RecordPacker.tweet()), \(RowSum.incoming.isSound())
    FROM main.incoming WHERE key > ? ORDER BY key
    """
}

extension TweetWriter {
  /// How many tweets are moved at once: enough to share most of the pages that they change; so few that others wait
  /// half a second.
  private static let mostIncoming = 4000
  /// Milliseconds after which tweets are moved, though they are few: other programs find them by hashtag or in search
  /// then.
  private static let longestIncoming = 300_000

  /// Milliseconds until ``moveIncoming()`` should be called; `nil` if this writer has put nothing there.
  package var timeToMove: Int? {
    guard let incomingSince else { return nil }
    if incoming >= Self.mostIncoming { return 0 }
    return max(0, incomingSince + Self.longestIncoming - MonotonicClock.milliseconds)
  }

  /// Moves all tweets of `incoming` to where they belong, in a transaction of its own, and copies the log into the
  /// file: so a fault of the log concerns the tweets of minutes, not of hours. Returns those that are damaged.
  @discardableResult
  package mutating func moveIncoming() throws(ToolError) -> DamagedRows {
    let damaged = try begin()
    try commit(makesCheckpoint: true)
    return damaged
  }

  /// Puts a tweet into `incoming`. Returns `nil` for one that cannot wait there: when it is stored, tweets beside it
  /// change, or get other keys.
  mutating func addIncoming(_ tweet: JSONValue) throws(ToolError) -> AddResult? {
    let fields = TweetColumns(tweet)
    guard let service = fields.service, let id = fields.id else { return AddResult() }
    if let absence = try absence(of: tweet, service: service, id: id) { return AddResult(absence: absence) }
    if try versions.isEdit(fields.editHistory, service: service, id: id) { return nil }
    let stored = try tweets.known(service: service, id: id)
    let waiting = try incomingTweets.known(service: service, id: id)
    if let known = waiting ?? stored, !known.hasTime, fields.createdAt?.time != nil { return nil }
    let seen = Sighting(retrieved: fields.retrievedAt, now: now)
    let key: Int
    if let known = waiting ?? stored { key = known.key } else { key = try unusedKey(fields, service, id, seen) }
    let isNew = stored == nil && waiting == nil
    let isCopy = isNew ? try isCopy(fields.address, key: key) : false
    let isOlder = [stored, waiting].contains { known in known.map { !seen.isNewer(than: $0.retrieved) } ?? false }
    let changed = try redacted(tweet, service: service)
    if let changed {
      try JSONDocument.stored(changed).read { (tweet) throws(ToolError) in
        try appendIncoming(tweet, TweetColumns(tweet), key: key, isOlder: isOlder)
      }
    } else {
      try appendIncoming(tweet, fields, key: key, isOlder: isOlder)
    }
    if incomingSince == nil { incomingSince = MonotonicClock.milliseconds }
    return AddResult(isNew: isNew, isCopy: isCopy, replacement: changed)
  }

  /// Whether a new tweet is a copy of one that is stored, or waits: what other writers have put there is looked at
  /// once.
  private mutating func isCopy(_ address: String?, key: Int) throws(ToolError) -> Bool {
    guard let address else { return false }
    let reader = JSONReader()
    let others = try IncomingTweets(after: incomingAddresses.last, in: database)
    for index in others.records.order {
      let other = try others.records.withRecord(index) { (bytes) throws(ToolError) in
        CanonicalAddress.of(try reader.checked(bytes))
      }
      if let other { incomingAddresses.known.insert(other) }
    }
    incomingAddresses.last = others.tweets.last?.number ?? incomingAddresses.last
    if incomingAddresses.known.contains(address) { return true }
    return try tweets.other(ofPost: address, than: key) != nil
  }

  private mutating func appendIncoming(
    _ tweet: JSONValue, _ fields: TweetColumns, key: Int, isOlder: Bool
  ) throws(ToolError) {
    incoming = try incomingTweets.append(
      tweet, fields, key: key, isOlder: isOlder, seenAt: now, labels: newLabels, in: database)
  }

  /// The key for a new tweet. It is chosen now, since readers show the tweet by it before it is moved.
  private func unusedKey(
    _ fields: TweetColumns, _ service: JSONValue, _ id: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> Int {
    var key = fields.preferredKey(service: service, id: id, seen)
    var tries = 0
    while true {
      let isStored = try tweets.has(key: key)
      let isWaiting = try incomingTweets.has(key: key)
      if !isStored && !isWaiting { return key }
      tries += 1
      key = TweetKey.next(after: key, tries: tries)
    }
  }

  /// Moves the tweets of `incoming`, in the open transaction. Returns those that are damaged: they stay there.
  mutating func addIncomingTweets() throws(ToolError) -> DamagedRows {
    (incoming, incomingSince) = (0, nil)
    incomingAddresses.known = []
    guard try incomingTweets.hasAny else { return DamagedRows() }
    let rows = try IncomingTweets(after: .min, in: database)
    try incomingTweets.remove(rows.tweets)
    for (number, key) in try add(rows) { recent.append(key, number: number) }
    // No number is missing, or those who follow would think that they missed a change.
    for number in rows.damagedNumbers { recent.append(nil, number: number) }
    return rows.damaged
  }

  /// Stores rows of `incoming` as they would have been stored when they came.
  /// - Returns: the number of each, and its key if it is new or has changed.
  mutating func add(_ rows: borrowing IncomingTweets) throws(ToolError) -> [(number: Int, key: Int?)] {
    // They came in another way than what this writer stores now.
    let (labels, restoring) = (newLabels, isRestoring)
    defer { (newLabels, isRestoring, chosenKey) = (labels, restoring, nil) }
    isRestoring = false
    let reader = JSONReader()
    var changes: [(number: Int, key: Int?)] = []
    for index in rows.records.order {
      let tweet = rows.tweets[index]
      (now, newLabels, chosenKey) = (tweet.seenAt, tweet.labels, tweet.key)
      let before = recent.count
      _ = try rows.records.withRecord(index) { (bytes) throws(ToolError) in
        try addChecked(try reader.checked(bytes))
      }
      changes.append((tweet.number, recent.remove(tweet.key, after: before) ? tweet.key : nil))
    }
    return changes
  }
}
