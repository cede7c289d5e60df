package import TweetCore

/// Which stored tweets are wanted. All that is set must hold.
package struct TweetQuery: Sendable {
  /// Posted at this time or later.
  package var since: Timestamp?
  /// Posted before this time.
  package var until: Timestamp?
  /// A user name without "@", in any case; former names count too.
  package var author: String?
  /// A hashtag without "#", in any case.
  package var tag: String?
  /// Words that must all be there; those in double quotes stand together.
  package var search: String?
  package var service: String?
  /// The source that brought it, as tw-stream takes it.
  package var feed: String?
  /// Only tweets newer than this one: an id, a URL or `service:id`.
  package var after: String?
  /// Only tweets older than this one.
  package var before: String?
  package var limit: Int?
  package var isOldestFirst = false

  package init() {}
}

extension TweetStore {
  /// Calls `body` with the record of each tweet wanted, newest first, as it was stored; until it gives false.
  ///
  /// Rows are read one by one in the order of the index that fits best, so the first comes at once, and memory does not
  /// depend on how many there are.
  package func forEach(
    _ query: TweetQuery, _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Bool
  ) throws(ToolError) {
    guard let sql = try sql(for: query) else { return }
    let statement = try database.prepare(sql.text)
    statement.bind(sql.values)
    while try statement.step() {
      if !(try body(statement.row.bytes(0))) { return statement.reset() }
    }
  }

  /// A query as SQL; `nil` when nothing can fit.
  func sql(for query: TweetQuery) throws(ToolError) -> QuerySQL? {
    // The first of these is what is walked through, in the order of its keys; the others are looked up for each row.
    var sql = QuerySQL()
    if let words = query.search {
      guard let match = SearchText.query(words) else { return nil }
      sql.add(table: "tweet_search", key: "rowid", where: "tweet_search MATCH ?", [.text(match)])
    }
    if let tag = query.tag {
      sql.add(table: "tweet_hashtags", key: "tweet", where: "tag = ?", [.text(tag.lowercased())])
    }
    if let author = query.author {
      let keys = try userKeys(author, service: query.service)
      if keys.isEmpty { return nil }
      // Of one user the index is in order; of several with one name, each on a service of its own, SQLite sorts.
      let marks = Array(repeating: "?", count: keys.count).joined(separator: ", ")
      sql.add(where: "t.author " + (keys.count == 1 ? "= ?" : "IN (\(marks))"), keys.map { .integer($0) })
    }
    if let feed = query.feed {
      let keys = try feedKeys(feed, service: query.service)
      if keys.isEmpty { return nil }
      let marks = Array(repeating: "?", count: keys.count).joined(separator: ", ")
      sql.add(
        table: "tweet_feeds", key: "tweet", where: "feed " + (keys.count == 1 ? "= ?" : "IN (\(marks))"),
        keys.map { .integer($0) })
    }
    if let service = query.service { sql.add(where: "t.service = ?", [.text(service)]) }
    var range = KeyRange()
    if let since = query.since { range.raise(to: TweetKey.smallest(at: since)) }
    if let until = query.until { range.lower(to: TweetKey.smallest(at: until)) }
    if let after = query.after { range.raise(above: try key(of: after, service: query.service)) }
    if let before = query.before { range.lower(to: try key(of: before, service: query.service)) }
    sql.finish(range, isOldestFirst: query.isOldestFirst, limit: query.limit)
    return sql
  }

  private func userKeys(_ name: String, service: String?) throws(ToolError) -> [Int] {
    var keys: [Int] = []
    try database.forEachRow(
      """
      SELECT key FROM users WHERE username = ?1 AND (?2 IS NULL OR service = ?2)
      UNION SELECT u.key FROM user_names n JOIN users u ON u.key = n.user
        WHERE n.username = ?1 AND (?2 IS NULL OR u.service = ?2)
      """, .text(name), SQLValue(service)
    ) { row in keys.append(row.integer(0)) }
    return keys
  }

  private func feedKeys(_ feed: String, service: String?) throws(ToolError) -> [Int] {
    var keys: [Int] = []
    try database.forEachRow(
      "SELECT key FROM feeds WHERE feed = ?1 AND (?2 IS NULL OR service = ?2)", .text(feed), SQLValue(service)
    ) { row in keys.append(row.integer(0)) }
    return keys
  }

  /// The key of a tweet that is named by id, URL or `service:id`.
  private func key(of name: String, service: String?) throws(ToolError) -> Int {
    for (place, id) in TweetName(name).candidates {
      let key = try database.first(
        // The services in use, found by leaps over the index, since (service, id) is what is unique.
        """
        WITH RECURSIVE services (service) AS (
          SELECT min(service) FROM tweets
          UNION ALL SELECT (SELECT min(service) FROM tweets WHERE service > s.service) FROM services s
            WHERE s.service IS NOT NULL)
        SELECT t.key FROM services s JOIN tweets t ON t.service = s.service AND t.id = ?1
        WHERE ?2 IS NULL OR t.service = ?2
        """, .text(id), SQLValue(place ?? service)
      ) { $0.integer(0) }
      if let key { return key }
    }
    throw .noInput("no tweet '\(name)' in '\(path)'")
  }
}
