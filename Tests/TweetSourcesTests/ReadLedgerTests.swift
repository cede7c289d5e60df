import Foundation
import Libc
import TestSupport
import Testing
import TweetCore
import TweetSources

struct ReadLedgerTests {
  private let noon = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z
  private let home: TemporaryDirectory
  private let path: String
  private let ledger: ReadLedger

  init() throws {
    home = try TemporaryDirectory()
    path = home.path + "/state/reads"
    ledger = ReadLedger(path: path)
  }

  private func reserve(
    _ posts: ClosedRange<Int>, within limit: Int?, isLong: Bool = false, at time: Timestamp? = nil
  ) throws -> ReadLedger.Grant {
    try ledger.reserve(posts, within: limit, isLong: isLong, at: time ?? noon, service: "x", account: "jack")
  }

  private func granted(
    _ posts: ClosedRange<Int>, within limit: Int?, isLong: Bool = false, at time: Timestamp? = nil
  ) throws -> ReadLedger.Reservation {
    guard case .granted(let reservation) = try reserve(posts, within: limit, isLong: isLong, at: time) else {
      throw CocoaError(.featureUnsupported)
    }
    return reservation
  }

  private func settle(
    _ reservation: ReadLedger.Reservation?, _ ids: [UInt64?], at time: Timestamp? = nil, account: String = "jack"
  ) throws {
    try ledger.settle(reservation, read: ids, at: time ?? noon, service: "x", account: account)
  }

  private func posts(at time: Timestamp? = nil) throws -> Int {
    try ledger.posts(at: time ?? noon, service: "x", account: "jack")
  }

  @Test func countsAreKeptByDayServiceAndAccount() throws {
    #expect(try posts() == 0)
    try settle(nil, [1, 2, 3])
    try settle(nil, [1, 2, 3, 4], account: "jill")
    try settle(nil, [4, 5, 6, 7, 8])
    try settle(nil, [1, 2, 3, 4, 5, 6, 7], at: ReadLedger.nextDay(after: noon))
    #expect(try posts() == 8)
    #expect(try ledger.entries().map(\.posts) == [8, 4, 7])
    #expect(try ledger.entries().map(\.day) == ["2026-11-21", "2026-11-21", "2026-11-22"])
  }

  // MARK: Reservations

  @Test func noMoreIsReservedThanIsLeft() throws {
    let first = try granted(10...100, within: 150)
    let second = try granted(10...100, within: 150)
    #expect((first.posts, second.posts) == (100, 50))
    // The others may soon give some back.
    #expect(try reserve(10...100, within: 150) == .reservedByOthers)
    try settle(first, Array(1...100))
    #expect(try reserve(10...100, within: 150) == .reservedByOthers)
    try settle(second, Array(101...145))
    #expect(try reserve(10...100, within: 150) == .usedUp)
    #expect(try granted(1...100, within: 150).posts == 5)
    #expect(try ledger.entries().map { [$0.posts, $0.reserved] } == [[145, 5]])
  }

  /// What a killed program had reserved is counted, and nobody waits for it for long.
  @Test func aReservationThatNobodyGivesBackStaysCounted() throws {
    _ = try granted(10...100, within: 150)
    #expect(try posts() == 100)
    _ = try granted(1...45, within: 150)
    #expect(try reserve(10...100, within: 150) == .reservedByOthers)
    let past = timespec(tv_sec: time(nil) - 120, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, path, [past, past], 0) == 0)
    #expect(try reserve(10...100, within: 150) == .usedUp)
  }

  /// A stream's posts are counted ahead, so that nobody waits for them.
  @Test func aLongReservationIsCountedAhead() throws {
    let stream = try granted(1...10, within: 15, isLong: true)
    #expect(try reserve(10...100, within: 15) == .usedUp)
    #expect(try ledger.entries().map(\.posts) == [10])
    try settle(stream, [1, 2, 3])
    #expect(try ledger.entries().map(\.posts) == [3])
    #expect(try granted(10...100, within: 15).posts == 12)
  }

  @Test func withoutABoundAllIsReserved() throws {
    #expect(try granted(10...100, within: nil).posts == 100)
    #expect(try granted(10...100, within: nil).posts == 100)
    #expect(try posts() == 200)
  }

  @Test func aReservationOfYesterdayIsCorrectedThere() throws {
    let midnight = ReadLedger.nextDay(after: noon)
    let late = try granted(10...100, within: 150)
    try settle(late, [1, 2], at: midnight)
    #expect(try ledger.entries().map { [$0.posts, $0.reserved] } == [[0, 0], [2, 0]])
    try settle(nil, [2, 3], at: midnight)
    #expect(try posts(at: midnight) == 3)
  }

  /// Every process reserves and records under the lock.
  @Test func countsOfSeveralThreadsAreAllThere() throws {
    let (path, noon) = (path, noon)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for step in 0..<25 {
        let (ledger, account) = (ReadLedger(path: path), "a\(number % 2)")
        let grant = try? ledger.reserve(1...3, within: nil, at: noon, service: "x", account: account)
        guard case .granted(let reservation) = grant else { continue }
        let id = UInt64(number * 100 + step)
        try? ledger.settle(reservation, read: [id], at: noon, service: "x", account: account)
      }
    }
    #expect(try ledger.entries().map(\.posts) == [100, 100])
    #expect(try ledger.entries().map(\.reserved) == [0, 0])
  }

  // MARK: Posts that are read again

  @Test func aPostCountsOnceADay() throws {
    try settle(try granted(10...100, within: nil), [7, 8, 7, .max])
    #expect(try posts() == 3)
    try settle(try granted(10...100, within: nil), [8, 9, .max])
    #expect(try posts() == 4)
    let midnight = ReadLedger.nextDay(after: noon)
    try settle(nil, [8], at: midnight)
    #expect(try posts(at: midnight) == 1)
  }

  @Test func aPostWithoutANumberCountsEachTime() throws {
    try settle(nil, [nil, nil, 7])
    try settle(nil, [nil, 7])
    #expect(try posts() == 4)
  }

  /// Ids beyond the bound count again each time; the file does not grow.
  @Test func theIdsAreBounded() throws {
    let most = 1 << 19
    try settle(nil, (0..<UInt64(most)).map { $0 })
    #expect(try posts() == most)
    try settle(nil, [0, 1, 1_000_000, 1_000_001])
    try settle(nil, [2, 1_000_000])
    #expect(try posts() == most + 3)
    #expect(try home.read("state/reads-ids/x-jack").count == 16 + 8 * most)
  }

  /// Whatever the file of ids holds, no post is taken for known that was not read.
  @Test(arguments: [
    "", "ids 2026-11-21", "ids 2026-11-21 \n1234567", "ids 2026-11-20 \n\u{7}\0\0\0\0\0\0\0", "rubbish",
  ])
  func aDamagedFileOfIdsIsMadeAnew(_ content: String) throws {
    try FileManager.default.createDirectory(atPath: path + "-ids", withIntermediateDirectories: true)
    try home.write("state/reads-ids/x-jack", content)
    try settle(nil, [7])
    try settle(nil, [7, 8])
    #expect(try posts() == 2)
  }

  /// Names of accounts are any text.
  @Test func idsOfAccountsAreKeptApart() throws {
    for account in ["a/b", "a%2fb", "../c", ".", "", String(repeating: "é", count: 200)] {
      try settle(nil, [7], account: account)
      try settle(nil, [7], account: account)
    }
    #expect(try ledger.entries().map(\.posts) == [1, 1, 1, 1, 1, 2])
    let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/state")
    #expect(names.sorted() == ["reads", "reads-ids"])
  }

  // MARK: The file

  /// A line that a person wrote counts, but is not changed.
  @Test func linesOfAPersonAreLeftAlone() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state", withIntermediateDirectories: true)
    let line = #"{"posts":2,"account":"jack","service":"x","day":"2026-11-21"}"#
    try home.write("state/reads", line)
    try settle(nil, [1, 2, 3])
    try settle(nil, [4, 5, 6])
    #expect(try posts() == 8)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines.first.map(String.init) == line)
  }

  @Test(arguments: [
    "rubbish", #"{"day":"2026-11-"#, #"{"day":"2026-11-21","service":"x","account":"jack","posts":-1}"#,
    #"{"day":"2026-11-21","service":"x","account":"jack","posts":1,"reserved":1e30}"#,
    #"{"day":"2026-11-21","service":"x","account":"jack","posts":9223372036854775807}"#, "\0\0\0\0",
  ])
  func aDamagedLineIsAnErrorThatNamesIt(_ line: String) throws {
    try settle(nil, [1])
    try home.write("state/reads", try String(contentsOfFile: path, encoding: .utf8) + line + "\n")
    for attempt in [{ _ = try posts() }, { _ = try reserve(1...1, within: 9) }, { try settle(nil, [2]) }] {
      let error = #expect(throws: ToolError.self) { try attempt() }
      #expect(error?.status == .configuration)
      #expect(error?.message?.contains("line 2 of '\(path)' is not an entry") == true)
    }
  }

  @Test(arguments: [
    ("5000/day", PostBudget.perDay(5000)), ("7", .perDay(7)), ("unlimited", .unlimited), ("0", nil), ("-1", nil),
    ("5/week", nil), ("", nil), ("/day", nil), ("1e3", nil), ("99999999999999999999/day", nil),
  ])
  func budgetsAreRead(_ text: String, _ budget: PostBudget?) { #expect(PostBudget(text) == budget) }
}
