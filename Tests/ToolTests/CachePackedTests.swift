import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// Records are packed with dictionaries of the store's own.
@Suite(.onOwnThread) struct CachePackedTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Tweets with words of their own, as made up by a generator that gives the same ones each time.
  private func records(_ numbers: Range<Int>) -> String {
    var state: UInt64 = 7
    func word() -> String {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return ["birds", "river", "stone", "amber", "quiet", "market", "candle", "winter"][Int(state >> 61)]
        + "\(state >> 55)"
    }
    return numbers.map { number in
      tweet(
        number, second: number, text: (0..<12).map { _ in word() }.joined(separator: " "), read: number, feeds: ["#a"])
    }.joined()
  }

  /// The number of the dictionary of each packed tweet, by how many have it.
  private func used() throws -> [Int: Int] {
    let database = try Database(store, TweetStore.kind, .readOnly)
    var found: [Int: Int] = [:]
    try database.forEachRow("SELECT json FROM tweets") { row in found[Int(row.bytes(0)[0] & 0x1F), default: 0] += 1 }
    return found
  }

  /// A dictionary is made when there are 1000 tweets. All records come out as they went in.
  @Test func aDictionaryIsMade() throws {
    let input = records(0..<1400)
    #expect(try add(String(input.split(separator: "\n")[..<900].joined(separator: "\n"))).status == 0)
    #expect(try used() == [0: 900])
    #expect(try add(input.split(separator: "\n")[900..<1100].joined(separator: "\n")).status == 0)
    #expect(try used() == [0: 1000, 1: 100])
    #expect(try add(input.split(separator: "\n")[1100...].joined(separator: "\n")).status == 0)
    #expect(try used() == [0: 1000, 1: 400])
    #expect(try cache("list", "--all", "--oldest-first").output == input)
    #expect(try cache("check").output == "")
  }

  /// Two programs at once: only one dictionary is made, and each reads what the other one has packed.
  @Test func twoAtOnce() throws {
    let lines = records(0..<3000).split(separator: "\n").map { "\($0)\n" }
    _ = try add(lines[..<1000].joined())
    let tools = try (0..<2).map { number in
      let tool = try RunningTool("tw-cache", ["add"], home: home)
      tool.send(ToolInput(lines[1000...].enumerated().filter { $0.offset % 2 == number }.map(\.element).joined()))
      return tool
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.status == 0 && result.errors == "" && result.lines.count == 1000)
    }
    #expect(try used() == [0: 1000, 1: 2000])
    #expect(try cache("list", "--all", "--oldest-first").output == lines.joined())
    #expect(try cache("check").output == "")
  }

  /// Without both copies of a dictionary its records are left out, and a repair says which ones they are.
  @Test func withoutItsDictionary() throws {
    let lines = records(0..<1010).split(separator: "\n").map { "\($0)\n" }
    _ = try add(lines.joined())
    #expect(try used() == [0: 1000, 1: 10])
    do {
      let database = try Database(store, TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in
        try database.execute("UPDATE dictionaries SET bytes = x'00' WHERE key = 1")
      }
    }
    #expect(try cache("list", "--all", "--oldest-first").output == lines.joined())
    #expect(try cache("check").lines == ["1 row of dictionaries is damaged"])
    do {
      let database = try Database(store, TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in try database.execute("UPDATE dictionaries SET bytes = x'00'") }
    }
    let listed = try cache("list", "--all", "--oldest-first")
    #expect(listed.output == lines[..<1000].joined() && listed.status == 74)
    #expect(listed.errors.contains("10 records are damaged and were left out: tweet 'x:1000'"))
    #expect(try cache("export").status == 74)
    #expect(try cache("check").lines.count == 11)
    let again = try add(lines[1005])
    #expect(again.output == "" && again.status == 74)
    let repair = try cache("check", "--repair")
    #expect(repair.lines == (1000..<1010).map { "lost\ttweet\tx\t\($0)" } && repair.status == 1)
    #expect(
      try cache("list", "--all", "--oldest-first").output == lines[..<1000].joined() && cache("check").status == 0)
  }
}
