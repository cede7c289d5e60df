package import SQLite
package import TweetCore

/// Removes tweets that a person names, in short transactions: other writers do not wait long.
package struct Forgetting: ~Copyable {
  /// How many tweets are forgotten in one transaction.
  private static let batch = 200

  /// Tweets that are to be forgotten, and what goes with them.
  package struct Plan: Sendable {
    /// Service and id of each; of what goes as a copy of another one the address of the post.
    package fileprivate(set) var tweets: [(service: String, id: String, address: String?)] = []
    /// Retweets of them, which are removed too.
    package fileprivate(set) var retweets = 0
    /// Other tweets that contain one of them, and lose the copy.
    package fileprivate(set) var copies = 0
  }

  var writer: TweetWriter

  package init(_ store: consuming TweetStore) throws(ToolError) { writer = try TweetWriter(store) }

  /// Forgets all tweets of a plan. Returns how many there were: less than planned after a signal.
  package mutating func run(_ plan: Plan, progress: WorkSteps) throws(ToolError) -> Int {
    var (done, next) = (0, 0)
    while next < plan.tweets.count, Interruption.signal == nil {
      let end = min(next + Self.batch, plan.tweets.count)
      try writer.begin()
      do throws(ToolError) {
        for tweet in plan.tweets[next..<end] {
          if try writer.forget(tweet.id, service: tweet.service, address: tweet.address) { done += 1 }
        }
      } catch {
        writer.rollback()
        throw error
      }
      try writer.commit()
      next = end
      progress(next, plan.tweets.count, "tweets")
    }
    return done
  }
}

extension TweetStore {
  /// - Parameters:
  ///   - names: ids, URLs or `service:id`s.
  ///   - query: tweets that are meant too; `nil` for none.
  /// - Throws: ``ToolError/noInput(_:)`` for a name that no stored tweet has.
  package func plan(
    forgetting names: [String], service: String?, _ query: TweetQuery?
  ) throws(ToolError) -> Forgetting.Plan {
    var keys = try names.map { (name) throws(ToolError) in try key(of: name, service: service) }
    if var query {
      query.includesCopies = true
      keys += try self.keys(query).map(\.key)
    }
    var addresses: [Int: String] = [:]
    for key in keys {
      try database.forEachRow(sql: Self.copiesSQL, .integer(key)) { row in
        keys.append(row.integer(0))
        addresses[row.integer(0)] = row.text(1)
      }
    }
    var plan = Forgetting.Plan()
    let all = Set(keys)
    var (retweets, copies) = (Set<Int>(), Set<Int>())
    for key in all.sorted() {
      try database.forEachRow("SELECT service, id FROM tweets WHERE key = ?", .integer(key)) { row in
        plan.tweets.append((row.text(0) ?? "", row.text(1) ?? "", addresses[key]))
      }
      try database.forEachRow(
        """
        SELECT r.tweet, r.type = 'retweeted' FROM tweets t
          JOIN tweet_references r ON r.id = t.id JOIN tweets o ON o.key = r.tweet AND o.service = t.service
        WHERE t.key = ?
        """, .integer(key)
      ) { row in
        if row.integer(1) != 0 { retweets.insert(row.integer(0)) } else { copies.insert(row.integer(0)) }
      }
    }
    (plan.retweets, plan.copies) = (
      retweets.subtracting(all).count, copies.subtracting(retweets).subtracting(all).count
    )
    return plan
  }

  /// The copies of a tweet that is not a retweet, and retweets of copies that are not stored themselves: the others go
  /// with what they retweet.
  private static let copiesSQL = """
    SELECT o.key, o.address FROM tweets me JOIN tweets o ON o.address = me.address AND o.key <> me.key
    WHERE me.key = ? AND NOT EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = me.key AND r.type = 'retweeted')
      AND NOT EXISTS (SELECT 1 FROM tweet_references r JOIN tweets t ON t.service = o.service AND t.id = r.id
        WHERE r.tweet = o.key AND r.type = 'retweeted')
    """

  /// Calls `body` with the record of each forgotten or deleted tweet that could come back, the one that went last
  /// first.
  package func forEach(
    _ lost: LostTweets, _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    let sql = """
      SELECT \(RecordPacker.tweet("t")), \(RowSum.forgottenTweets.isSound("t")), t.service, t.named
      \(lost.sql) AND t.id = t.named ORDER BY \(lost.time) DESC, length(t.named) DESC, t.named DESC
      """
    try database.forEachRow(sql: sql, lost.values[0], lost.values[1]) { (row) throws(ToolError) in
      guard row.isSound(1, record: 0) == true else {
        return damaged.append("forgotten tweet '\(row.text(2) ?? ""):\(row.text(3) ?? "")'")
      }
      try body(row.bytes(0))
    }
    return damaged
  }

  private static let forgottenCopiesSQL = """
    SELECT o.service, o.named FROM forgotten me JOIN forgotten o ON o.address = me.address AND o.id = o.named
    JOIN forgotten_tweets t ON t.service = o.service AND t.named = o.named AND t.id = o.named
    WHERE me.service = ? AND me.id = ?
    """

  /// How many forgotten and deleted tweets could come back.
  package func forgottenCount() throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM forgotten_tweets WHERE id = named") { $0.integer(0) } ?? 0
  }

  /// The service and the id of each forgotten or deleted tweet of these names that could come back; of all if there is
  /// no name.
  /// - Throws: ``ToolError/noInput(_:)`` for a name that none has.
  package func find(
    _ lost: LostTweets, _ names: [String], service: String?
  ) throws(ToolError) -> [(service: String, id: String)] {
    var found: [(service: String, id: String)] = []
    var seen: Set<[String]> = []
    var wanted: [String: [(name: Int, service: String?)]] = [:]
    for (index, name) in names.enumerated() {
      for one in TweetName(name).candidates { wanted[one.id, default: []].append((index, one.service)) }
    }
    var missing = Set(names.indices)
    let sql = "SELECT DISTINCT t.service, t.named \(lost.sql)"
    try database.forEachRow(sql: sql, lost.values[0], lost.values[1]) { row in
      let (its, id) = (row.text(0) ?? "", row.text(1) ?? "")
      let meant = wanted[id, default: []].filter { ($0.service ?? service ?? its) == its }
      missing.subtract(meant.map(\.name))
      guard names.isEmpty ? service ?? its == its : !meant.isEmpty else { return }
      if seen.insert([its, id]).inserted { found.append((its, id)) }
    }
    // Its copies went with it.
    for tweet in names.isEmpty ? [] : found {
      try database.forEachRow(sql: Self.forgottenCopiesSQL, .text(tweet.service), .text(tweet.id)) { row in
        let copy = (service: row.text(0) ?? "", id: row.text(1) ?? "")
        if seen.insert([copy.service, copy.id]).inserted { found.append(copy) }
      }
    }
    if let name = missing.min() { throw .noInput("no \(lost.word) tweet '\(names[name])' can come back to '\(path)'") }
    return found
  }
}

/// Tweets that left the store and could come back.
package enum LostTweets {
  /// Those that a person removed.
  case forgotten
  /// Those that their service said are deleted, from a time on; only those that a feed had brought, if one is named.
  case deleted(since: Timestamp?, feed: String?)

  /// As messages call one.
  package var word: String { if case .forgotten = self { "forgotten" } else { "deleted" } }

  /// When one went.
  fileprivate var time: String { if case .forgotten = self { "f.forgotten_at" } else { "f.deleted_at" } }

  /// `FROM` and `WHERE` of what is kept of them; `?1` and `?2` are `values`.
  fileprivate var sql: String {
    switch self {
    case .forgotten:
      """
      FROM forgotten_tweets t JOIN forgotten f ON f.service = t.service AND f.id = t.named
      WHERE t.id = t.named AND ?1 IS ?2
      """
    case .deleted:
      """
      FROM forgotten_tweets t JOIN tombstones f ON f.service = t.service AND f.id = t.named
      WHERE f.deleted_at >= ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM forgotten_tweets o, json_each(o.stored, '$.feeds') e
        WHERE o.service = t.service AND o.named = t.named AND json_extract(e.value, '$[0]') = ?2 COLLATE NOCASE))
      """
    }
  }

  fileprivate var values: [SQLValue] {
    guard case .deleted(let since, let feed) = self else { return [.null, .null] }
    return [.text(since?.rfc3339 ?? ""), SQLValue(feed)]
  }
}

/// A forgotten tweet is removed as a deleted one is: with its retweets and its other versions, and tweets that contain
/// it lose the copy. What goes is kept in `forgotten_tweets`.
extension TweetWriter {
  /// - Parameters:
  ///   - named: the id of the tweet, which need not be stored.
  ///   - others: ids of its other versions, beside those that the store knows.
  ///   - address: of the post, if that is known beside what is stored.
  /// - Returns: whether it was stored.
  mutating func forget(
    _ named: String, service: String, others: [String] = [], address: String? = nil
  ) throws(ToolError) -> Bool {
    var ids = [named]
    var keys: [(key: Int, id: String)] = []
    for id in [named] + others {
      let known = try versions(of: id, service: service)
      if id != named { ids.append(id) }
      for version in known where !keys.contains(where: { $0.key == version.key }) { keys.append(version) }
    }
    var address = address
    for version in keys where address == nil {
      address = try database.first(sql: Self.addressSQL, [.integer(version.key)]) { $0.text(0) } ?? nil
    }
    for id in ids + keys.map(\.id) {
      try forgotten.add(service: service, id: id, named: named, now: now, address: address)
    }
    let going = Set(keys.map(\.key))
    let referrers = try keep(going, ids: Set(ids + keys.map(\.id)), with: named, service: service)
    for version in keys {
      try remove(version.key)
      // Whoever shows it looks for it again, and finds nothing.
      recent.append(version.key)
    }
    for referrer in referrers where !going.contains(referrer.key) {
      if referrer.isRetweet { try remove(referrer.key) } else { try redact(referrer.key) }
    }
    return !keys.isEmpty
  }

  /// Keeps what the deletion of a tweet removes, or marks.
  mutating func keepDeleted(_ id: String, service: String) throws(ToolError) {
    let going = Set(try versions(of: id, service: service).map(\.key))
    // The service may say it again.
    if keepsDeleted { for key in going where try isMarked(key) { return } }
    _ = try keep(going, ids: [id], with: id, service: service)
  }

  /// Keeps tweets that go, and those that go or change with them.
  /// - Parameters:
  ///   - going: the keys of all versions of the tweet.
  ///   - ids: of the versions, whether they are stored or not.
  /// - Returns: the tweets that go or change with them.
  private mutating func keep(
    _ going: Set<Int>, ids: Set<String>, with named: String, service: String
  ) throws(ToolError) -> [ReferenceTable.Referrer] {
    for key in going { try keep(key, isGoing: true, with: named, service: service) }
    var referrers: [ReferenceTable.Referrer] = []
    for id in ids.sorted() { referrers += try references.referrers(service: service, id: id) }
    for referrer in referrers where !going.contains(referrer.key) {
      try keep(referrer.key, isGoing: referrer.isRetweet, with: named, service: service)
    }
    return referrers
  }

  /// A retweet has the address of what it retweets, which is not forgotten with it.
  private static let addressSQL = """
    SELECT address FROM tweets WHERE key = ?
      AND NOT EXISTS (SELECT 1 FROM tweet_references WHERE tweet = key AND type = 'retweeted')
    """

  /// - Parameter isGoing: whether the tweet is removed; else only a copy in it is.
  private mutating func keep(
    _ key: Int, isGoing: Bool, with named: String, service: String
  ) throws(ToolError) {
    var lines = ByteBuffer(capacity: 4096)
    guard try ExportPart.appendTweet(key, of: database, to: &lines) else { return }
    // The last line is what is stored beside the record, which may have line breaks if another program made it.
    let bytes = lines.array
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let record = bytes[..<end]
    let stored = isGoing ? String(decoding: bytes[(end + 1)...], as: UTF8.self) : nil
    try JSONDocument.stored(Array(record)).read { (record) throws(ToolError) in
      // A tweet that has no copy loses none.
      if !isGoing, let service = record["service"], try redacted(record, service: service) == nil { return }
      try forgotten.keep(record, stored: stored, of: named, service: service)
    }
  }

  /// The stored versions of a tweet, the one of that id first.
  private mutating func versions(of id: String, service: String) throws(ToolError) -> [(key: Int, id: String)] {
    try Self.value(service).read { (service) throws(ToolError) in
      try Self.value(id).read { (name) throws(ToolError) in
        var found: [(key: Int, id: String)] = []
        if let key = try tweets.key(service: service, id: name) { found.append((key, id)) }
        return found + (try versions.versions(service: service, id: name)).filter { $0.id != id }
      }
    }
  }

  private static func value(_ text: String) throws(ToolError) -> JSONDocument {
    var json = ByteBuffer(capacity: text.utf8.count + 2)
    json.appendJSONString(text)
    return try JSONDocument.stored(json.array)
  }
}
