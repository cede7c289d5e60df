import SQLite
import TweetCore

/// The tables `tweet_versions` and `tweet_edits`: posts that were edited.
///
/// On most services an edited post keeps its id: its earlier text goes into `tweet_versions`. On X each version has its
/// own id: all versions stay in `tweets`, and all stored ones but the last are hidden.
struct VersionTables: ~Copyable {
  private let packer: RecordPacker
  private let insert: Statement
  let rows: TweetRows
  private let insertEdit: Statement
  private let original: Statement
  private let versionsOfOriginal: Statement
  private let hide: Statement
  private let removeEdits: Statement
  private let anyEdits: Statement
  /// Whether the table `tweet_edits` has rows.
  private(set) var hasEdits = false

  /// Sets `hasEdits`. To be called at the beginning of each transaction: other processes write too.
  mutating func reload() throws(ToolError) {
    hasEdits = try anyEdits.step() && anyEdits.row.integer(0) != 0
    anyEdits.reset()
  }

  /// Inserts the record with an earlier text of a tweet; each text once.
  func insert(_ record: JSONValue, of tweet: Int) throws(ToolError) {
    let fields = TweetColumns(record)
    insert.bind(1, tweet)
    insert.bind(3, time: fields.retrievedAt)
    var text = ByteBuffer()
    if let value = fields.text { text.append(unescaping: value.rawString) }
    text.withBytes { column in
      insert.bind(2, copying: column)
      packer.bind(record.raw, text: fields.text, column: column, to: insert, 4)
    }
    try insert.run()
  }

  /// Stores the edits of a tweet that was just stored, and hides all its versions but the last.
  /// - Parameter history: the tweet's `edit_history_tweet_ids`.
  mutating func recordEdits(_ history: JSONValue?, service: JSONValue, id: JSONValue) throws(ToolError) {
    var elements = history?.elements.filter(\.isText) ?? []
    // Every tweet of X has a history. Without edits it has only the tweet's own id.
    if elements.count < 2 { elements = [] }
    guard hasEdits || !elements.isEmpty else { return }
    for version in elements {
      insertEdit.bind(1, text: service)
      insertEdit.bind(2, text: version)
      insertEdit.bind(3, text: elements[0])
      try insertEdit.run()
      hasEdits = true
    }
    let versions = try versions(service: service, id: id)
    for (index, version) in versions.enumerated() {
      hide.bind(1, version.key)
      hide.bind(2, index < versions.count - 1 ? 1 : 0)
      try hide.run()
    }
  }

  /// Removes what is known of the edits of a tweet that was removed, if none of its versions is stored.
  func removeEdits(service: JSONValue, id: JSONValue) throws(ToolError) {
    guard hasEdits else { return }
    removeEdits.bind(1, text: service)
    removeEdits.bind(2, text: id)
    try removeEdits.run()
  }

  /// Whether a tweet is one of several versions that have ids of their own.
  /// - Parameter history: as for ``recordEdits(_:service:id:)``.
  func isEdit(_ history: JSONValue?, service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    if let history, Array(history.elements).count > 1 { return true }
    guard hasEdits else { return false }
    original.bind(1, text: service)
    original.bind(2, text: id)
    defer { original.reset() }
    return try original.step()
  }

  /// The stored versions of a tweet, itself included, first to last; none if it was not edited.
  func versions(service: JSONValue, id: JSONValue) throws(ToolError) -> [(key: Int, id: String)] {
    guard hasEdits else { return [] }
    original.bind(1, text: service)
    original.bind(2, text: id)
    defer { original.reset() }
    guard try original.step() else { return [] }
    versionsOfOriginal.bind(1, text: service)
    versionsOfOriginal.bind(2, original.row.text(0) ?? "")
    var found: [(key: Int, id: String)] = []
    while try versionsOfOriginal.step() {
      let row = versionsOfOriginal.row
      found.append((row.integer(0), row.text(1) ?? ""))
    }
    return found
  }
}

extension VersionTables {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    self.init(
      packer: packer, insert: try database.prepare(RowSum.versions.insert(["?1", "?2", "?3", "?4"], or: "OR IGNORE ")),
      rows: try TweetRows(
        database, remove: "DELETE FROM tweet_versions WHERE tweet = ?",
        move: RowSum.versions.update(["tweet": "?1"]) + " WHERE tweet = ?2"),
      insertEdit: try database.prepare(RowSum.edits.insert(["?1", "?2", "?3"], or: "OR IGNORE ")),
      original: try database.prepare("SELECT original FROM tweet_edits WHERE service = ? AND id = ?"),
      versionsOfOriginal: try database.prepare(
        // Ids are numbers: the one with fewer digits is smaller.
        """
        SELECT t.key, t.id FROM tweet_edits e JOIN tweets t ON t.service = e.service AND t.id = e.id
        WHERE e.service = ? AND e.original = ? ORDER BY length(t.id), t.id
        """),
      hide: try database.prepare(
        RowSum.tweets.update(["hidden": "iif(?2, 'edited', NULL)"])
          + " WHERE key = ?1 AND iif(?2, hidden IS NULL, hidden = 'edited')"),
      removeEdits: try database.prepare(
        """
        DELETE FROM tweet_edits WHERE service = ?1
          AND original = (SELECT original FROM tweet_edits WHERE service = ?1 AND id = ?2)
          AND NOT EXISTS (SELECT 1 FROM tweet_edits me JOIN tweet_edits e ON e.service = ?1 AND e.original = me.original
            JOIN tweets t ON t.service = e.service AND t.id = e.id WHERE me.service = ?1 AND me.id = ?2)
        """),
      anyEdits: try database.prepare("SELECT EXISTS (SELECT 1 FROM tweet_edits)"))
  }
}
