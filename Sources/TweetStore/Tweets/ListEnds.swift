import SQLite
package import TweetCore

/// Where a list ended: after all changes up to a number.
package struct ListEnd: Sendable {
  let number: Int
  let time: Timestamp
}

/// The table `list_ends`, for lists that begin where the last one of their name ended.
extension TweetStore {
  /// Has a list begin there. Tweets that wait in `incoming` come after its end.
  /// - Returns: where it ends.
  package func begin(_ query: inout TweetQuery, afterLast name: String) throws(ToolError) -> ListEnd {
    let numbers = try database.first("SELECT min(number), max(number) FROM recent") { ($0.integer(0), $0.integer(1)) }
    let (first, end) = (numbers?.0 ?? 0, numbers?.1 ?? 0)
    let last = try database.first("SELECT number, at FROM list_ends WHERE name = ?", .text(name)) { row in
      ListEnd(number: row.integer(0), time: row.time(1))
    }
    if let last { query.storedSQL = Self.storedSQL(after: last, first: first, end: end) }
    return ListEnd(number: end, time: .now)
  }

  /// Keeps where a list ended, when all of it was written.
  package func save(_ end: ListEnd, of name: String) throws(ToolError) {
    try database.write { () throws(ToolError) in
      try database.run(
        "INSERT OR REPLACE INTO list_ends VALUES (?, ?, ?)", .text(name), .integer(end.number), .text(end.time.rfc3339))
    }
  }

  /// SQL for whether `tweets t` was stored after a list, up to a change. The numbers say it, whatever the clock says: a
  /// tweet that only changed has an earlier number too, or was first seen long before. Where more has changed than
  /// `recent` remembers, from the number `first` on, the times say it.
  private static func storedSQL(after last: ListEnd, first: Int, end: Int) -> String {
    let time = ClockTrust.believed(last.time, at: .now) ?? Timestamp(milliseconds: 0)
    guard last.number <= end, first <= last.number + 1 else { return "t.first_seen >= '\(time.rfc3339)'" }
    return """
      t.first_seen >= '\(time.before(days: 1).rfc3339)'
        AND t.key IN (SELECT tweet FROM main.recent WHERE number > \(last.number) AND number <= \(end))
        AND t.key NOT IN (SELECT tweet FROM main.recent WHERE number <= \(last.number) AND tweet IS NOT NULL)
      """
  }
}
