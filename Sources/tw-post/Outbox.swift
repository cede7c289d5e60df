import SQLite
import TweetCore
import TweetServices

/// All writes that this user asked for: those that wait, those whose answer never came, and those that are done, so
/// that nothing is done twice.
struct Outbox: ~Copyable {
  /// Where a write stands. It is on disk before the request is made, and after the answer.
  enum State: String {
    case queued
    /// The request may be on its way. If no process holds the outbox's lock, it was killed meanwhile.
    case sending
    /// No answer came: it may have been done.
    case unsettled
    case done, refused
  }

  struct Entry {
    let id: Int
    let account: String
    let action: WriteAction
    let state: State
    /// The write whose post this one answers.
    let follows: Int?
    /// The id of the post that was made.
    let result: String?
    /// How often a request was made for it.
    let attempts: Int
    let attemptedAt: Timestamp
    /// When the last request surely was over without an answer; `nil` if that is not known.
    let endedAt: Timestamp?
    let createdAt: Timestamp
    /// What went wrong.
    let note: String?
    /// After this time it is not sent any more; `nil` for ever.
    let notAfter: Timestamp?
  }

  private static let kind = DatabaseKind(
    name: "outbox", place: "XDG_DATA_HOME", applicationID: 0x7477_6f62, version: 1,
    move: "'tw-post flush' of that version sends what waits in it; then move it away",
    damage: "move it away; what waited in it may have been posted",
    schema: """
      CREATE TABLE writes (
        id INTEGER PRIMARY KEY AUTOINCREMENT, service TEXT NOT NULL, base TEXT NOT NULL, account TEXT NOT NULL,
        action TEXT NOT NULL, target TEXT NOT NULL, command TEXT NOT NULL, follows INTEGER, state TEXT NOT NULL,
        result TEXT, note TEXT, attempts INTEGER NOT NULL DEFAULT 0, attempted_at TEXT NOT NULL DEFAULT '',
        ended_at TEXT, created_at TEXT NOT NULL, is_reported INTEGER NOT NULL DEFAULT 0, claimed_at TEXT,
        due_at TEXT, not_after TEXT) STRICT;
      CREATE INDEX writes_open ON writes (state) WHERE state IN ('queued', 'sending', 'unsettled');
      CREATE INDEX writes_target ON writes (target, action);
      CREATE INDEX writes_command ON writes (command);
      CREATE TABLE accounts (
        service TEXT NOT NULL, base TEXT NOT NULL, account TEXT NOT NULL, user_id TEXT NOT NULL,
        username TEXT NOT NULL, object TEXT NOT NULL, seen_at TEXT NOT NULL,
        PRIMARY KEY (service, base, account)) STRICT, WITHOUT ROWID;
      """)

  static var usualPath: String { Paths.dataDirectory + "/outbox.db" }

  let path: String
  /// The lock that whoever makes a request holds.
  var lockPath: String { path + ".sending" }
  let files: OutboxFiles
  let database: Database
  let service: String
  let base: String
  let account: String

  /// - Parameter account: whose writes they are; it differs between tokens where no name is known.
  init(
    path: String = Outbox.usualPath, service: String, base: String, account: String
  ) throws(ToolError) {
    self.path = path
    files = OutboxFiles(beside: path)
    let database = try Database(path, Self.kind, .readWrite)
    try Self.makeCopies(in: database)
    self.database = database
    (self.service, self.base, self.account) = (service, base, account)
  }

  // MARK: Entries

  /// What a row is read from.
  private static func entry(_ row: Row) throws(ToolError) -> Entry {
    let target = row.text(3) ?? ""
    let name = row.text(2) ?? ""
    let action: WriteAction
    if let change = PostChange(rawValue: name) {
      action = .change(change, target)
    } else if let draft = PostDraft(json: target) {
      action = .post(draft)
    } else {
      throw .badData("the outbox: write \(row.integer(0)) cannot be read; 'tw-post outbox drop' removes it")
    }
    return Entry(
      id: row.integer(0), account: row.text(1) ?? "", action: action,
      state: State(rawValue: row.text(4) ?? "") ?? .refused, follows: row.optionalInteger(5), result: row.text(6),
      attempts: row.integer(7), attemptedAt: row.time(8), endedAt: row.text(9).flatMap { Timestamp(parsing: $0) },
      createdAt: row.time(10), note: row.text(11), notAfter: row.text(12).flatMap { Timestamp(parsing: $0) })
  }

  func entry(_ id: Int) throws(ToolError) -> Entry? {
    try database.first(
      """
      SELECT id, account, action, target, state, follows, result, attempts, attempted_at, ended_at,
        created_at, note, not_after
      FROM writes WHERE id = ?
      """, .integer(id)
    ) { (row) throws(ToolError) in try Self.entry(row) }
  }

  /// SQL for whether the post of a write `w` was deleted by this user, or is to be.
  static let isTakenBack = """
    EXISTS (SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state <> 'refused' AND d.target = w.result
      AND d.service = w.service AND d.base = w.base)
    """

  /// The writes of a command that was cut off: not yet finished ones of the last day, or ones that are done and were
  /// never printed, of the last hour. All writes of its command are there if one is. Once a post of it was taken back,
  /// the same command means a new post.
  func cutOff(command: String, of owner: Owner? = nil) throws(ToolError) -> [Int] {
    let owner = owner ?? self.owner
    let now = Timestamp.now.milliseconds
    let newest =
      try database.first(
        sql: """
          SELECT max(created_at) FROM writes o WHERE command = ?1 AND service = ?2 AND base = ?3 AND account = ?4
          AND due_at IS NULL AND (state IN ('queued', 'sending', 'unsettled') AND created_at >= ?5
            OR state = 'done' AND is_reported = 0 AND created_at >= ?6)
          AND NOT EXISTS (SELECT 1 FROM writes w WHERE w.command = o.command AND w.created_at = o.created_at
            AND w.service = o.service AND w.base = o.base AND w.account = o.account AND \(Self.isTakenBack))
          """,
        [
          .text(command), .text(owner.service), .text(owner.base), .text(owner.account),
          .text(Timestamp(milliseconds: now - 86_400_000).rfc3339),
          .text(Timestamp(milliseconds: now - 3_600_000).rfc3339),
        ]
      ) { $0.text(0) } ?? nil
    guard let newest else { return [] }
    var ids: [Int] = []
    try database.forEachRow(
      """
      SELECT id FROM writes WHERE command = ? AND service = ? AND base = ? AND account = ? AND created_at = ?
      ORDER BY id
      """, .text(command), .text(owner.service), .text(owner.base), .text(owner.account), .text(newest)
    ) { ids.append($0.integer(0)) }
    return ids
  }

  /// Whether the last thing done to a target was this change.
  func isDone(_ change: PostChange, _ target: String) throws(ToolError) -> Bool {
    let last = try database.first(
      """
      SELECT action FROM writes WHERE target = ? AND action IN (?, ?) AND state = 'done' AND service = ? AND base = ?
      AND account = ? ORDER BY id DESC LIMIT 1
      """, .text(target), .text(change.rawValue), .text(change.inverse?.rawValue ?? change.rawValue), .text(service),
      .text(base), .text(account)
    ) { $0.text(0) }
    return last == change.rawValue
  }

  /// Whether a post is known to be what came of a write.
  func isResult(_ id: String) throws(ToolError) -> Bool {
    try database.first(
      "SELECT 1 FROM writes WHERE result = ? AND service = ? AND base = ?", .text(id), .text(service), .text(base)
    ) { _ in true } ?? false
  }

  /// The writes of this account that are not finished and are due, in order, and those whose record nobody has printed
  /// since a minute, because the program that made them was killed; those of its earlier tokens too.
  func open(at time: Timestamp) throws(ToolError) -> [Int] {
    var ids: [Int] = []
    try database.forEachRow(
      sql: """
        SELECT id FROM writes w WHERE (state IN ('queued', 'sending', 'unsettled') OR state = 'done' AND is_reported = 0
          AND claimed_at BETWEEN ?4 AND ?5 AND NOT \(Self.isTakenBack)) AND service = ?1 AND base = ?2
        AND (due_at IS NULL OR due_at <= ?6)
        AND (account = ?3 OR account IN (
          SELECT other.account FROM accounts AS own JOIN accounts AS other USING (service, base, user_id)
          WHERE own.service = ?1 AND own.base = ?2 AND own.account = ?3))
        ORDER BY id
        """, .text(service), .text(base), .text(account),
      .text(Timestamp(milliseconds: time.milliseconds - 86_400_000).rfc3339),
      .text(Timestamp(milliseconds: time.milliseconds - Self.timeToReport).rfc3339), .text(time.rfc3339)
    ) { ids.append($0.integer(0)) }
    return ids
  }

  /// Who has done a write prints its record within this many milliseconds, or was killed.
  private static let timeToReport: Int64 = 60_000

  // MARK: States

  /// - Parameters:
  ///   - time: now. Of a write that is done or refused, the caller prints what came of it.
  ///   - facts: what the service has said of the post that was made.
  func set(
    _ state: State, of id: Int, at time: Timestamp, result: String? = nil, note: String? = nil,
    facts: [String: String] = [:]
  ) throws(ToolError) {
    try database.write { () throws(ToolError) in
      if !facts.isEmpty { try change(id) { $0.facts.merge(facts) { $1 } } }
      try database.run(
        "UPDATE writes SET state = ?, result = ?, note = ?, claimed_at = ? WHERE id = ?", .text(state.rawValue),
        SQLValue(result), SQLValue(note), .text(time.rfc3339), .integer(id))
    }
  }

  /// Lets one process print what another one has done that was killed before it printed it.
  ///
  /// - Returns: whether it is the caller.
  func claim(_ id: Int, at time: Timestamp) throws(ToolError) -> Bool {
    try database.write { () throws(ToolError) in
      try database.run(
        "UPDATE writes SET claimed_at = ?1 WHERE id = ?2 AND state = 'done' AND is_reported = 0 AND claimed_at <= ?3",
        .text(time.rfc3339), .integer(id),
        .text(Timestamp(milliseconds: time.milliseconds - Self.timeToReport).rfc3339))
      return database.changes > 0
    }
  }

  /// Says that no answer came to a request, which was over at that time.
  func setUnsettled(_ id: Int, endedAt time: Timestamp, note: String) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        "UPDATE writes SET state = 'unsettled', ended_at = ?, note = ? WHERE id = ?", .text(time.rfc3339), .text(note),
        .integer(id))
    }
  }

  /// Says what is wrong with a write, whose state stays.
  func setNote(_ id: Int, _ note: String) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run("UPDATE writes SET note = ? WHERE id = ?", .text(note), .integer(id))
    }
  }

  /// Says that a person knows that a write was not done: it is sent as a new one, and so are the other posts of its
  /// thread that were refused. A time after which it was not to be sent, and which is over, counts no more.
  ///
  /// - Returns: the writes that are sent again; none if there was none that may be.
  func retry(_ id: Int) throws(ToolError) -> [Int] {
    let thread = try thread(of: id)
    let now = Timestamp.now.rfc3339
    return try database.write { () throws(ToolError) in
      var again: [Int] = []
      for part in thread {
        try database.run(
          """
          UPDATE writes SET state = 'queued', note = NULL, is_reported = 0,
            not_after = CASE WHEN not_after > ?3 THEN not_after END
          WHERE id = ?1 AND (state = 'refused' OR id = ?2 AND state <> 'done')
          """, .integer(part), .integer(id), .text(now))
        if database.changes > 0 { again.append(part) }
      }
      return again.contains(id) ? again : []
    }
  }

  /// The writes of the thread that a write is of, in order; the write alone if it is of none.
  func thread(of id: Int) throws(ToolError) -> [Int] {
    var ids: [Int] = []
    try database.forEachRow(
      """
      WITH RECURSIVE thread (id) AS (
        VALUES (?1)
        UNION SELECT w.id FROM thread t JOIN writes o ON o.id = t.id JOIN writes w ON (w.follows = o.id OR w.id = o.follows)
          AND w.created_at = o.created_at AND w.service = o.service AND w.base = o.base AND w.account = o.account)
      SELECT id FROM thread ORDER BY id
      """, .integer(id)
    ) { ids.append($0.integer(0)) }
    return ids
  }

  /// Says that the request goes out now. When this returns it is on disk.
  ///
  /// - Parameter draft: a post with its uploads and its root; `nil` if it has neither.
  func setSending(_ id: Int, at time: Timestamp, _ draft: PostDraft?) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        "UPDATE writes SET state = 'sending', attempts = attempts + 1, attempted_at = ?, ended_at = NULL WHERE id = ?",
        .text(time.rfc3339), .integer(id))
      if let draft { try database.run("UPDATE writes SET target = ? WHERE id = ?", .text(draft.json), .integer(id)) }
    }
  }

  /// Says that the user has seen what came of it.
  func setReported(_ id: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run("UPDATE writes SET is_reported = 1 WHERE id = ?", .integer(id))
    }
  }

  /// Removes writes that were never sent.
  func removeQueued(_ ids: [Int]) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for id in ids { try database.run("DELETE FROM writes WHERE id = ? AND state = 'queued'", .integer(id)) }
    }
  }

  /// Removes writes, whatever their state is.
  func drop(_ ids: [Int]) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for id in ids { try database.run("DELETE FROM writes WHERE id = ?", .integer(id)) }
    }
  }

  /// Removes the copies of files that no write shows which is still to be sent.
  func removeUnusedFiles() throws(ToolError) {
    guard files.exist else { return }
    try files.hold { () throws(ToolError) in
      var used: Set<String> = []
      try database.forEachRow("SELECT target FROM writes WHERE state IN ('queued', 'sending', 'unsettled')") { row in
        for file in PostDraft(json: row.text(0) ?? "")?.files ?? [] {
          if let digest = file.digest { used.insert(digest) }
        }
      }
      try files.remove(except: used)
    }
  }

  // MARK: Accounts

  /// What is known of the account since less than a day.
  func knownAccount() throws(ToolError) -> WritingAccount? {
    let since = Timestamp(milliseconds: Timestamp.now.milliseconds - 86_400_000)
    return try database.first(
      "SELECT user_id, username, object FROM accounts WHERE service = ? AND base = ? AND account = ? AND seen_at > ?",
      .text(service), .text(base), .text(account), .text(since.rfc3339)
    ) { WritingAccount(id: $0.text(0) ?? "", username: $0.text(1) ?? "", object: $0.text(2) ?? "{}") }
  }

  func remember(_ known: WritingAccount) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        "INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", .text(service), .text(base), .text(account),
        .text(known.id), .text(known.username), .text(known.object), .text(Timestamp.now.rfc3339))
    }
  }
}
