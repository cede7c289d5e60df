import Foundation
import TestSupport
import Testing
import TweetCore

/// What the signed-in account has: bookmarks, likes, followers and those it follows.
@Suite(.onOwnThread) struct StreamOwnTests {
  private let home: TemporaryDirectory
  private let local: LocalService

  init() throws {
    home = try TemporaryDirectory()
    local = try LocalService(["--rate-limit", "100000"])
  }

  private func run(_ tool: String, _ words: String..., stdin: String = "") throws -> ToolResult {
    try Tool.run(tool, words, stdin: ToolInput(stdin), environment: local.environment, home: home)
  }

  private func refresh(_ words: String...) throws -> ToolResult {
    try Tool.run("tw-cache", ["refresh", "--print"] + words, environment: local.environment, home: home)
  }

  private func ids(_ result: ToolResult, type: String = "tweet") -> [String] {
    result.lines.compactMap { try? JSONDocument(Array($0.utf8)) }.filter { $0["tw"]?.string == type }
      .compactMap { $0["id"]?.string }
  }

  private func mark(_ verb: String, _ id: String) throws {
    let result = try run("tw-post", verb, "--yes", id)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(arguments: [("bookmarks", "bookmark", "is:bookmarked"), ("likes", "like", "is:liked")])
  func marksComeInTheirOwnOrder(source: String, verb: String, query: String) throws {
    let posts = try (1...6).map { try local.post("number \($0)") }
    // The order of ids does not matter.
    for index in [3, 0, 2] { try mark(verb, posts[index]) }
    let streamed = try run("tw-parse", stdin: run("tw-stream", "--once", source).output)
    #expect(ids(streamed) == [posts[2], posts[0], posts[3]])
    // A refresh prints in the order of time.
    let first = try refresh(source)
    #expect(first.status == 0 && Set(ids(first)) == [posts[2], posts[0], posts[3]], "\(first.errors)")
    #expect(try ids(run("tw-cache", "list", query)).sorted() == [posts[0], posts[2], posts[3]].sorted())
    #expect(try run("tw-cache", "list", "--feed", source).lines.count == 3)
    // An older post that is marked later is new; what is there already is not.
    #expect(ids(try refresh(source)) == [])
    for index in [5, 1] { try mark(verb, posts[index]) }
    #expect(Set(ids(try refresh(source))) == [posts[1], posts[5]])
    #expect(try run("tw-cache", "log", source).lines.map { $0.split(separator: "\t")[3] } == ["2", "0", "3"])
    // Ids do not say where older ones begin.
    let older = try refresh("--older", source)
    #expect(older.status == 64 && older.errors.contains("not in the order of ids"), "\(older.errors)")
  }

  @Test func aMarkThatIsGoneEndsNoRefresh() throws {
    let posts = try (1...4).map { try local.post("number \($0)") }
    for post in posts[..<3] { try mark("bookmark", post) }
    #expect(ids(try refresh("bookmarks")).count == 3)
    try mark("unbookmark", posts[2])
    try mark("bookmark", posts[3])
    #expect(try ids(refresh("bookmarks")) == [posts[3]])
    #expect(ids(try refresh("bookmarks")) == [])
  }

  @Test func pagesOfTheStream() throws {
    let posts = try (1...12).map { try local.post("number \($0)") }
    for post in posts { try mark("like", post) }
    let all = try run("tw-stream", "--once", "--all", "likes")
    let parsed = try run("tw-parse", stdin: all.output)
    #expect(all.status == 0 && ids(parsed) == posts.reversed(), "\(all.errors)")
    #expect(parsed.lines[1].contains("\"viewer\":{\"liked\":true}"), "\(parsed.lines[1])")
    let some = try run("tw-stream", "--once", "--limit", "7", "likes")
    #expect(try ids(run("tw-parse", stdin: some.output)) == Array(posts.reversed().prefix(7)))
    let since = try run("tw-stream", "--once", "--since", "1h", "likes")
    #expect(since.status == 64 && since.errors.contains("do not tell"), "\(since.errors)")
  }

  @Test func profiles() throws {
    let demo = try LocalService(["--demo", "--rate", "0", "--rate-limit", "100000"])
    func run(_ tool: String, _ words: String..., stdin: String = "") throws -> ToolResult {
      try Tool.run(tool, words, stdin: ToolInput(stdin), environment: demo.environment, home: home)
    }
    let names = { (result: ToolResult) in
      result.lines.compactMap { try? JSONDocument(Array($0.utf8)) }.compactMap { $0["username"]?.string }
    }
    let before = try names(run("tw-parse", stdin: run("tw-stream", "--once", "--all", "following").output))
    for name in ["@maren_k", "@yuki_dev"] { _ = try run("tw-post", "unfollow", "--yes", name) }
    for name in ["@maren_k", "@yuki_dev"] { #expect(try run("tw-post", "follow", "--yes", name).status == 0) }
    let stream = try run("tw-stream", "--once", "--all", "following")
    let parsed = try run("tw-parse", stdin: stream.output)
    let others = before.filter { !["maren_k", "yuki_dev"].contains($0) }
    #expect(stream.status == 0 && names(parsed) == ["yuki_dev", "maren_k"] + others, "\(stream.errors)")
    #expect(parsed.lines.count { $0.hasPrefix("{\"tw\":\"user\"") } == parsed.lines.count - 2)
    // They are stored as profiles.
    #expect(try run("tw-cache", "refresh", "following").status == 0)
    #expect(try names(run("tw-cache", "users")).contains("yuki_dev"))
    let followers = try run("tw-stream", "--once", "followers")
    #expect(followers.status == 0, "\(followers.errors)")
  }

  @Test func whatTheServiceHasNot() throws {
    let told = ["notifications": "this service has no notifications", "lists": "'tw-auth lists' shows your lists"]
    for (source, message) in told {
      let result = try run("tw-stream", "--once", source)
      #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    }
    // Version 1.1 of the API is not asked for them.
    #expect(try run("tw-stream", "--once", "--api", "1.1", "bookmarks").status == 64)
  }

  /// A word that is nearly a source is asked about where a person can answer, and nothing is read for it elsewhere.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func aNearMissIsAskedAbout() throws {
    let environment = Tool.environment(home: home.path, adding: local.environment)
    let script = "tw-stream --once hom > out; echo ended $?; tw-cache source add bokmarks; echo added $?"
    let terminal = try Terminal(script, environment: environment, home: home)
    try terminal.wait(for: "'hom' is not a source; read 'home'? [y/N]")
    try terminal.type("y")
    try terminal.press("Enter")
    try terminal.wait(for: "ended 0")
    #expect(String(decoding: try home.read("out"), as: UTF8.self).contains("\"feed\":\"home\""))
    try terminal.wait(for: "read 'bookmarks'? [y/N]")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "added 64")
    #expect(screen.contains("did you mean 'bookmarks'? The hashtag is '#bokmarks'"))
    let elsewhere = try run("tw-stream", "--once", "hom")
    #expect(elsewhere.status == 64 && elsewhere.output == "" && elsewhere.errors.contains("'home'"))
  }
}
