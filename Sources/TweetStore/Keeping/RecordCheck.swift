import SQLite
import TweetCore

/// Compares the tweets of a store with their checksums, and with the columns and rows that follow from their records.
struct RecordCheck: ~Copyable {
  private let count: Statement
  private let tweets: Statement
  private let tag: Statement
  private let mention: Statement
  private let url: Statement
  private let reference: Statement

  /// Rows that follow from the records, by their tables.
  private struct Rows {
    var expected: [String: Int] = [:]
    /// Whether a record is missing: then its rows are not known.
    var isIncomplete = false
  }

  func run(_ database: borrowing Database, _ progress: WorkSteps, _ report: (String) -> Void) throws(ToolError) {
    let all = try count.step() ? count.row.integer(0) : 0
    count.reset()
    var done = 0
    let json = Int32(StoredColumns.tweets.count)
    var rows = Rows()
    while try tweets.step() {
      let row = tweets.row
      progress(done, all, "tweets")
      done += 1
      let name = "tweet '\(row.text(0) ?? ""):\(row.text(1) ?? "")'"
      guard row.isSound(json + 2) == true, let document = StoredColumns.parse(row.bytes(json)) else {
        report("\(name) is damaged")
        rows.isIncomplete = true
        continue
      }
      for difference in document.read({ StoredColumns.differences(row, record: $0) }) {
        report("\(name): \(difference.column) is \(difference.stored), but \(difference.expected) in the record")
      }
      let missing = try document.read { (tweet) throws(ToolError) in
        try missingRows(of: tweet, row.integer(json + 1), &rows)
      }
      for missing in missing {
        report("\(name) has no row in \(missing)")
      }
    }
    if rows.isIncomplete { return }
    for table in ["tweet_hashtags", "tweet_mentions", "tweet_urls", "tweet_references"] {
      let count = try database.first(sql: "SELECT count(*) FROM \(table)", []) { $0.integer(0) } ?? 0
      let more = count - rows.expected[table, default: 0]
      if more > 0 { report("\(counted(more, "row")) of \(table) \(more == 1 ? "is" : "are") of no record") }
    }
  }

  /// The tables that do not have all rows that follow from a record.
  private func missingRows(of tweet: JSONValue, _ key: Int, _ rows: inout Rows) throws(ToolError) -> [String] {
    let fields = TweetColumns(tweet)
    var missing: [String] = []
    var (tags, names, urls) = (Set<String>(), Set<String>(), Set<String>())
    for (list, values) in fields.entities?.members.map({ ($0.key, $0.value) }) ?? [] {
      for element in values.elements {
        if list.equals("hashtags") {
          if let text = element["tag"]?.nonEmptyString?.lowercased(), tags.insert(text).inserted {
            if try !has(tag, text, key) { missing.append("tweet_hashtags") }
          }
        } else if list.equals("mentions") {
          // As SQLite's NOCASE.
          if let text = element["username"]?.nonEmptyString, names.insert(Self.folded(text)).inserted {
            if try !has(mention, text, key) { missing.append("tweet_mentions") }
          }
        } else if list.equals("urls") {
          if let text = (element["expanded_url"] ?? element["url"])?.nonEmptyString, urls.insert(text).inserted {
            if try !has(url, text, key) { missing.append("tweet_urls") }
          }
        }
      }
    }
    var references = Set<String>()
    try ReferenceTable.forEachReference(in: fields.referencedTweets) { outer, type, id, _ throws(ToolError) in
      let (path, id) = (outer + (type.string ?? ""), id?.string ?? "")
      guard references.insert("\(path)\0\(id)").inserted else { return }
      reference.bind(3, path)
      if try !has(reference, id, key) { missing.append("tweet_references") }
    }
    let counts = [
      ("tweet_hashtags", tags.count), ("tweet_mentions", names.count), ("tweet_urls", urls.count),
      ("tweet_references", references.count),
    ]
    for (table, count) in counts { rows.expected[table, default: 0] += count - missing.count { $0 == table } }
    return missing
  }

  /// A name in the form that is equal for all that NOCASE takes for equal: only ASCII has two cases there.
  private static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map { $0.asASCIILowercase }, as: UTF8.self)
  }

  private func has(_ statement: borrowing Statement, _ text: String, _ key: Int) throws(ToolError) -> Bool {
    statement.bind(1, text)
    statement.bind(2, key)
    defer { statement.reset() }
    return try statement.step()
  }
}

extension RecordCheck {
  init(_ database: borrowing Database) throws(ToolError) {
    let columns = StoredColumns.tweets + [RecordPacker.tweet(), "key", RowSum.tweets.isSound()]
    self.init(
      count: try database.prepare("SELECT count(*) FROM tweets"),
      tweets: try database.prepare("SELECT \(columns.joined(separator: ", ")) FROM tweets ORDER BY key"),
      tag: try database.prepare("SELECT 1 FROM tweet_hashtags WHERE tag = ? AND tweet = ?"),
      mention: try database.prepare("SELECT 1 FROM tweet_mentions WHERE username = ? AND tweet = ?"),
      url: try database.prepare("SELECT 1 FROM tweet_urls WHERE url = ? AND tweet = ?"),
      reference: try database.prepare("SELECT 1 FROM tweet_references WHERE id = ? AND tweet = ? AND type = ?"))
  }
}
