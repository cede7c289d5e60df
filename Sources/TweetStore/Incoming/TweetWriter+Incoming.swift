package import TweetCore

extension TweetWriter {
  /// How many tweets are moved at once: enough to share most of the pages that they change; so few that others wait half a
  /// second.
  private static let mostIncoming = 4000
  /// Milliseconds after which tweets are moved, though they are few: other programs see them then.
  private static let longestIncoming = 300_000

  /// Milliseconds until ``moveIncoming()`` should be called; `nil` if this writer has put nothing there.
  package var timeToMove: Int? {
    guard let incomingSince else { return nil }
    if incoming >= Self.mostIncoming { return 0 }
    return max(0, incomingSince + Self.longestIncoming - MonotonicClock.milliseconds)
  }

  /// Moves all tweets of `incoming` to where they belong, in a transaction of its own, and copies the log into the file: so a
  /// fault of the log concerns the tweets of minutes, not of hours. Returns those that are damaged.
  @discardableResult
  package mutating func moveIncoming() throws(ToolError) -> DamagedRows {
    let damaged = try begin()
    try commit(makesCheckpoint: true)
    return damaged
  }

  /// Puts a tweet into `incoming`.
  mutating func addIncoming(_ tweet: JSONValue) throws(ToolError) -> AddResult {
    guard let service = tweet["service"], let id = tweet["id"] else { return AddResult() }
    if tombstones.hasAny, try isDeleted(tweet, service: service, id: id) { return AddResult(isDeleted: true) }
    let changed = try redacted(tweet, service: service)
    var isKnown = try tweets.key(service: service, id: id) != nil
    if !isKnown { isKnown = try incomingTweets.has(service: service, id: id) }
    if let changed {
      let document = try JSONDocument.stored(changed)
      try append(document.root, service: service, id: id)
    } else {
      try append(tweet, service: service, id: id)
    }
    return AddResult(isNew: !isKnown, replacement: changed)
  }

  private mutating func append(_ tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) {
    incoming = try incomingTweets.append(
      tweet.raw, service: service, id: id, seenAt: now, labels: newLabels, in: database)
    if incomingSince == nil { incomingSince = MonotonicClock.milliseconds }
  }

  /// Moves the tweets of `incoming`, in the open transaction. Returns those that are damaged: they stay there.
  mutating func addIncomingTweets() throws(ToolError) -> DamagedRows {
    (incoming, incomingSince) = (0, nil)
    guard try incomingTweets.hasAny else { return DamagedRows() }
    var batch = RecordBatch()
    let (rows, damaged) = try incomingTweets.removeAll(to: &batch)
    // They came in another way than what this writer stores now.
    let (labels, restoring) = (newLabels, isRestoring)
    defer { (newLabels, isRestoring) = (labels, restoring) }
    isRestoring = false
    let reader = JSONReader()
    for index in batch.order {
      (now, newLabels) = (rows[index].seenAt, rows[index].labels)
      _ = try batch.withRecord(index) { (bytes) throws(ToolError) in
        try addChecked(try reader.checked(bytes))
      }
    }
    return damaged
  }
}
