import Foundation
import TestSupport
import Testing

/// What a Jetstream does besides sending events: it compresses them, refuses cursors, and is not the only one.
@Suite(.onOwnThread) struct JetstreamServerTests {
  private let home: TemporaryDirectory
  private let dictionary: [UInt8]

  init() throws {
    home = try TemporaryDirectory()
    dictionary = try ZstdFrame.dictionary()
  }

  private func start(_ bluesky: FakeBluesky, _ arguments: [String], _ more: [String: String] = [:]) throws
    -> RunningTool
  {
    try RunningTool("tw-stream", arguments, environment: bluesky.environment.merging(more) { $1 }, home: home)
  }

  /// The texts of the posts.
  private func posts(_ result: ToolResult) -> [String] {
    result.output.matches(of: ##/"text":"(#swift[^"]*)"/##).map { String($0.1) }
  }

  private func asked(_ bluesky: FakeBluesky) -> Int {
    bluesky.server.targets.count { $0.contains("getZstdDictionary") }
  }

  // MARK: Compression

  @Test(arguments: [false, true]) func compressedMessagesAreRead(_ isSplit: Bool) throws {
    let bluesky = try FakeBluesky([.some(2, .reset), .all])
    bluesky.compress(with: dictionary)
    if isSplit { bluesky.splitFrames() }
    let tool = try start(bluesky, ["-n", "3", "bluesky:#swift"])
    try bluesky.waitForStreams(1)
    bluesky.add(["#swift 1", "other", "#swift 2", "#swift 3"])
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 1", "#swift 2", "#swift 3"], "\(result.output) \(result.errors)")
    let ids = bluesky.streams.map { $0.parameter("zstdDictionary") }
    #expect(ids == Array(repeating: String(ZstdFrame.id(of: dictionary)), count: 2), "\(ids)")
    #expect(asked(bluesky) == 1, "the dictionary stays over a break")
  }

  /// The server has a newer one: it is asked for once more. If it does not know that one either, messages come as they
  /// are.
  @Test(arguments: [("the current dictionary is 7", 1), ("no", 2)])
  func anUnknownDictionaryIsAskedForAgain(message: String, refusals: Int) throws {
    let refusal = FakeBluesky.Connection.answer(400, #"{"error":"UnknownZstdDictionary","message":"\#(message)"}"#)
    let bluesky = try FakeBluesky(Array(repeating: refusal, count: refusals) + [.all])
    bluesky.compress(with: dictionary)
    let tool = try start(bluesky, ["-n", "1", "bluesky:#swift"])
    try bluesky.waitForStreams(1)
    bluesky.add(["#swift 1"])
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 1"] && asked(bluesky) == 2, "\(result.output) \(result.errors)")
    #expect(bluesky.streams.count == refusals + 1)
    #expect((bluesky.streams.last?.parameter("zstdDictionary") == nil) == (refusals == 2))
  }

  /// Frames that are none, are cut off, or would take more memory than any message: each is told of, and the stream
  /// goes on.
  @Test func hostileFramesEndNothing() throws {
    let bluesky = try FakeBluesky()
    bluesky.compress(with: dictionary)
    let event = FakeBluesky.frame(
      .init(number: 1, operation: "create", did: "did:plc:eve", key: "3k1", text: "#swift cut"), isSecond: true)
    let whole = ZstdFrame.compressed(Array(event.utf8), dictionary)
    let frames = [
      Array("no frame at all".utf8), Array(whole.dropLast(5)), whole + [1, 2, 3],
      ZstdFrame.bomb(64 << 20, dictionary, isSized: true), ZstdFrame.bomb(64 << 20, dictionary, isSized: false),
    ]
    #expect(frames.allSatisfy { $0.count < 1 << 16 }, "small on the wire")
    bluesky.note(frames.map { TestSupport.Connection.frame(2, $0) })
    let tool = try start(bluesky, ["-n", "1", "bluesky:#swift"])
    try bluesky.waitForStreams(1)
    bluesky.add(["#swift 1"])
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 1"] && result.ending == .status(1), "\(result.output) \(result.errors)")
    #expect(result.lines.count { $0.contains("not compressed as agreed") } == frames.count, "\(result.output)")
    #expect(bluesky.streams.count == 1)
  }

  // MARK: Places

  @Test func aPlaceThatIsTooOldIsAGap() throws {
    let bluesky = try FakeBluesky([.some(1, .reset), .all])
    let info =
      #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#info","name":"OutdatedCursor","#
      + #""message":"requested timestamp cursor below retention floor; starting at seq 1001"}}"#
    let tool = try start(bluesky, ["-n", "2", "bluesky:#swift"])
    try bluesky.waitForStreams(1)
    bluesky.note([TestSupport.Connection.text(info)])
    bluesky.add(["#swift 1", "#swift 2"])
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 1", "#swift 2"], "\(result.output)")
    let gap = result.lines.first { $0.contains(#""code":"gap""#) }
    #expect(
      gap?.contains("starting at seq 1001") == true && gap?.contains(#""level":"warning""#) == true, "\(result.output)")
  }

  /// A server that begins later than it was asked for says so by the second version's protocol. By the first it does
  /// not: a minute without an event is a gap there, since there is none in all of Bluesky.
  @Test(arguments: [false, true]) func aMinuteWithoutEventsIsAGapOfTheFirstVersion(_ isFirst: Bool) throws {
    let bluesky = try FakeBluesky([.some(2, .reset), .all])
    if isFirst { bluesky.speakFirstVersion() }
    let tool = try start(bluesky, ["-n", "2", "bluesky:#swift"])
    try bluesky.waitForStreams(1)
    bluesky.keep(from: 1082)
    bluesky.add(["#swift 1"] + Array(repeating: "other", count: 81) + ["#swift 2"])
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 1", "#swift 2"], "\(result.output)")
    let gaps = result.lines.count { $0.contains(#""code":"gap""#) && $0.contains("may be missing") }
    #expect(gaps == (isFirst ? 1 : 0), "\(result.output)")
  }

  /// The server of the checkpoint is not there any more. Another one has other numbers, so it is asked by time, a few
  /// seconds back.
  @Test func anotherServerGoesOnByTime() throws {
    let (first, second) = (try FakeBluesky(), try FakeBluesky())
    second.number(from: 500_000)
    let early = (1...3).map { "#swift \($0)" }
    let tool = try start(first, ["--state", "places", "-n", "3", "bluesky:#swift"])
    try first.waitForStreams(1)
    first.add(early)
    #expect(posts(try tool.finish()) == early)
    // Hours later.
    let late = (4...8).map { "#swift \($0)" }
    second.add(early + Array(repeating: "other", count: 40) + late)
    let again = try start(
      first, ["--state", "places", "-n", "5", "bluesky:#swift"], ["TW_STREAM_BLUESKY": second.base])
    let result = try again.finish()
    // What came in the last five seconds may come twice after a new start.
    #expect(
      Array(posts(result).filter { !early.contains($0) })
        == Array(late.prefix(posts(result).count { !early.contains($0) })))
    #expect(second.streams.first?.parameter("cursor") == "1790000997000000", "\(second.streams.map(\.path))")
    let places = String(decoding: try home.read("places"), as: UTF8.self)
    #expect(places.contains(second.base), "\(places)")
    // It goes on there by number.
    second.add(["#swift 9"])
    let last = try start(first, ["--state", "places", "-n", "4", "bluesky:#swift"], ["TW_STREAM_BLUESKY": second.base])
    let rest = posts(try last.finish())
    #expect(posts(result).filter { !early.contains($0) } + rest == late + ["#swift 9"], "\(rest)")
    #expect((second.streams.last?.parameter("cursor")).flatMap { Int($0) } ?? 0 > 500_000)
  }

  // MARK: Authors

  /// The stream knows accounts by their DIDs; the handle is looked up before.
  @Test func aHandleIsLookedUp() throws {
    let bluesky = try FakeBluesky()
    let tool = try start(bluesky, ["-n", "1", "bluesky:live:from:bob.example"])
    try bluesky.waitForStreams(1)
    bluesky.add(["#swift 1"])
    bluesky.add(["#swift 2"], did: "did:plc:bob")
    let result = try tool.finish()
    #expect(posts(result) == ["#swift 2"], "\(result.output) \(result.errors)")
    #expect(bluesky.streams.first?.path.contains("&dids=did%3Aplc%3Abob") == true, "\(bluesky.streams.map(\.path))")
    #expect(bluesky.server.targets.first?.contains("resolveHandle?handle=bob.example") == true)
  }

  @Test func aHandleOfNobodyIsRefused() throws {
    let bluesky = try FakeBluesky()
    let result = try start(bluesky, ["bluesky:live:swift from:@bob.other"]).finish()
    #expect(result.ending == .status(69) && result.errors.contains("no account 'bob.other'"), "\(result)")
    #expect(bluesky.streams.isEmpty)
  }

  /// What was printed before its author was known is taken back, if the author is not to be shown.
  @Test func aPostOfSomebodyWhoIsNotToBeShownIsTakenBack() throws {
    let bluesky = try FakeBluesky()
    bluesky.delayProfiles(1.5)
    let tool = try RunningTool(
      "/bin/bash", ["-c", "tw-stream bluesky:#swift | tee raw | tw-parse"], environment: bluesky.environment, home: home
    )
    try bluesky.waitForStreams(1)
    let post = bluesky.add(["#swift 1"], did: "did:plc:shy")[0]
    var lines: [String] = []
    while let line = try tool.line() {
      lines.append(line)
      if line.contains(#""tw":"delete""#) { break }
    }
    kill(-tool.processID, SIGTERM)
    _ = try tool.finish()
    #expect(lines.contains { $0.contains(#""tw":"tweet","id":"\#(post)""#) }, "\(lines)")
    #expect(lines.last?.contains(#""id":"\#(post)""#) == true && lines.last?.contains("#swift 1") == false, "\(lines)")
    // Nor does the event of its deletion say what is taken back.
    let raw = String(decoding: try home.read("raw"), as: UTF8.self).split(separator: "\n")
    let deletion = try #require(raw.first { $0.contains(#""operation":"delete""#) }, "\(raw)")
    #expect(!deletion.contains("swift 1") && !deletion.contains(#""record""#) && !deletion.contains(#""cid""#))
  }

  // MARK: TLS

  /// Many messages of one record of TLS, after which the server is silent, all come; through a proxy too.
  @Test(arguments: [false, true]) func messagesOfOneRecordOfTLSAllCome(byProxy: Bool) throws {
    let bluesky = try FakeBluesky()
    let servers = try TLSServers(relaying: bluesky.base)
    let name = byProxy ? "https://another.example" : servers.base("relay")
    let tool = try start(
      bluesky, ["-n", "400", "bluesky:#swift"],
      [
        "TW_ENDPOINT_BLUESKY": name, "TW_CA_FILE": servers.home.path + "/ca.pem",
        "https_proxy": byProxy ? "http://127.0.0.1:\(servers.port("proxy"))" : "",
      ])
    try bluesky.waitForStreams(1)
    bluesky.add((0..<400).map { "#swift \($0)" })
    let result = try tool.finish()
    #expect(result.status == 0 && posts(result) == (0..<400).map { "#swift \($0)" }, "\(result.errors)")
    if byProxy {
      let tunnels = String(decoding: try servers.home.read("tunnels"), as: UTF8.self).split(separator: "\n")
      #expect(tunnels.count >= 2 && Set(tunnels) == ["another.example:443"], "\(tunnels)")
    }
  }
}
