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
  private let trim: Statement
  private var pending: [Change] = []

  /// Appends a stored or changed tweet, by its key.
  mutating func append(_ tweet: Int) { pending.append(.stored(tweet)) }

  /// Appends a deleted tweet.
  mutating func append(_ tweet: DeletedTweet) { pending.append(.deleted(tweet)) }

  /// Writes what was appended since the last call. To be called at the end of each transaction.
  mutating func writePending(in database: borrowing Database) throws(ToolError) {
    if pending.isEmpty { return }
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
    pending.removeAll(keepingCapacity: true)
    trim.bind(1, database.lastInsertedRow - Self.kept)
    try trim.run()
  }

  /// Discards what was appended in a transaction that was rolled back.
  mutating func discardPending() { pending.removeAll(keepingCapacity: true) }
}

extension RecentTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare("INSERT INTO recent (tweet) VALUES (?)"),
      insertDeletion: try database.prepare("INSERT INTO recent (service, id, user_id) VALUES (?, ?, ?)"),
      trim: try database.prepare("DELETE FROM recent WHERE number <= ?"))
  }
}

/// A tweet that was in the store until its service reported it as deleted: the content of a `delete` record.
package struct DeletedTweet: Sendable, Equatable {
  package var service: String
  package var id: String
  package var userID: String?

  /// Appends the record.
  package func append(to line: inout ByteBuffer) {
    line.append("{\"tw\":\"delete\",\"service\":")
    line.appendJSONString(service)
    line.append(",\"id\":")
    line.appendJSONString(id)
    if let userID {
      line.append(",\"user_id\":")
      line.appendJSONString(userID)
    }
    line.append("}")
  }
}
