import SQLite
import TweetCore

/// The tables `withheld` and `scrubbed_places`: notices that later tweets are checked against.
struct ComplianceTables: ~Copyable {
  private let any: Statement
  private let insertWithheld: Statement
  private let removeWithheld: Statement
  private let findWithheld: Statement
  private let insertScrubbed: Statement
  private let findScrubbed: Statement
  /// Whether the table `withheld` has rows. In most stores it has none, and no look-up is needed.
  private(set) var hasWithheld = false
  /// Whether the table `scrubbed_places` has rows.
  private(set) var hasScrubbed = false

  /// Sets `hasWithheld` and `hasScrubbed`. To be called at the beginning of each transaction: other processes write
  /// too.
  mutating func reload() throws(ToolError) {
    if try any.step() {
      hasWithheld = any.row.integer(0) != 0
      hasScrubbed = any.row.integer(1) != 0
    }
    any.reset()
  }

  /// Stores in which countries a tweet, or all tweets of a user, must not be shown. Empty `countries` end a
  /// withholding.
  /// - Parameter subject: `tweet` or `user`.
  mutating func withhold(
    _ subject: String, service: JSONValue, id: JSONValue, countries: JSONValue, now: String
  ) throws(ToolError) {
    if countries.isEmpty {
      removeWithheld.bind(1, text: service)
      removeWithheld.bind(2, subject)
      removeWithheld.bind(3, text: id)
      return try removeWithheld.run()
    }
    var list = ByteBuffer(capacity: 64)
    for country in countries.elements {
      list.append(list.count == 0 ? "[" : ",")
      list.append(country.raw)
    }
    list.append("]")
    insertWithheld.bind(1, text: service)
    insertWithheld.bind(2, subject)
    insertWithheld.bind(3, text: id)
    insertWithheld.bind(4, list.string)
    insertWithheld.bind(5, now)
    try insertWithheld.run()
    hasWithheld = true
  }

  /// The countries in which a tweet or its author is withheld, as a JSON array; `nil` for none.
  func countries(service: JSONValue, tweet: JSONValue?, author: JSONValue?) throws(ToolError) -> String? {
    guard hasWithheld else { return nil }
    findWithheld.bind(1, text: service)
    findWithheld.bind(2, text: tweet)
    findWithheld.bind(3, text: author)
    defer { findWithheld.reset() }
    return try findWithheld.step() ? findWithheld.row.text(0) : nil
  }

  /// Stores that a user removed the geographic places from all tweets up to one.
  mutating func scrub(service: JSONValue, user: JSONValue, upTo id: JSONValue, now: String) throws(ToolError) {
    insertScrubbed.bind(1, text: service)
    insertScrubbed.bind(2, text: user)
    insertScrubbed.bind(3, text: id)
    insertScrubbed.bind(4, now)
    try insertScrubbed.run()
    hasScrubbed = true
  }

  /// Whether the geographic place of a tweet must be removed.
  func isScrubbed(service: JSONValue, tweet: JSONValue?, author: JSONValue?) throws(ToolError) -> Bool {
    guard hasScrubbed else { return false }
    findScrubbed.bind(1, text: service)
    findScrubbed.bind(2, text: author)
    findScrubbed.bind(3, text: tweet)
    defer { findScrubbed.reset() }
    return try findScrubbed.step()
  }
}

extension ComplianceTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      any: try database.prepare(
        "SELECT EXISTS (SELECT 1 FROM withheld), EXISTS (SELECT 1 FROM scrubbed_places)"),
      insertWithheld: try database.prepare(
        RowSum.withheld.insert(["?1", "?2", "?3", "?4", "?5"], or: "OR REPLACE ")),
      removeWithheld: try database.prepare("DELETE FROM withheld WHERE service = ? AND subject = ? AND id = ?"),
      findWithheld: try database.prepare(
        """
        SELECT countries FROM withheld WHERE service = ?1 AND subject = 'tweet' AND id = ?2
        UNION ALL SELECT countries FROM withheld WHERE service = ?1 AND subject = 'user' AND id = ?3
        """),
      insertScrubbed: try database.prepare(
        // Ids are numbers: the one with more digits is larger.
        RowSum.scrubbedPlaces.insert(["?1", "?2", "?3", "?4"]) + " ON CONFLICT DO UPDATE SET "
          + RowSum.scrubbedPlaces.assignments(["up_to_id": "?3", "noticed_at": "?4"])
          + " WHERE (length(?3), ?3) > (length(up_to_id), up_to_id)"),
      findScrubbed: try database.prepare(
        """
        SELECT 1 FROM scrubbed_places
        WHERE service = ?1 AND user_id = ?2 AND (length(?3), ?3) <= (length(up_to_id), up_to_id)
        """))
  }
}
