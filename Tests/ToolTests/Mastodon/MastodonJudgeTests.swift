import Foundation
import TestSupport
import Testing

/// Writing at and reading from a server with Mastodon's API that others have written. It answers as Mastodon does where
/// nothing goes wrong; it knows polls only as JSON, and names the event of an edit otherwise.
@Suite(.onOwnThread(minutes: 5)) struct MastodonJudgeTests {
  private let home: TemporaryDirectory
  private let server: RunningTool
  private let service: String

  init() throws {
    let python = try PythonPackage.needed("mastodon_mock")
    home = try TemporaryDirectory()
    server = try RunningTool(python, ["\(Package.root)/Tests/ToolTests/mastodon-mock.py"])
    service = "mastodon:127.0.0.1:\(try #require(try server.line()))"
  }

  private var environment: [String: String] { ["TW_SERVICE": service, "TW_TOKEN": "mock_token"] }

  private func run(_ tool: String, _ arguments: [String], stdin: String = "") throws -> ToolResult {
    try Tool.run(tool, arguments, stdin: ToolInput(stdin), environment: environment, home: home)
  }

  private func post(_ arguments: [String]) throws -> LooseJSON {
    let result = try run("tw-post", arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    return LooseJSON(try JSONSerialization.jsonObject(with: Data(result.output.utf8)))
  }

  /// The records of a source.
  private func read(_ source: String) throws -> [LooseJSON] {
    let raw = try run("tw-stream", ["--once", source])
    #expect(raw.status == 0, "\(source): \(raw.errors)")
    let parsed = try run("tw-parse", ["--strict"], stdin: raw.output)
    #expect(parsed.status == 0, "\(source): \(parsed.errors)")
    return parsed.lines.compactMap { LooseJSON(try? JSONSerialization.jsonObject(with: Data($0.utf8))) }
      .filter { ["tweet", "user", "notification"].contains($0["tw"].text) }
  }

  @Test func whatIsWrittenIsThere() throws {
    try home.write("a.png", PictureSample.png(width: 30, height: 20))
    let first = try post(["--language", "en", "Hello #tea https://a.example/b."])
    let id = first["id"].text
    let answer = try post(["reply", id, "An answer"])
    let quote = try post(["quote", id, "Look"])
    let picture = try post(["--warning", "tea", "--media", "a.png", "--alt", "A cup", "A picture"])
    let poll = try post(["--poll", "tea", "--poll", "milk", "--visibility", "unlisted", "Which?"])
    for verb in ["like", "bookmark", "retweet"] {
      #expect(try run("tw-post", [verb, id]).status == 0, "\(verb)")
    }
    let edited = try post(["edit", id, "Hello again #tea"])
    #expect(edited["text"].text == "Hello again #tea" && edited["id"].text == id)
    #expect(try read("#tea").map { $0["id"].text } == [id])
    for source in ["bookmarks", "likes"] { #expect(try read(source).map { $0["id"].text } == [id], "\(source)") }
    let home = try read("home")
    #expect(
      Set([first, answer, quote, picture, poll].map { $0["id"].text }).isSubset(of: Set(home.map { $0["id"].text })))
    // What was printed when a post was made is what the server shows of it.
    for made in [answer, quote, picture, poll] {
      let shown = try #require(home.first { $0["id"].text == made["id"].text })
      #expect(made["url"].text == shown["url"].text && made["text"].text == shown["text"].text)
      #expect(made["extra"]["uri"].text == shown["extra"]["uri"].text)
    }
    #expect(try read("conversation:\(id)").map { $0["id"].text }.prefix(2) == [id, answer["id"].text])
    // By its address, as a server calls a post of another one.
    let named = try run(
      "tw-post", ["unlike", first["extra"]["uri"].text.isEmpty ? first["url"].text : first["extra"]["uri"].text])
    #expect(named.status == 0, "\(named.errors)")
    #expect(try read("likes").isEmpty)
    for arguments in [["unbookmark", id], ["unretweet", id], ["--yes", "delete", answer["id"].text]] {
      let result = try run("tw-post", arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    #expect(try read("bookmarks").isEmpty)
    #expect(try read("conversation:\(id)").map { $0["id"].text } == [id])
  }

  /// What is posted while the stream is open comes over it.
  @Test func aPostComesOverTheStream() throws {
    let stream = try RunningTool("tw-stream", ["-n", "1", "home"], environment: environment, home: home)
    var line = try stream.line()
    while let text = line, !text.contains(#""code":"connect""#) { line = try stream.line() }
    let made = try post(["Hello there"])
    let rest = try stream.finish()
    #expect(rest.status == 0 && rest.output.contains(made["id"].text), "\(rest.errors)\(rest.output)")
  }
}
