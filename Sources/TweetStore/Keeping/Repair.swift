import Libc
package import SQLite
package import TweetCore

/// Replaces a damaged store by a new file with all rows that are sound. The damaged file is kept under another name.
package struct Repair: Sendable {
  /// Seconds to wait for writers.
  private static let lockTimeout = 30

  /// A record that the new store does not have.
  package struct Missing: Sendable {
    /// `tweet` or `user`.
    package var type: String
    package var service: String
    package var id: String
  }

  /// How many tweets and users the new store has.
  package private(set) var tweets = 0
  package private(set) var users = 0
  /// Records that were found but are not as they were written. They are not in the new store.
  package private(set) var altered: [Missing] = []
  /// Tweets that an index names, but of which nothing was found.
  package private(set) var lost: [Missing] = []
  /// How many pages of the file are missing or empty. Nobody knows what was on them.
  package private(set) var lostPages = 0
  /// What else the new store does not have.
  package private(set) var losses = TableLosses()
  /// Whether the store has no fault. Then nothing was done.
  package private(set) var isHealthy = false
  /// The path of the damaged store.
  package private(set) var old = ""
  /// The path of a file with the altered records, as they were found; `nil` if there are none.
  package private(set) var rejects: String?

  /// Repairs the store at `path`, under its write lock.
  /// - Throws: ``ToolError/badData(_:)`` if the file is not a tweet store, ``ToolError/configuration(_:)`` if another
  ///   version made it. Nothing is changed then.
  package init(_ path: String, progress: @escaping WorkSteps = { _, _, _ in }) throws(ToolError) {
    // If the path is a symbolic link, the file behind it is replaced. Its lock file lies beside that file.
    guard let path = Paths.real(path) else { throw .noInput("cannot open '\(path)'", errno) }
    let refusal = try TweetStore.kind.refusal(ofDamaged: path)
    if refusal == nil, try Self.isHealthy(path, progress) {
      isHealthy = true
      return
    }
    let lock = try WriteLock(of: path, TweetStore.kind)
    try lock.acquire(within: Self.lockTimeout)
    defer { lock.release() }
    let (recovered, new) = (path + ".recovered", path + ".repaired")
    // An earlier repair that was killed may have left these.
    for path in [recovered, new] { DatabaseFiles.remove(path) }
    defer { DatabaseFiles.remove(recovered) }
    var records: [[UInt8]] = []
    do throws(ToolError) {
      let before = try TableCounts(damaged: path)
      var recovery = try RowRecovery(from: path, into: recovered, progress: progress)
      try recovery.run()
      // A file that SQLite does not know, without a single row of ours, is something else.
      if let refusal, !recovery.hasFoundAny { throw refusal }
      let found = recovery.altered.sorted { $0.key < $1.key }
      altered = found.map { Missing(type: $0.key.type, service: $0.key.service, id: $0.key.id) }
      for one in found { if let record = try recovery.record(one.value) { records.append(record) } }
      lostPages = recovery.lostPages
      lost = try recovery.lost().map { Missing(type: $0.type, service: $0.service, id: $0.id) }
      try copy(recovered, to: new, progress)
      try OtherObjects.copyRuns(from: path, to: new)
      let others = try OtherObjects.copy(from: path, to: new)
      losses = TableLosses(
        from: before, to: try TableCounts(new), redundantNames: try Self.redundantNames(recovered),
        tweetsTold: altered + lost, notCopied: others)
      // What a signal has cut short looks like a loss.
      try Self.stopIfInterrupted()
    } catch {
      DatabaseFiles.remove(new)
      throw error
    }
    if !records.isEmpty {
      let rejects = DatabaseFiles.unusedPath(path + ".altered")
      var lines = ByteBuffer(capacity: 64 << 10)
      for record in records {
        record.withBytes { lines.append($0) }
        lines.append(UInt8(ascii: "\n"))
      }
      try StateFile.replace(rejects, with: lines)
      self.rejects = rejects
    }
    try TweetStore.continueChanges(of: path, in: new)
    try Database.removeLog(of: new)
    old = try DatabaseFiles.exchange(path, for: new, keeping: path + ".damaged") ?? ""
    DatabaseFiles.remove(new)
  }

  /// Whether a store has no fault. Only if SQLite can read it, that is known.
  private static func isHealthy(_ path: String, _ progress: @escaping WorkSteps) throws(ToolError) -> Bool {
    var faults = 0
    do throws(ToolError) {
      let store = try TweetStore(path, .readOnly, showsIncoming: false, looksAtLog: false)
      try store.check(progress: progress) { _ in faults += 1 }
    } catch .tryLater(let message) {
      throw .tryLater(message)
    } catch {
      return false
    }
    return faults == 0
  }

  /// How many rows of `user_names` an import leaves out, since they are the only ones of a user and say the same.
  private static func redundantNames(_ recovered: String) throws(ToolError) -> Int {
    try TweetStore(recovered, .readOnly).database.first(
      """
      SELECT count(*) FROM user_names n JOIN users u ON u.key = n.user WHERE n.first_seen = u.first_seen
        AND n.username = coalesce(u.username, '') COLLATE BINARY AND n.name = coalesce(u.name, '')
        AND (SELECT count(*) FROM user_names WHERE user = n.user) = 1
      """
    ) { $0.integer(0) } ?? 0
  }

  private static func stopIfInterrupted() throws(ToolError) {
    if Interruption.signal != nil { throw .tryLater("interrupted while the new store was made; nothing has changed") }
  }

  /// Makes a store from the sound rows of a damaged one, as an import of its export: so all that follows from records
  /// is made again.
  private mutating func copy(_ recovered: String, to new: String, _ progress: WorkSteps) throws(ToolError) {
    let source = try TweetStore(recovered, .readOnly)
    let all = try source.database.first("SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM tweets)") { row in
      row.integer(0)
    }
    var done = 0
    var lines = ImportedLines(try StoreImport(try TweetStore(new, .readWrite)))
    _ = try source.export { (pair) throws(ToolError) in
      // A record, and what the store knows beside it. What was stored once can be stored again: faults cannot be.
      for line in pair.split(separator: UInt8(ascii: "\n")) { _ = try lines.add(Array(line)) }
      done += 1
      progress(min(done, all ?? 0), all ?? 0, "records")
      return Interruption.signal == nil
    }
    try Self.stopIfInterrupted()
    _ = try lines.finish()
    (tweets, users) = (try lines.count("tweets"), try lines.count("users"))
    try Self.copySources(from: source, to: try TweetStore(new, .readWrite))
  }

  /// Copies the sources of refresh whole: an export has not all of them.
  private static func copySources(
    from source: borrowing TweetStore, to target: consuming TweetStore
  ) throws(ToolError) {
    let table = try SoundTable(.sources, target.database)
    let columns = RowSum.sources.columns
    let read = try source.database.prepare("SELECT \(columns.joined(separator: ", ")) FROM sources")
    try target.database.write { () throws(ToolError) in
      try target.database.run("DELETE FROM sources")
      while try read.step() { try table.insert(columns.indices.map { read.row.raw(Int32($0)) }) }
    }
  }
}
