import Foundation
import TestSupport
import Testing

/// Faults of services and networks, over real sockets, and what tw-stream prints and asks then.
@Suite(.onOwnThread) struct StreamFaultTests {
  private static let token = "hG7-very-secret-2Kq"

  private struct Outcome {
    let result: ToolResult
    let words: [String]
    let requests: [LoopbackServer.Request]
    let service: FaultyService
  }

  private func run(
    _ service: FaultyService, _ arguments: [String], until: String? = nil
  ) throws -> Outcome {
    let home = try TemporaryDirectory()
    try home.write("ids", "7\n8\n9\n")
    let tool = try RunningTool(
      "tw-stream", arguments, environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": Self.token], home: home)
    var words: [String] = []
    let deadline = Date(timeIntervalSinceNow: 60)
    while let line = try tool.line() {
      if Date() > deadline { throw CocoaError(.userCancelled) }
      // The number of damaged pieces does not matter.
      words += StreamRecords.words(line, of: service).filter { $0 != "bad-message" || words.last != $0 }
      if let until, words.last == until { tool.signal(SIGTERM) }
    }
    let result = try tool.finish()
    #expect(!result.output.contains(Self.token) && !result.errors.contains(Self.token), "the token is told")
    return Outcome(result: result, words: words, requests: service.requests, service: service)
  }

  @Test(arguments: lost + filled + served + keepsRule + patient + once + old + damaged + refused + told)
  func aFaultHasItsOutcome(_ fault: StreamCase) throws {
    let outcome = try run(FaultyService(fault.script), fault.arguments, until: fault.until)
    #expect(outcome.words.joined(separator: " ") == fault.records)
    // When the rules are listed is tested elsewhere; after a reconnect it takes a while.
    let kinds = outcome.requests.map(\.kind).filter { $0 != "list" }
    #expect(kinds.joined(separator: " ") == fault.requests)
    #expect(outcome.result.ending == fault.ending)
    if let says = fault.says {
      #expect(outcome.result.errors.contains(says), "\(outcome.result.errors)")
    }
    let connects = outcome.requests.filter { $0.kind == "stream" }.map(\.at)
    if fault.pause > 0 { #expect(connects[1] - connects[0] >= fault.pause) }
  }

  // MARK: Faults with a test of their own

  /// The connection is cut at every byte of the head and of messages: each post comes once.
  @Test func aCutAtAnyByteLosesNoPost() throws {
    // Head and first messages have some 700 bytes; a prime step cuts each chunk at other bytes.
    for cut in stride(from: 1, to: 700, by: 37) {
      let service = try FaultyService(
        """
        stream
          cut \(cut)
          post 1..3
        stream
          post 1..4
          hold
        """)
      let outcome = try run(service, ["--count", "4", "#swift"])
      let posts = outcome.words.filter { Int($0) != nil }
      #expect(posts == ["1", "2", "3", "4"], "cut at \(cut): \(outcome.words)")
      // Before the first post it is not known that none was missed.
      let doubts = outcome.words.filter { $0.hasPrefix("gap") || $0.hasPrefix("bad") }
      #expect(doubts.allSatisfy { $0 == "gap(?,1)" }, "cut at \(cut): \(doubts)")
      let kinds = outcome.requests.map(\.kind).filter { $0 != "list" }
      #expect(kinds == ["add", "stream", "stream", "delete"], "cut at \(cut)")
    }
  }

  /// Another host gets no request at all, so no token: neither another name of this machine nor another port.
  @Test(arguments: ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
  func aRedirectDoesNotGetTheToken(_ status: String) throws {
    let other = try FaultyService("stream\n  post 1\n  hold")
    for host in ["127.0.0.1", "localhost"] {
      for kind in ["add", "stream"] {
        let location = "http://\(host):\(other.port)/2/tweets/search/stream"
        let service = try FaultyService("\(kind)\n  status \(status)\n  header Location: \(location)\n  body")
        let outcome = try run(service, ["--count", "1", "#swift"])
        #expect(outcome.result.ending == .status(69) && outcome.result.errors.contains("redirects to '\(location)'"))
        #expect(outcome.requests.allSatisfy { $0["Authorization"] == "Bearer \(Self.token)" })
        #expect(outcome.requests.first { $0.kind == kind } != nil)
      }
    }
    #expect(other.requests.isEmpty)
  }

  /// A service that refuses connections for longer than three tries take.
  @Test func aServiceThatStartsLaterIsWaitedFor() throws {
    let service = try FaultyService(
      "add\n  refuse 1200ms\n  reset\nadd\n  usual\nstream\n  post 1\n  hold")
    let outcome = try run(service, ["--count", "1", "#swift"])
    #expect(outcome.result.ending == .status(0))
    #expect(outcome.requests.map(\.kind) == ["list", "add", "add", "stream", "delete"])
    #expect(outcome.result.errors.components(separatedBy: "until the service answers").count == 2)
  }

  /// The service leaves out an id without an error for it.
  @Test func anIDThatTheAnswerLeavesOutIsReported() throws {
    let service = try FaultyService(
      """
      GET /2/tweets
        body {"data":[{"id":"7","text":"t"}],"errors":[{"resource_id":"8","parameter":"ids","type":"x/resource-not-found"}]}
      """)
    let outcome = try run(service, ["--once", "ids:ids"])
    #expect(outcome.words == ["context", "7", "delete", "unavailable", "refresh"])
    #expect(outcome.result.errors.contains("post 9 is not available: the service's answer leaves it out"))
  }

  /// A redirect whose address has the token in it is shown without it.
  @Test func theTokenIsNotPrintedAsPartOfARedirect() throws {
    let service = try FaultyService("add\n  status 302 Found\n  header Location: /login?token=\(Self.token)\n  body")
    #expect(try run(service, ["#swift"]).result.errors.contains("redirects to '/login?token=(hidden)'"))
  }

  /// What a service says is understood before a token in it is hidden.
  @Test func aTokenThatIsAPartOfTheAnswerDoesNotChangeItsMeaning() throws {
    let service = try FaultyService(
      """
      stream
        status 429 Too Many Requests
        body {"title":"UsageCapExceeded","detail":"capped","type":"https://api.twitter.com/2/problems/usage-capped"}
      """)
    let environment = ["TW_ENDPOINT": service.base, "TW_TOKEN": "cap"]
    let result = try Tool.run("tw-stream", ["--for", "10s", "#swift"], environment: environment)
    #expect(result.ending == .status(69) && result.errors.contains("used up: (hidden)ped;"), "\(result.errors)")
  }

  /// A service that sends the token back does not get it into records or messages.
  @Test(arguments: ["add", "stream"])
  func theTokenIsNotPrintedEvenIfTheServiceSendsIt(_ kind: String) throws {
    let service = try FaultyService(
      "\(kind)\n  status 401 Unauthorized\n  body {\"detail\":\"\(Self.token) is no token\"}")
    let outcome = try run(service, ["#swift"])
    #expect(outcome.result.ending == .status(77) && outcome.result.errors.contains("(hidden) is no token"))
  }

  /// The full pipe makes the service wait: memory stays small however much there is to read.
  @Test func memoryStaysSmallWhileNobodyReads() throws {
    let service = try FaultyService("stream\n  pad 8K\n  post 1..20000\n  hold")
    let tool = try RunningTool(
      "tw-stream", ["--budget", "unlimited", "#swift"],
      environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": Self.token])
    #expect(try tool.line()?.contains("context") == true)
    // Long enough for a tool that reads ahead to read a good part of the 160 MB.
    Thread.sleep(forTimeInterval: 2)
    if let peak = tool.peakMemory { #expect(peak < 64 << 20, "\(peak >> 20) MiB") }
    tool.closeOutput()
    #expect(try tool.finish().ending == .status(0))
  }

  @Test func aSlowReaderLosesNothing() throws {
    let posts = 5000
    let service = try FaultyService("stream\n  post 1..\(posts)\n  hold")
    let tool = try RunningTool(
      "tw-stream", ["--count", String(posts), "--budget", "unlimited", "#swift"],
      environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": Self.token])
    #expect(try tool.line()?.contains("context") == true)
    Thread.sleep(forTimeInterval: 1)
    let words = try tool.finish().lines.flatMap { StreamRecords.words($0, of: service) }
    #expect(words == ["context", "connect"] + (1...posts).map(String.init))
  }

  /// The reader leaves while the stream is quiet: the tool ends, and removes its rule.
  @Test func aReaderThatLeavesEndsIt() throws {
    let service = try FaultyService("stream\n  post 1\n  keep-alive 0 every 100ms")
    let tool = try RunningTool(
      "tw-stream", ["#swift"], environment: ["TW_ENDPOINT": service.base, "TW_TOKEN": Self.token])
    try tool.waitForLines(3)
    tool.closeOutput()
    #expect(try tool.finish().ending == .status(0))
    #expect(service.requests.map(\.kind) == ["list", "add", "stream", "delete"])
  }

  private static let problem = "https://api.twitter.com/2/problems"

  // MARK: A connection that breaks off

  private static let lost =
    [
      ("ends in good order", "end"), ("closes without the last chunk", "close"), ("is reset", "reset"),
      ("closes in the middle of a chunk", "raw\n  text 40\n  bytes 0d 0a\n  text {\"data\":{\"id\":\"2\"\n  close"),
      ("is reset in the middle of a message", "text {\"data\":{\"id\":\"2\",\"te\n  pause 20ms\n  reset"),
      ("ends in the middle of a message", "text {\"data\":{\"id\":\"2\",\"te\n  end"),
      ("ends between CR and LF", "text {\"data\":{\"id\":\"2\",\"text\":\"post 2\"}}\n  bytes 0d\n  end"),
    ].map { name, steps in
      StreamCase(
        "a stream that \(name) is made anew, the gap is told, and no half message is printed",
        """
        stream
          post 1
          pause 20ms
          \(steps)
        stream
          post 4
          hold
        """, count: 2, requests: "add stream stream delete",
        records: "context connect 1 disconnect reconnect(0) connect gap(1,4) 4")
    } + [
      StreamCase(
        "a service that nobody listens for is tried again",
        """
        stream
          post 1
          pause 20ms
          refuse 230ms
          reset
        stream
          post 2
          hold
        """, count: 2, requests: "add stream stream delete",
        records: "context connect 1 disconnect reconnect(0) reconnect(0.25) connect gap(1,2) 2"),
      StreamCase(
        "a connection that ends in good order inside the answer's head is tried again at once",
        """
        stream
          raw
          text HTTP/1.1 200 OK
          bytes 0d 0a
          text Content-Ty
          close
        stream
          post 1
          hold
        """, count: 1, requests: "add stream stream delete", records: "context reconnect(0) connect 1"),
      StreamCase(
        "a search's answer that ends inside its head is asked for again",
        """
        search
          raw
          text HTTP/1.1 200 OK
          bytes 0d 0a
          text Content-Ty
          close
        search
          usual
        """, arguments: ["--once", "#swift"], requests: "search search", records: "context reconnect(0) refresh"),
      StreamCase(
        "a stream that ends as soon as it begins is tried more and more slowly",
        """
        stream
          end
        stream
          end
        stream
          end
        stream
          end
        stream
          status 402 Payment Required
          body
        """, requests: "add stream stream stream stream stream delete",
        records: "context" + [0, 0.25, 0.5, 0.75].map { " connect disconnect reconnect(\($0.formatted()))" }.joined(),
        ending: .status(69)),
      StreamCase(
        "posts that come again after a reconnect are printed once, and there is no gap",
        """
        stream
          post 1..3
          pause 20ms
          reset
        stream
          post 2..4
          post 4
          post 5
          hold
        """, count: 5, requests: "add stream stream delete",
        records: "context connect 1 2 3 disconnect reconnect(0) connect 4 5"),
      StreamCase(
        "a post that comes again without the newest one leaves the gap",
        """
        stream
          post 1..3
          pause 20ms
          reset
        stream
          post 2
          post 5
          hold
        """, count: 4, requests: "add stream stream delete",
        records: "context connect 1 2 3 disconnect reconnect(0) connect gap(3,5) 5"),
      StreamCase(
        "posts out of order around a loss are all printed, and the gap is told by the first that is newer",
        """
        stream
          post 2
          post 1
          post 4
          pause 20ms
          reset
        stream
          post 3
          post 7
          post 6
          hold
        """, count: 6, requests: "add stream stream delete",
        records: "context connect 2 1 4 disconnect reconnect(0) connect 3 gap(4,7) 7 6"),
    ]

  // MARK: Backfill

  private static let filling = ["--fill-gaps", "--search-lag", "0s", "#swift"]
  private static let filled = [
    StreamCase(
      "what was posted while the connection was lost comes in its place",
      """
      stream
        post 1..3
        pause 20ms
        away 4..6
        reset
      stream
        post 7
        hold
      """, arguments: filling, count: 7, requests: "add stream stream search delete",
      records: "context connect 1 2 3 disconnect reconnect(0) connect gap-filled 4 5 6 7"),
    StreamCase(
      "what was posted meanwhile comes also when the stream then stays quiet",
      """
      stream
        post 1..3
        pause 20ms
        away 4..6
        reset
      stream
        keep-alive 0 every 100ms
      """, arguments: filling, count: 6, requests: "add stream stream search delete",
      records: "context connect 1 2 3 disconnect reconnect(0) connect gap-filled 4 5 6"),
    StreamCase(
      "more than a page, oldest first",
      """
      stream
        post 1
        pause 20ms
        away 2..250
        reset
      stream
        post 251
        hold
      """, arguments: filling, count: 251, requests: "add stream stream search search search delete",
      records: "context connect 1 disconnect reconnect(0) connect gap-filled "
        + (2...251).map(String.init).joined(separator: " ")),
    StreamCase(
      "a search that fails in its middle is gone on with",
      """
      stream
        post 1
        pause 20ms
        away 2..150
        reset
      stream
        post 151
        hold
      search
        usual
      search
        status 503 Service Unavailable
        header Retry-After: 1
        body
      search
        usual
      """, arguments: filling, count: 151, requests: "add stream stream search search search delete",
      records: "context connect 1 disconnect reconnect(0) connect reconnect(1) gap-filled "
        + (2...151).map(String.init).joined(separator: " ")),
    StreamCase(
      "more than may be held goes on before what was missed, which is marked",
      """
      stream
        post 1
        pause 20ms
        away 2..3
        reset
      stream
        pad 2K
        post 4..6
        hold
      search
        pause 1s
        usual
      """, arguments: ["--buffer", "1K"] + filling, count: 6, requests: "add stream stream search delete",
      records: "context connect 1 disconnect reconnect(0) connect 4 5 6 gap-filled 2 3", says: "out of order"),
    StreamCase(
      "a straggler from before a loss does not hide what was missed",
      """
      stream
        post 1
        post 3
        pause 20ms
        away 4..6
        reset
      stream
        post 2
        post 7
        hold
      search
        pause 1s
        usual
      """, arguments: filling, count: 7, requests: "add stream stream search delete",
      records: "context connect 1 3 disconnect reconnect(0) connect gap-filled 2 4 5 6 7"),
    StreamCase(
      "where search is not allowed the stream goes on, and the gap is told",
      """
      stream
        post 1
        pause 20ms
        away 2..3
        reset
      stream
        post 4..5
        hold
      search
        pause 1s
        status 403 Forbidden
        body {"detail":"no, sorry"}
      """, arguments: filling, count: 3, requests: "add stream stream search delete",
      records: "context connect 1 disconnect reconnect(0) connect gap(1,4) 4 5"),
  ]

  // MARK: Unusual but correct services

  private static let served = [
    StreamCase(
      "keep-alives and the matches of others' rules are passed over",
      """
      rule cats theirs
      stream
        keep-alive 3 every 10ms
        line {"data":{"id":"5","text":"post 5"},"matching_rules":[{"id":"1","tag":"theirs"}]}
        post 6
        hold
      """, count: 1, requests: "add stream delete", records: "context foreign-rules connect foreign-posts 6"),
    StreamCase(
      "pieces of one byte",
      """
      stream
        split 1
        post 1..2
        keep-alive
        post 3
        hold
      """, count: 3, requests: "add stream delete", records: "context connect 1 2 3"),
    StreamCase(
      "gzip", "stream\n  gzip\n  post 1..2\n  keep-alive\n  post 3\n  hold", count: 3, requests: "add stream delete",
      records: "context connect 1 2 3"),
    StreamCase(
      "gzip in pieces of three bytes", "stream\n  gzip\n  split 3\n  post 1..3\n  hold", count: 3,
      requests: "add stream delete", records: "context connect 1 2 3"),
    StreamCase(
      "CR and LF in different pieces",
      """
      stream
        text {"data":{"id":"7","text":"post 7"}}
        bytes 0d
        pause 20ms
        bytes 0a 0d
        pause 20ms
        bytes 0a
        post 8
        hold
      """, count: 2, requests: "add stream delete", records: "context connect 7 8"),
    StreamCase(
      "messages that end with a mere LF",
      """
      stream
        text {"data":{"id":"7","text":"post 7"}}
        bytes 0a 0a
        text {"data":{"id":"8","text":"post 8"}}
        bytes 0a
        keep-alive
        pause 1s
        end
      stream
        status 402 Payment Required
        body
      """, count: 2, requests: "add stream delete", records: "context connect 7 8"),
    StreamCase(
      "a body that ends with its connection, without chunks",
      """
      stream
        raw
        text HTTP/1.0 200 OK
        bytes 0d 0a 0d 0a
        post 1
        close
      stream
        post 2
        hold
      """, count: 2, requests: "add stream stream delete",
      records: "context connect 1 disconnect reconnect(0) connect gap(1,2) 2"),
    StreamCase(
      "errors beside a post are the post's",
      """
      stream
        line {"data":{"id":"7","text":"post 7"},"errors":[{"title":"Not Found Error","type":"\(problem)/resource-not-found"}]}
        hold
      """, count: 1, requests: "add stream delete", records: "context connect 7"),
    StreamCase(
      "a rule of somebody else is used and left there",
      """
      rule #swift somebody's
      stream
        line {"data":{"id":"5","text":"post 5"},"matching_rules":[{"id":"1"}]}
        pause 20ms
        reset
      stream
        line {"data":{"id":"6","text":"post 6"},"matching_rules":[{"id":"1"}]}
        hold
      """, count: 2, requests: "stream stream",
      records: "context rule-shared connect 5 disconnect reconnect(0) connect gap(5,6) 6"),
    StreamCase(
      "a list of rules that is not a list is asked for again, and no rule counts as gone",
      """
      list
        body {"title":"Oh"}
      list
        usual
      stream
        post 1
        hold
      """, count: 1, requests: "add stream delete", records: "context reconnect(5) connect 1"),
    StreamCase(
      "connections that break off soon are paced by what is left of their limit",
      """
      stream
        header x-rate-limit-limit: 50
        header x-rate-limit-remaining: 25
        header x-rate-limit-reset: {now+120}
        post 1
        reset
      stream
        post 2
        hold
      """, count: 2, requests: "add stream stream delete",
      records: "context connect 1 disconnect reconnect(2) connect gap(1,2) 2", pause: 2000),
    StreamCase(
      "a connection that lasted is made again at once, however little is left of the limit",
      """
      stream
        header x-rate-limit-limit: 50
        header x-rate-limit-remaining: 40
        header x-rate-limit-reset: {now+100}
        post 1
        pause 1s
        reset
      stream
        post 2..3
        hold
      """, count: 3, requests: "add stream stream delete",
      records: "context connect 1 disconnect reconnect(0) connect gap(1,2) 2 3"),
    StreamCase(
      "two hashtags, each message under its own",
      """
      stream
        line {"data":{"id":"5","text":"post 5"},"matching_rules":[{"id":"12"}]}
        line {"data":{"id":"6","text":"post 6"},"matching_rules":[{"id":"11"},{"id":"12"}]}
        line {"data":{"id":"7","text":"post 7"},"matching_rules":[{"id":12,"tag":null}]}
        hold
      """, arguments: ["#a", "#b"], count: 3, requests: "add stream delete",
      records: "context connect context 5 context 6 context 7"),
    StreamCase(
      "a budget that is used up in the middle of a stream ends it there",
      "stream\n  post 1..2\n  pause 50ms\n  post 3\n  pause 1s\n  post 4..9\n  hold",
      arguments: ["--budget", "3/day", "--for", "20s", "#swift"], requests: "add stream delete",
      records: "context connect 1 2 3", ending: .status(75), says: "budget of 3 posts a day is used up"),
  ]

  /// What the service answers to the removal of a rule, and what the message says.
  private static let keepsRule =
    [
      ("a refusal", "status 500 Oh\n  body {}", "HTTP 500"),
      (
        "200 for nothing removed", #"body {"meta":{"summary":{"deleted":0,"not_deleted":1}}}"#,
        "has not removed 1 of them"
      ),
      ("200 with errors", #"body {"errors":[{"title":"Rule","detail":"it is locked"}]}"#, "it is locked"),
      ("200 with a page", "header Content-Type: text/html\n  body <p>Sign in</p>", "a web page came"),
      ("200 with nothing", "body", "answer is empty"),
    ].map { name, steps, says in
      StreamCase(
        "a rule that cannot be removed is reported at the end: \(name)",
        "stream\n  post 1\n  hold\ndelete\n  \(steps)", count: 1, requests: "add stream delete",
        records: "context connect 1", ending: .status(75), says: says)
    }

  // MARK: A service that does not answer at first

  private static let patient = [
    StreamCase(
      "the first set-up is tried again as long as it takes",
      String(repeating: "add\n  status 503 Busy\n  header Retry-After: 1\n  body\n", count: 4)
        + "add\n  usual\nstream\n  post 1\n  hold",
      count: 1, requests: "add add add add add stream delete",
      records: "context reconnect(1) reconnect(1) reconnect(1) reconnect(1) connect 1",
      says: "HTTP 503; trying again in 1 s, and again until the service answers\n"),
    StreamCase(
      "a service that never answers the set-up has failed when the time is over",
      "add\n  hold", arguments: ["--for", "500ms", "#swift"], requests: "add", records: "context", ending: .status(75),
      says: "the service never answered: there is no answer yet"),
    StreamCase(
      "a stream that is never there has failed when the time is over",
      "stream\n  status 503 Busy\n  body", arguments: ["--for", "500ms", "#swift"], requests: "add stream delete",
      records: "context reconnect(5)", ending: .status(75), says: "the service never answered: HTTP 503"),
    StreamCase(
      "a source that is never polled has failed when the time is over",
      "search\n  status 503 Busy\n  body", arguments: ["--for", "500ms", "search:tea"], requests: "search",
      records: "context reconnect(5)", ending: .status(75), says: "the service never answered: HTTP 503"),
    StreamCase(
      "a stream that is quiet until the time is over has not failed",
      "stream\n  keep-alive 0 every 100ms", arguments: ["--for", "500ms", "#swift"], requests: "add stream delete",
      records: "context connect"),
    StreamCase(
      "429 for the rule ends what has no time to wait",
      "add\n  status 429 Too Many Requests\n  body", arguments: ["--for", "30s", "#swift"], requests: "add",
      records: "context", ending: .status(75), says: "no time left to wait"),
  ]

  // MARK: Answers that are not answers

  /// The steps, and what the message says; the status is 75.
  private static let unreadable = [
    ("  header Content-Type: text/html\n  body <p>Sign in</p>", "a web page came in place of the service's answer"),
    ("  body", "the service's answer is empty"),
    ("  body {\"data\":[{\"id\":\"1\",\"te", "the service's answer is cut off"),
  ]

  private static let once = unreadable.flatMap { steps, says in
    let sources = [("search", "#swift"), ("GET /2/users/by/username/jack", "@jack"), ("GET /2/tweets", "ids:ids")]
    return sources.map { kind, source in
      StreamCase(
        "\(says), for \(source)", "\(kind)\n\(steps)", arguments: ["--once", source], requests: kind,
        records: "context bad-source", ending: .status(75), says: says)
    }
  }

  // MARK: X API v1.1

  private static let filter = "POST /1.1/statuses/filter.json"

  /// Steps that send a post with its length before it, or with another length.
  private static func framed(_ number: Int, length: Int? = nil) -> String {
    let post = #"{"id":\#(number),"id_str":"\#(number)","text":"é \#(number)","user":{"id_str":"12"}}"#
    return "  line \(length ?? post.utf8.count + 2)\n  line \(post)"
  }

  private static let old = [
    StreamCase(
      "v1.1: lengths in bytes, blank lines between, pieces of one byte",
      "\(filter)\n  split 1\n\(framed(7))\n  keep-alive 2\n\(framed(8))\n\(framed(9))\n  hold",
      arguments: ["--api", "1.1", "#swift"], count: 3, requests: filter, records: "context connect 7 8 9"),
    StreamCase(
      "v1.1: a length that is too small is told, and costs no post",
      "\(filter)\n\(framed(7, length: 20))\n\(framed(8))\n\(framed(9))\n  hold",
      arguments: ["--api", "1.1", "#swift"], count: 3, requests: filter, records: "context connect wrong-length 7 8 9"),
    StreamCase(
      "v1.1: a length that is too large is told, and costs no post",
      "\(filter)\n\(framed(7, length: 90))\n\(framed(8))\n\(framed(9))\n  hold",
      arguments: ["--api", "1.1", "#swift"], count: 3, requests: filter, records: "context connect wrong-length 7 8 9"),
    StreamCase(
      "v1.1: without lengths a mere LF may stand inside a message",
      """
      \(filter)
        text {"id":7,"id_str":"7","text":"post 7",
        bytes 0a
        line "user":{"id_str":"12"}}
        line {"id":8,"id_str":"8","text":"post 8","user":{"id_str":"12"}}
        hold
      """, arguments: ["--api", "1.1", "--undelimited", "#swift"], count: 2, requests: filter,
      records: "context connect 7 8"),
    StreamCase(
      "v1.1: posts that have but an id_str are counted, and come once",
      """
      \(filter)
        line {"id_str":"7","text":"post 7","user":{"id_str":"12"}}
        pause 20ms
        reset
      \(filter)
        line {"id_str":"7","text":"post 7","user":{"id_str":"12"}}
        line {"id_str":"8","text":"post 8","user":{"id_str":"12"}}
        hold
      """, arguments: ["--api", "1.1", "--undelimited", "#swift"], count: 2, requests: "\(filter) \(filter)",
      records: "context connect 7 disconnect reconnect(0) connect 8"),
    StreamCase(
      "v1.1: a disconnect message is a disconnect",
      """
      \(filter)
      \(framed(7))
        line 64
        line {"disconnect":{"code":4,"stream_name":"x","reason":"slow, x"}}
        hold
      \(filter)
      \(framed(8))
        hold
      """, arguments: ["--api", "1.1", "#swift"], count: 2, requests: "\(filter) \(filter)",
      records: "context connect 7 disconnect reconnect(0) connect gap(7,8) 8"),
  ]

  // MARK: Damaged answers

  private static let damaged = [
    StreamCase(
      "random bytes between messages",
      """
      stream
        post 1
        garbage 4K
        bytes 0d 0a
        post 2
        hold
      """, count: 2, requests: "add stream delete", records: "context connect 1 bad-message 2", ending: .status(1),
      says: "a message of the service was left out"),
    StreamCase(
      "another protocol",
      """
      stream
        raw
        text SSH-2.0-OpenSSH_9.2
        bytes 0d 0a
        close
      """, requests: "add stream delete", records: "context reconnect(5)", until: "reconnect(5)"),
    StreamCase(
      "random bytes in place of an answer", "stream\n  raw\n  garbage 64K\n  close", requests: "add stream delete",
      records: "context reconnect(5)", until: "reconnect(5)"),
    StreamCase(
      "a header of 10 MB", "stream\n  headers 10M\n  post 1\n  hold", requests: "add stream delete",
      records: "context reconnect(5)", until: "reconnect(5)"),
    StreamCase(
      "what is said to be gzip and is none",
      "stream\n  header Content-Encoding: gzip\n  line {\"data\":{}}\n  hold", requests: "add stream delete",
      records: "context connect disconnect reconnect(5)", until: "reconnect(5)"),
    StreamCase(
      "a page for people in place of the stream",
      """
      stream
        header Content-Type: text/html
        body <html><body>Sign in to the hotel's network</body></html>
      """, requests: "add stream delete", records: "context reconnect(5)",
      says: "a web page came in place of the stream", until: "reconnect(5)"),
    StreamCase(
      "a page for people in place of the rules",
      """
      add
        header Content-Type: text/html; charset=utf-8
        body <html><body>Sign in to the hotel's network</body></html>
      """, requests: "add", records: "context reconnect(5)", says: "a web page came in place", until: "reconnect(5)"),
  ]

  // MARK: Refusals

  /// The HTTP status, the exit status, what the message says to do.
  private static let final: [(String, Int32, String)] = [
    ("400 Bad Request", 69, "no, sorry"), ("401 Unauthorized", 77, "tw config set token-file"),
    ("402 Payment Required", 69, "add credit"), ("403 Forbidden", 77, "not allow"),
    ("404 Not Found", 69, "not there"), ("406 Not Acceptable", 69, "does not answer such a request"),
    ("413 Content Too Large", 69, "shorten"), ("416 Range Not Satisfiable", 69, "does not answer"),
    ("422 Unprocessable Content", 69, "does not accept"),
  ]

  private static let refused =
    final.flatMap { status, ending, says in
      [
        StreamCase(
          "\(status) for the stream ends it at once", "stream\n  status \(status)\n  body {\"detail\":\"no, sorry\"}",
          requests: "add stream delete", records: "context", ending: .status(ending), says: says),
        StreamCase(
          "\(status) for the rule ends it at once", "add\n  status \(status)\n  body {\"detail\":\"no, sorry\"}",
          requests: "add", records: "context", ending: .status(ending), says: says),
      ]
    } + [
      StreamCase(
        "503 is tried again when the service says, and not before",
        """
        stream
          status 503 Service Unavailable
          header Retry-After: 1
          body <html><h1>Over capacity</h1></html>
        stream
          post 1
          hold
        """, count: 1, requests: "add stream stream delete", records: "context reconnect(1) connect 1", pause: 1000),
      StreamCase(
        "503 for the rule is tried again",
        """
        add
          status 503 Service Unavailable
          header Retry-After: 1
          body
        add
          usual
        stream
          post 1
          hold
        """, count: 1, requests: "add add stream delete", records: "context reconnect(1) connect 1"),
      StreamCase(
        "503 that does not say when waits for 5 s", "stream\n  status 503 Busy\n  body", requests: "add stream delete",
        records: "context reconnect(5)", until: "reconnect(5)"),
      StreamCase(
        "429 waits for the end of the window",
        """
        stream
          status 429 Too Many Requests
          header x-rate-limit-remaining: 0
          header x-rate-limit-reset: {now+1}
          body {"title":"Too Many Requests","detail":"Too Many Requests","type":"about:blank","status":429}
        stream
          post 1
          hold
        """, count: 1, requests: "add stream stream delete", records: "context rate-limit(2) connect 1", pause: 1000),
      StreamCase(
        "429 that does not say when waits for a minute", "stream\n  status 429 Too Many Requests\n  body",
        requests: "add stream delete", records: "context rate-limit(60)", until: "rate-limit(60)"),
      StreamCase(
        "420 waits for a minute",
        "stream\n  status 420 Enhance Your Calm\n  body Exceeded connection limit for user",
        requests: "add stream delete", records: "context rate-limit(60)", until: "rate-limit(60)"),
      StreamCase(
        "429 because the month's reads are used up is final",
        """
        stream
          status 429 Too Many Requests
          header x-rate-limit-remaining: 44
          body {"title":"UsageCapExceeded","period":"Monthly","detail":"Usage cap exceeded: Monthly product cap","type":"\(problem)/usage-capped"}
        """, requests: "add stream delete", records: "context", ending: .status(69), says: "used up"),
      StreamCase(
        "429 because another program holds the connection is waited for",
        "stream\n  status 429 Too Many Requests\n  header x-rate-limit-remaining: 44\n  body \(held)",
        requests: "add stream delete", records: "context connection-limit(60)", says: "another program",
        until: "connection-limit(60)"),
      StreamCase(
        "429 because another program holds the connection ends what has no time to wait",
        "stream\n  status 429 Too Many Requests\n  body \(held)", arguments: ["--for", "30s", "#swift"],
        requests: "add stream delete", records: "context", ending: .status(75), says: "another program"),
      StreamCase(
        "429 because our own old connection is not yet given up is waited for",
        """
        stream
          post 1
          pause 20ms
          reset
        stream
          status 429 Too Many Requests
          body \(held)
        """, requests: "add stream stream delete",
        records: "context connect 1 disconnect reconnect(0) connection-limit(60)",
        until: "connection-limit(60)"),
      StreamCase(
        "409 right after adding a rule is tried again",
        "stream\n  status 409 Conflict\n  body \(ruleless)", requests: "add stream delete",
        records: "context reconnect(5)", until: "reconnect(5)"),
    ]

  private static let held =
    #"{"title":"ConnectionException","detail":"This stream is currently at the maximum allowed connection limit.","#
    + #""connection_issue":"TooManyConnections","type":"\#(problem)/streaming-connection"}"#
  private static let ruleless =
    #"{"title":"ConnectionException","detail":"You must define rules","connection_issue":"RuleConfigurationIssue","#
    + #""type":"\#(problem)/streaming-connection"}"#

  // MARK: Errors inside the stream

  private static let disconnect =
    #"{"title":"operational-disconnect","disconnect_type":"UpstreamOperationalDisconnect","#
    + #""detail":"This stream has been disconnected for operational reasons.","#
    + #""type":"\#(problem)/operational-disconnect"}"#

  private static let told =
    [("wrapped in errors", "{\"errors\":[\(disconnect)]}"), ("bare", disconnect)].map { name, message in
      StreamCase(
        "a disconnect message, \(name), is a disconnect and no data, whether or not the service closes",
        """
        stream
          post 1
          line \(message)
          hold
        stream
          post 2
          hold
        """, count: 2, requests: "add stream stream delete",
        records: "context connect 1 disconnect reconnect(0) connect gap(1,2) 2", says: "operational reasons")
    } + [
      StreamCase(
        "a usage cap inside the stream is final",
        """
        stream
          post 1
          line {"title":"UsageCapExceeded","detail":"Monthly product cap","type":"\(problem)/usage-capped"}
          hold
        """, requests: "add stream delete", records: "context connect 1 disconnect", ending: .status(69),
        says: "used up")
    ]

  /// Who set the proxy that does not work, and which one it is.
  @Test func aProxyIsNamedInErrors() throws {
    let refusing = try LoopbackServer { _ in .answer(403) }
    for (proxy, words) in [("127.0.0.1:9", "refused"), ("127.0.0.1:\(refusing.port)", "403")] {
      let result = try Tool.run(
        "tw-stream", ["--once", "search:x"],
        environment: [
          "TW_TOKEN": "a-token", "TW_ENDPOINT": "https://service.example", "https_proxy": "http://me:secret@\(proxy)",
        ])
      #expect(result.status == 75)
      #expect(result.errors.contains("through the proxy '\(proxy)' of https_proxy"), "\(result.errors)")
      #expect(result.errors.contains(words) && !result.errors.contains("secret"), "\(result.errors)")
    }
  }
}
