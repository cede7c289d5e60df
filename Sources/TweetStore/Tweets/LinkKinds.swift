package import TweetCore

/// The kinds of links that tw-linkcheck found. Writers copy them from the media store to the tweet store, where an index is in the
/// order of tweets; readers look at those that are not copied yet.
package enum LinkKinds {
  /// How many links are copied in one transaction.
  private static let batch = 2000
  /// Links are stored some time after they were checked, and not in that order. So each copy begins this many
  /// milliseconds before the end of the last one.
  private static let overlap: Int64 = 3_600_000

  /// Copies the kinds found since the last copy.
  /// - Parameters:
  ///   - media: the path of the media store. If there is no such file, nothing is done.
  ///   - tweets: the path of the tweet store, which is there.
  ///   - note: gets a message when the media store is damaged.
  package static func copy(
    from media: String, to tweets: String, note: @escaping (String) -> Void
  ) throws(ToolError) {
    guard Database.exists(media) else { return }
    let store = try TweetStore(tweets, .readWrite, showsIncoming: false)
    try forEachBatch(from: media, in: store, note) { (new) throws(ToolError) in
      try store.database.write { () throws(ToolError) in
        for link in new { try store.setKind(of: link) }
      }
    }
  }

  /// The links whose kinds are not copied yet.
  package static func unstored(
    from media: String, in tweets: borrowing TweetStore, note: @escaping (String) -> Void
  ) throws(ToolError) -> [CheckedLink] {
    var links: [CheckedLink] = []
    try forEachBatch(from: media, in: tweets, note) { links += $0 }
    return links
  }

  private static func forEachBatch(
    from media: String, in store: borrowing TweetStore, _ note: @escaping (String) -> Void,
    _ body: ([CheckedLink]) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard Database.exists(media) else { return }
    let links = try MediaStore(media, note: note)
    let known = try store.database.first("SELECT max(checked_at) FROM main.link_kinds") { $0.time(0) }
    var last = (time: known.map { Timestamp(milliseconds: $0.milliseconds - overlap).rfc3339 } ?? "", url: "")
    while true {
      let checked = try links.checkedLinks(after: last.time, last.url, limit: batch)
      var new: [CheckedLink] = []
      for link in checked where try !store.hasKind(of: link) { new.append(link) }
      if !new.isEmpty { try body(new) }
      guard checked.count == batch, let end = checked.last else { return }
      last = (end.checkedAt, end.url)
    }
  }
}

/// The kind of thing behind a link, and when it was found.
package struct CheckedLink: Sendable {
  var url: String
  var kind: String
  var checkedAt: String
}

extension TweetStore {
  fileprivate func hasKind(of link: CheckedLink) throws(ToolError) -> Bool {
    try database.first("SELECT kind FROM main.link_kinds WHERE url = ?", .text(link.url)) { $0.text(0) } == link.kind
  }

  fileprivate func setKind(of link: CheckedLink) throws(ToolError) {
    try database.run(
      sql: RowSum.linkKinds.insert(["?1", "?2", "?3"], or: "OR REPLACE "), .text(link.url), .text(link.kind),
      .text(link.checkedAt))
    try database.run(
      "UPDATE tweet_urls SET kind = ?2 WHERE url = ?1 AND kind IS NOT ?2", .text(link.url), .text(link.kind))
  }
}

extension TweetQuery {
  /// Gives it, and all its parts, the kinds of links that the tweet store does not have yet.
  package mutating func addKinds(_ links: [CheckedLink]) {
    checkedLinks = links
    for index in parts.indices { parts[index].addKinds(links) }
    for index in excluded.indices { excluded[index].addKinds(links) }
  }
}

extension TweetStore {
  /// Finds the tweets with a link of a kind, and returns the value of the column `kind` of `temp.kind_tweets` for them.
  /// - Parameter links: those whose kinds are not in `tweet_urls` yet.
  func find(tweetsWithLinksOf kind: String, _ links: [CheckedLink]) throws(ToolError) -> SQLValue {
    try database.writeTemporaryTables { () throws(ToolError) in
      try database.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS new_kinds (url TEXT PRIMARY KEY, kind TEXT NOT NULL) WITHOUT ROWID;
        CREATE TEMP TABLE IF NOT EXISTS kind_tweets (
          kind TEXT NOT NULL, tweet INTEGER NOT NULL, PRIMARY KEY (kind, tweet)) WITHOUT ROWID
        """)
      let insert = try database.prepare("INSERT OR REPLACE INTO temp.new_kinds VALUES (?, ?)")
      for link in links {
        insert.bind([.text(link.url), .text(link.kind)])
        try insert.run()
      }
      try database.run("DELETE FROM temp.kind_tweets WHERE kind = ?", .text(kind))
      try database.run(
        """
        INSERT OR IGNORE INTO temp.kind_tweets
        SELECT ?1, tweet FROM tweet_urls WHERE kind = ?1 AND url NOT IN (SELECT url FROM temp.new_kinds)
        UNION ALL
        SELECT ?1, l.tweet FROM temp.new_kinds n JOIN tweet_urls l ON l.url = n.url WHERE n.kind = ?1
        """, .text(kind))
    }
    return .text(kind)
  }
}
