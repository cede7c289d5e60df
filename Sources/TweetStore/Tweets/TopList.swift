import SQLite
package import TweetCore

/// What is counted for a list of the most frequent.
package enum TopKind: String, Sendable, CaseIterable {
  case hashtags, links, authors

  /// Counts in tweets with keys from ?1 to ?2, without ?2 itself; gives the ?3 most frequent, most first.
  fileprivate func sql(_ store: borrowing TweetStore) -> String {
    let hidden = "NOT IN (SELECT key FROM tweets WHERE hidden IS NOT NULL)"
    return switch self {
    case .hashtags:
      """
      SELECT tag, count(*) AS tweets FROM tweet_hashtags WHERE tweet >= ?1 AND tweet < ?2 AND tweet \(hidden)
      GROUP BY tag ORDER BY tweets DESC, tag LIMIT ?3
      """
    case .links:
      """
      SELECT url, count(*) AS tweets FROM tweet_urls WHERE tweet >= ?1 AND tweet < ?2 AND tweet \(hidden)
      GROUP BY url ORDER BY tweets DESC, url LIMIT ?3
      """
    case .authors:
      // Reads only the index by author, since the rows of `tweets` are long.
      """
      SELECT coalesce(u.username, u.id), tweets FROM (
        SELECT author, count(*) AS tweets FROM \(store.tweets("key, author", indexedBy: "tweets_by_author"))
        WHERE key >= ?1 AND key < ?2 AND key \(hidden) AND author IS NOT NULL GROUP BY author ORDER BY tweets DESC, author LIMIT ?3)
      JOIN users u ON u.key = author ORDER BY tweets DESC, 1
      """
    }
  }
}

extension TweetStore {
  /// The most frequent hashtags, links or authors of tweets posted at `since` or later and before `until`, and how many
  /// tweets have each.
  package func top(
    _ kind: TopKind, since: Timestamp?, until: Timestamp?, limit: Int
  ) throws(ToolError) -> [(name: String, tweets: Int)] {
    let statement = try database.prepare(kind.sql(self))
    statement.bind(1, since.map { TweetKey.smallest(at: $0) } ?? .min)
    statement.bind(2, until.map { TweetKey.smallest(at: $0) } ?? .max)
    statement.bind(3, limit)
    var found: [(name: String, tweets: Int)] = []
    while try statement.step() { found.append((statement.row.text(0) ?? "", statement.row.integer(1))) }
    return found
  }
}
