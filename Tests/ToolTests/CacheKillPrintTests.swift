import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetStore

/// What tw-cache-add(1) promises about what is printed when `add` is killed, and the input comes again.
@Suite(.onOwnThread(minutes: 2)) struct CacheKillPrintTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let count = 3000

  /// Gives `add` the same tweets again and again, and kills it at random moments, until it has ended by itself.
  /// - Returns: how often each tweet was printed, and how many kills it took.
  private func load(_ options: [String]) throws -> (printed: [String: Int], kills: Int) {
    var printed: [String: Int] = [:]
    var kills = 0
    let pieces = stride(from: 0, to: Self.count, by: 50).map { start in
      (start..<start + 50).map { tweet($0, second: $0) }.joined()
    }
    var chance = Chance()
    while true {
      let tool = try RunningTool("tw-cache", ["add"] + options, home: home)
      let last = kills < 12 ? chance.below(pieces.count) : pieces.count
      for piece in pieces.prefix(last) {
        tool.send(ToolInput(piece))
        chance.pause(upTo: 4000)
      }
      if last < pieces.count { tool.signal(SIGKILL) }
      let result = try tool.finish()
      // A kill may cut the last line.
      let whole = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      for id in ids(whole.map(String.init)) { printed[id, default: 0] += 1 }
      if last == pieces.count {
        #expect(result.ending == .status(0), "\(result.errors)")
        return (printed, kills)
      }
      kills += 1
    }
  }

  @Test func eachIsPrintedOnceAtMostOrOnceAtLeastAndByAFollowerOnce() throws {
    let follower = try RunningTool(
      "tw-cache", ["list", "--follow", "--all"], environment: ["TW_NOW": time(86_400)], home: home)
    let (new, kills) = try load(["--new-only"])
    #expect(kills == 12)
    #expect(new.values.allSatisfy { $0 == 1 })
    #expect(try list("--all", "--limit", "100000").count == Self.count)
    try follower.waitForLines(Self.count)
    usleep(1_500_000)
    follower.signal(SIGTERM)
    let followed = ids(try follower.finish().lines)
    #expect(followed.count == Self.count && Set(followed).count == Self.count)
    // Without the option all come, some of them several times.
    let (all, _) = try load([])
    #expect(all.count == Self.count && all.values.allSatisfy { $0 >= 1 })
    try checkStore()
  }
}
