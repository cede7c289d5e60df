import Foundation
import ServiceClients
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

/// Backfill: each post comes exactly once, in order if possible; if not, a notice says so.
@Suite(.onOwnThread(minutes: 1))
struct LiveGapTests {
  private static var filling: LiveFeed.Options {
    var options = LiveFeed.Options()
    options.silence = 5000
    options.fillsGaps = true
    options.searchLag = 0
    return options
  }

  /// A connection that brings posts and then breaks off, after others were published that it did not bring.
  private static func brings(
    _ ids: ClosedRange<Int>?, _ searches: Searches, publishing missed: ClosedRange<Int>? = nil
  ) -> StreamService.Script {
    { connection in
      connection.startStream()
      if let ids {
        searches.publish(ids)
        for id in ids { connection.chunk(StreamService.message(id)) }
      }
      if let missed { searches.publish(missed) }
      connection.endStream()
    }
  }

  /// A connection that brings posts and goes on.
  private static func stays(_ ids: ClosedRange<Int>, _ searches: Searches) -> StreamService.Script {
    { connection in
      connection.startStream()
      searches.publish(ids)
      for id in ids { connection.chunk(StreamService.message(id)) }
      for _ in 0..<40 {
        connection.pause(0.5)
        connection.chunk("\r\n")
      }
    }
  }

  /// Runs until `count` posts are written; the search answers only when `opening` is true.
  private func run(
    _ service: StreamService, _ searches: Searches, count: Int, hashtags: [String] = ["swift"],
    options: LiveFeed.Options = filling, opening: (Int, StreamService) -> Bool = { _, _ in true }
  ) throws -> FeedRun {
    let stream = FilteredStream(XRequests(service.access), hashtags: hashtags)
    return try FeedRun(LiveFeed(stream, options: options), service.access, count: count) { _, _, writer in
      if opening(writer.posts, service) { searches.open() }
      return true
    }
  }

  private static func streams(_ service: StreamService) -> Int {
    service.requests.count { $0.target.hasPrefix("GET /2/tweets/search/stream?") }
  }

  @Test func postsOfAGapComeBeforeTheNextMessageOfTheStream() throws {
    let searches = Searches(pageSize: 100)
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...252), Self.stays(253...255, searches), searches: searches)
    let run = try run(service, searches, count: 255)
    #expect(run.error == nil)
    #expect(run.ids == Array(1...255))
    let notice = try #require(run.notice("gap-filled"))
    #expect(notice.contains(#""level":"info""#) && notice.contains(#""last_id":"2""#), "\(notice)")
    // Oldest first, although the search returns the newest first; each line of a page has the page's other members.
    let page = try #require(run.lines.first { $0.hasPrefix(#"{"data":[{"id":"3""#) })
    #expect(page.hasSuffix(#"],"includes":{"users":[{"id":"12","username":"jack","name":"jack"}]}}"#))
    #expect(service.values == ["cats"])
  }

  /// Another client deletes our rule, and the connection stays: its posts are fetched, once and in order.
  @Test(arguments: [true, false]) func aDeletedRuleIsAddedAgainAndItsPostsAreFetched(_ hasOther: Bool) throws {
    let searches = Searches()
    let service = try StreamService(searches: searches)
    service.script { connection in
      connection.startStream()
      let ids = service.ruleIDs
      connection.chunk(StreamService.message(1, rule: ids["#a"] ?? ""))
      if hasOther { connection.chunk(StreamService.message(2, rule: ids["#b"] ?? "")) }
      while service.ruleIDs["#a"] == ids["#a"] { connection.pause(0.01) }
      if hasOther { connection.chunk(StreamService.message(5, rule: ids["#b"] ?? "")) }
      while service.ruleIDs["#a"] == nil { connection.pause(0.01) }
      // It comes before the answer that says the rule's id, or after it.
      connection.chunk(StreamService.message(6, rule: service.ruleIDs["#a"] ?? "", tag: RuleTag(feed: "#a").text))
      for _ in 0..<20 {
        connection.pause(0.5)
        connection.chunk("\r\n")
      }
    }
    var options = Self.filling
    options.ruleInterval = 300
    let stream = FilteredStream(XRequests(service.access), hashtags: hasOther ? ["a", "b"] : ["a"])
    var isDeleted = false
    let count = hasOther ? 6 : 4
    let run = try FeedRun(LiveFeed(stream, options: options), service.access, count: count) { _, _, writer in
      if writer.posts == (hasOther ? 2 : 1), !isDeleted {
        searches.publish(3...4)
        service.removeRule("#a")
        isDeleted = true
      }
      return true
    }
    #expect(run.error == nil)
    // The connection stays.
    #expect(run.codes.count { $0 == "rule-gone" } == 1 && run.codes.count { $0 == "connect" } == 1)
    #expect(run.notice("rule-gone")?.contains(##""feed":"#a""##) == true)
    if hasOther {
      #expect(run.ids.sorted() == Array(1...6))
      #expect(run.notice("gap-filled")?.contains(#""late":true"#) == true)
    } else {
      let isLate = run.notice("gap-filled")?.contains(#""late":true"#) == true
      #expect(run.ids == (isLate ? [1, 6, 3, 4] : [1, 3, 4, 6]))
    }
    #expect(service.values == ["cats"])
  }

  @Test func messagesWaitForTheSearchAndComeInOrder() throws {
    let searches = Searches(isOpen: false)
    let service = try StreamService(
      Self.brings(1...3, searches, publishing: 4...6), Self.stays(7...9, searches), searches: searches)
    var waits = 0
    // Long enough for the messages to be written if they were not held back.
    let run = try run(service, searches, count: 9) { _, service in
      waits += Self.streams(service) > 1 ? 1 : 0
      return waits > 4
    }
    #expect(run.ids == Array(1...9))
    #expect(run.codes.filter { $0.hasPrefix("gap") } == ["gap-filled"])
  }

  @Test func beyondTheBufferPostsOfTheGapComeLateAndAreMarked() throws {
    let searches = Searches(isOpen: false)
    let service = try StreamService(
      Self.brings(1...3, searches, publishing: 4...6), Self.stays(7...9, searches), searches: searches)
    var options = Self.filling
    options.buffer = 300
    let run = try run(service, searches, count: 9, options: options) { posts, _ in posts >= 6 }
    #expect(run.ids == [1, 2, 3, 7, 8, 9, 4, 5, 6])
    let notice = try #require(run.notice("gap-filled"))
    #expect(notice.contains(#""count":3"#) && notice.contains(#""late":true"#), "\(notice)")
    #expect(notice.contains(#""last_id":"3","next_id":"7""#) && notice.contains(#""level":"warning""#), "\(notice)")
  }

  @Test func aLossDuringTheSearchIsAnotherGap() throws {
    let searches = Searches(isOpen: false)
    let service = try StreamService(
      Self.brings(1...3, searches, publishing: 4...5), Self.brings(6...7, searches, publishing: 8...9),
      Self.brings(nil, searches, publishing: 10...10), Self.stays(11...12, searches), searches: searches)
    let run = try run(service, searches, count: 12) { _, service in Self.streams(service) == 4 }
    #expect(run.ids == Array(1...12))
    #expect(run.codes.filter { $0.hasPrefix("gap") } == ["gap-filled", "gap-filled"])
  }

  @Test func aStreamWithoutPostsIsSearchedFromItsBeginning() throws {
    let searches = Searches()
    let service = try StreamService(
      Self.brings(nil, searches, publishing: 1...2), Self.stays(3...4, searches), searches: searches)
    let run = try run(service, searches, count: 4)
    #expect(run.ids == Array(1...4))
    let search = try #require(service.requests.first { $0.target.contains("/search/recent") })
    #expect(search.parameter("start_time") != nil && search.parameter("since_id") == nil)
  }

  @Test func aRefusedSearchIsReportedAsAGapAndTheStreamGoesOn() throws {
    let searches = Searches(refusals: [(403, #"{"detail":"not in your plan"}"#)])
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...6, searches), searches: searches)
    let run = try run(service, searches, count: 4)
    #expect(run.ids == [1, 2, 5, 6])
    let notice = try #require(run.notice("gap"))
    #expect(notice.contains("not in your plan") && notice.contains(#""last_id":"2""#), "\(notice)")
  }

  @Test func aSearchIsRetriedAndItsReachIsReported() throws {
    let tooOld =
      #"{"errors":[{"message":"'since_id' must be a tweet id created after 2026-11-14T00:00Z. Please use a 'since_id'"#
      + #" that is larger than 7"}],"title":"Invalid Request","detail":"One or more parameters was invalid."}"#
    let searches = Searches(refusals: [(302, ""), (400, tooOld)])
    let lost = Searches(refusals: [(400, tooOld)])
    for (searches, expected) in [(searches, [1, 2, 5]), (lost, [1, 2, 3, 4, 5])] {
      let service = try StreamService(
        Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...5, searches), searches: searches)
      let run = try run(service, searches, count: expected.count)
      #expect(run.ids == expected)
      if expected.count == 5 {
        let notice = try #require(run.notice("gap-filled"))
        #expect(notice.contains("older than the search reaches"), "\(notice)")
        let second = service.requests.filter { $0.target.contains("/search/recent") }.last
        #expect(second?.parameter("start_time") != nil && second?.parameter("since_id") == nil)
      }
    }
  }

  /// Nothing of the gap can be had: it is not filled.
  @Test func aGapThatTheSearchDoesNotReachIsNotFilled() throws {
    let tooOld = #"{"errors":[{"message":"'since_id' must be a tweet id created after 2026-11-14T00:00Z."}]}"#
    let searches = Searches(refusals: [(400, tooOld)])
    // The search knows none of the posts.
    let service = try StreamService(
      Self.brings(1...2, Searches()), Self.stays(5...6, Searches()), searches: searches)
    let run = try run(service, searches, count: 4)
    #expect(run.ids == [1, 2, 5, 6] && run.notice("gap-filled") == nil, "\(run.events)")
    #expect(run.notice("gap")?.contains("the search does not reach back to them") == true)
  }

  @Test func eachFeedIsSearchedAndAPostOfBothComesOnce() throws {
    let searches = Searches()
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...5, searches), searches: searches)
    let run = try run(service, searches, count: 5, hashtags: ["a", "b"])
    #expect(run.ids == Array(1...5))
    let queries = service.requests.compactMap { $0.parameter("query") }
    #expect(Set(queries) == ["%23a", "%23b"])
  }

  /// What one feed's search does not reach, another's may.
  @Test func eachFeedIsAskedFromItsLastPost() throws {
    let tooOld = #"{"errors":[{"message":"'since_id' must be a tweet id created after 2026-11-14T00:00Z."}]}"#
    let searches = Searches(refusals: [(400, tooOld)])
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...5, searches), searches: searches)
    let run = try run(service, searches, count: 5, hashtags: ["a", "b"])
    #expect(run.ids == Array(1...5))
    let asked = service.requests.filter { $0.target.contains("/search/recent") }.map { request in
      "\(request.parameter("query") ?? "") \(request.parameter("since_id") ?? "none")"
    }
    #expect(asked == ["%23a 2", "%23a none", "%23b 2"])
  }

  /// Live posts are not held until a service with little left answers a search.
  @Test func aSearchThatMustWaitForLongHoldsNothingUp() throws {
    let searches = Searches(refusals: [(429, "")])
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...6, searches), searches: searches)
    let run = try run(service, searches, count: 4)
    #expect(run.ids == [1, 2, 5, 6], "\(run.events)")
  }

  private static func options(budget posts: Int, _ service: StreamService, _ directory: TemporaryDirectory) throws
    -> LiveFeed.Options
  {
    var options = filling
    options.budget = try ReadBudget(
      .posts(posts, .day), for: service.access, ledger: Ledger(path: directory.path + "/ledger"))
    return options
  }

  @Test func aBudgetThatIsUsedUpDuringTheSearchIsAGap() throws {
    let directory = try TemporaryDirectory()
    let searches = Searches(pageSize: 1)
    // What the second connection brings, the search does not find.
    let service = try StreamService(
      Self.brings(1...2, searches, publishing: 3...4), Self.stays(5...6, Searches()), searches: searches)
    // Two posts came, ten are reserved ahead for the stream, and a page has ten or more: after the first there is no
    // room.
    let run = try run(service, searches, count: 5, options: Self.options(budget: 22, service, directory))
    #expect(run.ids == [1, 2, 4, 5, 6])
    #expect(run.notice("gap")?.contains("budget") == true)
    #expect(service.requests.count { $0.target.contains("/search/recent") } == 1)
  }

  @Test func aStreamIsNotReadBeyondTheBudget() throws {
    let directory = try TemporaryDirectory()
    let searches = Searches()
    let service = try StreamService(Self.brings(1...2, searches), Self.stays(3...4, searches), searches: searches)
    var options = try Self.options(budget: 2, service, directory)
    // The budget opens again at midnight, unless that is now.
    options.deadline = MonotonicClock.milliseconds + 1
    let run = try run(service, searches, count: 4, options: options)
    #expect(run.ids == [1, 2])
    #expect(run.error?.status == .tryLater && run.error?.message?.contains("budget of 2 posts") == true)
    #expect(Self.streams(service) == 1)
  }

  /// There are too few posts, and too little time has passed, for them to be recorded before the end of the run.
  @Test func theLastPostsOfARunAreBilledToo() throws {
    let directory = try TemporaryDirectory()
    let searches = Searches()
    let service = try StreamService(Self.stays(1...3, searches), searches: searches)
    _ = try run(service, searches, count: 3, options: Self.options(budget: 100, service, directory))
    #expect(try Ledger(path: directory.path + "/ledger").entries().map { $0.billed[.posts] } == [3])
  }

  @Test func theCheckpointIsKeptAcrossRuns() throws {
    let directory = try TemporaryDirectory()
    let searches = Searches()
    func options(_ service: StreamService, filling: Bool) -> LiveFeed.Options {
      var options = Self.filling
      options.fillsGaps = filling
      // Services of different ports would have different checkpoints.
      let access = ServiceAccess(XAPI.local, base: "http://localhost", token: Secret("t"))
      options.checkpoints = Checkpoints(directory.path + "/state", for: access)
      return options
    }
    let first = try StreamService(Self.stays(1...3, searches), searches: searches)
    #expect(try run(first, searches, count: 3, options: options(first, filling: true)).ids == [1, 2, 3])

    searches.publish(4...5)
    let told = try StreamService(Self.stays(6...6, searches), searches: searches)
    let second = try run(told, searches, count: 1, options: options(told, filling: false))
    #expect(second.events == ["foreign-rules", "connect", "gap", "#swift", "6"])
    #expect(second.notice("gap")?.contains(#""last_id":"3","next_id":"6""#) == true)

    searches.publish(7...8)
    let filled = try StreamService(Self.stays(9...9, searches), searches: searches)
    let third = try run(filled, searches, count: 5, options: options(filled, filling: true))
    // The gap that was reported is in the checkpoint, and its posts come late.
    #expect(third.ids == [4, 5, 7, 8, 9])
    #expect(third.notice("gap-filled")?.contains(#""late":true"#) == true)
  }
}
