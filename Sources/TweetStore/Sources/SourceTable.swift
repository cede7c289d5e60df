import SQLite
package import TweetCore

/// The tables `sources` and `runs`.
extension TweetStore {
  /// How many runs of each source are kept: a day and a half with one run a minute.
  private static let keptRuns = 2000
  /// Parameters: service, account, source, and the seconds from one refresh to the next.
  private static let insertSource = RowSum.sources.insertNext(
    ["?1", "?2", "?3", "?4", "0"] + Array(repeating: "NULL", count: 7))
  private static let select = """
    SELECT key, service, account, source, every, paused, checkpoint, refreshed_at, failing_since, retry_at,
      refused_token, reported, reported_at, \(RowSum.sources.isSound())
    FROM sources
    """

  /// All sources, sorted by service, account and source.
  package func sources() throws(ToolError) -> [RefreshedSource] {
    var sources: [RefreshedSource] = []
    try database.forEachRow(
      sql: Self.select + " ORDER BY service, account, source"
    ) { (row) throws(ToolError) in sources.append(try RefreshedSource(row)) }
    return sources
  }

  /// The source of that name, or else of the same name in another case (`#Swift` for `#swift`); `nil` if it was never
  /// refreshed nor registered.
  package func source(_ name: RefreshedSource.Name) throws(ToolError) -> RefreshedSource? {
    let folded = name.folded
    var found: RefreshedSource?
    try database.forEachRow(
      sql: Self.select + " WHERE service = ? AND account = ? ORDER BY key DESC", .text(name.service),
      .text(name.account)
    ) { (row) throws(ToolError) in
      guard found?.name != name else { return }
      let source = try RefreshedSource(row)
      if source.name == name || source.name.folded == folded { found = source }
    }
    return found
  }

  /// The source of that name. It is added if it is missing, so that its checkpoint can be stored.
  package func findOrAddSource(_ name: RefreshedSource.Name) throws(ToolError) -> RefreshedSource {
    if let known = try source(name) { return known }
    try database.write { () throws(ToolError) in
      try database.run(
        sql: Self.insertSource + " ON CONFLICT DO NOTHING", .text(name.service), .text(name.account),
        .text(name.source),
        .null)
    }
    guard let added = try source(name) else { throw .bug("source '\(name.source)' is missing after its insertion") }
    return added
  }

  /// Registers a source that is refreshed at that interval, in seconds, or changes the interval. A paused source is
  /// resumed, and one that failed is due as if it had not.
  package func register(_ name: RefreshedSource.Name, every: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in
      let source = try source(name)?.name.source ?? name.source
      try database.run(
        sql: Self.insertSource + " ON CONFLICT DO UPDATE SET "
          + RowSum.sources.assignments(["every": "?4", "paused": "0", "retry_at": "NULL"]),
        .text(name.service), .text(name.account), .text(source), .integer(every))
    }
  }

  /// Removes a source with its checkpoint and its runs; its tweets stay.
  package func remove(_ source: RefreshedSource) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run("DELETE FROM runs WHERE source = ?", .integer(source.key))
      try database.run("DELETE FROM sources WHERE key = ?", .integer(source.key))
    }
  }

  /// Pauses or resumes a source. A paused source is never due.
  package func setPaused(_ source: RefreshedSource, _ isPaused: Bool) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        sql: RowSum.sources.update(["paused": "?1", "retry_at": "iif(?1, retry_at, NULL)"]) + " WHERE key = ?2",
        .integer(isPaused ? 1 : 0),
        .integer(source.key))
    }
  }

  /// Records refreshes, each with the checkpoint where the next one begins, `nil` to keep the stored one, and the
  /// milliseconds that the service told us to wait.
  ///
  /// - Parameters:
  ///   - isOlder: whether the refreshes fetched older tweets. Then only the runs are recorded: the source's next time,
  ///     its failures and
  ///     its checkpoint are about new tweets.
  ///   - token: the fingerprint of the token that the environment had; `nil` if it had none.
  package func record(
    _ runs: [(run: RefreshRun, source: RefreshedSource, checkpoint: String?, wait: Int?)], isOlder: Bool,
    token: String?
  ) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for (run, source, checkpoint, wait) in runs {
        if !isOlder { try update(source, run, checkpoint, wait, run.status == .notAllowed ? token : nil) }
        try insert(run, of: source)
      }
    }
  }

  private func update(
    _ source: RefreshedSource, _ run: RefreshRun, _ checkpoint: String?, _ wait: Int?, _ refusedToken: String?
  ) throws(ToolError) {
    var (failing, retry) = (Timestamp?.none, Timestamp?.none)
    if !run.isSuccess {
      // A failure in the future, or before a success, is one of a clock that was wrong.
      let succeeded = try lastSuccess(of: source, at: run.beganAt)
      let known = source.failingSince.flatMap { $0 >= succeeded ?? $0 ? $0 : nil } ?? run.beganAt
      let since = min(known, run.beganAt)
      let pause = RefreshBackoff.wait(
        after: run.status, lasted: run.beganAt.milliseconds - since.milliseconds,
        every: Int64(source.every ?? 0) * 1000, wanted: Int64(wait ?? 0), chance: .random(in: 0...1))
      (failing, retry) = (since, Timestamp(milliseconds: run.beganAt.milliseconds + pause))
    }
    try database.run(
      sql: RowSum.sources.update([
        "refreshed_at": "?2", "checkpoint": "coalesce(?3, checkpoint)", "failing_since": "?4", "retry_at": "?5",
        "refused_token": "?6",
      ]) + " WHERE key = ?1", .integer(source.key), .text(run.beganAt.rfc3339), SQLValue(checkpoint),
      SQLValue(failing?.rfc3339), SQLValue(retry?.rfc3339),
      SQLValue(refusedToken))
  }

  private func insert(_ run: RefreshRun, of source: RefreshedSource) throws(ToolError) {
    try database.run(
      """
      INSERT INTO runs (source, began_at, milliseconds, read, new, status, message) VALUES (?, ?, ?, ?, ?, ?, ?)
      """, .integer(source.key), .text(run.beganAt.rfc3339), .integer(run.milliseconds), .integer(run.read),
      .integer(run.new), .integer(Int(run.status.rawValue)), SQLValue(run.message))
    try database.run(
      """
      DELETE FROM runs WHERE source = ?1
        AND key <= (SELECT key FROM runs WHERE source = ?1 ORDER BY key DESC LIMIT 1 OFFSET ?2)
      """, .integer(source.key), .integer(Self.keptRuns))
  }

  /// Records what a person was told of sources; `nil` for one of which nothing is to be told any more.
  package func setReported(
    _ reports: [(source: RefreshedSource, reported: String?, at: Timestamp?)]
  ) throws(ToolError) {
    if reports.isEmpty { return }
    try database.write { () throws(ToolError) in
      for (source, reported, time) in reports {
        try database.run(
          sql: RowSum.sources.update(["reported": "?1", "reported_at": "?2"]) + " WHERE key = ?3", SQLValue(reported),
          SQLValue(time?.rfc3339), .integer(source.key))
      }
    }
  }

  /// Saves where the next refresh of a source begins.
  package func save(_ checkpoint: String, of source: RefreshedSource) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        sql: RowSum.sources.update(["checkpoint": "?1"]) + " WHERE key = ?2", .text(checkpoint), .integer(source.key))
    }
  }

  /// Calls `body` with the runs of one source, or of all sources, newest first.
  package func forEachRun(
    of source: RefreshedSource?, limit: Int,
    _ body: (RefreshedSource.Name, RefreshRun) throws(ToolError) -> Void
  ) throws(ToolError) {
    try database.forEachRow(
      """
      SELECT s.service, s.account, s.source, r.began_at, r.milliseconds, r.read, r.new, r.status, r.message
      FROM runs r JOIN sources s ON s.key = r.source WHERE ?1 IS NULL OR r.source = ?1 ORDER BY r.key DESC LIMIT ?2
      """, SQLValue(source?.key), .integer(limit)
    ) { (row) throws(ToolError) in
      let name = RefreshedSource.Name(
        service: row.text(0) ?? "", account: row.text(1) ?? "", source: row.text(2) ?? "")
      try body(name, RefreshRun(row, from: 3))
    }
  }

  /// What the kept refreshes of each source have brought, by the source's key.
  /// - Parameters:
  ///   - start: from when on new tweets are counted.
  ///   - now: refreshes that began later are left out: the clock was ahead then.
  package func runTotals(since start: Timestamp, at now: Timestamp) throws(ToolError) -> [Int: RunTotals] {
    var totals: [Int: RunTotals] = [:]
    try database.forEachRow(
      """
      SELECT source, max(CASE WHEN status IN (0, 1) THEN began_at END), sum(CASE WHEN began_at >= ? THEN new ELSE 0 END)
      FROM runs WHERE began_at <= ? GROUP BY source
      """, .text(start.rfc3339), .text(ClockTrust.latest(at: now).rfc3339)
    ) { row in
      totals[row.integer(0)] = RunTotals(lastSuccess: row.isNull(1) ? nil : row.time(1), new: row.integer(2))
    }
    return totals
  }

  /// When the last refresh of a source began that succeeded, up to `now`; `nil` if none of those that are kept did.
  private func lastSuccess(of source: RefreshedSource, at now: Timestamp) throws(ToolError) -> Timestamp? {
    try database.first(
      """
      SELECT began_at FROM runs WHERE source = ? AND status IN (0, 1) AND began_at <= ? ORDER BY began_at DESC LIMIT 1
      """, .integer(source.key), .text(now.rfc3339)
    ) { $0.time(0) }
  }

  /// The last refresh of a source that failed; `nil` if none of those that are kept did.
  package func lastFailure(of source: RefreshedSource) throws(ToolError) -> RefreshRun? {
    try database.first(
      """
      SELECT began_at, milliseconds, read, new, status, message FROM runs
      WHERE source = ? AND status NOT IN (0, 1) ORDER BY key DESC LIMIT 1
      """, .integer(source.key)
    ) { RefreshRun($0, from: 0) }
  }

  /// The id of the oldest stored tweet from a source; `nil` if there is none.
  package func oldestID(from name: RefreshedSource.Name) throws(ToolError) -> String? {
    try id(atEnd: "min", of: name)
  }

  /// The id of the newest stored tweet from a source; `nil` if there is none.
  package func newestID(from name: RefreshedSource.Name) throws(ToolError) -> String? {
    try id(atEnd: "max", of: name)
  }

  /// - Parameter end: the SQL function `min` for the oldest tweet, `max` for the newest.
  private func id(atEnd end: StaticString, of name: RefreshedSource.Name) throws(ToolError) -> String? {
    let statement = try database.prepare(
      """
      SELECT t.id, \(end)(t.key) FROM feeds f JOIN tweet_feeds m ON m.tweet = (
        SELECT \(end)(tweet) FROM tweet_feeds WHERE feed = f.key) AND m.feed = f.key JOIN tweets t ON t.key = m.tweet
      WHERE f.feed = ?1 AND (?2 IS NULL OR f.service = ?2)
      """)
    statement.bind([.text(name.source), SQLValue(name.plugin == nil ? name.service : nil)])
    return try statement.step() ? statement.row.text(0) : nil
  }
}

extension RefreshedSource {
  /// Throws if the row is damaged: a wrong checkpoint would lose posts.
  fileprivate init(_ row: Row) throws(ToolError) {
    guard row.isSound(13) == true else { throw DamagedRows.error("source '\(row.text(3) ?? "")'") }
    self.init(
      key: row.integer(0),
      name: Name(service: row.text(1) ?? "", account: row.text(2) ?? "", source: row.text(3) ?? ""),
      every: row.optionalInteger(4), isPaused: row.integer(5) != 0, checkpoint: row.text(6),
      refreshedAt: row.isNull(7) ? nil : row.time(7), failingSince: row.isNull(8) ? nil : row.time(8),
      retryAt: row.isNull(9) ? nil : row.time(9), refusedToken: row.text(10), reported: row.text(11),
      reportedAt: row.isNull(12) ? nil : row.time(12))
  }
}

extension RefreshRun {
  /// - Parameter column: that of `began_at`, which the other columns follow as in the table.
  fileprivate init(_ row: Row, from column: Int32) {
    self.init(
      beganAt: row.time(column), milliseconds: row.integer(column + 1), read: row.integer(column + 2),
      new: row.integer(column + 3),
      status: ExitStatus(rawValue: Int32(truncatingIfNeeded: row.integer(column + 4))) ?? .bug,
      message: row.text(column + 5))
  }
}

/// When a source that failed is asked again: after as long again as it has been failing, so twice as long each time,
/// but not earlier than its interval says.
///
/// The store keeps the time (`retry_at`), so that all jobs wait. Whoever names the source asks at once.
package enum RefreshBackoff {
  /// Milliseconds: the longest waits. What may pass by itself is asked often enough that nobody notices; what the
  /// service refuses, so rarely that it does not matter that nobody does.
  private static let longest: (passing: Int64, lasting: Int64) = (3_600_000, 86_400_000)

  /// Milliseconds from the beginning of a failed refresh to the next one.
  ///
  /// - Parameters:
  ///   - status: how it failed.
  ///   - lasted: milliseconds since the first failure in a row.
  ///   - every: milliseconds of the source's interval.
  ///   - wanted: milliseconds that the service told us to wait.
  ///   - chance: from 0 to 1; shortens a wait by up to a quarter, so that sources that failed together part.
  package static func wait(
    after status: ExitStatus, lasted: Int64, every: Int64, wanted: Int64 = 0, chance: Double
  ) -> Int64 {
    let isLasting = [.refused, .notAllowed, .usage, .badData].contains(status)
    let most = isLasting ? longest.lasting : longest.passing
    let wait = Double(min(max(0, lasted), most)) * (1 - min(max(0, chance), 1) / 4)
    return max(every, wanted, Int64(wait))
  }
}
