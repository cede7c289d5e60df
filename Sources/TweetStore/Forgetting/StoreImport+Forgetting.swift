import SQLite
package import TweetCore

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
