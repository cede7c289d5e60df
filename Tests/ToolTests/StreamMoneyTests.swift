import Foundation
import Services
import TestSupport
import Testing

/// The service has never delivered a post, or an account, more than the ledger says, whatever way of reading it is. The
/// fault server counts what it sends, and knows nothing of the ledger.
@Suite(.onOwnThread) struct StreamMoneyTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// A way of reading, and how the tool ends.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let arguments: [String]
    var stdin = ""
    /// The text of standard output after which a signal ends the tool; `nil` if it ends by itself.
    var until: String?
    var signal = SIGTERM
    /// Whether the ledger says exactly what was delivered; else it may say more.
    var isExact = true
    /// Twice, as cron would: what is read again on the same day is billed once.
    var runs = 2
  }

  private static func line(_ id: Int, rule: Int) -> String {
    #"  line {"data":{"id":"\#(id)","text":"t","author_id":"1"},"matching_rules":[{"id":"\#(rule)","tag":""}]}"# + "\n"
  }

  private static func page(_ ids: ClosedRange<Int>, next: String? = nil, quotes: String = "\"") -> String {
    let data = ids.reversed().map { #"{"id":\#(quotes)\#($0)\#(quotes),"text":"t","author_id":"7"}"# }
    let token = next.map { #","next_token":"\#($0)""# } ?? ""
    return "  body {\"data\":[\(data.joined(separator: ","))],\"meta\":{\"result_count\":\(ids.count)\(token)}}\n"
  }

  private static let user = """
    GET /2/users/by/username/jack
      body {"data":{"id":"7","username":"jack","name":"n"}}

    """

  private static let foreign = (1...30).map { line($0, rule: 1) }.joined()

  static let cases = [
    Case(
      testDescription: "a stream", script: "stream\n  post 1..25\n  hold\n", arguments: ["#swift"], until: "post 25"),
    Case(
      testDescription: "foreign rules", script: "rule #cats theirs\nstream\n\(foreign)  post 1..2\n  hold\n",
      arguments: ["#swift"], until: "post 2\""),
    Case(
      testDescription: "a rule that many share", script: "rule #swift theirs\nstream\n  post 1..12\n  hold\n",
      arguments: ["#swift"], until: "post 12"),
    Case(
      testDescription: "unreadable messages",
      script: "stream\n  line {\"data\":{\"id\":\n  line no JSON\n  post 1..3\n  hold\n", arguments: ["#swift"],
      until: "post 3"),
    Case(
      testDescription: "repeated posts", script: "stream\n  post 1..9\n  post 1..9\n  post 10\n  hold\n",
      arguments: ["#swift"], until: "post 10"),
    Case(
      testDescription: "reconnects",
      script: "stream\n  post 1..9\n  close\nstream\n  post 5..20\n  close\nstream\n  post 21..22\n  hold\n",
      arguments: ["#swift"], until: "post 22"),
    Case(
      testDescription: "a gap that is filled",
      script: "stream\n  post 1..5\n  away 6..40\n  close\nstream\n  post 41..42\n  hold\n",
      arguments: ["--fill-gaps", "--search-lag", "0s", "#swift"], until: "post 42"),
    Case(
      testDescription: "a limit on a fast stream",
      script: "stream\n  post 1..125\n  pause 100ms\n  post 126..200\n  hold\n",
      arguments: ["--limit", "1", "#swift"]),
    Case(
      testDescription: "a budget that is used up", script: "stream\n  post 1..60\n  keep-alive 0 every 50ms\n",
      arguments: ["--budget", "20/day", "#swift"], until: #""code":"budget""#),
    Case(
      testDescription: "money that is used up", script: "stream\n  post 1..60\n  keep-alive 0 every 50ms\n",
      arguments: ["--budget", "$0.1/month", "#swift"], until: #""code":"budget""#),
    Case(
      testDescription: "pages",
      script: user + "GET /2/users/7/tweets\n\(page(101...200, next: "a"))GET /2/users/7/tweets\n\(page(1...100))",
      arguments: ["--once", "--all", "@jack"]),
    Case(
      testDescription: "pages with a limit",
      script: user + "GET /2/users/7/tweets\n\(page(101...200, next: "a"))GET /2/users/7/tweets\n\(page(1...100))",
      arguments: ["--once", "--all", "--limit", "130", "@jack"]),
    Case(
      testDescription: "pages without end", script: user + "GET /2/users/7/tweets\n\(page(1...50, next: "a"))",
      arguments: ["--once", "--all", "@jack"]),
    Case(
      testDescription: "pages of ids that are no texts",
      script: user + "GET /2/users/7/tweets\n\(page(1...90, next: "a", quotes: ""))",
      arguments: ["--once", "--all", "@jack"], isExact: false),
    Case(
      testDescription: "an answer that is cut off",
      script: user + "GET /2/users/7/tweets\n  text {\"data\":[{\"id\":\"1\"},{\"id\":\"2\"},\n  close\n",
      arguments: ["--once", "@jack"], isExact: false),
    Case(
      testDescription: "an account that is not there",
      script: "GET /2/users/by/username/jack\n  body {\"errors\":[{\"title\":\"Not Found Error\"}]}\n",
      arguments: ["--once", "@jack"]),
    Case(
      testDescription: "the posts of two accounts",
      script: user
        + "GET /2/users/7/tweets\n\(page(1...9))GET /2/users/me\n  body {\"data\":{\"id\":\"8\",\"username\":\"me\"}}\n"
        + "GET /2/users/8/mentions\n\(page(5...14))", arguments: ["--once", "@jack", "mentions"]),
    Case(
      testDescription: "a look-up", script: "GET /2/tweets\n\(page(1...40))", arguments: ["--once", "ids:-"],
      stdin: (1...40).map { "\($0)\n" }.joined()),
    Case(
      testDescription: "a killed stream", script: "stream\n  post 1..8\n  hold\n", arguments: ["#swift"],
      until: "post 8",
      signal: SIGKILL, isExact: false),
    Case(
      testDescription: "a killed stream with foreign rules",
      script: "rule #cats theirs\nstream\n\((1...7).map { line($0, rule: 1) }.joined())  post 1\n  hold\n",
      arguments: ["#swift"], until: "post 1\"", signal: SIGKILL, isExact: false),
    Case(
      testDescription: "a killed poll",
      script: user + "GET /2/users/7/tweets\n\(page(101...200, next: "a"))GET /2/users/7/tweets\n"
        + "  text {\"data\":[{\"id\":\"9\"},{\"id\":\"8\"},\n  hold\n", arguments: ["--once", "--all", "@jack"],
      until: "\"id\":\"101\"", signal: SIGKILL, isExact: false, runs: 1),
  ]

  @Test(arguments: cases) func theLedgerSaysNoLessThanWasDelivered(_ example: Case) throws {
    let service = try FaultyService(example.script)
    for _ in 0..<example.runs { try run(example, service) }
    let entries = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
    for kind in [BilledKind.posts, .users] {
      let counted = entries.reduce(0) { $0 + $1.all[kind] }
      // The server notes what it has sent a moment after it.
      let deadline = Date(timeIntervalSinceNow: 10)
      var count = try delivered(kind, by: service)
      while example.isExact, count < counted, Date() < deadline {
        Thread.sleep(forTimeInterval: 0.02)
        count = try delivered(kind, by: service)
      }
      #expect(counted >= count, "\(kind): \(count) delivered, \(counted) counted")
      if example.isExact { #expect(counted == count, "\(kind): \(count) delivered, \(counted) counted") }
    }
    #expect(!service.delivered.isEmpty || example.testDescription == "an account that is not there")
  }

  /// A stream and a poll at once, killed at any point between reservation and record, again and again. A stream has ten
  /// posts reserved before the first one comes, so what has not been read yet is counted too.
  @Test func noKillLosesACount() throws {
    let rounds = 8
    let streams = (0..<rounds).map { "stream\n  post \($0 * 8 + 1)..\($0 * 8 + 8)\n  hold\n" }.joined()
    let pages = (0..<rounds).map { round in
      let first = 10_000 * (round + 1)
      return "GET /2/users/7/tweets\n\(Self.page(first...first + 40, next: "a"))GET /2/users/7/tweets\n"
        + "  text {\"data\":[{\"id\":\"1\"},\n  hold\n"
    }
    let service = try FaultyService(streams + Self.user + pages.joined())
    let environment = ["TW_ENDPOINT": service.base, "TW_TOKEN": "t"]
    let budget = ["--budget", "$50/month"]
    for round in 0..<rounds {
      let stream = try RunningTool("tw-stream", budget + ["#swift"], environment: environment, home: home)
      let poll = try RunningTool(
        "tw-stream", budget + ["--once", "--all", "@jack"], environment: environment, home: home)
      // In every other round the stream has begun to print; in the others both may be anywhere.
      if round % 2 == 1 { try stream.waitForOutput(containing: "\"text\":\"post ") }
      if round % 4 == 2 { Thread.sleep(forTimeInterval: Double(round) / 20) }
      for tool in [stream, poll] { tool.signal(SIGKILL) }
      for tool in [stream, poll] { _ = try tool.finish() }
      let entries = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
      for kind in [BilledKind.posts, .users] {
        let counted = entries.reduce(0) { $0 + $1.all[kind] }
        let count = try delivered(kind, by: service)
        #expect(counted >= count, "round \(round), \(kind): \(count) delivered, \(counted) counted")
      }
    }
    #expect(try delivered(.posts, by: service) >= rounds / 2)
  }

  /// As the service bills it: each id once.
  private func delivered(_ kind: BilledKind, by service: FaultyService) throws -> Int {
    let own = service.delivered.filter { $0.hasPrefix(kind.rawValue + " ") }
    let nameless = own.count { $0.hasSuffix(" -") }
    return nameless + Set(own.filter { !$0.hasSuffix(" -") }).count
  }

  private func run(_ example: Case, _ service: FaultyService) throws {
    let budget = example.arguments.contains("--budget") ? [] : ["--budget", "$50/month"]
    let tool = try RunningTool(
      "tw-stream", budget + example.arguments, environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": "t"], home: home)
    if !example.stdin.isEmpty { tool.send(ToolInput(example.stdin)) }
    tool.closeInput()
    if let until = example.until {
      try tool.waitForOutput(containing: until)
      tool.signal(example.signal)
    }
    _ = try tool.finish()
  }
}
