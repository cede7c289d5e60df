package import SQLite
package import TweetCore

/// Removes old tweets from a store, in short transactions: other writers do not wait long.
///
/// Who prunes often does so because the disk is full, and each transaction needs room in the log before it gives any
/// back. So where there is little, the log is copied into the file after each transaction, and begins anew; free pages
/// go back to the file system meanwhile; and a transaction that finds no room is tried again with fewer tweets.
package struct Pruning: ~Copyable {
  /// How many tweets are removed in one transaction.
  private static let batch = 200
  /// How many pages are freed in one transaction: 16 MiB.
  private static let pages = 1024
  /// The same where there is little room.
  private static let fewPages = 64
  /// Bytes that the log of the smallest transaction may take: a tweet changes some dozens of pages.
  package static let leastRoom = 2 << 20
  /// Bytes with which there is no need to save room.
  private static let muchRoom = 128 << 20

  var writer: TweetWriter
  private let oldest: Statement
  private let progress: WorkSteps
  /// How many tweets are to be removed, as far as it is known.
  private var expected = 0
  /// How many tweets the next transaction removes.
  private var size = Pruning.batch
  /// Whether there is little room on the disk.
  private var isTight = false
  /// How many tweets were removed since free pages went back to the file system.
  private var unreturned = 0
  /// No tweet before this key is to be removed any more.
  private var first = Int.min
  /// SQL for whether a tweet stays whatever its age.
  private let kept: String
  /// How many tweets were removed.
  package private(set) var tweets = 0
  /// How many forgotten and deleted tweets cannot come back any more.
  package internal(set) var forgotten = 0
  /// How many notifications were removed.
  package private(set) var notifications = 0
  /// How many users were removed.
  package private(set) var users = 0

  /// How many tweets ``remove(before:)`` would remove.
  /// - Parameter labels: labels that keep no tweet.
  package static func count(
    in store: borrowing TweetStore, before time: Timestamp, ignoring labels: [TweetLabel] = [.unread]
  ) throws(ToolError) -> Int {
    let kept = try LabelledTweets(ignoring: labels, in: store.database).condition
    let count = try store.database.prepare(
      "SELECT count(*) FROM \(store.tweets("key", indexedBy: "tweets_by_service")) WHERE key < ? AND NOT \(kept)")
    count.bind(1, TweetKey.smallest(at: time))
    return try count.step() ? count.row.integer(0) : 0
  }

  /// How many notifications ``remove(before:)`` would remove.
  package static func countNotifications(
    in store: borrowing TweetStore, before time: Timestamp
  ) throws(ToolError) -> Int {
    try store.database.first("SELECT count(*) FROM notifications WHERE at < ?", .text(time.rfc3339)) {
      $0.integer(0)
    } ?? 0
  }

  /// How many users ``remove(before:)`` would remove.
  /// - Parameter labels: labels that keep no tweet.
  package static func countUsers(
    in store: borrowing TweetStore, before time: Timestamp, ignoring labels: [TweetLabel] = [.unread]
  ) throws(ToolError) -> Int {
    let kept = try LabelledTweets(ignoring: labels, in: store.database).condition
    let left = "(tweets.key >= \(TweetKey.smallest(at: time)) OR \(kept))"
    let sql = "SELECT count(*) FROM users WHERE \(unused(tweetsLeft: left, notificationsLeft: "at >= ?1"))"
    return try store.database.first(sql: sql, [.text(time.rfc3339)]) { $0.integer(0) } ?? 0
  }

  /// SQL for whether a user was last read before `?1`, and nothing that is left names it.
  /// - Parameters:
  ///   - tweets: SQL for whether a row of `tweets` is left.
  ///   - notifications: the same for a row of `notifications`.
  private static func unused(tweetsLeft tweets: String = "TRUE", notificationsLeft notifications: String = "TRUE")
    -> String
  {
    """
    max(first_seen, coalesce(retrieved_at, '')) < ?1
      AND NOT EXISTS (SELECT 1 FROM tweets WHERE author = users.key AND \(tweets))
      AND key NOT IN (SELECT r.author FROM tweet_references r JOIN tweets ON tweets.key = r.tweet
        WHERE r.author IS NOT NULL AND \(tweets))
      AND (service, id) NOT IN
        (SELECT service, user_id FROM notifications WHERE user_id IS NOT NULL AND \(notifications))
    """
  }

  /// About how many tweets ``remove(downTo:)`` would remove, if each of them has as many bytes as the others.
  package static func count(in store: borrowing TweetStore, downTo size: Int) throws(ToolError) -> Int {
    let all = try store.database.first("SELECT count(*) FROM tweets") { $0.integer(0) } ?? 0
    let used = try store.database.bytesInUse()
    guard used > size, all > 0 else { return 0 }
    return min(all, (used - size) / max(used / all, 1) + 1)
  }

  /// Removes tweets posted before a time, notifications of what was done before it, and users that were last read
  /// before it and of whom neither is left.
  package mutating func remove(before time: Timestamp) throws(ToolError) {
    try plan()
    expected = try self.count(before: time)
    while try removeOldest(below: TweetKey.smallest(at: time)), Interruption.signal == nil {}
    while try removeNotifications(before: time), Interruption.signal == nil {}
    try removeLinkKinds(before: time.rfc3339)
    try removeUsers(before: time)
  }

  /// Removes the oldest tweets until the rest needs at most `size` bytes.
  package mutating func remove(downTo size: Int) throws(ToolError) {
    try plan()
    // The full-text index becomes smaller only when its parts are merged, which reads all of it. So that is done at
    // most about twenty times.
    let all = try writer.database.first("SELECT count(*) FROM tweets") { $0.integer(0) } ?? 0
    var merged = tweets
    let used = try writer.database.bytesInUse()
    expected = tweets + (used > size && all > 0 ? min(all, (used - size) / max(used / all, 1)) : 0)
    while try writer.database.bytesInUse() > size, Interruption.signal == nil {
      guard try removeOldest(below: .max) else { break }
      if tweets - merged >= all / 20 {
        try writer.database.mergeIndex()
        merged = tweets
      }
    }
    try removeLinkKinds(before: "~")
  }

  /// Returns the freed pages to the file system.
  package mutating func shrink() throws(ToolError) {
    do throws(ToolError) {
      if tweets > 0 || forgotten > 0 { try writer.database.mergeIndex() }
      try writer.database.shrink(pages: isTight ? Self.fewPages : Self.pages, makesCheckpoints: isTight, progress)
    } catch  where error.isFullDisk {
      throw noRoom()
    }
  }

  /// Looks how much room there is, before anything is removed.
  mutating func plan() throws(ToolError) {
    let room = try writer.database.roomForLog()
    isTight = room < Self.muchRoom
    if room < Self.leastRoom { throw noRoom() }
  }

  private func noRoom() -> ToolError {
    .inputOutput(
      "cannot prune '\(writer.database.path)': the disk is full, and \(Self.leastRoom >> 20) MB are needed for the log; "
        + (tweets == 0 ? "nothing was removed" : "\(tweets) tweets were removed"))
  }

  private func count(before time: Timestamp) throws(ToolError) -> Int {
    let count = try writer.database.prepare(
      "SELECT count(*) FROM tweets INDEXED BY tweets_by_service WHERE key < ? AND NOT \(kept)")
    count.bind(1, TweetKey.smallest(at: time))
    return try count.step() ? count.row.integer(0) : 0
  }

  private mutating func removeOldest(below key: Int) throws(ToolError) -> Bool {
    while true {
      do throws(ToolError) {
        let hasMore = try removeBatch(below: key)
        if isTight, unreturned >= Self.batch {
          try writer.database.shrink(pages: Self.fewPages, makesCheckpoints: true)
          (unreturned, size) = (0, min(Self.batch, size * 2))
        }
        return hasMore
      } catch  where error.isFullDisk {
        if size == 1 { throw noRoom() }
        (isTight, size) = (true, max(1, size / 4))
        try writer.database.copyLog()
      }
    }
  }

  private mutating func removeBatch(below key: Int) throws(ToolError) -> Bool {
    oldest.bind(1, key)
    oldest.bind(2, size)
    oldest.bind(3, first)
    var keys: [Int] = []
    while try oldest.step() { keys.append(oldest.row.integer(0)) }
    guard let last = keys.last else { return false }
    try writer.begin()
    do throws(ToolError) {
      for key in keys { try writer.remove(key) }
    } catch {
      writer.rollback()
      throw error
    }
    try writer.commit(makesCheckpoint: isTight)
    // The tweets before it have labels and stay. They are not looked at again.
    first = last
    (tweets, unreturned) = (tweets + keys.count, unreturned + keys.count)
    progress(min(tweets, expected), expected, "tweets")
    return true
  }

  /// Removes some of the notifications of what was done before a time. Returns whether there may be more.
  private mutating func removeNotifications(before time: Timestamp) throws(ToolError) -> Bool {
    var removed = 0
    try writer.database.write { () throws(ToolError) in
      try writer.database.run(
        """
        DELETE FROM notifications WHERE (service, account, id) IN
          (SELECT service, account, id FROM notifications WHERE at < ? LIMIT ?)
        """, .text(time.rfc3339), .integer(Self.batch))
      removed = writer.database.changes
    }
    notifications += removed
    return removed == Self.batch
  }

  /// Removes the kinds of links that were checked before a time and that no tweet has any more. The last one stays:
  /// what was checked after it is taken over next.
  private func removeLinkKinds(before time: String) throws(ToolError) {
    try writer.database.write { () throws(ToolError) in
      try writer.database.run(
        """
        DELETE FROM link_kinds WHERE checked_at < ? AND checked_at < (SELECT max(checked_at) FROM link_kinds)
          AND NOT EXISTS (SELECT 1 FROM tweet_urls l WHERE l.url = link_kinds.url)
        """, .text(time))
    }
  }

  private mutating func removeUsers(before time: Timestamp) throws(ToolError) {
    try writer.begin()
    do throws(ToolError) {
      try writer.database.run(
        sql: "CREATE TEMP TABLE unused AS SELECT key FROM users WHERE \(Self.unused())", .text(time.rfc3339))
      try writer.database.run("DELETE FROM user_names WHERE user IN (SELECT key FROM temp.unused)")
      try writer.database.run("DELETE FROM users WHERE key IN (SELECT key FROM temp.unused)")
      users = writer.database.changes
      try writer.database.run("DROP TABLE temp.unused")
    } catch {
      writer.rollback()
      throw error
    }
    try writer.commit()
  }
}

extension Database {
  /// Merges the parts of the full-text index, step by step, each in its own transaction
  /// (sqlite.org/fts5.html, "The 'merge' Command"). Before that it has words of tweets that are gone.
  func mergeIndex() throws(ToolError) {
    var isFirst = true
    while Interruption.signal == nil {
      let before = totalChanges
      try write { () throws(ToolError) in
        try run("INSERT INTO tweet_search (tweet_search, rank) VALUES ('merge', ?)", .integer(isFirst ? -200 : 200))
      }
      isFirst = false
      if totalChanges - before < 2 { return }
    }
  }
}

extension Pruning {
  /// - Parameter labels: labels that keep no tweet. A tweet with another one stays.
  package init(
    _ store: consuming TweetStore, ignoring labels: [TweetLabel] = [.unread],
    progress: @escaping WorkSteps = { _, _, _ in }
  ) throws(ToolError) {
    let kept = try LabelledTweets(ignoring: labels, in: store.database).condition
    let oldest = try store.database.prepare(
      "SELECT key FROM tweets WHERE key < ?1 AND key >= ?3 AND NOT \(kept) ORDER BY key LIMIT ?2")
    self.init(writer: try TweetWriter(store), oldest: oldest, progress: progress, kept: kept)
  }
}
