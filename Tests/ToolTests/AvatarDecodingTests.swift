import Foundation
import MediaStore
import TestNumbers
import TestSupport
import Testing
import TweetCore
import TweetPictures
import TweetStore

@testable import tw_avatar

/// Pictures are decoded, in a process of their own, and leave a thumbnail.
@Suite(.onOwnThread) struct AvatarDecodingTests {
  private static let data = ".local/share/tw"
  private let home: TemporaryDirectory
  private var folder: String { home.path + "/" + Self.data }

  init() throws { home = try TemporaryDirectory() }

  private func user(_ url: String) -> String { #"{"tw":"user","id":"1","profile_image_url":"\#(url)"}"# + "\n" }

  private func serve(_ pictures: [String: [UInt8]]) throws -> LoopbackServer {
    try LoopbackServer { request in
      pictures[String(request.path.dropFirst())].map { .answer(200, body: $0) } ?? .answer(404)
    }
  }

  private func run(_ names: [String], _ server: LoopbackServer, _ options: [String] = []) throws -> ToolResult {
    let input = names.map { user("\(server.base)/\($0)") }.joined()
    return try Tool.run(
      "tw-avatar", options, stdin: ToolInput(input), environment: server.environment, home: home, timeout: 60)
  }

  /// The key in a record's avatar.
  private func key(_ line: String) -> String? {
    line.firstMatch(of: /"(?:avatar|picture)":\{"key":"([0-9a-f]{64})"/).map { String($0.1) }
  }

  @Test func everyFormatGetsASmallPNG() throws {
    let server = try serve([
      "png": PictureSample.png(width: 400, height: 300), "jpeg": PictureSample.jpeg(width: 400, height: 300),
      "gif": PictureSample.gif(width: 400, height: 300, frames: 3),
      "webp": PictureSample.webP(width: 400, height: 300), "tall": PictureSample.png(width: 3, height: 1000),
      "small": PictureSample.png(width: 16, height: 16),
    ])
    let result = try run(["png", "jpeg", "gif", "webp", "tall", "small"], server)
    #expect(result.status == 0 && result.errors == "" && result.lines.count == 6)
    let thumbnails = try PictureSample.thumbnails(in: folder)
    let found = result.lines.map { line in key(line).flatMap { thumbnails[$0] } }
    let wanted = Pixels(width: 400, height: 300, bytes: PictureSample.pixels(width: 400, height: 300)).shrunk(to: 128)
    for (number, pixels) in found.prefix(4).enumerated() {
      #expect(pixels?.width == 128 && pixels?.height == 96)
      // JPEG is not exact, least of all where colours meet. Swapped channels would differ by 100 and more.
      let difference = zip(pixels?.bytes ?? [], wanted.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(difference <= (number == 1 ? 8 * wanted.bytes.count : 0), "\(difference)")
    }
    #expect(found[4].map { [$0.width, $0.height] } == [1, 128])
    #expect(found[5]?.bytes == PictureSample.pixels(width: 16, height: 16))
    let mode = try FileManager.default.attributesOfItem(atPath: folder + "/thumbnails")[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  /// The first frame of an animation is shown, and rows in any order are one picture.
  @Test func animationsAndInterlacedPictures() throws {
    let cases: [(name: String, bytes: [UInt8])] = [
      ("gif", PictureSample.gif(width: 40, height: 30, frames: 256)),
      ("interlaced", PictureSample.gif(width: 40, height: 30, frames: 1, isInterlaced: true)),
      ("webp", try PictureSample.animatedWebP(width: 40, height: 30, frames: 256)),
    ]
    let server = try serve(Dictionary(uniqueKeysWithValues: cases.map { ($0.name, $0.bytes) }))
    let result = try run(cases.map(\.name), server)
    let thumbnails = try PictureSample.thumbnails(in: folder)
    #expect(result.lines.count == cases.count)
    for (line, expected) in zip(result.lines, cases) {
      let pixels = key(line).flatMap { thumbnails[$0] }
      #expect(pixels?.bytes == PictureSample.pixels(width: 40, height: 30), "\(expected.name): \(line)")
    }
  }

  @Test func anAnimationOfTooManyFramesIsRefused() throws {
    let frames = 257
    let server = try serve([
      "gif": PictureSample.gif(width: 8, height: 8, frames: frames),
      "webp": PictureSample.animatedWebP(width: 8, height: 8, frames: frames),
    ])
    let result = try run(["gif", "webp"], server)
    #expect(result.lines.count == 2)
    for line in result.lines { #expect(line.hasSuffix(#","avatar":{"error":"too-large"}}"#), "\(line)") }
  }

  /// Headers that are good are not enough.
  #if os(Linux)
    /// Where the system confines no process, what strangers made is not decoded, and that is said once.
    @Test func nothingIsDecodedWithoutConfinement() throws {
      let server = try serve(["a.png": PictureSample.png(for: "a"), "b.png": PictureSample.png(for: "b")])
      let tool = try RunningTool(
        "/usr/bin/env",
        ["python3", "\(Package.root)/Tests/ToolTests/no-seccomp.py", Tool.path("tw-avatar")],
        environment: server.environment, home: home)
      tool.send(ToolInput(["a.png", "b.png"].map { user("\(server.base)/\($0)") }.joined()))
      tool.closeInput()
      let result = try tool.finish()
      #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains(#""error":"no-decoder""#) })
      let messages = result.errors.split(separator: "\n")
      #expect(messages.count == 2 && messages[0].contains("seccomp"), "\(result.errors)")
      #expect(messages.last == "tw-avatar: none of 2 pictures could be fetched; of the last one: no-decoder")
    }
  #endif

  @Test func picturesOfOtherFormatsAreNamed() throws {
    let heic: [UInt8] = [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0]
    // The general brand, and which coding it is among those that the file is compatible with.
    let avif: [UInt8] = [0, 0, 0, 28] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("mif1miafavif".utf8)
    let heif: [UInt8] = [0, 0, 0, 20] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("mif1avif".utf8)
    let cases: [(name: String, bytes: [UInt8], error: String)] = [
      ("a", heic, "unsupported image/heic"), ("b", avif, "unsupported image/avif"),
      ("c", heif, "unsupported image/heif"), ("d", Array(heic[..<12]), "unsupported image/heic"),
      ("e", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "unsupported image/svg+xml"),
      ("f", [0, 0, 0, 12] + Array("jP  ".utf8) + [13, 10], "unsupported image/jp2"),
      ("g", Array("8BPS".utf8), "unsupported image/vnd.adobe.photoshop"), ("h", [1, 2, 3], "not-a-picture"),
    ]
    let server = try serve(Dictionary(uniqueKeysWithValues: cases.map { ($0.name, $0.bytes) }))
    let result = try run(cases.map(\.name), server)
    #expect(zip(result.lines, cases).allSatisfy { $0.contains(#""error":"\#($1.error)""#) }, "\(result.output)")
    #expect(result.lines.count == cases.count)
    #expect(result.status == 0)
  }

  @Test func whatDoesNotDecodeIsNoPicture() throws {
    let png = PictureSample.png(width: 400, height: 300)
    let jpeg = try PictureSample.jpeg(width: 400, height: 300)
    let webP = try PictureSample.webP(width: 400, height: 300)
    var random = Chance()
    let noise = (0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let cases: [(name: String, bytes: [UInt8], error: String)] = [
      ("short", Array(png[..<24]), "not-a-picture"), ("noise", Array(png[..<60]) + noise, "not-a-picture"),
      ("half-png", Array(png[..<(png.count / 2)]), "not-a-picture"),
      ("half-jpeg", Array(jpeg[..<(jpeg.count / 2)]), "not-a-picture"),
      ("jpeg-without-end", jpeg.dropLast(2), "not-a-picture"),
      ("half-webp", Array(webP[..<(webP.count / 2)]), "not-a-picture"),
      ("half-gif", PictureSample.gif(width: 40, height: 30, frames: 2).dropLast(600), "not-a-picture"),
      ("frames", PictureSample.gif(width: 8, height: 8, frames: 500), "too-large"),
      ("huge", PictureSample.pngHeader(width: 4_294_967_295, height: 4_294_967_295), "too-large"),
      // By the specification no side is longer than 2³¹ - 1.
      ("wide", PictureSample.pngHeader(width: 20_000_000, height: 1), "not-a-picture"),
      ("bomb", PictureSample.pngHeader(width: 20_000, height: 20_000) + noise, "too-large"),
    ]
    let server = try serve(Dictionary(uniqueKeysWithValues: cases.map { ($0.name, $0.bytes) }))
    let result = try run(cases.map(\.name), server)
    #expect(result.status == 0 && result.lines.count == cases.count)
    for (line, expected) in zip(result.lines, cases) {
      #expect(line.hasSuffix(#","avatar":{"error":"\#(expected.error)"}}"#), "\(expected.name): \(line)")
    }
    #expect(try PictureSample.thumbnails(in: folder).isEmpty)
    for (name, _, _) in cases {
      let stored = try #require(try MediaStore(folder + "/media.db", note: { _ in }).avatar("\(server.base)/\(name)"))
      #expect(stored.key == nil && stored.error != nil, "\(name)")
    }
    let asked = server.requests.count
    #expect(try run(cases.map(\.name), server).lines == result.lines && server.requests.count == asked)
  }

  @Test func aStoredPictureWithoutThumbnailGetsOne() throws {
    let server = try serve(["a": PictureSample.png(width: 400, height: 300)])
    let first = try run(["a"], server)
    try FileManager.default.removeItem(atPath: folder + "/thumbnails")
    #expect(try run(["a"], server).output == first.output && server.requests.count == 1)
    #expect(try PictureSample.thumbnails(in: folder).keys.first == first.lines.first.flatMap(key))
    // An empty file is what a power failure leaves.
    let name = try #require(first.lines.first.flatMap(key))
    try home.write("\(Self.data)/thumbnails/\(name.prefix(2))/\(name).png", "")
    #expect(try run(["a"], server).output == first.output)
    #expect(try PictureSample.thumbnails(in: folder).count == 1)
  }

  /// An earlier version took it for a picture.
  @Test func aStoredPictureThatDoesNotDecodeIsNoneAnyMore() throws {
    let server = try serve([:])
    let url = "\(server.base)/old"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let bytes = Array(PictureSample.png(width: 9, height: 9)[..<24])
    let key = try ContentKey.of(bytes)
    let old = StoredPicture(key: key, type: "image/png", width: 48, height: 256, size: 24)
    try MediaStore(folder + "/media.db", note: { _ in }).store(
      [StoredAvatar(url: url, key: key, fetchedAt: .now, status: 200)], pictures: [(old, bytes)])
    for _ in 0..<2 {
      #expect(try run(["old"], server).lines.first?.contains(#""avatar":{"error":"not-a-picture"}"#) == true)
    }
    #expect(server.requests.isEmpty)
  }

  /// The records come whatever becomes of the thumbnails; there is one warning.
  @Test func whereNoThumbnailCanBeWrittenRecordsStillCome() throws {
    let server = try serve([
      "a": PictureSample.png(width: 9, height: 9), "b": PictureSample.png(width: 8, height: 9),
    ])
    try home.write(Self.data + "/thumbnails", "")
    let result = try run(["a", "b"], server)
    #expect(result.status == 0 && result.lines.allSatisfy { key($0) != nil })
    #expect(result.errors.split(separator: "\n").count == 1 && result.errors.hasPrefix("tw-avatar: no thumbnails: "))
  }

  /// Whoever can make links in the folder cannot have files written elsewhere.
  @Test func linksAreNotFollowed() throws {
    let server = try serve(["a": PictureSample.png(width: 9, height: 9)])
    let name = try #require(try run(["a"], server).lines.first.flatMap(key))
    let group = folder + "/thumbnails/" + name.prefix(2)
    for place in [group, folder + "/thumbnails"] {
      try FileManager.default.removeItem(atPath: place)
      try home.write("elsewhere/keep", "")
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: home.path + "/elsewhere")
      #expect(try run(["a"], server).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/elsewhere") == ["keep"])
    }
  }

  #if os(Linux)
    /// A decoder that stops, as one that hangs does, and one that is killed: each costs one picture.
    @Test func aDecoderThatEndsOrHangsCostsOnePicture() throws {
      let names = ["a", "b", "c", "d"]
      let server = try serve(
        Dictionary(
          uniqueKeysWithValues: names.enumerated().map { ($1, PictureSample.png(width: 9 + $0, height: 9)) }))
      let tool = try RunningTool(
        "tw-avatar", ["--patience", "60s", "--timeout", "60s"], environment: server.environment, home: home)
      func send(_ name: String) { tool.send(ToolInput(user("\(server.base)/\(name)"))) }
      send("a")
      #expect(try tool.line().flatMap(key) != nil)
      let first = try #require(try decoder(of: tool))
      kill(first, SIGSTOP)
      send("b")
      send("c")
      // Either of the two can be the one that the server answers first.
      let answers = try [tool.line(), tool.line()].compactMap(\.self)
      #expect(answers.count { $0.contains(#""avatar":{"error":"decoder-failed"}"#) } == 1)
      #expect(answers.count { key($0) != nil } == 1)
      let second = try #require(try decoder(of: tool))
      #expect(second != first)
      // While it has nothing to do: no picture is lost.
      kill(second, SIGKILL)
      try waitUntil { try String(contentsOfFile: "/proc/\(second)/status", encoding: .utf8).contains("State:\tZ") }
      send("d")
      #expect(try tool.line().flatMap(key) != nil)
      tool.closeInput()
      let end = try tool.finish()
      #expect(end.status == 1 && end.errors == "")
      #expect(kill(second, 0) != 0, "it is waited for")
    }

    /// It has three descriptors, and cannot open another one.
    @Test func theDecoderCanReachNothing() throws {
      let server = try serve(["a": PictureSample.png(width: 9, height: 9)])
      let tool = try RunningTool("tw-avatar", environment: server.environment, home: home)
      tool.send(ToolInput(user("\(server.base)/a")))
      _ = try tool.line()
      let process = try #require(try decoder(of: tool))
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").sorted()
      #expect(open == ["0", "1", "2"])
      let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
      #expect(limits.contains(/Max open files +3 +3\s/) && limits.contains(/Max file size +67108864 +67108864\s/))
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      // Sanitizers need calls and memory of their own.
      if Sanitizer.name == nil {
        #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
        #expect(limits.contains(/Max address space +805306368 +805306368\s/))
      }
      tool.closeInput()
      #expect(try tool.finish().status == 0)
    }

    /// The process that a tool has started for its pictures.
    private func decoder(of tool: RunningTool) throws -> pid_t? {
      let id = tool.processID
      let children = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
      return children.split(separator: " ").last.flatMap { pid_t($0) }
    }
  #endif

  @Test func pruningRemovesThumbnails() throws {
    let server = try serve([
      "a": PictureSample.png(width: 9, height: 9), "b": PictureSample.png(width: 8, height: 9),
    ])
    let old = try Tool.run(
      "tw-avatar", stdin: ToolInput(user("\(server.base)/a")),
      environment: server.environment.merging(["TW_NOW": "2020-01-01T00:00:00Z"]) { $1 }, home: home)
    let new = try run(["b"], server)
    // Of a program that was killed long ago, and of one that writes now.
    let group = try #require(new.lines.first.flatMap(key)).prefix(2)
    let drafts = ["old", "new"].map { "\(Self.data)/thumbnails/\(group)/.\(group)\($0).1" }
    for draft in drafts { try home.write(draft, "x") }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: home.path + "/" + drafts[0])
    try home.write("tweet", #"{"tw":"tweet","id":"1","service":"x","text":"a"}"# + "\n")
    let pruned = try Tool.shell("tw-cache add tweet >/dev/null && tw-cache prune --yes --older-than 365d", home: home)
    #expect(pruned.ending == .status(0), "\(pruned.errors)")
    #expect(old.lines.first.flatMap(key) != nil)
    #expect(try PictureSample.thumbnails(in: folder).keys.first == new.lines.first.flatMap(key))
    #expect(try PictureSample.thumbnails(in: folder).count == 1)
    #expect(!home.exists(drafts[0]) && home.exists(drafts[1]))
  }

  @Test func mediaOfTweetsAreFetchedOnRequest() throws {
    let server = try serve([
      "photo": PictureSample.png(width: 1000, height: 500), "preview": PictureSample.png(width: 40, height: 30),
      "face": PictureSample.png(width: 400, height: 400),
    ])
    let media =
      #"{"media":[{"type":"photo","url":"BASE/photo"},{"type":"video","url":"BASE/v.mp4","preview_image_url":"BASE/preview"},"#
      + #"{"type":"animated_gif"},{"type":"photo","url":"BASE/gone"}]}"#
    let tweet =
      (#"{"tw":"tweet","id":"1","author":{"profile_image_url":"BASE/face"},"attachments":"# + media
      + #","referenced_tweets":[{"id":"2","attachments":{"media":[{"type":"photo","url":"BASE/photo"}]}}]}"# + "\n")
      .replacing("BASE", with: server.base)
    func run(_ options: [String]) throws -> ToolResult {
      try Tool.run("tw-avatar", options, stdin: ToolInput(tweet), environment: server.environment, home: home)
    }
    let plain = try run([])
    #expect(plain.output.contains("\"avatar\"") && !plain.output.contains("\"picture\""))
    #expect(server.targets == ["GET /face"])
    let whole = try run(["--media"])
    #expect(Set(server.targets.dropFirst()) == ["GET /photo", "GET /preview", "GET /gone"])
    #expect(server.requests.count == 4)
    let pictures = whole.output.matches(of: /"picture":\{"(key|error)":"([0-9a-z -]+)"/).map { String($0.2) }
    #expect(pictures.count == 4 && pictures[2] == "http 404" && pictures[3] == pictures[0])
    let thumbnails = try PictureSample.thumbnails(in: folder)
    #expect(thumbnails[pictures[0]].map { [$0.width, $0.height] } == [512, 256])
    #expect(thumbnails[pictures[1]].map { [$0.width, $0.height] } == [40, 30])
    #expect(whole.lines.first.flatMap(key).flatMap { thumbnails[$0] }.map { [$0.width, $0.height] } == [128, 128])
  }
}
