import Foundation
import Synchronization
import Testing
import TweetCore
import TweetNet
import TweetServices

/// A service that keeps rules as X does, and streams what the test scripts: one closure a connection, in order.
private final class StreamService: Sendable {
  typealias Script = @Sendable (Connection) -> Void

  private let rules = Mutex<[(id: String, value: String, tag: String)]>([("7", "cats", "somebody's")])
  private let scripts: [Script]
  private let connections = Atomic<Int>(0)
  private let server = Mutex<LoopbackServer?>(nil)

  init(_ scripts: Script...) throws {
    self.scripts = scripts
    let made = try LoopbackServer { [weak self] request, connection in self?.serve(request, connection) }
    server.withLock { $0 = made }
  }

  var values: [String] { rules.withLock { $0.map(\.value) } }
  var access: ServiceAccess {
    let base = server.withLock { $0?.base ?? "" }
    return ServiceAccess(service: "local", base: base, token: Secret("t"))
  }

  func addRule(_ value: String, tag: String) { rules.withLock { $0.append(("8", value, tag)) } }

  private func serve(_ request: LoopbackServer.Request, _ connection: Connection) {
    if !request.target.contains("/rules") {
      let number = connections.add(1, ordering: .relaxed).oldValue
      return scripts[min(number, scripts.count - 1)](connection)
    }
    guard let document = try? JSONDocument(request.body) else {
      let list = rules.withLock { $0.map { #"{"id":"\#($0.id)","value":"\#($0.value)","tag":"\#($0.tag)"}"# } }
      return connection.answer("200 OK", #"{"data":[\#(list.joined(separator: ","))]}"#)
    }
    if let add = document.root["add"] {
      var data: [String] = []
      var errors: [String] = []
      for rule in add.elements {
        let (value, tag) = (rule["value"]?.string ?? "", rule["tag"]?.string ?? "")
        rules.withLock { rules in
          if let known = rules.first(where: { $0.value == value }) {
            errors.append(#"{"value":"\#(value)","id":"\#(known.id)","title":"DuplicateRule"}"#)
          } else {
            rules.append((String(10 + rules.count), value, tag))
            data.append(#"{"id":"\#(9 + rules.count)","value":"\#(value)","tag":"\#(tag)"}"#)
          }
        }
      }
      connection.answer(
        "201 Created", #"{"data":[\#(data.joined(separator: ","))],"errors":[\#(errors.joined(separator: ","))]}"#)
    } else {
      let ids = document.root["delete"]?["ids"]?.elements.compactMap { $0.string } ?? []
      rules.withLock { $0.removeAll { ids.contains($0.id) } }
      connection.answer("200 OK", "{}")
    }
  }

  static func message(_ id: Int, rule: String = "11") -> String {
    #"{"data":{"id":"\#(id)","text":"t"},"matching_rules":[{"id":"\#(rule)","tag":null}]}"# + "\r\n"
  }
}

@Suite(.timeLimit(.minutes(1)))
struct LiveFeedTests {
  /// Runs a feed until it has written `count` posts or failed.
  ///
  /// - Returns: the ids of posts and the codes of notices in order, the lines, and the error that ended it.
  private func run(
    _ service: StreamService, count: Int, silence: Int = 5000, hashtags: [String] = ["swift"],
    options: LiveFeed.Options = LiveFeed.Options()
  ) throws -> (events: [String], lines: [String], error: ToolError?) {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var loop = try TransferLoop()
    var writer = FeedWriter(
      OutputQueue(descriptor: fileno(file)), for: service.access, records: true, limit: count
    ) { _ in }
    var options = options
    options.silence = silence
    var feed = LiveFeed(FilteredStream(XRequests(service.access), hashtags: hashtags), options: options)
    var failure: ToolError?
    do throws(ToolError) {
      try feed.begin(in: &loop, to: &writer)
      while writer.remaining != 0 {
        let wait = feed.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) } ?? 10_000
        for event in try loop.wait(timeoutMilliseconds: wait) { try feed.handle(event, in: &loop, to: &writer) }
        try feed.wake(in: &loop, to: &writer)
      }
      try feed.close(to: &writer)
    } catch {
      failure = error
    }
    #expect(feed.end(in: &loop) == nil)
    try writer.flush()
    rewind(file)
    let text = String(decoding: FileHandle(fileDescriptor: fileno(file)).readDataToEndOfFile(), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    let events = try lines.map { line in
      let document = try JSONDocument(line)
      let root = document.root
      return root["code"]?.string ?? root["data"]?["id"]?.string ?? root["feed"]?.string ?? "?"
    }
    return (events, lines, failure)
  }

  @Test func passesOnWhatItsRuleMatchedAndTidiesUp() throws {
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk("\r\n")
      connection.chunk(StreamService.message(1, rule: "7"))
      for byte in StreamService.message(2) { connection.chunk(String(byte)) }
      connection.chunk(StreamService.message(2) + StreamService.message(3) + "{\"cut\r\n" + StreamService.message(4))
      connection.pause(5)
    }
    let (events, lines, error) = try run(service, count: 3)
    #expect(error == nil)
    #expect(events == ["connect", "#swift", "2", "3", "bad-message", "4"])
    #expect(lines[2] == String(StreamService.message(2).dropLast(1)))
    #expect(service.values == ["cats"])
  }

  @Test func comesBackAfterEachKindOfLossAndTellsTheGap() throws {
    let service = try StreamService(
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1) + #"{"data":{"id":"2","te"#)
        connection.reset()
      },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1) + StreamService.message(3))
        connection.endStream()
      },
      { connection in connection.answer("503 Busy", "<html>", headers: ["Retry-After: 1"]) },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(5))
        connection.chunk(#"{"errors":[{"title":"operational-disconnect","detail":"cut off"}]}"# + "\r\n")
        connection.pause(3)
      },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(6))
        for _ in 0..<4 {
          connection.pause(0.3)
          connection.chunk("\r\n")
        }
        connection.pause(5)
      },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(7))
        connection.pause(5)
      })
    let (events, lines, error) = try run(service, count: 5, silence: 1000)
    #expect(error == nil)
    // The second connection repeats post 1, so nothing is missing; the others begin with something new.
    #expect(
      events == [
        "connect", "#swift", "1", "disconnect", "reconnect",
        "connect", "3", "disconnect", "reconnect",
        "reconnect",
        "connect", "gap", "5", "disconnect", "reconnect",
        "connect", "gap", "6", "disconnect", "reconnect",
        "connect", "gap", "7",
      ])
    let gap = try #require(lines.first { $0.contains("\"gap\"") })
    #expect(gap.contains(#""last_id":"3","next_id":"5""#))
    #expect(service.values == ["cats"])
  }

  @Test func waitsForARateLimitsEnd() throws {
    let service = try StreamService(
      { connection in
        let reset = Int(Date.now.timeIntervalSince1970) + 1
        connection.answer(
          "429 Too Many Requests", headers: ["x-rate-limit-remaining: 0", "x-rate-limit-reset: \(reset)"])
      },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1))
        connection.pause(5)
      })
    let (events, _, error) = try run(service, count: 1)
    #expect(error == nil)
    #expect(events == ["rate-limit", "connect", "#swift", "1"])
  }

  @Test(arguments: [("401 Unauthorized", TweetCore.ExitStatus.notAllowed), ("402 Payment Required", .refused)])
  func aRefusalEndsItAndTakesTheRuleAway(_ status: String, _ expected: TweetCore.ExitStatus) throws {
    let service = try StreamService { $0.answer(status, #"{"detail":"no"}"#) }
    let (_, _, error) = try run(service, count: 1)
    #expect(error?.status == expected)
    #expect(service.values == ["cats"])
  }

  @Test func rulesOfOthersStayAndLeftOnesAreTakenOver() throws {
    let script: StreamService.Script = { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1, rule: "8"))
      connection.pause(3)
    }
    let others = try StreamService(script)
    others.addRule("#swift", tag: "mine, says somebody")
    let shared = try run(others, count: 1)
    #expect(shared.events == ["rule-shared", "connect", "#swift", "1"])
    #expect(others.values == ["cats", "#swift"])

    let left = try StreamService(script)
    let tag = RuleTag(feed: "#swift").text.replacing(" \(getpid())@", with: " 2000000000@")
    left.addRule("#swift", tag: tag)
    #expect(try run(left, count: 1).events == ["connect", "#swift", "1"])
    #expect(left.values == ["cats"])
  }

  @Test func eachMessageStandsUnderItsFeed() throws {
    let service = try StreamService { connection in
      connection.startStream()
      for (id, rule) in [(1, "11"), (2, "12"), (3, "12"), (4, "11")] {
        connection.chunk(StreamService.message(id, rule: rule))
      }
      connection.pause(3)
    }
    let (events, _, _) = try run(service, count: 4, hashtags: ["a", "b"])
    #expect(events == ["connect", "#a", "1", "#b", "2", "3", "#a", "4"])
  }
}
