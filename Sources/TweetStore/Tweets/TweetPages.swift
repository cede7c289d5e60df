import SQLite
import Services
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

/// Where a list ended: after all changes up to a number.
package struct ListEnd: Sendable {
  let number: Int
  let time: Timestamp
}

/// The table `list_ends`, for lists that begin where the last one of their name ended.
extension TweetStore {
  /// Has a list begin there. Tweets that wait in `incoming` come after its end.
  /// - Returns: where it ends.
  package func begin(_ query: inout TweetQuery, afterLast name: String) throws(ToolError) -> ListEnd {
    let numbers = try database.first("SELECT min(number), max(number) FROM recent") { ($0.integer(0), $0.integer(1)) }
    let (first, end) = (numbers?.0 ?? 0, numbers?.1 ?? 0)
    let last = try database.first("SELECT number, at FROM list_ends WHERE name = ?", .text(name)) { row in
      ListEnd(number: row.integer(0), time: row.time(1))
    }
    if let last { query.storedSQL = Self.storedSQL(after: last, first: first, end: end) }
    return ListEnd(number: end, time: .now)
  }

  /// Keeps where a list ended, when all of it was written.
  package func save(_ end: ListEnd, of name: String) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        "INSERT OR REPLACE INTO list_ends VALUES (?, ?, ?)", .text(name), .integer(end.number), .text(end.time.rfc3339))
    }
  }

  /// SQL for whether `tweets t` was stored after a list, up to a change. The numbers say it, whatever the clock says: a
  /// tweet that only changed has an earlier number too, or was first seen long before. Where more has changed than
  /// `recent` remembers, from the number `first` on, the times say it.
  private static func storedSQL(after last: ListEnd, first: Int, end: Int) -> String {
    let time = ClockTrust.believed(last.time, at: .now) ?? Timestamp(milliseconds: 0)
    guard last.number <= end, first <= last.number + 1 else { return "t.first_seen >= '\(time.rfc3339)'" }
    return """
      t.first_seen >= '\(time.before(days: 1).rfc3339)'
        AND t.key IN (SELECT tweet FROM main.recent WHERE number > \(last.number) AND number <= \(end))
        AND t.key NOT IN (SELECT tweet FROM main.recent WHERE number <= \(last.number) AND tweet IS NOT NULL)
      """
  }
}

/// Names in a query that nothing in the store has, so that the list is empty: most often they are mistyped.
package struct UnknownNames {
  /// User names without "@".
  package var authors: [String] = []
  /// Hashtags without "#".
  package var tags: [String] = []
  /// Sources as they were given.
  package var feeds: [String] = []
  /// The sources that tweets came from; empty if all that were asked for are known.
  package var knownFeeds: [String] = []
}

extension TweetStore {
  /// The users, hashtags and sources that a query and its parts ask for and that are not in the store at all.
  package func unknownNames(in query: TweetQuery) throws(ToolError) -> UnknownNames {
    var unknown = UnknownNames()
    for part in query.wanted {
      for name in part.authors where try userKeys([name], service: nil).isEmpty { unknown.authors.append(name) }
      for tag in part.tags where try !hasHashtag(tag) { unknown.tags.append(tag) }
      // A source is there in its normal form and as it was given: one of them is enough.
      if !part.feeds.isEmpty, try feedKeys(part.feeds, service: nil).isEmpty {
        unknown.feeds.append(part.feeds.last ?? "")
        try database.forEachRow("SELECT feed FROM feeds") { unknown.knownFeeds.append($0.text(0) ?? "") }
      }
    }
    return unknown
  }

  private func hasHashtag(_ tag: String) throws(ToolError) -> Bool {
    try database.first("SELECT 1 FROM tweet_hashtags WHERE tag = ? LIMIT 1", .text(tag.lowercased())) { _ in true }
      ?? false
  }
}
