import Foundation
import Services
import TestSupport
import Testing

/// The ledger of billed posts: what tw-stream reads is reserved there first.
@Suite(.onOwnThread) struct StreamBudgetTests {
  private let home: TemporaryDirectory
  private let ledger = ".local/state/tw/ledger"

  init() throws { home = try TemporaryDirectory() }

  private func environment(_ service: FaultyService) -> [String: String] {
    ["TW_ENDPOINT": service.base, "TW_TOKEN": "t", "TW_ACCOUNT": "jack"]
  }

  private func run(_ service: FaultyService, _ arguments: String...) throws -> ToolResult {
    try Tool.run("tw-stream", ["--once"] + arguments, environment: environment(service), home: home)
  }

  /// Posts read and posts reserved, as the ledger has them.
  private func counts(_ kind: BilledKind = .posts) throws -> [Int] {
    let entries = try Ledger(path: home.path + "/" + ledger).entries()
    return [entries.reduce(0) { $0 + $1.billed[kind] }, entries.reduce(0) { $0 + $1.reserved[kind] }]
  }

  /// The pages that were asked for: posts each.
  private func sizes(_ service: FaultyService) throws -> [Int] {
    service.requests.compactMap { $0.parameter("max_results").flatMap { Int($0) } }
  }

  /// The answer to looking up an account, and a page with this many of its posts.
  private static func account(_ number: Int, posts: Int, _ steps: String = "") -> String {
    let data = (0..<posts).map { #"{"id":"\#(number * 1000 + $0)","text":"t","author_id":"\#(number)"}"# }
    return """
      GET /2/users/by/username/user\(number)
        body {"data":{"id":"\(number)","username":"user\(number)","name":"n"}}
      GET /2/users/\(number)/tweets
      \(steps)  body {"data":[\(data.joined(separator: ","))],"meta":{"result_count":\(posts)}}

      """
  }

  /// Three processes at once: two reserve all there is, and the third waits for what the second gives back.
  @Test func processesTogetherDoNotPassTheBudget() throws {
    let steps = ["  hold\n", "  pause 1s\n", ""]
    let service = try FaultyService((1...3).map { Self.account($0, posts: $0 == 3 ? 20 : 30, steps[$0 - 1]) }.joined())
    let tools = try (1...3).map { number in
      let tool = try RunningTool(
        "tw-stream", ["--once", "--budget", "150/day", "@user\(number)"], environment: environment(service), home: home)
      if number < 3 { try waitForPages(number, service) }
      return tool
    }
    for tool in tools[1...] { #expect(try tool.finish().ending == .status(0)) }
    #expect(try sizes(service) == [100, 50, 20])
    #expect(try counts() == [50, 100])
    tools[0].signal(SIGTERM)
  }

  private func waitForPages(_ count: Int, _ service: FaultyService) throws {
    try waitUntil { try sizes(service).count >= count }
  }

  /// Neither lost nor free: what the killed program had asked for stays counted until the same posts are read.
  @Test func whatAKilledProgramAskedForIsSettledByTheNext() throws {
    let service = try FaultyService(Self.account(1, posts: 3, "  hold\n") + Self.account(1, posts: 3))
    let tool = try RunningTool(
      "tw-stream", ["--once", "--budget", "100/day", "@user1"], environment: environment(service), home: home)
    try waitForPages(1, service)
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(try counts() == [0, 100])
    // Requests last no longer than this, so nobody waits for it.
    let past = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -120)]
    try FileManager.default.setAttributes(past, ofItemAtPath: home.path + "/" + ledger)
    let next = try run(service, "--budget", "100/day", "@user1")
    #expect(next.ending == .status(0), "\(next.errors)")
    #expect(try sizes(service) == [100, 100] && counts() == [3, 0])
  }

  /// X bills a post once a day, and so does the ledger count it.
  @Test func aPostThatIsReadAgainDoesNotCountAgain() throws {
    let service = try FaultyService(Self.account(1, posts: 12))
    for _ in 0..<3 { #expect(try run(service, "--budget", "30/day", "@user1").ending == .status(0)) }
    #expect(try counts() == [12, 0])
    #expect(try sizes(service) == [30, 18, 18])
  }

  @Test func aStreamReservesAheadAndGivesBack() throws {
    let service = try FaultyService("stream\n  post 1..3\n  hold")
    let tool = try RunningTool(
      "tw-stream", ["--budget", "100/day", "#swift"], environment: environment(service), home: home)
    try tool.waitForLines(5)
    #expect(try counts() == [10, 0])
    tool.signal(SIGTERM)
    _ = try tool.finish()
    #expect(try counts() == [3, 0])
  }

  // MARK: Whose budget it is, and what messages say

  /// A new name for the same token is not a new budget.
  @Test func anotherNameOfTheAccountIsTheSameBudget() throws {
    let service = try FaultyService(Self.account(1, posts: 100))
    for (index, name) in ["one", "two", "three"].enumerated() {
      var environment = environment(service)
      environment["TW_ACCOUNT"] = name
      let result = try Tool.run(
        "tw-stream", ["--once", "--budget", "100/day", "@user1"], environment: environment, home: home)
      #expect(result.ending == .status(index == 0 ? 0 : 75), "\(result.errors)")
    }
    #expect(try sizes(service) == [100])
    let text = String(decoding: try home.read(ledger), as: UTF8.self)
    #expect(text.contains(#""app":"token-"#) && text.contains(#""account":"one""#))
  }

  /// Another token is another application, as far as anybody knows.
  @Test func anotherTokenIsAnotherBudget() throws {
    let service = try FaultyService(Self.account(1, posts: 100))
    for token in ["t", "u", "t"] {
      let environment = ["TW_ENDPOINT": service.base, "TW_TOKEN": token]
      _ = try Tool.run("tw-stream", ["--once", "--budget", "100/day", "@user1"], environment: environment, home: home)
    }
    #expect(try sizes(service) == [100, 100])
  }

  /// Two accounts of one application, and the token of one of them in the environment: one bill.
  @Test func accountsOfAnApplicationShareItsBudget() throws {
    let service = try FaultyService(Self.account(1, posts: 60) + Self.account(2, posts: 60))
    let accounts = ["jack", "jill"].map {
      #"{"service":"x","name":"\#($0)","base":"\#(service.base)","method":"app","client_id":"KEY","token":"T-\#($0)"}"#
    }
    let path = home.path + "/.config/tw/credentials.json"
    try home.write(".config/tw/credentials.json", "{\"accounts\":[\(accounts.joined(separator: ","))]}")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    func run(_ name: String, _ user: String, _ variables: [String: String]) throws -> ToolResult {
      var environment = ["TW_ENDPOINT": service.base]
      environment.merge(variables) { $1 }
      return try Tool.run(
        "tw-stream", ["--once", "--budget", "100/day", user] + (name.isEmpty ? [] : ["--account", name]),
        environment: environment, home: home)
    }
    #expect(try run("jack", "@user1", [:]).ending == .status(0))
    #expect(try run("jill", "@user2", [:]).ending == .status(0))
    let third = try run("", "@user1", ["TW_TOKEN": "T-jill"])
    #expect(third.ending == .status(75) && third.errors.contains("budget of 100 posts a day is used up"))
    #expect(try sizes(service) == [100, 40])
  }

  /// Only the owner of an application pays less, and only for what is the owner's own.
  @Test(arguments: [(true, "@user7", [0, 10]), (false, "@user7", [10, 0]), (true, "@user8", [10, 0])])
  func whatTheOwnerReadsOfTheOwnCostsLess(_ isOwner: Bool, _ source: String, _ expected: [Int]) throws {
    let service = try FaultyService(Self.account(7, posts: 10) + Self.account(8, posts: 10))
    let path = try home.write(
      ".config/tw/credentials.json",
      #"{"accounts":[{"service":"x","name":"jack","base":"\#(service.base)","method":"token","id":"7","token":"T"}]}"#
        .replacing(#""token":"T""#, with: isOwner ? #""token":"T","owns_app":true"# : #""token":"T""#))
    chmod(path, 0o600)
    let result = try Tool.run(
      "tw-stream", ["--once", "--budget", "$1/day", source], environment: ["TW_ENDPOINT": service.base], home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(try counts()[0] == expected[0] && counts(.owned)[0] == expected[1])
    // A page has at most a hundred posts.
    #expect(try sizes(service) == [100])
  }

  @Test func aLookUpOfAnAccountCounts() throws {
    let service = try FaultyService(Self.account(1, posts: 10) + Self.account(2, posts: 10))
    #expect(try run(service, "--budget", "$1/month", "@user1").ending == .status(0))
    #expect(try run(service, "--budget", "$1/month", "@user1", "@user2").ending == .status(0))
    #expect(try counts(.users) == [2, 0] && counts() == [20, 0])
    #expect(try sizes(service).count == 3)
    let poor = try run(service, "--budget", "$0.12/month", "@user1")
    #expect(poor.ending == .status(75) && poor.errors.contains("the budget of $0.12 a month is used up"))
    #expect(try sizes(service).count == 3 && service.requests.count { $0.kind.contains("/by/username/") } == 3)
  }

  /// A month's budget opens with the next month of UTC, not after thirty days; a clock that is set back opens nothing.
  @Test func aMonthsBudgetOpensWithTheNextMonth() throws {
    let service = try FaultyService(Self.account(1, posts: 60))
    func run(_ now: String) throws -> ToolResult {
      var environment = environment(service)
      environment["TW_NOW"] = now
      return try Tool.run(
        "tw-stream", ["--once", "--budget", "$0.31/month", "@user1"], environment: environment, home: home)
    }
    #expect(try run("2026-11-30T23:59:00Z").ending == .status(0))
    let used = try run("2026-11-30T23:59:59Z")
    #expect(used.ending == .status(75) && used.errors.contains("it opens again at 2026-12-01T00:00:00.000Z"))
    #expect(try run("2026-12-01T00:00:00Z").ending == .status(0))
    #expect(try run("2026-11-01T00:00:00Z").ending == .status(75))
    #expect(try sizes(service) == [60, 60])
  }

  // MARK: What is delivered and not printed

  private static func line(_ id: Int, rule: String) -> String {
    #"  line {"data":{"id":"\#(id)","text":"t","author_id":"1"},"matching_rules":[{"id":"\#(rule)","tag":""}]}"# + "\n"
  }

  private func stream(_ service: FaultyService, _ arguments: String...) throws -> RunningTool {
    try RunningTool("tw-stream", arguments + ["#swift"], environment: environment(service), home: home)
  }

  /// The rules of an app are shared by its programs, and each stream brings the posts of all of them.
  @Test func postsOfForeignRulesCount() throws {
    let foreign = (1...30).map { Self.line($0, rule: "1") }.joined()
    let service = try FaultyService("rule #cats theirs\nstream\n\(foreign)  post 1..2\n  hold\n")
    let tool = try stream(service, "--budget", "100/day")
    try tool.waitForOutput(containing: #""text":"post 2""#)
    tool.signal(SIGTERM)
    let result = try tool.finish()
    #expect(result.lines.count { $0.contains(#""data":"#) } == 2)
    #expect(result.lines.count { $0.contains(#""code":"foreign-posts""#) } == 1)
    #expect(try counts() == [32, 0])
  }

  /// They use the budget up as well.
  @Test func foreignPostsCloseTheStreamWhenTheBudgetIsUsedUp() throws {
    let foreign = (1...30).map { Self.line($0, rule: "1") }.joined()
    let service = try FaultyService("rule #cats theirs\nstream\n\(foreign)  keep-alive 0 every 50ms\n")
    let tool = try stream(service, "--budget", "20/day")
    try tool.waitForOutput(containing: #""code":"budget""#)
    tool.signal(SIGTERM)
    _ = try tool.finish()
    #expect(try counts() == [30, 0])
    #expect(service.requests.count { $0.kind == "stream" } == 1)
  }

  @Test func messagesThatCannotBeReadCount() throws {
    let service = try FaultyService("stream\n  line {\"data\":{\"id\":\n  line no JSON\n  post 1\n  hold\n")
    let tool = try stream(service, "--budget", "100/day")
    try tool.waitForOutput(containing: #""text":"post 1""#)
    tool.signal(SIGTERM)
    _ = try tool.finish()
    #expect(try counts() == [3, 0])
  }

  /// The service has sent more by the time of the last post that is wanted. It bills that too.
  @Test func whatComesAfterTheLimitCounts() throws {
    let service = try FaultyService("stream\n  post 1..125\n  pause 100ms\n  post 126..200\n  hold\n")
    let result = try Tool.run(
      "tw-stream", ["--limit", "1", "--budget", "1000/day", "#swift"], environment: environment(service), home: home)
    #expect(result.ending == .status(0) && result.lines.count { $0.contains(#""data":"#) } == 1)
    #expect(try counts() == [200, 0])
  }

  /// Nobody could say how many posts such a page has, or where the next one begins.
  @Test(arguments: [
    #"{"data":[{"id":7,"text":"t"},{"id":8,"text":"t"}],"meta":{"next_token":"a"}}"#,
    #"{"data":[{"text":"t"}],"meta":{"next_token":"a"}}"#,
    #"{"data":{"id":"7","text":"t"},"meta":{"next_token":"a"}}"#, #"{"data":[7,"8"],"meta":{"next_token":"a"}}"#,
  ])
  func aPageThatIsNotUnderstoodEndsTheRound(_ page: String) throws {
    let service = try FaultyService(
      Self.account(1, posts: 0).replacing(#/body {"data":\[\].*/#, with: "body \(page)"))
    let result = try run(service, "--all", "--budget", "150/day", "@user1")
    #expect(result.ending == .status(69), "\(result.errors)")
    #expect(try sizes(service) == [100])
    #expect(try counts() == [0, 100])
  }

  // MARK: Requests that fail

  @Test(arguments: [
    ("  status 503 Busy\n  header Retry-After: 3600\n  body\n", 0), ("  status 404 Gone\n  body\n", 0),
    ("  header Content-Type: text/html\n  body <p>Sign in</p>\n", 0), ("  body\n", 0), ("  raw\n  close\n", 0),
    // It is not known whether these were billed.
    ("  body {\"data\":[{\"id\":\n", 100), ("  text {\"data\":\n  close\n", 100),
  ])
  func aRequestWithoutPostsGivesBackWhatItReserved(_ steps: String, _ reserved: Int) throws {
    let service = try FaultyService(Self.account(1, posts: 3, steps))
    #expect(try run(service, "--budget", "100/day", "@user1").status != 0)
    #expect(try counts() == [0, reserved])
  }

  // MARK: A ledger that cannot be used

  /// Without a ledger nothing is read, however often it is tried.
  @Test func anUnwritableLedgerStopsAllReading() throws {
    let service = try FaultyService(Self.account(1, posts: 12))
    try FileManager.default.createDirectory(atPath: home.path + "/" + ledger, withIntermediateDirectories: true)
    for _ in 0..<3 {
      let result = try run(service, "--budget", "150/day", "@user1")
      #expect(result.ending == .status(73))
      #expect(result.lines.allSatisfy { $0.hasPrefix("{\"tw\":\"context\"") || $0.contains("\"code\":\"bad-source\"") })
      #expect(result.errors.contains("'\(home.path)/\(ledger)'") && result.errors.contains("--budget unlimited"))
    }
    #expect(service.requests.isEmpty)
    // Who wants no bound needs no ledger.
    let unbounded = try run(service, "--budget", "unlimited", "@user1")
    #expect(unbounded.ending == .status(0) && unbounded.errors.contains("the posts read are not counted: cannot"))
    #expect(try sizes(service) == [100])
  }

  /// It would take all counts and keep none.
  @Test func aLedgerThatIsADeviceStopsAllReading() throws {
    let service = try FaultyService(Self.account(1, posts: 12))
    try FileManager.default.createDirectory(atPath: home.path + "/.local/state/tw", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.path + "/" + ledger, withDestinationPath: "/dev/null")
    let result = try run(service, "@user1")
    #expect(result.ending == .status(73))
    #expect(result.errors.contains("cannot write '\(home.path)/\(ledger)': it is a device, not a file"))
    #expect(service.requests.isEmpty)
    #expect(try Tool.run("tw", ["budget"], home: home).ending == .status(73))
  }

  @Test func aDamagedLedgerIsNotTakenForAnEmptyOne() throws {
    let service = try FaultyService(Self.account(1, posts: 12))
    #expect(try run(service, "@user1").ending == .status(0))
    try home.write(ledger, try home.read(ledger) + Array("{\"day\":\n".utf8))
    let result = try run(service, "@user1")
    #expect(result.ending == .status(78) && result.errors.contains("line 2 of '\(home.path)/\(ledger)'"))
    #expect(try sizes(service).count == 1)
    // The rest of the figures is shown.
    _ = try Tool.run("tw-cache", ["add"], home: home)
    let figures = try Tool.run("tw-cache", ["stats"], home: home)
    #expect(figures.ending == .status(78) && figures.output.contains("tweets") && figures.errors.contains("line 2"))
  }

  /// No part of a line stays behind, and nothing is asked for.
  @Test(.enabled(if: Sanitizer.allowsFileLimits)) func aFullDiskStopsReading() throws {
    let service = try FaultyService(Self.account(1, posts: 12))
    let line = #"{"day":"2026-01-01","service":"x","app":"a","account":"a","billed":{"posts":1}}"# + "\n"
    try home.write(ledger, String(repeating: line, count: 1024 / line.utf8.count))
    let before = try home.read(ledger)
    let result = try Tool.shell(
      "ulimit -f 1; exec tw-stream --once '@user1'", environment: environment(service), home: home)
    #expect(result.ending == .status(74) && result.errors.contains("cannot write '\(home.path)/\(ledger)'"))
    #expect(try home.read(ledger) == before)
    #expect(try sizes(service).isEmpty)
  }
}
