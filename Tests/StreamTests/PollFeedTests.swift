import Foundation
import ServiceClients
import Services
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

@Suite(.onOwnThread(minutes: 1))
struct PollFeedTests {
  /// Polls a source until the feed is over, has written `count` posts, has waited for the `rounds`th time, or failed.
  private func run(
    _ server: LoopbackServer, _ source: String, _ options: PollFeed.Options = PollFeed.Options(), count: Int? = nil,
    state: String? = nil, budget: ReadBudget? = nil, rounds: Int = .max, archive: Bool = false, v1: Bool = false
  ) throws -> FeedRun {
    let access = ServiceAccess(XAPI.local, base: server.base, token: Secret("a-test-token"))
    let requests = XRequests(access)
    let pages: (any PagedSource)? =
      if v1 { V1Pages(requests, try Source(source, of: XService())) } else {
        V2Pages(requests, try Source(source, of: XService()), archive: archive)
      }
    let feed = PollFeed(
      try #require(pages), options: options, budget: budget,
      checkpoints: state.map { Checkpoints($0, for: access) })
    var waits = 0
    return try FeedRun(feed, access, count: count) { feed, _, _ in
      // Between two rounds a feed waits; so it does before a retry.
      if feed.wakesAt != nil { waits += 1 }
      return waits < rounds
    }
  }

  private static func page(_ ids: [Int], next: String? = nil) -> String {
    let data = ids.map { #"{"id":"\#($0)","text":"t"}"# }.joined(separator: ",")
    let meta = [ids.first.map { #""newest_id":"\#($0)""# }, ids.last.map { #""oldest_id":"\#($0)""# }]
    let token = next.map { #""next_token":"\#($0)""# }
    let list = (meta + [token]).compactMap { $0 }.joined(separator: ",")
    return #"{\#(ids.isEmpty ? "" : #""data":[\#(data)],"#)"meta":{\#(list)}}"#
  }

  /// A service that sends the same page with a new token each time would be asked for ever.
  @Test func aPageWithNothingOlderEndsTheRound() throws {
    let requests = Mutex(0)
    let server = try LoopbackServer { request in
      if request.target.contains("by/username") { return .answer(200, #"{"data":{"id":"12"}}"#) }
      let number = requests.withLock { count in
        count += 1
        return count
      }
      // Who asks on for ever is to fail, and not to hang.
      return .answer(200, Self.page([9, 8], next: number < 9 ? "p\(number)" : nil))
    }
    var options = PollFeed.Options()
    options.all = true
    let polled = try run(server, "@jack", options)
    #expect(polled.error == nil)
    #expect(requests.withLock { $0 } == 2)
    #expect(polled.lines.count { $0.hasPrefix(#"{"data":"#) } == 1)
    #expect(polled.lines.contains { $0.contains(#""code":"paging""#) && $0.contains("nothing older") })
  }

  /// Posts that are made while it pages move older ones to the next page.
  @Test func postsThatMoveToTheNextPageArePrintedOnce() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case let target where target.contains("by/username"): return .answer(200, #"{"data":{"id":"12"}}"#)
      case let target where target.contains("pagination_token=p2"):
        return .answer(200, Self.page([8, 7, 6], next: "p3"))
      case let target where target.contains("pagination_token=p3"): return .answer(200, Self.page([6, 5]))
      default: return .answer(200, Self.page([9, 8, 7], next: "p2"))
      }
    }
    var options = PollFeed.Options()
    options.pages = 5
    let polled = try run(server, "@jack", options)
    let ids = polled.lines.flatMap { $0.matches(of: #/"id":"(\d+)"/#).map { String($0.1) } }
    #expect(ids == ["9", "8", "7", "6", "5"])
  }

  @Test func aUserIsLookedUpAndPagedThrough() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case let target where target.contains("by/username/jack"): return .answer(200, #"{"data":{"id":"12"}}"#)
      case let target where target.contains("pagination_token=p2"):
        return .answer(200, Self.page([], next: "p3"))
      case let target where target.contains("pagination_token=p3"): return .answer(200, Self.page([3, 2, 1]))
      default: return .answer(200, Self.page([9, 8], next: "p2"))
      }
    }
    var options = PollFeed.Options()
    options.pages = 5
    let polled = try run(server, "@jack", options)
    #expect(polled.error == nil)
    #expect(polled.lines.count == 4)
    #expect(
      polled.lines[0].hasPrefix(#"{"tw":"context","feed":"user:jack","service":"local","base":"http://127.0.0.1:"#))
    #expect(polled.lines[1] == Self.page([9, 8], next: "p2"))
    #expect(polled.lines[2] == Self.page([3, 2, 1]))
    #expect(polled.lines[3].hasPrefix(#"{"tw":"refresh","feed":"user:jack","new":5,"at":""#))
    #expect(server.requests[1].target.hasPrefix("GET /2/users/12/tweets?max_results=100&tweet.fields="))
  }

  /// The ids of each page written, and the codes of notices between.
  private func outline(_ run: FeedRun) -> [String] {
    run.lines.compactMap { line in
      guard let document = try? JSONDocument(line) else { return line }
      if let code = document["code"]?.string {
        return "\(code) \(document["last_id"]?.string ?? "")<\(document["next_id"]?.string ?? "")"
      }
      if let type = document["tw"]?.string { return type == "refresh" ? "new \(document["new"]?.integer ?? -1)" : nil }
      if let id = document["id_str"]?.string { return id }
      return (document["data"]?.elements.compactMap { $0["id"]?.string } ?? []).joined(separator: " ")
    }
  }

  /// A service with the posts 1...`posts`, whose page tokens are the id to go on below. Ids are bounds, as for X.
  private static func service(_ posts: Int, size: Int = 2) -> @Sendable (LoopbackServer.Request) -> Answer {
    { request in
      let since = request.parameter("since_id").flatMap { Int($0) } ?? 0
      let until =
        [request.parameter("until_id"), request.parameter("next_token"), request.parameter("pagination_token")]
        .compactMap { $0.flatMap { Int($0) } }.min() ?? posts + 1
      let all = Array((since + 1..<max(until, since + 1)).reversed())
      let shown = Array(all.prefix(size))
      return .answer(200, page(shown, next: all.count > size ? "\(shown[shown.count - 1])" : nil))
    }
  }

  @Test func roundsGoOnFromTheNewestPostAndFillGapsAfterwards() throws {
    let server = try LoopbackServer { request in
      // The service grows from 4 to 9 posts after the first round.
      Self.service(request.parameter("since_id") == nil ? 4 : 9)(request)
    }
    var options = PollFeed.Options()
    options.every = 50
    options.pages = 1
    let polled = try run(server, "search:a b", options, rounds: 3)
    #expect(polled.error == nil)
    #expect(outline(polled) == ["4 3", "new 2", "9 8", "unfinished 4<8", "new 2", "7 6", "unfinished 4<6", "new 2"])
    #expect(server.requests[0].target.contains("query=a%20b"))
    #expect(server.requests[2].parameter("since_id") == "9" && server.requests[3].parameter("until_id") == "8")
  }

  @Test func theGapsOfARunAreFilledByTheNext() throws {
    let home = try TemporaryDirectory()
    let state = home.path + "/state"
    let server = try LoopbackServer(Self.service(9))
    var options = PollFeed.Options()
    func round(_ source: String) throws -> [String] {
      let polled = try run(server, source, options, state: state)
      #expect(polled.error == nil)
      return outline(polled)
    }
    options.range.sinceID = "2"
    options.pages = 2
    #expect(try round("#a") == ["9 8", "7 6", "unfinished 2<6", "new 4"])
    options.range.sinceID = nil
    #expect(try round("#a") == ["5 4", "3", "new 3"])
    #expect(try round("#a") == ["new 0"])
    #expect(server.requests.last.flatMap { $0.parameter("since_id") } == "9")
    // Another feed has a place of its own, and the first keeps its.
    #expect(try round("#b").first == "9 8")
    #expect(try round("#a") == ["new 0"])
  }

  /// A run that a rate limit ends has written what it fetched; the next goes on below.
  @Test func anInterruptedRunIsFinishedByTheNext() throws {
    let home = try TemporaryDirectory()
    let state = home.path + "/state"
    let isOpen = Mutex(false)
    let server = try LoopbackServer { request in
      request.parameter("next_token") == "6" && !isOpen.withLock({ $0 })
        ? .answer(429, headers: ["Retry-After: 900"]) : Self.service(9)(request)
    }
    var options = PollFeed.Options()
    options.all = true
    let polled = try run(server, "#a", options, state: state)
    #expect(outline(polled) == ["9 8", "7 6", "unfinished <6"])
    #expect(polled.error?.status == .tryLater)
    isOpen.withLock { $0 = true }
    #expect(outline(try run(server, "#a", options, state: state)) == ["5 4", "3 2", "1", "new 5"])
  }

  @Test func aLimitOnPostsLosesNoPostOfAPage() throws {
    let home = try TemporaryDirectory()
    let state = home.path + "/state"
    let server = try LoopbackServer(Self.service(9, size: 4))
    var options = PollFeed.Options()
    options.range.sinceID = "1"
    #expect(outline(try run(server, "#a", options, count: 3, state: state)) == ["9 8 7", "new 3"])
    #expect(outline(try run(server, "#a", options, count: 2, state: state)) == ["6 5", "new 2"])
    #expect(outline(try run(server, "#a", options, state: state)) == ["4 3 2", "new 3"])
  }

  /// Without a file no checkpoint keeps the gap, and a notice says so.
  @Test func postsThatASingleRoundLeavesOutAreAGap() throws {
    let server = try LoopbackServer(Self.service(9))
    var options = PollFeed.Options()
    options.range.sinceID = "3"
    options.pages = 1
    #expect(outline(try run(server, "#a", options)) == ["9 8", "gap 3<8", "new 2"])
    options.range.sinceID = nil
    #expect(outline(try run(server, "#a", options)) == ["9 8", "new 2"])
    (options.pages, options.all) = (nil, true)
    #expect(outline(try run(server, "#a", options)) == ["9 8", "7 6", "5 4", "3 2", "1", "new 9"])
  }

  @Test func pagesThatLeadNowhereEnd() throws {
    let empty = try LoopbackServer { request in
      let number = request.parameter("next_token").flatMap { Int($0) } ?? 0
      return .answer(200, Self.page([], next: "\(number + 1)"))
    }
    // A number of posts is asked for, which never comes.
    #expect(outline(try run(empty, "#a", count: 3)) == ["paging <", "new 0"])
    #expect(empty.requests.count == PollPlan.mostEmptyPages)
    let circle = try LoopbackServer { request in
      let isFirst = request.parameter("next_token") != "x"
      return .answer(200, Self.page([isFirst ? 9 : 8], next: isFirst ? "x" : "y"))
    }
    var options = PollFeed.Options()
    options.all = true
    #expect(outline(try run(circle, "#a", options)) == ["9", "8", "9", "paging <", "gap <8", "new 3"])
  }

  /// Recent search goes back seven days; X answers 400 to an older id.
  @Test func anIDThatIsTooOldIsReplacedByATimeAndReported() throws {
    let server = try LoopbackServer { request in
      if request.parameter("since_id") != nil {
        let text = "Invalid 'since_id':'5'. 'since_id' must be a tweet id created after 2026-11-14T00:00Z."
        let error = #"{"parameters":{"since_id":["5"]},"message":"\#(text)"}"#
        return .answer(400, #"{"errors":[\#(error)],"title":"Invalid Request"}"#)
      } else {
        return .answer(200, Self.page([9]))
      }
    }
    var options = PollFeed.Options()
    options.range.sinceID = "5"
    let polled = try run(server, "search:x", options)
    #expect(polled.error == nil)
    #expect(outline(polled) == ["gap 5<", "9", "new 1"])
    let start = try #require(server.requests[1].parameter("start_time")?.removingPercentEncoding)
    let age = Timestamp.now.milliseconds - (try #require(Timestamp(parsing: start))).milliseconds
    #expect((6 * 86_400_000...7 * 86_400_000).contains(age))
    // Nothing else is wrong with the request: the second refusal ends it.
    let stubborn = try LoopbackServer { _ in
      .answer(400, #"{"errors":[{"parameters":{"since_id":["5"]},"message":"no"}]}"#)
    }
    #expect(try run(stubborn, "search:x", options).error?.status == .refused)
    #expect(stubborn.requests.count == 1 || stubborn.requests.count == 2)
  }

  /// X takes ids or times, not both; a time becomes an id.
  @Test func timesBecomeIDsBesideIDs() throws {
    let server = try LoopbackServer { _ in .answer(200, Self.page([])) }
    var options = PollFeed.Options()
    options.range.since = Timestamp(parsing: "2026-01-02T03:04:05.678Z")
    options.range.until = Timestamp(parsing: "2026-01-03T00:00:00Z")
    _ = try run(server, "search:x", options)
    #expect(server.requests[0].parameter("start_time") == "2026-01-02T03%3A04%3A05Z")
    #expect(server.requests[0].parameter("end_time") == "2026-01-03T00%3A00%3A00Z")
    options.range.sinceID = "2006917800000000000"
    _ = try run(server, "search:x", options)
    let mixed = try #require(server.requests.last)
    #expect(mixed.parameter("start_time") == nil && mixed.parameter("end_time") == nil)
    // 2026-01-02T03:04:05.678Z is 478488071.021 s after X's epoch; 22 bits stand below the milliseconds.
    #expect(mixed.parameter("since_id") == String(478_488_071_021 << 22 - 1))
    #expect(mixed.parameter("until_id") == String(478_563_425_343 << 22))
    options.range.since = Timestamp(parsing: "2009-01-01T00:00:00Z")
    #expect(try run(server, "search:x", options).error?.status == .usage)
  }

  @Test func homeAndMentionsAskForTheAccountOfTheToken() throws {
    let server = try LoopbackServer { request in
      if request.target.hasSuffix("/2/users/me") { return .answer(200, #"{"data":{"id":"12"}}"#) }
      return .answer(200, Self.page([5]))
    }
    #expect(outline(try run(server, "home")) == ["5", "new 1"])
    #expect(server.requests[1].target.hasPrefix("GET /2/users/12/timelines/reverse_chronological?max_results=100&"))
    #expect(outline(try run(server, "mentions")) == ["5", "new 1"])
    #expect(server.requests[3].target.hasPrefix("GET /2/users/12/mentions?"))
    let app = try LoopbackServer { _ in .answer(403, #"{"title":"Unsupported Authentication","detail":"app only"}"#) }
    let error = try run(app, "home").error
    #expect(error?.status == .notAllowed && error?.message?.contains("'home' needs a user's token") == true)
  }

  /// Ids cannot be bounds of a list: known posts are removed from the page, and paging ends there.
  @Test func listsEndAtTheNewestKnownPost() throws {
    let server = try LoopbackServer(Self.service(9))
    var options = PollFeed.Options()
    options.range.sinceID = "6"
    #expect(outline(try run(server, "list:77", options)) == ["9 8", "7", "new 3"])
    #expect(server.requests.count == 2)
    #expect(server.requests[1].target.hasPrefix("GET /2/lists/77/tweets?max_results=100&pagination_token=8&"))
    #expect(server.requests.allSatisfy { $0.parameter("since_id") == nil })
  }

  @Test func conversationsAndTheArchiveAreSearched() throws {
    let server = try LoopbackServer(Self.service(3))
    _ = try run(server, "conversation:20")
    _ = try run(server, "#a", archive: true)
    // The post may be a reply: it says whose conversation it is in.
    #expect(server.requests[0].target == "GET /2/tweets?ids=20&tweet.fields=conversation_id")
    #expect(server.requests[1].target.hasPrefix("GET /2/tweets/search/recent?query=conversation_id%3A20&"))
    #expect(server.requests[2].target.hasPrefix("GET /2/tweets/search/all?query=%23a&max_results=500&"))
  }

  @Test func version1IsPagedByTheOldestID() throws {
    let server = try LoopbackServer { request in
      let most = request.parameter("max_id").flatMap { Int($0) } ?? 9
      let posts = (6..<10).reversed().filter { $0 <= most }.prefix(2)
      return .answer(200, "[\(posts.map { #"{"id":\#($0),"id_str":"\#($0)"}"# }.joined(separator: ","))]")
    }
    var options = PollFeed.Options()
    options.all = true
    options.range.sinceID = "5"
    #expect(outline(try run(server, "@jack", options, v1: true)) == ["9", "8", "7", "6", "new 4"])
    #expect(server.requests.map { $0.parameter("max_id") } == [nil, "7", "5"])
    #expect(
      server.requests[0].target.hasPrefix("GET /1.1/statuses/user_timeline.json?screen_name=jack&include_rts=true&"))
  }

  @Test func theBudgetBoundsPagesAndEndsTheRun() throws {
    let home = try TemporaryDirectory()
    let server = try LoopbackServer(Self.service(90, size: 12))
    let access = ServiceAccess(XAPI.x, base: server.base, token: Secret("a-test-token"), account: "jack")
    let ledger = Ledger(path: home.path + "/state/ledger")
    let budget = try #require(try ReadBudget(.posts(30, .day), for: access, ledger: ledger))
    #expect(try budget.open()?.contains("at most 30 posts a day") == true)
    var options = PollFeed.Options()
    options.all = true
    let polled = try run(server, "#a", options, budget: budget)
    // Six are left after two pages, and no page has fewer than ten.
    #expect(server.requests.map { $0.parameter("max_results") } == ["30", "18"])
    #expect(outline(polled).last == "gap <67")
    #expect(polled.error?.status == .tryLater)
    #expect(polled.error?.message?.contains("the budget of 30 posts a day is used up; it opens again at") == true)
    #expect(try ledger.entries().map { $0.billed[.posts] } == [24])
    #expect(try budget.open() == nil)
    // A run that goes on waits for the next day.
    options.every = 1000
    let endless = try run(server, "#a", options, budget: budget, rounds: 1)
    #expect(outline(endless) == ["budget <"])
    #expect(endless.error == nil && server.requests.count == 2)
  }

  /// The times at which a server's requests came.
  private final class Times: Sendable {
    private let times = Mutex<[Int]>([])
    func record() { times.withLock { $0.append(MonotonicClock.milliseconds) } }
    var pauses: [Int] { times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } } }
  }

  /// Full-archive search takes a request a second.
  @Test func requestsFollowTheSourcesPace() throws {
    let times = Times()
    let server = try LoopbackServer { request in
      times.record()
      return Self.service(4)(request)
    }
    var options = PollFeed.Options()
    options.all = true
    #expect(outline(try run(server, "#a", options, archive: true)) == ["4 3", "2 1", "new 4"])
    #expect(times.pauses.count == 1 && times.pauses[0] >= 950, "\(times.pauses)")
  }

  @Test func roundsFollowTheInterval() throws {
    let times = Times()
    let server = try LoopbackServer { request in
      times.record()
      return Self.service(2)(request)
    }
    var options = PollFeed.Options()
    options.every = 600
    _ = try run(server, "#a", options, rounds: 3)
    #expect(times.pauses.count == 2 && times.pauses.allSatisfy { $0 >= 550 }, "\(times.pauses)")
  }

  /// A crash loses what was not written, so no checkpoint may say that it was.
  @Test func theCheckpointIsSavedAfterThePage() throws {
    let home = try TemporaryDirectory()
    let state = home.path + "/state"
    let server = try LoopbackServer(Self.service(2))
    let access = ServiceAccess(XAPI.local, base: server.base, token: Secret("a-test-token"))
    let pipe = try FullPipe()
    let wasSaved = Mutex<Bool?>(nil)
    Thread.detachNewThread {
      // Long enough for the page to arrive, and for a checkpoint that is saved too early.
      try? waitUntil { !server.requests.isEmpty }
      usleep(500_000)
      wasSaved.withLock { $0 = FileManager.default.fileExists(atPath: state) }
      pipe.drain()
    }
    let pages = try #require(V2Pages(XRequests(access), try Source("#a", of: XService())))
    var feed = PollFeed(
      pages, options: PollFeed.Options(), checkpoints: Checkpoints(state, for: access))
    var loop = try TransferLoop()
    var writer = FeedWriter(OutputQueue(descriptor: pipe.writing), for: access, records: true, limit: nil) { _ in }
    try feed.begin(in: &loop, to: &writer)
    try waitUntil {
      for event in try loop.wait(timeoutMilliseconds: 1_000) { try feed.handle(event, in: &loop, to: &writer) }
      return feed.isOver
    }
    #expect(wasSaved.withLock { $0 } == false)
    #expect(try Checkpoints(state, for: access).checkpoint(of: "#a")?.newestID == "2")
  }

  @Test func onceBringsExactlyTheNumberAskedFor() throws {
    let server = try LoopbackServer { request in
      let isSecond = request.target.contains("next_token=n")
      return .answer(200, isSecond ? Self.page([7, 6, 5], next: "n2") : Self.page([9, 8], next: "n"))
    }
    let polled = try run(server, "#swift", PollFeed.Options(), count: 4)
    #expect(server.requests.count == 2)
    #expect(server.requests[0].target.contains("query=%23swift&max_results=10&"))
    #expect(polled.lines[2].hasPrefix(#"{"data":[{"id":"7","text":"t"},{"id":"6","text":"t"}],"meta""#))
  }

  @Test func failuresHaveTheirStatus() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case let target where target.contains("nobody"):
        return .answer(200, #"{"errors":[{"title":"Not Found Error","detail":"Could not find user"}]}"#)
      case let target where target.contains("query=bad"):
        return .answer(400, #"{"detail":"bad query"}"#)
      case let target where target.contains("query=portal"): return .answer(200, "<html>Welcome to our hotel")
      case let target where target.contains("query=other"): return .answer(200, #"{"hello":"world"}"#)
      case let target where target.contains("query=much"):
        return .answer(429, headers: ["Retry-After: 9"])
      default: return .answer(401, #"{"detail":"Unauthorized"}"#)
      }
    }
    func error(_ source: String) throws -> ToolError? { try run(server, source, PollFeed.Options()).error }
    #expect(try error("@nobody") == .refused("no user 'nobody': Could not find user"))
    #expect(try error("search:bad")?.status == .refused)
    #expect(try error("search:portal")?.message?.contains("a web page came in place") == true)
    #expect(try error("search:other")?.message?.contains("is not what was asked for") == true)
    #expect(try error("search:much")?.status == .tryLater)
    #expect(try error("search:x")?.status == .notAllowed)
  }
}
