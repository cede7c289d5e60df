import Foundation
import TestNumbers
import TestSupport
import Testing

/// Repositories of Bluesky, as CAR files.
@Suite(.onOwnThread) struct ParseRepositoryTests {
  private typealias Value = RepositorySample.Value

  private func records(_ result: ToolResult) throws -> [[String: Any]] { try JSONObject.list(result.lines) }

  @Test func aRepositoryIsMapped() throws {
    let home = try TemporaryDirectory()
    try home.write("repo.car", RepositorySample.whole())
    let result = try Tool.run("tw-parse", ["repo.car"], home: home)
    #expect(result.errors.isEmpty && result.ending == .status(0))
    let all = try records(result)
    #expect(all.map { $0["tw"] as? String } == ["user", "tweet", "tweet", "tweet", "tweet", "notice"])
    let found = all.dropLast()
    // What is not read is named and counted.
    #expect(
      all[5]["message"] as? String == "not read: 1 app.bsky.feed.like" && all[5]["service"] as? String == "bluesky")
    let summary = try Tool.run("tw-parse", ["--summary", "repo.car"], home: home)
    #expect(summary.errors.contains("tw-parse: not read: 1 app.bsky.feed.like\n"), "\(summary.errors)")
    #expect(found[0]["id"] as? String == RepositorySample.did && found[0]["description"] as? String == "about \"me\"\n")
    let picture = "https://cdn.bsky.app/img/avatar/plain/\(RepositorySample.did)/bafkrei"
    #expect((found[0]["profile_image_url"] as? String)?.hasPrefix(picture) ?? false)
    #expect(found.dropFirst().map { $0["text"] as? String } == ["first 🖼️", "second", "third", "fourth #tag"])
    #expect(
      found.dropFirst().map { $0["id"] as? String }
        == ["a", "b", "c", "d"].map { "at://\(RepositorySample.did)/app.bsky.feed.post/3jsavf5f6ss2\($0)" })
    #expect(found.dropFirst().allSatisfy { ($0["author"] as? [String: Any])?["name"] as? String == "Ada" })
    #expect(result.lines[2].contains(#""numbers":[-5,70000]"#))
    #expect(result.lines[3].contains(#""float":1.5"#))
    #expect(result.lines[4].contains(#""bytes":{"$bytes":"AP8B"}"#))
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
  }

  /// Blocks may come in any order, and the file through a pipe.
  @Test func theOrderOfBlocksDoesNotMatter() throws {
    let home = try TemporaryDirectory()
    let expected = try Tool.run("tw-parse", stdin: ToolInput(RepositorySample.whole()))
    #expect(expected.lines.count == 6 && expected.errors.isEmpty)
    var random = Chance()
    for number in 0..<4 {
      let car = RepositorySample.whole { number == 0 ? $0.reversed() : $0.shuffled(using: &random) }
      try home.write("repo.car", car)
      let result = try Tool.run("tw-parse", ["repo.car"], home: home)
      #expect(result.stdout == expected.stdout && result.ending == .status(0))
    }
    let packed = try Tool.shell("gzip -c repo.car > repo.gz; cat repo.car | tw-parse; tw-parse < repo.car", home: home)
    #expect(packed.stdout == expected.stdout + expected.stdout)
  }

  /// Wherever a file is cut off, what is there is read, and the rest is said to be missing.
  @Test func aCutOffRepositoryIsReadAsFarAsItGoes() throws {
    let whole = RepositorySample.whole { $0.reversed() }
    let expected = try Tool.run("tw-parse", stdin: ToolInput(whole)).lines
    for length in stride(from: 8, to: whole.count - 1, by: 97) {
      let result = try Tool.run("tw-parse", stdin: ToolInput(Array(whole.prefix(length))))
      #expect(result.errors.contains("to its end: "), "\(length): \(result.errors)")
      #expect(result.ending == .status(result.lines.isEmpty ? 65 : 1))
      // Without the profile its name is missing in the posts.
      #expect(result.lines.count < expected.count)
    }
  }

  @Test func hostileRepositoriesEnd() throws {
    var circle = RepositorySample()
    let post = circle.addPost("in a circle")
    let own = RepositorySample.cid(999)
    _ = circle.addNode(left: own, [("app.bsky.feed.post/3jsavf5f6ss2k", post, own)], cid: own)
    var deep = RepositorySample()
    let deepPost = deep.addPost("deep")
    var node = deep.addNode([("app.bsky.feed.post/3jsavf5f6ss2k", deepPost, nil)])
    for _ in 0..<200 { node = deep.addNode(left: node, []) }
    var nested = RepositorySample()
    let nestedPost = nested.addPost("x", extra: [("a", .raw([UInt8](repeating: 0x81, count: 100_000) + [0]))])
    let nestedNode = nested.addNode([("app.bsky.feed.post/3jsavf5f6ss2k", nestedPost, nil)])
    let odd: [(String, [UInt8])] = [
      ("no known length", [0x9F, 0xFF]), ("cut off", [0x9B, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
      ("cut off", [0x5B, 0xFF, 255, 255, 255, 255, 255, 255, 255]), ("is not a link", [0xC1, 0]), ("not have", [0xF7]),
      ("not finite", [0xFB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]), ("another type", [0xA1, 0x01, 0x02]),
      ("no known length", [0x1C]), ("below -2^63", [0x3B, 0xFF, 255, 255, 255, 255, 255, 255, 255]),
      ("no CID", [0xD8, 42, 0x41, 1]),
    ]
    var cases: [([UInt8], String)] = [
      (circle.file(tree: own), "goes in circles"), (deep.file(tree: node), "goes in circles"),
      (nested.file(tree: nestedNode), "nested too deep"),
      (RepositorySample.file(roots: [], []), "names no root"),
      (RepositorySample.file(roots: [post], circle.blocks), "its root is not a commit"),
      (RepositorySample.file(roots: [RepositorySample.cid(5)], []), "does not have its root"),
    ]
    for (message, bytes) in odd {
      var sample = RepositorySample()
      let bad = sample.addPost("bad", extra: [("a", .raw(bytes))])
      let good = sample.addPost("good")
      let path = "app.bsky.feed.post/3jsavf5f6ss2"
      cases.append((sample.file(tree: sample.addNode([(path + "a", bad, nil), (path + "b", good, nil)])), message))
    }
    for (bytes, message) in cases {
      let result = try Tool.run("tw-parse", stdin: ToolInput(bytes))
      #expect(result.errors.contains(message), "\(result.errors)")
      #expect(result.ending == .status(result.lines.isEmpty ? 65 : 1))
    }
  }

  /// Text that a repository has may be anything; the record with it is bad or whole.
  @Test func textsAreEscaped() throws {
    var sample = RepositorySample()
    let posts = [
      sample.addPost("\u{0}\u{1F}\"\\\u{7F}\u{2028}"),
      sample.add(.map([("text", .raw([0x62, 0xC3, 0x28])), ("createdAt", .text("x"))])), sample.addPost("good"),
    ]
    let entries = posts.enumerated().map { (path: "app.bsky.feed.post/\($0)", record: $1, right: [UInt8]?.none) }
    let result = try Tool.run("tw-parse", stdin: ToolInput(sample.file(tree: sample.addNode(entries))))
    let texts = try records(result).map { $0["text"] as? String }
    #expect(texts == ["\u{0}\u{1F}\"\\\u{7F}\u{2028}", "good"])
    #expect(result.errors.contains("not UTF-8"))
    #expect(result.ending == .status(1))
  }

  #if os(Linux)
    /// A repository of 100 000 records needs 16 bytes for each.
    @Test func aLargeRepositoryNeedsLittleMemory() throws {
      let home = try TemporaryDirectory()
      var sample = RepositorySample()
      let filler = String(repeating: "x", count: 300)
      var entries: [(path: String, record: [UInt8], right: [UInt8]?)] = []
      for number in 0..<100 {
        var inner: [(path: String, record: [UInt8], right: [UInt8]?)] = []
        for digit in 0..<1000 {
          let digits = String(number * 1000 + digit + 1_000_000)
          inner.append(("app.bsky.feed.post/\(digits)z", sample.addPost(filler), nil))
        }
        let right = sample.addNode(inner)
        entries.append(("app.bsky.feed.post/\(number * 1000 + 1_000_000)", sample.addPost(filler), right))
      }
      try home.write("repo.car", sample.file(tree: sample.addNode(entries)))
      // The rest of the input does not come before the repository was read.
      let tool = try RunningTool("tw-parse", ["--only", "user", "repo.car", "-"], home: home)
      tool.send(ToolInput(#"{"did":"did:plc:a","handle":"a.example"}"# + "\n"))
      try tool.waitForLines(1, timeout: 120)
      if let peak = tool.peakMemory { #expect(peak < 64 << 20) }
      #expect(try tool.finish().ending == .status(0))
    }
  #endif
}
