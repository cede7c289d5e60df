import Foundation
import Synchronization
import TestNumbers
import TestSupport
import Testing

/// What belongs to a post at Bluesky: pictures that are too large, videos, who may answer and quote, labels, cards.
@Suite(.onOwnThread(minutes: 5)) struct BlueskyPartsTests {
  private let home: TemporaryDirectory
  private let server: FakePDS

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
    let login = try server.signIn(home)
    try #require(login.status == 0, "\(login.errors)")
  }

  private func post(_ arguments: [String], _ more: [String: String] = [:]) throws -> ToolResult {
    try Tool.run("tw-post", arguments, environment: server.environment.merging(more) { $1 }, home: home)
  }

  private func record(_ collection: String = "app.bsky.feed.post") throws -> [String: Any] {
    let text = try #require(server.records(collection).values.first)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  private var uploads: [LoopbackServer.Request] { server.calls("com.atproto.repo.uploadBlob") }

  // MARK: Pictures and videos

  @Test func aPictureThatIsTooLargeIsMadeSmaller() throws {
    try home.write("big.png", try PictureSample.noise(width: 900, height: 800))
    let dry = try post(["--dry-run", "--media", "big.png", "Look here"])
    #expect(dry.status == 0 && dry.errors.contains("is posted with 900 × 800 pixels"), "\(dry.errors)")
    #expect(uploads.isEmpty)
    let posted = try post(["--media", "big.png", "--alt", "noise", "Look here"])
    #expect(posted.status == 0, "\(posted.errors)")
    #expect(posted.errors.contains("and service 'bluesky' takes 2000000: it is posted with 900 × 800 pixels"))
    let upload = try #require(uploads.first)
    let size = try #require(upload["Content-Length"].flatMap { Int($0) })
    #expect(upload["Content-Type"] == "image/jpeg" && (1...2_000_000).contains(size))
    #expect(posted.errors.contains("\(size) bytes of image/jpeg"), "\(posted.errors)")
    let record = try record()
    let embed = try #require(record["embed"] as? [String: Any])
    let image = try #require((embed["images"] as? [[String: Any]])?.first)
    #expect(image["aspectRatio"] as? [String: Int] == ["width": 900, "height": 800])
    // The same file makes the same bytes: after a kill the copy in the outbox is sent.
    #expect(try post(["--media", "big.png", "Look again"]).status == 0)
    #expect(uploads.count == 2 && uploads[1].body == upload.body)
  }

  /// What is transparent stays so, in a picture of fewer pixels.
  @Test func aTransparentPictureLosesPixels() throws {
    try home.write("big.png", try PictureSample.noise(width: 900, height: 800, opacity: 100))
    let posted = try post(["--media", "big.png", "Look here"])
    #expect(posted.status == 0 && posted.errors.contains("it is posted with 675 × 600 pixels"), "\(posted.errors)")
    #expect(uploads.first?["Content-Type"] == "image/png")
  }

  @Test func aPictureThatIsTurnedHasItsShape() throws {
    try home.write("a.jpg", try MediaSample.jpeg(6).file)
    #expect(try post(["--media", "a.jpg", "Look here"]).status == 0)
    let record = try record()
    let embed = try #require(record["embed"] as? [String: Any])
    let image = try #require((embed["images"] as? [[String: Any]])?.first)
    #expect(image["aspectRatio"] as? [String: Int] == ["width": 24, "height": 32])
  }

  /// More than four pictures are a gallery, each with its shape.
  @Test(arguments: [4, 5, 10])
  func manyPicturesAreAGallery(_ count: Int) throws {
    try home.write("a.png", PictureSample.png(width: 30, height: 20))
    let pictures: [String] = (0..<count).flatMap { _ in ["--media", "a.png"] }
    let posted = try post(pictures + ["Look here"])
    #expect(posted.status == 0, "\(posted.errors)")
    let embed = try #require(try record()["embed"] as? [String: Any])
    let items = embed[count > 4 ? "items" : "images"] as? [[String: Any]]
    #expect(embed["$type"] as? String == (count > 4 ? "app.bsky.embed.gallery" : "app.bsky.embed.images"))
    #expect(items?.count == count && items?.last?["aspectRatio"] as? [String: Int] == ["width": 30, "height": 20])
    // The record that tw-post prints has the same pictures.
    let printed = posted.output.matches(of: #/"type":"photo"/#).count
    #expect(printed == count, "\(posted.output)")
  }

  @Test(arguments: [false, true])
  func aVideoHasItsShape(_ isTurned: Bool) throws {
    try home.write("a.mp4", MediaSample.film(width: 320, height: 240, isTurned: isTurned))
    let posted = try post(["--media", "a.mp4", "A film"])
    #expect(posted.status == 0, "\(posted.errors)")
    let record = try record()
    let embed = try #require(record["embed"] as? [String: Any])
    #expect(embed["$type"] as? String == "app.bsky.embed.video")
    let shape = isTurned ? ["width": 240, "height": 320] : ["width": 320, "height": 240]
    #expect(embed["aspectRatio"] as? [String: Int] == shape)
  }

  /// Nothing is sent of what no service can show.
  @Test func brokenAndHostileFilesAreRefused() throws {
    let noise = (0..<2_100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    let idat = PictureSample.chunk("IDAT", noise) + PictureSample.chunk("IEND", [])
    try home.write("bomb.png", PictureSample.pngHeader(width: 60_000, height: 60_000) + idat)
    try home.write("damaged.png", PictureSample.pngHeader(width: 1000, height: 1000) + idat)
    try home.write("moving.gif", PictureSample.gif(width: 1000, height: 700, frames: 3))
    try home.write("moving.webp", try PictureSample.animatedWebP(width: 1000, height: 700, frames: 2))
    let still = PictureSample.png(width: 3, height: 2)
    try home.write(
      "moving.png", still[..<33] + PictureSample.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]) + still[33...])
    try home.write("cut.mp4", Array(MediaSample.film(width: 320, height: 240).dropLast(40)))
    try home.write("film.mp4", MediaSample.film(width: 320, height: 240))
    try home.write("film.webm", MediaSample.webM().file)
    try home.write("a.png", PictureSample.png(width: 3, height: 2))
    for (files, message) in [
      (["bomb.png"], "more than 25 million pixels"), (["damaged.png"], "is damaged or cut off"),
      (["moving.gif"], "shows only its first picture: an MP4"), (["moving.webp"], "shows only its first picture"),
      (["moving.png"], "shows only its first picture"), (["cut.mp4"], "is damaged"),
      (["film.webm"], "service 'bluesky' takes no video/webm"),
      (["film.mp4", "a.png"], "either one video or up to 10 pictures"),
    ] {
      for mode in [["--dry-run"], ["--later"], ["--to", "bluesky"], []] {
        let refused = try post(mode + files.flatMap { ["--media", $0] } + ["Look here"])
        #expect(refused.status == 65 && refused.errors.contains(message), "\(files): \(refused.errors)")
      }
    }
    let eleven: [String] = (0..<11).flatMap { _ in ["--media", "a.png"] }
    let many = try post(eleven + ["Look here"])
    #expect(many.status == 64 && many.errors.contains("at most 10 pictures, and 11 are given"), "\(many.errors)")
    #expect(uploads.isEmpty && server.records().isEmpty)
    // They wait for nothing.
    #expect(try post(["outbox"]).output.isEmpty)
    // What does not move is a picture like others, also if its format could.
    try home.write("still.gif", PictureSample.gif(width: 3, height: 2, frames: 1))
    let one = try post(["--media", "still.gif", "Look here"])
    #expect(one.status == 0 && server.records().count == 1, "\(one.errors)")
  }

  // MARK: Who may answer and quote

  @Test func whoMayAnswerAndQuoteStandsBesideThePost() throws {
    let posted = try post(["--reply-settings", "following", "--quote-settings", "nobody", "Some words"])
    #expect(posted.status == 0 && posted.lines.count == 1, "\(posted.errors)")
    let key = try #require(server.records().keys.first)
    let address = "at://did:plc:alice/app.bsky.feed.post/\(key)"
    #expect(posted.output.contains(#""id":"\#(address)""#), "\(posted.output)")
    #expect(Set(server.records("app.bsky.feed.threadgate").keys) == [key])
    let gate = try record("app.bsky.feed.threadgate")
    #expect(gate["post"] as? String == address)
    let rules = (gate["allow"] as? [[String: String]])?.compactMap { $0["$type"] }
    #expect(rules == ["app.bsky.feed.threadgate#mentionRule", "app.bsky.feed.threadgate#followingRule"])
    let quotes = try record("app.bsky.feed.postgate")
    #expect(quotes["post"] as? String == address)
    #expect((quotes["embeddingRules"] as? [[String: String]])?.first?["$type"] == "app.bsky.feed.postgate#disableRule")
    let requests = server.calls("com.atproto.repo.applyWrites")
    #expect(requests.count == 1 && server.calls("com.atproto.repo.putRecord").isEmpty, "a reader never sees one alone")
    #expect(server.calls("com.atproto.repo.getRecord").isEmpty, "nothing can be under a key that is new")
  }

  /// What says who may answer goes with its post, in one piece, whatever answers are lost.
  @Test(arguments: [
    [[String]](), [["--reply-settings", "nobody"]], [["--quote-settings", "nobody"]],
    [["--reply-settings", "nobody"], ["--quote-settings", "nobody"]],
  ])
  func aPostIsDeletedWithItsGates(_ gates: [[String]]) throws {
    #expect(try post(gates.flatMap { $0 } + ["Some words"]).status == 0)
    #expect(try post(["--reply-settings", "nobody", "Other words"]).status == 0)
    let made = server.records().first { $0.value.contains("Some words") }
    let key = try #require(made?.key)
    server.state.withLock { $0.faults = [.lostAnswer] }
    let deleted = try post(["delete", "at://did:plc:alice/app.bsky.feed.post/\(key)"])
    #expect(deleted.status == 0 && deleted.output.contains(#"{"tw":"delete""#), "\(deleted.errors)")
    for (collection, count) in [("post", 1), ("threadgate", 1), ("postgate", 0)] {
      let left = server.records("app.bsky.feed.\(collection)")
      #expect(left.count == count && left[key] == nil, "\(collection): \(left)")
    }
    let pieces = server.calls("com.atproto.repo.applyWrites").filter { $0.body.contains("#delete") }
    #expect(pieces.count == (gates.isEmpty ? 0 : 1), "\(pieces.map(\.body))")
  }

  /// Another app has deleted the post and left what belongs to it.
  @Test func gatesWithoutTheirPostAreDeleted() throws {
    #expect(try post(["--reply-settings", "nobody", "Some words"]).status == 0)
    let key = try #require(server.records().keys.first)
    server.state.withLock { $0.records["app.bsky.feed.post/\(key)"] = nil }
    #expect(try post(["delete", "at://did:plc:alice/app.bsky.feed.post/\(key)"]).status == 0)
    #expect(server.records("app.bsky.feed.threadgate").isEmpty)
  }

  @Test func nobodyIsNoRule() throws {
    #expect(try post(["--reply-settings", "nobody", "No word"]).status == 0)
    let gate = try record("app.bsky.feed.threadgate")
    #expect((gate["allow"] as? [Any])?.isEmpty == true)
    #expect(server.records("app.bsky.feed.postgate").isEmpty)
  }

  /// What is created in one piece cannot be put again: it is looked for under its key.
  @Test(arguments: [
    [FakePDS.Fault.lostAnswer], [.answer(502, "<html>bad gateway</html>", [])],
    [.answer(500, #"{"error":"InternalServerError"}"#, []), .lostAnswer],
  ])
  func aPostWithGatesIsMadeOnce(_ faults: [FakePDS.Fault]) throws {
    server.state.withLock { $0.faults = faults }
    let posted = try post(["--reply-settings", "mentioned", "Few words"])
    #expect(posted.status == 0 && posted.lines.count == 1, "\(posted.errors)")
    #expect(server.records().count == 1 && server.records("app.bsky.feed.threadgate").count == 1)
    let key = try #require(server.records().keys.first)
    #expect(posted.output.contains(key))
    #expect(Set(server.calls("com.atproto.repo.applyWrites").map(\.body)).count == 1)
  }

  @Test func killedAtAnyMomentAGateIsThere() throws {
    var chance = Chance()
    for round in 0..<8 {
      let command = ["--reply-settings", "nobody", "--quote-settings", "nobody", "round \(round)"]
      server.state.withLock { $0.writeDelay = round % 2 == 0 ? 0.05 : 0 }
      let tool = try RunningTool("tw-post", command, environment: server.environment, home: home)
      chance.pause(upTo: 150_000)
      tool.signal(SIGKILL)
      let killed = try tool.finish()
      guard killed.output.isEmpty else { continue }
      let again = try post(command)
      #expect(again.status == 0 && again.lines.count == 1, "\(again.errors)")
    }
    #expect(server.records().count == 8)
    #expect(Set(server.records().keys) == Set(server.records("app.bsky.feed.threadgate").keys))
    #expect(Set(server.records().keys) == Set(server.records("app.bsky.feed.postgate").keys))
  }

  @Test func labelsAndLanguages() throws {
    let posted = try post(["--warning", "nudity", "--language", "de", "--language", "en", "--language", "sv", "Hej då"])
    #expect(posted.status == 0, "\(posted.errors)")
    let record = try record()
    #expect(record["langs"] as? [String] == ["de", "en", "sv"])
    let labels = try #require(record["labels"] as? [String: Any])
    #expect(labels["$type"] as? String == "com.atproto.label.defs#selfLabels")
    #expect(labels["values"] as? [[String: String]] == [["val": "nudity"]])
  }

  @Test func whatBlueskyDoesNotHaveIsRefused() throws {
    let four = Array(repeating: ["--language", "de"], count: 4).flatMap { $0 }
    for (arguments, message) in [
      (["--warning", "soup", "Hej då"], "--warning is sexual, nudity, porn, graphic-media"),
      (four + ["Hej då"], "at most 3 languages"),
      (["--reply-settings", "verified", "Hej då"], "knows no --reply-settings verified"),
      (["--quote-settings", "followers", "Hej då"], "knows no --quote-settings followers"),
      (["--sensitive", "Hej då"], "has no covers for pictures"),
      (["edit", "at://did:plc:alice/app.bsky.feed.post/3mabcdefghi22", "Hej då"], "has no edits of posts"),
      (
        ["--reply-settings", "nobody", "reply", "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22", "no"],
        "the first post of a thread says"
      ),
      (
        ["--card", "https://a.example/", "quote", "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22", "no"],
        "with --card shows no quote"
      ),
    ] {
      let refused = try post(arguments)
      #expect(refused.status == 64 && refused.errors.contains(message), "\(arguments): \(refused.errors)")
    }
    #expect(server.records().isEmpty && uploads.isEmpty)
  }
}
