import SQLite
import TweetCore
import TweetServices

/// A write of the outbox: its row, and what other rows say of it.
struct OutboxEntry {
  let id: Int
  let owner: Outbox.Owner
  let state: Outbox.State
  /// What is done, as ``WriteAction/name``.
  let verb: String
  /// The draft of a post, in JSON; else what is changed.
  let target: String
  /// What the user asked for in all; the same command finds it again.
  let command: String
  /// The write whose post this one answers.
  let follows: Int?
  /// The id of the post that was made.
  let result: String?
  /// What went wrong.
  let note: String?
  /// How often a request was made for it.
  let attempts: Int
  let attemptedAt: Timestamp
  /// When the last request surely was over without an answer; `nil` if that is not known.
  let endedAt: Timestamp?
  let createdAt: Timestamp
  /// When it is to be sent; `nil` for as soon as can be.
  let dueAt: Timestamp?
  /// After this time it is not sent any more; `nil` for ever.
  let notAfter: Timestamp?
  /// What is one thing for its author at several accounts, named by the first of its writes; `nil` if it is by itself.
  let group: Int?
  /// The page of a post of a group, once its record was printed.
  let address: String?
  /// The write that has deleted the post.
  let deletion: Int?
  /// Whether somebody has seen that the post was deleted.
  let isGone: Bool

  /// Begins the SQL of ``init(_:)``; the tables are `writes w` and `copies c`.
  static let select = """
    SELECT w.id, w.service, w.base, w.account, w.state, w.action, w.target, w.command, w.follows, w.result, w.note,
      w.attempts, w.attempted_at, w.ended_at, w.created_at, w.due_at, w.not_after, c.group_id, c.address,
      (SELECT max(d.id) FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.target = w.result
        AND d.service = w.service AND d.base = w.base), \(isGone)
    FROM writes w LEFT JOIN copies c ON c.write_id = w.id

    """

  /// SQL for whether the post of a write `w` was deleted, which somebody has seen.
  static let isGone = """
    EXISTS (SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state = 'done' AND d.is_reported = 1
      AND d.target = w.result AND d.service = w.service AND d.base = w.base)
    """

  init(_ row: Row) {
    func time(_ column: Int32) -> Timestamp? { row.text(column).flatMap { Timestamp(parsing: $0) } }
    id = row.integer(0)
    owner = Outbox.Owner(service: row.text(1) ?? "", base: row.text(2) ?? "", account: row.text(3) ?? "")
    state = Outbox.State(rawValue: row.text(4) ?? "") ?? .refused
    (verb, target, command) = (row.text(5) ?? "", row.text(6) ?? "", row.text(7) ?? "")
    (follows, result, note) = (row.optionalInteger(8), row.text(9), row.text(10))
    (attempts, attemptedAt, endedAt) = (row.integer(11), row.time(12), time(13))
    (createdAt, dueAt, notAfter) = (row.time(14), time(15), time(16))
    (group, address) = (row.optionalInteger(17), row.text(18))
    (deletion, isGone) = (row.optionalInteger(19), row.integer(20) == 1)
  }

  var action: WriteAction {
    get throws(ToolError) {
      if let change = PostChange(rawValue: verb) { return .change(change, target) }
      if let draft { return .post(draft) }
      throw .badData("the outbox: write \(id) cannot be read; 'tw-post outbox drop' removes it")
    }
  }

  /// `nil` for what is not a post.
  var draft: PostDraft? { PostDraft(json: target) }

  /// The text of a post, or what is changed.
  var text: String { draft?.text ?? target }

  /// Whether it is of a group, and where its post can be read is not known yet.
  var lacksAddress: Bool { group != nil && address == nil }

  /// Whether nobody knows what came of it.
  var isOpen: Bool { state == .sending || state == .unsettled }

  /// When it is to be sent, for people; empty for as soon as can be.
  var times: String {
    let times = [("for", dueAt), ("not after", notAfter)]
    return times.compactMap { word, time in time.map { "\(word) \(LocalMoment.text($0))" } }.joined(separator: ", ")
  }
}

/// How writes are found.
extension Outbox {
  /// - Parameter rest: SQL that chooses and orders rows of ``OutboxEntry/select``.
  private func entries(_ rest: String, _ values: SQLValue...) throws(ToolError) -> [OutboxEntry] {
    let statement = try database.prepare(OutboxEntry.select + rest)
    statement.bind(values)
    var found: [OutboxEntry] = []
    while try statement.step() { found.append(OutboxEntry(statement.row)) }
    return found
  }

  func entry(_ id: Int) throws(ToolError) -> OutboxEntry? { try entries("WHERE w.id = ?", .integer(id)).first }

  /// What is not done, of all services and accounts, in order.
  func unfinished() throws(ToolError) -> [OutboxEntry] {
    try entries(
      """
      WHERE w.state IN ('queued', 'sending', 'unsettled') OR w.state = 'refused' AND w.is_reported = 0 ORDER BY w.id
      """)
  }

  /// The writes of a group, in the order in which they were asked for.
  func copies(of group: Int) throws(ToolError) -> [OutboxEntry] {
    try entries("WHERE c.group_id = ? ORDER BY w.id", .integer(group))
  }

  /// The write of a group that made a post; `nil` if none did.
  func copy(ofPost id: String, _ service: String, _ base: String) throws(ToolError) -> OutboxEntry? {
    try entries(
      "WHERE c.group_id IS NOT NULL AND w.result = ? AND w.service = ? AND w.base = ?", .text(id), .text(service),
      .text(base)
    ).first
  }

  /// The write of a group whose post has this page.
  func copy(at address: String) throws(ToolError) -> OutboxEntry? {
    try entries("WHERE c.address = ?", .text(address)).first
  }

  /// SQL for whether a write `w` is one of this account, or of an earlier token of its user.
  private static let isOwn = """
    w.service = ?1 AND w.base = ?2 AND (w.account = ?3 OR w.account IN (
      SELECT other.account FROM accounts AS own JOIN accounts AS other USING (service, base, user_id)
      WHERE own.service = ?1 AND own.base = ?2 AND own.account = ?3))
    """

  /// The writes of this account that are not finished and are due, in order, and those whose record nobody has printed
  /// since a minute, because the program that made them was killed; those of its earlier tokens too.
  func open(at time: Timestamp) throws(ToolError) -> [Int] {
    try entries(
      """
      WHERE (w.state IN ('queued', 'sending', 'unsettled') OR w.state = 'done' AND w.is_reported = 0
        AND w.claimed_at BETWEEN ?4 AND ?5 AND NOT \(Self.isTakenBack)) AND \(Self.isOwn)
      AND (w.due_at IS NULL OR w.due_at <= ?6)
      ORDER BY w.id
      """, .text(owner.service), .text(owner.base), .text(owner.account),
      .text(Timestamp(milliseconds: time.milliseconds - 86_400_000).rfc3339),
      .text(Timestamp(milliseconds: time.milliseconds - Self.timeToReport).rfc3339), .text(time.rfc3339)
    ).map(\.id)
  }

  /// Who has done a write prints its record within this many milliseconds, or was killed.
  static let timeToReport: Int64 = 60_000

  /// SQL for whether a write `w` is a post that may be taken back: it waits, may have been sent, or is there. Those are
  /// left out whose deletion is done and was reported, and no others: who asks again after a deletion that was cut off
  /// does not mean an earlier post.
  private static let isThere =
    "w.action IN ('post', 'reply', 'quote') AND w.state <> 'refused' AND NOT \(OutboxEntry.isGone)"

  /// The post that was asked for last. A thread is one post, and so is a crosspost.
  ///
  /// - Parameters:
  ///   - number: 1 for the last one, 2 for the one before it.
  ///   - owners: whose it is; `nil` for all accounts.
  func lastPost(_ number: Int = 1, of owners: [Owner]? = nil) throws(ToolError) -> OutboxEntry? {
    var seen: Set<[String]> = []
    for post in try entries("WHERE \(Self.isThere) ORDER BY w.id DESC") {
      var isMeant = owners == nil
      for owner in owners ?? [] where try isSameUser(owner, post.owner) { isMeant = true }
      if !isMeant { continue }
      let command = post.command.isEmpty ? String(post.id) : post.command
      let (owner, time) = (post.owner, post.createdAt.rfc3339)
      seen.insert(post.group.map { [String($0)] } ?? [owner.service, owner.base, owner.account, command, time])
      if seen.count == number { return post }
    }
    return nil
  }

  /// The post that the account asked for last, or the posts of its thread, the last one first.
  ///
  /// - Parameter id: one of them, if another than the last one is meant.
  func lastPosts(of id: Int? = nil) throws(ToolError) -> [OutboxEntry] {
    let isMeant = "\(Self.isThere) AND \(Self.isOwn)"
    return try entries(
      """
      JOIN (SELECT w.id, w.command, w.created_at FROM writes w WHERE w.id = coalesce(?4, w.id) AND \(isMeant)
        ORDER BY w.id DESC LIMIT 1) AS last
      ON w.id = last.id OR w.command = last.command AND w.command <> '' AND w.created_at = last.created_at
      WHERE \(isMeant) ORDER BY w.id DESC
      """, .text(owner.service), .text(owner.base), .text(owner.account), SQLValue(id))
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
  func textNow(of post: OutboxEntry) throws(ToolError) -> String {
    guard let id = post.result else { return post.text }
    return try database.first(
      """
      SELECT target FROM writes WHERE action = 'edit' AND state = 'done' AND service = ? AND base = ?
      AND json_extract(target, '$.edit_of') = ? ORDER BY id DESC LIMIT 1
      """, .text(post.owner.service), .text(post.owner.base), .text(id)
    ) { PostDraft(json: $0.text(0) ?? "")?.text ?? post.text } ?? post.text
  }

  // MARK: The same command

  /// SQL for whether a write `w` of a command was cut off: it is not finished since less than a day, or was done within
  /// the last hour and never printed.
  ///
  /// - Parameter refused: `, 'refused'` if what was refused counts as not finished, where other copies of it were made.
  private static func isCutOff(_ refused: String = "") -> String {
    """
    w.command = ?1 AND w.service = ?2 AND w.base = ?3 AND w.account = ?4 AND w.due_at IS NULL
    AND (w.state IN ('queued', 'sending', 'unsettled'\(refused)) AND w.created_at >= ?5
      OR w.state = 'done' AND w.is_reported = 0 AND w.created_at >= ?6)
    """
  }

  /// The values of ``isCutOff(_:)``.
  private static func values(_ command: String, _ owner: Owner) -> [SQLValue] {
    let now = Timestamp.now.milliseconds
    let times = [86_400_000, 3_600_000].map { Timestamp(milliseconds: now - $0).rfc3339 }
    return ([command, owner.service, owner.base, owner.account] + times).map { .text($0) }
  }

  /// SQL for whether the post of a write `w` was deleted by this user, or is to be.
  private static let isTakenBack = """
    EXISTS (SELECT 1 FROM writes d WHERE d.action = 'delete' AND d.state <> 'refused' AND d.target = w.result
      AND d.service = w.service AND d.base = w.base)
    """

  /// The writes of a command that was cut off. All writes of its command are there if one is. Once a post of it was
  /// taken back, the same command means a new post.
  func cutOff(command: String, of owner: Owner? = nil) throws(ToolError) -> [Int] {
    let owner = owner ?? self.owner
    let newest =
      try database.first(
        sql: """
          SELECT max(w.created_at) FROM writes w WHERE \(Self.isCutOff())
          AND w.created_at NOT IN (SELECT w.created_at FROM writes w WHERE w.command = ?1 AND w.service = ?2
            AND w.base = ?3 AND w.account = ?4 AND \(Self.isTakenBack))
          """, Self.values(command, owner)
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

  /// The newest group with a write of one of these commands that was cut off, or was refused while the others were
  /// made.
  func unfinishedGroup(_ batches: [Batch]) throws(ToolError) -> Int? {
    var newest: Int?
    for batch in batches {
      let group =
        try database.first(
          sql: """
            SELECT max(c.group_id) FROM writes w JOIN copies c ON c.write_id = w.id
            WHERE \(Self.isCutOff(", 'refused'"))
            AND c.group_id NOT IN (SELECT o.group_id FROM copies o JOIN writes w ON w.id = o.write_id
              WHERE o.group_id = c.group_id AND \(Self.isTakenBack))
            """, Self.values(batch.command, batch.owner)
        ) { $0.optionalInteger(0) } ?? nil
      if let group { newest = max(group, newest ?? 0) }
    }
    return newest
  }

  // MARK: What was done

  /// Whether the last thing done to a target was this change.
  func isDone(_ change: PostChange, _ target: String) throws(ToolError) -> Bool {
    let last = try database.first(
      """
      SELECT action FROM writes WHERE target = ? AND action IN (?, ?) AND state = 'done' AND service = ? AND base = ?
      AND account = ? ORDER BY id DESC LIMIT 1
      """, .text(target), .text(change.rawValue), .text(change.inverse?.rawValue ?? change.rawValue),
      .text(owner.service), .text(owner.base), .text(owner.account)
    ) { $0.text(0) }
    return last == change.rawValue
  }

  /// Whether a post is known to be what came of a write.
  func isResult(_ id: String) throws(ToolError) -> Bool {
    try database.first(
      "SELECT 1 FROM writes WHERE result = ? AND service = ? AND base = ?", .text(id), .text(owner.service),
      .text(owner.base)
    ) { _ in true } ?? false
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
}
