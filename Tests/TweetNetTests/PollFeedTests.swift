import Foundation
import Testing
import TweetCore
import TweetNet
import TweetServices

@Suite(.timeLimit(.minutes(1)))
struct PollFeedTests {
  /// Runs a feed until it is over, has written `count` posts, or failed.
  private func run(
    _ server: LoopbackServer, _ source: String, _ options: PollFeed.Options, count: Int? = nil
  ) throws -> (lines: [String], error: ToolError?) {
    let access = ServiceAccess(service: "local", base: server.base, token: Secret("t"))
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var loop = try TransferLoop()
    var writer = FeedWriter(OutputQueue(descriptor: fileno(file)), for: access, records: true, limit: count) { _ in }
    var feed = PollFeed(XRequests(access), source: try Source(source), options: options)
    var failure: ToolError?
    feed.begin(in: &loop, to: &writer)
    do throws(ToolError) {
      while !feed.isOver, writer.remaining != 0 {
        let wait = feed.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) } ?? 10_000
        for event in try loop.wait(timeoutMilliseconds: wait) { try feed.handle(event, in: &loop, to: &writer) }
        feed.wake(in: &loop, to: &writer)
      }
    } catch {
      failure = error
    }
    try writer.flush()
    rewind(file)
    let text = String(decoding: FileHandle(fileDescriptor: fileno(file)).readDataToEndOfFile(), as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), failure)
  }

  private static func page(_ ids: [Int], next: String? = nil) -> String {
    let data = ids.map { #"{"id":"\#($0)","text":"t"}"# }.joined(separator: ",")
    let meta = [ids.first.map { #""newest_id":"\#($0)""# }, ids.last.map { #""oldest_id":"\#($0)""# }]
    let token = next.map { #""next_token":"\#($0)""# }
    let list = (meta + [token]).compactMap { $0 }.joined(separator: ",")
    return #"{\#(ids.isEmpty ? "" : #""data":[\#(data)],"#)"meta":{\#(list)}}"#
  }

  @Test func aUserIsLookedUpAndPagedThrough() throws {
    let server = try LoopbackServer { request, connection in
      switch request.target {
      case let target where target.contains("by/username/jack"): connection.answer("200 OK", #"{"data":{"id":"12"}}"#)
      case let target where target.contains("pagination_token=p2"):
        connection.answer("200 OK", Self.page([], next: "p3"))
      case let target where target.contains("pagination_token=p3"): connection.answer("200 OK", Self.page([3, 2, 1]))
      default: connection.answer("200 OK", Self.page([9, 8], next: "p2"))
      }
    }
    var options = PollFeed.Options()
    options.pages = 5
    let (lines, error) = try run(server, "@jack", options)
    #expect(error == nil)
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix(#"{"tw":"context","feed":"user:jack","service":"local","base":"http://127.0.0.1:"#))
    #expect(lines[1] == Self.page([9, 8], next: "p2"))
    #expect(lines[2] == Self.page([3, 2, 1]))
    #expect(lines[3].hasPrefix(#"{"tw":"refresh","feed":"user:jack","new":5,"at":""#))
    #expect(server.requests[1].target.hasPrefix("GET /2/users/12/tweets?max_results=100&tweet.fields="))
  }

  @Test func roundsGoOnFromTheNewestPostAndSayWhatTheyLeftOut() throws {
    let server = try LoopbackServer { request, connection in
      switch request.target {
      case let target where target.contains("since_id=29"): connection.answer("200 OK", Self.page([40], next: nil))
      case let target where target.contains("since_id=20"):
        connection.answer("200 OK", Self.page([29, 28], next: "more"))
      default: connection.answer("200 OK", Self.page([20, 19], next: "older"))
      }
    }
    var options = PollFeed.Options()
    options.every = 50
    options.pages = 1
    let (lines, error) = try run(server, "search:a b", options, count: 5)
    #expect(error == nil)
    let kinds = lines.map { $0.prefix { $0 != "," } }
    #expect(
      kinds == [
        #"{"tw":"context""#, #"{"data":[{"id":"20""#, #"{"tw":"refresh""#, #"{"data":[{"id":"29""#, #"{"tw":"notice""#,
        #"{"tw":"refresh""#, #"{"data":[{"id":"40""#, #"{"tw":"refresh""#,
      ])
    #expect(lines[4].contains(#""code":"gap""#) && lines[4].contains(#""last_id":"20","next_id":"28""#))
    #expect(server.requests[0].target.contains("query=a%20b"))
  }

  @Test func onceGivesJustTheNumberAskedFor() throws {
    let server = try LoopbackServer { request, connection in
      let isSecond = request.target.contains("next_token=n")
      connection.answer("200 OK", isSecond ? Self.page([7, 6, 5], next: "n2") : Self.page([9, 8], next: "n"))
    }
    let (lines, _) = try run(server, "#swift", PollFeed.Options(), count: 4)
    #expect(server.requests.count == 2)
    #expect(server.requests[0].target.contains("query=%23swift&max_results=10&"))
    #expect(lines[2].hasPrefix(#"{"data":[{"id":"7","text":"t"},{"id":"6","text":"t"}],"meta""#))
  }

  @Test func failuresHaveTheirStatus() throws {
    let server = try LoopbackServer { request, connection in
      switch request.target {
      case let target where target.contains("nobody"):
        connection.answer("200 OK", #"{"errors":[{"title":"Not Found Error","detail":"Could not find user"}]}"#)
      case let target where target.contains("query=bad"):
        connection.answer("400 Bad Request", #"{"detail":"bad query"}"#)
      case let target where target.contains("query=portal"): connection.answer("200 OK", "<html>Welcome to our hotel")
      case let target where target.contains("query=much"):
        connection.answer("429 Too Many", headers: ["Retry-After: 9"])
      default: connection.answer("401 Unauthorized", #"{"detail":"Unauthorized"}"#)
      }
    }
    func error(_ source: String) throws -> ToolError? { try run(server, source, PollFeed.Options()).error }
    #expect(try error("@nobody") == .refused("no user 'nobody': Could not find user"))
    #expect(try error("search:bad")?.status == .usage)
    #expect(try error("search:portal") == .refused("the service's answer is no page of posts"))
    #expect(try error("search:much")?.status == .tryLater)
    #expect(try error("search:x")?.status == .notAllowed)
  }
}
