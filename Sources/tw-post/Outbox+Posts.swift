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

  /// The post that the account asked for last, or the posts of its thread, the last one first: they wait, may have been
  /// sent, or are there. Those are left out whose deletion is done and was reported, and no others: who asks again
  /// after a deletion that was cut off does not mean an earlier post.
  func lastPosts() throws(ToolError) -> [LastPost] {
    let isThere = """
      w.action IN ('post', 'reply', 'quote') AND w.state <> 'refused' AND w.service = ?1 AND w.base = ?2
      AND (w.account = ?3 OR w.account IN (
        SELECT other.account FROM accounts AS own JOIN accounts AS other USING (service, base, user_id)
        WHERE own.service = ?1 AND own.base = ?2 AND own.account = ?3))
      AND NOT EXISTS (
        SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.is_reported = 1 AND d.target = w.result
        AND d.service = w.service AND d.base = w.base)
      """
    var posts: [LastPost] = []
    try database.forEachRow(
      sql: """
        SELECT w.id, w.state, w.result, w.target, w.created_at, (
          SELECT max(d.id) FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.target = w.result
          AND d.service = w.service AND d.base = w.base) FROM writes w JOIN (
          SELECT w.id, w.command, w.created_at FROM writes w WHERE \(isThere) ORDER BY w.id DESC LIMIT 1) AS last
        ON w.id = last.id OR w.command = last.command AND w.command <> '' AND w.created_at = last.created_at
        WHERE \(isThere) ORDER BY w.id DESC
        """, .text(service), .text(base), .text(account)
    ) { row in
      posts.append(
        LastPost(
          id: row.integer(0), state: State(rawValue: row.text(1) ?? "") ?? .refused, result: row.text(2),
          text: PostDraft(json: row.text(3) ?? "")?.text ?? "", createdAt: row.text(4) ?? "",
          deletion: row.optionalInteger(5)))
    }
    return posts
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

  /// A write's service and, if it is a post, its draft; `nil` if it is not in the outbox.
  func written(_ id: Int) throws(ToolError) -> (service: String, state: State, action: String, target: String)? {
    try database.first("SELECT service, state, action, target FROM writes WHERE id = ?", .integer(id)) { row in
      (row.text(0) ?? "", State(rawValue: row.text(1) ?? "") ?? .refused, row.text(2) ?? "", row.text(3) ?? "")
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
