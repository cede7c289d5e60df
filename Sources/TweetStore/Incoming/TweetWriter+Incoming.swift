import SQLite
package import TweetCore

extension TweetWriter {
  /// How many tweets are moved at once: enough to share most of the pages that they change; so few that others wait
  /// half a second.
  private static let mostIncoming = 4000
  /// Milliseconds after which tweets are moved, though they are few: other programs find them by hashtag or in search
  /// then.
  private static let longestIncoming = 300_000

  /// Milliseconds until ``moveIncoming()`` should be called; `nil` if this writer has put nothing there.
  package var timeToMove: Int? {
    guard let incomingSince else { return nil }
    if incoming >= Self.mostIncoming { return 0 }
    return max(0, incomingSince + Self.longestIncoming - MonotonicClock.milliseconds)
  }

  /// Moves all tweets of `incoming` to where they belong, in a transaction of its own, and copies the log into the
  /// file: so a fault of the log concerns the tweets of minutes, not of hours. Returns those that are damaged.
  @discardableResult
  package mutating func moveIncoming() throws(ToolError) -> DamagedRows {
    let damaged = try begin()
    try commit(makesCheckpoint: true)
    return damaged
  }

  /// Puts a tweet into `incoming`. Returns `nil` for one that cannot wait there: when it is stored, tweets beside it
  /// change, or get other keys.
  mutating func addIncoming(_ tweet: JSONValue) throws(ToolError) -> AddResult? {
    let fields = TweetColumns(tweet)
    guard let service = fields.service, let id = fields.id else { return AddResult() }
    if let absence = try absence(of: tweet, service: service, id: id) { return AddResult(absence: absence) }
    if try versions.isEdit(fields.editHistory, service: service, id: id) { return nil }
    let stored = try tweets.known(service: service, id: id)
    let waiting = try incomingTweets.known(service: service, id: id)
    if let known = waiting ?? stored, !known.hasTime, fields.createdAt?.time != nil { return nil }
    let seen = Sighting(retrieved: fields.retrievedAt, now: now)
    let key: Int
    if let known = waiting ?? stored { key = known.key } else { key = try unusedKey(fields, service, id, seen) }
    let isNew = stored == nil && waiting == nil
    let isCopy = isNew ? try isCopy(fields.address, key: key) : false
    let isOlder = [stored, waiting].contains { known in known.map { !seen.isNewer(than: $0.retrieved) } ?? false }
    let changed = try redacted(tweet, service: service)
    if let changed {
      try JSONDocument.stored(changed).read { (tweet) throws(ToolError) in
        try appendIncoming(tweet, TweetColumns(tweet), key: key, isOlder: isOlder)
      }
    } else {
      try appendIncoming(tweet, fields, key: key, isOlder: isOlder)
    }
    if incomingSince == nil { incomingSince = MonotonicClock.milliseconds }
    return AddResult(isNew: isNew, isCopy: isCopy, replacement: changed)
  }

  /// Whether a new tweet is a copy of one that is stored, or waits: what other writers have put there is looked at
  /// once.
  private mutating func isCopy(_ address: String?, key: Int) throws(ToolError) -> Bool {
    guard let address else { return false }
    let reader = JSONReader()
    let others = try IncomingTweets(after: incomingAddresses.last, in: database)
    for index in others.records.order {
      let other = try others.records.withRecord(index) { (bytes) throws(ToolError) in
        CanonicalAddress.of(try reader.checked(bytes))
      }
      if let other { incomingAddresses.known.insert(other) }
    }
    incomingAddresses.last = others.tweets.last?.number ?? incomingAddresses.last
    if incomingAddresses.known.contains(address) { return true }
    return try tweets.other(ofPost: address, than: key) != nil
  }

  private mutating func appendIncoming(
    _ tweet: JSONValue, _ fields: TweetColumns, key: Int, isOlder: Bool
  ) throws(ToolError) {
    incoming = try incomingTweets.append(
      tweet, fields, key: key, isOlder: isOlder, seenAt: now, labels: newLabels, in: database)
  }

  /// The key for a new tweet. It is chosen now, since readers show the tweet by it before it is moved.
  private func unusedKey(
    _ fields: TweetColumns, _ service: JSONValue, _ id: JSONValue, _ seen: Sighting
  ) throws(ToolError) -> Int {
    var key = fields.preferredKey(service: service, id: id, seen)
    var tries = 0
    while true {
      let isStored = try tweets.has(key: key)
      let isWaiting = try incomingTweets.has(key: key)
      if !isStored && !isWaiting { return key }
      tries += 1
      key = TweetKey.next(after: key, tries: tries)
    }
  }

  /// Moves the tweets of `incoming`, in the open transaction. Returns those that are damaged: they stay there.
  mutating func addIncomingTweets() throws(ToolError) -> DamagedRows {
    (incoming, incomingSince) = (0, nil)
    incomingAddresses.known = []
    guard try incomingTweets.hasAny else { return DamagedRows() }
    let rows = try IncomingTweets(after: .min, in: database)
    try incomingTweets.remove(rows.tweets)
    for (number, key) in try add(rows) { recent.append(key, number: number) }
    // No number is missing, or those who follow would think that they missed a change.
    for number in rows.damagedNumbers { recent.append(nil, number: number) }
    return rows.damaged
  }

  /// Stores rows of `incoming` as they would have been stored when they came.
  /// - Returns: the number of each, and its key if it is new or has changed.
  mutating func add(_ rows: borrowing IncomingTweets) throws(ToolError) -> [(number: Int, key: Int?)] {
    // They came in another way than what this writer stores now.
    let (labels, restoring) = (newLabels, isRestoring)
    defer { (newLabels, isRestoring, chosenKey) = (labels, restoring, nil) }
    isRestoring = false
    let reader = JSONReader()
    var changes: [(number: Int, key: Int?)] = []
    for index in rows.records.order {
      let tweet = rows.tweets[index]
      (now, newLabels, chosenKey) = (tweet.seenAt, tweet.labels, tweet.key)
      let before = recent.count
      _ = try rows.records.withRecord(index) { (bytes) throws(ToolError) in
        try addChecked(try reader.checked(bytes))
      }
      changes.append((tweet.number, recent.remove(tweet.key, after: before) ? tweet.key : nil))
    }
    return changes
  }
}
