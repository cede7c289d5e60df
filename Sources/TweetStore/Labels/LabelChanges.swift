import SQLite
package import TweetCore

/// Gives labels to stored tweets and takes others away, many tweets in one transaction: call ``begin()``, then
/// ``apply(to:)`` for each, then ``commit()``.
package struct LabelChanges: ~Copyable {
  private let store: TweetStore
  private var labels: LabelTables
  private let find: Statement
  private let added: [TweetLabel]
  private let removed: [TweetLabel]

  /// Waits for the write lock and begins a transaction. Other writers wait until ``commit()`` or ``rollback()``.
  package func begin() throws(ToolError) {
    while true {
      try store.database.begin()
      do throws(ToolError) {
        if try !TweetStore.hasIncoming(store.database) { return }
      } catch {
        store.database.rollback()
        throw error
      }
      store.database.rollback()
      try store.moveIncoming()
    }
  }

  /// Commits: all changes are on disk.
  package mutating func commit() throws(ToolError) {
    do throws(ToolError) {
      try store.database.commit()
    } catch {
      labels.clearCache()
      throw error
    }
  }

  /// Undoes the transaction.
  package mutating func rollback() {
    store.database.rollback()
    labels.clearCache()
  }

  /// Changes the labels of the tweet that a record is about. Returns what is wrong with the record, `nil` if nothing
  /// is.
  package mutating func apply(to tweet: JSONValue) throws(ToolError) -> String? {
    guard let service = tweet["service"], service.isText else { return "no \"service\"" }
    guard let id = tweet["id"], id.isText else { return "no \"id\"" }
    find.bind(1, text: service)
    find.bind(2, text: id)
    let key = try find.step() ? find.row.integer(0) : nil
    find.reset()
    guard let key else { return "no tweet '\(service.string ?? ""):\(id.string ?? "")' in '\(store.path)'" }
    try apply(to: key)
    return nil
  }

  /// Changes the labels of a tweet.
  /// - Parameter name: its id, its URL or `service:id`.
  /// - Throws: ``ToolError/noInput(_:)`` if it is not stored.
  package mutating func apply(to name: String, service: String?) throws(ToolError) {
    try apply(to: try store.key(of: name, service: service))
  }

  private mutating func apply(to key: Int) throws(ToolError) {
    for key in try labels.sharers(of: key) { try apply(toOnly: key) }
  }

  private mutating func apply(toOnly key: Int) throws(ToolError) {
    for label in added { _ = try labels.add(label, to: key, in: store.database) }
    for label in removed { _ = try labels.remove(label, from: key, in: store.database) }
  }
}

extension LabelChanges {
  package init(
    _ store: consuming TweetStore, adding added: [TweetLabel], removing removed: [TweetLabel]
  ) throws(ToolError) {
    let labels = try LabelTables(store.database)
    let find = try store.database.prepare("SELECT key FROM tweets WHERE service = ? AND id = ?")
    self.init(store: store, labels: labels, find: find, added: added, removed: removed)
  }
}

extension TweetStore {
  /// The labels of a tweet, in order.
  /// - Parameter name: its id, its URL or `service:id`.
  /// - Throws: ``ToolError/noInput(_:)`` if it is not stored.
  package func labels(
    of name: String, service: String?
  ) throws(ToolError) -> (service: String, id: String, labels: [String]) {
    let key = try key(of: name, service: service)
    var labels: [String] = []
    try database.forEachRow(
      "SELECT l.label FROM labels l JOIN tweet_labels t ON t.label = l.key AND t.tweet = ? ORDER BY l.label",
      .integer(key)
    ) { labels.append($0.text(0) ?? "") }
    let tweet = try database.first("SELECT service, id FROM tweets WHERE key = ?", .integer(key)) { row in
      (row.text(0) ?? "", row.text(1) ?? "")
    }
    return (tweet?.0 ?? "", tweet?.1 ?? "", labels)
  }

  /// All labels that tweets have or had, and how many tweets have each now.
  package func labelCounts() throws(ToolError) -> [(label: String, tweets: Int)] {
    var found: [(label: String, tweets: Int)] = []
    try database.forEachRow(
      "SELECT label, (SELECT count(*) FROM tweet_labels t WHERE t.label = labels.key) FROM labels ORDER BY label"
    ) { row in found.append((row.text(0) ?? "", row.integer(1))) }
    return found
  }

  /// The key of a label; `nil` if no tweet ever had it.
  func key(of label: TweetLabel) throws(ToolError) -> Int? {
    try database.first("SELECT key FROM labels WHERE label = ?", .text(label.text)) { $0.integer(0) }
  }
}
