import Foundation
import TestNumbers
import TestSupport
import Testing

/// tw-post posts nothing twice and loses nothing, whatever happens to it, to the service or between them.
@Suite(.onOwnThread(minutes: 20))
struct PostOnceTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let rounds = ProcessInfo.processInfo.environment["TW_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

  private func post(
    _ service: PostService, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> ToolResult {
    try Tool.run("tw-post", arguments, environment: service.environment.merging(environment) { $1 }, home: home)
  }

  @Test func killedAtAnyMoment() throws {
    let service = try PostService(latency: 0.3)
    var found = 0
    var round = 0
    // A busy machine takes longer until the first request.
    var longestLife = 60_000
    var chance = Chance()
    // On a slow machine the first of them die before their request.
    while round < Self.rounds || found == 0 && round < Self.rounds + 80 {
      let group = round..<round + 10
      let homes = try group.map { _ in try TemporaryDirectory() }
      let tools = try zip(group, homes).map { number, home in
        try RunningTool("tw-post", ["round \(number)"], environment: service.environment, home: home)
      }
      for tool in tools.shuffled(using: &chance) {
        chance.pause(upTo: longestLife)
        tool.signal(SIGKILL)
      }
      let ends = try tools.map { try $0.finish() }
      let killed = ends.map { $0.ending == .signal(SIGKILL) }
      for end in ends where end.ending != .signal(SIGKILL) { #expect(end.status == 0, "\(end.errors)") }
      let taken = Set(service.posts.map(\.text))
      let late = zip(group, killed).count { $1 && taken.contains("round \($0)") }
      found += late
      if late == 0 { longestLife = min(longestLife * 2, 900_000) }
      // The same command, as a person or a script would say it again that has not seen the record.
      let isUnseen = ends.map { $0.ending == .signal(SIGKILL) && $0.output.isEmpty }
      let again = try zip(zip(group, homes), isUnseen).compactMap { each, isUnseen in
        guard isUnseen else { return RunningTool?.none }
        return try RunningTool("tw-post", ["round \(each.0)"], environment: service.environment, home: each.1)
      }
      for tool in again {
        let result = try tool.finish()
        #expect(result.status == 0 && result.lines.count == 1, "\(result.errors)")
      }
      round = group.upperBound
    }
    let texts = service.posts.map(\.text)
    #expect(texts.count == round && Set(texts).count == round, "\(texts.count) of \(round): \(texts)")
    // Some were killed after the service had taken the post.
    #expect(found > 0)
  }

  /// `flush` from cron, killed at any moment: each post is made once, and in order.
  @Test func flushKilledAtAnyMoment() throws {
    let service = try PostService(latency: 0.1)
    let count = max(6, Self.rounds / 4)
    var chance = Chance()
    for number in 0..<count { #expect(try post(service, ["--later", "post \(number)"]).status == 0) }
    for _ in 0..<count {
      let tool = try RunningTool("tw-post", ["flush"], environment: service.environment, home: home)
      // Whoever finds that a request was under way waits five seconds.
      chance.pause(upTo: 2_600_000)
      tool.signal(SIGKILL)
      _ = try tool.finish()
    }
    let last = try post(service, ["flush"])
    #expect(last.status == 0, "\(last.errors)")
    #expect(service.posts.map(\.text) == (0..<count).map { "post \($0)" })
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
  }

  @Test func answerThatNeverCame() throws {
    let service = try PostService([.lose])
    let result = try post(service, ["Hello & <world>  https://example.com/"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(service.posts.count == 1)
    #expect(result.output.contains(#""id":"1000""#))
    #expect(result.output.contains(#""text":"Hello & <world>  https://example.com/""#))
  }

  @Test(arguments: [nil, 503])
  func requestThatWasNotTaken(_ code: Int?) throws {
    let service = try PostService([code.map { .status($0, "trouble") } ?? .close])
    let result = try post(service, ["hi!"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(service.posts.map(\.text) == ["hi!"])
    // Once at once, once when nothing can come any more.
    #expect(service.requests.count { $0.target.hasPrefix("GET /2/users/7/tweets") } == 2)
  }

  /// What was posted before with the same text is another post.
  @Test func earlierPostWithTheSameText() throws {
    let service = try PostService([.answer, .close])
    #expect(try post(service, ["hi!"]).output.contains(#""id":"1000""#))
    let second = try post(service, ["hi!"])
    #expect(second.output.contains(#""id":"1001""#), "\(second.errors)")
    #expect(service.posts.count == 2)
  }

  @Test func serviceThatIsNotThere() throws {
    let environment = ["TW_SERVICE": "local", "TW_ENDPOINT": "http://127.0.0.1:9", "TW_TOKEN": "t"]
    let result = try Tool.run("tw-post", ["hi!"], environment: environment, home: home)
    #expect(result.status == 75)
    // The caller tries again; nothing is posted later behind its back.
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
  }

  /// What never left this machine waits as it did, and is not looked for at the service.
  @Test func whatWasNotSentWaits() throws {
    var service: PostService? = try PostService()
    let environment = try #require(service?.environment)
    func run(_ arguments: String...) throws -> ToolResult {
      try Tool.run("tw-post", arguments, environment: environment, home: home)
    }
    #expect(try run("one post").status == 0)
    #expect(try run("--later", "two posts").status == 0)
    service = nil
    let flushed = try run("flush")
    #expect(flushed.status == 75, "\(flushed.errors)")
    let waiting = try run("outbox").lines
    #expect(waiting.count == 1 && waiting[0].contains("\tqueued\t"), "\(waiting)")
  }

  @Test func outboxIsSentInOrder() throws {
    let service = try PostService()
    for text in ["one", "two", "three"] { #expect(try post(service, ["--later", "--", text]).status == 0) }
    #expect(service.requests.isEmpty)
    let list = try Tool.run("tw-post", ["outbox"], home: home).lines
    #expect(list.map { $0.split(separator: "\t")[1] } == ["queued", "queued", "queued"])
    #expect(try Tool.run("tw-post", ["--yes", "outbox", "drop", "2"], home: home).status == 0)
    let flushed = try post(service, ["flush"])
    #expect(flushed.status == 0 && flushed.lines.count == 2, "\(flushed.errors)")
    #expect(service.posts.map(\.text) == ["one", "three"])
    #expect(try post(service, ["flush"]).output == "")
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
  }

  @Test func twoThatFlush() throws {
    let service = try PostService(latency: 0.05)
    for number in 0..<6 { #expect(try post(service, ["--later", "post \(number)"]).status == 0) }
    let tools = try (0..<3).map { _ in
      try RunningTool("tw-post", ["flush"], environment: service.environment, home: home)
    }
    let ends = try tools.map { try $0.finish() }
    for end in ends { #expect(end.status == 0, "\(end.errors)") }
    #expect(service.posts.map(\.text) == (0..<6).map { "post \($0)" })
    // Who has sent one prints it, and nobody else.
    let records = ends.flatMap(\.lines)
    #expect(records.count == 6 && Set(records).count == 6, "\(records)")
  }

  @Test func rateLimit() throws {
    let problem = #"{"title":"Too Many Requests","detail":"Too Many Requests","status":429}"#
    let limited = PostService.Behaviour.status(429, problem, headers: ["Retry-After: 1"])
    let service = try PostService([limited, limited, limited])
    let refused = try post(service, ["hi!"])
    #expect(refused.status == 75 && refused.errors.contains("try again in 1 s"), "\(refused.errors)")
    #expect(try post(service, ["--later", "hi!"]).status == 0)
    #expect(try post(service, ["flush"]).status == 75)
    #expect(try post(service, ["--wait", "flush"]).lines.count == 1)
    #expect(service.posts.map(\.text) == ["hi!"])
  }

  @Test func threadGoesOnWhereItBroke() throws {
    let refusal = PostService.Behaviour.status(401, #"{"title":"Unauthorized","status":401}"#)
    let service = try PostService([.answer, refusal])
    let sentence = "A sentence that is rather long and says not very much, but says it at length, as they do. "
    let text = String(repeating: sentence, count: 8)
    let broken = try post(service, ["--thread", text])
    #expect(broken.status == 77 && broken.lines.count == 1, "\(broken.errors)")
    #expect(broken.errors.contains("1 of 3 posts are made"))
    // The same command goes on too: what it has posted it does not post again.
    let again = try post(service, ["--thread", text])
    #expect(again.status == 0 && again.lines.count == 3, "\(again.errors)")
    #expect(service.posts.map(\.replyTo) == [nil, "1000", "1001"])
    #expect(service.posts.allSatisfy { $0.text.hasSuffix("as they do.") && $0.text.count <= 280 })
  }

  /// Nobody knows whether the first was made: the others wait for that.
  @Test func theRestOfAnUnansweredThreadIsKept() throws {
    let service = try PostService(
      [.lose], refusals: ["GET /2/users/7/tweets": (403, #"{"detail":"No.","status":403}"#)])
    #expect(try post(service, ["--thread", "one\n---\ntwo\n---\nthree"]).status == 77)
    let left = try Tool.run("tw-post", ["outbox"], home: home).lines
    #expect(left.map { $0.split(separator: "\t")[1] } == ["unsettled", "queued", "queued"], "\(left)")
    #expect(service.posts.map(\.text) == ["one"])
  }

  /// A post of a thread whose answer never came is looked for among those that answer the post before it.
  @Test func aPostOfAThreadIsFound() throws {
    let service = try PostService([.answer, .lose])
    let result = try post(service, ["--thread", "one\n---\ntwo\n---\nthree"])
    #expect(result.status == 0 && result.lines.count == 3, "\(result.errors)")
    #expect(service.posts.map(\.text) == ["one", "two", "three"])
    #expect(service.posts.map(\.replyTo) == [nil, "1000", "1001"])
  }

  /// What names a change does it, whatever was done before: it may have been taken back elsewhere.
  @Test func aNamedChangeIsMadeAgain() throws {
    let service = try PostService()
    for _ in 0..<2 { #expect(try post(service, ["like", "42"]).lines.count == 1) }
    let list = try Tool.run(
      "tw-post", ["like"], stdin: "42\n", environment: service.environment, home: home)
    #expect(list.status == 0 && list.output == "", "\(list.errors)")
    #expect(service.requests.count { $0.target == "POST /2/users/7/likes" } == 2)
  }

  /// Who interrupts a flush has what is under way, and nothing after it.
  @Test func anInterruptedFlushSendsNoMore() throws {
    let service = try PostService(latency: 0.5)
    for text in ["one", "two", "three"] { #expect(try post(service, ["--later", "--", text]).status == 0) }
    let flush = try RunningTool("tw-post", ["flush"], environment: service.environment, home: home)
    try waitUntil { service.posts.count == 1 }
    flush.signal(SIGTERM)
    #expect(try flush.finish().lines.count == 1)
    #expect(service.posts.map(\.text) == ["one"])
    let left = try Tool.run("tw-post", ["outbox"], home: home).lines
    #expect(left.map { $0.split(separator: "\t")[1] } == ["queued", "queued"], "\(left)")
  }

  /// What another account has done with a tweet is not said to be this one's.
  @Test func aMarkIsOfOneAccount() throws {
    let service = try PostService()
    let record =
      #"{"tw":"tweet","id":"42","service":"local","text":"a","author":{"id":"2"},"viewer":{"account":"jill","liked":true}}"#
    let done = try Tool.run(
      "tw-post", ["retweet"], stdin: ToolInput(record + "\n"), environment: service.environment, home: home)
    #expect(done.output.contains(#""viewer":{"account":"jack","retweeted":true}}"#), "\(done.output)\(done.errors)")
  }

  /// The rest of a list that was cut off is not made behind the person's back.
  @Test func theRestOfAListIsNotKept() throws {
    let service = try PostService(refusals: [
      "DELETE /2/tweets/2": (429, #"{"title":"Too Many Requests","status":429}"#)
    ])
    let cut = try post(service, ["delete", "--yes", "1", "2", "3"])
    #expect(cut.status == 75 && cut.lines.count == 1, "\(cut.errors)")
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
    #expect(try post(service, ["flush"]).status == 0)
    #expect(!service.requests.contains { $0.target == "DELETE /2/tweets/3" })
  }

  /// An input without an end is not read to its end.
  @Test func aTextHasAnEnd() throws {
    let service = try PostService()
    let endless = try Tool.shell("yes | tw-post --thread -", environment: service.environment, home: home)
    #expect(endless.status == 65 && service.requests.isEmpty, "\(endless.errors)")
  }

  /// The rest of a thread answers a post that will never be made: it is refused, and no request is made for it.
  @Test func aThreadEndsAtARefusedPost() throws {
    let service = try PostService([.answer, .status(403, #"{"detail":"No such thing.","status":403}"#)])
    let sentence = "A sentence that is rather long and says not very much, but says it at length, as they do. "
    #expect(try post(service, ["--later", "--thread", String(repeating: sentence, count: 8)]).status == 0)
    #expect(try post(service, ["flush"]).status == 77 && post(service, ["flush"]).status == 0)
    #expect(service.posts.count == 1)
    #expect(service.requests.count { $0.target == "POST /2/tweets" } == 2)
    let left = try Tool.run("tw-post", ["outbox"], home: home).lines
    #expect(left.map { $0.split(separator: "\t")[1] } == ["refused", "refused"], "\(left)")
    #expect(left.last?.contains("the post that it answers was not made") == true, "\(left)")
  }

  @Test func pictureIsUploadedInPieces() throws {
    let service = try PostService()
    let picture = [0xFF, 0xD8, 0xFF] + (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let path = try home.write("a.jpg", picture)
    let result = try post(service, ["--keep-metadata", "--media", path, "--alt", "A \"picture\"", "look"])
    #expect(result.status == 0, "\(result.errors)")
    var received: [UInt8] = []
    for request in service.requests where request.target == "POST /2/media/upload/9/append" {
      let body = LooseJSON(try JSONSerialization.jsonObject(with: Data(request.body.utf8)))
      received += Array(Data(base64Encoded: body["media"].text) ?? Data())
    }
    #expect(received == picture)
    #expect(service.requests.contains { $0.target == "POST /2/media/metadata" && $0.body.contains(#"A \"picture\""#) })
    // Its processing is waited for.
    #expect(service.requests.last?.body.contains(#""media_ids":["9"]"#) == true)
    #expect(service.requests.contains { $0.target.hasPrefix("GET /2/media/upload?") })
    try home.write("text.jpg", "this is a text, and no picture")
    #expect(try post(service, ["--media", home.path + "/text.jpg", "look"]).status == 65)
    #expect(try post(service, ["--media", "none.jpg", "look"]).status == 66)
  }

  @Test func dryRunMakesNoRequest() throws {
    let service = try PostService()
    let result = try post(service, ["--dry-run", "reply", "42", "so \"it\" is"])
    #expect(result.lines.first?.hasSuffix("/2/tweets") == true)
    #expect(result.output.contains(#"{"text":"so \"it\" is","reply":{"in_reply_to_tweet_id":"42"}}"#))
    #expect(!result.output.contains("secret-token") && service.requests.isEmpty)
  }

  @Test func editor() throws {
    let service = try PostService([.answer, .status(403, #"{"detail":"No such thing.","status":403}"#)])
    let writing = ["EDITOR": "sh -c 'echo written >>\"$1\"' x"]
    let result = try post(service, ["--edit"], environment: writing)
    #expect(result.status == 0, "\(result.errors)")
    #expect(service.posts.map(\.text) == ["written"])
    #expect(try post(service, ["--edit", "start"], environment: ["EDITOR": "true"]).output == "")
    #expect(service.posts.count == 1)
    let refused = try post(service, ["--edit", "kept"], environment: writing)
    #expect(refused.status == 77)
    let path = try #require(refused.errors.split(separator: "'").first { $0.hasSuffix(".txt") })
    #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "kept\nwritten\n")
  }

  @Test func secretsAreNowhere() throws {
    let service = try PostService([.status(403, #"{"detail":"secret-token","status":403}"#)])
    let result = try post(service, ["hi!"])
    #expect(!(result.output + result.errors).contains("secret-token"))
    let outbox = try home.read(".local/share/tw/outbox.db")
    #expect(outbox.firstRange(of: Array("secret-token".utf8)) == nil)
    let rights = try FileManager.default.attributesOfItem(atPath: home.path + "/.local/share/tw/outbox.db")
    #expect(rights[.posixPermissions] as? Int == 0o600)
  }
}
