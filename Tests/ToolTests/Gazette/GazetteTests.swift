import Foundation
import TestSupport
import Testing

/// A service that is only in this folder is read, streamed, signed in to and written to by the tools as they are.
@Suite(.onOwnThread) struct GazetteTests {
  /// Notes by the cursor of their page.
  private static let pages = [
    "": #"{"notes":[{"key":"n-e","text":"five"},{"key":"n-d","text":"four #tea"}],"cursor":"c1"}"#,
    "c1": #"{"notes":[{"key":"n-c","text":"three"},{"key":"n-b","text":"two"}],"cursor":"c2"}"#,
    "c2": #"{"notes":[{"key":"n-a","text":"one"}]}"#,
  ]

  private let tools: GazetteTools
  private let server: LoopbackServer
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    tools = try GazetteTools()
    server = try LoopbackServer { request, connection in
      let target = request.target
      if target == "POST /clients" {
        return connection.answer(200, #"{"client":"client-7","secret":"hush"}"#)
      }
      // client-7:hush
      let isClient = request.head.contains("Authorization: Basic Y2xpZW50LTc6aHVzaA==")
      let isUser = request.head.contains("Authorization: Bearer s3cret")
      guard request.head.contains("Gazette-Proof: 42"), isUser || isClient else {
        return connection.answer(401, headers: ["Gazette-Number: 42"])
      }
      switch true {
      case target == "POST /token" && request.body.contains("code=c0de"):
        connection.answer(200, #"{"access_token":"s3cret","refresh_token":"r1","expires_in":1}"#)
      case target == "POST /token" && request.body.contains("refresh_token=r1"):
        connection.answer(200, #"{"access_token":"s3cret-2","refresh_token":"r2","expires_in":9999}"#)
      case target == "POST /revoke": connection.answer(200, "{}")
      case target == "GET /whoami": connection.answer(200, #"{"key":"k-1","name":"maja"}"#)
      case target.hasPrefix("GET /notes"):
        connection.answer(
          200, Self.pages[target.split(separator: "cursor=").dropFirst().last.map(String.init) ?? ""] ?? "{}")
      case target.hasPrefix("GET /live"):
        connection.startStream()
        connection.chunk(#"{"key":"n-x","text":"live"}"# + "\n" + #"{"key":"n-x","text":"live"}"# + "\n")
        connection.chunk(#"{"key":"n-y","text":"more"}"# + "\n")
        connection.pause(5)
      case target.hasPrefix("GET /note?key="):
        connection.answer(200, #"{"key":"n-a","text":"one","thread":"n-root"}"#)
      case target == "POST /notes": connection.answer(200, #"{"key":"n-new"}"#)
      case target == "POST /like": connection.answer(200, "{}")
      default: connection.answer(404)
      }
    }
  }

  /// Runs a tool that knows the gazette.
  private func run(_ tool: String, _ arguments: [String], stdin: ToolInput = "", _ more: [String: String] = [:]) throws
    -> ToolResult
  {
    let variables = ["TW_TEST_RUN_AS": "own name", "TW_SERVICE": "gazette", "TW_ENDPOINT": server.base]
    return try Tool.run(
      tools.path + "/" + tool, arguments, stdin: stdin,
      environment: variables.merging(more) { $1 }, home: home)
  }

  private func keys(_ result: ToolResult) -> [String] {
    result.lines.compactMap { line in line.firstMatch(of: /"(?:key|id)":"(n-[a-z]+)"/).map { String($0.1) } }
  }

  @Test func itIsReadByCursorsAndGoesOnWhereItStopped() throws {
    try Self.signIn(self)
    let state = home.path + "/state"
    let first = try run(
      "tw-stream", ["--once", "--pages", "2", "--all", "--state", state, "@maja"].filter { $0 != "--all" })
    #expect(first.status == 0 && keys(first) == ["n-e", "n-d", "n-c", "n-b"], "\(first.errors)")
    // The checkpoint has the newest note, and nothing new is there.
    let again = try run("tw-stream", ["--once", "--state", state, "@maja"])
    #expect(again.status == 0 && keys(again).isEmpty, "\(again.output)\(again.errors)")
    let kept = try String(contentsOfFile: state, encoding: .utf8)
    #expect(kept.contains(#""newest_id":"n-e""#), "\(kept)")
    #expect(server.requests.allSatisfy { !$0.target.contains("s3cret") })
  }

  /// What a round leaves is found by the cursor of its next page, since no id leads there.
  @Test func aGapIsKeptWithItsCursor() throws {
    try Self.signIn(self)
    let state = home.path + "/state"
    let cut = try run("tw-stream", ["--once", "--all", "--limit", "4", "--state", state, "@maja"])
    #expect(keys(cut) == ["n-e", "n-d", "n-c", "n-b"], "\(cut.errors)")
    let rest = try run("tw-stream", ["--once", "--all", "--state", state, "@maja"])
    #expect(rest.status == 0 && keys(rest) == ["n-a"], "\(rest.output)\(rest.errors)")
  }

  @Test func itIsStreamedAndAPostThatComesAgainIsLeftOut() throws {
    try Self.signIn(self)
    let result = try run("tw-stream", ["--limit", "2", "#news"])
    #expect(result.status == 0 && keys(result) == ["n-x", "n-y"], "\(result.output)\(result.errors)")
  }

  @Test func itsIdsAreLookedUp() throws {
    try Self.signIn(self)
    let result = try run("tw-stream", ["--once", "ids:-"], stdin: "n-a\n20\n")
    #expect(keys(result) == ["n-a"] && result.output.contains("'20' is not an id"), "\(result.output)\(result.errors)")
  }

  @Test func itIsWrittenTo() throws {
    try Self.signIn(self)
    let posted = try run("tw-post", ["reply", "n-a", "Hello, gazette"])
    #expect(posted.status == 0 && posted.output.contains(#""id":"n-new","service":"gazette""#), "\(posted.errors)")
    let body = server.requests.last { $0.target == "POST /notes" }?.body
    // The note that the thread begins with was asked for.
    #expect(body == #"{"text":"Hello, gazette","reply_to":"n-a","facts":{"root":"n-root"}}"#)
    #expect(try run("tw-post", ["like", "20"]).status == 64, "a number is not an id there")
    #expect(try run("tw-post", ["like", "https://gazette.example/note/n-a"]).status == 0)
    #expect(server.requests.last { $0.target == "POST /like" }?.body == "n-a")
  }

  /// Its posts have what those of X have not, and the other way round; and lengths are its own.
  @Test func itsPostsAreItsOwn() throws {
    try Self.signIn(self)
    let options = ["--visibility", "unlisted", "--warning", "soup", "--language", "sv"]
    let posted = try run("tw-post", options + ["Hej"])
    #expect(posted.status == 0, "\(posted.errors)")
    #expect(
      server.requests.last { $0.target == "POST /notes" }?.body
        == #"{"text":"Hej","visibility":"unlisted","warning":"soup","language":"sv"}"#)
    let family = String(repeating: "👨‍👩‍👧‍👦", count: 300)
    #expect(try run("tw-post", [family]).status == 0, "three hundred characters, each of many bytes")
    let long = try run("tw-post", [family + "!"])
    #expect(long.status == 65 && long.errors.contains("301 of 300; beyond the limit: '!'"), "\(long.errors)")
    let thread = try run("tw-post", ["--thread", "--visibility", "direct", family + " and more"])
    #expect(thread.status == 0, "\(thread.errors)")
    let second = server.requests.last { $0.target == "POST /notes" }?.body
    #expect(
      second
        == #"{"text":"and more","reply_to":"n-new","facts":{"root":"n-root"},"continues":true,"visibility":"direct"}"#,
      "\(second ?? "")")
    for (options, reason) in [
      (["--poll", "a", "--poll", "b"], "has no polls"), (["--long"], "has no long posts"),
      (["--reply-settings", "following"], "has no choice of who may answer"),
    ] {
      let result = try run("tw-post", options + ["Hej"])
      #expect(result.status == 64 && result.errors.contains("service 'gazette' \(reason)"), "\(result.errors)")
    }
    let atX = try run(
      "tw-post", ["--warning", "soup", "Hej"],
      ["TW_SERVICE": "local", "TW_TOKEN": "AAA"])
    #expect(atX.status == 64 && atX.errors.contains("service 'local' has no content warnings"), "\(atX.errors)")
  }

  @Test func itsSourcesAreItsOwn() throws {
    try Self.signIn(self)
    for (source, asked) in [
      ("section:News", "section=news"), ("search:green tea", "words=green%20tea"), ("front", "section=front"),
      ("@maja.lind", "of=maja.lind"), ("#1", "words=1"),
    ] {
      let result = try run("tw-stream", ["--once", source])
      #expect(result.status == 0 && keys(result).count == 2, "\(result.errors)")
      let last = server.requests.last?.target ?? ""
      #expect(last == "GET /notes?\(asked)", "\(last)")
    }
    let bare = try run("tw-stream", ["--once", "maja"])
    #expect(bare.status == 64 && bare.errors.contains("is nothing in the gazette: '#tag'"), "\(bare.errors)")
    let archive = try run("tw-stream", ["--once", "--archive", "search:tea"])
    #expect(archive.status == 64 && archive.errors.contains("service 'gazette' has no use for --archive"))
    // What is X's is a plugin's here.
    let list = try run("tw-stream", ["--once", "list:1"])
    #expect(list.errors.contains("tw-source-list"), "\(list.errors)")
  }

  /// A section is registered, refreshed under another spelling of its name, and listed; each note is there once.
  @Test func itsSectionsAreFollowed() throws {
    try Self.signIn(self)
    #expect(try run("tw-cache", ["source", "add", "section:News"]).status == 0)
    let other = try run("tw-cache", ["source", "add", "nothing"])
    #expect(other.status == 64 && other.errors.contains("nothing in the gazette"), "\(other.errors)")
    for _ in 0..<2 {
      let refreshed = try run("tw-cache", ["refresh", "--quiet", "section:NEWS"])
      #expect(refreshed.status == 0, "\(refreshed.errors)")
    }
    let sources = try run("tw-cache", ["source", "list"])
    #expect(
      sources.lines.count == 1 && sources.output.hasPrefix("gazette\t-\tsection:News\t15m\tok"), "\(sources.output)")
    let listed = try run("tw-cache", ["list", "feed:section:news"])
    #expect(listed.status == 0 && keys(listed).sorted() == ["n-d", "n-e"], "\(listed.output)\(listed.errors)")
    let shown = try run("tw-cache", ["show", "https://gazette.example/note/n-d"])
    #expect(keys(shown) == ["n-d"], "\(shown.output)\(shown.errors)")
  }

  @Test func itIsReadByTw() throws {
    try Self.signIn(self)
    #expect(try run("tw", ["config", "set", "service", "gazette"]).status == 0)
    let result = try run("tw", ["stream", "--once", "front"])
    #expect(result.status == 0 && keys(result) == ["n-e", "n-d"], "\(result.output)\(result.errors)")
  }

  /// The kit registers itself, and requests for tokens have the gazette's proof, also those of a renewal, which is a
  /// process of its own.
  @Test func itIsSignedInToInItsOwnWay() throws {
    let login = try run("tw-auth", ["login", "--service", "gazette", "--no-browser"], stdin: "c0de\n")
    #expect(
      login.status == 0 && login.errors.contains("/allow?response_type=code&client_id=client-7&"), "\(login.errors)")
    #expect(server.requests.first { $0.target == "POST /clients" }?.body == "http://127.0.0.1:8080/callback notes")
    #expect(try run("tw-auth", ["list"]).output.hasPrefix("gazette\tmaja\toauth2\t\(server.base)\tin use\t"))
    let read = try run("tw-stream", ["--once", "front"])
    #expect(read.status == 0 && keys(read).count == 2, "\(read.errors)")
    #expect(server.requests.last?.head.contains("Bearer s3cret-2") == true, "the token had expired, and was renewed")
    let other = try run("tw-auth", ["login", "--service", "gazette", "--method", "oauth1"])
    #expect(
      other.status == 64
        && other.errors.contains("service 'gazette' has no sign-in by 'oauth1', only by 'oauth2', 'token'"),
      "\(other.errors)")
    let logout = try run("tw-auth", ["logout"])
    #expect(logout.status == 0, "\(logout.errors)")
    #expect(server.requests.filter { $0.target == "POST /revoke" }.map(\.body).contains("token=r2"))
  }

  /// Signs in with a token; the service says whose it is.
  private static func signIn(_ test: GazetteTests) throws {
    try Data("s3cret\n".utf8).write(to: URL(fileURLWithPath: test.home.path + "/token"))
    let result = try test.run(
      "tw-auth", ["login", "--service", "gazette", "--method", "token", "--token-file", test.home.path + "/token"])
    #expect(result.status == 0, "\(result.errors)")
    let status = try test.run("tw-auth", ["status"])
    #expect(status.output.contains("account\tgazette:maja\n"), "\(status.output)\(status.errors)")
  }
}
