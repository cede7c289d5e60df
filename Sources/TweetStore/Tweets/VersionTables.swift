import TweetCore

/// The tables `tweet_versions` and `tweet_edits`: what was edited after it was posted.
///
/// Most services keep a post's id when it is edited: the earlier text goes into `tweet_versions`. X gives each version an
/// id of its own: they stay tweets, and of those that are stored only the last one is not hidden.
struct VersionTables: ~Copyable {
  private let keep: Statement
  private let removeVersions: Statement
  private let moveVersions: Statement
  private let note: Statement
  private let original: Statement
  private let chain: Statement
  private let hide: Statement
  private let anyEdits: Statement
  /// Whether any edits with ids of their own are known.
  private(set) var hasEdits = false

  /// At the beginning of each transaction, since others write too.
  mutating func look() throws(ToolError) {
    hasEdits = try anyEdits.step() && anyEdits.row.integer(0) != 0
    anyEdits.reset()
  }

  /// Keeps an earlier text of a tweet; each text once.
  func keep(_ record: JSONValue, of tweet: Int) throws(ToolError) {
    let fields = TweetFields(record)
    keep.bind(1, tweet)
    keep.bind(2, fields.text?.string ?? "")
    keep.bind(3, time: fields.retrievedAt)
    keep.bind(4, inPlace: record.raw)
    try keep.run()
  }

  func removeAll(of tweet: Int) throws(ToolError) {
    removeVersions.bind(1, tweet)
    try removeVersions.run()
  }

  /// A tweet's key has changed.
  func move(_ tweet: Int, to key: Int) throws(ToolError) {
    moveVersions.bind(1, key)
    moveVersions.bind(2, tweet)
    try moveVersions.run()
  }

  /// After a tweet was stored: shows only the last of its versions.
  /// - Parameter history: its `edit_history_tweet_ids`.
  mutating func noteEdits(_ history: JSONValue?, service: JSONValue, id: JSONValue) throws(ToolError) {
    var elements = history?.elements.filter(\.isText) ?? []
    // Every tweet of X has a history: of itself alone, when it was never edited.
    if elements.count < 2 { elements = [] }
    guard hasEdits || !elements.isEmpty else { return }
    for version in elements {
      note.bind(1, text: service)
      note.bind(2, text: version)
      note.bind(3, text: elements[0])
      try note.run()
      hasEdits = true
    }
    let versions = try versions(service: service, id: id)
    for (place, version) in versions.enumerated() {
      hide.bind(1, version.key)
      hide.bind(2, place < versions.count - 1 ? 1 : 0)
      try hide.run()
    }
  }

  /// The stored versions of a tweet, itself among them, the first one first; none when it was not edited.
  func versions(service: JSONValue, id: JSONValue) throws(ToolError) -> [(key: Int, id: String)] {
    guard hasEdits else { return [] }
    original.bind(1, text: service)
    original.bind(2, text: id)
    defer { original.reset() }
    guard try original.step() else { return [] }
    chain.bind(1, text: service)
    chain.bind(2, original.row.text(0) ?? "")
    var found: [(key: Int, id: String)] = []
    while try chain.step() { found.append((chain.row.integer(0), chain.row.text(1) ?? "")) }
    return found
  }
}

extension VersionTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      keep: try database.prepare(
        "INSERT OR IGNORE INTO tweet_versions (tweet, text, retrieved_at, json) VALUES (?, ?, ?, ?)"),
      removeVersions: try database.prepare("DELETE FROM tweet_versions WHERE tweet = ?"),
      moveVersions: try database.prepare("UPDATE tweet_versions SET tweet = ? WHERE tweet = ?"),
      note: try database.prepare("INSERT OR IGNORE INTO tweet_edits (service, id, original) VALUES (?, ?, ?)"),
      original: try database.prepare("SELECT original FROM tweet_edits WHERE service = ? AND id = ?"),
      chain: try database.prepare(
        // Ids that are numbers: the shorter is the smaller.
        """
        SELECT t.key, t.id FROM tweet_edits e JOIN tweets t ON t.service = e.service AND t.id = e.id
        WHERE e.service = ? AND e.original = ? ORDER BY length(t.id), t.id
        """),
      hide: try database.prepare(
        """
        UPDATE tweets SET hidden = iif(?2, 'edited', NULL)
        WHERE key = ?1 AND iif(?2, hidden IS NULL, hidden = 'edited')
        """),
      anyEdits: try database.prepare("SELECT EXISTS (SELECT 1 FROM tweet_edits)"))
  }
}
