package import SQLite
package import TweetCore

/// Removes tweets that a person names, in short transactions: other writers do not wait long.
package struct Forgetting: ~Copyable {
  /// How many tweets are forgotten in one transaction.
  private static let batch = 200

  /// Tweets that are to be forgotten, and what goes with them.
  package struct Plan: Sendable {
    /// Service and id of each.
    package fileprivate(set) var tweets: [(service: String, id: String)] = []
    /// Retweets of them, which are removed too.
    package fileprivate(set) var retweets = 0
    /// Other tweets that contain one of them, and lose the copy.
    package fileprivate(set) var copies = 0
  }

  private var writer: TweetWriter

  package init(_ store: consuming TweetStore) throws(ToolError) { writer = try TweetWriter(store) }

  /// Forgets all tweets of a plan. Returns how many there were: less than planned after a signal.
  package mutating func run(_ plan: Plan, progress: WorkSteps) throws(ToolError) -> Int {
    var (done, next) = (0, 0)
    while next < plan.tweets.count, Interruption.signal == nil {
      let end = min(next + Self.batch, plan.tweets.count)
      try writer.begin()
      do throws(ToolError) {
        for tweet in plan.tweets[next..<end] {
          if try writer.forget(tweet.id, service: tweet.service) { done += 1 }
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
    if let query { keys += try self.keys(query).map(\.key) }
    var plan = Forgetting.Plan()
    let all = Set(keys)
    var (retweets, copies) = (Set<Int>(), Set<Int>())
    for key in all.sorted() {
      try database.forEachRow("SELECT service, id FROM tweets WHERE key = ?", .integer(key)) { row in
        plan.tweets.append((row.text(0) ?? "", row.text(1) ?? ""))
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

  /// Calls `body` with the record of each forgotten tweet that could come back, the one that was forgotten last first.
  package func forEachForgotten(
    _ body: (ByteView) throws(ToolError) -> Void
  ) throws(ToolError) -> DamagedRows {
    var damaged = DamagedRows()
    try database.forEachRow(sql: Self.forgottenSQL) { (row) throws(ToolError) in
      guard row.isSound(1, record: 0) == true else {
        return damaged.append("forgotten tweet '\(row.text(2) ?? ""):\(row.text(3) ?? "")'")
      }
      try body(row.bytes(0))
    }
    return damaged
  }

  private static let forgottenSQL = """
    SELECT \(RecordPacker.tweet("t")), \(RowSum.forgottenTweets.isSound("t")), t.service, t.named
    FROM forgotten_tweets t JOIN forgotten f ON f.service = t.service AND f.id = t.named
    WHERE t.id = t.named ORDER BY f.forgotten_at DESC, length(t.named) DESC, t.named DESC
    """

  /// How many forgotten tweets could come back.
  package func forgottenCount() throws(ToolError) -> Int {
    try database.first("SELECT count(*) FROM forgotten_tweets WHERE id = named") { $0.integer(0) } ?? 0
  }

  /// The service and the id of each forgotten tweet of a name that could come back; of all if there is no name.
  package func forgotten(_ name: String?, service: String?) throws(ToolError) -> [(service: String, id: String)] {
    var found: [(service: String, id: String)] = []
    let wanted = name.map { TweetName($0).candidates }
    try database.forEachRow("SELECT service, named FROM forgotten_tweets WHERE id = named") { row in
      let (itsService, id) = (row.text(0) ?? "", row.text(1) ?? "")
      let isWanted =
        wanted?.contains { $0.id == id && ($0.service ?? service ?? itsService) == itsService }
        ?? (service ?? itsService == itsService)
      if isWanted { found.append((itsService, id)) }
    }
    if let name, found.isEmpty { throw .noInput("no forgotten tweet '\(name)' can come back to '\(path)'") }
    return found
  }
}
