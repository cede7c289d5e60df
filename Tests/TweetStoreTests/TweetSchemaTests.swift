import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

struct TweetSchemaTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The columns of each table and view, by name.
  private func columns(_ store: borrowing TweetStore) throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    try store.database.forEachRow(
      """
      SELECT s.name, c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c
      WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'tweet_search_%' ORDER BY s.name, c.cid
      """
    ) { row in found[row.text(0) ?? "", default: []].append(row.text(1) ?? "") }
    return found
  }

  /// tw-db(5): a subsection for each table and view, an item for its columns.
  private func page() throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    var table: String?
    for line in try Package.text("man/tw-db.5").split(separator: "\n") {
      if line.hasPrefix(".Sh ") { table = nil }
      if line.hasPrefix(".Ss "), !line.contains(" and ") { table = String(line.dropFirst(4)) }
      if let table, line.hasPrefix(".It Cm ") {
        found[table, default: []] += line.dropFirst(7).split(separator: " ").filter { $0 != "," }.map(String.init)
      }
    }
    return found
  }

  @Test func theManPageHasAllTablesAndColumns() throws {
    let store = try TweetStore(scratch.path + "/tw.db", .readWrite)
    let (real, told) = (try columns(store).mapValues { $0.sorted() }, try page().mapValues { $0.sorted() })
    #expect(real.keys.sorted() == told.keys.sorted())
    for (table, columns) in real { #expect(told[table] == columns, "\(table)") }
  }

  /// The views are for other programs, which know nothing of our keys.
  @Test func viewsAnswerCommonQuestions() throws {
    let path = scratch.path + "/tw.db"
    var writer = try TweetWriter(try TweetStore(path, .readWrite))
    try writer.begin()
    for (id, day, author) in [(1, 3, "a"), (2, 4, "b"), (3, 4, "b")] {
      let record = try JSONDocument(
        """
        {"tw":"tweet","id":"\(id)","service":"x","created_at":"2021-11-0\(day)T00:00:0\(id).000Z","text":"t\(id)",
         "author":{"id":"\(author)","username":"\(author)"},
         "entities":{"urls":[{"url":"https://a/"},{"url":"https://b/\(id)"}]}}
        """)
      #expect(try writer.add(record).isNew)
    }
    try writer.commit()
    let database = try TweetStore(path, .readOnly).releaseDatabase()
    var rows: [String] = []
    for query: StaticString in [
      "SELECT json_array(username, text) FROM timeline LIMIT 2",
      "SELECT json_array(url, tweets, authors) FROM top_links LIMIT 1",
      "SELECT json_array(day, tweets, authors) FROM by_day",
    ] {
      try database.forEachRow(query) { rows.append($0.text(0) ?? "") }
    }
    #expect(
      rows == [
        #"["b","t3"]"#, #"["b","t2"]"#, #"["https://a/",3,2]"#, #"["2021-11-04",2,1]"#, #"["2021-11-03",1,1]"#,
      ])
  }

  /// A file of another version is refused: the message says how to move what is in it. If only the number is damaged, a
  /// repair sees the schema.
  @Test(arguments: [-1, 0, 1, 8]) func aFileOfAnotherVersion(version: Int) throws {
    let path = scratch.path + "/tw.db"
    try Database(path, TweetStore.kind, .readWrite).execute("PRAGMA user_version = \(version)")
    for access in [FileAccess.readOnly, .readWrite] {
      var failed: ToolError?
      do throws(ToolError) { _ = try TweetStore(path, access).path } catch { failed = error }
      #expect(
        failed
          == .configuration(
            "'\(path)' was made by another version of tw (schema \(version), this one has 2): 'tw-cache export' by the "
              + "version of tw that made it and 'tw-cache import' by this one move it"))
    }
    _ = try Repair(path)
    #expect(try TweetStore(path, .readOnly).database.first("PRAGMA user_version") { $0.integer(0) } == 2)
  }
}
