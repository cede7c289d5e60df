import Foundation
import TestSupport
import Testing

@testable import tw_local

/// Pictures and polls of posts, and disks that are full.
@Suite(.onOwnThread) struct PostFileTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let picture = PNGEncoder.encode(Raster.landscape(seed: 7, width: 80, height: 40))
  private static let other = PNGEncoder.encode(Raster.landscape(seed: 8, width: 40, height: 80))

  private func post(_ service: PostService, _ arguments: String...) throws -> ToolResult {
    try Tool.run("tw-post", arguments, environment: service.environment, home: home)
  }

  /// The bytes of the files that were uploaded, in order.
  private func uploads(_ service: PostService) throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for request in service.requests where request.target.hasPrefix("POST /2/media/upload/") {
      if request.target.hasSuffix("/initialize") { files.append([]) }
      guard request.target.hasSuffix("/append") else { continue }
      let body = LooseJSON(try JSONSerialization.jsonObject(with: Data(request.body.utf8)))
      if body["segment_index"].number == 0 { files[files.count - 1] = [] }
      files[files.count - 1] += Array(try #require(Data(base64Encoded: body["media"].text)))
    }
    return files
  }

  private var copies: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/share/tw/outbox.db.files")) ?? []
  }

  /// A value as text that is the same for the same value.
  private func text(_ value: LooseJSON) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: [value.value ?? NSNull()], options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: Records

  /// A record has what tw-parse makes of the service's own answer, but for what only the service knows.
  @Test func recordsHaveThePicturesAndThePoll() throws {
    let service = try LocalService()
    try home.write("a.png", Self.picture)
    try home.write("b.png", Self.other)
    for options in [
      ["--media", "a.png", "--alt", "A \"picture\" & more", "--media", "b.png", "look"], ["--media", "a.png"],
      ["--poll", "yes", "--poll", "no <b>", "--poll-for", "1h", "well?"],
    ] {
      let made = try Tool.run("tw-post", options, environment: service.environment, home: home)
      #expect(made.ending == .status(0) && made.lines.count == 1, "\(made.errors)")
      let own = LooseJSON(try JSONSerialization.jsonObject(with: Data(made.stdout)))
      let fields =
        "expansions=attachments.media_keys,attachments.poll_ids&media.fields=type,alt_text,width,height"
        + "&poll.fields=duration_minutes,end_datetime,voting_status&tweet.fields=attachments,created_at"
      let answer = try service.ask("GET", "/2/tweets?ids=\(own["id"].text)&\(fields)")
      let parsed = try Tool.run("tw-parse", stdin: ToolInput(answer.body), home: home)
      let theirs = LooseJSON(try JSONSerialization.jsonObject(with: Data(parsed.lines[0].utf8)))
      for key in ["media_keys", "media"] {
        #expect(try text(own["attachments"][key]) == text(theirs["attachments"][key]), "\(key)")
      }
      for key in ["options", "duration_minutes", "end_datetime", "voting_status"] {
        #expect(try text(own["attachments"]["poll"][key]) == text(theirs["attachments"]["poll"][key]), "\(key)")
      }
      #expect(own["attachments"].value != nil)
    }
  }

  /// A program that was killed between the answer and its output has the pictures' names on disk.
  @Test func theRecordOfAKilledProgramHasThePictureToo() throws {
    let service = try PostService(latency: 0.5)
    try home.write("a.png", Self.picture)
    let words = ["--media", "a.png", "--alt", "A picture", "look"]
    let tool = try RunningTool("tw-post", words, environment: service.environment, home: home)
    try waitUntil { !service.posts.isEmpty }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(copies.count == 1)
    let again = try Tool.run("tw-post", words, environment: service.environment, home: home)
    #expect(
      again.output.contains(#""media_key":"3_9","alt_text":"A picture","width":80,"height":40"#), "\(again.errors)")
    #expect(service.posts.count == 1 && copies.isEmpty)
    #expect(try uploads(service).count == 1)
  }

  @Test func aPictureNeedsNoText() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    #expect(try post(service, "--media", "a.png").ending == .status(0))
    #expect(try post(service, "--media", "a.png", "reply", "42", "  ").ending == .status(0))
    let bodies = service.requests.filter { $0.target == "POST /2/tweets" }.map(\.body)
    #expect(
      bodies == [
        #"{"media":{"media_ids":["9"]}}"#, #"{"reply":{"in_reply_to_tweet_id":"42"},"media":{"media_ids":["9"]}}"#,
      ])
    #expect(try post(service, " ").ending == .status(65))
    #expect(try post(service, "--media", "a.png", "quote", "42", "look").ending == .status(64))
    #expect(try post(service, "--poll", "a", "--poll", "b", "quote", "42", "look").ending == .status(64))
    #expect(service.posts.count == 2)
  }

  // MARK: Copies

  @Test func theOutboxHasItsOwnCopyOfAPicture() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    #expect(try post(service, "--later", "--media", "a.png", "one").ending == .status(0))
    #expect(try post(service, "--later", "--media", "a.png", "two").ending == .status(0))
    #expect(copies.count == 1)
    try home.write("a.png", Self.other)
    #expect(try post(service, "--later", "--media", "a.png", "three").ending == .status(0))
    try FileManager.default.removeItem(atPath: home.path + "/a.png")
    #expect(copies.count == 2)
    #expect(try post(service, "--yes", "outbox", "drop", "1").ending == .status(0) && copies.count == 2)
    let flushed = try post(service, "flush")
    #expect(flushed.ending == .status(0) && flushed.lines.count == 2, "\(flushed.errors)")
    #expect(try uploads(service) == [Self.picture, Self.other])
    #expect(copies.isEmpty)
    let rights = try FileManager.default.attributesOfItem(atPath: home.path + "/.local/share/tw/outbox.db.files")
    #expect(rights[.posixPermissions] as? Int == 0o700)
  }

  /// What is taken out of the outbox is not kept on disk.
  @Test func aPictureGoesWithItsPost() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    for command in [["--yes", "outbox", "drop", "1"], ["undo", "--yes"]] {
      #expect(try post(service, "--later", "--media", "a.png", "one").ending == .status(0) && copies.count == 1)
      #expect(try Tool.run("tw-post", command, environment: service.environment, home: home).ending == .status(0))
      #expect(copies.isEmpty, "\(command)")
    }
  }

  /// Until nobody knows that a post was made, its picture is kept, whatever else is done meanwhile.
  @Test func thePictureOfAnUnansweredPostStays() throws {
    let service = try PostService(
      [.close], refusals: ["GET /2/users/7/tweets": (403, #"{"detail":"No.","status":403}"#)])
    try home.write("a.png", Self.picture)
    try home.write("b.png", Self.other)
    #expect(try post(service, "--media", "a.png", "unanswered").ending == .status(77))
    let kept = copies
    #expect(try kept.count == 1 && post(service, "--media", "b.png", "another").ending == .status(0))
    #expect(try post(service, "--yes", "outbox", "drop", "2").ending == .status(0) && copies == kept)
    #expect(try post(service, "flush").ending == .status(77) && copies == kept)
    #expect(try post(service, "outbox", "retry", "1").ending == .status(0) && copies == kept)
    #expect(try post(service, "flush").ending == .status(0) && copies.isEmpty)
    #expect(service.posts.map(\.text) == ["another", "unanswered"])
    #expect(try uploads(service).last == Self.picture)
  }

  /// Pictures belong to the first post of a thread.
  @Test func thePicturesOfAThreadAreInItsFirstPost() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    let options = ["--reply-settings", "following", "--media", "a.png", "--thread", "one\n---\ntwo"]
    #expect(try Tool.run("tw-post", options, environment: service.environment, home: home).lines.count == 2)
    let bodies = service.requests.filter { $0.target == "POST /2/tweets" }.map(\.body)
    #expect(
      bodies == [
        #"{"text":"one","media":{"media_ids":["9"]},"reply_settings":"following"}"#,
        #"{"text":"two","reply":{"in_reply_to_tweet_id":"1000"}}"#,
      ])
    #expect(try uploads(service).count == 1 && copies.isEmpty)
  }

  /// One file with two descriptions is two pictures; with one it is uploaded once.
  @Test func eachDescriptionIsThatOfItsPicture() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    for text in ["one", "two"] {
      let words = ["--later", "--media", "a.png", "--alt", text, "--media", "a.png", "--alt", text, text]
      #expect(try Tool.run("tw-post", words, environment: service.environment, home: home).ending == .status(0))
    }
    #expect(try post(service, "flush").lines.count == 2)
    let described = service.requests.filter { $0.target == "POST /2/media/metadata" }.map(\.body)
    #expect(described.map { $0.contains("\"one\"") } == [true, false] && described.last?.contains("\"two\"") == true)
    #expect(try uploads(service).count == 2)
  }

  /// What the account cannot do now is no fault of the picture: the post waits.
  @Test(arguments: [
    (402, #"{"title":"CreditsDepleted","detail":"No credits."}"#, 69),
    (401, #"{"title":"Unauthorized","status":401}"#, 77),
    (403, #"{"detail":"Not permitted.","status":403}"#, 77),
    (429, #"{"title":"Too Many Requests","status":429}"#, 75),
  ])
  func anUploadThatTheAccountMayNotMakeNow(_ code: Int, _ body: String, _ status: Int32) throws {
    let service = try PostService(pieces: [.status(code, body)])
    try home.write("a.png", Self.picture)
    #expect(try post(service, "--later", "--media", "a.png", "look").ending == .status(0))
    let refused = try post(service, "flush")
    #expect(refused.ending == .status(status), "\(refused.errors)")
    #expect(try post(service, "outbox").lines.map { $0.split(separator: "\t")[1] } == ["queued"])
    #expect(try post(service, "flush").lines.count == 1 && service.posts.count == 1)
  }

  /// Who has been told that it waits can switch the machine off.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
  func aCopyReachesTheDisk() throws {
    let service = try PostService()
    try home.write("a.png", Self.picture)
    let disk = try #require(
      FaultyDisk.environment(of: home.path + "/.local/share/tw/outbox.db.files/", ["TW_DISK_FAILS_AT": "1"]))
    let environment = service.environment.merging(disk) { $1 }
    let failed = try Tool.run("tw-post", ["--later", "--media", "a.png", "look"], environment: environment, home: home)
    #expect(failed.ending == .status(74) && copies.isEmpty, "\(failed.errors)")
    #expect(try post(service, "outbox").output == "")
  }

  @Test func aFileThatTheServiceCannotUseIsNotPosted() throws {
    let failed = #"{"data":{"id":"9","processing_info":{"state":"failed"}}}"#
    let service = try PostService(refusals: ["GET /2/media/upload": (200, failed)])
    try home.write("a.png", Self.picture)
    let result = try post(service, "--media", "a.png", "look")
    #expect(result.ending == .status(69) && service.posts.isEmpty && copies.isEmpty, "\(result.errors)")
  }

  /// A picture that cannot be posted does not stop what waits after it.
  @Test func aPictureThatTheServiceRefusesDoesNotBlockTheOutbox() throws {
    let service = try PostService(pieces: [.status(400, #"{"detail":"media type unrecognized"}"#)])
    try home.write("a.png", Self.picture)
    try home.write("b.png", Self.other)
    for words in [["--media", "a.png", "refused"], ["--media", "b.png", "lost"], ["--", "text"]] {
      #expect(
        try Tool.run("tw-post", ["--later"] + words, environment: service.environment, home: home).ending == .status(0))
    }
    // The second loses its copy.
    let files = home.path + "/.local/share/tw/outbox.db.files/"
    for name in copies where try Array(Data(contentsOf: URL(fileURLWithPath: files + name))) == Self.other {
      try FileManager.default.removeItem(atPath: files + name)
    }
    let flushed = try post(service, "flush")
    #expect(flushed.ending == .status(69) && flushed.lines.count == 1, "\(flushed.errors)")
    #expect(flushed.errors.contains("write 1: ") && flushed.errors.contains("media type unrecognized"))
    #expect(flushed.errors.contains("write 2: cannot open the outbox's copy of '"), "\(flushed.errors)")
    #expect(service.posts.map(\.text) == ["text"])
    let list = try post(service, "outbox").lines
    #expect(list.map { $0.split(separator: "\t")[1] } == ["refused", "refused"])
  }

  // MARK: Lost networks, full disks

  @Test func aPieceThatIsLostIsSentAgain() throws {
    let service = try PostService(pieces: [.answer, .close, .status(503, "")])
    let picture = Self.picture + (0..<4_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try home.write("a.png", picture)
    let result = try post(service, "--media", "a.png", "--keep-metadata", "look")
    #expect(result.ending == .status(0), "\(result.errors)")
    var pieces: [Int: String] = [:]
    for request in service.requests where request.target.hasSuffix("/append") {
      let body = LooseJSON(try JSONSerialization.jsonObject(with: Data(request.body.utf8)))
      pieces[body["segment_index"].number] = body["media"].text
    }
    let received = pieces.sorted { $0.key < $1.key }.flatMap { Array(Data(base64Encoded: $0.value) ?? Data()) }
    #expect(received == picture && service.requests.count { $0.target.hasSuffix("/append") } == 5)
    #expect(service.posts.count == 1)
  }

  @Test func aNetworkThatIsLostInTheMiddleLosesNothing() throws {
    let service = try PostService(pieces: [.answer] + Array(repeating: .close, count: 40))
    try home.write("a.png", Self.picture + [UInt8](repeating: 7, count: 2_500_000))
    let failed = try post(service, "--media", "a.png", "--keep-metadata", "look")
    #expect(failed.ending == .status(75) && service.posts.isEmpty, "\(failed.errors)")
    #expect(try post(service, "outbox").output == "" && copies.isEmpty)
    #expect(try post(service, "--later", "--media", "a.png", "--keep-metadata", "look").ending == .status(0))
    #expect(try post(service, "flush").ending == .status(75))
    #expect(try post(service, "outbox").lines.count == 1 && copies.count == 1)
    service.expect(pieces: [])
    #expect(try post(service, "flush").lines.count == 1)
    #expect(service.posts.count == 1)
  }

  @Test(.enabled(if: Sanitizer.allowsFileLimits)) func withoutRoomForTheOutboxNothingIsSent() throws {
    let service = try PostService()
    let none = try Tool.shell("ulimit -f 0; exec tw-post 'hi!'", environment: service.environment, home: home)
    #expect(none.ending == .status(73) || none.ending == .status(74), "\(none.errors)")
    #expect(service.requests.isEmpty)
    #expect(try post(service, "--", "first").ending == .status(0))
    // The outbox has room, the copy of the picture has none.
    try home.write("a.png", Self.picture + [UInt8](repeating: 7, count: 2_000_000))
    let full = try Tool.shell(
      "ulimit -f 1000; exec tw-post --keep-metadata --media a.png 'look!'", environment: service.environment, home: home
    )
    #expect(full.ending == .status(74) && full.errors.contains("cannot copy "), "\(full.errors)")
    #expect(service.posts.count == 1 && copies.isEmpty)
    #expect(try post(service, "outbox").output == "")
  }

  /// The disk fills up between the request and the answer: the post is made, and cannot be marked as done.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit"), "needs prlimit(1)"))
  func aDiskThatIsFullAfterTheAnswer() throws {
    let service = try PostService(latency: 1)
    let tool = try RunningTool("tw-post", ["hi!"], environment: service.environment, home: home)
    try waitUntil { !service.posts.isEmpty }
    let limit = try Tool.run("/usr/bin/prlimit", ["--pid", String(tool.processID), "--fsize=1:1"], home: home)
    #expect(limit.ending == .status(0), "\(limit.errors)")
    let full = try tool.finish()
    #expect(full.ending == .status(74) && full.output == "", "\(full.errors)")
    let again = try post(service, "hi!")
    #expect(again.ending == .status(0) && again.output.contains(#""id":"1000""#), "\(again.errors)")
    #expect(service.posts.count == 1)
  }
}
