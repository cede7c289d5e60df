import SQLite
package import TweetCore

/// What tweets are counted by: the most frequent first, times the latest first.
package enum TopKind: String, Sendable, CaseIterable {
  case hashtags, links, authors, languages, services, hours, days, months

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
      SELECT coalesce(u.username, u.id), tweets,
        iif(EXISTS (SELECT 1 FROM users o WHERE o.username = u.username AND o.service <> u.service), u.service, NULL)
      FROM (
        SELECT author, count(*) AS tweets FROM \(store.tweets("key, author", indexedBy: "tweets_by_author"))
        WHERE key >= ?1 AND key < ?2 AND key \(hidden) AND author IS NOT NULL GROUP BY author ORDER BY tweets DESC, author LIMIT ?3)
      JOIN users u ON u.key = author ORDER BY tweets DESC, 1, 3
      """
    case .languages:
      Self.sql("lang", of: store.tweets("key, lang", indexedBy: "tweets_by_lang", where: "lang IS NOT NULL"))
    case .services: Self.sql("service", of: store.tweets("key, service", indexedBy: "tweets_by_service"))
    case .hours: Self.sql(times: "%Y-%m-%d %H:00", of: store)
    case .days: Self.sql(times: "%Y-%m-%d", of: store)
    case .months: Self.sql(times: "%Y-%m", of: store)
    }
  }

  private static let counted =
    "WHERE key >= ?1 AND key < ?2 AND key NOT IN (SELECT key FROM tweets WHERE hidden IS NOT NULL)"

  private static func sql(_ column: String, of tweets: String) -> String {
    "SELECT \(column), count(*) AS tweets FROM \(tweets) \(counted) GROUP BY 1 ORDER BY tweets DESC, 1 LIMIT ?3"
  }

  /// By the clocks of `$TZ`, which no zone sets by less than a quarter of an hour.
  private static func sql(times form: String, of store: borrowing TweetStore) -> String {
    """
    SELECT strftime('\(form)', quarter * 900, 'unixepoch', 'localtime') AS time, sum(tweets) FROM (
      SELECT \(TweetKey.seconds("key")) / 900 AS quarter, count(*) AS tweets
      FROM \(store.tweets("key", indexedBy: "tweets_by_service")) \(counted) GROUP BY 1)
    GROUP BY time ORDER BY time DESC LIMIT ?3
    """
  }
}

extension TweetStore {
  /// The most frequent of what is counted, or the latest times, of tweets posted at `since` or later and before
  /// `until`, and how many tweets have each; of an author whose name others have elsewhere also the
  /// service.
  package func top(
    _ kind: TopKind, since: Timestamp?, until: Timestamp?, limit: Int
  ) throws(ToolError) -> [(name: String, tweets: Int, service: String?)] {
    let statement = try database.prepare(kind.sql(self))
    statement.bind(1, since.map { TweetKey.smallest(at: $0) } ?? .min)
    statement.bind(2, until.map { TweetKey.smallest(at: $0) } ?? .max)
    statement.bind(3, limit)
    var found: [(name: String, tweets: Int, service: String?)] = []
    while try statement.step() {
      let row = statement.row
      found.append((row.text(0) ?? "", row.integer(1), kind == .authors ? row.text(2) : nil))
    }
    return found
  }
}
