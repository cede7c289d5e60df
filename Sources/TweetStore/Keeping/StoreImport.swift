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
