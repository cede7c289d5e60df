import SQLite
import TweetCore

/// The tweets that a person has given a label, and which are therefore not pruned.
struct LabelledTweets {
  /// SQL for whether the tweet `tweets.key` is one of them.
  let condition: String

  /// - Parameter labels: labels that come by themselves: they keep no tweet.
  init(ignoring labels: [TweetLabel], in database: borrowing Database) throws(ToolError) {
    let names = Set(labels.map(\.text))
    var keys: [Int] = []
    try database.forEachRow("SELECT key, label FROM labels ORDER BY key") { row in
      if let label = row.text(1), !names.contains(label) { keys.append(row.integer(0)) }
    }
    let list = keys.map(String.init).joined(separator: ", ")
    condition = "EXISTS (SELECT 1 FROM tweet_labels l WHERE l.label IN (\(list)) AND l.tweet = tweets.key)"
  }
}
