import Foundation
import SQLite
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// A clock that is years ahead, or was: what removes old data does not believe it, and what it wrote is not a reason to
/// believe it later.
@Suite(.onOwnThread) struct ClockTests: CacheSuite {
  private static let library = PreloadedLibrary.compile("moved-clock")
  private static let tenYears = 3653 * 86_400

  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func at(_ now: String, _ words: String...) throws -> ToolResult {
    try Tool.run("tw-cache", words, environment: ["TW_NOW": now], home: home)
  }

  /// Notifications, users, pictures and links are removed by the same time: one refusal is for all.
  @Test func pruneDoesNotBelieveAClockThatIsAhead() throws {
    #expect(try add((1...20).map { tweet($0, second: $0) }.joined()).status == 0)
    let ahead = "2031-11-03T22:00:00Z"
    for options in [["--yes"], ["--yes", "--quiet"], []] {
      let words = ["prune", "--older-than", "180d"] + options
      let result = try Tool.run("tw-cache", words, environment: ["TW_NOW": ahead], home: home)
      #expect(result.status == 78 && result.output == "", "\(words)")
      #expect(
        result.errors.contains("the clock says 2031-11-03, but the newest post is of 2021-11-03, 3652 days before"),
        "\(result.errors)")
    }
    let foreseen = try at(ahead, "prune", "--older-than", "180d", "--dry-run")
    #expect(foreseen.status == 0 && foreseen.output.hasPrefix("tweets\t20\n"))
    #expect(foreseen.errors.contains("nothing would be removed"), "\(foreseen.errors)")
    #expect(try list().count == 20)
    // A size and a date do not depend on the clock.
    #expect(try at(ahead, "prune", "--yes", "--max-size", "1G").status == 0)
    let dated = try at(ahead, "prune", "--yes", "--older-than", "2021-11-03T21:30:11Z")
    #expect(dated.status == 0 && dated.errors.contains("removed 10 tweets"), "\(dated.errors)")
    // Half a year that has passed.
    let right = try at("2021-11-25T00:00:00Z", "prune", "--yes", "--older-than", "10d")
    #expect(right.status == 0 && right.errors.contains("removed 10 tweets"), "\(right.errors)")
  }

  /// What the wrong clock has written itself, and posts whose authors say that they are of years to come.
  @Test func timesToComeAreNotBelieved() throws {
    let later = tweet(2, more: ",\"a\":1").replacing("2021-11-03", with: "2041-01-01")
    #expect(try add(tweet(1) + later).status == 0)
    #expect(try at("2031-11-03T22:00:00Z", "prune", "--yes", "--older-than", "180d").status == 78)
    #expect(try at("2021-12-03T22:00:00Z", "check", "--clock").errors == "")
    // A service whose posts are of that time settles it.
    #expect(try add(tweet(3).replacing("2021-11-03", with: "2031-11-01")).status == 0)
    let stored = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_951_000_000)]
    try FileManager.default.setAttributes(stored, ofItemAtPath: home.path + "/.local/share/tw/tw.db")
    let settled = try at("2031-11-03T22:00:00Z", "prune", "--yes", "--older-than", "180d")
    #expect(settled.status == 0 && settled.errors.contains("removed 1 tweets"), "\(settled.errors)")
  }

  @Test func recipesAskWhetherTheClockIsBelieved() throws {
    #expect(try at("2021-11-04T00:00:00Z", "check", "--clock").status == 0)
    #expect(try add(tweet(1)).status == 0)
    let believed = try at("2021-11-04T00:00:00Z", "check", "--clock", "2021-11-01", "2021-11-04")
    #expect(believed.status == 0 && believed.output == "" && believed.errors == "")
    let ahead = try at("2031-11-04T00:00:00Z", "check", "--clock")
    #expect(ahead.status == 78 && ahead.errors.contains("the newest post is of 2021-11-03"))
    let copies = try at("2021-11-04T00:00:00Z", "check", "--clock", "2021-11-01", "2031-11-04")
    #expect(copies.status == 78 && copies.errors.contains("is of 2031-11-04"), "\(copies.errors)")
    #expect(try at("2021-11-04T00:00:00Z", "check", "2021-11-01").status == 64)
    #expect(try at("2021-11-04T00:00:00Z", "check", "--clock", "--quick").status == 64)
  }

  /// A store in which nothing is dated: its file says when it was in use last.
  @Test(.enabled(if: library != nil, "\(PreloadedLibrary.comment)")) func aFileWithoutPostsIsOfItsOwnTime() throws {
    let bare = #"{"tw":"tweet","id":"1","service":"y","text":"t","author":{"id":"a"}}"# + "\n"
    #expect(try add(bare).status == 0)
    let moved = ["LD_PRELOAD": try #require(Self.library), "TW_CLOCK_AHEAD": "\(Self.tenYears)"]
    let result = try Tool.run("tw-cache", ["prune", "--yes", "--older-than", "180d"], environment: moved, home: home)
    #expect(result.status == 78 && result.errors.contains("the last change of '\(store)'"), "\(result.errors)")
    #expect(try list("--all").count == 1)
  }

  /// Failures and successes of years to come: since when a source fails is told from the next failure on, and its last
  /// success is the last one that was.
  @Test(.enabled(if: library != nil, "\(PreloadedLibrary.comment)")) func refreshesOfAnotherTimeAreNotTold() throws {
    let home = try StreamPluginTests.home("[ ! -e \"$HOME/broken\" ] || exit 69; echo '{\"tw\":\"refresh\"}'")
    func cache(_ words: [String], ahead: Int = 0) throws -> ToolResult {
      let moved = ["LD_PRELOAD": try #require(Self.library), "TW_CLOCK_AHEAD": "\(ahead)"]
      return try Tool.run("tw-cache", words, environment: StreamPluginTests.environment(home, moved), home: home)
    }
    func told(_ member: String) throws -> String {
      let status = try cache(["status", "--format", "json"]).output
      return status.components(separatedBy: "\"\(member)\":\"").dropFirst().first.map { String($0.prefix(4)) } ?? ""
    }
    let year = String(Timestamp.now.rfc3339.prefix(4))
    #expect(try cache(["source", "add", "test:a"]).status == 0)
    #expect(try cache(["refresh", "-q", "test:a"]).status == 0)
    #expect(try cache(["refresh", "-q", "test:a"], ahead: Self.tenYears).status == 0)
    #expect(try told("last_success") == year)
    try home.write("broken", "")
    #expect(try cache(["refresh", "-q", "test:a"], ahead: Self.tenYears).status == 69)
    #expect(try told("failing_since") == "" && cache(["status"]).status == 1)
    #expect(try cache(["refresh", "-q", "test:a"]).status == 69)
    #expect(try told("failing_since") == year)
    // The clock is set back by years and mended.
    #expect(try cache(["refresh", "-q", "test:a"], ahead: -Self.tenYears).status == 69)
    #expect(try cache(["refresh", "-q", "test:a"]).status == 69)
    #expect(try told("failing_since") == year)
  }

  /// A library that sets a variable takes no words from any of the programs.
  @Test(.enabled(if: library != nil, "\(PreloadedLibrary.comment)")) func wordsAreThereWhateverIsLoadedBefore() throws {
    #expect(try add(tweet(1) + tweet(2, second: 1)).status == 0)
    let library = ["LD_PRELOAD": try #require(Self.library)]
    func run(_ tool: String, _ words: String...) throws -> ToolResult {
      try Tool.run(tool, words, environment: library, home: home)
    }
    #expect(try run("tw-cache", "list", "--count").output == "2\n")
    #expect(try run("tw-cache", "prune", "--dry-run", "--older-than", "2021-11-04").output.hasPrefix("tweets\t2\n"))
    #expect(try run("tw", "cache", "list", "--count").output == "2\n")
    #expect(try run("tw-stream", "--once", "hom").errors.contains("'hom'"))
    #expect(try run("tw-local", "--quiet", "--", "echo", "a word").output == "a word\n")
    let post = try run("tw-post", "lngth")
    #expect(post.status == 64 && post.errors.contains("did you mean 'length'?"), "\(post.errors)")
  }
}
