import Foundation
import TestSupport
import Testing

/// Signing in to and writing at a server that others have written, which checks requests and records against Bluesky's
/// lexicons.
@Suite(.onOwnThread(minutes: 5)) struct BlueskyJudgeTests {
  private static let bob = "at://did:plc:bcdefghijklmnopqrstuvwxy/app.bsky.feed.post/3mabcdefghi22"

  private let home: TemporaryDirectory
  private let server: RunningTool
  private let base: String

  init() throws {
    let python = try PythonPackage.needed("arroba", "lexrpc", "flask_sock")
    home = try TemporaryDirectory()
    server = try RunningTool(python, ["\(Package.root)/Tests/ToolTests/bluesky-pds.py"])
    base = "http://127.0.0.1:\(try #require(try server.line()))"
  }

  private func run(_ tool: String, _ arguments: [String], _ more: [String: String] = [:]) throws -> ToolResult {
    let variables = ["TW_SERVICE": "bluesky", "TW_DIRECTORY_BLUESKY": base].merging(more) { $1 }
    return try Tool.run(tool, arguments, environment: variables, home: home)
  }

  private func signIn() throws {
    try home.write("password", "abcd-efgh-ijkl-mnop\n")
    let login = try run(
      "tw-auth",
      ["login", "--service", "bluesky", "--endpoint", base, "--password-file", "password", "alice.example"])
    try #require(login.status == 0, "\(login.errors)")
  }

  /// The records as the models of the atproto client read them.
  @Test func anotherClientReadsWhatIsWritten() throws {
    let python = try PythonPackage.needed("atproto")
    try signIn()
    try home.write("a.png", PictureSample.png(width: 30, height: 20))
    for arguments in [
      ["--language", "en", "Hello 👋 @bob.example #tea https://a.example/b."], ["reply", Self.bob, "A reply"],
      ["quote", Self.bob, "A quote"], ["--media", "a.png", "--alt", "A cup", "quote", Self.bob, "Both of them"],
      ["like", Self.bob], ["retweet", Self.bob], ["follow", "bob.example"],
    ] {
      let result = try run("tw-post", arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    let verdict = try Tool.run(
      python, ["\(Package.root)/Tests/ToolTests/atproto-judge.py", "records", base, "did:plc:abcdefghijklmnopqrstuvwx"])
    #expect(
      verdict.status == 0
        && verdict.output
          == "app.bsky.feed.post 4\napp.bsky.feed.like 1\napp.bsky.feed.repost 1\napp.bsky.graph.follow 1\n",
      "\(verdict)")
  }

  @Test func whatIsWrittenIsValid() throws {
    try signIn()
    try home.write("a.png", PictureSample.png(width: 30, height: 20))
    try home.write("big.png", try PictureSample.noise(width: 900, height: 800))
    try home.write("a.mp4", MediaSample.film(width: 320, height: 240))
    let page = try CardSite().server
    for arguments in [
      ["--language", "en", "Hello 👋 @bob.example #tea https://a.example/b."], ["reply", Self.bob, "A reply"],
      ["quote", Self.bob, "A quote"], ["--media", "a.png", "--alt", "A cup", "A picture"],
      ["--media", "a.png", "quote", Self.bob, "Both of them"], ["--thread", "One.\n---\nTwo.\n---\nThree."],
      ["like", Self.bob], ["retweet", Self.bob], ["follow", "bob.example"], ["unlike", Self.bob],
      ["unretweet", Self.bob], ["unfollow", "bob.example"], ["--yes", "undo"],
      ["--reply-settings", "nobody", "--quote-settings", "nobody", "No word"],
      ["--reply-settings", "following", "--media", "a.png", "Some words"],
      ["--reply-settings", "mentioned", "Few words"],
      ["--warning", "graphic-media", "--language", "de", "--language", "en", "--media", "big.png", "Noise"],
      ["--media", "a.mp4", "A film"], ["--card", "\(page.base)/", "A card"],
    ] {
      let result = try run("tw-post", arguments, page.environment)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    for count in [5, 10] {
      let pictures: [String] = (0..<count).flatMap { _ in ["--media", "a.png"] }
      for words in [["A gallery"], ["quote", Self.bob, "A gallery and a quote"]] {
        let result = try run("tw-post", pictures + words)
        #expect(result.status == 0, "\(count) \(words): \(result.errors)")
      }
    }
    let wrong = try run("tw-post", ["--language", "notalang", "Bad language"])
    #expect(wrong.status == 69 && wrong.errors.contains("langs"), "the judge judges: \(wrong.errors)")
  }
}

/// What these tests take for a Jetstream is one to the client of others too, also over breaks.
@Suite(.onOwnThread(minutes: 2)) struct JetstreamJudgeTests {
  @Test func theFakeSpeaksAsTheMakersClientExpects() throws {
    let python = try PythonPackage.needed("atproto")
    let bluesky = try FakeBluesky([.some(3, .tooSlow), .some(2, .reset), .all])
    bluesky.add((0..<9).map { "#swift \($0)" })
    let result = try Tool.run(
      python, [Package.root + "/Tests/ToolTests/jetstream-client.py", "ws" + bluesky.base.dropFirst(4), "9"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines == (0..<9).map { "\(1000 + $0) create #swift \($0)" }, "\(result.output)")
    // It names the last event that it has; a reset may take one away.
    let cursors = bluesky.streams.map { $0.parameter("cursor") }
    #expect(cursors.prefix(2) == ["1", "1002"] && cursors.count > 2, "\(cursors)")
  }
}
