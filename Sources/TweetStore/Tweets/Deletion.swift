import SQLite
import TweetCore

/// A deleted tweet is removed, with its retweets and its earlier versions. Other tweets that contain it lose the copy.
/// What goes can come back until the store is pruned, since whoever deleted it may not have been who wrote it.
extension TweetWriter {
  mutating func delete(_ record: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddResult {
    let isNew = try tombstones.add(
      service: service, id: id, user: record["user_id"], now: now, in: database)
    if !keepsDeleted { try forgotten.drop(service: service, id: id) }
    if let name = service.string, let id = id.string { try keepDeleted(id, service: name) }
    // Its earlier versions, which have ids of their own, are deleted too.
    for version in try versions.versions(service: service, id: id) where version.id != id.string {
      var text = ByteBuffer(capacity: 64)
      text.appendJSONString(version.id)
      let name = try JSONDocument.stored(text.array)
      _ = try name.read { (id) throws(ToolError) in
        try tombstones.add(service: service, id: id, user: record["user_id"], now: now, in: database)
      }
      try removeOrMark(version.key)
    }
    if let key = try tweets.key(service: service, id: id) { try removeOrMark(key) }
    guard let number = id.string, let name = service.string else { return AddResult(isNew: isNew) }
    for referrer in try references.referrers(service: name, id: number) {
      if referrer.isRetweet { try removeOrMark(referrer.key) } else if !keepsDeleted { try redact(referrer.key) }
    }
    return AddResult(isNew: isNew)
  }

  /// Removes a tweet; where deleted tweets are kept, marks it as deleted.
  private mutating func removeOrMark(_ key: Int) throws(ToolError) {
    guard let tweet = try tweets.stored(key: key), let json = tweet.json else { return }
    let document = try JSONDocument.stored(json)
    if keepsDeleted, document["deleted_at"] != nil { return }
    if let service = document["service"]?.string, let id = document["id"]?.string {
      let user = document["author"]?["id"]?.nonEmptyString
      recent.append(DeletedTweet(service: service, id: id, userID: user))
    }
    guard keepsDeleted else { return try remove(key) }
    var marked = ByteBuffer(capacity: json.count + 64)
    document.read { tweet in
      var edits = RecordEdits()
      edits.set("deleted_at", in: tweet, to: "\"\(now)\"")
      edits.apply(to: tweet, into: &marked)
    }
    try tweets.mark(key, marked.array, hidden: "deleted")
    recent.append(key)
  }

  /// Whether a stored tweet is marked as deleted.
  func isMarked(_ key: Int) throws(ToolError) -> Bool {
    let sql: StaticString = "SELECT 1 FROM tweets WHERE key = ? AND hidden = 'deleted'"
    return try database.first(sql, .integer(key)) { _ in true } ?? false
  }

  /// Takes the mark of a deleted tweet away from one that has it.
  /// - Parameter hidden: why lists left it out before; `nil` if they did not.
  mutating func unmark(_ key: Int, hidden: String?) throws(ToolError) {
    guard try isMarked(key), let json = try tweets.stored(key: key)?.json else { return }
    var bare = ByteBuffer(capacity: json.count)
    try JSONDocument.stored(json).read { tweet in
      var edits = RecordEdits()
      edits.remove(from: tweet) { $0.equals("deleted_at") }
      edits.apply(to: tweet, into: &bare)
    }
    try tweets.mark(key, bare.array, hidden: hidden)
    recent.append(key)
  }

  /// Removes a tweet from all tables.
  mutating func remove(_ key: Int) throws(ToolError) {
    guard let tweet = try tweets.stored(key: key) else { return }
    if isRestoring {
      let isLabelled = try database.first(
        "SELECT 1 FROM tweet_labels t JOIN labels l ON l.key = t.label WHERE t.tweet = ? AND l.label <> 'unread'",
        .integer(key)
      ) { _ in true }
      removed = (removed.all + 1, removed.labelled + (isLabelled == true ? 1 : 0))
    }
    let document = try JSONDocument.stored(tweet.json ?? [])
    try document.read { (record) throws(ToolError) in try entities.remove(record["entities"], of: tweet.key) }
    try references.rows.removeAll(of: tweet.key)
    try feeds.rows.removeAll(of: tweet.key)
    try versions.rows.removeAll(of: tweet.key)
    try labels.rows.removeAll(of: tweet.key)
    try counts.rows.removeAll(of: tweet.key)
    try tweets.remove(tweet)
    try document.read { (record) throws(ToolError) in
      if let service = record["service"], let id = record["id"] { try versions.removeEdits(service: service, id: id) }
    }
  }

  /// Whether a tweet, or the one it retweets, was deleted or forgotten.
  func absence(of tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> Absence? {
    guard tombstones.posts.hasAny || forgotten.posts.hasAny || forgottenPeople.hasAny else { return nil }
    if try isByForgotten(tweet, service: service) { return .forgotten }
    if let absence = try absence(service: service, id: id) { return absence }
    if forgotten.posts.hasAny, let address = CanonicalAddress.of(tweet), try forgotten.has(address: address) {
      return .forgotten
    }
    guard let list = tweet["referenced_tweets"] else { return nil }
    for reference in list.elements where reference["type"]?.equals("retweeted") == true {
      if try isByForgotten(reference, service: service) { return .forgotten }
      if let inner = reference["id"], let absence = try absence(service: service, id: inner) { return absence }
    }
    return nil
  }

  /// Whether a person removed the author of a tweet.
  func isByForgotten(_ tweet: JSONValue, service: JSONValue) throws(ToolError) -> Bool {
    guard forgottenPeople.hasAny, let author = tweet["author"]?["id"], author.isText else { return false }
    return try forgottenPeople.has(service: service, id: author)
  }

  /// Whether the tweet of an id was deleted or forgotten.
  func absence(service: JSONValue, id: JSONValue) throws(ToolError) -> Absence? {
    if try tombstones.posts.has(service: service, id: id) { return .deleted }
    return try forgotten.posts.has(service: service, id: id) ? .forgotten : nil
  }
}
