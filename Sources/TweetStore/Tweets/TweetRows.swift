import SQLite
import TweetCore

/// The rows that a table has of tweets, by the tweet's key.
struct TweetRows: ~Copyable {
  private let remove: Statement
  private let move: Statement

  func removeAll(of tweet: Int) throws(ToolError) {
    remove.bind(1, tweet)
    try remove.run()
  }

  /// Changes a tweet's key in all its rows.
  func move(_ tweet: Int, to key: Int) throws(ToolError) {
    move.bind(1, key)
    move.bind(2, tweet)
    try move.run()
  }
}

extension TweetRows {
  /// - Parameters:
  ///   - remove: removes the rows of the tweet that is bound to its parameter.
  ///   - move: gives the rows of the tweet that is bound second the key that is bound first.
  init(_ database: borrowing Database, remove: String, move: String) throws(ToolError) {
    self.init(remove: try database.prepare(remove), move: try database.prepare(move))
  }
}
