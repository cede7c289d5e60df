import Foundation
import ServiceClients
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

@Suite(.onOwnThread(minutes: 1))
struct LiveFeedTests {
  /// Runs the filtered stream of hashtags until it has written `count` posts or failed.
  private func run(
    _ service: StreamService, count: Int, silence: Int = 5000, hashtags: [String] = ["swift"]
  ) throws -> FeedRun {
    var options = LiveFeed.Options()
    options.silence = silence
    return try FeedRun(service, hashtags: hashtags, count: count, options: options)
  }

  @Test func messagesOfItsRuleAreDeliveredAndTheRuleIsRemoved() throws {
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk("\r\n")
      connection.chunk(StreamService.message(1, rule: "7"))
      for byte in StreamService.message(2) { connection.chunk(String(byte)) }
      connection.chunk(StreamService.message(2) + StreamService.message(3) + "{\"cut\r\n" + StreamService.message(4))
      connection.pause(5)
    }
    let run = try run(service, count: 3)
    #expect(run.error == nil)
    #expect(run.events == ["foreign-rules", "connect", "foreign-posts", "#swift", "2", "3", "bad-message", "4"])
    #expect(run.lines[4] == String(StreamService.message(2).dropLast(1)))
    #expect(service.values == ["cats"])
  }

  /// A service that takes each connection and ends it at once gets fewer and fewer.
  @Test func theWaitGrowsWhereConnectionsDoNotLast() throws {
    let service = try StreamService()
    service.script { connection in
      connection.startStream()
      connection.chunk("\r\n")
      connection.endStream()
    }
    let connections = { service.requests.count { $0.target.hasPrefix("GET /2/tweets/search/stream?") } }
    let stream = FilteredStream(XRequests(service.access), hashtags: ["swift"])
    let run = try FeedRun(LiveFeed(stream, options: LiveFeed.Options()), service.access) { _, _, _ in connections() < 5
    }
    let waits = run.lines.compactMap { line -> Double? in
      guard let document = try? JSONDocument(line), document["code"]?.string == "reconnect" else { return nil }
      return document["wait"]?.double
    }
    #expect(waits.count >= 4 && zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 }, "\(waits)")
  }

  @Test func reconnectsAfterEachKindOfLossAndReportsTheGap() throws {
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
      { connection in connection.answer(503, "<html>", headers: ["Retry-After: 1"]) },
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
    let run = try run(service, count: 5, silence: 1000)
    #expect(run.error == nil)
    // The second connection repeats post 1, so nothing is missing; the others begin with something new.
    #expect(
      run.events == [
        "foreign-rules", "connect", "#swift", "1", "disconnect", "reconnect",
        "connect", "3", "disconnect", "reconnect",
        "reconnect",
        "connect", "gap", "5", "disconnect", "reconnect",
        "connect", "gap", "6", "disconnect", "reconnect",
        "connect", "gap", "7",
      ])
    let gap = try #require(run.lines.first { $0.contains("\"gap\"") })
    #expect(gap.contains(#""last_id":"3","next_id":"5""#))
    #expect(service.values == ["cats"])
  }

  @Test func waitsForTheEndOfARateLimit() throws {
    let service = try StreamService(
      { connection in
        let reset = Int(Date.now.timeIntervalSince1970) + 1
        connection.answer(429, headers: ["x-rate-limit-remaining: 0", "x-rate-limit-reset: \(reset)"])
      },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1))
        connection.pause(5)
      })
    let run = try run(service, count: 1)
    #expect(run.error == nil)
    #expect(run.events == ["foreign-rules", "rate-limit", "connect", "#swift", "1"])
  }

  @Test(arguments: [(401, TweetCore.ExitStatus.notAllowed), (402, .refused)])
  func aRefusalEndsItAndTheRuleIsRemoved(_ status: Int, _ expected: TweetCore.ExitStatus) throws {
    let service = try StreamService { $0.answer(status, #"{"detail":"no"}"#) }
    let run = try run(service, count: 1)
    #expect(run.error?.status == expected)
    #expect(service.values == ["cats"])
  }

  @Test func rulesOfOthersStayAndThoseOfKilledProgramsAreRemoved() throws {
    let script: StreamService.Script = { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1, rule: "8"))
      connection.pause(3)
    }
    let others = try StreamService(script)
    others.addRule("#swift", tag: "mine, says somebody")
    let shared = try run(others, count: 1)
    #expect(shared.events == ["rule-shared", "foreign-rules", "connect", "#swift", "1"])
    #expect(others.values == ["cats", "#swift"])

    let left = try StreamService(script)
    let tag = RuleTag(feed: "#swift").text.replacing(" \(getpid())@", with: " 2000000000@")
    left.addRule("#swift", tag: tag)
    #expect(try run(left, count: 1).events == ["foreign-rules", "connect", "#swift", "1"])
    #expect(left.values == ["cats"])
  }

  @Test func eachMessageHasTheContextOfItsFeed() throws {
    let service = try StreamService { connection in
      connection.startStream()
      for (id, rule) in [(1, "11"), (2, "12"), (3, "12"), (4, "11")] {
        connection.chunk(StreamService.message(id, rule: rule))
      }
      connection.pause(3)
    }
    let run = try run(service, count: 4, hashtags: ["a", "b"])
    #expect(run.events == ["foreign-rules", "connect", "#a", "1", "#b", "2", "3", "#a", "4"])
  }

  @Test func aSecondProgramOfTheKitIsReported() throws {
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1, rule: "8"))
      connection.pause(3)
    }
    // Process 1 lives as long as the machine is up.
    let tag = RuleTag(feed: "#swift").text.replacing(" \(getpid())@", with: " 1@")
    service.addRule("#swift", tag: tag)
    let run = try run(service, count: 1)
    #expect(run.events == ["second-instance", "foreign-rules", "connect", "#swift", "1"])
    #expect(run.notice("second-instance")?.contains("process 1 streams '#swift' already") == true)
    #expect(service.values == ["cats", "#swift"])
  }

  @Test func itWaitsForNewRules() throws {
    let missing = #"{"title":"ConnectionException","connection_issue":"RuleConfigurationIssue"}"#
    let service = try StreamService(
      { $0.answer(409, missing) },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1))
        connection.pause(3)
      })
    let run = try run(service, count: 1)
    #expect(run.events == ["foreign-rules", "reconnect", "connect", "#swift", "1"])
    // They are looked at before the second try, and are there.
    let rules = service.requests.filter { $0.target.contains("/rules") }.dropLast()
    #expect(rules.map { $0.body.contains("\"add\"") } == [false, true, false])
    #expect(service.values == ["cats"])
  }

  /// Others remove the last rule of the app: the service refuses the next connection. That ended the stream.
  @Test func aRefusalForWantOfRulesAddsThemAgain() throws {
    let missing = #"{"title":"ConnectionException","connection_issue":"RuleConfigurationIssue"}"#
    let service = try StreamService(
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(1, rule: "8"))
        connection.pause(1)
        connection.reset()
      },
      { $0.answer(409, missing) },
      { connection in
        connection.startStream()
        connection.chunk(StreamService.message(2, rule: "11"))
        connection.pause(3)
      })
    service.addRule("#swift", tag: "mine, says somebody")
    let stream = FilteredStream(XRequests(service.access), hashtags: ["swift"])
    var areRemoved = false
    let run = try FeedRun(LiveFeed(stream), service.access, count: 2) { _, _, writer in
      if writer.posts == 1, !areRemoved {
        ["#swift", "cats"].forEach(service.removeRule)
        areRemoved = true
      }
      return true
    }
    #expect(run.error == nil)
    #expect(run.codes.suffix(5) == ["disconnect", "reconnect", "rule-gone", "connect", "gap"], "\(run.events)")
    #expect(run.ids == [1, 2] && service.values == [])
  }

  /// One that others look after as well: no rule is gone, and none is added twice.
  @Test func rulesThatAreThereAreOnlyListed() throws {
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1))
      connection.pause(1)
      connection.chunk(StreamService.message(2))
      connection.pause(3)
    }
    var options = LiveFeed.Options()
    options.ruleInterval = 100
    let run = try FeedRun(service, count: 2, options: options)
    #expect(run.events == ["foreign-rules", "connect", "#swift", "1", "2"])
    #expect(service.requests.count { $0.target.hasPrefix("GET /2/tweets/search/stream/rules") } > 3)
    #expect(service.requests.count { $0.body.contains("\"add\"") } == 1)
  }

  /// The stream is open, and the rules cannot be listed: one notice says so, and the stream goes on.
  @Test func listsThatFailEndNoStream() throws {
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1))
      connection.pause(2)
      connection.chunk(StreamService.message(2))
      connection.pause(3)
    }
    var options = LiveFeed.Options()
    options.ruleInterval = 100
    let stream = FilteredStream(XRequests(service.access), hashtags: ["swift"])
    var turns = 0
    let run = try FeedRun(LiveFeed(stream, options: options), service.access, count: 2) { _, _, writer in
      if writer.posts == 1 { service.refuseLists() }
      turns += 1
      return true
    }
    #expect(run.error == nil)
    #expect(run.events == ["foreign-rules", "connect", "#swift", "1", "rules-unknown", "2"])
    #expect(turns < 300, "it does not wait for the next try")
  }

  @Test func manyHashtagsNeedSeveralRequests() throws {
    let tags = (0..<250).map { "tag\($0)" }
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1, rule: "11") + StreamService.message(2, rule: "260"))
      connection.pause(3)
    }
    let run = try run(service, count: 2, hashtags: tags)
    #expect(run.events == ["foreign-rules", "connect", "#tag0", "1", "#tag249", "2"])
    let adds = service.requests.filter { $0.body.contains("\"add\"") }
    #expect(adds.map { $0.body.components(separatedBy: "\"value\"").count - 1 } == [100, 100, 50])
    #expect(service.values == ["cats"])
  }

  @Test func aHashtagIsReplacedOnTheOpenConnection() throws {
    let gate = Searches(isOpen: false)
    let service = try StreamService { connection in
      connection.startStream()
      connection.chunk(StreamService.message(1, rule: "11"))
      while !gate.isOpen { connection.pause(0.01) }
      connection.chunk(StreamService.message(2, rule: "11") + StreamService.message(3, rule: "12"))
      connection.pause(3)
    }
    let feed = LiveFeed(FilteredStream(XRequests(service.access), hashtags: ["a"]))
    var isReplaced = false
    let run = try FeedRun(feed, service.access, count: 2) { feed, loop, writer in
      if writer.posts == 1, !isReplaced {
        isReplaced = try feed.replace(with: ["b"], in: &loop, to: &writer)
      }
      // The new rule is added before the old one is deleted.
      if service.values == ["cats", "#b"] { gate.open() }
      return true
    }
    #expect(run.events == ["foreign-rules", "connect", "#a", "1", "#b", "foreign-posts", "#b", "3"])
    #expect(run.lines[4].hasPrefix(##"{"tw":"query","feed":"#b""##))
    #expect(service.requests.count { $0.target.hasPrefix("GET /2/tweets/search/stream?") } == 1)
    #expect(service.values == ["cats"])
  }

  /// A sample has no hashtags: a hashtag needs another feed.
  @Test func theSampleIsNotReplaced() throws {
    let service = try StreamService { _ in }
    var feed = LiveFeed(SampleStream(XRequests(service.access)))
    var loop = try TransferLoop()
    let output = try FeedRun.Output()
    var writer = FeedWriter(
      OutputQueue(descriptor: output.descriptor), for: service.access, records: true, limit: nil
    ) { _ in }
    let isReplaced = try feed.replace(with: ["a"], in: &loop, to: &writer)
    try writer.flush()
    #expect(!isReplaced && output.lines == [])
  }

  /// The decoder returns nothing for the first bytes of a compressed stream, but the service is not silent.
  @Test func bytesInTheDecoderCountAsReceived() throws {
    let service = try StreamService { connection in
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n")
      for byte: UInt8 in [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] {
        connection.chunk([byte])
        connection.pause(0.25)
      }
      let message = Array(StreamService.message(1).utf8)
      // A stored block: its length, the same inverted, and the bytes as they are.
      connection.chunk([0, UInt8(message.count), 0, ~UInt8(message.count), 0xff] + message)
      connection.pause(5)
    }
    let run = try run(service, count: 1, silence: 1000)
    #expect(run.events == ["foreign-rules", "connect", "#swift", "1"])
  }

  @Test func itDoesNotWaitForAHeldConnectionBeyondItsDeadline() throws {
    let held =
      #"{"title":"ConnectionException","detail":"maximum allowed connection limit","#
      + #""connection_issue":"TooManyConnections","type":"https://api.twitter.com/2/problems/streaming-connection"}"#
    let service = try StreamService { $0.answer(429, held) }
    var options = LiveFeed.Options()
    options.deadline = MonotonicClock.milliseconds + 10_000
    let run = try FeedRun(service, count: 1, options: options)
    #expect(run.error?.status == .tryLater)
    #expect(run.error?.message?.contains("maximum allowed connection limit") == true)
    #expect(service.values == ["cats"])
  }
}
