import SQLite
package import TweetCore

/// Stores the lines of an export. In an empty store the result equals the exported one. In another store, the import
/// updates rows as ``TweetWriter`` does.
package struct StoreImport: ~Copyable {
  /// What an import does beside storing, and does not do.
  package struct Report: Sendable {
    /// What the export and the store say differently: the store keeps its own.
    package var conflicts: [String] = []
    /// How many tweets are not unread any more, since they were read in the other store.
    package var read = 0
  }

  /// Whether a tweet of the export that is not unread was read.
  private var marksRead = false
  package var report = Report()
  private let setTweet: Statement
  private let mergeTweet: Statement
  private let setUser: Statement
  private let findOnly: Statement
  private let addName: Statement
  private let addEdit: Statement
  private let addKind: Statement
  private let addQuery: Statement
  var writer: TweetWriter
  /// Whether somebody was removed, whose words the file may still have.
  var hasForgottenPeople = false

  /// How many rows a table has.
  func count(_ table: StaticString) throws(ToolError) -> Int {
    let count = try writer.database.prepare("SELECT count(*) FROM \(table)")
    return try count.step() ? count.row.integer(0) : 0
  }

  /// Whether there are lines of this type in an export.
  static func accepts(_ type: JSONValue?) -> Bool {
    guard let type else { return false }
    let types: [StaticString] = [
      "store", "tweet", "user", "notification", "delete", "forgotten", "forgotten_tweet", "forgotten_person", "notice",
      "edit", "link", "saved_query", "source",
    ]
    return types.contains { type.equals($0) }
  }

  package mutating func begin() throws(ToolError) { try writer.begin() }
  package mutating func commit() throws(ToolError) { try writer.commit() }
  package mutating func rollback() { writer.rollback() }

  /// Stores one line of an export. Returns what is wrong with it, `nil` if nothing is.
  /// - Parameter stored: the `stored` object that followed a tweet or a user.
  package mutating func add(_ line: JSONValue, stored: JSONValue?) throws(ToolError) -> String? {
    switch line["tw"]?.string {
    case "store":
      guard let version = line["version"]?.integer else { return "no \"version\"" }
      if version > 1 { throw .configuration("this export was made by a newer version of tw: upgrade tw") }
      writer.keepsDeleted = line["keeps_deleted"]?.bool == true
      marksRead = line["marks_read"]?.bool == true
      if marksRead { try writer.labels.know(.unread, in: writer.database) }
      return nil
    case "tweet":
      writer.restoredKey = stored?["key"]?.integer
      defer { writer.restoredKey = nil }
      let added = try writer.add(line)
      if let fault = added.fault { return fault }
      if added.absence != nil { return nil }
      return try restore(tweet: line, stored, isNew: added.isNew)
    case "user":
      let added = try writer.add(line)
      if let fault = added.fault { return fault }
      return try restore(user: line, stored, isNew: added.isNew)
    case "notification": return try writer.add(line).fault
    case "delete", "notice":
      guard let time = (line["deleted_at"] ?? line["at"])?.time else { return "no time" }
      let now = writer.now
      writer.now = time.rfc3339
      defer { writer.now = now }
      return try writer.add(line).fault
    case "forgotten": return try add(forgotten: line)
    case "forgotten_tweet": return try add(kept: line)
    case "forgotten_person": return try add(forgottenPerson: line)
    case "edit":
      return try run(addEdit, line, ["service", "id", "original"])
    case "link":
      if try writer.hidesLink(line["url"]?.string ?? "") { return nil }
      return try run(addKind, line, ["url", "link_kind", "checked_at"])
    case "saved_query":
      let fault = try run(addQuery, line, ["name", "query"])
      if fault == nil { try noteQuery(line["name"]?.string ?? "", line["query"]?.string ?? "") }
      return fault
    case "source":
      return try writer.restoreSource(line, &report.conflicts)
    default:
      return "no line of an export"
    }
  }

  private mutating func noteQuery(_ name: String, _ query: String) throws(ToolError) {
    let own = try writer.database.first("SELECT query FROM saved_queries WHERE name = ?", .text(name)) { $0.text(0) }
    guard let own, let own, own != query else { return }
    report.conflicts.append("the saved query '\(name)' stays '\(own)': the export has '\(query)'")
  }

  /// What was read in one store is read in the other, and so are its copies.
  private mutating func markRead(_ key: Int, _ stored: JSONValue) throws(ToolError) {
    if let list = stored["labels"], list.elements.contains(where: { $0.equals("unread") }) { return }
    guard try writer.labels.remove(.unread, from: key, in: writer.database) else { return }
    report.read += 1
    for key in try writer.labels.sharers(of: key) {
      _ = try writer.labels.remove(.unread, from: key, in: writer.database)
    }
  }

  private func run(
    _ statement: borrowing Statement, _ line: JSONValue, _ keys: [StaticString]
  ) throws(ToolError) -> String? {
    for (index, key) in keys.enumerated() {
      guard let value = line[key], value.isText else { return "no \"\(key)\"" }
      statement.bind(Int32(index + 1), text: value)
    }
    try statement.run()
    return nil
  }

  private mutating func restore(tweet: JSONValue, _ stored: JSONValue?, isNew: Bool) throws(ToolError) -> String? {
    guard let stored else { return nil }
    guard let service = tweet["service"], let id = tweet["id"],
      let key = try writer.tweets.key(service: service, id: id)
    else { return nil }
    guard let first = stored["first_seen"], first.isText, let last = stored["last_seen"], last.isText else {
      return "no \"first_seen\""
    }
    if isNew {
      setTweet.bind(4, text: stored["hidden"])
      try run(setTweet, key, first, last)
    } else {
      try run(mergeTweet, key, first, last)
    }
    if let feeds = stored["feeds"] {
      for feed in feeds.elements {
        let parts = Array(feed.elements)
        guard parts.count == 3, parts.allSatisfy(\.isText) else { return "a wrong feed" }
        try writer.feeds.add(
          feed: parts[0], service: service, of: key, first: parts[1], last: parts[2], in: writer.database)
      }
    }
    if let versions = stored["versions"] {
      for version in versions.elements where version.isObject { try writer.versions.insert(version, of: key) }
    }
    if marksRead, !isNew { try markRead(key, stored) }
    return try writer.restorePersonal(stored, of: key, isNew: isNew)
  }

  private func run(
    _ statement: borrowing Statement, _ key: Int, _ first: JSONValue, _ last: JSONValue
  ) throws(ToolError) {
    statement.bind(1, key)
    statement.bind(2, text: first)
    statement.bind(3, text: last)
    try statement.run()
  }

  private mutating func restore(user: JSONValue, _ stored: JSONValue?, isNew: Bool) throws(ToolError) -> String? {
    guard let stored, let service = user["service"], let id = user["id"],
      let key = try writer.users.key(service: service, id: id)
    else { return nil }
    guard let first = stored["first_seen"], first.isText else { return "no \"first_seen\"" }
    guard let names = stored["names"], names.isArray else { return "no \"names\"" }
    let isOnly = try hasOnly(names, key, first)
    if !isOnly, !isNew { try writer.users.keepName(of: key) }
    setUser.bind(1, key)
    setUser.bind(2, text: first)
    setUser.bind(3, isNew ? 1 : 0)
    try setUser.run()
    if isOnly { return nil }
    for name in names.elements {
      guard let parts = Self.parts(of: name) else { return "a wrong name" }
      addName.bind(1, key)
      addName.bind(2, parts[0].string ?? "")
      addName.bind(3, parts[1].string ?? "")
      addName.bind(4, text: parts[2])
      try addName.run()
    }
    return nil
  }

  /// The username, the name, and when they were first seen; `nil` if that is not what stands there.
  private static func parts(of name: JSONValue) -> [JSONValue]? {
    let parts = Array(name.elements)
    return parts.count == 3 && parts.allSatisfy(\.isString) ? parts : nil
  }

  /// Whether a user has no other names than those of an export, which were seen since the user was.
  private func hasOnly(_ names: JSONValue, _ key: Int, _ first: JSONValue) throws(ToolError) -> Bool {
    let all = Array(names.elements)
    guard let only = all.first else { return true }
    guard all.count == 1, let parts = Self.parts(of: only), parts[2].string == first.string else { return false }
    findOnly.bind([.integer(key), SQLValue(parts[0].string), SQLValue(parts[1].string)])
    defer { findOnly.reset() }
    return try findOnly.step()
  }
}

extension StoreImport {
  package init(_ store: consuming TweetStore) throws(ToolError) {
    let database = store.releaseDatabase()
    self.init(
      setTweet: try database.prepare(
        RowSum.tweets.update(["first_seen": "?2", "last_seen": "?3", "hidden": "?4"]) + " WHERE key = ?1"),
      mergeTweet: try database.prepare(
        RowSum.tweets.update(["first_seen": "min(first_seen, ?2)", "last_seen": "max(last_seen, ?3)"])
          + " WHERE key = ?1 AND (?2 < first_seen OR ?3 > last_seen)"),
      setUser: try database.prepare(
        RowSum.users.update(["first_seen": "iif(?3, ?2, min(first_seen, ?2))"]) + " WHERE key = ?1"),
      findOnly: try database.prepare(
        """
        SELECT 1 FROM users WHERE key = ?1 AND coalesce(username, '') = ?2 COLLATE BINARY AND coalesce(name, '') = ?3
          AND NOT EXISTS (SELECT 1 FROM user_names WHERE user = ?1)
        """),
      addName: try database.prepare(
        RowSum.userNames.insert(["?1", "?2", "?3", "?4"]) + " ON CONFLICT DO UPDATE SET "
          + RowSum.userNames.assignments(["first_seen": "?4"]) + " WHERE ?4 < first_seen"),
      addEdit: try database.prepare(RowSum.edits.insert(["?1", "?2", "?3"], or: "OR IGNORE ")),
      addKind: try database.prepare(
        RowSum.linkKinds.insert(["?1", "?2", "?3"]) + " ON CONFLICT DO UPDATE SET "
          + RowSum.linkKinds.assignments(["kind": "?2", "checked_at": "?3"]) + " WHERE ?3 > checked_at"),
      // A query of the same name that the store has is its owner's newer one.
      addQuery: try database.prepare(RowSum.savedQueries.insert(["?1", "?2"], or: "OR IGNORE ")),
      writer: try TweetWriter(database, isRestoring: true))
  }
}

/// Forgotten tweets come back as the lines of an export come into a store.
extension StoreImport {
  /// Brings forgotten or deleted tweets back, each with all that went with it, in one transaction.
  /// - Parameter isDeleted: whether their service deleted them.
  /// - Returns: how many came back. Forgotten ones that their service deleted meanwhile do not.
  package mutating func restore(
    _ forgotten: [(service: String, id: String)], isDeleted: Bool = false
  ) throws(ToolError) -> Int {
    try begin()
    var restored = 0
    do throws(ToolError) {
      // Before any is stored: one that is still forgotten keeps its copies away.
      for tweet in forgotten {
        if isDeleted { try writer.database.run(sql: Self.undeleteSQL, .text(tweet.service), .text(tweet.id)) }
        try writer.forgotten.remove(named: tweet.id, service: tweet.service)
      }
      try writer.tombstones.posts.reload()
      try writer.forgotten.posts.reload()
      for tweet in forgotten {
        let kept = try takeKept(tweet.id, service: tweet.service)
        if try restore(kept, tweet.id, service: tweet.service) { restored += 1 }
      }
    } catch {
      rollback()
      throw error
    }
    try commit()
    return restored
  }

  private typealias Kept = [(record: JSONDocument, stored: JSONDocument?)]

  /// Takes what would bring a tweet back out of its table.
  private mutating func takeKept(_ named: String, service: String) throws(ToolError) -> Kept {
    var kept: Kept = []
    var damaged = DamagedRows()
    try writer.database.forEachRow(sql: Self.keptSQL, .text(service), .text(named)) { (row) throws(ToolError) in
      guard row.isSound(2, record: 0) == true else { return damaged.append("forgotten tweet '\(service):\(named)'") }
      let stored = row.isNull(1) ? nil : try JSONDocument.stored(Array(row.bytes(1)))
      kept.append((try JSONDocument.stored(Array(row.bytes(0))), stored))
    }
    try damaged.check(of: writer.database.path)
    try writer.forgotten.removeKept(named: named, service: service)
    return kept
  }

  private mutating func restore(_ kept: Kept, _ named: String, service: String) throws(ToolError) -> Bool {
    for (record, stored) in kept {
      let fault = try record.read { (record) throws(ToolError) -> String? in
        if let stored {
          return try stored.read { (stored) throws(ToolError) in
            try unmark(record, stored)
            return try add(record, stored: stored)
          }
        }
        // A tweet that only lost a copy, if it is still there.
        guard let service = record["service"], let id = record["id"],
          try writer.tweets.key(service: service, id: id) != nil
        else { return nil }
        return try add(record, stored: nil)
      }
      if let fault { throw .bug("a forgotten tweet cannot be stored again: \(fault)") }
    }
    return try writer.database.first(
      "SELECT 1 FROM tweets WHERE service = ? AND id = ?", .text(service), .text(named)
    ) { _ in true } ?? false
  }

  /// Where deleted tweets are kept, a tweet that comes back is there, and marked.
  private mutating func unmark(_ record: JSONValue, _ stored: JSONValue) throws(ToolError) {
    guard let service = record["service"], let id = record["id"],
      let key = try writer.tweets.key(service: service, id: id)
    else { return }
    try writer.unmark(key, hidden: stored["hidden"]?.string)
  }

  /// A tweet and its versions were deleted at the same moment; its retweets may have been deleted on their own.
  private static let undeleteSQL = """
    DELETE FROM tombstones WHERE service = ?1 AND deleted_at =
        (SELECT deleted_at FROM tombstones WHERE service = ?1 AND id = ?2)
      AND id IN (SELECT ?2 UNION ALL SELECT id FROM forgotten_tweets WHERE service = ?1 AND named = ?2)
    """

  private static let keptSQL = """
    SELECT \(RecordPacker.tweet()), stored, \(RowSum.forgottenTweets.isSound())
    FROM forgotten_tweets WHERE service = ? AND named = ? ORDER BY id <> named
    """

  /// Stores a line `forgotten` of an export: its tweet is forgotten here too.
  mutating func add(forgotten line: JSONValue) throws(ToolError) -> String? {
    guard let service = line["service"]?.nonEmptyString, let id = line["id"]?.nonEmptyString,
      let named = line["named"]?.nonEmptyString, let time = line["forgotten_at"]?.time
    else { return "no \"service\", \"id\", \"named\" or \"forgotten_at\"" }
    let now = writer.now
    writer.now = time.rfc3339
    defer { writer.now = now }
    let address = line["address"]?.nonEmptyString
    // Of a post of a forgotten person all is gone.
    if named.hasPrefix("@") {
      try writer.forgotten.add(service: service, id: id, named: named, now: writer.now, address: nil)
      return nil
    }
    _ = try writer.forget(named, service: service, others: id == named ? [] : [id], address: address)
    // Copies that only this store has go too, as they would have gone there.
    if let address {
      for copy in try copies(ofPost: address) {
        _ = try writer.forget(copy.id, service: copy.service, address: address)
      }
    }
    return nil
  }

  /// Stores a line `forgotten_person` of an export: the person is forgotten here too.
  mutating func add(forgottenPerson line: JSONValue) throws(ToolError) -> String? {
    guard let service = line["service"]?.nonEmptyString, let id = line["id"]?.nonEmptyString,
      let time = line["forgotten_at"]?.time
    else { return "no \"service\", \"id\" or \"forgotten_at\"" }
    let now = writer.now
    writer.now = time.rfc3339
    defer { writer.now = now }
    var traces = Forgetting.Traces()
    while try writer.forgetSome(of: Person(service: service, id: id), &traces) {}
    if traces.hasAny { hasForgottenPeople = true }
    return nil
  }

  private func copies(ofPost address: String) throws(ToolError) -> [(service: String, id: String)] {
    var copies: [(service: String, id: String)] = []
    try writer.database.forEachRow("SELECT service, id FROM tweets WHERE address = ?", .text(address)) { row in
      copies.append((row.text(0) ?? "", row.text(1) ?? ""))
    }
    return copies
  }

  /// Stores a line `forgotten_tweet` of an export.
  mutating func add(kept line: JSONValue) throws(ToolError) -> String? {
    guard let service = line["service"]?.nonEmptyString, let named = line["named"]?.nonEmptyString,
      let record = line["record"], record.isObject, TweetWriter.fault(in: record) == nil
    else { return "no \"service\", \"named\" or \"record\"" }
    if try writer.hasForgotten(record) { return nil }
    try writer.forgotten.keep(record, stored: line["stored"].map(\.rawText), of: named, service: service)
    return nil
  }
}

extension Pruning {
  /// Drops what would bring forgotten tweets back.
  package mutating func dropForgotten() throws(ToolError) {
    let hasAny = try writer.database.first("SELECT 1 FROM forgotten_tweets LIMIT 1") { _ in true } ?? false
    guard hasAny else { return }
    try plan()
    var count = 0
    try writer.database.write { () throws(ToolError) in
      let sql: StaticString = "SELECT count(*) FROM forgotten_tweets WHERE id = named"
      count = try writer.database.first(sql) { $0.integer(0) } ?? 0
      try writer.database.run("DELETE FROM forgotten_tweets")
    }
    forgotten = count
  }
}
