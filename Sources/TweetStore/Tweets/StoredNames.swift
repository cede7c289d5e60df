import SQLite
package import TweetCore

/// Names in a store that a person may want to type.
package enum StoredNames: Sendable {
  /// Hashtags without "#", in lower case.
  case hashtags
  /// User names without "@".
  case users
  /// The sources that tweets came from, in their normal form.
  case feeds
  /// The sources that are refreshed, in their normal form.
  case sources
  /// Labels of tweets.
  case labels
  /// Saved queries.
  case queries

  /// Enough to choose from.
  private static let most = 200
  /// The last scalar of Unicode: text that begins with a prefix is smaller than the prefix with this after it.
  private static let last = "\u{10FFFF}"

  /// The names in the store at `path` that begin with `prefix`, in order, at most 200; in any case for users.
  /// - Throws: what opening and reading the store throw.
  package func names(startingWith prefix: String, in path: String) throws(ToolError) -> [String] {
    let store = try TweetStore(path, .readOnly, showsIncoming: isOfTweets)
    var names: Set<String> = []
    for sql in statements(isStaged: store.staged.isAttached) {
      try store.database.forEachRow(
        sql: sql, .text(prefix), .text(prefix + Self.last), .integer(Self.most)
      ) { names.insert($0.text(0) ?? "") }
    }
    let sorted = names.map { (self == .users ? $0.lowercased() : $0, $0) }.sorted { $0 < $1 }
    return sorted.prefix(Self.most).map(\.1)
  }

  /// Whether they come with tweets.
  private var isOfTweets: Bool { self != .sources && self != .queries }

  private func statements(isStaged: Bool) -> [String] {
    func names(_ column: String, _ table: String) -> [String] {
      ["SELECT DISTINCT \(column) FROM \(table) WHERE \(column) >= ?1 AND \(column) < ?2 ORDER BY 1 LIMIT ?3"]
    }
    return switch self {
    case .hashtags: isStaged ? ["main.", "staged."].map(Self.hashtags) : [Self.hashtags("main.")]
    case .users: names("username", "users")
    case .feeds: names("feed", "feeds")
    case .sources: names("source", "sources")
    case .labels: names("label", "labels")
    case .queries: names("name", "saved_queries")
    }
  }

  /// Each step finds the next hashtag in the index, however many tweets one has.
  private static func hashtags(_ schema: String) -> String {
    """
    WITH RECURSIVE found (tag) AS (
      SELECT min(tag) FROM \(schema)tweet_hashtags WHERE tag >= ?1
      UNION ALL SELECT (SELECT min(tag) FROM \(schema)tweet_hashtags WHERE tag > f.tag) FROM found f WHERE f.tag < ?2)
    SELECT f.tag FROM found f WHERE f.tag < ?2 AND EXISTS (SELECT 1 FROM tweet_hashtags t WHERE t.tag = f.tag) LIMIT ?3
    """
  }
}
