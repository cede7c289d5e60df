import SQLite
import Services
import TweetCore

extension TweetStore {
  /// Rows of a filter are counted up to this number. Of two filters with more rows either may lead.
  private static let many = 2000

  /// What makes the SQL of a query from the columns that are selected after the key; its range of keys, and the range
  /// that its times alone leave; `nil` if no tweet can match.
  func plan(
    for query: TweetQuery
  ) throws(ToolError) -> (sql: (_ columns: String) -> QuerySQL, range: KeyRange, period: KeyRange)? {
    var conditions: [QueryCondition] = query.includesHidden ? [] : [.sql("t.hidden IS NULL", nil)]
    conditions += try self.conditions(for: query)
    var (range, period) = (KeyRange(), KeyRange())
    for part in [query] + query.parts {
      range.narrow(to: try self.range(of: part))
      period.narrow(to: Self.period(of: part))
    }
    for part in query.parts { conditions += try self.conditions(for: part) }
    if let first = query.firstKey { range.raise(to: first) }
    if let end = query.endKey { range.lower(to: end) }
    let condition = QueryCondition.all(conditions).simplified
    if condition.isNothing { return nil }
    var (filters, others) = ([Filter](), [QueryCondition]())
    let parts: [QueryCondition] = if case .all(let parts) = condition { parts } else { [condition] }
    for part in parts {
      if case .filter(let filter) = part { filters.append(filter) } else { others.append(part) }
    }
    let (ordered, isStaged) = (try rarestFirst(filters), staged.isAttached)
    func sql(_ columns: String) -> QuerySQL {
      QuerySQL(ordered, conditions: others, columns: columns, isOldestFirst: query.isOldestFirst, isStaged: isStaged)
    }
    return (sql, range, period)
  }

  /// The keys that a query's own times leave.
  private static func period(of query: TweetQuery) -> KeyRange {
    var range = KeyRange()
    if let since = query.since { range.raise(to: TweetKey.smallest(at: since)) }
    if let until = query.until { range.lower(to: TweetKey.smallest(at: until)) }
    return range
  }

  /// The keys that a query's own times leave, and the tweets after or before which it begins.
  private func range(of query: TweetQuery) throws(ToolError) -> KeyRange {
    var range = Self.period(of: query)
    if let after = query.after { range.raise(above: try key(of: after, service: query.service)) }
    if let before = query.before { range.lower(to: try key(of: before, service: query.service)) }
    return range
  }

  /// What a query asks for, but for its own times and its parts.
  private func conditions(for query: TweetQuery) throws(ToolError) -> [QueryCondition] {
    guard let filters = try filters(for: query) else { return [.nothing] }
    var conditions = filters.map { QueryCondition.filter($0) } + query.conditions
    if !query.retweetedAuthors.isEmpty {
      let keys = try userKeys(query.retweetedAuthors, service: query.service)
      if keys.isEmpty { return [.nothing] }
      // No index has these in the order of keys.
      let retweets = "SELECT 1 FROM tweet_references r WHERE r.tweet = t.key AND r.type = 'retweeted'"
      conditions.append(.any(keys.map { .sql("EXISTS (\(retweets) AND r.author = %)", $0) }))
    }
    for other in query.excluded { conditions.append(.not(try condition(for: other))) }
    for list in query.alternatives {
      conditions.append(.any(try list.map { (other) throws(ToolError) in try condition(for: other) }))
    }
    return conditions
  }

  /// All that a query inside another asks for.
  private func condition(for query: TweetQuery) throws(ToolError) -> QueryCondition {
    var conditions = try self.conditions(for: query)
    let range = try range(of: query)
    if range.low > .min { conditions.append(.sql("t.key >= %", .integer(range.low))) }
    if range.high < .max { conditions.append(.sql("t.key < %", .integer(range.high))) }
    for part in query.parts { conditions.append(try condition(for: part)) }
    return .all(conditions)
  }

  private func filters(for query: TweetQuery) throws(ToolError) -> [Filter]? {
    var filters: [Filter] = []
    var tags = query.tags
    if let search = query.search {
      let words = SearchText.Query(search, in: query.searchPlace)
      if words.isEmpty { throw .usage("'\(search)' has no word that can be searched for") }
      if let match = words.match { filters.append(Filter(match: match)) }
      tags += words.tags
      filters += words.names.map { Filter(table: "tweet_mentions", column: "username", [.text($0)]) }
    }
    if let match = query.match.map(SearchText.match) {
      try check(match: match)
      filters.append(Filter(match: match))
    }
    filters += tags.map { Filter(table: "tweet_hashtags", column: "tag", [.text($0.lowercased())]) }
    if !query.authors.isEmpty {
      let keys = try userKeys(query.authors, service: query.service)
      if keys.isEmpty { return nil }
      filters.append(Filter(column: "author", index: "tweets_by_author", keys))
    }
    if !query.feeds.isEmpty {
      let keys = try feedKeys(query.feeds, service: query.service)
      if keys.isEmpty { return nil }
      filters.append(Filter(table: "tweet_feeds", column: "feed", keys))
    }
    for label in query.labels {
      guard let key = try key(of: label) else { return nil }
      filters.append(Filter(table: "tweet_labels", column: "label", [.integer(key)]))
    }
    if !query.hosts.isEmpty {
      filters.append(Filter(hosts: try query.hosts.map { (host) throws(ToolError) in try find(tweetsLinkingTo: host) }))
    }
    if let kind = query.linkKind {
      // The usual one is read in the order of tweets, without a look at all that have such links.
      let isUsual = query.checkedLinks.isEmpty
      filters.append(
        isUsual
          ? Filter(table: "tweet_urls", column: "kind", [.text(kind)])
          : Filter(kinds: [try find(tweetsWithLinksOf: kind, query.checkedLinks)]))
    }
    if let lang = query.lang { filters.append(Filter(column: "lang", index: "tweets_by_lang", [.text(lang)])) }
    if query.hasMedia || !query.mediaKinds.isEmpty {
      filters.append(Filter(column: "media", index: "tweets_with_media", MediaKind.values(with: query.mediaKinds)))
    }
    for kind in query.kinds {
      if let values = kind.viewerValues { filters.append(Filter(column: "viewer", index: "tweets_by_viewer", values)) }
    }
    if query.hasLinks { filters.append(Filter(column: "has_links", index: "tweets_with_links", [.integer(1)])) }
    if let service = query.service {
      filters.append(Filter(column: "service", index: "tweets_by_service", [.text(service)]))
    }
    return filters
  }

  /// Moves the filter with the fewest tweets to the front. Of filters with many tweets the first one stays in front.
  private func rarestFirst(_ filters: [Filter]) throws(ToolError) -> [Filter] {
    guard filters.count > 1 else { return filters }
    var sizes: [Int] = []
    for filter in filters {
      let statement = try database.prepare(filter.sizeSQL(Self.many))
      statement.bind(filter.values)
      sizes.append(try statement.step() ? statement.row.integer(0) : 0)
      if sizes.last == 0 { break }
    }
    let rarest = sizes.indices.min { sizes[$0] < sizes[$1] } ?? 0
    return [filters[rarest]] + filters[..<rarest] + filters[(rarest + 1)...]
  }

  private func check(match: String) throws(ToolError) {
    let statement = try database.prepare("SELECT 1 FROM tweet_search WHERE tweet_search MATCH ? LIMIT 1")
    statement.bind(1, match)
    if let reason = try statement.rejection() { throw .usage("'\(match)' is no query of FTS5: \(reason)") }
  }

  func userKeys(_ names: [String], service: String?) throws(ToolError) -> [SQLValue] {
    var keys: Set<Int> = []
    for name in names {
      for person in try people(named: name, service: service) { keys.formUnion([person.key].compactMap { $0 }) }
    }
    return try values(keys, of: "users")
  }

  func feedKeys(_ feeds: [String], service: String?) throws(ToolError) -> [SQLValue] {
    var keys: Set<Int> = []
    // Records name feeds as somebody wrote them. A store has few feeds.
    try database.forEachRow(
      "SELECT key, feed, service FROM feeds WHERE ?1 IS NULL OR service = ?1", SQLValue(service)
    ) { row in
      let (feed, grammar) = (row.text(1) ?? "", Services.reading(row.text(2)))
      let folded = grammar.folded(feed)
      if feeds.contains(where: { grammar.folded($0) == folded }) { keys.insert(row.integer(0)) }
    }
    return try values(keys, of: "sources")
  }

  /// Keys as values of a filter, in ascending order.
  private func values(_ keys: Set<Int>, of things: String) throws(ToolError) -> [SQLValue] {
    guard keys.count <= QuerySQL.mostParts else {
      throw .usage("\(keys.count) \(things) have these names: at most \(QuerySQL.mostParts) can be asked for at once")
    }
    return keys.sorted().map { .integer($0) }
  }

  /// The key of a tweet, named by its id, its URL or `service:id`.
  func key(of name: String, service: String?) throws(ToolError) -> Int {
    let wanted = TweetName(name)
    for candidate in try wanted.candidates + blueskyPosts(wanted) {
      // A tweet that is in both has one key.
      for schema in staged.isAttached ? ["main.", "staged."] : ["main."] {
        var key: Int?
        try database.forEachRow(
          sql: Self.keySQL(schema), .text(candidate.id), SQLValue(candidate.service ?? service),
          SQLValue(wanted.host(of: candidate))
        ) { row in key = key ?? row.integer(0) }
        if let key { return key }
      }
    }
    if let key = try key(ofAddress: name) { return key }
    throw .noInput("no tweet '\(name)' in '\(path)'")
  }

  /// The key of a post that one server has stored under an id of its own, by the address that it has at the server
  /// where it was written. One that is not the post's own among several has no index, so all posts of such servers are
  /// searched: some microseconds each.
  private func key(ofAddress name: String) throws(ToolError) -> Int? {
    let address = String(name.prefix { $0 != "?" && $0 != "#" })
    guard address.contains("://") else { return nil }
    let known = try database.first(
      """
      SELECT key FROM tweets WHERE address = ? AND hidden IS NULL
      ORDER BY EXISTS (SELECT 1 FROM tweet_references WHERE tweet = key AND type = 'retweeted'), first_seen, key LIMIT 1
      """, .text(address)
    ) { $0.integer(0) }
    if let known { return known }
    var found: Int?
    try database.forEachRow(
      sql: """
        SELECT t.key, \(RecordPacker.tweet("t")) FROM tweets t
        WHERE t.service GLOB 'mastodon:*' AND instr(\(RecordPacker.tweet("t")), CAST(?1 AS BLOB)) > 0
        """, .text(address)
    ) { row in
      guard found == nil, let record = try? JSONDocument(Array(row.bytes(1))) else { return }
      if record["url"]?.string == address || record["extra"]?["uri"]?.string == address { found = row.integer(0) }
    }
    return found
  }

  /// The ids that a page of Bluesky may be of which names the author by a handle: those who have or had it, as far as
  /// the store knows them.
  private func blueskyPosts(_ name: TweetName) throws(ToolError) -> [(service: String?, id: String)] {
    guard let post = name.blueskyPost else { return [] }
    var found: [(service: String?, id: String)] = []
    try database.forEachRow(
      """
      SELECT id FROM users WHERE username = ?1 AND service = 'bluesky'
      UNION ALL SELECT u.id FROM user_names n JOIN users u ON u.key = n.user
        WHERE n.username = ?1 AND u.service = 'bluesky'
      """, .text(post.author)
    ) { row in found.append(("bluesky", TweetName.blueskyID(row.text(0) ?? "", post.key))) }
    return found
  }

  /// The index is on (service, id), so the id is looked up for each service. The recursive part finds the services with
  /// one search of the index for each.
  private static func keySQL(_ schema: String) -> String {
    """
    WITH RECURSIVE services (service) AS (
      SELECT min(service) FROM \(schema)tweets
      UNION ALL SELECT (SELECT min(service) FROM \(schema)tweets WHERE service > s.service) FROM services s
        WHERE s.service IS NOT NULL)
    SELECT t.key FROM services s JOIN \(schema)tweets t ON t.service = s.service AND t.id = ?1
    WHERE (?2 IS NULL OR t.service = ?2)
      AND (?3 IS NULL OR t.service <> 'x' AND (t.service NOT LIKE 'mastodon:%' OR t.service = 'mastodon:' || ?3))
    LIMIT 1
    """
  }
}
