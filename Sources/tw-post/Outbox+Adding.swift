import SQLite
import TweetCore
import TweetServices

/// How writes come into the outbox.
extension Outbox {
  /// Whose writes they are.
  struct Owner: Hashable {
    let service: String
    let base: String
    let account: String
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

  var owner: Owner { Owner(service: service, base: base, account: account) }

  /// Adds writes of this account in one transaction.
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
    try database.write { () throws(ToolError) in
      try forget()
      return try insert(
        Batch(owner: owner, actions: actions, command: command, isChain: isChain), due: due, notAfter: end, at: .now)
    }
  }

  /// Adds writes in a transaction that has begun.
  func insert(
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

  /// Removes what was finished long ago.
  func forget() throws(ToolError) {
    let before = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.memory)
    try database.run(
      "DELETE FROM writes WHERE created_at < ? AND state IN ('done', 'refused')", .text(before.rfc3339))
    try database.run("DELETE FROM copies WHERE write_id NOT IN (SELECT id FROM writes)")
  }

  /// Ninety days.
  private static let memory: Int64 = 90 * 86_400_000
}
