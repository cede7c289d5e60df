import SQLite
import TweetCLI
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

  /// Whose writes they are.
  struct Owner: Hashable {
    let service: String
    let base: String
    let account: String

    /// Of no account: for what concerns all of them.
    static let nobody = Owner(service: "", base: "", account: "")

    /// As messages name it.
    var name: String { "\(service):\(account)" }
  }

  /// Writes of one account that are asked for together.
  struct Batch {
    let owner: Owner
    let actions: [WriteAction]
    /// What the user asked for in all; the same command finds them again.
    let command: String
    /// Whether each answers the one before.
    var isChain = false
    /// The write whose post the first of them answers.
    var follows: Int?
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
  let owner: Owner

  /// - Parameter owner: whose writes they are; its account differs between tokens where no name is known.
  init(path: String = Outbox.usualPath, of owner: Owner = .nobody) throws(ToolError) {
    (self.path, self.owner) = (path, owner)
    files = OutboxFiles(beside: path)
    let database = try Database(path, Self.kind, .readWrite)
    try Self.makeCopies(in: database)
    self.database = database
  }

  /// The table of groups; the group of writes is named by the first of them. A file of an earlier version has none, and
  /// an earlier version does without it.
  private static func makeCopies(in database: borrowing Database) throws(ToolError) {
    let isThere = try database.first("SELECT 1 FROM sqlite_schema WHERE name = 'copies_group'") { _ in true }
    if isThere == true { return }
    try database.write { () throws(ToolError) in
      try database.run(
        """
        CREATE TABLE IF NOT EXISTS copies (
          write_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL, address TEXT, same_as TEXT) STRICT
        """)
      try database.run("CREATE INDEX IF NOT EXISTS copies_group ON copies (group_id)")
    }
  }

  // MARK: Adding

  /// Adds writes of this account in one transaction, whatever was asked for before.
  ///
  /// - Parameters:
  ///   - command: what the user asked for in all; the same command finds them again.
  ///   - isChain: whether each answers the one before.
  ///   - due: when they are to be sent; `nil` for as soon as can be.
  ///   - end: after this time they are not sent any more.
  /// - Returns: their ids.
  func add(
    _ actions: [WriteAction], command: String, isChain: Bool = false, due: Timestamp? = nil,
    notAfter end: Timestamp? = nil
  ) throws(ToolError) -> [Int] {
    let batch = Batch(owner: owner, actions: actions, command: command, isChain: isChain)
    return try add([batch], isGroup: false, isNew: true, due: due, notAfter: end).ids[0]
  }

  /// Adds the writes of several accounts, all in one transaction, or goes on with those of the same command that was
  /// cut off: then each account has what it had, and one that was not asked before has a write of its own.
  ///
  /// - Parameters:
  ///   - isGroup: whether they are one thing for their author. Then what was refused is asked for again, too.
  ///   - isNew: whether they are others than those of the same command that was cut off before.
  ///   - due: when they are to be sent; `nil` for as soon as can be.
  ///   - end: after this time they are not sent any more.
  /// - Returns: the ids of each batch, whether something was cut off before, and which writes were refused then.
  func add(
    _ batches: [Batch], isGroup: Bool = true, isNew: Bool, due: Timestamp?, notAfter end: Timestamp? = nil
  ) throws(ToolError) -> (ids: [[Int]], goesOn: Bool, refused: [Int]) {
    try database.write { () throws(ToolError) in
      try forget()
      let old = isNew || !isGroup ? nil : try unfinishedGroup(batches)
      var (all, goesOn): ([[Int]], Bool) = ([], old != nil)
      let now = Timestamp.now
      for batch in batches {
        var ids: [Int] = []
        if let old { ids = try copies(of: old).filter { $0.owner == batch.owner }.map(\.id) }
        if ids.isEmpty, !isNew {
          ids = try cutOff(command: batch.command, of: batch.owner)
          if !ids.isEmpty { goesOn = true }
        }
        if ids.isEmpty { ids = try insert(batch, due: due, notAfter: end, at: now) }
        all.append(ids)
      }
      var refused: [Int] = []
      guard isGroup, let first = all.joined().first else { return (all, goesOn, refused) }
      for id in all.joined() {
        try database.run(
          """
          INSERT INTO copies (write_id, group_id) VALUES (?1, ?2)
          ON CONFLICT (write_id) DO UPDATE SET group_id = excluded.group_id
          """, .integer(id), .integer(old ?? first))
        // What was refused is asked for again, where the others are.
        try database.run(
          "UPDATE writes SET state = 'queued', note = NULL, is_reported = 0 WHERE id = ? AND state = 'refused'",
          .integer(id))
        if database.changes > 0 { refused.append(id) }
      }
      return (all, goesOn, refused)
    }
  }

  private func insert(
    _ batch: Batch, due: Timestamp?, notAfter end: Timestamp?, at now: Timestamp
  ) throws(ToolError) -> [Int] {
    var ids: [Int] = []
    let owner = batch.owner
    for action in batch.actions {
      let target =
        switch action {
        case .post(let draft): draft.json
        case .change(_, let target): target
        }
      try replaceEarlier(action, of: owner)
      let before = ids.last
      try database.run(
        """
        INSERT INTO writes (service, base, account, action, target, command, follows, state, created_at, due_at,
          not_after)
        VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?)
        """, .text(owner.service), .text(owner.base), .text(owner.account), .text(action.name), .text(target),
        .text(batch.command), SQLValue(before == nil ? batch.follows : batch.isChain ? before : nil),
        .text(now.rfc3339), SQLValue(due?.rfc3339), SQLValue(end?.rfc3339))
      ids.append(database.lastInsertedRow)
    }
    return ids
  }

  /// Removes what a new write takes the place of: a change of the same target whose answer never came, and edits of the
  /// same post, none of which may be sent after it.
  private func replaceEarlier(_ action: WriteAction, of owner: Owner) throws(ToolError) {
    switch action {
    case .change(let change, let target):
      try database.run(
        """
        DELETE FROM writes WHERE target = ? AND action IN (?, ?) AND state IN ('sending', 'unsettled') AND service = ?
        AND base = ? AND account = ?
        """, .text(target), .text(change.rawValue), .text(change.inverse?.rawValue ?? change.rawValue),
        .text(owner.service), .text(owner.base), .text(owner.account))
    case .post(let draft):
      guard let id = draft.editOf else { return }
      try database.run(
        """
        DELETE FROM writes WHERE action = 'edit' AND json_extract(target, '$.edit_of') = ?
        AND state IN ('queued', 'sending', 'unsettled') AND service = ? AND base = ? AND account = ?
        """, .text(id), .text(owner.service), .text(owner.base), .text(owner.account))
    }
  }

  /// Removes what was finished long ago.
  private func forget() throws(ToolError) {
    let before = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.memory)
    try database.run(
      "DELETE FROM writes WHERE created_at < ? AND state IN ('done', 'refused')", .text(before.rfc3339))
    try database.run("DELETE FROM copies WHERE write_id NOT IN (SELECT id FROM writes)")
  }

  /// Ninety days.
  private static let memory: Int64 = 90 * 86_400_000

  // MARK: States

  /// Changes rows in a transaction of its own.
  ///
  /// - Returns: how many.
  @discardableResult
  private func update(_ sql: String, _ values: SQLValue...) throws(ToolError) -> Int {
    try database.write { () throws(ToolError) in
      let statement = try database.prepare(sql)
      statement.bind(values)
      try statement.run()
      return database.changes
    }
  }

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

  /// Says that the request goes out now. When this returns it is on disk.
  ///
  /// - Parameter draft: a post with its uploads and its root; `nil` if it has neither.
  func setSending(_ id: Int, at time: Timestamp, _ draft: PostDraft?) throws(ToolError) {
    try update(
      """
      UPDATE writes SET state = 'sending', attempts = attempts + 1, attempted_at = ?, ended_at = NULL,
        target = coalesce(?, target) WHERE id = ?
      """, .text(time.rfc3339), SQLValue(draft?.json), .integer(id))
  }

  /// Says that no answer came to a request, which was over at that time.
  func setUnsettled(_ id: Int, endedAt time: Timestamp, note: String) throws(ToolError) {
    try update(
      "UPDATE writes SET state = 'unsettled', ended_at = ?, note = ? WHERE id = ?", .text(time.rfc3339), .text(note),
      .integer(id))
  }

  /// Says what is wrong with a write, whose state stays.
  func setNote(_ id: Int, _ note: String) throws(ToolError) {
    try update("UPDATE writes SET note = ? WHERE id = ?", .text(note), .integer(id))
  }

  /// Says that the user has seen what came of it.
  func setReported(_ id: Int) throws(ToolError) {
    try update("UPDATE writes SET is_reported = 1 WHERE id = ?", .integer(id))
  }

  /// Lets one process print what another one has done that was killed before it printed it.
  ///
  /// - Returns: whether it is the caller.
  func claim(_ id: Int, at time: Timestamp) throws(ToolError) -> Bool {
    try update(
      "UPDATE writes SET claimed_at = ?1 WHERE id = ?2 AND state = 'done' AND is_reported = 0 AND claimed_at <= ?3",
      .text(time.rfc3339), .integer(id), .text(Timestamp(milliseconds: time.milliseconds - Self.timeToReport).rfc3339)
    ) > 0
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

  /// Has writes that wait sent at another time.
  ///
  /// - Returns: those that waited.
  /// - Throws: `ToolError.usage` if one is not to be sent so late.
  func reschedule(_ ids: [Int], to due: Timestamp) throws(ToolError) -> [Int] {
    try database.write { () throws(ToolError) in
      var moved: [Int] = []
      for id in ids {
        if let end = try entry(id)?.notAfter, end < due {
          throw .usage("write \(id) is not to be sent after \(LocalMoment.text(end))")
        }
        try database.run(
          "UPDATE writes SET due_at = ? WHERE id = ? AND state = 'queued'", .text(due.rfc3339), .integer(id))
        if database.changes > 0 { moved.append(id) }
      }
      return moved
    }
  }

  // MARK: Drafts

  /// Changes the draft of a post in a transaction that has begun.
  private func change(_ id: Int, _ body: (inout PostDraft) -> Void) throws(ToolError) {
    guard var draft = try entry(id)?.draft else { return }
    body(&draft)
    try database.run("UPDATE writes SET target = ? WHERE id = ?", .text(draft.json), .integer(id))
  }

  /// Says that the server does not make a post once by its key alone.
  func distrustKey(of id: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in try change(id) { $0.keyUntil = nil } }
  }

  /// Replaces the drafts of posts that wait, all or none. The command that made one does not find it any more: it would
  /// be another post.
  ///
  /// - Throws: `ToolError.tryLater` if one does not wait any more, as it was.
  func replace(_ posts: [(id: Int, old: PostDraft, new: PostDraft)]) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for (id, old, new) in posts {
        try database.run(
          "UPDATE writes SET target = ?1 WHERE id = ?2 AND state = 'queued' AND target = ?3", .text(new.json),
          .integer(id), .text(old.json))
        guard database.changes > 0 else { throw .tryLater("write \(id) was sent or changed meanwhile") }
        try database.run(
          """
          UPDATE writes SET command = '' WHERE (command, created_at, service, base, account) =
            (SELECT command, created_at, service, base, account FROM writes WHERE id = ?)
          """, .integer(id))
      }
    }
  }

  // MARK: Addresses

  /// Says where the post of a write can be read, if it is one of a group.
  func setAddress(_ address: String, of id: Int) throws(ToolError) {
    try update("UPDATE copies SET address = ? WHERE write_id = ?", .text(address), .integer(id))
  }

  /// The address by which stores know these writes of a group as one post. The first that is set stays, since records
  /// have it.
  ///
  /// - Parameters:
  ///   - candidate: what is set if there is none yet; `nil` to set none.
  ///   - ids: the writes, `id` among them.
  func sharedAddress(_ candidate: String?, of id: Int, among ids: [Int]) throws(ToolError) -> String? {
    try database.write { () throws(ToolError) in
      var known: String?
      for other in ids where known == nil {
        known =
          try database.first("SELECT same_as FROM copies WHERE write_id = ?", .integer(other)) { $0.text(0) } ?? nil
      }
      guard let shared = known ?? candidate else { return nil }
      try database.run("UPDATE copies SET same_as = ? WHERE write_id = ?", .text(shared), .integer(id))
      return shared
    }
  }

  // MARK: Removing

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

  /// Removes posts that were never sent. Whoever sends one holds the lock.
  ///
  /// - Parameter again: what takes one back that was sent meanwhile.
  func drop(_ ids: [Int], again: String) throws(ToolError) {
    if ids.isEmpty { return }
    try FileLock.hold(lockPath) { (_) throws(ToolError) in
      for id in ids where try entry(id)?.state != .queued {
        throw .tryLater("write \(id) was sent meanwhile; \(again) takes it back")
      }
      try removeQueued(ids)
      try removeUnusedFiles()
    }
    Diagnostics.note("not posted, and removed from the outbox: \(ids.count == 1 ? "one post" : "\(ids.count) posts")")
  }

  /// Removes the copies of files that no write shows which is still to be sent.
  func removeUnusedFiles() throws(ToolError) {
    guard files.exist else { return }
    try files.hold { () throws(ToolError) in
      var used: Set<String> = []
      try database.forEachRow("SELECT target FROM writes WHERE state IN ('queued', 'sending', 'unsettled')") { row in
        used.formUnion(PostDraft(json: row.text(0) ?? "")?.files.compactMap(\.digest) ?? [])
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
      .text(owner.service), .text(owner.base), .text(owner.account), .text(since.rfc3339)
    ) { WritingAccount(id: $0.text(0) ?? "", username: $0.text(1) ?? "", object: $0.text(2) ?? "{}") }
  }

  func remember(_ known: WritingAccount) throws(ToolError) {
    try update(
      "INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", .text(owner.service), .text(owner.base),
      .text(owner.account), .text(known.id), .text(known.username), .text(known.object), .text(Timestamp.now.rfc3339))
  }
}

extension Outbox.Owner {
  init(_ access: ServiceAccess) throws(ToolError) {
    self.init(service: access.service, base: access.base, account: try access.outboxAccount())
  }
}
