import Foundation
import Libc
import Services
import TestSupport
import Testing
import TweetCore

struct LedgerTests {
  private let noon = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z, a Saturday
  private let home: TemporaryDirectory
  private let path: String
  private let ledger: Ledger
  private let jack = Ledger.Bill(service: "x", app: "key", account: "jack")

  init() throws {
    home = try TemporaryDirectory()
    path = home.path + "/state/ledger"
    ledger = Ledger(path: path)
  }

  private func bill(_ account: String, app: String = "key") -> Ledger.Bill {
    Ledger.Bill(service: "x", app: app, account: account)
  }

  private func reserve(
    _ counts: ClosedRange<Int>, of kind: BilledKind = .posts, within bound: String, isLong: Bool = false,
    at time: Timestamp? = nil, _ bill: Ledger.Bill? = nil, prices: PriceTable? = XService().prices
  ) throws -> Ledger.Grant {
    let limit = BudgetLimit(try #require(BudgetBound(bound)), prices: prices)
    return try ledger.reserve(counts, of: kind, within: limit, isLong: isLong, at: time ?? noon, bill ?? jack)
  }

  private func granted(
    _ counts: ClosedRange<Int>, of kind: BilledKind = .posts, within bound: String, isLong: Bool = false,
    at time: Timestamp? = nil, _ bill: Ledger.Bill? = nil, prices: PriceTable? = XService().prices
  ) throws -> Ledger.Reservation {
    let grant = try reserve(counts, of: kind, within: bound, isLong: isLong, at: time, bill, prices: prices)
    guard case .granted(let reservation) = grant else { throw CocoaError(.featureUnsupported) }
    return reservation
  }

  private func settle(
    _ reservation: Ledger.Reservation?, _ ids: [UInt64?], of kind: BilledKind = .posts, at time: Timestamp? = nil,
    _ bill: Ledger.Bill? = nil
  ) throws {
    try ledger.settle(reservation, got: ids, of: kind, at: time ?? noon, bill ?? jack)
  }

  /// What is counted of a kind, billed and reserved, line by line.
  private func counts(_ kind: BilledKind = .posts) throws -> [[Int]] {
    try ledger.entries().map { [$0.billed[kind], $0.reserved[kind]] }
  }

  /// Posts of a day, billed and reserved.
  private func posts(at time: Timestamp? = nil) throws -> Int {
    let day = Ledger.day(of: time ?? noon)
    return try ledger.entries().filter { $0.day == day }.reduce(0) { $0 + $1.all.postsRead }
  }

  private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(parsing: text)) }

  @Test func countsAreKeptByDayAndBill() throws {
    #expect(try ledger.entries() == [])
    try settle(nil, [1, 2, 3])
    try settle(nil, [11, 12, 13, 14], bill("jill"))
    try settle(nil, [4, 5, 6, 7, 8])
    try settle(nil, [1, 2, 3, 4, 5, 6, 7], at: BudgetPeriod.day.end(of: noon))
    #expect(try counts() == [[8, 0], [4, 0], [7, 0]])
    #expect(try ledger.entries().map(\.day) == ["2026-11-21", "2026-11-21", "2026-11-22"])
    #expect(try ledger.entries(since: "2026-11-22").count == 1)
  }

  // MARK: Whose bill it is

  /// Another name is not another budget; another application is.
  @Test func accountsOfAnApplicationShareItsBudget() throws {
    try settle(granted(10...100, within: "150/day"), Array(1...100))
    #expect(try granted(10...100, within: "150/day", bill("jill")).count == 50)
    #expect(try granted(10...100, within: "150/day", bill("jill", app: "other")).count == 100)
  }

  /// What one account has read, X does not bill to another of the same application.
  @Test func aPostCountsOnceForAnApplication() throws {
    try settle(nil, [7, 8])
    try settle(nil, [8, 9], bill("jill"))
    try settle(nil, [8], bill("jill", app: "other"))
    #expect(try counts() == [[2, 0], [1, 0], [1, 0]])
  }

  // MARK: Money

  @Test func moneyBoundsEachKindByItsPrice() throws {
    // A dollar: 100 accounts, or 200 posts.
    try settle(granted(1...1, of: .users, within: "$1/day"), [7], of: .users)
    #expect(try granted(10...500, within: "$1/day").count == 198)
    #expect(try reserve(1...1, within: "$1/day") == .reservedByOthers)
    #expect(try granted(1...1, within: "$1.005/day").count == 1)
    #expect(try granted(1...1, of: .users, within: "5/day").count == 1)
    #expect(try granted(1...9, of: .owned, within: "$1.018/day").count == 3)
    #expect(try reserve(1...1, of: .links, within: "$1.2/day") == .reservedByOthers)
  }

  /// An account and a post may have the same number.
  @Test func eachKindHasItsOwnIDs() throws {
    for kind in [BilledKind.posts, .users, .owned] {
      for _ in 0..<2 { try settle(nil, [7], of: kind) }
    }
    for _ in 0..<2 { try settle(nil, [nil], of: .creates) }
    let billed = try #require(ledger.entries().first).billed
    #expect(BilledKind.allCases.map { billed[$0] } == [1, 1, 1, 2, 0, 0])
  }

  @Test(arguments: [
    ("day", "2026-11-20T23:59:59.999Z", 100), ("day", "2026-11-21T00:00:00Z", 1),
    ("week", "2026-11-15T23:59:59Z", 100), ("week", "2026-11-16T00:00:00Z", 1),
    ("month", "2026-10-31T23:59:59.999Z", 100), ("month", "2026-11-01T00:00:00Z", 1),
  ])
  func aPeriodCountsFromItsFirstMoment(_ period: String, _ time: String, _ left: Int) throws {
    try settle(nil, Array(1...99), at: moment(time))
    #expect(try granted(1...100, within: "100/\(period)").count == left)
  }

  @Test(arguments: [
    ("day", "2026-12-31T23:59:59.999Z", "2026-12-31", "2027-01-01"),
    ("week", "2026-11-22T23:59:59Z", "2026-11-16", "2026-11-23"),
    ("week", "1970-01-01T00:00:00Z", "1969-12-29", "1970-01-05"),
    ("month", "2028-02-29T12:00:00Z", "2028-02-01", "2028-03-01"),
    ("month", "2026-12-01T00:00:00Z", "2026-12-01", "2027-01-01"),
    ("month", "2027-01-31T23:00:00Z", "2027-01-01", "2027-02-01"),
  ])
  func periodsAreThoseOfTheCalendar(_ name: String, _ time: String, _ first: String, _ next: String) throws {
    let period = try #require(BudgetPeriod(rawValue: name))
    #expect(period.firstDay(of: try moment(time)) == first)
    #expect(period.end(of: try moment(time)).rfc3339 == "\(next)T00:00:00.000Z")
  }

  /// What was read counts on its day, and does not open the new month's budget.
  @Test func aReservationOfLastMonthIsCorrectedThere() throws {
    let (late, early) = (try moment("2026-11-30T23:59:59Z"), try moment("2026-12-01T00:00:01Z"))
    let reservation = try granted(10...100, within: "$0.60/month", at: late)
    try settle(reservation, Array(1...70), at: early)
    #expect(try counts() == [[0, 0], [70, 0]])
    #expect(try granted(1...100, within: "$0.60/month", at: early).count == 50)
  }

  /// A clock that was set back does not open a budget that is used up.
  @Test func whatLiesAheadCountsToo() throws {
    try settle(granted(10...100, within: "100/month"), Array(1...100))
    for ago in ["2026-11-20T12:00:00Z", "2026-10-31T12:00:00Z", "1970-01-01T00:00:00Z"] {
      #expect(try reserve(1...1, within: "100/month", at: moment(ago)) == .usedUp)
    }
    #expect(try granted(1...100, within: "100/month", at: moment("2026-12-01T00:00:00Z")).count == 100)
  }

  /// What a clock that was ten years ahead has counted is in no budget, once it is right. The file was written before.
  @Test func whatLiesFarAheadIsNotBelieved() throws {
    let now = Timestamp.now
    let ahead = Timestamp(milliseconds: now.milliseconds + 3653 * 86_400_000)
    try settle(granted(10...100, within: "100/day", at: ahead), Array(1...100), at: ahead)
    #expect(try granted(1...100, within: "100/day", at: now).count == 100)
    #expect(try ledger.believed(ledger.entries(), at: now).map(\.day) == [Ledger.day(of: now)])
    // A month counts, as far as a clock may have been set back.
    let soon = Timestamp(milliseconds: now.milliseconds + 20 * 86_400_000)
    try settle(nil, Array(200...300), at: soon)
    #expect(try ledger.believed(ledger.entries(), at: now).count == 2)
    // Is this clock ten years late, or was the one ahead that wrote the file last?
    let time = timeval(tv_sec: time_t(ahead.milliseconds / 1000), tv_usec: 0)
    try #require(utimes(path, [time, time]) == 0)
    #expect(throws: ToolError.self) { try reserve(1...1, within: "100/day", at: now) }
  }

  /// What was billed costs what it cost on its day.
  @Test func aNewPriceDoesNotChangeOldDays() throws {
    let cent = Money(millionths: 10_000)
    let prices = PriceTable([
      PriceTable.Row(from: "2026-11-01", [.posts: cent]), PriceTable.Row(from: "2026-11-21", [.posts: cent * 2]),
    ])
    try settle(nil, Array(1...50), at: moment("2026-11-20T12:00:00Z"))
    #expect(try granted(1...100, within: "$1/month", prices: prices).count == 25)
    #expect(prices.price(of: .posts, on: "2026-01-01") == cent && prices.price(of: .users, on: "2026-11-21") == .zero)
  }

  // MARK: Reservations

  /// What is left by the days that are left: a day that was saved is spread over the others, and so is one that spent
  /// too much.
  @Test(arguments: [
    ("300/month", "2026-11-01", [("2026-11-01", 0)], [10, 10, 10]),
    ("300/month", "2026-11-21", [("2026-11-20", 200)], [10, 10, 10]),
    ("300/month", "2026-11-21", [("2026-11-20", 290)], [1, 1, 0]),
    ("300/month", "2026-11-30", [("2026-11-30", 290)], [300, 10, 10]),
    ("300/month", "2026-11-21", [("2026-11-25", 200)], [10, 10, 10]),
    ("$0.70/week", "2026-11-22", [("2026-11-16", 40)], [100, 100, 100]),
    ("20/day", "2026-11-21", [("2026-11-21", 9)], [20, 11, 11]),
  ])
  func aDayHasItsPartOfThePeriod(
    _ bound: String, _ day: String, _ spent: [(String, Int)], _ expected: [Int]
  ) throws {
    let parsed = try #require(BudgetBound(bound))
    let limit = try #require(BudgetLimit(parsed, prices: XService().prices))
    let time = try moment(day + "T12:00:00Z")
    let days = spent.map { day, count in
      var counts = BilledCounts()
      counts[.posts] = count
      return (day: day, counts: counts)
    }
    let today = try #require(limit.today(for: .posts, beside: days, at: time))
    #expect([today.part, today.rest, today.saved] == expected)
    #expect(limit.today(for: .creates, beside: days, at: time) == nil || bound.hasPrefix("$"))
  }

  @Test func noMoreIsReservedThanIsLeft() throws {
    let first = try granted(10...100, within: "150/day")
    let second = try granted(10...100, within: "150/day")
    #expect((first.count, second.count) == (100, 50))
    // The others may soon give some back.
    #expect(try reserve(10...100, within: "150/day") == .reservedByOthers)
    try settle(first, Array(1...100))
    #expect(try reserve(10...100, within: "150/day") == .reservedByOthers)
    try settle(second, Array(101...145))
    #expect(try reserve(10...100, within: "150/day") == .usedUp)
    #expect(try granted(1...100, within: "150/day").count == 5)
    #expect(try counts() == [[145, 5]])
  }

  /// What a killed program had reserved is counted, and nobody waits for it for long.
  @Test func aReservationThatNobodyGivesBackStaysCounted() throws {
    _ = try granted(10...100, within: "150/day")
    #expect(try posts() == 100)
    _ = try granted(1...45, within: "150/day")
    #expect(try reserve(10...100, within: "150/day") == .reservedByOthers)
    let past = timespec(tv_sec: time(nil) - 120, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, path, [past, past], 0) == 0)
    #expect(try reserve(10...100, within: "150/day") == .usedUp)
  }

  /// A stream's posts are counted ahead, so that nobody waits for them.
  @Test func aLongReservationIsCountedAhead() throws {
    let stream = try granted(1...10, within: "15/day", isLong: true)
    #expect(try reserve(10...100, within: "15/day") == .usedUp)
    #expect(try counts() == [[10, 0]])
    try settle(stream, [1, 2, 3])
    #expect(try counts() == [[3, 0]])
    #expect(try granted(10...100, within: "15/day").count == 12)
  }

  @Test func withoutABoundAllIsReserved() throws {
    #expect(try granted(10...100, within: "unlimited").count == 100)
    #expect(try granted(10...100, within: "unlimited").count == 100)
    #expect(try posts() == 200)
  }

  @Test func aReservationOfYesterdayIsCorrectedThere() throws {
    let midnight = BudgetPeriod.day.end(of: noon)
    let late = try granted(10...100, within: "150/day")
    try settle(late, [1, 2], at: midnight)
    #expect(try counts() == [[0, 0], [2, 0]])
    try settle(nil, [2, 3], at: midnight)
    #expect(try posts(at: midnight) == 3)
  }

  /// Every process reserves and records under the lock.
  @Test func countsOfSeveralThreadsAreAllThere() throws {
    let (path, noon) = (path, noon)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      let bill = Ledger.Bill(service: "x", app: "key", account: "a\(number % 2)")
      for step in 0..<25 {
        let ledger = Ledger(path: path)
        let grant = try? ledger.reserve(1...3, of: .posts, within: nil, at: noon, bill)
        guard case .granted(let reservation) = grant else { continue }
        try? ledger.settle(reservation, got: [UInt64(number * 100 + step)], of: .posts, at: noon, bill)
      }
    }
    #expect(try counts() == [[100, 0], [100, 0]])
  }

  // MARK: Posts that are read again

  @Test func aPostCountsOnceADay() throws {
    try settle(try granted(10...100, within: "unlimited"), [7, 8, 7, .max])
    #expect(try posts() == 3)
    try settle(try granted(10...100, within: "unlimited"), [8, 9, .max])
    #expect(try posts() == 4)
    let midnight = BudgetPeriod.day.end(of: noon)
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
    #expect(try home.read("state/ledger-ids/x-key-posts").count == 16 + 8 * most)
  }

  /// Whatever the file of ids holds, no post is taken for known that was not read.
  @Test(arguments: [
    "", "ids 2026-11-21", "ids 2026-11-21 \n1234567", "ids 2026-11-20 \n\u{7}\0\0\0\0\0\0\0", "rubbish",
  ])
  func aDamagedFileOfIdsIsMadeAnew(_ content: String) throws {
    try FileManager.default.createDirectory(atPath: path + "-ids", withIntermediateDirectories: true)
    try home.write("state/ledger-ids/x-key-posts", content)
    try settle(nil, [7])
    try settle(nil, [7, 8])
    #expect(try posts() == 2)
  }

  /// Names of applications are any text.
  @Test func idsOfApplicationsAreKeptApart() throws {
    for app in ["a/b", "a%2fb", "../c", ".", "", String(repeating: "é", count: 200)] {
      try settle(nil, [7], bill("jack", app: app))
      try settle(nil, [7], bill("jack", app: app))
    }
    #expect(try counts() == [[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [2, 0]])
    let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/state")
    #expect(names.sorted() == ["ledger", "ledger-ids"])
  }

  // MARK: The file

  /// A line that a person wrote counts, but is not changed.
  @Test func linesOfAPersonAreLeftAlone() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state", withIntermediateDirectories: true)
    let line = #"{"billed":{"posts":2},"account":"jack","app":"key","service":"x","day":"2026-11-21"}"#
    try home.write("state/ledger", line)
    try settle(nil, [1, 2, 3])
    try settle(nil, [4, 5, 6])
    #expect(try posts() == 8)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines.first.map(String.init) == line)
  }

  @Test(arguments: [
    "rubbish", #"{"day":"2026-11-"#, #"{"day":"2026-11-21","service":"x","app":"k","billed":{"posts":-1}}"#,
    #"{"day":"2026-11-21","service":"x","app":"k","reserved":{"posts":1e30}}"#,
    #"{"day":"2026-11-21","service":"x","app":"k","billed":{"posts":9223372036854775807}}"#,
    #"{"day":"2026-11-21","service":"x","app":"k","billed":{"post":1}}"#,
    #"{"day":"2026-11-21","service":"x","app":"k","billed":1}"#, #"{"day":"2026-11-21","service":"x","billed":{}}"#,
    #"{"day":"21.11.2026","service":"x","app":"k","billed":{"posts":1}}"#, "\0\0\0\0",
  ])
  func aDamagedLineIsAnErrorThatNamesIt(_ line: String) throws {
    try settle(nil, [1])
    try home.write("state/ledger", try String(contentsOfFile: path, encoding: .utf8) + line + "\n")
    for attempt in [{ _ = try posts() }, { _ = try reserve(1...1, within: "9/day") }, { try settle(nil, [2]) }] {
      let error = #expect(throws: ToolError.self) { try attempt() }
      #expect(error?.status == .configuration)
      #expect(error?.message?.contains("line 2 of '\(path)' is not an entry") == true)
    }
  }

  /// What takes all counts and keeps none would give each reservation a new budget.
  @Test(arguments: ["pipe", "folder"]) func whatIsNoFileIsRefused(_ target: String) throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state/folder", withIntermediateDirectories: true)
    // The machine's own devices are not for tests: a fault would replace them.
    #expect(mkfifo(home.path + "/state/pipe", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    for attempt in [{ _ = try posts() }, { _ = try reserve(1...1, within: "9/day") }, { try settle(nil, [2]) }] {
      let error = #expect(throws: ToolError.self) { try attempt() }
      #expect(error?.status == .cannotCreate)
      #expect(error?.message?.hasPrefix("cannot write '\(path)': it is a") == true, "\(error?.message ?? "")")
    }
  }

  /// Nor is it waited for.
  @Test func aPipeIsRefused() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state", withIntermediateDirectories: true)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: ToolError.cannotCreate("cannot write '\(path)': it is a pipe, not a file")) { try posts() }
    #expect(throws: ToolError.cannotCreate("cannot write '\(path)': it is a pipe, not a file")) { try settle(nil, [1]) }
  }

  /// People keep state on other disks.
  @Test func aLinkToAFileIsTheFile() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/state", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: home.path + "/elsewhere")
    try settle(nil, [1, 2])
    #expect(try posts() == 2 && home.exists("elsewhere"))
  }

  // MARK: Budgets and money as text

  @Test(arguments: [
    ("5000/day", BudgetBound.posts(5000, .day)), ("7", .posts(7, .day)), ("9/week", .posts(9, .week)),
    ("100000/month", .posts(100_000, .month)), ("unlimited", .unlimited),
    ("$5/month", .money(Money(millionths: 5_000_000), .month)), ("$.005/day", .money(Money(millionths: 5000), .day)),
    ("$0.50/week", .money(Money(millionths: 500_000), .week)), ("0", nil), ("-1", nil), ("5/year", nil), ("", nil),
    ("/day", nil), ("1e3", nil), ("99999999999999999999/day", nil), ("$5", nil), ("$/month", nil), ("$0/month", nil),
    ("$-5/month", nil), ("$5./month", nil), ("$5,000/month", nil), ("$5.0000001/month", nil), ("$1e3/month", nil),
    ("$9999999999/month", nil), ("$5/month/day", nil), ("5$/month", nil),
  ])
  func budgetsAreRead(_ text: String, _ bound: BudgetBound?) { #expect(BudgetBound(text) == bound) }

  @Test(arguments: [(0, "$0"), (5_000_000, "$5"), (4_985_000, "$4.985"), (500_000, "$0.50"), (1, "$0.000001")])
  func moneyIsWritten(_ millionths: Int, _ text: String) { #expect(Money(millionths: millionths).text == text) }

  @Test func moneyHasNoEnd() {
    let most = Money(millionths: .max)
    #expect(most + most == most && most * 3 == most && Money.zero - most == .zero)
  }
}
