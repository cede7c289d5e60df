import Foundation
import TestSupport
import Testing
import TweetCore
import TweetSources

struct ReadLedgerTests {
  private let noon = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z

  @Test func countsAreKeptByDayServiceAndAccount() throws {
    let home = try TemporaryDirectory()
    let ledger = ReadLedger(path: home.path + "/state/reads")
    #expect(try ledger.posts(at: noon, service: "x", account: "jack") == 0)
    try ledger.record(3, at: noon, service: "x", account: "jack")
    try ledger.record(4, at: noon, service: "x", account: "jill")
    try ledger.record(5, at: noon, service: "x", account: "jack")
    try ledger.record(7, at: ReadLedger.nextDay(after: noon), service: "x", account: "jack")
    #expect(try ledger.posts(at: noon, service: "x", account: "jack") == 8)
    #expect(try ledger.entries().map(\.posts) == [8, 4, 7])
    #expect(try ledger.entries().map(\.day) == ["2026-11-21", "2026-11-21", "2026-11-22"])
  }

  /// Every process records its posts under the lock.
  @Test func countsOfSeveralThreadsAreAllThere() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/reads"
    let noon = noon
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<25 { try? ReadLedger(path: path).record(1, at: noon, service: "x", account: "a\(number % 2)") }
    }
    #expect(try ReadLedger(path: path).entries().map(\.posts) == [100, 100])
  }

  /// A torn line does not count, and the next one is read. A line that a person wrote counts, but is not changed.
  @Test func otherLinesAreLeftAlone() throws {
    let home = try TemporaryDirectory()
    let path = try home.write(
      "reads", #"{"posts":2,"account":"jack","service":"x","day":"2026-11-21"}"# + "\n" + #"{"day":"2026-11-"#)
    let ledger = ReadLedger(path: path)
    try ledger.record(3, at: noon, service: "x", account: "jack")
    try ledger.record(3, at: noon, service: "x", account: "jack")
    #expect(try ledger.posts(at: noon, service: "x", account: "jack") == 8)
    #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 3)
  }

  @Test(arguments: [
    ("5000/day", PostBudget.perDay(5000)), ("7", .perDay(7)), ("unlimited", .unlimited), ("0", nil), ("-1", nil),
    ("5/week", nil), ("", nil), ("/day", nil), ("1e3", nil), ("99999999999999999999/day", nil),
  ])
  func budgetsAreRead(_ text: String, _ budget: PostBudget?) { #expect(PostBudget(text) == budget) }
}
