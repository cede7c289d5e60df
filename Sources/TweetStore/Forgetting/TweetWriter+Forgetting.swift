import SQLite
import TweetCore

/// A forgotten tweet is removed as a deleted one is: with its retweets and its other versions, and tweets that contain
/// it lose the copy. What goes is kept in `forgotten_tweets`.
extension TweetWriter {
  /// - Parameters:
  ///   - named: the id of the tweet, which need not be stored.
  ///   - others: ids of its other versions, beside those that the store knows.
  ///   - address: of the post, if that is known beside what is stored.
  /// - Returns: whether it was stored.
  mutating func forget(
    _ named: String, service: String, others: [String] = [], address: String? = nil
  ) throws(ToolError) -> Bool {
    var ids = [named]
    var keys: [(key: Int, id: String)] = []
    for id in [named] + others {
      let known = try versions(of: id, service: service)
      if id != named { ids.append(id) }
      for version in known where !keys.contains(where: { $0.key == version.key }) { keys.append(version) }
    }
    var address = address
    for version in keys where address == nil {
      address = try database.first(sql: Self.addressSQL, [.integer(version.key)]) { $0.text(0) } ?? nil
    }
    for id in ids + keys.map(\.id) {
      try forgotten.add(service: service, id: id, named: named, now: now, address: address)
    }
    let going = Set(keys.map(\.key))
    let referrers = try keep(going, ids: Set(ids + keys.map(\.id)), with: named, service: service)
    for version in keys {
      try remove(version.key)
      // Whoever shows it looks for it again, and finds nothing.
      recent.append(version.key)
    }
    for referrer in referrers where !going.contains(referrer.key) {
      if referrer.isRetweet { try remove(referrer.key) } else { try redact(referrer.key) }
    }
    return !keys.isEmpty
  }

  /// Keeps what the deletion of a tweet removes, or marks.
  mutating func keepDeleted(_ id: String, service: String) throws(ToolError) {
    let going = Set(try versions(of: id, service: service).map(\.key))
    // The service may say it again.
    if keepsDeleted { for key in going where try isMarked(key) { return } }
    _ = try keep(going, ids: [id], with: id, service: service)
  }

  /// Keeps tweets that go, and those that go or change with them.
  /// - Parameters:
  ///   - going: the keys of all versions of the tweet.
  ///   - ids: of the versions, whether they are stored or not.
  /// - Returns: the tweets that go or change with them.
  private mutating func keep(
    _ going: Set<Int>, ids: Set<String>, with named: String, service: String
  ) throws(ToolError) -> [ReferenceTable.Referrer] {
    for key in going { try keep(key, isGoing: true, with: named, service: service) }
    var referrers: [ReferenceTable.Referrer] = []
    for id in ids.sorted() { referrers += try references.referrers(service: service, id: id) }
    for referrer in referrers where !going.contains(referrer.key) {
      try keep(referrer.key, isGoing: referrer.isRetweet, with: named, service: service)
    }
    return referrers
  }

  /// A retweet has the address of what it retweets, which is not forgotten with it.
  private static let addressSQL = """
    SELECT address FROM tweets WHERE key = ?
      AND NOT EXISTS (SELECT 1 FROM tweet_references WHERE tweet = key AND type = 'retweeted')
    """

  /// - Parameter isGoing: whether the tweet is removed; else only a copy in it is.
  private mutating func keep(
    _ key: Int, isGoing: Bool, with named: String, service: String
  ) throws(ToolError) {
    var lines = ByteBuffer(capacity: 4096)
    guard try ExportPart.appendTweet(key, of: database, to: &lines) else { return }
    // The last line is what is stored beside the record, which may have line breaks if another program made it.
    let bytes = lines.array
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let record = bytes[..<end]
    let stored = isGoing ? String(decoding: bytes[(end + 1)...], as: UTF8.self) : nil
    try JSONDocument.stored(Array(record)).read { (record) throws(ToolError) in
      // A tweet that has no copy loses none.
      if !isGoing, let service = record["service"], try redacted(record, service: service) == nil { return }
      try forgotten.keep(record, stored: stored, of: named, service: service)
    }
  }

  /// The stored versions of a tweet, the one of that id first.
  private mutating func versions(of id: String, service: String) throws(ToolError) -> [(key: Int, id: String)] {
    try Self.value(service).read { (service) throws(ToolError) in
      try Self.value(id).read { (name) throws(ToolError) in
        var found: [(key: Int, id: String)] = []
        if let key = try tweets.key(service: service, id: name) { found.append((key, id)) }
        return found + (try versions.versions(service: service, id: name)).filter { $0.id != id }
      }
    }
  }

  private static func value(_ text: String) throws(ToolError) -> JSONDocument {
    var json = ByteBuffer(capacity: text.utf8.count + 2)
    json.appendJSONString(text)
    return try JSONDocument.stored(json.array)
  }
}
