import SQLite
import TweetCore
import TweetServices

/// Writes that are one thing for their author, at several accounts: the copies of a crosspost, and their deletions.
extension Outbox {
  /// One write of a group.
  struct Copy {
    let id: Int
    let owner: Owner
    let action: String
    let state: State
    /// The id of the post that was made.
    let result: String?
    let draft: PostDraft?
    let createdAt: String
    let note: String?
    /// The page of the post, once its record was printed.
    let address: String?
    /// The write that has deleted the post.
    let deletion: Int?
    /// Whether somebody has seen that the post was deleted.
    let isGone: Bool

    var isPost: Bool { draft != nil }
  }

  /// The table of groups; the group of writes is named by the first of them. A file of an earlier version has none, and
  /// an earlier version does without it.
  static func makeCopies(in database: borrowing Database) throws(ToolError) {
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

  /// Adds the writes of several accounts as one group, all in one transaction, or goes on with those of the same
  /// command that was cut off: then each account has what it had, and one that was not asked before has a write of its
  /// own in the same group.
  ///
  /// - Parameters:
  ///   - isNew: whether they are others than those of the same command that was cut off before.
  ///   - due: when they are to be sent; `nil` for as soon as can be.
  ///   - end: after this time they are not sent any more.
  /// - Returns: the ids of each batch, whether something was cut off before, and which writes were refused then.
  func add(
    _ batches: [Batch], isNew: Bool, due: Timestamp?, notAfter end: Timestamp? = nil
  ) throws(ToolError) -> (ids: [[Int]], goesOn: Bool, refused: [Int]) {
    try database.write { () throws(ToolError) in
      try forget()
      let old = isNew ? nil : try unfinishedGroup(batches)
      var (all, goesOn): ([[Int]], Bool) = ([], old != nil)
      let now = Timestamp.now
      for batch in batches {
        var ids = try old.map { (old) throws(ToolError) in try writes(of: old, batch.owner) } ?? []
        if ids.isEmpty, !isNew {
          ids = try cutOff(command: batch.command, of: batch.owner)
          if !ids.isEmpty { goesOn = true }
        }
        if ids.isEmpty { ids = try insert(batch, due: due, notAfter: end, at: now) }
        all.append(ids)
      }
      var refused: [Int] = []
      guard let first = all.joined().first else { return (all, goesOn, refused) }
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

  /// The newest group with a write of one of these commands that is not finished since less than a day: it waits, or
  /// was refused while the others were made; or that was done within the last hour and never printed.
  private func unfinishedGroup(_ batches: [Batch]) throws(ToolError) -> Int? {
    let now = Timestamp.now.milliseconds
    var newest: Int?
    for batch in batches {
      let group =
        try database.first(
          sql: """
            SELECT max(c.group_id) FROM writes w JOIN copies c ON c.write_id = w.id
            WHERE w.command = ?1 AND w.service = ?2 AND w.base = ?3 AND w.account = ?4 AND w.due_at IS NULL
            AND (w.state IN ('queued', 'sending', 'unsettled', 'refused') AND w.created_at >= ?5
              OR w.state = 'done' AND w.is_reported = 0 AND w.created_at >= ?6)
            AND c.group_id NOT IN (SELECT o.group_id FROM copies o JOIN writes w ON w.id = o.write_id
              WHERE o.group_id = c.group_id AND \(Self.isTakenBack))
            """,
          [
            .text(batch.command), .text(batch.owner.service), .text(batch.owner.base), .text(batch.owner.account),
            .text(Timestamp(milliseconds: now - 86_400_000).rfc3339),
            .text(Timestamp(milliseconds: now - 3_600_000).rfc3339),
          ]
        ) { $0.optionalInteger(0) } ?? nil
      if let group { newest = max(group, newest ?? 0) }
    }
    return newest
  }

  private func writes(of group: Int, _ owner: Owner) throws(ToolError) -> [Int] {
    try copies(of: group).filter { $0.owner == owner }.map(\.id)
  }

  /// Whether a write is of a group, and where its post can be read is not known yet.
  func lacksAddress(_ id: Int) throws(ToolError) -> Bool {
    try database.first("SELECT 1 FROM copies WHERE write_id = ? AND address IS NULL", .integer(id)) { _ in true }
      ?? false
  }

  /// The group of a write; `nil` if it is by itself.
  func group(of id: Int) throws(ToolError) -> Int? {
    try database.first("SELECT group_id FROM copies WHERE write_id = ?", .integer(id)) { $0.integer(0) }
  }

  /// The writes of a group, in the order in which they were asked for.
  func copies(of group: Int) throws(ToolError) -> [Copy] {
    var copies: [Copy] = []
    try database.forEachRow(
      """
      SELECT w.id, w.service, w.base, w.account, w.action, w.state, w.result, w.target, w.created_at, w.note, c.address,
        (SELECT max(d.id) FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.target = w.result
          AND d.service = w.service AND d.base = w.base),
        EXISTS (SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.is_reported = 1
          AND d.target = w.result AND d.service = w.service AND d.base = w.base)
      FROM writes w JOIN copies c ON c.write_id = w.id WHERE c.group_id = ? ORDER BY w.id
      """, .integer(group)
    ) { row in
      copies.append(
        Copy(
          id: row.integer(0),
          owner: Owner(service: row.text(1) ?? "", base: row.text(2) ?? "", account: row.text(3) ?? ""),
          action: row.text(4) ?? "", state: State(rawValue: row.text(5) ?? "") ?? .refused, result: row.text(6),
          draft: PostDraft(json: row.text(7) ?? ""), createdAt: row.text(8) ?? "", note: row.text(9),
          address: row.text(10), deletion: row.optionalInteger(11), isGone: row.integer(12) == 1))
    }
    return copies
  }

  /// Whether a copy of the crosspost that a write is of was taken back.
  func isTakenBack(groupOf id: Int) throws(ToolError) -> Bool {
    try database.first(
      sql: """
        SELECT 1 FROM copies c JOIN copies o ON o.group_id = c.group_id JOIN writes w ON w.id = o.write_id
        WHERE c.write_id = ? AND \(Self.isTakenBack)
        """, [.integer(id)]
    ) { _ in true } ?? false
  }

  /// The servers at which posts of groups were made.
  func servers() throws(ToolError) -> [(service: String, base: String)] {
    var servers: [(service: String, base: String)] = []
    try database.forEachRow(
      "SELECT DISTINCT w.service, w.base FROM writes w JOIN copies c ON c.write_id = w.id WHERE w.result IS NOT NULL"
    ) { servers.append(($0.text(0) ?? "", $0.text(1) ?? "")) }
    return servers
  }

  /// The write of a group that made a post; `nil` if none did.
  func copy(ofPost id: String, _ service: String, _ base: String) throws(ToolError) -> Int? {
    try database.first(
      """
      SELECT w.id FROM writes w JOIN copies c ON c.write_id = w.id WHERE w.result = ? AND w.service = ? AND w.base = ?
      """, .text(id), .text(service), .text(base)
    ) { $0.integer(0) }
  }

  /// The write of a group whose post has this page.
  func copy(at address: String) throws(ToolError) -> Int? {
    try database.first("SELECT write_id FROM copies WHERE address = ?", .text(address)) { $0.integer(0) }
  }

  /// Says where the post of a write can be read, if it is one of a group.
  func setAddress(_ address: String, of id: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run("UPDATE copies SET address = ? WHERE write_id = ?", .text(address), .integer(id))
    }
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
}
