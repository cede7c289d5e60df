import Foundation
import TestSupport
import Testing

/// What `--media` and `--alt` name: pipes, pictures of each post of a thread, descriptions that must not be missing.
@Suite(.onOwnThread) struct PostGivenMediaTests {
  private let home: TemporaryDirectory
  private let server: PostingMastodon

  init() throws {
    home = try TemporaryDirectory()
    server = try PostingMastodon()
    try home.write("a.png", Self.picture)
    try home.write("b.png", PictureSample.png(width: 5, height: 4))
  }

  private static let picture = PictureSample.png(width: 3, height: 2)

  private func post(_ arguments: [String], stdin: ToolInput = "", _ more: [String: String] = [:]) throws -> ToolResult {
    try Tool.run(
      "tw-post", arguments, stdin: stdin, environment: server.server.environment(token: "t0k").merging(more) { $1 },
      home: home)
  }

  private var uploads: [LoopbackServer.Request] {
    server.server.server.requests.filter { $0.target == "POST /api/v2/media" }
  }

  // MARK: Pipes

  @Test(arguments: ["--media <(cat a.png)", "--media - <a.png", "--media - < <(cat a.png)", "--media pipe"])
  func aPictureMayComeFromAPipe(_ words: String) throws {
    for mode in ["--dry-run", "", "--later"] {
      let command = "tw-post \(mode) \(words) --alt 'a cup' 'Look here'"
      let posted = try Tool.shell(
        "rm -f pipe; mkfifo pipe; cat a.png >pipe & writer=$!; \(command); status=$?; kill $writer 2>/dev/null; exit $status",
        environment: server.server.environment(token: "t0k"), home: home, directory: home.path)
      #expect(posted.status == 0 && !posted.errors.contains("cannot"), "\(mode) \(words): \(posted.errors)")
    }
    #expect(uploads.count == 1 && server.tries.count == 1)
    // The outbox has what was read.
    let flushed = try post(["flush"])
    #expect(flushed.status == 0 && flushed.output.contains("a cup"), "\(flushed.errors)")
    #expect(uploads.count == 2 && uploads.allSatisfy { $0.body.contains("image/png") })
  }

  @Test func standardInputIsReadOnce() throws {
    let data = ToolInput(Self.picture)
    for more in [["-"], ["--media", "-", "Look"], ["reply", "1", "-"]] {
      let words = ["--media", "-"] + more
      let refused = try post(words, stdin: data)
      #expect(refused.status == 64 && refused.errors.contains("standard input can be read once"), "\(refused.errors)")
    }
    let text = try post(["--media", "-", "Look here"], stdin: "no picture, but a text")
    #expect(text.status == 65 && text.errors.contains("'-' is not a picture or video"), "\(text.errors)")
    #expect(uploads.isEmpty && server.tries.isEmpty)
  }

  @Test(.enabled(if: Sanitizer.allowsFileLimits)) func aPipeNeedsRoom() throws {
    let full = try Tool.shell(
      "head -c 3000000 /dev/zero | (ulimit -f 1000; exec tw-post --media - 'Look here')",
      environment: server.server.environment(token: "t0k"), home: home)
    #expect(full.status == 74 && full.errors.contains("cannot write to a file in '"), "\(full.errors)")
    #expect(server.tries.isEmpty)
  }

  // MARK: Threads

  @Test func eachPostOfAThreadHasItsPictures() throws {
    let words = ["-m", "a.png", "-d", "a cup", "-m", "2:b.png", "-d", "a pot", "--thread", "one\n---\ntwo\n---\nthree"]
    let posted = try post(words)
    #expect(posted.status == 0 && posted.lines.count == 3, "\(posted.errors)")
    #expect(server.tries.map { $0.body.contains("media_ids") } == [true, true, false])
    #expect(uploads.count == 2 && uploads[0].body.contains("a cup") && uploads[1].body.contains("a pot"))
    #expect(posted.lines.count == 3 && posted.lines[1].contains("a pot") && !posted.lines[2].contains("a pot"))
  }

  @Test func aPostThatIsNotThereShowsNoPicture() throws {
    let modes: [(String, [String])] = [("4", []), ("0", []), ("4", ["--dry-run"]), ("4", ["--later"])]
    for (number, mode) in modes {
      let refused = try post(mode + ["--media", "\(number):a.png", "--thread", "one\n---\ntwo\n---\nthree"])
      #expect(refused.status == 64 && refused.errors.contains("the thread has 3 posts"), "\(refused.errors)")
    }
    // Without a thread it is the name of a file, and a file of that name comes first.
    #expect(try post(["--media", "2:a.png", "Look here"]).status == 66)
    try home.write("2:c.png", Self.picture)
    let named = try post(["--media", "2:c.png", "--thread", "one\n---\ntwo"])
    #expect(named.status == 0, "\(named.errors)")
    #expect(server.tries.map { $0.body.contains("media_ids") } == [true, false])
    // A text says nothing of the kind.
    let text = try post(["--thread", "1:a.png\n---\n2:a.png"])
    #expect(text.status == 0 && uploads.count == 1, "\(text.errors)")
  }

  /// As many as a post may show, each of them.
  @Test func picturesAreCountedForEachPost() throws {
    let first: [String] = (0..<4).flatMap { _ in ["--media", "a.png"] }
    let second: [String] = (0..<4).flatMap { _ in ["--media", "2:b.png"] }
    #expect(try post(first + second + ["--dry-run", "--thread", "one\n---\ntwo"]).status == 0)
    let many = try post(first + second + ["--media", "2:a.png", "--thread", "one\n---\ntwo"])
    #expect(many.status == 64 && many.errors.contains("at most 4 pictures, and 5 are given"), "\(many.errors)")
  }

  @Test func theNumbersAreThoseOfEachThread() throws {
    let site = try CrosspostSite()
    try site.home.write("a.png", Self.picture)
    let words = ["--to", site.all, "--media", "2:a.png", "--thread"]
    let posted = try site.post(words + ["one\n---\ntwo"])
    #expect(posted.status == 0 && posted.lines.count == 6, "\(posted.errors)")
    #expect(site.mastodon.tries.map { $0.body.contains("media_ids") } == [false, true])
    // At Mastodon's server that is one post.
    let long = Array(repeating: "Tea and more tea.", count: 20).joined(separator: " ")
    let refused = try site.post(words + [long])
    #expect(refused.status == 64 && refused.errors.contains("the thread has one post"), "\(refused.errors)")
    #expect(site.mastodon.tries.count == 2)
  }

  // MARK: Descriptions

  @Test func aSettingInsistsOnDescriptions() throws {
    #expect(try Tool.run("tw", ["config", "set", "require-alt", "on"], home: home).status == 0)
    for words in [["-m", "a.png"], ["-m", "a.png", "-d", " "], ["-m", "a.png", "-d", "a cup", "-m", "b.png"]] {
      for mode in [[], ["--later"], ["--dry-run"]] {
        let refused = try post(mode + words + ["Look here"])
        #expect(refused.status == 65 && refused.errors.contains("each --media needs an --alt"), "\(refused.errors)")
      }
    }
    #expect(uploads.isEmpty && server.tries.isEmpty)
    #expect(try post(["-m", "a.png", "-d", "a cup", "Look here"]).status == 0)
    #expect(try post(["No picture"]).status == 0)
    #expect(try post(["-m", "a.png", "Look here"], ["TW_REQUIRE_ALT": "off"]).status == 0)
    let wrong = try post(["-m", "a.png", "Look here"], ["TW_REQUIRE_ALT": "perhaps"])
    #expect(wrong.status == 78, "\(wrong.errors)")
    #expect(try Tool.run("tw", ["config", "set", "require-alt", "maybe"], home: home).status == 64)
  }

  // MARK: Short options

  @Test func whatIsUsedDailyHasAShortOption() throws {
    let posted = try post(["-v", "unlisted", "-p", "soup", "-l", "sv", "-s", "Hej på dig"])
    #expect(posted.status == 0, "\(posted.errors)")
    #expect(
      server.tries.map(\.body) == [
        #"{"status":"Hej på dig","sensitive":true,"visibility":"unlisted","spoiler_text":"soup","language":"sv"}"#
      ])
    let edited = try post(["-e"], ["VISUAL": "echo 'Hello there' >"])
    #expect(edited.status == 0 && server.posts.last?.text == "Hello there", "\(edited.errors)")
  }
}
