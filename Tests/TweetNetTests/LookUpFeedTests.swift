import Foundation
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@Suite(.onOwnThread(minutes: 1))
struct LookUpFeedTests {
  private func run(
    _ server: LoopbackServer, _ ids: String, _ version: XVersion = .v2, isBrief: Bool = true
  ) throws -> (lines: [String], told: Int, error: ToolError?) {
    let home = try TemporaryDirectory()
    let path = try home.write("ids", ids)
    let access = ServiceAccess(service: "x", base: server.base, token: Secret("t"))
    let file = try #require(tmpfile())
    defer { fclose(file) }
    var loop = try TransferLoop()
    var writer = FeedWriter(OutputQueue(descriptor: fileno(file)), for: access, records: true, limit: nil) { _ in }
    var feed = try LookUpFeed(XLookUp(XRequests(access), version), path: path, service: "x", isBrief: isBrief)
    var failure: ToolError?
    do throws(ToolError) {
      try feed.begin(in: &loop, to: &writer)
      while !feed.isOver {
        for event in try loop.wait(timeoutMilliseconds: 1000) { try feed.handle(event, in: &loop, to: &writer) }
        try feed.wake(in: &loop, to: &writer)
      }
    } catch {
      failure = error
    }
    try writer.flush()
    rewind(file)
    let text = String(decoding: FileHandle(fileDescriptor: fileno(file)).readDataToEndOfFile(), as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), writer.badMessages, failure)
  }

  private static func ids(_ request: LoopbackServer.Request) -> [String] {
    let list = request.target.split(separator: "ids=").last?.prefix { $0 != "&" } ?? ""
    return list.split(separator: "%2C").map(String.init)
  }

  /// Has every post but those that end in 7 (deleted) and 9 (protected).
  private static func answer(_ request: LoopbackServer.Request, _ connection: Connection) {
    let problems = "https://api.x.com/2/problems/"
    let data = ids(request).filter { !$0.hasSuffix("7") && !$0.hasSuffix("9") }.map { #"{"id":"\#($0)"}"# }
    let errors = ids(request).filter { $0.hasSuffix("7") || $0.hasSuffix("9") }.map { id in
      let kind = id.hasSuffix("7") ? "resource-not-found" : "not-authorized-for-resource"
      return #"{"resource_id":"\#(id)","parameter":"ids","detail":"no \#(id)","type":"\#(problems)\#(kind)"}"#
    }
    let quoted = #"{"resource_id":"12","parameter":"referenced_tweets.id","type":"\#(problems)resource-not-found"}"#
    let list = (errors + (data.isEmpty ? [] : [quoted])).joined(separator: ",")
    let posts = data.isEmpty ? "" : #""data":[\#(data.joined(separator: ","))],"#
    connection.answer("200 OK", #"{\#(posts)"errors":[\#(list)]}"#)
  }

  @Test func everyFormOfAnIDIsLookedUpOnceAndTheGoneAreDeleted() throws {
    let server = try LoopbackServer { Self.answer($0, $1) }
    let ids = """
      # of yesterday
      10
      x:11

      https://x.com/jack/status/12?s=20
      {"tw":"tweet","id":"13","service":"x"}
      {"tw":"notice","code":"gap"}
      {"id":14,"id_str":"14"}
      10\r
      17
      19
      local:15
      jack
      """
    let (lines, told, error) = try run(server, ids)
    #expect(error == nil)
    #expect(server.requests.map(Self.ids) == [["10", "11", "12", "13", "14", "17", "19"]])
    let page = try #require(lines.first { $0.hasPrefix(#"{"data""#) })
    // What is said of the quoted post stays; what became a record of its own does not.
    #expect(page.contains(#""errors":[{"resource_id":"12""#) && !page.contains(#""17""#))
    #expect(lines.contains(#"{"tw":"delete","service":"x","id":"17"}"#))
    #expect(lines.filter { $0.hasPrefix(#"{"tw":"delete""#) }.count == 1)
    #expect(lines.contains { $0.contains(#""code":"unavailable","message":"post 19 cannot be had: no 19""#) })
    #expect(told == 2)
    #expect(lines.contains { $0.contains("line 12 of ids:") && $0.contains("is of service 'local', not 'x'") })
    #expect(lines.last?.contains(#""tw":"refresh""#) == true && lines.last?.contains(#""new":5"#) == true)
  }

  @Test func hundredsAreAskedForInTurnAndARateLimitSaysWhereToGoOn() throws {
    let server = try LoopbackServer { request, connection in
      if Self.ids(request).first == "2100" {
        connection.answer("429 Too Many Requests", headers: ["Retry-After: 60"])
      } else {
        Self.answer(request, connection)
      }
    }
    let (lines, _, error) = try run(server, (0..<250).map { "\(2000 + $0)\n" }.joined())
    #expect(server.requests.map { Self.ids($0).count } == [100, 100])
    #expect(lines.filter { $0.hasPrefix(#"{"data""#) }.count == 1)
    #expect(error?.status == .tryLater)
    #expect(error?.message?.hasSuffix("100 ids were looked up, line 101 is the next (tail -n +101)") == true)
  }

  /// v1.1 does not tell the deleted from the hidden, so none is said to be gone.
  @Test func version1SaysOnlyThatAPostIsNotThere() throws {
    let server = try LoopbackServer { _, connection in connection.answer("200 OK", #"[{"id":2,"id_str":"2"}]"#) }
    let (lines, _, error) = try run(server, "1\n2\n", .v1)
    #expect(error == nil)
    #expect(server.requests[0].target == "GET /1.1/statuses/lookup.json?id=1%2C2&tweet_mode=extended")
    #expect(lines.contains(#"{"id":2,"id_str":"2"}"#))
    #expect(lines.contains { $0.contains(#""code":"unavailable""#) && $0.contains(#""id":"1""#) })
    #expect(!lines.contains { $0.contains(#""tw":"delete""#) })
  }

  @Test func aMissingFileIsNoInput() {
    let access = ServiceAccess(service: "x", base: "http://127.0.0.1:1", token: Secret("t"))
    let error = #expect(throws: ToolError.self) {
      try LookUpFeed(XLookUp(XRequests(access), .v2), path: "/nowhere/ids", service: "x", isBrief: true)
    }
    #expect(error?.status == .noInput)
  }
}

struct PlacesTests {
  private let access = ServiceAccess(service: "x", base: "https://api.x.com", token: Secret("t"))

  @Test func aFeedsPlaceIsKeptBesideThoseOfOthers() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/places"
    let places = Places(path, for: access)
    #expect(try places.place(of: "#a") == nil)
    let holes = [Place.Hole(since: nil, until: "5"), Place.Hole(since: "7", until: "9")]
    try places.save(Place(newestID: "12", holes: holes), of: "#a")
    try Places(path, for: ServiceAccess(service: "x", base: "https://api.x.com", token: Secret("t"), account: "jack"))
      .save(Place(newestID: "99"), of: "#a")
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      try? Places(path, for: access).save(Place(newestID: "\(number)"), of: "#\(number)b")
    }
    let kept = try #require(try places.place(of: "#a"))
    #expect(kept.newestID == "12" && kept.holes == holes)
    for number in 0..<8 { #expect(try places.place(of: "#\(number)b")?.newestID == "\(number)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == ["places", "places.lock"])
  }

  /// A path typed wrong must not cost a file.
  @Test func anotherFileIsNotReplaced() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("notes.json", #"{"mine":true}"#)
    let error = #expect(throws: ToolError.self) { try Places(path, for: access).save(Place(newestID: "1"), of: "#a") }
    #expect(error?.status == .configuration)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"mine":true}"#)
  }
}
