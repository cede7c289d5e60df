import Foundation
import TestSupport
import Testing

/// An account writes at a server with Mastodon's API.
@Suite(.onOwnThread) struct MastodonWritingTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// - Parameters:
  ///   - lost: how many answers to posts do not come.
  ///   - isNew: whether it is a version that makes a post once for each key, even if two requests come at once.
  ///   - repeats: what it answers to a key that it knows; `nil` for the post.
  private func server(
    configuration: String = "{}", lost: Int = 0, isMade: Bool = true, isNew: Bool = false, repeats: Int? = nil
  ) throws -> MastodonServer {
    let made = StoredText()
    let asked = StoredText()
    let time = StoredText()
    var settings = MastodonServer.Settings()
    (settings.posts, settings.configuration) = (0, configuration)
    if isNew { settings.instance = PostingMastodon.newVersion + configuration + "}" }
    settings.first = { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "POST /api/v1/statuses":
        asked.text += "x"
        time.text = Date.now.ISO8601Format()
        let isLost = asked.text.count <= lost
        if !isLost || isMade { made.text = request.body }
        if isLost {
          connection.reset()
        } else if let repeats, lost > 0 {
          connection.answer(repeats, #"{"error":"We're sorry, but something went wrong on our end."}"#)
        } else {
          connection.answer(200, MastodonServer.status(2000))
        }
      case "GET /api/v1/accounts/7/statuses":
        connection.answer(
          200, made.text.isEmpty ? "[]" : "[\(MastodonServer.status(2000, content: "Hello tea", at: time.text))]")
      case "GET /api/v1/statuses/1050": connection.answer(200, MastodonServer.status(1050))
      case "DELETE /api/v1/statuses/1050": connection.answer(200, MastodonServer.status(1050))
      case let target where target.hasPrefix("POST /api/v1/statuses/") || target.hasPrefix("POST /api/v1/accounts/"):
        connection.answer(200, MastodonServer.status(1050))
      default: return false
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private func post(_ server: MastodonServer, _ arguments: [String]) throws -> ToolResult {
    try server.run("tw-post", arguments, home: home, token: "t0k")
  }

  @Test func aPostHasItsPartsAndAKey() throws {
    let server = try server()
    let options = ["--visibility", "unlisted", "--warning", "soup", "--language", "sv"]
    let posted = try post(server, options + ["reply", "1050", "Hej #tea https://a.example/b."])
    #expect(posted.status == 0, "\(posted.errors)")
    let request = server.server.requests.last { $0.target == "POST /api/v1/statuses" }
    #expect(
      request?.body
        == #"{"status":"Hej #tea https://a.example/b.","in_reply_to_id":"1050","visibility":"unlisted","#
        + #""spoiler_text":"soup","language":"sv"}"#)
    #expect((request?["Idempotency-Key"]?.count ?? 0) >= 20 && request?["Content-Type"] == "application/json")
    #expect(posted.output.contains(#""id":"2000","service":"\#(server.name)""#), "\(posted.output)")
    #expect(posted.output.contains(#""text":"Hej #tea https://a.example/b.""#), "\(posted.output)")
    #expect(posted.output.contains(#"{"start":4,"end":8,"tag":"tea"}"#), "\(posted.output)")
    #expect(posted.output.contains(#""expanded_url":"https://a.example/b""#), "\(posted.output)")
    // Without a choice the account's own is taken.
    #expect(try post(server, ["Hej då"]).status == 0)
    #expect(server.server.requests.last { $0.target == "POST /api/v1/statuses" }?.body == #"{"status":"Hej då"}"#)
  }

  @Test func whatIsThereIsChanged() throws {
    let server = try server()
    for (arguments, target) in [
      (["like", "1050"], "POST /api/v1/statuses/1050/favourite"),
      (["unlike", "1050"], "POST /api/v1/statuses/1050/unfavourite"),
      (["retweet", "1050"], "POST /api/v1/statuses/1050/reblog"),
      (["unretweet", "\(server.server.base)/@maja/1050"], "POST /api/v1/statuses/1050/unreblog"),
      (["bookmark", "1050"], "POST /api/v1/statuses/1050/bookmark"),
      (["follow", "otto@milk.example"], "POST /api/v1/accounts/7/follow"),
      (["delete", "1050"], "DELETE /api/v1/statuses/1050"),
    ] {
      let result = try post(server, arguments)
      #expect(result.status == 0 && server.targets.contains(target), "\(result.errors)\(server.targets)")
    }
    let followed = try post(server, ["unfollow", "otto@milk.example"])
    #expect(followed.output.hasPrefix(#"{"tw":"user","service":"\#(server.name)","id":"7","username":"maja""#))
  }

  /// The post whose answer was lost is found, or sent once more with the same key.
  @Test(arguments: [true, false])
  func aPostWhoseAnswerIsLostIsMadeOnce(_ isMade: Bool) throws {
    let server = try server(lost: 1, isMade: isMade)
    let result = try post(server, ["Hello tea"])
    #expect(result.status == 0 && result.output.contains(#""id":"2000""#), "\(result.errors)")
    let requests = server.server.requests.filter { $0.target == "POST /api/v1/statuses" }
    #expect(requests.count == (isMade ? 1 : 2))
    #expect(Set(requests.map { $0["Idempotency-Key"] }).count == 1)
  }

  /// Mastodon since 4.6 makes a post once for each key: it is sent again at once, and nothing is looked for.
  @Test(arguments: [1, 2])
  func aServerThatKeepsKeysIsAskedAgain(_ lost: Int) throws {
    let server = try server(lost: lost, isNew: true)
    let result = try post(server, ["Hello tea"])
    #expect(result.status == 0 && result.output.contains(#""id":"2000""#), "\(result.errors)")
    #expect(result.errors.contains("asking again") && !result.errors.contains("looking"), "\(result.errors)")
    let requests = server.server.requests.filter { $0.target == "POST /api/v1/statuses" }
    #expect(requests.count == lost + 1 && Set(requests.map { $0["Idempotency-Key"] }).count == 1)
    #expect(!server.targets.contains { $0.contains("/accounts/7/statuses") }, "\(server.targets)")
  }

  /// Some versions fail on a key that they know: then it is looked for as elsewhere.
  @Test func aServerThatFailsOnAKnownKeyIsLookedAt() throws {
    let server = try server(lost: 1, isNew: true, repeats: 500)
    let result = try post(server, ["Hello tea"])
    #expect(result.status == 0 && result.output.contains(#""id":"2000""#), "\(result.errors)")
    #expect(server.targets.count { $0 == "POST /api/v1/statuses" } == 2)
    #expect(server.targets.contains { $0.contains("/accounts/7/statuses") }, "\(server.targets)")
  }

  /// What the server says of a post is in its record, also if only a later run prints it.
  @Test(arguments: [false, true]) func theRecordHasItsAddresses(_ isLost: Bool) throws {
    let server = try PostingMastodon()
    if isLost { server.expect([.lostAnswer]) }
    let posted = try server.server.run("tw-post", ["Hello there"], home: home, token: "t0k")
    #expect(posted.status == 0, "\(posted.errors)")
    let record = LooseJSON(try JSONSerialization.jsonObject(with: Data(posted.output.utf8)))
    #expect(record["url"].text == "https://tea.example/@maja/2000", "\(posted.output)")
    #expect(record["extra"]["uri"].text == "https://tea.example/users/maja/statuses/2000", "\(posted.output)")
    let rows = try Tool.run(
      "/usr/bin/env",
      [
        "python3", "-c",
        "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT target FROM writes').fetchone()[0])",
        home.path + "/.local/share/tw/outbox.db",
      ])
    #expect(
      rows.output.contains(#""uri":"https://tea.example/users/maja/statuses/2000""#), "\(rows.output)\(rows.errors)")
  }

  @Test func theServerSaysHowLongAPostMayBe() throws {
    let configuration = #"{"statuses":{"max_characters":40,"characters_reserved_per_url":23}}"#
    let server = try server(configuration: configuration)
    let link = "https://a.example/" + String(repeating: "b", count: 100)
    #expect(try post(server, ["\(String(repeating: "a", count: 16)) \(link)"]).status == 0)
    #expect(try post(server, ["@\(String(repeating: "a", count: 39))@milk.example"]).status == 0)
    let long = try post(server, ["\(String(repeating: "a", count: 17)) \(link)"])
    #expect(long.status == 65 && long.errors.contains("41 of 40"), "\(long.errors)")
  }

  // MARK: Lost answers

  /// The post is found among those that were made since, as the answer or quote that it is.
  @Test(arguments: [[], ["reply", "2000"], ["quote", "2000"]])
  func aLostPostIsFoundBehindOthers(_ verb: [String]) throws {
    let server = try PostingMastodon()
    server.addPosts(["Hello tea"])
    server.expect([.heldAnswer])
    let tool = try RunningTool(
      "tw-post", verb + ["Hello tea"], environment: server.server.environment(token: "t0k"), home: home)
    try waitUntil { server.posts.count == 2 }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    server.addPosts((0..<60).map { "another \($0)" })
    let flushed = try server.server.run("tw-post", ["flush"], home: home, token: "t0k")
    #expect(flushed.status == 0 && flushed.output.contains(#""id":"2001""#), "\(flushed.errors)")
    #expect(server.tries.count == 1 && server.posts.count == 62)
  }

  /// What this account cannot do now waits, and what the server will never take does not.
  @Test(arguments: [(401, 77, "queued"), (429, 75, "queued"), (403, 77, "refused"), (422, 69, "refused")])
  func whatIsNotTakenNowWaits(_ code: Int, _ status: Int32, _ state: String) throws {
    let server = try PostingMastodon()
    func run(_ arguments: [String]) throws -> ToolResult {
      try server.server.run("tw-post", arguments, home: home, token: "t0k")
    }
    server.expect([.answer(code, #"{"error":"no"}"#)])
    #expect(try run(["--later", "Hello tea"]).status == 0)
    let refused = try run(["flush"])
    #expect(refused.status == status, "\(refused.errors)")
    #expect(try run(["outbox"]).lines.map { $0.split(separator: "\t")[1] } == [state[...]])
    #expect(try run(["flush"]).lines.count == (state == "queued" ? 1 : 0))
    #expect(server.posts.count == (state == "queued" ? 1 : 0))
  }

  // MARK: Parts

  @Test func aPollIsAsTheServerWantsIt() throws {
    let server = try server(
      configuration: #"{"polls":{"max_options":3,"max_characters_per_option":5}}"#)
    func options(_ choices: String...) -> [String] { choices.flatMap { ["--poll", $0] } }
    for choices in [options("one"), options("1", "2", "3", "4"), options("one", "sixsix"), options("one", "")] {
      #expect(try post(server, choices + ["Which?"]).status == 64, "\(choices)")
    }
    #expect(!server.targets.contains("POST /api/v1/statuses"))
    let asked = try post(server, options("one", "fifth", "3") + ["--poll-for", "90m", "Which?"])
    #expect(asked.status == 0, "\(asked.errors)")
    #expect(
      server.server.requests.last { $0.target == "POST /api/v1/statuses" }?.body
        == #"{"status":"Which?","poll":{"options":["one","fifth","3"],"expires_in":5400}}"#)
  }

  @Test(arguments: [("everybody", "public"), ("followers", "followers"), ("nobody", "nobody")])
  func whoMayQuoteIsSaid(_ choice: String, _ name: String) throws {
    let server = try server()
    #expect(try post(server, ["--quote-settings", choice, "Hello tea"]).status == 0)
    #expect(
      server.server.requests.last { $0.target == "POST /api/v1/statuses" }?.body
        == #"{"status":"Hello tea","quote_approval_policy":"\#(name)"}"#)
  }

  /// Quotes came with version 7 of the API.
  @Test(arguments: [(6, 64), (7, 0)]) func aQuoteNeedsAServerThatHasSuch(_ version: Int, _ status: Int32) throws {
    let server = try PostingMastodon(instance: #"{"version":"4.4.1","api_versions":{"mastodon":\#(version)}}"#)
    server.addPosts(["first"])
    let quoted = try server.server.run("tw-post", ["quote", "2000", "Hello tea"], home: home, token: "t0k")
    #expect(quoted.status == status && server.tries.count == (status == 0 ? 1 : 0), "\(quoted.errors)")
    #expect(server.posts.last?.quoteOf == (status == 0 ? "2000" : ""))
  }
}
