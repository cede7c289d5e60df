import TweetCore

/// The table `recent`: which tweets were stored or changed last. Keys are in the order of posting, so whoever follows
/// what comes in cannot tell by them.
struct RecentTable: ~Copyable {
  /// How many rows are kept: far more than come in between two looks of somebody who follows.
  private static let kept = 100_000

  private let insert: Statement
  private let trim: Statement
  private var pending: [Int] = []

  mutating func note(_ tweet: Int) { pending.append(tweet) }

  /// At the end of a transaction.
  mutating func write(in database: borrowing Database) throws(ToolError) {
    if pending.isEmpty { return }
    for tweet in pending {
      insert.bind(1, tweet)
      try insert.run()
    }
    pending.removeAll(keepingCapacity: true)
    trim.bind(1, database.lastInsertedRow - Self.kept)
    try trim.run()
  }

  mutating func forget() { pending.removeAll(keepingCapacity: true) }
}

extension RecentTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare("INSERT INTO recent (tweet) VALUES (?)"),
      trim: try database.prepare("DELETE FROM recent WHERE number <= ?"))
  }
}
