import Foundation
import TestSupport
import Testing
import TweetPictures

@testable import tw_avatar
@testable import tw_post

/// What a picture or a video says beyond what it shows stays at home.
@Suite(.onOwnThread) struct PostMetadataTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func pictures() throws -> [MediaSample.Pair] {
    try (1...8).map { try MediaSample.jpeg($0, isLittle: $0 % 2 == 0) } + [1, 3].map { MediaSample.png($0) }
      + [MediaSample.gif()] + [1, 8].map { try MediaSample.webP($0) }
  }

  private static func samples() throws -> [MediaSample.Pair] {
    try pictures() + [MediaSample.mp4(), MediaSample.mp4(brand: "qt  ", other: "sbtl"), MediaSample.webM()]
  }

  private static func has(_ bytes: [UInt8], _ text: String) -> Bool { bytes.contains(Array(text.utf8)) }

  /// What is posted of a file; `nil` if it is refused.
  private func posted(_ bytes: [UInt8]) throws -> [UInt8]? {
    let file = try MediaFile(home.write("sample", bytes))
    guard let content = try? MediaContent.withoutMetadata(file) else { return nil }
    // In pieces, of which patches are parts.
    return try stride(from: 0, to: content.size(of: file), by: 7).flatMap {
      try content.piece(of: file, at: $0, length: 7)
    }
  }

  @Test func onlyThePictureIsLeft() throws {
    for sample in try Self.samples() {
      #expect(Self.has(sample.file, MediaSample.secret) && !Self.has(sample.clean, MediaSample.secret))
      #expect(try posted(sample.file) == sample.clean, "\(sample.name)")
      #expect(try posted(sample.clean) == sample.clean, "\(sample.name)")
    }
    let decoding = PictureDecoding()
    for sample in try Self.pictures() {
      let (before, after) = try (decoding.decode(sample.file, side: 64), decoding.decode(sample.clean, side: 64))
      #expect(before.width == 32 && before.bytes == after.bytes, "\(sample.name)")
    }
  }

  /// What cannot be read to its end may have more in it than is seen: it is refused, wherever it is cut off.
  @Test func whatIsNotUnderstoodIsNotPosted() throws {
    for sample in try [MediaSample.jpeg(6), MediaSample.png(3), MediaSample.gif(), MediaSample.webP(8)] {
      let type = try #require(sample.name == "jpeg" ? "image/jpeg" : "image/\(sample.name)")
      let whole = sample.file.count - MediaSample.secret.utf8.count - (sample.name == "jpeg" ? 12 : 0)
      for length in stride(from: 0, to: whole, by: 3) {
        #expect(
          MediaContent.picture(Array(sample.file[..<length]), type: type) == nil, "\(sample.name) of \(length) bytes")
      }
      #expect(MediaContent.picture(Array(sample.file[..<whole]), type: type) == sample.clean)
    }
    let mp4 = MediaSample.mp4().file
    for length in stride(from: 12, to: mp4.count, by: 3) {
      #expect(try posted(Array(mp4[..<length])) == nil, "\(length)")
    }
    // Where the places are, only the fragments say.
    #expect(try posted(MediaSample.mp4(isFragmented: true).file) == nil)
    #expect(try posted(MediaSample.mp4(other: "vide", isFragmented: true).file) != nil)
    let webM = MediaSample.webM().file
    #expect(try posted(Array(webM.dropLast())) == nil)
  }

  /// One bit is another: whatever comes of it is understood in the same way again, or refused.
  @Test func damagedFilesDoNoHarm() throws {
    for sample in try [MediaSample.jpeg(6), MediaSample.png(3), MediaSample.gif(), MediaSample.webP(8)] {
      let type = sample.name == "jpeg" ? "image/jpeg" : "image/\(sample.name)"
      for bit in stride(from: 0, to: min(sample.file.count, 900) * 8, by: 13) {
        var bytes = sample.file
        bytes[bit / 8] ^= 1 << (bit % 8)
        guard let clean = MediaContent.picture(bytes, type: type) else { continue }
        #expect(MediaContent.picture(clean, type: type) == clean, "\(sample.name), bit \(bit)")
      }
    }
    let mp4 = MediaSample.mp4().file
    for bit in stride(from: 0, to: mp4.count * 8, by: 29) {
      var bytes = mp4
      bytes[bit / 8] ^= 1 << (bit % 8)
      try home.write("damaged", bytes)
      guard let file = try? MediaFile(home.path + "/damaged") else { continue }
      if case .patched(let patches) = try? MediaContent.withoutMetadata(file) {
        #expect(patches.allSatisfy { $0.range.upperBound <= bytes.count }, "bit \(bit)")
      }
    }
  }

  // MARK: Through the tools

  private func post(_ service: LocalService, _ arguments: String...) throws -> ToolResult {
    try Tool.run("tw-post", arguments, environment: service.environment, home: home)
  }

  /// The bytes that the service serves of a post's file.
  private func served(_ service: LocalService, _ result: ToolResult) throws -> [UInt8] {
    let own = LooseJSON(try JSONSerialization.jsonObject(with: Data(result.stdout)))
    let answer = try service.ask(
      "GET", "/2/tweets?ids=\(own["id"].text)&expansions=attachments.media_keys&media.fields=url,variants")
    let media = answer["includes"]["media"][0]
    let url = media["url"].text.isEmpty ? media["variants"][0]["url"].text : media["url"].text
    return try service.ask("GET", String(url.dropFirst(service.base.count)), token: nil).body
  }

  private var copies: [[UInt8]] {
    get throws {
      let folder = home.path + "/.local/share/tw/outbox.db.files"
      return try FileManager.default.contentsOfDirectory(atPath: folder).map {
        try Array(Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
      }
    }
  }

  @Test func theServiceGetsNoPlace() throws {
    let service = try LocalService()
    for sample in try [MediaSample.jpeg(6), MediaSample.png(3), MediaSample.webP(8), MediaSample.mp4()] {
      try home.write(sample.name, sample.file)
      let made = try post(service, "--media", sample.name, "look")
      #expect(made.ending == .status(0) && made.errors == "", "\(made.errors)")
      #expect(try served(service, made) == sample.clean, "\(sample.name)")
      let kept = try post(service, "--media", sample.name, "--keep-metadata", "all of it")
      #expect(kept.ending == .status(0), "\(kept.errors)")
      #expect(try served(service, kept) == sample.file, "\(sample.name)")
    }
    let sample = try MediaSample.jpeg(6)
    #expect(try post(service, "--later", "--media", "jpeg", "later").ending == .status(0))
    #expect(try copies == [sample.clean], "what waits is what will be sent")
    let flushed = try post(service, "flush")
    #expect(flushed.ending == .status(0), "\(flushed.errors)")
    #expect(try served(service, flushed) == sample.clean)
  }

  @Test func whatCannotBePostedIsSaid() throws {
    let service = try LocalService()
    try home.write("cut.jpg", Array(try MediaSample.jpeg(6).file.prefix(400)))
    for words in [
      ["--media", "cut.jpg", "x"], ["--later", "--media", "cut.jpg", "x"], ["--dry-run", "--media", "cut.jpg", "x"],
    ] {
      let cut = try Tool.run("tw-post", words, environment: service.environment, home: home)
      #expect(
        cut.ending == .status(65) && cut.errors.contains("or send it as it is with --keep-metadata"), "\(cut.errors)")
    }
    for (brand, name) in [("heic", "HEIC"), ("mif1", "HEIC"), ("avif", "AVIF")] {
      try home.write(
        "photo", Array("\0\0\0\u{18}ftyp\(brand)\0\0\0\0mif1heic".utf8) + [UInt8](repeating: 0, count: 100))
      for options in [[], ["--keep-metadata"]] {
        let result = try Tool.run(
          "tw-post", ["--media", "photo"] + options + ["x"], environment: service.environment, home: home)
        #expect(
          result.ending == .status(65)
            && result.errors.contains("'photo' is a picture as \(name), which services do not"),
          "\(result.errors)")
      }
      let bytes = Array("\0\0\0\u{18}ftyp\(brand)".utf8)
      let upload = try service.ask(
        "POST", "/2/media/upload", body: ["media": Data(bytes).base64EncodedString(), "media_category": "tweet_image"])
      #expect(upload.status == 400, "\(upload.text)")
    }
    #expect(try post(service, "--keep-metadata", "x").ending == .status(64))
    let posts = try service.ask("GET", "/2/users/me?user.fields=public_metrics")
    #expect(posts["data"]["public_metrics"]["tweet_count"].number == 0)
  }
}
