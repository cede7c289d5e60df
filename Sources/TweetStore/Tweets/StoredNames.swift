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
  /// The last scalar of Unicode: text that begins with a prefix is smaller than the prefix with this behind it.
  private static let last = "\u{10FFFF}"

  /// The names in the store at `path` that begin with `prefix`, in order, at most 200; in any case for users.
  ///
  /// A person waits for the answer: the schema is not looked at, and nothing waits for a program that writes.
  /// - Throws: what opening and reading the store throw.
  package func names(startingWith prefix: String, in path: String) throws(ToolError) -> [String] {
    let database = try Database(damaged: path)
    let statement = try database.prepare(sql)
    statement.bind(1, prefix)
    statement.bind(2, prefix + Self.last)
    statement.bind(3, Self.most)
    var names: [String] = []
    while try statement.step() { names.append(statement.row.text(0) ?? "") }
    return names
  }

  private var sql: String {
    switch self {
    case .hashtags:
      // Each step finds the next hashtag in the index, however many tweets one has.
      """
      WITH RECURSIVE found (tag) AS (
        SELECT min(tag) FROM tweet_hashtags WHERE tag >= ?1
        UNION ALL SELECT (SELECT min(tag) FROM tweet_hashtags WHERE tag > f.tag) FROM found f WHERE f.tag < ?2)
      SELECT tag FROM found WHERE tag < ?2 LIMIT ?3
      """
    case .users:
      "SELECT DISTINCT username FROM users WHERE username >= ?1 AND username < ?2 ORDER BY username LIMIT ?3"
    case .feeds: "SELECT DISTINCT feed FROM feeds WHERE feed >= ?1 AND feed < ?2 ORDER BY feed LIMIT ?3"
    case .sources: "SELECT DISTINCT source FROM sources WHERE source >= ?1 AND source < ?2 ORDER BY source LIMIT ?3"
    case .labels: "SELECT label FROM labels WHERE label >= ?1 AND label < ?2 ORDER BY label LIMIT ?3"
    case .queries: "SELECT name FROM saved_queries WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT ?3"
    }
  }
}
