import Foundation
import Services
import TestSupport
import Testing
import TweetCore

/// `tw budget`: what was spent, and what is left.
@Suite(.onOwnThread) struct BudgetTests {
  private let home: TemporaryDirectory
  private let ledger: Ledger

  init() throws {
    home = try TemporaryDirectory()
    ledger = Ledger(path: home.path + "/.local/state/tw/ledger")
  }

  private func spend(
    _ count: Int, _ kind: BilledKind, on day: String, app: String = "KEY", account: String = "jack",
    service: String = "x"
  ) throws {
    let bill = Ledger.Bill(service: service, app: app, account: account)
    let time = try #require(Timestamp(parsing: day + "T12:00:00Z"))
    try ledger.settle(nil, got: Array(repeating: nil, count: count), of: kind, at: time, bill)
  }

  private func budget(_ arguments: String..., set: String? = nil, now: String = "2026-11-23T12:00:00Z") throws
    -> ToolResult
  {
    var environment = ["TW_NOW": now]
    environment["TW_BUDGET"] = set
    return try Tool.run("tw", ["budget"] + arguments, environment: environment, home: home)
  }

  private func fill() throws {
    try spend(1200, .posts, on: "2026-11-02")
    try spend(3, .users, on: "2026-11-22", account: "jill")
    try spend(100, .owned, on: "2026-11-22")
    try spend(2, .creates, on: "2026-11-23")
    try spend(1, .links, on: "2026-11-23")
    try spend(40, .posts, on: "2026-10-31", app: "OTHER", account: "")
    let bill = Ledger.Bill(service: "x", app: "KEY", account: "jack")
    let time = try #require(Timestamp(parsing: "2026-11-23T11:00:00Z"))
    _ = try ledger.reserve(100...100, of: .posts, within: nil, at: time, bill)
  }

  @Test func aMonthIsShownAsText() throws {
    try fill()
    let result = try budget("--text", "--app", "KEY", set: "$10/month")
    #expect(result.ending == .status(0) && result.errors == "")
    let expected = """
      2026-11  x  KEY  jack, jill
        posts read                   1300       $6.50
        accounts looked up              3       $0.03
        own posts read                100       $0.10
        posts made                      2       $0.03
        posts made with a link          1       $0.20
        of these only reserved        100       $0.50
        together                                $6.86
      budget: $3.14 of $10 a month left until 2026-12-01; as the last 7 days went it lasts until 2026-11-30

      """
    #expect(result.output == expected)
  }

  @Test func aPipeGetsJSON() throws {
    try fill()
    let result = try budget("--by", "day", set: "100/day")
    let expected = """
      {"period":"2026-11-23","service":"x","app":"KEY","accounts":["jack"],"kind":"posts","count":0,"reserved":100,"dollars":0.5}
      {"period":"2026-11-23","service":"x","app":"KEY","accounts":["jack"],"kind":"creates","count":2,"reserved":0,"dollars":0.03}
      {"period":"2026-11-23","service":"x","app":"KEY","accounts":["jack"],"kind":"links","count":1,"reserved":0,"dollars":0.2}
      {"budget":"100/day","service":"x","app":"KEY","posts_left":0,"until":"2026-11-24T00:00:00.000Z"}
      {"budget":"100/day","service":"x","app":"OTHER","posts_left":100,"until":"2026-11-24T00:00:00.000Z"}

      """
    #expect(result.ending == .status(0) && result.output == expected, "\(result.errors)")
    #expect(try budget("--json", "--by", "day", set: "100/day").output == expected)
  }

  @Test(arguments: [
    ("month", "2026-10", ["2026-10 OTHER", "2026-11 KEY"]), ("month", "2026-11-30", ["2026-11 KEY"]),
    ("week", "2026-10-31", ["2026-10-26 OTHER", "2026-11-02 KEY", "2026-11-16 KEY", "2026-11-23 KEY"]),
    ("day", "30d", ["2026-10-31 OTHER", "2026-11-02 KEY", "2026-11-22 KEY", "2026-11-23 KEY"]),
    ("day", "2026-11-24", []),
  ])
  func periodsAreWhole(_ by: String, _ since: String, _ expected: [String]) throws {
    try fill()
    let result = try budget("--json", "--by", by, "--since", since)
    var found: [String] = []
    for line in result.lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let period = object?["period"] as? String, let app = object?["app"] as? String else { continue }
      if found.last != "\(period) \(app)" { found.append("\(period) \(app)") }
    }
    #expect(found == expected, "\(result.errors)")
    #expect(result.errors.contains("nothing was billed since 2026-11-24") == expected.isEmpty)
  }

  /// By the name of an account too, with the usual budget where nobody has set one.
  @Test func withoutASettingTheUsualBudgetIsShown() throws {
    try fill()
    let result = try budget("--app", "jill")
    #expect(
      result.lines == [
        #"{"budget":"$5/day","service":"x","app":"KEY","dollars_left":5,"until":"2026-11-24T00:00:00.000Z"}"#
      ])
    #expect(try budget("--text", "--app", "jack").lines.last == "budget: $4.27 of $5 a day left until 2026-11-24")
    #expect(try budget("--text", set: "unlimited").output.contains("budget") == false)
    #expect(try budget(set: "much").ending == .status(78))
    #expect(try budget("--by", "year").ending == .status(64))
  }

  /// A search without an end, and nobody who has said a budget: reading stops at $5, a thousand posts.
  @Test func withoutASettingReadingStopsAtTheUsualBudget() throws {
    let server = try LoopbackServer { request in
      guard request.target.hasPrefix("GET /2/tweets/search/recent") else { return .answer(404) }
      let size = request.parameter("max_results").flatMap { Int($0) } ?? 10
      let newest = 9_000_000 - (request.parameter("next_token").flatMap { Int($0) } ?? 0)
      let posts = (0..<size).map { #"{"id":"\#(newest - $0)","text":"a #swift","author_id":"1"}"# }
      let next = 9_000_000 - newest + size
      return .answer(
        200, #"{"data":[\#(posts.joined(separator: ","))],"meta":{"result_count":\#(size),"next_token":"\#(next)"}}"#)
    }
    let environment = ["TW_SERVICE": "x", "TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    let result = try Tool.run("tw-stream", ["--once", "--all", "#swift"], environment: environment, home: home)
    #expect(result.status == 75 && result.errors.contains("budget"), "\(result.errors)")
    let sent = server.requests.compactMap { $0.parameter("max_results").flatMap { Int($0) } }.reduce(0, +)
    #expect(sent == 1000, "\(sent)")
    // The day's budget is used up for the next program too.
    let asked = server.requests.count
    let next = try Tool.run("tw-stream", ["--once", "#swift"], environment: environment, home: home)
    #expect(next.status == 75 && server.requests.count == asked, "\(next.errors)")
  }

  /// What was spent before the last seven days says nothing of how long the rest lasts.
  @Test func whatIsLeftLastsAsLongAsItDidLately() throws {
    try spend(600, .posts, on: "2026-11-02")
    func lasts() throws -> String? {
      let lines = try budget("--json", set: "$5/month").lines
      return lines.last?.firstMatch(of: /"lasts_until":"([^"]+)"/).map { String($0.1) }
    }
    #expect(try lasts() == nil)
    try spend(10, .posts, on: "2026-11-20")
    // $1.95 at five cents in four days.
    #expect(try lasts() == "2026-12-01T00:00:00.000Z")
    #expect(try budget("--text", set: "$5/month").output.hasSuffix("; as the last 7 days went it is enough\n"))
    try spend(300, .posts, on: "2026-11-23")
    #expect(try lasts()?.hasPrefix("2026-11-24T15:52:") == true)
  }

  @Test func anEmptyLedgerIsSaid() throws {
    let result = try budget()
    #expect(result.ending == .status(0) && result.output == "")
    #expect(result.errors.contains("nothing was billed since 2026-11-23") && !home.exists(".local/state/tw/ledger"))
  }

  /// Where nothing costs anything there is nothing to add up.
  @Test func aServiceWithoutPricesHasCountsAlone() throws {
    try spend(7, .posts, on: "2026-11-23", app: "A", service: "local")
    #expect(try budget("--text").output == "2026-11-23  local  A  jack\n  posts read                      7\n")
    let lines = try budget(set: "10/day").lines
    #expect(
      lines.count == 2 && lines[0].hasSuffix(#""count":7,"reserved":0}"#) && lines[1].contains(#""posts_left":3"#))
  }

  /// The page has the prices of the table, and says since when they hold.
  @Test func thePageHasThePrices() throws {
    let page = try String(contentsOfFile: Package.root + "/man/tw.1", encoding: .utf8)
    let today = Ledger.day(of: .now)
    for kind in BilledKind.allCases {
      let price = XService().prices!.price(of: kind, on: today).decimal
      let padded = price + String(repeating: "0", count: 5 - price.count)
      #expect(page.contains("Ta \(padded)\n"), "\(kind): \(padded)")
    }
    #expect(page.contains("From \(XService().prices?.newest ?? "") on they are"))
  }

  /// What a hostile name does to a terminal.
  @Test func namesAreMadeHarmless() throws {
    try spend(1, .posts, on: "2026-11-23", app: "a\u{1B}[2Jb", account: "c\nd")
    let text = try budget("--text").output
    #expect(!text.contains("\u{1B}") && text.split(separator: "\n").count == 4)
  }
}
