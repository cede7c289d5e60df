package import TweetCore
import TweetSources

/// The tables `sources` and `runs`.
extension TweetStore {
  /// How many runs of each source are kept: a day and a half with one run a minute.
  private static let keptRuns = 2000
  /// Parameters: service, account, source, and the seconds from one refresh to the next.
  private static let insertSource = RowSum.sources.insertNext(["?1", "?2", "?3", "?4", "0", "NULL", "NULL", "NULL"])

  /// All sources, sorted by service, account and source.
  package func sources() throws(ToolError) -> [RefreshedSource] {
    var sources: [RefreshedSource] = []
    try database.forEachRow(
      sql: """
        SELECT key, service, account, source, every, paused, checkpoint, refreshed_at, failing_since, \(RowSum.sources.isSound())
        FROM sources ORDER BY service, account, source
        """
    ) { (row) throws(ToolError) in sources.append(try RefreshedSource(row)) }
    return sources
  }

  /// The source of that name, or else of the same name in another case (`#Swift` for `#swift`); `nil` if it was never
  /// refreshed nor registered.
  package func source(_ name: RefreshedSource.Name) throws(ToolError) -> RefreshedSource? {
    let folded = Source.folded(name.source)
    var found: RefreshedSource?
    try database.forEachRow(
      sql: """
        SELECT key, service, account, source, every, paused, checkpoint, refreshed_at, failing_since, \(RowSum.sources.isSound())
        FROM sources WHERE service = ? AND account = ? ORDER BY key DESC
        """, .text(name.service), .text(name.account)
    ) { (row) throws(ToolError) in
      guard found?.name != name else { return }
      let source = try RefreshedSource(row)
      if source.name == name || Source.folded(source.name.source) == folded { found = source }
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

  /// Registers a source that is refreshed every so many seconds, or changes that number. A paused source is resumed.
  package func register(_ name: RefreshedSource.Name, every: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in
      let source = try source(name)?.name.source ?? name.source
      try database.run(
        sql: Self.insertSource + " ON CONFLICT DO UPDATE SET "
          + RowSum.sources.assignments(["every": "?4", "paused": "0"]),
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
        sql: RowSum.sources.update(["paused": "?1"]) + " WHERE key = ?2", .integer(isPaused ? 1 : 0),
        .integer(source.key))
    }
  }

  /// Records refreshes, each with the checkpoint where the next one begins; `nil` keeps the stored one.
  ///
  /// - Parameter isOlder: whether the refreshes fetched older tweets. Then only the runs are recorded: the source's next
  ///   time, its failures and its checkpoint are about new tweets.
  package func record(
    _ runs: [(run: RefreshRun, source: RefreshedSource, checkpoint: String?)], isOlder: Bool
  ) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for (run, source, checkpoint) in runs {
        if !isOlder { try update(source, run, checkpoint) }
        try insert(run, of: source)
      }
    }
  }

  private func update(_ source: RefreshedSource, _ run: RefreshRun, _ checkpoint: String?) throws(ToolError) {
    // A failure in the future means that the clock was set back.
    try database.run(
      sql: RowSum.sources.update([
        "refreshed_at": "?2", "checkpoint": "coalesce(?3, checkpoint)",
        "failing_since": "CASE WHEN ?4 THEN NULL WHEN failing_since <= ?2 THEN failing_since ELSE ?2 END",
      ]) + " WHERE key = ?1", .integer(source.key), .text(run.beganAt.rfc3339), SQLValue(checkpoint),
      .integer(run.isSuccess ? 1 : 0))
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
      let run = RefreshRun(
        beganAt: row.time(3), milliseconds: row.integer(4), read: row.integer(5), new: row.integer(6),
        status: ExitStatus(rawValue: Int32(truncatingIfNeeded: row.integer(7))) ?? .bug, message: row.text(8))
      try body(name, run)
    }
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
    statement.bind([.text(name.source), SQLValue(name.isPlugin ? nil : name.service)])
    return try statement.step() ? statement.row.text(0) : nil
  }
}

extension RefreshedSource {
  /// Throws if the row is damaged: a wrong checkpoint would lose posts.
  fileprivate init(_ row: Row) throws(ToolError) {
    guard row.isSound(9) == true else { throw DamagedRows.error("source '\(row.text(3) ?? "")'") }
    self.init(
      key: row.integer(0),
      name: Name(service: row.text(1) ?? "", account: row.text(2) ?? "", source: row.text(3) ?? ""),
      every: row.optionalInteger(4), isPaused: row.integer(5) != 0, checkpoint: row.text(6),
      refreshedAt: row.isNull(7) ? nil : row.time(7), failingSince: row.isNull(8) ? nil : row.time(8))
  }
}
