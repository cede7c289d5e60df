package import SQLite
package import TweetCore

/// An account of a service, by the id that it keeps when its name changes.
package struct Person: Sendable, Equatable {
  package let service: String
  package let id: String
  /// The name that it had last; `nil` if the store knows none.
  package let username: String?
  /// Its row in `users`; `nil` if it has none.
  let key: Int?

  package init(service: String, id: String, username: String? = nil) {
    self.init(service: service, id: id, username: username, key: nil)
  }

  init(service: String, id: String, username: String?, key: Int?) {
    (self.service, self.id, self.username, self.key) = (service, id, username, key)
  }

  /// `x:123 (@carol)`
  package var text: String { "\(service):\(id)" + (username.map { " (@\($0))" } ?? "") }
}

extension TweetStore {
  /// The stored people whom a name means: who have or had it as user name, or whose `service:id` it is. If nobody is
  /// found by these, those whose id it is.
  package func people(named name: String, service: String?) throws(ToolError) -> [Person] {
    var found: [Person] = []
    func add(_ condition: String, _ values: SQLValue...) throws(ToolError) {
      let sql = "SELECT key, service, id, username FROM users WHERE (?1 IS NULL OR service = ?1) AND \(condition)"
      let statement = try database.prepare(sql + " ORDER BY service, id")
      statement.bind([SQLValue(service)] + values)
      while try statement.step() {
        let row = statement.row
        let person = Person(
          service: row.text(1) ?? "", id: row.text(2) ?? "", username: row.text(3), key: row.integer(0))
        if !found.contains(person) { found.append(person) }
      }
    }
    let named = "SELECT key FROM users WHERE username = ?2 UNION SELECT user FROM user_names WHERE username = ?2"
    try add("key IN (\(named))", .text(name))
    for colon in name.indices where name[colon] == ":" {
      try add("service = ?2 AND id = ?3", .text(String(name[..<colon])), .text(String(name[colon...].dropFirst())))
    }
    if found.isEmpty { try add("key IN (SELECT key FROM users WHERE id = ?2)", .text(name)) }
    return found
  }

  /// The people who were forgotten.
  package func forgottenPeople() throws(ToolError) -> [Person] {
    var people: [Person] = []
    try database.forEachRow("SELECT service, id FROM forgotten_people ORDER BY service, id") { row in
      people.append(Person(service: row.text(0) ?? "", id: row.text(1) ?? ""))
    }
    return people
  }

  /// How many tweets by a person are stored, how many others retweet or contain one, and how many notifications tell
  /// what the person did.
  package func traces(of person: Person) throws(ToolError) -> (tweets: Int, others: Int, notifications: Int) {
    try database.first(
      """
      SELECT (SELECT count(*) FROM tweets WHERE author = ?1),
        (SELECT count(DISTINCT r.tweet) FROM tweet_references r JOIN tweets t ON t.key = r.tweet
          WHERE r.author = ?1 AND t.author IS NOT ?1),
        (SELECT count(*) FROM notifications WHERE service = ?2 AND user_id = ?3)
      """, SQLValue(person.key), .text(person.service), .text(person.id)
    ) { ($0.integer(0), $0.integer(1), $0.integer(2)) } ?? (0, 0, 0)
  }
}

extension Forgetting {
  /// What a forgotten person leaves in other files.
  package struct Traces {
    /// How many tweets were removed.
    package fileprivate(set) var tweets = 0
    /// The addresses in what was removed, and those of them that no stored tweet links to.
    package fileprivate(set) var addresses: Set<String> = []
    package fileprivate(set) var links: Set<String> = []
    /// Whether anything of the person was stored.
    fileprivate(set) var hasAny = false
  }

  /// Removes all that is stored of a person. Nothing brings it back, and nothing by the person is stored from now on.
  /// - Returns: what is left for other files to forget: less than all after a signal.
  package mutating func run(_ person: Person, progress: WorkSteps) throws(ToolError) -> Traces {
    var traces = Traces()
    var hasMore = true
    while hasMore, Interruption.signal == nil {
      try writer.begin()
      do throws(ToolError) {
        hasMore = try writer.forgetSome(of: person, &traces)
      } catch {
        writer.rollback()
        throw error
      }
      try writer.commit()
      progress(traces.tweets, traces.tweets, "tweets")
    }
    if hasMore { return traces }
    try writer.database.clearTraces()
    return traces
  }

  /// Lets what is by a person be stored again.
  package func undo(_ person: Person) throws(ToolError) {
    try writer.database.write { () throws(ToolError) in
      try writer.database.run(
        "DELETE FROM forgotten_people WHERE service = ? AND id = ?", .text(person.service), .text(person.id))
      try writer.forgotten.remove(named: "@" + person.id, service: person.service)
    }
  }
}

extension Database {
  /// Leaves nothing in the file of what was removed from its tables.
  func clearTraces() throws(ToolError) {
    try mergeIndex()
    try rewrite()
  }
}

extension TweetWriter {
  /// How many tweets of a forgotten person are removed in one transaction.
  private static let batch = 200

  /// Removes some of what is stored of a person; all of it when it is called until it returns false.
  mutating func forgetSome(of person: Person, _ traces: inout Forgetting.Traces) throws(ToolError) -> Bool {
    try database.run(
      sql: RowSum.forgottenPeople.insert(["?1", "?2", "?3"], or: "OR IGNORE "), .text(person.service),
      .text(person.id), .text(now))
    try forgottenPeople.reload()
    let found = try database.first(
      "SELECT key FROM users WHERE service = ? AND id = ?", .text(person.service), .text(person.id)
    ) { $0.integer(0) }
    guard let user = found else { return false }
    traces.hasAny = true
    var keys: [Int] = []
    try database.forEachRow("SELECT key FROM tweets WHERE author = ? LIMIT ?", .integer(user), .integer(Self.batch)) {
      keys.append($0.integer(0))
    }
    for key in keys { try forget(key, by: person, &traces) }
    if keys.count == Self.batch { return true }
    try forgetQuotes(of: user, person, &traces)
    try forgetKept(of: person)
    try database.forEachRow(sql: "SELECT \(RecordPacker.user) FROM users WHERE key = ?", .integer(user)) { row in
      StoredColumns.parse(row.bytes(0))?.read { $0.appendAddresses(to: &traces.addresses) }
    }
    try database.run("DELETE FROM user_names WHERE user = ?", .integer(user))
    try database.run("DELETE FROM users WHERE key = ?", .integer(user))
    try database.run(
      "DELETE FROM notifications WHERE service = ? AND user_id = ?", .text(person.service), .text(person.id))
    try database.run("DELETE FROM feeds WHERE NOT EXISTS (SELECT 1 FROM tweet_feeds WHERE feed = feeds.key)")
    users.clearCache()
    feeds.clearCache()
    // Those that were collected are no rows yet.
    try entities.insertPending()
    for address in traces.addresses {
      let isPosted = try database.first("SELECT 1 FROM tweet_urls WHERE url = ?", .text(address)) { _ in true } ?? false
      if isPosted { continue }
      traces.links.insert(address)
      try database.run("DELETE FROM link_kinds WHERE url = ?", .text(address))
    }
    return false
  }

  /// Whether a link may be one that only forgotten people have posted: no tweet has it.
  mutating func hidesLink(_ address: String) throws(ToolError) -> Bool {
    try entities.insertPending()
    return try database.first(
      "SELECT 1 FROM forgotten_people WHERE NOT EXISTS (SELECT 1 FROM tweet_urls WHERE url = ?) LIMIT 1",
      .text(address)
    ) { _ in true } ?? false
  }

  /// Removes a tweet by a forgotten person, and keeps its id.
  private mutating func forget(
    _ key: Int, by person: Person, _ traces: inout Forgetting.Traces
  ) throws(ToolError) {
    guard let json = try tweets.stored(key: key)?.json else { return }
    let tweet = try JSONDocument.stored(json)
    tweet.read { $0.appendAddresses(to: &traces.addresses) }
    if let id = tweet["id"]?.string {
      try forgotten.add(service: person.service, id: id, named: "@" + person.id, now: now, address: nil)
      // Where a reference does not say whose it is, its id does.
      for referrer in try references.referrers(service: person.service, id: id) {
        if referrer.isRetweet { try remove(referrer.key) } else { try redactAll(referrer.key) }
      }
    }
    try remove(key)
    recent.append(key)
    traces.tweets += 1
  }

  /// Removes retweets of a forgotten person's posts, and the copies of these posts in other tweets.
  private mutating func forgetQuotes(
    of user: Int, _ person: Person, _ traces: inout Forgetting.Traces
  ) throws(ToolError) {
    for key in try references.referrers(author: user) {
      guard let json = try tweets.stored(key: key)?.json else { continue }
      var isRetweet = false
      try JSONDocument.stored(json).read { (tweet) throws(ToolError) in
        try ReferenceTable.forEachReference(in: tweet["referenced_tweets"]) { outer, type, _, reference in
          guard reference["author"]?["id"]?.string == person.id else { return }
          reference.appendAddresses(to: &traces.addresses)
          if outer.isEmpty, type.equals("retweeted") { isRetweet = true }
        }
      }
      if isRetweet { try remove(key) } else { try redactAll(key) }
      recent.append(key)
    }
    try database.run("UPDATE tweet_references SET author = NULL WHERE author = ?", .integer(user))
  }

  /// Removes from a tweet, and from its earlier versions, what may no longer be kept.
  private mutating func redactAll(_ key: Int) throws(ToolError) {
    try redact(key)
    var earlier: [(old: [UInt8], text: String)] = []
    try database.forEachRow(
      sql: "SELECT \(RecordPacker.tweet()), text FROM tweet_versions WHERE tweet = ?", .integer(key)
    ) { earlier.append((Array($0.bytes(0)), $0.text(1) ?? "")) }
    for version in earlier {
      try JSONDocument.stored(version.old).read { (record) throws(ToolError) in
        guard let service = record["service"], let new = try redacted(record, service: service) else { return }
        try database.run("DELETE FROM tweet_versions WHERE tweet = ? AND text = ?", .integer(key), .text(version.text))
        try JSONDocument.stored(new).read { (new) throws(ToolError) in try versions.insert(new, of: key) }
      }
    }
  }

  /// Drops what would bring back tweets by a forgotten person, or with one in them.
  private mutating func forgetKept(of person: Person) throws(ToolError) {
    var dropped: [[String]] = []
    try database.forEachRow(
      sql: "SELECT named, id, \(RecordPacker.tweet()), stored FROM forgotten_tweets WHERE service = ?",
      .text(person.service)
    ) { (row) throws(ToolError) in
      let records = [StoredColumns.parse(row.bytes(2)), StoredColumns.parse(row.bytes(3))]
      // A damaged one may have anything in it.
      var mustGo = records[0] == nil
      try records[0]?.read { (record) throws(ToolError) in mustGo = try hasForgotten(record) }
      try records[1]?.read { (stored) throws(ToolError) in
        let versions = stored["versions"].map { Array($0.elements) } ?? []
        for version in versions where try hasForgotten(version) { mustGo = true }
      }
      if mustGo { dropped.append([row.text(0) ?? "", row.text(1) ?? ""]) }
    }
    for row in dropped {
      try database.run(
        "DELETE FROM forgotten_tweets WHERE service = ? AND named = ? AND id = ?", .text(person.service),
        .text(row[0]), .text(row[1]))
    }
  }

  /// Whether a record is by a person who was forgotten, or has a post of one in it.
  func hasForgotten(_ record: JSONValue) throws(ToolError) -> Bool {
    guard let service = record["service"] else { return false }
    if try isByForgotten(record, service: service) { return true }
    var found = false
    try ReferenceTable.forEachReference(in: record["referenced_tweets"]) { _, _, _, inner throws(ToolError) in
      if try isByForgotten(inner, service: service) { found = true }
    }
    return found
  }
}

extension JSONValue {
  /// Adds all strings in it that are addresses of the web.
  fileprivate func appendAddresses(to addresses: inout Set<String>) {
    if isArray { for element in elements { element.appendAddresses(to: &addresses) } }
    if isObject { for (_, value) in members { value.appendAddresses(to: &addresses) } }
    guard isString, rawString.starts(with: "http".utf8), let text = string, text.contains("://") else { return }
    addresses.insert(text)
  }
}
