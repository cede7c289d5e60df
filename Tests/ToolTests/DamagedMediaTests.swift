import CSQLite
import Foundation
import TestSupport
import Testing

@testable import SQLite
@testable import TweetStore

/// The store of pictures and links is only a cache: when it is damaged, tw-avatar and tw-linkcheck go on with a new
/// one.
@Suite(.onOwnThread) struct DamagedMediaTests {
  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let make: @Sendable (_ path: String) throws -> Void

    static let all = [
      Damage(testDescription: "no database") { try Data("no database\n".utf8).write(to: URL(filePath: $0)) },
      Damage(testDescription: "no magic") { path in try change(path) { $0[3] ^= 1 } },
      Damage(testDescription: "no schema") { path in try change(path) { $0[100] ^= 0xFF } },
      Damage(testDescription: "cut") { path in try change(path) { $0.removeLast($0.count / 2) } },
      Damage(testDescription: "pages of noise") { path in
        try change(path) { bytes in for offset in 16_384..<bytes.count { bytes[offset] = UInt8(offset * 7 % 251) } }
      },
      Damage(testDescription: "no tables") { path in
        try run("DROP TABLE links; DROP TABLE avatars", path)
      },
    ]

    private static func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
      let url = URL(filePath: path)
      var bytes = [UInt8](try Data(contentsOf: url))
      body(&bytes)
      try Data(bytes).write(to: url)
    }
  }

  /// Runs SQL in a database.
  static func run(_ sql: String, _ path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }

  private static func site() throws -> LoopbackServer {
    try LoopbackServer { request in
      request.path.hasSuffix(".png")
        ? .answer(200, body: PictureSample.png(for: request.path)) : .page("words")
    }
  }

  /// Sixty records for a tool.
  private static func records(_ tool: String, _ base: String) -> String {
    (0..<60).map { number in
      let url = "\(base)/\(number)\(tool == "tw-avatar" ? ".png" : "")"
      return tool == "tw-avatar"
        ? #"{"tw":"user","service":"x","id":"\#(number)","profile_image_url":"\#(url)"}"# + "\n"
        : #"{"tw":"tweet","service":"x","id":"\#(number)","text":"\#(url)","entities":{"urls":[{"start":0,"#
          + #""end":\#(url.count),"url":"\#(url)","expanded_url":"\#(url)"}]}}"# + "\n"
    }.joined()
  }

  @Test(arguments: ["tw-avatar", "tw-linkcheck"], Damage.all)
  func aDamagedStoreIsSetAside(_ tool: String, _ damage: Damage) throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    func look() throws -> ToolResult {
      try Tool.run(tool, ["--db", "tw.db", "records"], environment: server.environment, home: home)
    }
    try home.write("records", Self.records(tool, server.base))
    let first = try look()
    #expect(first.status == 0 && first.lines.count == 60 && first.errors.isEmpty)
    let asked = server.requests.count
    try damage.make(home.path + "/media.db")
    let damaged = try home.read("media.db")
    let second = try look()
    #expect(second.status == 0 && second.lines.count == 60, "\(second.errors)")
    #expect(
      second.errors
        == "\(tool): 'media.db' was damaged: it is 'media.db.damaged' now, and pictures and links are fetched again\n")
    #expect(try home.read("media.db.damaged") == damaged)
    #expect(server.requests.count > asked)
    // Now all is well again.
    let again = server.requests.count
    let third = try look()
    #expect(third.status == 0 && third.errors.isEmpty)
    // What was read before the damage was met is not asked for a second time.
    #expect(server.requests.count - again <= 60 && third.lines.count == 60)
    let fourth = try look()
    #expect(fourth.output == third.output && server.requests.count - again <= 60)
  }

  /// Somebody else's database, and that of a newer version, stay where they are.
  @Test(arguments: ["tw-avatar", "tw-linkcheck"])
  func aWholeDatabaseOfAnotherKindStays(_ tool: String) throws {
    let home = try TemporaryDirectory()
    for (sql, status) in [
      ("CREATE TABLE notes (text)", 65), ("PRAGMA application_id = 0x74776D64; PRAGMA user_version = 9999", 78),
    ] {
      try? FileManager.default.removeItem(atPath: home.path + "/media.db")
      try Self.run(sql, home.path + "/media.db")
      let before = try home.read("media.db")
      let records = ToolInput(Self.records(tool, "http://127.0.0.1:1"))
      let result = try Tool.run(tool, ["--db", "tw.db"], stdin: records, home: home)
      #expect(result.status == Int32(status), "\(result.errors)")
      #expect(try home.read("media.db") == before && !home.exists("media.db.damaged"))
    }
  }

  /// Two that meet the damage at the same time set it aside once.
  @Test func severalSetADamagedStoreAsideOnce() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("media.db", String(repeating: "no database\n", count: 1000))
    try home.write("records", Self.records("tw-avatar", server.base))
    // All have seen the damaged file when the first of them gets the lock.
    let lock = try WriteLock(of: home.path + "/media.db", nil)
    try lock.acquire(within: 0)
    let tools = try (0..<4).map { _ in
      try RunningTool("tw-avatar", ["--db", "tw.db", "records"], environment: server.environment, home: home)
    }
    try waitUntil { try LockQueue.count(of: home.path + "/media.db") >= 4 }
    lock.release()
    let results = try tools.map { try $0.finish() }
    #expect(results.allSatisfy { $0.status == 0 && $0.lines.count == 60 }, "\(results.map(\.errors))")
    #expect(results.map(\.errors).joined().components(separatedBy: "was damaged").count == 2)
    #expect(try home.read("media.db.damaged").starts(with: "no database".utf8))
    let after = try Tool.run("tw-avatar", ["--db", "tw.db", "records"], environment: server.environment, home: home)
    #expect(after.status == 0 && after.errors.isEmpty)
  }

  /// A program that only looks at the store does the same.
  @Test func otherCommandsGoOnToo() throws {
    let home = try TemporaryDirectory()
    let record = ##"{"tw":"tweet","service":"x","id":"1","text":"a"}"## + "\n"
    #expect(try Tool.run("tw-cache", ["add", "--db", "tw.db"], stdin: ToolInput(record), home: home).status == 0)
    for command in [["stats"], ["list", "--links", "music"], ["prune", "--yes", "--older-than", "30d"]] {
      try home.write("media.db", String(repeating: "no database\n", count: 1000))
      let result = try Tool.run("tw-cache", command + ["--db", "tw.db"], home: home)
      #expect(result.status == 0 && result.errors.contains("'media.db' was damaged"), "\(command) \(result.errors)")
    }
  }
}
