import SQLite
package import TweetCore

/// Checked links and their permanent redirects.
extension MediaStore {
  /// The result of the last check of a link.
  package func link(_ url: String) throws(ToolError) -> StoredLink? {
    try use { (database) throws(ToolError) in
      try database.first(sql: Self.selectLink, [.text(url)]) { row in
        StoredLink(
          url: url, unwoundURL: row.text(0), status: row.optionalInteger(1), contentType: row.text(2),
          title: row.text(3), verdict: row.text(4) ?? "", linkKind: row.text(5), linkKindBy: row.text(6),
          musicID: row.text(7), canonicalURL: row.text(8), redirects: row.integer(9), chain: row.text(10),
          checkedAt: row.time(11), error: row.text(12), failures: row.integer(13),
          failingSince: row.isNull(14) ? nil : row.time(14), isPageRead: row.integer(15) != 0,
          members: row.text(16) ?? "",
          archivedURL: row.text(17), archivedAt: row.isNull(18) ? nil : row.time(18),
          archiveAskedAt: row.isNull(19) ? nil : row.time(19),
          was: row.text(20).map {
            EarlierVerdict(verdict: $0, status: row.optionalInteger(21), checkedAt: row.time(22))
          },
          savedIn: row.text(23), pageText: row.text(24))
      }
    }
  }

  /// The part of the last result that a record needs; `nil` if there is none.
  package func answer(_ url: String, withChain: Bool, withText: Bool) throws(ToolError) -> StoredAnswer? {
    try use { (database) throws(ToolError) in
      try database.first(
        sql: Self.selectAnswer, [.text(url), .integer(withChain ? 1 : 0), .integer(withText ? 1 : 0)]
      ) { row in
        StoredAnswer(
          verdict: row.text(0) ?? "", linkKind: row.text(1), checkedAt: row.time(2), unwoundURL: row.text(3) ?? url,
          canonicalURL: row.text(4), contentType: row.text(5), hasTitle: row.integer(6) != 0,
          members: Array(row.bytes(7)), chain: Array(row.bytes(8)), isPageRead: row.integer(9) != 0,
          status: row.optionalInteger(10), isArchiveAsked: row.integer(11) != 0, savedIn: row.text(12),
          pageText: row.text(13))
      }
    }
  }

  private static let isSound = RowSum.links.isSound(nil, ["url": "?1"])
  private static let selectLink = """
    SELECT unwound_url, status, content_type, title, verdict, link_kind, link_kind_by, music_id, canonical_url, redirects,
      chain, checked_at, error, failures, failing_since, is_page_read, members, archived_url, archived_at,
      archive_asked_at, was, was_status, was_at, saved_in, page_text
    FROM links WHERE url = ?1 AND \(isSound)
    """
  private static let selectAnswer = """
    SELECT verdict, link_kind, checked_at, unwound_url, canonical_url, content_type, title IS NOT NULL, members,
      CASE WHEN ?2 THEN chain END, is_page_read, status, archive_asked_at IS NOT NULL, saved_in,
      CASE WHEN ?3 THEN page_text END
    FROM links WHERE url = ?1 AND \(isSound)
    """
  private static let insertLink = RowSum.links.insert((1...26).map { "?\($0)" }, or: "OR REPLACE ")
  private static let selectHop = """
    SELECT target FROM hops WHERE url = ?1 AND \(RowSum.hops.isSound(nil, ["url": "?1"]))
    """
  private static let insertHop = RowSum.hops.insert(["?1", "?2", "?3"], or: "OR REPLACE ")
  private static let selectKinds = """
    SELECT url, link_kind, checked_at FROM links
    WHERE (checked_at, url) > (?1, ?2) AND link_kind IS NOT NULL AND \(RowSum.links.isSound())
    ORDER BY checked_at, url LIMIT ?3
    """

  /// Begins a read transaction for many answers, which then need one lock together, not one each. The caller ends it by
  /// ``endReading()`` before it writes, and before it waits: the log cannot be copied into the file meanwhile.
  package func beginReading() throws(ToolError) {
    try use { (database) throws(ToolError) in try database.execute("BEGIN") }
  }

  /// Ends the read transaction of ``beginReading()``.
  package func endReading() throws(ToolError) {
    // The file may have been replaced meanwhile, because it is damaged: then there is no transaction any more.
    try use { (database) throws(ToolError) in _ = try? database.execute("ROLLBACK") }
  }

  /// Where a URL is redirected to permanently.
  package func target(of url: String) throws(ToolError) -> String? {
    try use { (database) throws(ToolError) in
      try database.first(sql: Self.selectHop, [.text(url)]) { $0.text(0) } ?? nil
    }
  }

  /// Stores results of checks, and the permanent redirects that they met, in one transaction. Each replaces the earlier
  /// one for its URL.
  package func store(
    _ links: [StoredLink], hops: [(hop: StoredHop, seenAt: Timestamp)] = []
  ) throws(ToolError) {
    if links.isEmpty && hops.isEmpty { return }
    try use { (database) throws(ToolError) in
      try database.write { () throws(ToolError) in
        for link in links { try insert(link, into: database) }
        for (hop, time) in hops {
          try database.run(sql: Self.insertHop, .text(hop.url), .text(hop.target), .text(time.rfc3339))
        }
      }
    }
  }

  private func insert(_ link: StoredLink, into database: borrowing Database) throws(ToolError) {
    try database.run(
      sql: Self.insertLink,
      .text(link.url), SQLValue(link.unwoundURL), SQLValue(link.status), SQLValue(link.contentType),
      SQLValue(link.title), .text(link.verdict), SQLValue(link.linkKind), SQLValue(link.linkKindBy),
      SQLValue(link.musicID), SQLValue(link.canonicalURL), .integer(link.redirects), SQLValue(link.chain),
      .text(link.checkedAt.rfc3339), SQLValue(link.error), .integer(link.failures),
      SQLValue(link.failingSince?.rfc3339), .integer(link.isPageRead ? 1 : 0), .text(link.members),
      SQLValue(link.archivedURL), SQLValue(link.archivedAt?.rfc3339), SQLValue(link.archiveAskedAt?.rfc3339),
      SQLValue(link.was?.verdict), SQLValue(link.was?.status), SQLValue(link.was?.checkedAt.rfc3339),
      SQLValue(link.savedIn), SQLValue(link.pageText))
  }

  /// Links of a known kind, ordered by time of check and URL, after the given time (RFC 3339 in UTC) and URL; at most
  /// `limit`.
  package func kinds(
    after time: String, _ url: String, limit: Int
  ) throws(ToolError) -> [(url: String, kind: String, checkedAt: String)] {
    try use { (database) throws(ToolError) in
      var found: [(url: String, kind: String, checkedAt: String)] = []
      try database.forEachRow(sql: Self.selectKinds, .text(time), .text(url), .integer(limit)) { row in
        found.append((row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? ""))
      }
      return found
    }
  }

  /// The links that ended at such an address when they were checked.
  package func links(
    endingWhere isWanted: (_ end: ByteView) -> Bool
  ) throws(ToolError) -> Set<String> {
    try use { (database) throws(ToolError) in
      var found: Set<String> = []
      try database.forEachRow(
        sql: "SELECT url, unwound_url FROM links WHERE unwound_url IS NOT NULL AND \(RowSum.links.isSound())"
      ) { row in
        if isWanted(row.bytes(1)), let url = row.text(0) { found.insert(url) }
      }
      return found
    }
  }
}
