import SQLite
import TweetCLI
import TweetCore
import TweetServices

/// Posts that their author looks at again: to change what waits, or to take back what was posted.
extension Outbox {
  /// A post that may be taken back.
  struct LastPost {
    let id: Int
    let state: State
    /// The id of the post that was made.
    let result: String?
    let text: String
    let createdAt: String
    /// The write that has deleted it, and was cut off before anybody saw that.
    let deletion: Int?
  }

  /// SQL for whether a write `w` is a post that may be taken back: it waits, may have been sent, or is there. Those are
  /// left out whose deletion is done and was reported, and no others: who asks again after a deletion that was cut off
  /// does not mean an earlier post.
  private static let isThere = """
    w.action IN ('post', 'reply', 'quote') AND w.state <> 'refused' AND NOT EXISTS (
      SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.is_reported = 1 AND d.target = w.result
      AND d.service = w.service AND d.base = w.base)
    """

  /// The post that was asked for last. A thread is one post, and so is a crosspost.
  ///
  /// - Parameters:
  ///   - number: 1 for the last one, 2 for the one before it.
  ///   - owners: whose it is; `nil` for all accounts.
  func lastPost(_ number: Int = 1, of owners: [Owner]? = nil) throws(ToolError) -> (id: Int, owner: Owner)? {
    var posts: [(id: Int, owner: Owner, whole: [String])] = []
    try database.forEachRow(
      sql: """
        SELECT w.id, w.service, w.base, w.account, c.group_id, w.command, w.created_at
        FROM writes w LEFT JOIN copies c ON c.write_id = w.id WHERE \(Self.isThere) ORDER BY w.id DESC
        """
    ) { row in
      let owner = Owner(service: row.text(1) ?? "", base: row.text(2) ?? "", account: row.text(3) ?? "")
      let command = row.text(5).flatMap { $0.isEmpty ? nil : $0 }
      let thread = [owner.service, owner.base, owner.account, command ?? String(row.integer(0)), row.text(6) ?? ""]
      posts.append((row.integer(0), owner, row.optionalInteger(4).map { [String($0)] } ?? thread))
    }
    var seen: Set<[String]> = []
    for post in posts {
      var isMeant = owners == nil
      for owner in owners ?? [] where try isSameUser(owner, post.owner) { isMeant = true }
      if !isMeant { continue }
      seen.insert(post.whole)
      if seen.count == number { return (post.id, post.owner) }
    }
    return nil
  }

  /// Whether two accounts are one user of a service, who has had several tokens.
  func isSameUser(_ one: Owner, _ other: Owner) throws(ToolError) -> Bool {
    guard one.service == other.service, one.base == other.base else { return false }
    if one == other { return true }
    return try database.first(
      """
      SELECT 1 FROM accounts a JOIN accounts b USING (service, base, user_id)
      WHERE service = ? AND base = ? AND a.account = ? AND b.account = ?
      """, .text(one.service), .text(one.base), .text(one.account), .text(other.account)
    ) { _ in true } ?? false
  }

  /// The text of a post as the last edit of this user has left it.
  /// - Parameters:
  ///   - id: `nil` for a post that was not made yet.
  ///   - text: that of the post as it was made.
  func textNow(ofPost id: String?, _ owner: Owner, _ text: String) throws(ToolError) -> String {
    guard let id else { return text }
    return try database.first(
      """
      SELECT target FROM writes WHERE action = 'edit' AND state = 'done' AND service = ? AND base = ?
      AND json_extract(target, '$.edit_of') = ? ORDER BY id DESC LIMIT 1
      """, .text(owner.service), .text(owner.base), .text(id)
    ) { PostDraft(json: $0.text(0) ?? "")?.text ?? text } ?? text
  }

  /// The post that the account asked for last, or the posts of its thread, the last one first.
  ///
  /// - Parameter id: one of them, if another than the last one is meant.
  func lastPosts(of id: Int? = nil) throws(ToolError) -> [LastPost] {
    let isThere = """
      \(Self.isThere) AND w.service = ?1 AND w.base = ?2
      AND (w.account = ?3 OR w.account IN (
        SELECT other.account FROM accounts AS own JOIN accounts AS other USING (service, base, user_id)
        WHERE own.service = ?1 AND own.base = ?2 AND own.account = ?3))
      """
    var posts: [LastPost] = []
    try database.forEachRow(
      sql: """
        SELECT w.id, w.state, w.result, w.target, w.created_at, (
          SELECT max(d.id) FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.target = w.result
          AND d.service = w.service AND d.base = w.base) FROM writes w JOIN (
          SELECT w.id, w.command, w.created_at FROM writes w WHERE w.id = coalesce(?4, w.id) AND \(isThere)
          ORDER BY w.id DESC LIMIT 1) AS last
        ON w.id = last.id OR w.command = last.command AND w.command <> '' AND w.created_at = last.created_at
        WHERE \(isThere) ORDER BY w.id DESC
        """, .text(service), .text(base), .text(account), SQLValue(id)
    ) { row in
      posts.append(
        LastPost(
          id: row.integer(0), state: State(rawValue: row.text(1) ?? "") ?? .refused, result: row.text(2),
          text: PostDraft(json: row.text(3) ?? "")?.text ?? "", createdAt: row.text(4) ?? "",
          deletion: row.optionalInteger(5)))
    }
    return posts
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

  /// Changes the draft of a post in a transaction that has begun.
  func change(_ id: Int, _ body: (inout PostDraft) -> Void) throws(ToolError) {
    guard case .post(var draft)? = try entry(id)?.action else { return }
    body(&draft)
    try database.run("UPDATE writes SET target = ? WHERE id = ?", .text(draft.json), .integer(id))
  }

  /// Says that the server does not make a post once by its key alone.
  func distrustKey(of id: Int) throws(ToolError) {
    try database.write { () throws(ToolError) in try change(id) { $0.keyUntil = nil } }
  }

  /// Whose a write is and, if it is a post, its draft; `nil` if it is not in the outbox.
  func written(_ id: Int) throws(ToolError) -> (owner: Owner, state: State, action: String, target: String)? {
    try database.first(
      "SELECT service, base, account, state, action, target FROM writes WHERE id = ?", .integer(id)
    ) { row in
      (
        Owner(service: row.text(0) ?? "", base: row.text(1) ?? "", account: row.text(2) ?? ""),
        State(rawValue: row.text(3) ?? "") ?? .refused, row.text(4) ?? "", row.text(5) ?? ""
      )
    }
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
}
