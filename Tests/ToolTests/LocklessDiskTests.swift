import TestSupport
import Testing

/// Databases on a file system without locks, as some over a network are.
@Suite(.onOwnThread, .enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
struct LocklessDiskTests {
  @Test(arguments: [
    ("tw-cache", ["add", "--db", "tw.db"], "tweet store", "--db, TW_DB"),
    ("tw-post", ["outbox"], "outbox", "XDG_DATA_HOME"),
    ("tw-local", ["--db", "local.db", "--", "true"], "tw-local database", "--db"),
  ])
  func messagesSayWhichDatabaseIsMeant(tool: String, arguments: [String], name: String, place: String) throws {
    let home = try TemporaryDirectory()
    try home.write(".local/share/tw/outbox.db", "")
    let disk = try #require(FaultyDisk.environment(of: home.path, ["TW_DISK_LOCKS": "0"]))
    let result = try Tool.run(tool, arguments, environment: disk, home: home)
    let advice = "its file system has no locks; keep the \(name) on another one (\(place))"
    #expect(result.status == 78 && result.errors.contains(advice), "\(result.errors)")
  }
}
