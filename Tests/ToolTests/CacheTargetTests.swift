import Foundation
import Libc
import TestSupport
import Testing

/// What the commands of tw-cache may write to: never the store itself, a file of its family, or what is not a file.
@Suite(.onOwnThread) struct CacheTargetTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Whatever name the store has: a writer that goes on loses nothing.
  @Test(arguments: ["name", "relative", "symbolic", "hard", "log", "index", "lock"])
  func aBackupOntoTheStoreItself(way: String) throws {
    #expect(try add(tweet(1)).status == 0)
    let folder = home.path + "/.local/share/tw"
    try #require(symlink(store, home.path + "/symbolic.db") == 0)
    try #require(link(store, home.path + "/hard.db") == 0)
    let target = [
      "name": store, "relative": ".local/share/../share/tw/tw.db", "symbolic": "symbolic.db", "hard": "hard.db",
      "log": folder + "/tw.db-wal", "index": folder + "/tw.db-shm", "lock": folder + "/tw.db.lock",
    ]
    let writer = try RunningTool("tw-cache", ["add"], home: home)
    writer.send(ToolInput(tweet(2)))
    #expect(try writer.line() != nil)
    let result = try cache("backup", try #require(target[way]))
    let isFamily = ["log", "index", "lock"].contains(way)
    #expect(result.status == (isFamily ? 73 : 64) && result.output == "")
    #expect(result.errors.contains(isFamily ? "it belongs to the database '\(store)'" : "is the store itself"))
    writer.send(ToolInput(tweet(3, second: 1)))
    #expect(try writer.line() != nil)
    #expect(try writer.finish().status == 0)
    #expect(try Set(list()) == ["1", "2", "3"])
    #expect(try cache("check").output == "")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(left.allSatisfy { ["tw.db", "tw.db-wal", "tw.db-shm", "tw.db.lock"].contains($0) }, "\(left)")
  }

  /// Names that programs of tw give to files beside a store, whether these are there or not.
  @Test(arguments: ["media.db", "tw.db-refresh.lock", "media.db.lock", "media.db-wal"])
  func aBackupOntoAFileOfTheFolder(name: String) throws {
    #expect(try add(tweet(1)).status == 0)
    let folder = home.path + "/.local/share/tw/"
    for isThere in [false, true] {
      if isThere { try home.write(".local/share/tw/" + name, "") }
      let result = try cache("backup", folder + name)
      #expect(result.status == 73 && result.errors.contains("programs of tw make"), "\(result.errors)")
      #expect(home.exists(".local/share/tw/" + name) == isThere)
    }
  }

  /// By whatever name; the store stays, and no older one beside it is overwritten.
  @Test func aStoreIsNotRestoredFromItself() throws {
    #expect(try add(tweet(1)).status == 0)
    try #require(symlink(store, home.path + "/symbolic.db") == 0)
    try #require(link(store, home.path + "/hard.db") == 0)
    for name in [store, "symbolic.db", "hard.db"] {
      let result = try cache("restore", name)
      #expect(result.status == 64 && result.errors.contains("is the store itself"), "\(result.errors)")
    }
    #expect(try list() == ["1"] && !home.exists(".local/share/tw/tw.db.old"))
  }

  /// Only an earlier copy is replaced, or an empty file; a link to one stays a link.
  @Test func aBackupReplacesOnlyABackup() throws {
    #expect(try add(tweet(1)).status == 0)
    try home.write("empty", "")
    #expect(try cache("backup", "empty").status == 0)
    try #require(symlink("empty", home.path + "/link") == 0)
    _ = try add(tweet(2, second: 1))
    #expect(try cache("backup", "link").errors == "")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/link") == "empty")
    #expect(try list("--db", "empty") == ["2", "1"])
    // A text, another program's database, a store in use, and what is not a file.
    try home.write("text", "mine")
    _ = try Tool.run("tw-cache", ["add", "--db", "other.db"], stdin: ToolInput(tweet(7)), home: home)
    try #require(mkfifo(home.path + "/pipe", 0o600) == 0)
    for (name, reason) in [
      ("text", "no backup of a store"), ("other.db", "no backup of a store"), ("pipe", "it is a pipe, not a file"),
      (".", "it is a directory, not a file"),
    ] {
      let result = try cache("backup", name)
      #expect(result.status == 73 && result.errors.contains(reason), "\(name): \(result.errors)")
    }
    #expect(try home.read("text") == Array("mine".utf8))
    #expect(try list("--db", "other.db") == ["7"])
    // Beside a log that is another database's, the copy would be read with it.
    try home.write("new.db-wal", "log")
    #expect(try cache("backup", "new.db").status == 73)
    #expect(!home.exists("new.db"))
  }

  /// The file that gets bad records is emptied first: so it is neither a store, nor a file beside one.
  @Test func rejectsAreNoStore() throws {
    #expect(try add(tweet(1)).status == 0)
    let media = home.path + "/.local/share/tw/media.db"
    _ = try Tool.run("tw-linkcheck", ["--offline"], stdin: ToolInput(tweet(1)), home: home)
    for path in [
      store, store + "-wal", store + "-shm", store + ".lock", home.exists(".local/share/tw/media.db") ? media : store,
    ] {
      let result = try add("{\"bad\":1}\n", ["--rejects", path])
      #expect(result.status == 64 && result.errors.contains("database"), "\(path): \(result.errors)")
      let parse = try Tool.run("tw-parse", ["--rejects", path], stdin: ToolInput("{\"bad\":1}\n"), home: home)
      #expect(parse.status == 64 && parse.errors.contains("database"), "\(path): \(parse.errors)")
    }
    // A store that is just being made.
    let new = try add(tweet(2), ["--db", "new.db", "--rejects", "new.db"])
    #expect(new.status == 64)
    #expect(try list() == ["1"])
    #expect(try cache("check").output == "")
  }

  /// Checkpoints are saved in the file behind a link, and in nothing that is not a file.
  @Test func checkpointsGoToFiles() throws {
    let checkpoint = """
      {"tw":"checkpoint","feed":"#a","service":"x","base":"https://api.x.com","newest_id":"5","at":"\(time(0))"}

      """
    try home.write("folder/state", "")
    try #require(symlink("folder/state", home.path + "/link") == 0)
    let saved = try add(tweet(1) + checkpoint, ["--state", "link"])
    #expect(saved.status == 0 && saved.errors == "")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/link") == "folder/state")
    #expect(try !home.read("folder/state").isEmpty)
    #expect(home.exists("folder/state.lock") && !home.exists("link.lock"))
    try #require(mkfifo(home.path + "/pipe", 0o600) == 0)
    // Not a device: code that is wrong would take it away from the machine.
    for (path, status) in [("pipe", 73), ("folder", 73), (store + ".lock", 73), (store, 78)] as [(String, Int32)] {
      let result = try add(tweet(2) + checkpoint, ["--state", path])
      #expect(result.status == status, "\(path): \(result.errors)")
    }
    #expect(try cache("check").output == "")
  }
}
