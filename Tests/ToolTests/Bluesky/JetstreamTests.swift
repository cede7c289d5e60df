import Foundation
import TestSupport
import Testing

/// Bluesky's live stream, over real sockets: what is found in it, and that breaks lose and double nothing.
@Suite(.onOwnThread) struct JetstreamTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Runs until so many lines with posts have come, and gives the texts of all.
  private func run(
    _ bluesky: FakeBluesky, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (words: [String], result: ToolResult) {
    let result = try Tool.run(
      "tw-stream", arguments, environment: bluesky.environment.merging(environment) { $1 }, home: home)
    return (result.lines.map(Self.word), result)
  }

  /// What a line is: the post's text, the type of a record, or the code of a notice.
  private static func word(_ line: String) -> String {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return "bad" }
    if let type = object["tw"] as? String { return type == "notice" ? object["code"] as? String ?? "" : type }
    let event = object["payload"] as? [String: Any] ?? object
    let commit = event["commit"] as? [String: Any] ?? event
    if commit["operation"] as? String == "delete" { return "delete" }
    let author = (event["author"] ?? commit["author"]) as? [String: Any]
    let text = (commit["record"] as? [String: Any])?["text"] as? String ?? "?"
    return text + (author == nil ? " (nobody)" : "")
  }

  private static func posts(_ words: [String]) -> [String] { words.filter { $0.contains("#") } }

  @Test func aTagIsFoundAmongAllPosts() throws {
    let bluesky = try FakeBluesky()
    let tool = try RunningTool(
      "tw-stream", ["-n", "3", "bluesky:#Swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["no", "one #swift", "#swiftui", "two #SWIFT!", "swift", "(#swift)"])
    let words = try tool.finish().lines.map(Self.word)
    #expect(words == ["context", "connect", "one #swift", "two #SWIFT!", "(#swift)"])
    let stream = try #require(bluesky.streams.first)
    #expect(stream.path == "/xrpc/network.bsky.jetstream.subscribeEvents?kinds=commit&collections=app.bsky.feed.post")
    #expect(stream["Sec-WebSocket-Protocol"] == "xrpc.v1.json" && stream["Authorization"] == nil)
    #expect(
      bluesky.server.targets.filter { $0.contains("getProfiles") } == [
        "GET /xrpc/app.bsky.actor.getProfiles?actors=did%3Aplc%3Aalice"
      ])
  }

  /// The records say whose they are, and tw-parse makes tweets of them.
  @Test func twParseReadsIt() throws {
    let bluesky = try FakeBluesky()
    let tool = try RunningTool(
      "/bin/bash", ["-c", "tw-stream -n 1 bluesky:#swift | tw-parse"], environment: bluesky.environment, home: home)
    try bluesky.waitForStreams(1)
    bluesky.add(["one #swift"])
    let lines = try tool.finish().lines
    #expect(
      lines.first?.contains(##""tw":"context","feed":"#swift","service":"bluesky","base":"\##(bluesky.base)""##) == true
    )
    let tweet = try #require(lines.last)
    #expect(tweet.contains(#""id":"at://did:plc:alice/app.bsky.feed.post/3k1000abcdefg","service":"bluesky""#))
    #expect(tweet.contains(#""username":"alice.example""#) && tweet.contains(##""feeds":["#swift"]"##), "\(tweet)")
  }

  @Test(arguments: FakeBluesky.End.quick)
  func aBreakLosesAndDoublesNothing(_ end: FakeBluesky.End) throws {
    let bluesky = try FakeBluesky([.some(3, end), .some(2, end), .all])
    let tool = try RunningTool(
      "tw-stream", ["-n", "8", "bluesky:#swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add((1...10).map { $0 == 2 || $0 == 6 ? "other" : "#swift \($0)" })
    let result = try tool.finish()
    let words = result.lines.map(Self.word)
    #expect(Self.posts(words) == [1, 3, 4, 5, 7, 8, 9, 10].map { "#swift \($0)" }, "\(words) \(result.errors)")
    #expect(result.ending == .status(0) && bluesky.streams.count == 3)
    #expect(bluesky.streams[1].parameter("cursor") == "1002", "\(bluesky.streams[1].path)")
  }

  /// Killed without warning, again and again, each run goes on where the one before was.
  @Test func aKilledRunGoesOn() throws {
    let bluesky = try FakeBluesky()
    bluesky.add(["before #swift"])
    var posts: [String] = []
    var number = 0
    for run in 1...3 {
      let tool = try RunningTool(
        "tw-stream", ["--state", "places", "bluesky:#swift"], environment: bluesky.environment, home: home)
      try bluesky.waitForStreams(run)
      bluesky.add(["other"])
      for _ in 0..<3 {
        number += 1
        bluesky.add(["#swift \(number)"])
      }
      // Until it has saved: five seconds after the post.
      while let line = try tool.line() {
        posts += Self.posts([Self.word(line)])
        if posts.count >= number { break }
      }
      let deadline = Date(timeIntervalSinceNow: 20)
      let last = 1000 + number + number / 3
      while (try? String(decoding: home.read("places"), as: UTF8.self).contains(" \(last) ")) != true, Date() < deadline
      { usleep(50_000) }
      tool.signal(SIGKILL)
      _ = try tool.finish()
      // Made while nobody reads.
      number += 1
      bluesky.add(["#swift \(number)"])
    }
    let (words, _) = try run(bluesky, ["--state", "places", "-n", "1", "bluesky:#swift"])
    #expect(posts + Self.posts(words) == (1...number).map { "#swift \($0)" })
  }

  @Test func whatIsRefusedIsAskedForInAnotherWay() throws {
    let bluesky = try FakeBluesky([
      .some(1, .reset), .answer(400, #"{"error":"CursorTooOld","message":"below the floor"}"#), .all,
    ])
    let tool = try RunningTool(
      "tw-stream", ["-n", "2", "bluesky:#swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["#swift 1", "#swift 2"])
    let words = try tool.finish().lines.map(Self.word)
    #expect(Self.posts(words) == ["#swift 1", "#swift 2"])
    let cursors = bluesky.streams.map { $0.parameter("cursor") }
    #expect(cursors == [nil, "1000", "1790000995000000"], "\(cursors)")
  }

  @Test func theFirstVersionIsSpokenWhereThereIsNoOther() throws {
    let bluesky = try FakeBluesky([.some(2, .reset), .all])
    bluesky.speakFirstVersion()
    let tool = try RunningTool(
      "tw-stream", ["-n", "3", "bluesky:#swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["#swift 1", "#swift 2", "#swift 3"])
    let words = try tool.finish().lines.map(Self.word)
    #expect(Self.posts(words) == ["#swift 1", "#swift 2", "#swift 3"], "\(words)")
    let paths = bluesky.streams.map { $0.path.prefix { $0 != "?" } }
    #expect(paths.suffix(2) == ["/subscribe", "/subscribe"], "\(paths)")
    #expect(bluesky.streams.last?.parameter("cursor") == "1790001001000000")
  }

  /// A post waits a moment for its author; it is printed again when that comes.
  @Test func aLateAuthorComesAsAnUpdate() throws {
    let bluesky = try FakeBluesky()
    bluesky.delayProfiles(1.5)
    let tool = try RunningTool(
      "tw-stream", ["bluesky:#swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["#swift 1"])
    try tool.waitForLines(4)
    tool.signal(SIGTERM)
    let words = try tool.finish().lines.map(Self.word)
    #expect(words == ["context", "connect", "#swift 1 (nobody)", "#swift 1"])
  }

  @Test func deletesAndEditsAreOfDeliveredPosts() throws {
    let bluesky = try FakeBluesky()
    let tool = try RunningTool(
      "tw-stream", ["bluesky:#swift"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["#swift 1"], key: "3kaaaaaaaaaaa")
    bluesky.add(["other"], key: "3kbbbbbbbbbbb")
    bluesky.add(["edited"], operation: "update", key: "3kaaaaaaaaaaa")
    bluesky.add(["edited too"], operation: "update", key: "3kbbbbbbbbbbb")
    bluesky.add([""], operation: "delete", key: "3kbbbbbbbbbbb")
    bluesky.add([""], operation: "delete", key: "3kaaaaaaaaaaa")
    try tool.waitForLines(5)
    tool.signal(SIGTERM)
    let words = try tool.finish().lines.map(Self.word)
    #expect(words == ["context", "connect", "#swift 1", "edited", "delete"])
  }

  /// Who does not want to be shown to people without an account is not.
  @Test func whatIsNotToBeShownIsNot() throws {
    let bluesky = try FakeBluesky()
    let tool = try RunningTool(
      "tw-stream", ["-n", "1", "bluesky:live:swift lang:en"], environment: bluesky.environment, home: home)
    try tool.waitForLines(2)
    bluesky.add(["swift 1"], did: "did:plc:shy")
    bluesky.add(["swift 2"])
    #expect(try tool.finish().lines.map(Self.word) == ["context", "connect", "swift 2"])
  }

  /// One stream of two services; one of them is down.
  @Test func eachNetworkIsDownByItself() throws {
    let bluesky = try FakeBluesky([.answer(401, #"{"error":"AuthMissing"}"#)])
    let service = try FaultyService("stream\n  post 1\n  hold")
    let environment = ["TW_ENDPOINT": service.base, "TW_TOKEN": "s3cret"]
    let (words, result) = try run(
      bluesky, ["--for", "2s", "#swift", "bluesky:#swift"], environment: environment)
    #expect(words.contains("bad-source") && result.output.contains(#""source":"bluesky:#swift""#), "\(result.output)")
    #expect(result.lines.contains { $0.contains(#""text":"post 1""#) }, "\(result.output)")
    #expect(!bluesky.server.requests.contains { $0.head.contains("s3cret") })
  }

  @Test func aSearchNeedsAnAccount() throws {
    for arguments in [["--once", "bluesky:search:swift"], ["--once", "bluesky:#swift"], ["bluesky:search:swift"]] {
      let result = try Tool.run("tw-stream", arguments, home: home)
      #expect(result.ending == .status(77) && result.errors.contains("needs an account of Bluesky"), "\(result.errors)")
    }
  }
}
