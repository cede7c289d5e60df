import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// Stores of version 1 are brought over, whatever happens meanwhile.
@Suite(.onOwnThread) struct CacheUpgradeTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// How many tweets there are beside the one of the fixture.
  private static let tweets = 5000

  /// Makes a store of version 1.
  /// - Parameter more: SQL that is run at the end.
  private func makeOldStore(_ more: String = "") throws {
    try FileManager.default.createDirectory(atPath: home.path + "/.local/share/tw", withIntermediateDirectories: true)
    let kind = DatabaseKind(name: "old store", applicationID: TweetStore.kind.applicationID, migrations: [""])
    let old = try Database(store, kind, .readWrite)
    try old.execute(try Package.text("Tests/TweetStoreTests/Fixtures/tw-db-1.sql"))
    try old.execute(
      """
      BEGIN;
      INSERT INTO tweets (key, service, id, author, first_seen, last_seen, text, json)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < \(Self.tweets))
        SELECT 3000000000000000000 + n, 'x', n, 1, '2021-11-03T21:31:00.000Z', '2021-11-03T21:31:00.000Z',
          'number 🎉' || n, '{"tw":"tweet","id":"' || n || '","service":"x","text":"number 🎉' || n || '","author":{"id":"12"}}'
        FROM n;
      INSERT INTO tweet_search (rowid, text) SELECT key, text FROM tweets WHERE key >= 3000000000000000000;
      COMMIT;
      \(more)
      """)
  }

  @Test func killedInBetween() throws {
    try makeOldStore()
    var killed = 0
    for round in 0..<40 {
      let tool = try RunningTool("tw-cache", ["list", "--limit", "1"], home: home)
      usleep(UInt32(round) * 4000)
      tool.signal(SIGKILL)
      let ending = try tool.finish().ending
      if ending == .signal(SIGKILL) { killed += 1 } else { break }
    }
    #expect(killed > 2)
    #expect(try list("--all").count == Self.tweets + 1)
    #expect(try cache("check").output == "")
    #expect(try list("--search", "🎉").count == Self.tweets && list("--search", "日本 release").count == 1)
    #expect(try list("--search", "\"🎉 17\"") == ["17"])
    let database = try Database(store, TweetStore.kind, .readOnly)
    #expect(try database.first("SELECT count(*) FROM tweets WHERE typeof(json) = 'text'") { $0.integer(0) } == 0)
    // One dictionary, in two copies.
    #expect(try database.first("SELECT count(*), max(number) FROM dictionaries") { $0.text(0) } == "2")
    #expect(try database.first("PRAGMA freelist_count") { $0.integer(0) } == 0)
    for table in RowSum.all {
      let wrong = try database.prepare("SELECT count(*) FROM \(table.table) WHERE NOT coalesce(\(table.isSound()), 0)")
      #expect(try wrong.step() && wrong.row.integer(0) == 0, "\(table.table)")
    }
  }

  /// What packing frees goes back to the file system.
  @Test func theFileBecomesSmaller() throws {
    try makeOldStore("UPDATE tweets SET json = json_set(json, '$.extra', printf('%.2000c', 'x'))")
    let size = try home.read(".local/share/tw/tw.db").count
    #expect(try list("--all").count == Self.tweets + 1)
    #expect(try home.read(".local/share/tw/tw.db").count * 3 < size)
    let database = try Database(store, TweetStore.kind, .readOnly)
    #expect(try database.first("PRAGMA freelist_count") { $0.integer(0) } == 0)
    #expect(try cache("check").output == "")
  }

  /// While rows are brought over, other programs write; both get their turn.
  @Test func withAWriterBesideIt() throws {
    try makeOldStore()
    let tools = try (0..<3).map { number in
      let tool = try RunningTool("tw-cache", ["add", "--quiet"], home: home)
      tool.send(ToolInput((0..<200).map { tweet(1_000_000 + number * 1000 + $0, second: $0) }.joined()))
      return tool
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.status == 0 && result.errors == "" && result.lines.count == 200)
    }
    #expect(try list("--all").count == Self.tweets + 601 && cache("check").output == "")
  }

  /// An upgrade that takes long says so: by a line, or by a bar on a terminal. `--quiet` and a small store keep it silent.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
  func aLongUpgradeSaysHowFarItIs() throws {
    // Each transaction takes at least 0.2 s.
    let disk = try #require(FaultyDisk.environment(of: store, ["TW_DISK_SYNC_MS": "200"]))
    func upgrade(_ words: String...) throws -> ToolResult {
      try makeOldStore()
      defer { try? FileManager.default.removeItem(atPath: home.path + "/.local") }
      return try Tool.run("tw-cache", ["list", "--count"] + words, environment: disk, home: home)
    }
    let result = try upgrade()
    #expect(result.output == "\(Self.tweets + 1)\n" && result.status == 0)
    let line = "tw-cache: '\(store)' is brought to a new version: about "
    #expect(result.errors.hasPrefix(line) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    let time = result.errors.dropFirst(line.count).prefix { $0 != ";" }.split(separator: " ")
    #expect(time.count == 2 && Int(time[0]) ?? 0 > 0 && ["s", "min"].contains(time[1]), "\(result.errors)")
    #expect(result.errors.hasSuffix("; it may be interrupted, and the next command goes on\n"))
    #expect(try upgrade("--quiet").errors == "")
    guard Terminal.isAvailable else { return }
    try makeOldStore()
    let variables = disk.map { "\($0)='\($1)'" }.joined(separator: " ")
    let terminal = try Terminal("echo begin; \(variables) tw-cache list --count; echo fin''ished", home: home)
    #expect(try terminal.wait(for: " steps to a new version, ").contains("tw-cache ["))
    #expect(try terminal.wait(for: "finished").hasPrefix("begin\n\(Self.tweets + 1)\nfinished"))
  }

  @Test(.enabled(if: Sanitizer.name == nil, "takes long with a sanitizer")) func theUpgradeOfASmallStoreIsSilent()
    throws
  {
    // It has two batches.
    try makeOldStore(
      """
      DELETE FROM tweet_search WHERE rowid > 3000000000000001500;
      DELETE FROM tweets WHERE key > 3000000000000001500;
      """)
    let result = try cache("list", "--count")
    #expect(result.errors == "" && result.status == 0 && result.output == "1501\n")
  }

  /// What was damaged before does not look sound afterwards.
  @Test func aRecordThatWasDamagedBefore() throws {
    try makeOldStore(
      """
      UPDATE tweets SET json = replace(json, 'number', 'nvmber') WHERE id = '5';
      UPDATE tweets SET json = replace(json, '}}', '}') WHERE id = '6';
      """)
    let listed = try cache("list")
    #expect(listed.lines.count == Self.tweets - 1 && listed.status == 74)
    #expect(listed.errors.contains("2 records are damaged and were left out: tweet 'x:6', tweet 'x:5'"))
    #expect(try cache("check").lines == ["tweet 'x:5' is damaged", "tweet 'x:6' is damaged"])
    let repair = try cache("check", "--repair")
    #expect(repair.output == "altered\ttweet\tx\t5\naltered\ttweet\tx\t6\n" && repair.status == 1)
    #expect(try cache("check").status == 0 && list().count == Self.tweets - 1)
  }

  /// A damaged store of version 1 is repaired as it is.
  @Test func aDamagedStoreOfVersion1() throws {
    try makeOldStore()
    var bytes = try home.read(".local/share/tw/tw.db")
    bytes[3] ^= 8
    try home.write(".local/share/tw/tw.db", bytes)
    #expect(try cache("list").status == 65)
    #expect(try cache("check", "--repair").status == 0)
    #expect(try list().count == Self.tweets + 1 && cache("check").status == 0)
  }
}
