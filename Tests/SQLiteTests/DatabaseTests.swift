import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite

struct DatabaseTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private static let notes = DatabaseKind(
    name: "note store", place: "--db", applicationID: 0x7477_7474, version: 2, move: "copy the notes",
    damage: "write them again",
    schema: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, size INTEGER)")

  private func open(_ kind: DatabaseKind = notes, _ access: FileAccess = .readWrite) throws(ToolError) -> Database {
    try Database(scratch.path + "/a/b c/n.db", kind, access)
  }

  private func error(_ body: () throws(ToolError) -> Void) -> ToolError? {
    do throws(ToolError) { try body() } catch { return error }
    return nil
  }

  @Test func valuesAreReadBackUnchanged() throws {
    let database = try open()
    try database.write { () throws(ToolError) in
      try database.run("INSERT INTO notes VALUES (?, ?, ?)", .integer(.min), .text("a\0b\u{1F600}"), .null)
      try database.run("INSERT INTO notes VALUES (?, ?, ?)", .integer(2), .text(""), .integer(.max))
      try database.run("INSERT INTO notes VALUES (?, ?, ?)", .integer(3), .bytes([0, 255]), SQLValue(nil as Int?))
    }
    var rows: [String] = []
    try database.forEachRow("SELECT id, text, size, typeof(text) FROM notes ORDER BY id") { (row) throws(ToolError) in
      // Other statements, also the same one, may run while rows are read.
      let count = try database.first("SELECT count(*) FROM notes") { $0.integer(0) }
      rows.append("\(row.integer(0)) \(Array(row.bytes(1))) \(row.optionalInteger(2) ?? -1) \(row.text(3)!) \(count!)")
    }
    #expect(
      rows == [
        "\(Int.min) [97, 0, 98, 240, 159, 152, 128] -1 text 3", "2 [] \(Int.max) text 3", "3 [0, 255] -1 blob 3",
      ])
  }

  @Test func aWriteThatThrowsIsUndoneAndReleasesTheLock() throws {
    let database = try open()
    let first = error { () throws(ToolError) in
      try database.write { () throws(ToolError) in
        try database.run("INSERT INTO notes (id) VALUES (1)")
        throw .badData("no")
      }
    }
    #expect(first == .badData("no"))
    let second = try open()
    try second.write { () throws(ToolError) in try second.run("INSERT INTO notes (id) VALUES (2)") }
    #expect(try database.first("SELECT group_concat(id) FROM notes") { $0.text(0) } == "2")
  }

  @Test func aNewFileIsSetUp() throws {
    do {
      let database = try open()
      try database.write { () throws(ToolError) in try database.run("INSERT INTO notes VALUES (7, 'kept', 1)") }
    }
    let database = try open(Self.notes, .readOnly)
    #expect(try database.first("SELECT text FROM notes") { $0.text(0) } == "kept")
    #expect(try database.first("PRAGMA user_version") { $0.integer(0) } == 2)
    #expect(try database.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
    #expect(try database.first("PRAGMA auto_vacuum") { $0.integer(0) } == 2)
    #expect(try database.first("PRAGMA synchronous") { $0.integer(0) } == 2)
    let failed = error { () throws(ToolError) in try database.run("DELETE FROM notes") }
    #expect(failed?.status == .inputOutput)
  }

  @Test func otherFilesAreRefused() throws {
    let kind = Self.notes
    let path = scratch.path + "/x"
    try scratch.write("x", String(repeating: "A", count: 5000))
    let noDatabase = error { () throws(ToolError) in _ = try Database(path, kind, .readWrite).path }
    #expect(noDatabase == .badData("'\(path)' is not a database"))
    let songs = scratch.path + "/songs.db"
    let other = DatabaseKind(
      name: "song store", place: "--db", applicationID: 0x736F_6E67, version: 2, move: "", damage: "",
      schema: "CREATE TABLE songs (id);")
    _ = try Database(songs, other, .readWrite).path
    let refused = error { () throws(ToolError) in _ = try Database(songs, kind, .readWrite).path }
    #expect(refused == .badData("'\(songs)' is a database, but no note store"))
    let missing = error { () throws(ToolError) in _ = try Database(scratch.path + "/y", kind, .readOnly).path }
    #expect(missing == .noInput("cannot open '\(scratch.path)/y': no such file or directory"))
    let below = error { () throws(ToolError) in _ = try Database(path + "/z.db", kind, .readWrite).path }
    #expect(below?.status == .cannotCreate)
  }

  @Test func concurrentTransactionsAllSucceed() async throws {
    let path = scratch.path + "/busy.db"
    let kind = Self.notes
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<6 {
        group.addTask {
          let database = try Database(path, kind, .readWrite)
          for number in 0..<50 {
            try database.write { () throws(ToolError) in
              try database.run("INSERT INTO notes (id) VALUES (?)", .integer(writer * 1000 + number))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let database = try Database(path, kind, .readOnly)
    #expect(try database.first("SELECT count(*) FROM notes") { $0.integer(0) } == 300)
    #expect(try database.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  /// A bulk load writes the same pages again and again. Without checkpoints its log would grow all the time.
  @Test func theLogStaysSmallInABulkLoad() throws {
    let path = scratch.path + "/bulk.db"
    let database = try Database(path, Self.notes, .readWrite)
    let text = String(repeating: "x", count: 1 << 20)
    var largest = 0
    for number in 0..<60 {
      try database.write { () throws(ToolError) in
        try database.run("INSERT OR REPLACE INTO notes (id, text) VALUES (?, ?)", .integer(number % 4), .text(text))
      }
      let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
      largest = max(largest, log)
    }
    #expect(largest > 1 << 20)
    #expect(largest < 48 << 20)
  }

  @Test(arguments: ["", ":memory:"])
  func databasesInMemoryAreRefused(path: String) {
    let failed = error { () throws(ToolError) in _ = try Database(path, Self.notes, .readWrite).path }
    #expect(failed == .cannotCreate("cannot open '\(path)': not the name of a file"))
  }

  @Test(arguments: [-1, 0, 1, 3]) func anotherVersionIsRefused(version: Int) throws {
    do {
      let database = try open()
      try database.execute("PRAGMA user_version = \(version)")
    }
    let path = scratch.path + "/a/b c/n.db"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for access in [FileAccess.readOnly, .readWrite] {
      let failed = error { () throws(ToolError) in _ = try open(Self.notes, access).path }
      #expect(
        failed
          == .configuration(
            "'\(path)' was made by another version of tw (schema \(version), this one has 2): copy the notes"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  /// What to do is said by the kind of the file: a statement that is kept, one that is prepared, and the log.
  @Test func whoeverMeetsDamageIsToldWhatToDo() throws {
    let path = scratch.path + "/a/b c/n.db"
    do {
      let database = try open()
      try database.write { () throws(ToolError) in
        for id in 1...100 {
          try database.run(
            "INSERT INTO notes VALUES (?, ?, 1)", .integer(id), .text(String(repeating: "x", count: 900)))
        }
      }
    }
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for at in stride(from: Database.pageSize * 2, to: bytes.count, by: 7) { bytes[at] = 0xA5 }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let database = try open(Self.notes, .readOnly)
    let kept = error { () throws(ToolError) in try database.forEachRow("SELECT text FROM notes") { _ in } }
    let prepared = error { () throws(ToolError) in try database.prepare("SELECT sum(size) FROM notes").run() }
    for failed in [kept, prepared] {
      #expect(failed?.status == .inputOutput && failed?.message?.hasSuffix("malformed; write them again") == true)
    }
  }

  /// A file may come from a stranger: triggers in its schema cannot use functions and tables that could do harm.
  @Test(arguments: [
    "CREATE TRIGGER hostile AFTER INSERT ON notes BEGIN INSERT INTO leaked SELECT file FROM pragma_database_list; END",
    "CREATE TRIGGER hostile AFTER INSERT ON notes BEGIN SELECT load_extension('/tmp/hostile.so'); END",
  ])
  func codeInASchemaIsNotRun(trigger: String) throws {
    let database = try open()
    try database.execute("CREATE TABLE leaked (file TEXT)")
    try database.execute(trigger)
    let failed = error { () throws(ToolError) in
      try database.write { () throws(ToolError) in try database.run("INSERT INTO notes (id) VALUES (1)") }
    }
    #expect(failed?.message?.contains("unsafe use of") == true)
    #expect(try database.first("SELECT count(*) FROM leaked") { $0.integer(0) } == 0)
  }

  /// SQL cannot change the schema except by statements made for that.
  @Test func theSchemaCannotBeOverwritten() throws {
    let database = try open()
    try database.execute("PRAGMA writable_schema = ON")
    let failed = error { () throws(ToolError) in
      try database.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE notes (x)' WHERE name = 'notes'")
    }
    #expect(failed?.message?.contains("may not be modified") == true)
  }

  /// SQLite itself makes no checkpoint when it closes a file. Ours needs the lock.
  @Test func closingEmptiesTheLogUnlessTheLockIsHeld() throws {
    let path = scratch.path + "/log.db"
    let log = path + "-wal"
    let other = try Database(path, Self.notes, .readWrite)
    do {
      let database = try Database(path, Self.notes, .readWrite)
      try database.write { () throws(ToolError) in try database.run("INSERT INTO notes (id) VALUES (1)") }
      try other.begin()
    }
    #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int != 0)
    other.rollback()
    do {
      let database = try Database(path, Self.notes, .readWrite)
      try database.write { () throws(ToolError) in try database.run("INSERT INTO notes (id) VALUES (2)") }
    }
    #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0)
  }
}
