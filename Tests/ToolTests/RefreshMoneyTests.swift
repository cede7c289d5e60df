import Foundation
import Services
import Synchronization
import TestSupport
import Testing
import TweetCore

/// What months of cron's rounds spend, and what they mail: the clock is set from round to round.
@Suite(.onOwnThread) struct RefreshMoneyTests {
  private let home: TemporaryDirectory
  private let x: Search
  private let server: LoopbackServer

  init() throws {
    home = try TemporaryDirectory()
    let x = Search()
    self.x = x
    server = try LoopbackServer { x.answer($0) }
  }

  /// X's search as it bills: posts of hashtags that come at a rate, each billed once a day.
  private final class Search: Sendable {
    struct State {
      var now: Int64 = 0
      /// When the posts of a hashtag were made, the oldest first.
      var posts: [String: [Int64]] = [:]
      /// The posts that were sent, by day.
      var billed: [String: Set<Int64>] = [:]
      var sent: [String: Int] = [:]
      var failure: Answer?
      var failing: [String: Answer] = [:]
    }
    let state = Mutex(State())
    static func id(_ time: Int64) -> Int64 { (time - 1_288_834_974_657) << 22 }
    static func time(_ id: Int64) -> Int64 { (id >> 22) + 1_288_834_974_657 }

    func answer(_ request: LoopbackServer.Request) -> Answer {
      state.withLock { state in
        let query = request.decoded("query") ?? ""
        if let failure = state.failing[query] ?? state.failure { return failure }
        let size = request.parameter("max_results").flatMap { Int($0) } ?? 10
        guard (10...100).contains(size) else { return .answer(400, #"{"title":"max_results"}"#) }
        let week = state.now - 7 * 86_400_000
        var since = request.parameter("since_id").flatMap { Int64($0) } ?? Self.id(week)
        if since < Self.id(week) {
          return .answer(400, #"{"errors":[{"parameters":{"since_id":["\#(since)"]},"message":"too old"}]}"#)
        }
        if let start = request.decoded("start_time").flatMap({ Timestamp(parsing: $0) }) {
          since = Self.id(start.milliseconds) - 1
        }
        let bounds = ["until_id", "next_token"].compactMap { request.parameter($0).flatMap { Int64($0) } }
        let until = bounds.min() ?? Self.id(state.now)
        let known = (state.posts[query] ?? []).map(Self.id).filter { $0 > since && $0 < until }
        let page = known.suffix(size).reversed()
        let day = Timestamp(milliseconds: state.now).rfc3339.prefix(10)
        for id in page where state.billed[String(day), default: []].insert(id).inserted {
          state.sent[query, default: 0] += 1
        }
        let data = page.map { id in
          let time = Timestamp(milliseconds: Self.time(id)).rfc3339
          return #"{"id":"\#(id)","text":"t","author_id":"1","created_at":"\#(time)"}"#
        }
        let token = known.count > page.count ? #","next_token":"\#(page.last ?? 0)""# : ""
        return .answer(
          200, #"{"data":[\#(data.joined(separator: ","))],"meta":{"result_count":\#(page.count)\#(token)}}"#)
      }
    }
  }

  private static let start = Int64(1_798_761_600_000)  // 2027-01-01T00:00:00Z
  private static let day: Int64 = 86_400_000
  private static let hour: Int64 = 3_600_000

  /// Posts of a hashtag, evenly over some days.
  private func post(_ tag: String, _ perDay: Int, days: Range<Int>, shift: Int64 = 0) {
    x.state.withLock { state in
      for number in 0..<perDay * days.count {
        let time = Self.start + Int64(days.lowerBound) * Self.day + Int64(number) * Self.day / Int64(perDay) + shift
        state.posts[tag, default: []].append(time)
      }
      state.posts[tag]?.sort()
    }
  }

  private func run(_ words: [String], at time: Int64, budget: String = "$5/month") throws -> ToolResult {
    x.state.withLock { $0.now = time }
    let now = Timestamp(milliseconds: time).rfc3339
    return try Tool.run(
      "tw-cache", words,
      environment: [
        "TW_SERVICE": "x", "TW_ENDPOINT": server.base, "TW_TOKEN": "t", "TW_BUDGET": budget, "TW_NOW": now,
      ], home: home)
  }

  /// Adds sources, then makes rounds as cron does; what each mails is returned.
  @discardableResult private func rounds(
    _ days: Range<Int>, every: Int64, budget: String = "$5/month", complainAfter: String = "6h",
    _ before: (Int64) throws -> Void = { _ in }
  ) throws -> [String] {
    var mails: [String] = []
    for time in stride(from: Int64(days.lowerBound) * Self.day, to: Int64(days.upperBound) * Self.day, by: Int(every)) {
      let now = Self.start + Int64(time) + 60_000
      try before(now)
      let result = try run(
        ["refresh", "--no-fetch-avatars", "--complain-after", complainAfter], at: now, budget: budget)
      if !result.errors.isEmpty { mails.append(result.errors) }
    }
    return mails
  }

  private func add(_ sources: String..., every: String) throws {
    for source in sources {
      let added = try run(["source", "add", source, "--every", every], at: Self.start)
      try #require(added.status == 0, "\(added.errors)")
    }
  }

  private func stored(_ tag: String) throws -> Int {
    try run(["list", "--feed", tag, "--count"], at: Self.start).lines.first.flatMap { Int($0) } ?? 0
  }

  private var reads: [Int] { x.state.withLock { $0.billed.sorted { $0.key < $1.key }.map(\.value.count) } }
  private func sent(_ tag: String) -> Int { x.state.withLock { $0.sent[tag] ?? 0 } }

  /// A hashtag with more posts than the money is for, and one with few: each day has its part of the money, and the few
  /// are all there.
  @Test func aMonthsBudgetLastsForTheMonth() throws {
    post("#busy", 80, days: -3..<31)
    post("#quiet", 3, days: 0..<31, shift: 7000)
    try add("#busy", "#quiet", every: "12h")
    let mails = try rounds(0..<31, every: 12 * Self.hour)
    let reads = reads
    #expect(reads.count == 31 && reads.allSatisfy { (20...50).contains($0) }, "\(reads)")
    #expect((900...1000).contains(reads.reduce(0, +)), "\(reads.reduce(0, +))")
    #expect(sent("#quiet") >= 3 * 30)
    // What the week of the search has passed over is announced, and not each day.
    #expect((1...6).contains(mails.count) && mails.allSatisfy { $0.contains("#busy") }, "\(mails)")
    #expect(mails.count { $0.contains("the service does not go back that far any more") } >= 3, "\(mails)")
    let ledger = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
    #expect(ledger.reduce(0) { $0 + $1.all[.posts] } == reads.reduce(0, +))
  }

  /// Where a day's part is too small for a page of each, they have their turns.
  @Test func sourcesHaveTheirTurns() throws {
    let tags = ["#a", "#b", "#c", "#d", "#e"]
    for (number, tag) in tags.enumerated() { post(tag, 40, days: 0..<12, shift: Int64(number) * 1000) }
    try add("#a", "#b", "#c", "#d", "#e", every: "8h")
    try rounds(0..<11, every: 8 * Self.hour, budget: "900/month")
    let counts = tags.map(sent)
    #expect((counts.max() ?? 0) <= 2 * (counts.min() ?? 0) && (counts.min() ?? 0) >= 40, "\(counts)")
  }

  /// One that is polled often leaves the others' share to them, which are due later on the day.
  @Test func aSourceThatIsPolledOftenDoesNotTakeAll() throws {
    post("#busy", 200, days: 0..<8)
    post("#daily", 10, days: 0..<8, shift: 7000)
    try add("#busy", every: "2h")
    try rounds(0..<8, every: 2 * Self.hour) { now in
      if now == Self.start + 22 * Self.hour + 60_000 { try add("#daily", every: "1d") }
    }
    #expect(sent("#daily") >= 60, "\(sent("#daily"))")
    #expect(reads.allSatisfy { $0 <= 40 }, "\(reads)")
  }

  /// What the budget cut off is fetched on later days, the newest first, each post once.
  @Test func whatWasCutOffIsFetchedLater() throws {
    post("#tea", 2, days: 0..<10)
    try add("#tea", every: "6h")
    try rounds(0..<1, every: 6 * Self.hour)
    post("#tea", 100, days: 1..<2, shift: 5000)
    let mails = try rounds(1..<8, every: 6 * Self.hour)
    #expect(mails == [])
    let (reads, all) = (reads, 2 * 8 + 100)
    #expect(reads.allSatisfy { $0 <= 36 }, "\(reads)")
    #expect(try (all - 3...all + 1).contains(stored("#tea")), "\(reads)")
    #expect(sent("#tea") <= all + 1, "\(reads)")
  }

  /// Each round has its part of what the day leaves for gaps, so what is new has room on the same day.
  @Test func catchingUpLeavesRoomForWhatIsNew() throws {
    post("#tea", 24, days: 0..<6)
    try add("#tea", every: "1h")
    try rounds(0..<1, every: 4 * Self.hour, budget: "3000/month")
    post("#tea", 1000, days: 1..<2, shift: 5000)
    try rounds(2..<3, every: Self.hour, budget: "3000/month")
    let newest = Self.start + 3 * Self.day - 2 * Self.hour
    let list = try run(["list", "--feed", "#tea", "--limit", "1"], at: newest)
    let time = try #require(list.output.firstMatch(of: /"created_at":"([^"]+)"/)?.1)
    #expect(String(time) > Timestamp(milliseconds: newest - 3 * Self.hour).rfc3339)
  }

  /// What a killed round had reserved is given back by the next one, as far as its posts were not billed. On a later
  /// day X bills them again.
  @Test(arguments: [(true, [7]), (false, [6, 19])])
  func theReservationOfAKilledRoundIsSettled(_ isSameDay: Bool, _ expected: [Int]) throws {
    post("#tea", 12, days: 0..<3)
    let isHeld = Mutex(true)
    let noon = Self.start + Self.day / 2
    let door = try LoopbackServer { [x] request in
      try? waitUntil { !isHeld.withLock { $0 } }
      return x.answer(request)
    }
    defer { isHeld.withLock { $0 = false } }
    let budget = isSameDay ? "100/month" : "1000/month"
    let running = try RunningTool(
      "tw-stream", ["--once", "--budget", budget, "#tea"],
      environment: [
        "TW_SERVICE": "x", "TW_ENDPOINT": door.base, "TW_TOKEN": "t", "TW_NOW": Timestamp(milliseconds: noon).rfc3339,
      ], home: home)
    let ledger = Ledger(path: home.path + "/.local/state/tw/ledger")
    func reserved() throws -> Int { try ledger.entries().reduce(0) { $0 + $1.reserved[.posts] } }
    try waitUntil { try !door.requests.isEmpty && reserved() > 0 }
    running.signal(SIGKILL)
    _ = try running.finish()
    isHeld.withLock { $0 = false }
    #expect(try reserved() == 100)
    let next = try run(
      ["refresh", "--no-fetch-avatars", "#tea"], at: noon + 60_000 + (isSameDay ? 0 : Self.day), budget: budget)
    #expect(next.status == 0, "\(next.errors)")
    #expect(try reserved() == 0)
    #expect(try ledger.entries().map { $0.billed[.posts] } == expected && sent("#tea") == expected.last)
  }

  // MARK: Mails

  private static let down = Answer.answer(429, headers: ["Retry-After: 900"])
  private static let gone = Answer.answer(404, "{}")

  private func fail(_ answer: Answer?, _ tag: String? = nil) {
    x.state.withLock { state in
      if let tag { state.failing[tag] = answer } else { state.failure = answer }
    }
  }

  @Test func anOutageIsMailedWhenItBeginsAndWhenItEnds() throws {
    try add("#a", every: "2h")
    try add("#b", "#c", every: "3h")
    var mails = try rounds(0..<5, every: 2 * Self.hour) { now in
      fail((Self.start + Self.day..<Self.start + 4 * Self.day).contains(now) ? Self.down : nil)
    }
    #expect(mails.count == 2, "\(mails)")
    #expect(mails.first?.contains("cannot refresh '#") == true)
    #expect(mails.last?.hasPrefix("tw-cache: refreshed again: ") == true)
    mails = try rounds(5..<15, every: 4 * Self.hour) { now in fail(now < Self.start + 14 * Self.day ? Self.down : nil) }
    #expect(mails.count == 3, "\(mails)")
  }

  /// Two sources that are not there any more, while the service fails now and then.
  @Test func whatPassesIsNoNewsOfADeadSource() throws {
    try add("#dead", "#gone", "#fine", every: "6h")
    for tag in ["#dead", "#gone"] { fail(Self.gone, tag) }
    let mails = try rounds(0..<6, every: 6 * Self.hour) { now in
      let isDown = now / Self.hour % 24 == 6
      for tag in ["#dead", "#gone"] { fail(isDown ? Self.down : Self.gone, tag) }
    }
    #expect(mails.count == 1 && mails[0].contains("'#dead', '#gone'"), "\(mails)")
    // A person is told each time.
    let asked = try run(["refresh", "#dead"], at: Self.start + 6 * Self.day)
    #expect(asked.errors.contains("cannot refresh '#dead'"))
    // One is removed, one is there again.
    _ = try run(["source", "remove", "--yes", "#dead"], at: Self.start + 6 * Self.day)
    fail(nil, "#gone")
    let later = try rounds(6..<9, every: 6 * Self.hour)
    let ended = "tw-cache: refreshed again: '#gone', which failed since 2027-01-01"
    #expect(later.count == 1 && later[0].hasPrefix(ended), "\(later)")
  }

  @Test func aBudgetThatIsUsedUpIsMailedOnceWithTheDate() throws {
    post("#a", 40, days: 0..<20)
    post("#b", 40, days: 0..<20, shift: 7000)
    try add("#a", "#b", every: "6h")
    try rounds(0..<1, every: 6 * Self.hour)
    let environment = [
      "TW_SERVICE": "x", "TW_ENDPOINT": server.base, "TW_TOKEN": "t", "TW_NOW": "2027-01-02T00:00:00Z",
    ]
    x.state.withLock { $0.posts["#all"] = (0..<1500).map { Self.start + Int64($0) * 1000 } }
    x.state.withLock { $0.now = Self.start + Self.day }
    _ = try Tool.run(
      "tw-stream", ["--once", "--all", "--budget", "$5/month", "#all"], environment: environment, home: home)
    let mails = try rounds(1..<16, every: 8 * Self.hour)
    #expect(mails.count == 1 && mails[0].contains("opens again at 2027-02-01"), "\(mails)")
    #expect(try run(["status"], at: Self.start + 15 * Self.day).output.contains("failing"))
  }
}
