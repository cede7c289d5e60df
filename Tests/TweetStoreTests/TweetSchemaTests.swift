import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

struct TweetSchemaTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// The SQL of each table, index and view by its name, without those that the full-text index makes for itself.
  private func schema(_ store: borrowing TweetStore) throws -> [String: String] {
    var found: [String: String] = [:]
    try store.database.forEachRow("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'tweet_search_%'") { row in
      found[row.text(0) ?? ""] = row.text(1) ?? ""
    }
    return found
  }

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

  /// A file of each released version is migrated: its schema equals that of a new file, and its tweets are found.
  @Test(arguments: [1])
  func storesOfOlderVersionsAreMigrated(version: Int) throws {
    let path = scratch.path + "/old.db"
    do {
      let kind = DatabaseKind(name: "old store", applicationID: TweetStore.kind.applicationID, migrations: [""])
      let old = try Database(path, kind, .readWrite)
      try old.execute(try Package.text("Tests/TweetStoreTests/Fixtures/tw-db-\(version).sql"))
    }
    let store = try TweetStore(path, .readWrite)
    #expect(try store.database.first("PRAGMA user_version") { $0.integer(0) } == TweetStore.kind.migrations.count)
    let new = try TweetStore(scratch.path + "/new.db", .readWrite)
    #expect(try schema(store) == schema(new))
    var query = TweetQuery()
    query.search = "日本 release"
    (query.tags, query.authors, query.feeds) = (["swift"], ["jack"], ["#swift"])
    var found: [Int] = []
    if var pages = try store.pages(query) {
      try pages.read { (key, _) throws(ToolError) in
        found.append(key)
        return .more
      }
    }
    #expect(found == [2_096_735_509_790_715_913])
    var faults: [String] = []
    try store.check { faults.append($0) }
    #expect(faults == [])
  }

  /// Version 8 removes names that only repeat what `users` has.
  @Test func namesThatAreNotRepeatedStay() throws {
    let path = scratch.path + "/old.db"
    do {
      let kind = DatabaseKind(
        name: "old store", applicationID: TweetStore.kind.applicationID,
        migrations: Array(TweetStore.kind.migrations.prefix(7)))
      let old = try Database(path, kind, .readWrite)
      func add(user: Int, _ username: String?, _ name: String?, names: [[String]]) throws {
        try old.run(
          sql: RowSum.users.insert(["?1", "'x'", "'u' || ?1", "?2", "?3", "'2021'", "NULL", "'{}'"]), .integer(user),
          SQLValue(username),
          SQLValue(name))
        for name in names {
          try old.run(
            sql: RowSum.userNames.insert(["?1", "?2", "?3", "?4"]), .integer(user), .text(name[0]), .text(name[1]),
            .text(name[2]))
        }
      }
      try add(user: 1, "one", "One", names: [["one", "One", "2021"]])
      try add(user: 2, "two", nil, names: [["two", "", "2021"]])
      try add(user: 3, "three", "Three", names: [["old", "Three", "2021"], ["three", "Three", "2022"]])
      // Of another case, or seen later than the user; a name that the user no longer has.
      try add(user: 4, "four", "Four", names: [["Four", "Four", "2021"]])
      try add(user: 5, "five", "Five", names: [["five", "Five", "2022"]])
      try add(user: 6, "six", "Six", names: [["sixth", "Six", "2021"]])
      // A damaged row is not removed, so that it is told.
      try add(user: 7, "seven", "Seven", names: [["seven", "Seven", "2021"]])
      try old.execute("UPDATE user_names SET checksum = checksum + 1 WHERE user = 7")
    }
    let store = try TweetStore(path, .readWrite)
    var rows: [String] = []
    try store.database.forEachRow("SELECT user || username || first_seen FROM user_names ORDER BY 1") {
      rows.append($0.text(0) ?? "")
    }
    #expect(rows == ["3old2021", "3three2022", "4Four2021", "5five2022", "6sixth2021", "7seven2021"])
    let sound = "SELECT count(*) FROM user_names WHERE \(RowSum.userNames.isSound())"
    #expect(try store.database.connection.integer(sound) == 5)
    var names: [String] = []
    _ = try store.forEachName(ofUsersNamed: "two", service: nil) { _, id, username, name, first in
      names.append("\(id) \(username) \(name) \(first)")
    }
    #expect(names == ["u2 two  2021"])
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
      #expect(try writer.add(record.root).isNew)
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
  /// The number of the version is damaged, so migrations meet what they would make. That is damage, and no bug.
  @Test func aDamagedNumberOfTheVersion() throws {
    let scratch = try TemporaryDirectory()
    for version in 0..<TweetStore.kind.migrations.count {
      let path = scratch.path + "/\(version).db"
      try Database(path, TweetStore.kind, .readWrite).execute("PRAGMA user_version = \(version)")
      do throws(ToolError) {
        _ = try Database(path, TweetStore.kind, .readWrite).path
        // Only migrations of rows can be run again.
        #expect(TweetStore.kind.migrations[version].isInBatches || version == 7, "version \(version)")
      } catch {
        #expect(
          error.status == .inputOutput && error.message?.contains("check --repair") == true, "\(version): \(error)")
      }
    }
  }
}
