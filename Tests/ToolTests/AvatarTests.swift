import Foundation
import MediaStore
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetPictures
import TweetStore

@testable import tw_avatar

@Suite struct PictureHeaderTests {
  static let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 48, 0, 0, 1, 0,
  ]
  private static let gif = Array("GIF89a".utf8) + [0x30, 0, 0, 1]
  /// An APP0 segment, a table that looks like a frame by its number, a fill byte, then the frame.
  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1, 0, 0, 48]
  private static let riff = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8)
  private static let lossy = riff + Array("VP8 ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x9D, 0x01, 0x2A, 48, 0xC0, 0, 0x41]
  private static let lossless = riff + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2F, 47, 0xC0, 0x3F, 0]
  private static let extended = riff + Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 255, 0, 0]

  @Test(arguments: [(png, "image/png"), (gif, "image/gif"), (jpeg, "image/jpeg"), (lossless, "image/webp")])
  func formats(bytes: [UInt8], type: String) throws {
    let header = try #require(PictureHeader(bytes))
    #expect(header.format.rawValue == type && header.width == 48 && header.height == 256)
    for length in bytes.indices { #expect(PictureHeader(Array(bytes[..<length])) == nil) }
  }

  @Test func webPKinds() {
    #expect(PictureHeader(Self.lossy).map { [$0.width, $0.height] } == [48, 256])
    #expect(PictureHeader(Self.extended).map { [$0.width, $0.height] } == [48, 256])
  }

  @Test(arguments: [
    [], Array("<svg xmlns='http://www.w3.org/2000/svg' width='48'/>".utf8), Array("<html>".utf8),
    // No size, a scan before any frame, a segment without length that would never end.
    Array("GIF89a".utf8) + [0, 0, 0, 1], [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 1, 0, 0, 48],
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0], [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 64),
  ])
  func noPictures(bytes: [UInt8]) {
    #expect(PictureHeader(bytes) == nil)
  }
}

@Suite struct PixelsTests {
  @Test(arguments: [
    (400, 300, 128, 96), (300, 400, 96, 128), (128, 128, 128, 128), (1, 9000, 1, 128), (9000, 1, 128, 1), (5, 7, 5, 7),
  ])
  func fits(width: Int, height: Int, smallWidth: Int, smallHeight: Int) {
    let small = Pixels(width: width, height: height).shrunk(to: 128)
    #expect(
      small.width == smallWidth && small.height == smallHeight && small.bytes.count == 4 * smallWidth * smallHeight)
  }

  /// The mean of what a pixel covers. What nobody sees, the colour of transparent pixels, does not count.
  @Test func isTheMean() {
    let row: [UInt8] = [200, 0, 0, 255, 100, 50, 0, 255, 255, 255, 255, 0, 10, 20, 30, 128]
    let small = Pixels(width: 4, height: 2, bytes: row + row).shrunk(to: 2)
    #expect(small.bytes == [150, 25, 0, 255, 10, 20, 30, 64])
  }
}

@Suite struct PictureSizeTests {
  @Test(arguments: [
    ("media/A.jpg", "media/A?format=jpg&name=small"), ("media/A.jpg:large", "media/A?format=jpg&name=small"),
    ("media/A?format=png&name=orig", "media/A?format=png&name=small"), ("media/A?format=jpg&name=small", nil),
    ("ext_tw_video_thumb/1/pu/img/A.jpg", "ext_tw_video_thumb/1/pu/img/A?format=jpg&name=small"), ("media/A", nil),
    ("media.d/A", nil), ("media/A?name=large", nil), ("media/A.jp/g", nil), ("profile_images/1/a.jpg", nil), ("", nil),
  ])
  func smallMedia(_ name: String, small: String?) {
    let base = "https://pbs.twimg.com/"
    #expect(PictureSize.media(of: base + name, isOriginal: false) == [small, name].compactMap { $0.map { base + $0 } })
    let other = "https://a.example/" + name
    for isOriginal in [false, true] { #expect(PictureSize.media(of: other, isOriginal: isOriginal) == [other]) }
    let original = small.map { base + $0.replacing("name=small", with: "name=orig") }
    if let original {
      #expect(
        PictureSize.media(of: base + name, isOriginal: true)
          == (original == base + name ? [original] : [original, base + name]))
    }
  }

  private static let base = "https://pbs.twimg.com/profile_images/1/"

  @Test(arguments: [
    (PictureSize.original, "a_normal.jpg", ["a.jpg", "a_normal.jpg"]),
    (.bigger, "a_b_normal.JPG", ["a_b_bigger.JPG", "a_b_normal.JPG"]),
    (.large, "a_normal", ["a_400x400", "a_normal"]), (.normal, "a_normal.png", ["a_normal.png"]),
    (.large, "a_400x400.jpg?x=y_normal.jpg", ["a_400x400.jpg?x=y_normal.jpg"]),
    (.large, "missing.png", ["missing.png"]),
    (.large, "_normal.png", ["_normal.png"]), (.bigger, "a_normal.jpg?v=1", ["a_bigger.jpg?v=1", "a_normal.jpg?v=1"]),
  ])
  func candidates(size: PictureSize, name: String, expected: [String]) {
    #expect(size.candidates(for: Self.base + name) == expected.map { Self.base + $0 })
  }

  @Test func urlsWithoutAFileHaveNoSizes() {
    #expect(PictureSize.large.candidates(for: "nothing") == ["nothing"])
    #expect(PictureSize.large.candidates(for: "") == [""])
  }
}

/// tw-avatar against a real site on loopback.
@Suite(.onOwnThread) struct AvatarToolTests {
  private func user(_ url: String) -> String { #"{"tw":"user","id":"1","profile_image_url":"\#(url)"}"# + "\n" }

  private func error(_ code: String) -> String { #","avatar":{"error":"\#(code)"}}"# }

  @Test func eachPictureIsFetchedOnceAndManyAtATime() throws {
    // One after the other they would take half a minute.
    let server = try LoopbackServer { request in
      .answer(200, headers: ["Content-Type: text/html"], body: PictureSample.png(for: request.path), after: 0.15)
    }
    let home = try TemporaryDirectory()
    var input = ""
    for number in 0..<400 { input += user("\(server.base)/\(number % 200).png") }
    try home.write("users", input)
    let first = try Tool.run("tw-avatar", ["users"], environment: server.environment, home: home, timeout: 20)
    #expect(first.status == 0 && first.lines.count == 400)
    #expect(first.lines.allSatisfy { $0.contains(#""type":"image/png","width":48,"height":256,"bytes":"#) })
    #expect(Set(server.targets).count == 200 && server.requests.count == 200)
    let again = try Tool.run("tw-avatar", ["users"], environment: server.environment, home: home)
    #expect(again.stdout == first.stdout && server.requests.count == 200)
  }

  @Test func everyAuthorGetsAnAvatarAndNothingElseChanges() throws {
    let server = try LoopbackServer { _ in .answer(200, body: PictureSample.png(for: "same")) }
    let url = "\(server.base)/a.png"
    let author = #"{"id":"1","profile_image_url":"URL" , "n":0.10}"#.replacing("URL", with: url)
    let tweet = #"{"x":[], "tw":"tweet","author":AUTHOR,"referenced_tweets":[{"author":AUTHOR},{"id":"3"}]}"#
    let other = #"{"tw":"later","author":AUTHOR}"#
    let result = try Tool.run(
      "tw-avatar", stdin: ToolInput((tweet + "\n" + other + "\n").replacing("AUTHOR", with: author)),
      environment: server.environment.merging(["TW_NOW": "2026-01-01T00:00:00Z"]) { $1 })
    let home = try TemporaryDirectory()
    try home.write("picture", PictureSample.png(for: "same"))
    let key = try Tool.shell("sha256sum picture", home: home).output.prefix(64)
    let avatar =
      #"{"key":"KEY","type":"image/png","width":48,"height":256,"bytes":SIZE,"fetched_at":"2026-01-01T00:00:00.000Z"}"#
      .replacing("KEY", with: key).replacing("SIZE", with: "\(PictureSample.png(for: "same").count)")
    #expect(
      result.lines == [
        tweet.replacing("AUTHOR", with: author.dropLast() + #","avatar":"# + avatar + "}"),
        other.replacing("AUTHOR", with: author),
      ])
  }

  /// tw-parse writes one level. A record that has a thousand does not cause a thousand requests.
  @Test func referencesOfReferencesAreFollowedFourLevelsDeep() throws {
    let server = try LoopbackServer { _ in .answer(200, body: PictureSample.png(for: "same")) }
    var tweet = ""
    for level in (0...5).reversed() {
      let author = #""author":{"profile_image_url":"\#(server.base)/\#(level)"}"#
      tweet = #"{"tw":"tweet",\#(author),"referenced_tweets":[\#(tweet)]}"#
    }
    let result = try Tool.run("tw-avatar", stdin: ToolInput(tweet + "\n"), environment: server.environment)
    #expect(result.status == 0)
    #expect(Set(server.targets) == Set((0...4).map { "GET /\($0)" }))
  }

  @Test func oldPicturesAreRevalidatedAndFailuresRemembered() throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/a":
        request["If-None-Match"] == "\"1\""
          ? .answer(304) : .answer(200, headers: ["ETag: \"1\""], body: PictureSample.png(for: "a"))
      case "/b":
        request["If-Modified-Since"] == "then"
          ? .answer(503) : .answer(200, headers: ["Last-Modified: then"], body: PictureSample.png(for: "b"))
      default: .answer(404)
      }
    }
    let home = try TemporaryDirectory()
    let input = ToolInput(["a", "b", "c"].map { user("\(server.base)/\($0)") }.joined())
    func run(now: String) throws -> (lines: [String], asked: Int) {
      let before = server.requests.count
      let environment = server.environment.merging(["TW_NOW": now]) { $1 }
      let result = try Tool.run("tw-avatar", stdin: input, environment: environment, home: home)
      // A picture that is gone is an answer. For a server that fails there is the picture from before.
      #expect(result.status == 0)
      return (result.lines, server.requests.count - before)
    }
    let first = try run(now: "2026-01-01T00:00:00Z")
    #expect(first.asked == 3 && first.lines[2].hasSuffix(error("http 404")))
    let soon = try run(now: "2026-01-01T00:59:00Z")
    #expect(soon.asked == 0 && soon.lines == first.lines)
    #expect(try run(now: "2026-01-01T01:01:00Z").asked == 1)
    let week = try run(now: "2026-01-08T00:01:00Z")
    // The server that fails is asked three times.
    #expect(week.asked == 5)
    #expect(week.lines[0] == first.lines[0].replacing("2026-01-01T00:00", with: "2026-01-08T00:01"))
    #expect(
      week.lines[1]
        == first.lines[1].replacing(#""fetched_at":"2026-01-01T00:00:00.000Z""#, with: #""error":"http 503""#))
    // The last failure is remembered, and the picture is still there.
    let after = try run(now: "2026-01-08T00:02:00Z")
    #expect(after.asked == 0 && after.lines[1] == week.lines[1])
  }

  /// Services give a new picture a new address: the old one is gone before the record that names the new one is here.
  @Test func aPictureThatIsGoneStays() throws {
    let asked = Mutex(0)
    let server = try LoopbackServer { request in
      guard request.path == "/a_normal.png" else { return .answer(404) }
      return asked.withLock {
        $0 += 1
        return $0
      } == 1 ? .answer(200, body: PictureSample.png(for: "a")) : .answer(404)
    }
    let home = try TemporaryDirectory()
    func run(_ time: String) throws -> String {
      let environment = server.environment.merging(["TW_NOW": time]) { $1 }
      let input = ToolInput(user("\(server.base)/a_normal.png"))
      let result = try Tool.run(
        "tw-avatar", ["--size", "bigger"], stdin: input, environment: environment, home: home)
      #expect(result.status == 0)
      return result.output
    }
    let first = try run("2026-01-01T00:00:00Z")
    let gone = first.replacing(#""fetched_at":"2026-01-01T00:00:00.000Z""#, with: #""error":"http 404""#)
    #expect(first != gone)
    for time in ["2026-01-09T00:00:00Z", "2026-01-09T00:01:00Z", "2026-01-20T00:00:00Z"] {
      #expect(try run(time) == gone)
    }
    #expect(asked.withLock { $0 } == 3)
  }

  @Test func aRefusedAddressIsNotRemembered() throws {
    let server = try LoopbackServer { _ in .answer(200, body: PictureSample.png(for: "same")) }
    let home = try TemporaryDirectory()
    let input = ToolInput(user("\(server.base)/a"))
    let refused = try Tool.run("tw-avatar", stdin: input, home: home)
    #expect(refused.status == 1 && refused.output.contains(error("private-address")) && server.requests.isEmpty)
    let allowed = try Tool.run("tw-avatar", ["--allow-private"], stdin: input, home: home)
    #expect(allowed.status == 0 && allowed.output.contains("\"key\"") && server.requests.count == 1)
  }

  /// Whatever the store contains, no value becomes a second header.
  @Test(arguments: [("1\r\nX-Evil: 1", nil), (nil, "then\nX-Evil: 1"), ("\u{0}", "\u{7F}")] as [(String?, String?)])
  func storedValidatorsWithControlCharactersAreNotSent(etag: String?, lastModified: String?) throws {
    let heads = Mutex<[String]>([])
    let server = try LoopbackServer { request in
      heads.withLock { $0.append(request.head) }
      return .answer(200, body: PictureSample.png(for: "new"))
    }
    let home = try TemporaryDirectory()
    let url = "\(server.base)/a"
    let key = "cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4"  // SHA-256 of "old"
    let old = StoredPicture(key: key, type: "image/png", width: 1, height: 1, size: 3)
    try MediaStore(home.path + "/media.db", note: { _ in }).store(
      [
        StoredAvatar(
          url: url, key: key, etag: etag, lastModified: lastModified, fetchedAt: Timestamp(milliseconds: 0))
      ], pictures: [(old, Array("old".utf8))])
    let result = try Tool.run(
      "tw-avatar", ["--db", home.path + "/tw.db"], stdin: ToolInput(user(url)), environment: server.environment)
    let size = PictureSample.png(for: "new").count
    #expect(result.status == 0 && result.output.contains(#""bytes":\#(size)"#), "\(result.output)")
    let head = try #require(heads.withLock { $0 }.first)
    #expect(!head.contains("Evil") && !head.contains("If-"), "\(head)")
  }

  @Test func failuresHaveACodeAndAStatus() throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/page": .answer(200, "<html>", headers: ["Content-Type: image/png"])
      case "/huge": .endless(headers: ["Content-Type: image/png"])
      case "/moved": .redirect("/there")
      case "/there": .answer(200, body: PictureSample.png(for: "moved"))
      case "/a_400x400.png": .answer(403)
      case "/a_normal.png": .answer(200, body: PictureSample.png(for: "small"))
      case "/down": .answer(500)
      case "/unasked": .answer(304)
      default: .redirect(request.path + "x")
      }
    }
    func run(_ url: String, _ options: [String] = []) throws -> ToolResult {
      try Tool.run(
        "tw-avatar", options + ["--max-bytes", "100K"], stdin: ToolInput(user(url)), environment: server.environment)
    }
    for (url, code, status) in [
      ("\(server.base)/page", "not-a-picture", 0), ("\(server.base)/huge", "too-large", 0),
      ("\(server.base)/circle", "too-many-redirects", 0), ("ftp://a.example/x", "bad-url", 0),
      ("\(server.base)/down", "http 500", 1), ("\(server.base)/unasked", "http 304", 1),
      ("http://127.0.0.1:9/x", "private-address", 1),
    ] {
      let result = try run(url)
      #expect(result.lines.first?.hasSuffix(error(code)) == true, "\(result.output)")
      #expect(result.status == Int32(status), "\(url)")
    }
    #expect(server.targets.filter { $0.hasPrefix("GET /circle") }.count == 6)
    #expect(try run("\(server.base)/moved").output.contains("image/png"))
    // The wanted size is missing: the named one is fetched.
    #expect(
      try run("\(server.base)/a_normal.png", ["--size", "400x400"]).output.contains(
        "\"bytes\":\(PictureSample.png(for: "small").count)"))
    #expect(server.targets.suffix(2) == ["GET /a_400x400.png", "GET /a_normal.png"])
  }

  @Test func exportsAreNamedAfterTheirAuthors() throws {
    let server = try LoopbackServer { request in .answer(200, body: PictureSample.png(for: request.path)) }
    let home = try TemporaryDirectory()
    func user(_ name: String, _ picture: String, _ service: String = "x") -> String {
      #"{"tw":"user","service":"\#(service)","id":"1","username":"\#(name)","#
        + #""profile_image_url":"\#(server.base)/\#(picture)"}"# + "\n"
    }
    func export(_ input: String) throws -> ToolResult {
      try Tool.run(
        "tw-avatar", ["--export", "out/pictures"], stdin: ToolInput(input), environment: server.environment, home: home)
    }
    let users = user("jack", "a") + user("jack", "b", "mastodon:m.example") + user("../.x", "a") + user("eve", "a")
    let first = try export(users)
    #expect(first.status == 0)
    #expect(first.lines.first?.contains(#""file":"out/pictures/jack.png"}"#) == true)
    let names = ["_._.x", "eve", "jack", "jack@m.example"].flatMap { [$0, $0 + ".png"] }.sorted()
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/out/pictures").sorted() == names)
    let old = try home.read("out/pictures/jack.png")
    // A new picture takes the place of the old one; that of another author stays.
    #expect(try export(user("jack", "c")).status == 0)
    #expect(try home.read("out/pictures/jack.png") != old)
    #expect(try home.read("out/pictures/eve.png") == old)
    let variables = server.environment.merging(["TW_AVATAR_DIR": home.path + "/other"]) { $1 }
    let other = try Tool.run("tw-avatar", stdin: ToolInput(user("eve", "a")), environment: variables, home: home)
    #expect(other.status == 0 && home.exists("other/eve.png"))
    try home.write("file", "")
    let blocked = try Tool.run(
      "tw-avatar", ["--export", "file/x"], stdin: ToolInput(users), environment: server.environment, home: home)
    #expect(blocked.status == 73)
  }

  @Test func killedAtAnyMomentTheStoreIsWhole() throws {
    let server = try LoopbackServer { request in .answer(200, body: PictureSample.png(for: request.path), after: 0.01) }
    let home = try TemporaryDirectory()
    var input = ""
    for number in 0..<300 { input += user("\(server.base)/\(number)") }
    try home.write("users", input)
    var printed: Set<String> = []
    for round in 1...4 {
      let tool = try RunningTool("tw-avatar", ["--jobs", "8", "users"], environment: server.environment, home: home)
      for _ in 0..<(round * 40) { try printed.insert(#require(tool.line().flatMap(request))) }
      kill(tool.processID, SIGKILL)
      _ = try tool.finish()
    }
    let asked = server.requests.count
    let whole = try Tool.run("tw-avatar", ["users"], environment: server.environment, home: home)
    #expect(whole.status == 0 && whole.errors == "")
    #expect(whole.lines.count == 300 && whole.lines.allSatisfy { $0.contains("\"key\"") })
    // A picture that was printed with its key is in the store and is not requested again. The server may still read
    // requests of the killed programs, but their pictures were not printed.
    #expect(printed.count == 160 && printed.isDisjoint(with: server.targets[asked...]))
    #expect(try PictureSample.thumbnails(in: home.path + "/.local/share/tw").count == 300)
  }

  /// The request for the picture of a user record that was printed with its key.
  private func request(_ line: String) -> String? {
    guard line.contains("\"key\""), let path = line.split(separator: "\"").first(where: { $0.hasPrefix("http:") }),
      let slash = path.lastIndex(of: "/")
    else { return nil }
    return "GET \(path[slash...])"
  }
}
