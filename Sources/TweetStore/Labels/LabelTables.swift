import SQLite
import TweetCore

/// The tables `labels` and `tweet_labels`: the labels of tweets.
struct LabelTables: ~Copyable {
  private let find: Statement
  private let insert: Statement
  private let addLabel: Statement
  private let removeLabel: Statement
  private let labelsOf: Statement
  private let copies: Statement
  let rows: TweetRows
  /// The keys of labels used so far. A label keeps its key: its row is never removed.
  private var keys: [TweetLabel: Int] = [:]
  /// The most keys that are remembered: a file that is imported may have any number of labels.
  private static let mostKept = 1000

  /// Gives a tweet a label. Returns whether it did not have it.
  mutating func add(
    _ label: TweetLabel, to tweet: Int, in database: borrowing Database
  ) throws(ToolError) -> Bool {
    addLabel.bind(1, try key(of: label, in: database))
    addLabel.bind(2, tweet)
    try addLabel.run()
    return database.changes > 0
  }

  /// Gives a tweet all labels that another one has.
  func copy(from other: Int, to tweet: Int) throws(ToolError) {
    var keys: [Int] = []
    labelsOf.bind(1, other)
    while try labelsOf.step() { keys.append(labelsOf.row.integer(0)) }
    for key in keys {
      addLabel.bind(1, key)
      addLabel.bind(2, tweet)
      try addLabel.run()
    }
  }

  /// Takes a label from a tweet. Returns whether it had it.
  mutating func remove(
    _ label: TweetLabel, from tweet: Int, in database: borrowing Database
  ) throws(ToolError) -> Bool {
    guard let key = try knownKey(of: label) else { return false }
    removeLabel.bind(1, key)
    removeLabel.bind(2, tweet)
    try removeLabel.run()
    return database.changes > 0
  }

  /// A tweet and its stored copies on other servers: labels belong to a post, so all of them have the same.
  func sharers(of tweet: Int) throws(ToolError) -> [Int] {
    var keys = [tweet]
    copies.bind(1, tweet)
    while try copies.step() { keys.append(copies.row.integer(0)) }
    return keys
  }

  /// Drops the remembered keys: those from a transaction that was rolled back are not in the table.
  mutating func clearCache() { keys.removeAll() }

  private mutating func knownKey(of label: TweetLabel) throws(ToolError) -> Int? {
    if let known = keys[label] { return known }
    find.bind(1, label.text)
    defer { find.reset() }
    guard try find.step() else { return nil }
    if keys.count >= Self.mostKept { keys.removeAll() }
    keys[label] = find.row.integer(0)
    return find.row.integer(0)
  }

  /// Gives a label its row, if it has none.
  mutating func know(_ label: TweetLabel, in database: borrowing Database) throws(ToolError) {
    _ = try key(of: label, in: database)
  }

  private mutating func key(of label: TweetLabel, in database: borrowing Database) throws(ToolError) -> Int {
    if let known = try knownKey(of: label) { return known }
    insert.bind(1, label.text)
    try insert.run()
    let key = database.lastInsertedRow
    keys[label] = key
    return key
  }
}

extension LabelTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      find: try database.prepare("SELECT key FROM labels WHERE label = ?"),
      insert: try database.prepare(RowSum.labels.insertNext(["?1"])),
      addLabel: try database.prepare(RowSum.tweetLabels.insert(["?1", "?2"], or: "OR IGNORE ")),
      removeLabel: try database.prepare("DELETE FROM tweet_labels WHERE label = ? AND tweet = ?"),
      labelsOf: try database.prepare(
        "SELECT label FROM tweet_labels WHERE label IN (SELECT key FROM labels) AND tweet = ?"),
      copies: try database.prepare(
        "SELECT o.key FROM tweets me JOIN tweets o ON o.address = me.address AND o.key <> me.key WHERE me.key = ?"),
      rows: try TweetRows(
        database, remove: "DELETE FROM tweet_labels WHERE label IN (SELECT key FROM labels) AND tweet = ?",
        move: RowSum.tweetLabels.update(["tweet": "?1"]) + " WHERE label IN (SELECT key FROM labels) AND tweet = ?2"))
  }
}

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

extension TweetWriter {
  /// Gives a new tweet its labels: those of the post, if a copy is stored. So what was read is not unread again.
  /// - Parameter address: of the post; `nil` if it has no copies.
  /// - Returns: whether a copy is stored.
  mutating func addLabels(to key: Int, ofPost address: String?) throws(ToolError) -> Bool {
    if isRestoring { return false }
    if let address, let copy = try tweets.other(ofPost: address, than: key) {
      try labels.copy(from: copy, to: key)
      return true
    }
    for label in newLabels { _ = try labels.add(label, to: key, in: database) }
    return false
  }
}
