package import TweetCore

/// The table `recent`: which tweets were stored, changed or deleted last. Keys are in the order of posting, so whoever follows
/// what comes in cannot tell by them.
struct RecentTable: ~Copyable {
  /// How many rows are kept: far more than come in between two looks of somebody who follows.
  private static let kept = 100_000

  private enum Change {
    case stored(Int)
    indirect case deleted(DeletedTweet)
  }

  private let insert: Statement
  private let insertDeletion: Statement
  private let trim: Statement
  private var pending: [Change] = []

  mutating func note(_ tweet: Int) { pending.append(.stored(tweet)) }

  mutating func note(_ tweet: DeletedTweet) { pending.append(.deleted(tweet)) }

  /// At the end of a transaction.
  mutating func write(in database: borrowing Database) throws(ToolError) {
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

  mutating func forget() { pending.removeAll(keepingCapacity: true) }
}

extension RecentTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      insert: try database.prepare("INSERT INTO recent (tweet) VALUES (?)"),
      insertDeletion: try database.prepare("INSERT INTO recent (service, id, user_id) VALUES (?, ?, ?)"),
      trim: try database.prepare("DELETE FROM recent WHERE number <= ?"))
  }
}

/// A tweet that was here until its service said that it was deleted: what a `delete` record says.
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
