import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// `tw-cache add` on a disk that is slow, full, without power, or that fails: what was printed is in the store, the
/// store has no faults, and the next run goes on.
@Suite(.onOwnThread, .enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
struct CacheDiskTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Ten new tweets for each of three transactions, and updates of older ones.
  private var pieces: [String] {
    (0..<3).map { piece in
      (0..<10).map { number in
        let id = piece * 10 + number
        let update = tweet(id / 2, text: "again", author: "a\(id / 2)", likes: piece, read: 100 + id)
        let new = tweet(
          id, second: id, text: "word \(id) 🎉", author: "a\(id)", read: 1, tags: ["t\(number)"], feeds: ["f"])
        return number % 3 == 0 && piece > 0 ? new + update : new
      }.joined()
    }
  }

  /// Adds the pieces on a bad disk, each in a transaction of its own; stops when the tool does.
  private func addPieces(_ faults: [String: String]) throws -> ToolResult {
    let tool = try RunningTool(
      "tw-cache", ["add"], environment: try #require(FaultyDisk.environment(of: store, faults)), home: home)
    var lines = 0
    for piece in pieces {
      tool.send(ToolInput(piece))
      lines += piece.count { $0 == "\n" }
      try tool.waitForLines(lines)
    }
    return try tool.finish()
  }

  /// Checks the store after such a run, on a disk that is good again: what was printed is there, and a second run
  /// stores all.
  private func expectIntact(after result: ToolResult, _ what: Comment) throws {
    let input = pieces.joined()
    #expect(input.hasPrefix(result.output), what)
    // A file without tables is not a store yet.
    if try TweetStore.isThere(store) {
      let check = try cache("check")
      #expect(check.output == "" && check.status == 0, what)
      // Each printed version was stored; a later one may have been, too.
      let stored = try list()
      #expect(Set(ids(result.lines)).isSubset(of: stored), what)
    } else {
      #expect(result.output == "", what)
    }
    let again = try add(input)
    #expect(again.output == input && again.errors == "" && again.status == 0, what)
    #expect(try list().count == 30, what)
    #expect(try cache("check").status == 0, what)
    try FileManager.default.removeItem(atPath: home.path + "/.local")
  }

  /// Runs the tool with a fault that comes later each time, until it does not come any more.
  private func sweep(
    _ faults: (_ number: Int) -> [String: String], expect: (_ result: ToolResult, _ what: Comment) throws -> Void
  ) throws {
    var printed: Set<Int> = []
    for number in 1...60 {
      let result = try addPieces(faults(number))
      let what: Comment = "fault \(number): \(result.ending), \(result.lines.count) lines, \(result.errors)"
      if result.status == 0 {
        #expect(result.output == pieces.joined() && result.errors == "", what)
      } else {
        printed.insert(result.lines.count)
        try expect(result, what)
      }
      try expectIntact(after: result, what)
      if result.status == 0 && printed.count > 2 { break }
    }
    // It came before the first transaction, and between two, or after the last when live tweets are moved.
    #expect(printed.contains(0) && printed.count > 2, "\(printed)")
  }

  /// A sync fails, and all later ones or only this one; what it should have brought to the disk is lost.
  @Test(arguments: [1, 1000]) func aSyncFails(times: Int) throws {
    try sweep({ ["TW_DISK_FAILS_AT": "\($0)", "TW_DISK_FAILURES": "\(times)"] }) { result, what in
      #expect(result.status == 74, what)
      #expect(result.errors.hasPrefix("tw-cache: cannot write to '\(store)': "), what)
      #expect(
        result.errors.lowercased().hasSuffix("i/o error\n") || result.errors.hasSuffix("input/output error\n"), what)
      #expect(result.errors.split(separator: "\n").count == 1, what)
    }
  }

  /// The power fails; what no sync has reached is lost.
  @Test func thePowerFails() throws {
    try sweep({ ["TW_DISK_CUT_AT": "\($0)"] }) { result, what in #expect(result.ending == .signal(SIGKILL), what) }
  }

  /// The disk has room for more bytes each time: none, about as many as a new store takes, then less than a page more
  /// each time.
  @Test func aFullDisk() throws {
    try sweep({ ["TW_DISK_ROOM": "\($0 == 1 ? 0 : 400_000 + $0 * 7001)"] }) { result, what in
      #expect(result.status == 74, what)
      #expect(result.errors == "tw-cache: cannot write to '\(store)': the disk is full\n", what)
    }
  }

  /// Who prunes has a full disk: either nothing is removed and a message says how much room is needed, or all is done
  /// within it.
  @Test(arguments: [0, 1_000_000, 2_500_000]) func pruningOnAFullDisk(space: Int) throws {
    let tweets = (0..<3000).map { tweet($0, second: $0, text: String(repeating: "words \($0) ", count: 20)) }
    #expect(try add(tweets.joined()).status == 0)
    let size = { () throws -> Int in try home.read(".local/share/tw/tw.db").count }
    let before = try size()
    let disk = try #require(FaultyDisk.environment(of: store, ["TW_DISK_SPACE": "\(space)", "TW_NOW": time(90_000)]))
    let command = ["prune", "--yes", "--older-than", time(2900)]
    let result = try Tool.run("tw-cache", command, environment: disk, home: home)
    let left = try Database(store, TweetStore.kind, .readOnly).first("SELECT count(*) FROM tweets") { $0.integer(0) }
    if space > 2 << 20 {
      #expect(result.status == 0 && left == 100, "\(result.errors)")
      #expect(try size() < before / 2)
    } else {
      #expect(
        result.status == 74 && left == 3000
          && result.errors.contains("2 MB are needed for the log; nothing was removed"))
      #expect(try size() == before)
    }
    #expect(try cache("check").output == "")
  }

  /// A copy that may not be on disk takes no older one's place: each sync fails in turn, SQLite's and at last our own.
  @Test func aBackupReachesTheDisk() throws {
    #expect(try add(tweet(1)).status == 0)
    try home.write("copies/copy.db", "")
    #expect(try cache("backup", "copies/copy.db").status == 0)
    let old = try home.read("copies/copy.db")
    #expect(try add(tweet(2, second: 1)).status == 0)
    var (errors, late) = ("", 0)
    for sync in 1...12 {
      let faults = ["TW_DISK_FAILS_AT": "\(sync)", "TW_DISK_FAILURES": "1"]
      let disk = try #require(FaultyDisk.environment(of: home.path + "/copies", faults))
      let result = try Tool.run("tw-cache", ["backup", "copies/copy.db"], environment: disk, home: home)
      errors += result.errors
      if result.status == 0 {
        #expect(try list("--db", "copies/copy.db") == ["2", "1"])
      } else if try home.read("copies/copy.db") != old {
        // The folder's sync comes last: the new copy has its name, and may lose it with the power.
        late += 1
        #expect(try result.status == 74 && list("--db", "copies/copy.db") == ["2", "1"], "\(sync): \(result.errors)")
      } else {
        #expect(result.status == 74, "\(sync): \(result.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/copies") == ["copy.db"])
      try home.write("copies/copy.db", old)
    }
    // Each names the file that the person has named, SQLite's syncs too.
    #expect(late == 1 && !errors.contains(store) && !errors.contains(".new-"), "\(errors)")
    #expect(errors.components(separatedBy: "cannot write '\(home.path)/copies/copy.db': ").count > 3, "\(errors)")
  }

  /// What has no room is the copy, not the store.
  @Test func aBackupToAFullDiskNamesTheCopy() throws {
    #expect(try add((0..<300).map { tweet($0, second: $0) }.joined()).status == 0)
    try home.write("copies/other", "")
    for room in ["TW_DISK_ROOM", "TW_DISK_SPACE"] {
      let disk = try #require(FaultyDisk.environment(of: home.path + "/copies", [room: "20000"]))
      let result = try Tool.run("tw-cache", ["backup", "copies/copy.db"], environment: disk, home: home)
      #expect(
        result.errors == "tw-cache: cannot write 'copies/copy.db': the disk is full\n"
          && result.status == 74, "\(result.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/copies") == ["other"])
    }
  }

  /// What a killed run has left is as large as the store: the next one removes it, unless another is at work there.
  @Test func unfinishedBackupsAreRemoved() throws {
    #expect(try add(tweet(1)).status == 0)
    let left = ["copy.db.new-aBc123", "other.db.new-aBc123"]
    let others = ["copy.db.old", "copy.db.new-aBc12", "copy.db-new"]
    let half = "SQLite format 3\0" + String(repeating: "\0", count: 8000)
    for name in left + others { try home.write("copies/\(name)", half) }
    func names() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: home.path + "/copies"))
    }
    let folder = open(home.path + "/copies", O_RDONLY | O_CLOEXEC)
    #expect(flock(folder, LOCK_SH) == 0)
    #expect(try cache("backup", "copies/copy.db").status == 0)
    #expect(try names() == Set(left + others + ["copy.db"]))
    close(folder)
    #expect(try cache("backup", "copies/copy.db").status == 0)
    #expect(try names() == Set(others + ["copy.db"]))
  }

  /// A store that takes another one's place has its name on the disk before anybody is told: each sync fails in turn.
  @Test func aRestoredStoreReachesTheDisk() throws {
    #expect(try add(tweet(1)).status == 0)
    #expect(try cache("backup", "copy.db").status == 0)
    #expect(try add(tweet(2, second: 1)).status == 0)
    let (folder, before) = (home.path + "/.local/share/tw", home.path + "/before")
    try FileManager.default.copyItem(atPath: folder, toPath: before)
    var late = 0
    for sync in 1...14 {
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.copyItem(atPath: before, toPath: folder)
      let faults = ["TW_DISK_FAILS_AT": "\(sync)", "TW_DISK_FAILURES": "1"]
      let disk = try #require(FaultyDisk.environment(of: folder, faults))
      let result = try Tool.run("tw-cache", ["restore", "copy.db"], environment: disk, home: home)
      let isReplaced = home.exists(".local/share/tw/tw.db.old")
      // SQLite does not tell of all that fail.
      #expect(result.status == 74 || result.status == 0 && isReplaced, "\(sync): \(result.errors)")
      #expect(try list() == (isReplaced ? ["1"] : ["2", "1"]), "\(sync)")
      if result.status == 74, isReplaced { late += 1 }
    }
    #expect(late == 1, "the sync of the folder is the last")
  }

  /// Two writers on a slow disk are killed at random moments, most of them while they wait for it.
  @Test func writersAreKilledOnASlowDisk() throws {
    let disk = try #require(FaultyDisk.environment(of: store, ["TW_DISK_SYNC_MS": "30"]))
    var printed: Set<String> = []
    var chance = Chance()
    for round in 0..<8 {
      let tools = try (0..<2).map { writer in
        let tool = try RunningTool("tw-cache", ["add"], environment: disk, home: home)
        let input = (0..<1000).map { number in
          let id = (round * 2 + writer) * 1000 + number
          let update = tweet(id / 2, text: "round \(round)", author: "w\(writer)", likes: round, read: round * 9)
          return tweet(id, second: number, author: "w\(writer)", tags: ["t\(number % 9)"])
            + (number % 3 == 0 ? update : "")
        }
        tool.send(ToolInput(input.joined()))
        return tool
      }
      if round % 2 == 0 { try tools[0].waitForLines(1) }
      chance.pause(upTo: 400_000)
      for tool in tools { tool.signal(SIGKILL) }
      for tool in tools {
        let result = try tool.finish()
        #expect(result.ending == .signal(SIGKILL))
        // A last line without a newline was not printed completely.
        printed.formUnion(
          ids(result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)))
      }
    }
    #expect(!printed.isEmpty)
    #expect(printed.subtracting(Set(try list())) == [])
    let check = try cache("check")
    #expect(check.output == "" && check.errors == "" && check.status == 0)
    let again = try add(tweet(99_999))
    #expect(again.output == tweet(99_999) && again.errors == "" && again.status == 0)
  }
}
