import SQLite
package import TweetCore

/// The kind of thing that a link leads to, and when it was found.
package struct CheckedLink: Sendable, Equatable {
  var url: String
  var kind: String
  var checkedAt: String

  /// - Parameter checkedAt: RFC 3339 in UTC.
  package init(url: String, kind: String, checkedAt: String) {
    (self.url, self.kind, self.checkedAt) = (url, kind, checkedAt)
  }
}

extension TweetStore {
  /// When the last link was checked whose kind is stored; `nil` if none is.
  package var lastCheckOfKinds: Timestamp? {
    get throws(ToolError) {
      try database.first("SELECT max(checked_at) FROM main.link_kinds") { $0.isNull(0) ? nil : $0.time(0) } ?? nil
    }
  }

  /// Whether the kind of a link is stored.
  package func hasKind(of link: CheckedLink) throws(ToolError) -> Bool {
    try database.first("SELECT kind FROM main.link_kinds WHERE url = ?", .text(link.url)) { $0.text(0) } == link.kind
  }

  /// Stores the kinds of links in one transaction.
  package func store(kindsOf links: [CheckedLink]) throws(ToolError) {
    try database.write { () throws(ToolError) in
      for link in links { try setKind(of: link) }
    }
  }

  private func setKind(of link: CheckedLink) throws(ToolError) {
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
    forEach { $0.checkedLinks = links }
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
