import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// A log with a wrong bit, as a program left it that was killed: SQLite reads it up to that bit, without a word.
struct LogDamageTests {
  private let scratch: TemporaryDirectory
  private static let rounds =
    (ProcessInfo.processInfo.environment["TW_DAMAGE_ROUNDS"].flatMap { Int($0) } ?? 3) * 5

  init() throws { scratch = try TemporaryDirectory() }

  private func tweet(_ number: Int) -> String {
    """
    {"tw":"tweet","id":"\(number)","service":"x","created_at":"2021-11-03T21:30:00.000Z","text":"tweet \(number)",\
    "author":{"id":"u\(number % 7)","username":"name"},"retrieved_at":"2021-11-08T00:00:00.000Z"}
    """
  }

  /// Makes the files of a store whose writer was killed after `transactions` commits of three tweets, all in the log.
  private func kill(after transactions: Int, into folder: String) throws {
    let path = scratch.path + "/live.db"
    _ = try TweetStore(path, .readWrite)
    var writer = try TweetWriter(try TweetStore(path, .readWrite))
    for transaction in 0..<transactions {
      try writer.begin()
      for number in 0..<3 {
        let document = try JSONDocument(tweet(transaction * 3 + number))
        #expect(try writer.add(document).isNew)
      }
      try writer.commit()
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: "\(folder)/tw.db\(suffix)")
    }
    // It is open until now: closing it empties the log.
    #expect(writer.timeToMove == nil)
    for suffix in ["", "-wal", "-shm", ".lock"] { try FileManager.default.removeItem(atPath: path + suffix) }
  }

  private func tweets(_ path: String) throws -> Int {
    try TweetStore(path, .readOnly).database.first("SELECT count(*) FROM tweets") { $0.integer(0) } ?? 0
  }

  private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func error(_ body: () throws(ToolError) -> Void) -> ToolError? {
    do throws(ToolError) { try body() } catch { return error }
    return nil
  }

  /// Whatever bit it is: no program opens the file, `check` names the fault, and a repair has all but what the bit is
  /// in.
  @Test(arguments: [true, false]) func oneWrongBit(isIndexed: Bool) throws {
    let whole = scratch.path + "/whole"
    try kill(after: 20, into: whole)
    let log = try bytes(whole + "/tw.db-wal")
    try #require(log.count > 100_000)
    var chance = Chance()
    for round in 0..<Self.rounds {
      let folder = "\(scratch.path)/\(round)"
      let path = folder + "/tw.db"
      try FileManager.default.copyItem(atPath: whole, toPath: folder)
      if !isIndexed { try FileManager.default.removeItem(atPath: path + "-shm") }
      var damaged = log
      // Without the index a wrong bit in the last transaction looks as if the power had failed.
      let at = chance.below(isIndexed ? log.count : log.count / 2)
      damaged[at] ^= 1 << chance.below(8)
      try Data(damaged).write(to: URL(fileURLWithPath: path + "-wal"))
      let what = Comment(rawValue: "byte \(at) of \(log.count)")
      for access in [FileAccess.readOnly, .readWrite] {
        let error = error { () throws(ToolError) in _ = try TweetStore(path, access) }
        #expect(error?.status == .inputOutput && error?.message?.contains("check --repair") == true, what)
      }
      #expect(try bytes(path + "-wal") == damaged, what)
      var faults: [String] = []
      do {
        let store = try TweetStore(path, .readOnly, showsIncoming: false, looksAtLog: false)
        try store.check { faults.append($0) }
      }
      #expect(faults.contains { $0.hasPrefix("the log has ") }, what)
      _ = try Repair(path)
      #expect(try tweets(path) >= 59, what)
      var left: [String] = []
      try TweetStore(path, .readOnly).check { left.append($0) }
      #expect(left == [], what)
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// A log that a power failure cut off in the middle of a transaction is no fault, and neither is an old one that was
  /// copied into the file.
  @Test func whatIsNoFault() throws {
    let whole = scratch.path + "/whole"
    try kill(after: 5, into: whole)
    let path = whole + "/tw.db"
    let log = try bytes(path + "-wal")
    #expect(try tweets(path) == 15)
    try #require(log.count > 100_000)
    // The last transaction has reached the disk but for its first frame.
    let frames = try #require(RawFile(path + "-wal").map { LogFrames($0, pageSize: 8192) })
    var torn = log
    let size = 24 + 8192
    let commits = (0..<frames.readable).filter { torn.word(32 + $0 * size + 4) != 0 }
    let first = 32 + (commits[commits.count - 2] + 1) * size
    for at in first..<first + size { torn[at] = 0 }
    try FileManager.default.removeItem(atPath: path + "-shm")
    try Data(torn).write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(try tweets(path) == 12)
    // The log is copied, and its bytes are still there.
    do {
      let database = try Database(path, TweetStore.kind, .readWrite)
      try database.begin()
      try database.run("UPDATE tweets SET like_count = 1 WHERE id = '1'")
      try database.commit(makesCheckpoint: true)
      try FileManager.default.createDirectory(atPath: scratch.path + "/old", withIntermediateDirectories: true)
      for suffix in ["", "-wal", "-shm"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: "\(scratch.path)/old/tw.db\(suffix)")
      }
      #expect(database.changes == 1)
    }
    let old = scratch.path + "/old/tw.db"
    var copied = try bytes(old + "-wal")
    copied[copied.count - 9] ^= 1
    try Data(copied).write(to: URL(fileURLWithPath: old + "-wal"))
    #expect(try tweets(old) == 12)
  }
}
