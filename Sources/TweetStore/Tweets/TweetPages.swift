package import TweetCore

/// What a reader of rows wants next.
package enum ReadStep: Sendable {
  case more
  /// Time to do something else before the next row: nothing of the store is held meanwhile.
  case pause
  case stop
}

/// What happened to a tweet in the store.
package enum StoreChange: Sendable {
  /// The tweet with this key came, or is another now.
  case stored(Int)
  case deleted(DeletedTweet)
}

/// How far a list has been read, and how it is read on: a page at a time.
///
/// Between pages no transaction is open. A reader that waits, as behind a pager, would keep the write-ahead log from
/// being emptied, and it would grow with all that is written meanwhile.
package struct TweetPages: ~Copyable {
  private let statement: Statement
  private let isOldestFirst: Bool
  private var range: KeyRange
  private var left: Int
  private var last: Int?
  /// Whether there is no more to read.
  package private(set) var isAtEnd = false

  init(_ statement: consuming Statement, _ range: KeyRange, _ query: TweetQuery) {
    self.statement = statement
    self.range = range
    isOldestFirst = query.isOldestFirst
    left = query.limit ?? .max
  }

  /// Calls `body` with the key and the record of each of the next tweets, as it was stored, until it gives something else
  /// than `more`.
  package mutating func read(
    _ body: (Int, UnsafeBufferPointer<UInt8>) throws(ToolError) -> ReadStep
  ) throws(ToolError) {
    if let last { if isOldestFirst { range.raise(above: last) } else { range.lower(to: last) } }
    statement.bind(QuerySQL.low, range.low)
    statement.bind(QuerySQL.high, range.high)
    defer { statement.reset() }
    while left > 0, try statement.step() {
      let key = statement.row.integer(0)
      // A tweet with two links of a kind comes twice.
      if key == last { continue }
      last = key
      left -= 1
      switch try body(key, statement.row.bytes(1)) {
      case .more: continue
      case .pause: return
      case .stop:
        isAtEnd = true
        return
      }
    }
    isAtEnd = true
  }

  /// Calls `body` with one tweet, if it is among those wanted.
  package mutating func read(
    key: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard key >= range.low, key < range.high else { return }
    statement.bind(QuerySQL.low, key)
    statement.bind(QuerySQL.high, key == .max ? key : key + 1)
    defer { statement.reset() }
    if try statement.step() { try body(statement.row.bytes(1)) }
  }
}

extension TweetStore {
  /// The tweets wanted, in the order of their keys; `nil` when nothing can fit.
  package func pages(_ query: TweetQuery) throws(ToolError) -> TweetPages? {
    guard let (sql, range) = try sql(for: query) else { return nil }
    let statement = try database.prepare(sql.text)
    for (place, value) in sql.values.enumerated() { statement.bind(Int32(place) + QuerySQL.high + 1, value) }
    return TweetPages(statement, range, query)
  }

  /// The number of the last tweet that was stored or changed: what ``stored(after:_:)`` goes on from.
  package func lastStored() throws(ToolError) -> Int {
    try database.first("SELECT max(number) FROM recent") { $0.integer(0) } ?? 0
  }

  /// What was stored, changed or deleted after `number`, each tweet once, in that order; and the number of the last.
  /// `isWhole` is false when some is no longer known.
  package func stored(after number: Int) throws(ToolError) -> (changes: [StoreChange], last: Int, isWhole: Bool) {
    var (changes, last) = ([StoreChange](), number)
    var seen: Set<Int> = []
    var first: Int?
    try database.forEachRow(
      "SELECT number, tweet, service, id, user_id FROM recent WHERE number > ? ORDER BY number", .integer(number)
    ) { row in
      last = row.integer(0)
      if first == nil { first = last }
      if let key = row.optionalInteger(1) {
        if seen.insert(key).inserted { changes.append(.stored(key)) }
      } else if let service = row.text(2), let id = row.text(3) {
        changes.append(.deleted(DeletedTweet(service: service, id: id, userID: row.text(4))))
      }
    }
    return (changes, last, first.map { $0 == number + 1 } ?? true)
  }

  /// A number that changes when another connection has stored something.
  package var version: Int { get throws(ToolError) { try database.othersVersion } }
}
