import SQLite
package import TweetCore

/// The table `recent`: the tweets that were stored, changed or deleted last, for readers who follow the store. The keys
/// of `tweets` are in the order of posting and do not show this.
struct RecentTable: ~Copyable {
  /// How many rows are kept: far more than a reader who follows can miss between two reads.
  private static let kept = 100_000

  private enum Change {
    case stored(Int)
    indirect case deleted(DeletedTweet)
  }

  private let insert: Statement
  private let insertDeletion: Statement
  private let insertNumber: Statement
  private let trim: Statement
  private var pending: [Change] = []
  /// Changes that have their numbers from `incoming`.
  private var numbered: [(number: Int, tweet: Int?)] = []

  /// How many changes were appended since the last write.
  var count: Int { pending.count }

  /// Appends a stored or changed tweet, by its key.
  mutating func append(_ tweet: Int) { pending.append(.stored(tweet)) }

  /// Appends what a row of `incoming` has become, under the number by which followers know it.
  /// - Parameter tweet: the tweet's key; `nil` if nothing has changed.
  mutating func append(_ tweet: Int?, number: Int) { numbered.append((number, tweet)) }

  /// Removes a tweet from the changes after the first `count` ones. Returns whether it was among them.
  mutating func remove(_ tweet: Int, after count: Int) -> Bool {
    let before = pending.count
    pending[count...].removeAll { if case .stored(tweet) = $0 { true } else { false } }
    return pending.count < before
  }

  /// Appends a deleted tweet.
  mutating func append(_ tweet: DeletedTweet) { pending.append(.deleted(tweet)) }

  /// Writes what was appended since the last call. To be called at the end of each transaction.
  mutating func writePending() throws(ToolError) {
    if pending.isEmpty && numbered.isEmpty { return }
    // First, since the others get the numbers that follow. A damaged row of `incoming` keeps its number, and has it
    // here already.
    for change in numbered {
      insertNumber.bind(1, change.number)
      insertNumber.bind(2, change.tweet)
      try insertNumber.run()
    }
    for change in pending {
      switch change {
      case .stored(let tweet):
        insert.bind(1, tweet)
        try insert.run()
      case .deleted(let tweet):
        insertDeletion.bind([.text(tweet.service), .text(tweet.id), SQLValue(tweet.userID)])
        try insertDeletion.run()
      }
    }
    discardPending()
    trim.bind(1, Self.kept)
    try trim.run()
  }

  /// Discards what was appended in a transaction that was rolled back.
  mutating func discardPending() {
    pending.removeAll(keepingCapacity: true)
    numbered.removeAll(keepingCapacity: true)
  }
}

extension RecentTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare("INSERT INTO recent (tweet) VALUES (?)"),
      insertDeletion: try database.prepare("INSERT INTO recent (service, id, user_id) VALUES (?, ?, ?)"),
      insertNumber: try database.prepare("INSERT OR IGNORE INTO recent (number, tweet) VALUES (?, ?)"),
      trim: try database.prepare("DELETE FROM recent WHERE number <= (SELECT max(number) FROM recent) - ?"))
  }
}

/// A tweet that was in the store until its service reported it as deleted: the content of a `delete` record.
package struct DeletedTweet: Sendable, Equatable {
  package var service: String
  package var id: String
  package var userID: String?

  /// Appends the record as a line.
  package func append(to line: inout ByteBuffer) {
    line.deletion(of: id, service: service, user: userID)
  }
}
