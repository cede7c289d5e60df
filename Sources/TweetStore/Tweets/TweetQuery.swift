import SQLite
import Services
package import TweetCore

/// Conditions on stored tweets. A tweet must meet all that are set.
package struct TweetQuery: Sendable, Equatable {
  /// Posted at this time or later.
  package var since: Timestamp?
  /// Posted before this time.
  package var until: Timestamp?
  /// User names without "@", in any case, present or former. A tweet must be by any of these users.
  package var authors: [String] = []
  /// As authors: a tweet must be a retweet of one of these users.
  var retweetedAuthors: [String] = []
  /// Hashtags without "#", in any case. A tweet must have all of them.
  package var tags: [String] = []
  /// Words that the text must all have; words in double quotes must follow each other. `#tag` and `@name` are searched
  /// for in the hashtags and the mentions.
  package var search: String?
  /// Where these words are looked for; `nil` for everywhere.
  package var searchPlace: SearchPlace?
  /// A query in FTS5's own language.
  package var match: String?
  package var service: String?
  /// Sources in their normal form. A tweet must have come from any of them. Hashtags and user names match in any case.
  package var feeds: [String] = []
  /// A language's code, in the service's form.
  package var lang: String?
  package var hasMedia = false
  /// A tweet must have all of these kinds of media.
  package var mediaKinds: Set<MediaKind> = []
  package var hasLinks = false
  /// A kind of thing that tw-linkcheck found behind one of its links.
  package var linkKind: String?
  /// Links whose kinds the store does not have yet; see ``LinkKinds``.
  var checkedLinks: [CheckedLink] = []
  /// Only tweets newer than this one: an id, a URL or `service:id`.
  package var after: String?
  /// Only tweets older than this one.
  package var before: String?
  /// Only tweets with this key or a larger one.
  package var firstKey: Int?
  /// Only tweets with a smaller key.
  package var endKey: Int?
  /// SQL for whether it was stored after another list; see ``ListEnd``.
  var storedSQL: String?
  /// Liked at least this often, as far as is known.
  package var minLikes: Int?
  /// Liked at most this often, as far as is known.
  package var maxLikes: Int?
  /// Retweeted at least this often.
  package var minRetweets: Int?
  /// A tweet must be of any of these kinds that say what it refers to, if there are any, and of all others.
  package var kinds: [TweetKind] = []
  /// A tweet must have all of these labels.
  package var labels: [TweetLabel] = []
  /// A tweet must have a link to any of these hosts.
  package var hosts: [LinkedHost] = []
  /// A tweet must match all of these queries too. Of them, only what chooses tweets by what is in them counts, and
  /// times.
  package var parts: [TweetQuery] = []
  /// A tweet must match none of these queries.
  package var excluded: [TweetQuery] = []
  /// Of each of these lists a tweet must match at least one query.
  package var alternatives: [[TweetQuery]] = []
  /// Whether it finds what a list mutes.
  package internal(set) var isMuted = false
  package var limit: Int?
  package var isOldestFirst = false
  /// Also tweets with a later edit, tweets withheld everywhere, and deleted tweets that are kept.
  package var includesHidden = false

  /// Also further copies of a post that it finds; see ``ShownCopies``.
  package var includesCopies = false
  /// Whether the retweet that stands for several names all who made one; `nil` for where it does.
  private var isNaming: Bool?
  var namesRetweeters: Bool { isNaming ?? !includesCopies }
  /// The most tweets of a list in which retweets that are listed one by one name those who made the others: each costs
  /// as much as six other tweets.
  private static let mostNaming = 1000
  var namesRetweetersOfEach: Bool { isNaming ?? (namesRetweeters && limit ?? .max <= Self.mostNaming) }

  /// Each stored tweet, for whoever asks by its key: what is shown was decided before.
  package static var everything: TweetQuery {
    var query = TweetQuery()
    (query.includesHidden, query.includesCopies, query.isNaming) = (true, true, true)
    return query
  }

  package init() {}
}

/// What a tweet refers to, and what signed-in accounts did with it. One that answers a tweet and quotes another is of
/// two kinds.
package enum TweetKind: String, CaseIterable, Sendable {
  case reply, retweet, quote
  /// None of those.
  case original
  /// By an account of the store, as far as a service or tw-post said so.
  case liked, bookmarked

  /// A condition on `tweets t`; `nil` where there is a column for it.
  var condition: String? {
    let type: String
    switch self {
    case .reply: type = "= 'replied_to'"
    case .retweet: type = "= 'retweeted'"
    case .quote: type = "= 'quoted'"
    case .original: type = "IN ('replied_to', 'retweeted', 'quoted')"
    case .liked, .bookmarked: return nil
    }
    let exists = "EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = t.key AND r.type \(type))"
    return self == .original ? "NOT " + exists : exists
  }

  /// The values of the column `viewer` that such tweets have.
  var viewerValues: [SQLValue]? {
    switch self {
    case .liked: ViewerMark.liked.values
    case .bookmarked: ViewerMark.bookmarked.values
    default: nil
    }
  }
}

extension TweetQuery {
  /// The same query of words in tweets' own texts alone; `nil` if none of its words are looked for everywhere.
  package var inOwnTexts: TweetQuery? {
    var (narrowed, isOther) = (self, false)
    narrowed.narrowToTexts(&isOther)
    return isOther ? narrowed : nil
  }

  private mutating func narrowToTexts(_ isOther: inout Bool) {
    if searchPlace == nil, let search, SearchText.Query(search, in: nil).match != nil {
      (searchPlace, isOther) = (.text, true)
    }
    for index in parts.indices { parts[index].narrowToTexts(&isOther) }
    for list in alternatives.indices {
      for index in alternatives[list].indices { alternatives[list][index].narrowToTexts(&isOther) }
    }
  }

  /// It, and all queries in it that tweets may match.
  var wanted: [TweetQuery] { [self] + (parts + alternatives.flatMap(\.self)).flatMap(\.wanted) }

  /// Calls `body` with it and each query in it.
  mutating func forEach<Failure: Error>(
    _ body: (inout TweetQuery) throws(Failure) -> Void
  ) throws(Failure) {
    try body(&self)
    for index in parts.indices { try parts[index].forEach(body) }
    for index in excluded.indices { try excluded[index].forEach(body) }
    for list in alternatives.indices {
      for index in alternatives[list].indices { try alternatives[list][index].forEach(body) }
    }
  }

  /// It, and all queries in it.
  var all: [TweetQuery] { [self] + (parts + excluded + alternatives.flatMap(\.self)).flatMap(\.all) }

  /// What no index is for: it is looked at for each tweet that the filters find.
  var conditions: [QueryCondition] {
    var conditions: [QueryCondition] = []
    if let storedSQL { conditions.append(.sql(storedSQL, nil)) }
    if let minLikes { conditions.append(.sql("t.like_count >= %", .integer(minLikes))) }
    if let maxLikes { conditions.append(.sql("t.like_count <= %", .integer(maxLikes))) }
    if let minRetweets { conditions.append(.sql("t.retweet_count >= %", .integer(minRetweets))) }
    let references = kinds.compactMap(\.condition)
    if !references.isEmpty { conditions.append(.sql("(" + references.joined(separator: " OR ") + ")", nil)) }
    return conditions
  }
}

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
    if let reason = try statement.rejection() { throw .usage("'\(match)' is not a query of FTS5: \(reason)") }
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

extension TweetQuery {
  /// Finds the tweets that a list mutes, as ``MuteList/mutes(_:)`` does.
  package init(mutedBy list: MuteList) {
    self.init()
    var any: [TweetQuery] = []
    func add(_ change: (inout TweetQuery) -> Void) {
      var query = TweetQuery()
      change(&query)
      any.append(query)
    }
    if !list.people.isEmpty {
      add { $0.authors = list.people }
      add { $0.retweetedAuthors = list.people }
    }
    for tag in list.tags { add { $0.tags = [tag] } }
    for phrase in list.phrases { add { $0.search = "\"\(phrase)\"" } }
    alternatives = [any]
    isMuted = true
  }

  /// Leaves out what a list mutes, and kinds of tweets.
  /// - Parameter muted: a query of ``init(mutedBy:)``; `nil` for no list.
  package mutating func hide(_ muted: TweetQuery?, _ kinds: [HiddenTweets.Kind]) {
    if let muted { excluded.append(muted) }
    for kind in kinds {
      var other = TweetQuery()
      other.kinds = [kind == .retweets ? .retweet : .reply]
      excluded.append(other)
    }
  }
}
