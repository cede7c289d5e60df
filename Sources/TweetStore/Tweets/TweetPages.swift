import SQLite
package import TweetCore

/// What a reader of rows wants next.
package enum ReadStep: Sendable {
  case more
  /// The reader does something else before the next row. No transaction stays open meanwhile.
  case pause
  case stop
}

/// A change of a tweet in the store.
package enum StoreChange: Sendable {
  /// The tweet with this key is new or has changed.
  case stored(Int)
  case deleted(DeletedTweet)
}

/// Reads a list page by page.
///
/// Between pages no transaction is open. Otherwise a slow reader, for example behind a pager, would prevent
/// checkpoints, and the write-ahead log would grow.
package struct TweetPages: ~Copyable {
  /// The columns of `tweets t` that it reads, after the key.
  static let columns = "\(RecordPacker.tweet("t")), \(RowSum.tweets.isSound("t")), t.service, t.id, t.text"

  private let statement: Statement
  /// What leaves copies out; `nil` if all are listed.
  private var copies: ShownCopies?
  /// What names those who retweeted a post; `nil` if each retweet is listed.
  private var retweeters: Retweeters?
  private let namesEach: Bool
  private let isOldestFirst: Bool
  private var range: KeyRange
  private var remaining: Int
  private var lastKey: Int?
  /// Whether the list has been read to its end.
  package private(set) var isAtEnd = false
  /// The tweets that were left out because their rows are damaged.
  package private(set) var damaged: DamagedRows

  /// How many copies of posts were left out.
  package private(set) var leftOutCopies = 0

  /// - Parameter statement: of ``columns``, the address, and what is retweeted if each retweet names `retweeters`.
  init(
    _ statement: consuming Statement, _ copies: consuming ShownCopies?, _ retweeters: consuming Retweeters?,
    _ range: KeyRange, _ query: TweetQuery,
    damaged: DamagedRows = DamagedRows()
  ) {
    self.statement = statement
    self.copies = copies
    self.retweeters = retweeters
    self.damaged = damaged
    self.range = range
    namesEach = query.namesRetweetersOfEach
    isOldestFirst = query.isOldestFirst
    remaining = query.limit ?? .max
  }

  /// Calls `body` with the key and the stored record of each of the next tweets, until it returns something else than
  /// `more`.
  package mutating func read(
    _ body: (Int, ByteView) throws(ToolError) -> ReadStep
  ) throws(ToolError) {
    retweeters?.forgetAll()
    if let lastKey { if isOldestFirst { range.raise(above: lastKey) } else { range.lower(to: lastKey) } }
    statement.bind(QuerySQL.low, range.low)
    statement.bind(QuerySQL.high, range.high)
    defer { statement.reset() }
    while remaining > 0, try statement.step() {
      let key = statement.row.integer(0)
      // A tweet with two links of one kind is in two rows.
      if key == lastKey { continue }
      lastKey = key
      guard isSound(), try isShown(key) else { continue }
      remaining -= 1
      switch try read(key, body) {
      case .more: continue
      case .pause: return
      case .stop:
        isAtEnd = true
        return
      }
    }
    isAtEnd = true
  }

  /// Calls `body` with the tweet of that key, if the list has it.
  package mutating func read(
    key: Int, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard key >= range.low, key < range.high else { return }
    retweeters?.forgetAll()
    statement.bind(QuerySQL.low, key)
    statement.bind(QuerySQL.high, key == .max ? key : key + 1)
    defer { statement.reset() }
    if try statement.step(), isSound(), try isShown(key) {
      try read(key) { (_, record) throws(ToolError) in try body(record) }
    }
  }

  /// Calls `body` with the key and the record of the current row.
  private mutating func read<Result>(
    _ key: Int, _ body: (Int, ByteView) throws(ToolError) -> Result
  ) throws(ToolError) -> Result {
    let record = statement.row.bytes(1)
    guard let original = original else { return try body(key, record) }
    var named = ByteBuffer()
    let isNamed = try retweeters?.append(record, of: original, to: &named) { (other) throws(ToolError) in
      try copies?.has(other) ?? true
    }
    if isNamed != true { return try body(key, record) }
    return try named.withBytes { (record) throws(ToolError) in try body(key, record) }
  }

  /// What others may have retweeted too; `nil` where the current row is not a retweet, or the only copy of its post.
  private var original: Retweeters.Original? {
    let row = statement.row
    if let address = row.text(6) { return copies?.areSeveral(address) ?? true ? .address(address) : nil }
    guard namesEach, let id = row.text(7) else { return nil }
    return .post(service: row.text(3) ?? "", id: id)
  }

  /// Whether the current row is sound. If not, it is counted.
  private mutating func isSound() -> Bool {
    let row = statement.row
    if Self.isSound(row) { return true }
    damaged.append("tweet '\(row.text(3) ?? ""):\(row.text(4) ?? "")'")
    return false
  }

  /// Whether a row of a key and ``columns`` is as it was written.
  static func isSound(_ row: Row) -> Bool {
    row.isSound(2, record: 1) ?? StoredColumns.isRecord(row, service: 3, id: 4, text: 5, json: 1)
  }

  /// Whether the current row is not a copy of another one.
  private mutating func isShown(_ key: Int) throws(ToolError) -> Bool {
    let address = statement.row.text(6)
    let isShown = try copies?.shows(key, address: address) ?? true
    if !isShown { leftOutCopies += 1 }
    return isShown
  }
}

extension TweetStore {
  /// The tweets that match a query, in the order of their keys; `nil` if no tweet can match.
  package func pages(_ query: TweetQuery) throws(ToolError) -> TweetPages? {
    guard let (select, range, period) = try plan(for: query) else { return nil }
    let original = query.namesRetweetersOfEach ? ", \(Retweeters.original)" : ""
    let sql = select("\(TweetPages.columns), t.address\(original)")
    let statement = try database.prepare(sql.text)
    sql.bind(to: statement)
    let copies = query.includesCopies ? nil : try ShownCopies(database, sql, period)
    let retweeters = query.namesRetweeters ? try Retweeters(database) : nil
    return TweetPages(statement, copies, retweeters, range, query, damaged: staged.damaged)
  }

  /// The keys of the tweets that match a query, and how often each was liked, in the order of the query. Nothing else
  /// of them is read.
  package func keys(_ query: TweetQuery) throws(ToolError) -> [(key: Int, likes: Int)] {
    guard let (select, range, period) = try plan(for: query) else { return [] }
    let sql = select("t.like_count, t.address")
    let statement = try database.prepare(sql.text)
    statement.bind(QuerySQL.low, range.low)
    statement.bind(QuerySQL.high, range.high)
    sql.bind(to: statement)
    var copies = query.includesCopies ? nil : try ShownCopies(database, select(TweetPages.columns), period)
    var found: [(key: Int, likes: Int)] = []
    // A tweet with two links of one kind is in two rows.
    while found.count < query.limit ?? .max, try statement.step() {
      let key = statement.row.integer(0)
      guard key != found.last?.key, try copies?.shows(key, address: statement.row.text(2)) ?? true else { continue }
      found.append((key, statement.row.integer(1)))
    }
    return found
  }

  /// The number of the last change that can be seen, for ``changes(after:)``.
  package func lastChange() throws(ToolError) -> Int {
    try update()
    return staged.position
  }

  /// The changes after the one of that number, in order and each tweet once, and the number of the last one.
  /// `isComplete` is false if some of them are no longer known.
  package func changes(
    after number: Int
  ) throws(ToolError) -> (changes: [StoreChange], last: Int, isComplete: Bool) {
    // A tweet has its number already while it waits, and keeps it.
    try update()
    let waiting = staged.changes.filter { $0.number > number }
    let last = max(staged.position, number)
    var found: [(number: Int, change: StoreChange?)] = waiting.map { ($0.number, $0.key.map { .stored($0) }) }
    try database.forEachRow(
      "SELECT number, tweet, service, id, user_id FROM recent WHERE number > ? AND number <= ?", .integer(number),
      .integer(last)
    ) { row in
      var change: StoreChange?
      if let key = row.optionalInteger(1) {
        change = .stored(key)
      } else if let service = row.text(2), let id = row.text(3) {
        change = .deleted(DeletedTweet(service: service, id: id, userID: row.text(4)))
      }
      found.append((row.integer(0), change))
    }
    found.sort { $0.number < $1.number }
    var seen: Set<Int> = []
    let changes = found.compactMap(\.change).filter { change in
      if case .stored(let key) = change { seen.insert(key).inserted } else { true }
    }
    return (changes, last, found.first.map { $0.number == number + 1 } ?? true)
  }

  /// Has the changes of a store that takes the place of another one follow those that the other one had, so that who
  /// follows that one goes on here.
  static func continueChanges(of old: String, in new: String) throws(ToolError) {
    let last: Int
    do throws(ToolError) {
      guard try isThere(old) else { return }
      // A look at the log would release the lock that the caller holds.
      last = try StagedTweets.lastNumber(TweetStore(old, .readOnly, showsIncoming: false, looksAtLog: false).database)
    } catch {
      // Nobody follows what cannot be read.
      return
    }
    let store = try TweetStore(new, .readWrite, showsIncoming: false)
    try store.database.write { () throws(ToolError) in
      try store.database.run("INSERT OR IGNORE INTO recent (number) VALUES (?)", .integer(last + 1))
    }
  }

  /// A number that changes when another connection has written to the store.
  package var version: Int { get throws(ToolError) { try database.dataVersion } }
}
