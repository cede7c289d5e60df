import SQLite
import TweetCore

/// How many rows a store has, by its tables; of those that can be counted.
struct TableCounts {
  /// The log of refreshes, whose rows have no checksums.
  static let runs = "runs"
  /// Tables that are not compared: they give names to what other tables have, or are empty after a repair.
  private static let uncounted: Set = ["feeds", "labels", "incoming"]
  /// The tables of a store that do not follow from others.
  static let tables = RowSum.all.map(\.table).filter { !uncounted.contains($0) } + [runs]

  private(set) var rows: [String: Int] = [:]
  /// Live tweets that are not in `tweets`.
  private(set) var incoming = 0

  init(_ path: String) throws(ToolError) { count(try TweetStore(path, .readOnly, showsIncoming: false).database) }

  /// Counts what SQLite sees of a damaged file.
  init(damaged path: String) throws(ToolError) {
    do throws(ToolError) {
      count(try Database(damaged: path))
    } catch {
      // It sees nothing.
    }
    if Interruption.signal != nil { throw .tryLater("interrupted while '\(path)' was read; nothing has changed") }
  }

  private mutating func count(_ database: borrowing Database) {
    for table in Self.tables { rows[table] = Self.count("\(table) NOT INDEXED", in: database) }
    let waiting = "(SELECT DISTINCT service, id FROM incoming EXCEPT SELECT service, id FROM tweets)"
    incoming = Self.count(waiting, in: database) ?? 0
  }

  private static func count(_ source: String, in database: borrowing Database) -> Int? {
    var count: Int?
    do throws(ToolError) {
      try database.withTicks { () throws(ToolError) in
        count = try database.first(sql: "SELECT count(*) FROM \(source)", []) { $0.integer(0) }
      }
    } catch {
      // The table is missing or damaged.
      return nil
    }
    return count
  }
}

/// What a repair could not save, beside records that are named: rows of tables, and what is not ours.
package struct TableLosses: Sendable {
  package struct Rows: Sendable {
    package var table: String
    package var count: Int
  }

  /// How many rows are lost, by their tables.
  package private(set) var rows: [Rows] = []
  /// Tables that could not be counted before: how many of their rows are lost is not known.
  package private(set) var unknown: [String] = []
  /// Tables, indexes, views and triggers of other programs that could not be copied.
  package private(set) var notCopied: [String] = []

  /// Whether no table could be counted.
  package var isAllUnknown: Bool { unknown.count == TableCounts.tables.count }

  package var isEmpty: Bool { rows.isEmpty && unknown.isEmpty && notCopied.isEmpty }

  init() {}

  /// - Parameters:
  ///   - names: rows of `user_names` that were found and say what is in `users`: a user whose other names are lost has
  ///     none there.
  ///   - records: altered and lost records, which are told one by one.
  init(
    from before: TableCounts, to after: TableCounts, redundantNames names: Int, tweetsTold records: [Repair.Missing],
    notCopied: [String]
  ) {
    self.notCopied = notCopied
    for table in TableCounts.tables {
      guard var count = before.rows[table] else {
        unknown.append(table)
        continue
      }
      count -= after.rows[table] ?? 0
      if table == "tweets" { count += before.incoming - records.count { $0.type == "tweet" } }
      if table == "user_names" { count -= names }
      if table == "users" { count -= records.count { $0.type == "user" } }
      if count > 0 { rows.append(Rows(table: table, count: count)) }
    }
  }
}
