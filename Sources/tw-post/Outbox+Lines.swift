import SQLite
import TweetCore

extension Outbox {
  /// A line of `tw-post outbox`.
  struct Line {
    let id: Int
    let service: String
    let base: String
    let account: String
    let state: String
    let createdAt: String
    let action: String
    let target: String
    let note: String?
    /// When it is to be sent; `nil` for as soon as can be.
    let dueAt: Timestamp?
    let notAfter: Timestamp?
    /// The group of a copy of a crosspost.
    let group: Int?
    /// The write whose post this one answers.
    let follows: Int?

    /// When it is to be sent, for people; empty for as soon as can be.
    var times: String {
      let times = [("for", dueAt), ("not after", notAfter)]
      return times.compactMap { word, time in time.map { "\(word) \(LocalMoment.text($0))" } }.joined(separator: ", ")
    }
  }

  /// What is not done, of all services and accounts, in order.
  ///
  /// - Parameter id: the write that alone is wanted, whether it is done or not.
  func lines(_ id: Int? = nil) throws(ToolError) -> [Line] {
    var lines: [Line] = []
    try database.forEachRow(
      """
      SELECT id, service, base, account, state, created_at, action, target, note, due_at, group_id, not_after, follows
      FROM writes LEFT JOIN copies ON write_id = id
      WHERE id = ?1 OR ?1 IS NULL AND (
        state IN ('queued', 'sending', 'unsettled') OR state = 'refused' AND is_reported = 0) ORDER BY id
      """, SQLValue(id)
    ) { row in
      lines.append(
        Line(
          id: row.integer(0), service: row.text(1) ?? "", base: row.text(2) ?? "", account: row.text(3) ?? "",
          state: row.text(4) ?? "", createdAt: row.text(5) ?? "", action: row.text(6) ?? "", target: row.text(7) ?? "",
          note: row.text(8), dueAt: row.text(9).flatMap { Timestamp(parsing: $0) },
          notAfter: row.text(11).flatMap { Timestamp(parsing: $0) }, group: row.optionalInteger(10),
          follows: row.optionalInteger(12)))
    }
    return lines
  }
}
