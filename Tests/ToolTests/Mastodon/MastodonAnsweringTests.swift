import Foundation
import TestSupport
import Testing

/// An answer is seen by those who see what it answers, and reaches them: at servers with Mastodon's API.
@Suite(.onOwnThread) struct MastodonAnsweringTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// The posts of Otto and of Maja, who writes, by their ids.
  private static let posts: [String: (author: String, more: String)] = [
    "1": ("8", #""visibility":"direct","spoiler_text":"soup","mentions":[\#(maja),\#(ida)]"#),
    "2": ("8", #""visibility":"private","mentions":[]"#), "3": ("8", #""visibility":"unlisted","mentions":[]"#),
    "4": ("8", #""visibility":"public","spoiler_text":"","mentions":[\#(maja),\#(ida),\#(ida)]"#),
    "5": ("7", #""visibility":"private","mentions":[\#(ida)]"#),
    // Servers of other makes, and words that nobody knows yet.
    "6": ("8", #""visibility":"local","mentions":[]"#), "7": ("8", #""visibility":"mutuals_only","mentions":[]"#),
    "8": ("8", #""visibility":"list:9","mentions":[]"#),
    "9": ("8", #""visibility":"public","local_only":true,"mentions":[]"#),
    "10": ("8", #""visibility":"public","mentions":[],"quote_approval":{"current_user":"denied"}"#),
    "11": ("8", #""visibility":"public","mentions":[],"quote_approval":{"current_user":"manual"}"#),
    "12": ("8", #""visibility":"private","mentions":[],"reblog":{"id":"1","visibility":"direct","account":\#(otto)}"#),
  ]
  private static let maja = #"{"id":"7","username":"maja","acct":"maja"}"#
  private static let otto = #"{"id":"8","username":"otto","acct":"otto@milk.example"}"#
  private static let ida = #"{"id":"9","username":"ida","acct":"ida"}"#

  /// - Parameters:
  ///   - usual: who sees what the account posts where it says nothing; `nil` where the server does not say it.
  ///   - code: what it answers when it is asked for a post.
  private func server(usual: String? = nil, code: Int = 200, isAbsent: Bool = false) throws -> MastodonServer {
    var settings = MastodonServer.Settings()
    settings.posts = 0
    settings.configuration = #"{"statuses":{"max_characters":40}}"#
    let made = StoredText()
    settings.first = { request, connection in
      let path = request.target.split(separator: "?")[0]
      switch path {
      case "POST /api/v1/statuses":
        made.text += "x"
        connection.answer(200, MastodonServer.status(2000 + made.text.count).dropLast() + #","visibility":"direct"}"#)
      case "GET /api/v1/accounts/verify_credentials":
        let source = usual.map { #","source":{"privacy":"\#($0)"}}"# } ?? "}"
        connection.answer(200, Self.maja.dropLast() + source)
      case let path where path.hasPrefix("GET /api/v1/statuses/"):
        let id = String(path.split(separator: "/").last ?? "")
        guard let post = Self.posts[id], code == 200 else {
          connection.answer(code == 200 ? 404 : code, #"{"error":"Record not found"}"#)
          return true
        }
        connection.answer(
          200,
          #"{"id":"\#(id)","account":\#(post.author == "7" ? Self.maja : Self.otto),"content":"<p>hi</p>",\#(post.more)}"#
        )
      default: return false
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private func post(_ server: MastodonServer, _ arguments: [String]) throws -> ToolResult {
    try server.run("tw-post", arguments, home: home, token: "t0k")
  }

  private func bodies(_ server: MastodonServer) -> [String] {
    server.server.requests.filter { $0.target == "POST /api/v1/statuses" }.map(\.body)
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let usual: String?
    /// The body without `{"status":`.
    let body: String
    var testDescription: String { (arguments + [usual ?? ""]).joined(separator: " ") }

    init(_ arguments: [String], usual: String? = nil, _ body: String) {
      (self.arguments, self.usual, self.body) = (arguments, usual, body)
    }
  }

  private static let answers = [
    Case(
      ["1", "yes"], #""@otto@milk.example @ida yes","in_reply_to_id":"1","visibility":"direct","spoiler_text":"soup"}"#),
    Case(["2", "yes"], #""@otto@milk.example yes","in_reply_to_id":"2","visibility":"private"}"#),
    Case(["3", "yes"], #""@otto@milk.example yes","in_reply_to_id":"3","visibility":"unlisted"}"#),
    Case(["4", "yes"], #""@otto@milk.example @ida yes","in_reply_to_id":"4"}"#),
    // One's own post: the others are still meant.
    Case(["5", "yes"], #""@ida yes","in_reply_to_id":"5","visibility":"private"}"#),
    Case(["6", "yes"], #""@otto@milk.example yes","in_reply_to_id":"6","visibility":"local"}"#),
    Case(["7", "yes"], #""@otto@milk.example yes","in_reply_to_id":"7","visibility":"mutuals_only"}"#),
    Case(["8", "yes"], #""@otto@milk.example yes","in_reply_to_id":"8","visibility":"direct"}"#),
    Case(["9", "yes"], #""@otto@milk.example yes","in_reply_to_id":"9","local_only":true}"#),
    Case(["12", "yes"], #""@otto@milk.example yes","in_reply_to_id":"12","visibility":"direct"}"#),
    // What the account shows to fewer people stays with those.
    Case(["3", "yes"], usual: "private", #""@otto@milk.example yes","in_reply_to_id":"3","visibility":"private"}"#),
    Case(["2", "yes"], usual: "public", #""@otto@milk.example yes","in_reply_to_id":"2","visibility":"private"}"#),
    Case(["2", "yes"], usual: "direct", #""@otto@milk.example yes","in_reply_to_id":"2","visibility":"direct"}"#),
    // What is asked for holds.
    Case(
      ["1", "yes", "--visibility", "public", "--warning", "tea", "--no-mentions"],
      #""yes","in_reply_to_id":"1","visibility":"public","spoiler_text":"tea"}"#),
    Case(["1", "yes", "--warning", "", "--no-mentions"], #""yes","in_reply_to_id":"1","visibility":"direct"}"#),
    // Whom the author has named already is not named twice.
    Case(["4", "no @IDA, yes"], #""@otto@milk.example no @IDA, yes","in_reply_to_id":"4"}"#),
    Case(["4", "@otto@milk.example @idalia"], #""@ida @otto@milk.example @idalia","in_reply_to_id":"4"}"#),
  ]

  @Test(arguments: answers) private func anAnswerIsForThoseWhoSeeWhatItAnswers(_ test: Case) throws {
    let server = try server(usual: test.usual)
    let posted = try post(server, ["reply"] + test.arguments)
    #expect(posted.status == 0 && bodies(server) == [#"{"status":"# + test.body], "\(posted.errors)\(bodies(server))")
    // What is printed is what was sent.
    let record = LooseJSON(try JSONSerialization.jsonObject(with: Data(posted.output.utf8)))
    let sent = LooseJSON(try JSONSerialization.jsonObject(with: Data(bodies(server)[0].utf8)))
    #expect(record["text"].text == sent["status"].text, "\(posted.output)")
    #expect(record["extra"]["visibility"].text == sent["visibility"].text, "\(posted.output)")
    #expect(record["extra"]["spoiler_text"].text == sent["spoiler_text"].text, "\(posted.output)")
  }

  /// What nobody can read is not answered for everybody, nor while the server does not say.
  @Test(arguments: [("99", 200, 69), ("1", 404, 69), ("1", 403, 77), ("1", 503, 75)])
  func whatCannotBeReadIsNotAnswered(_ id: String, _ code: Int, _ status: Int32) throws {
    let server = try server(code: code)
    let posted = try post(server, ["reply", id, "yes"])
    #expect(posted.status == status && bodies(server).isEmpty && !posted.errors.isEmpty, "\(posted.errors)")
    #expect(try post(server, ["outbox"]).output.isEmpty)
  }

  /// The names take room, and stand before each post of a thread, all of which are for the same people.
  @Test func aThreadIsForThemAll() throws {
    let server = try server()
    let long = try post(server, ["reply", "1", String(repeating: "a", count: 30)])
    #expect(long.status == 65 && long.errors.contains("41 of 40") && bodies(server).isEmpty, "\(long.errors)")
    let posted = try post(server, ["--thread", "reply", "1", "One two three four five six seven eight nine ten"])
    #expect(posted.status == 0, "\(posted.errors)")
    // "@otto@milk.example" counts as "@otto".
    let texts = bodies(server).compactMap {
      $0.firstMatch(of: /"status":"([^"]*)"/)?.1.replacing("@milk.example", with: "")
    }
    #expect(texts.count == 2 && texts.allSatisfy { (28...40).contains($0.count) || $0 == texts.last }, "\(texts)")
    for body in bodies(server) {
      #expect(
        body.contains(#""visibility":"direct","spoiler_text":"soup""#) && body.contains("@otto@milk.example @ida "))
    }
    #expect(server.targets.count { $0.hasPrefix("GET /api/v1/statuses/") } == 2, "\(server.targets)")
  }

  /// What waited in the outbox is asked about before it is sent, with the rest of its thread.
  @Test func whatIsSentLaterIsForThemAsWell() throws {
    let server = try server()
    let unasked = try server.run(
      "tw-post", ["--later", "--thread", "reply", "1", "yes\n---\nno"], home: home, token: "t0k",
      ["TW_ENDPOINT": "http://127.0.0.1:9"])
    #expect(unasked.status == 0, "\(unasked.errors)")
    // It waits for the address that did not answer: the same server under the port that does.
    let outbox = home.path + "/.local/share/tw/outbox.db"
    let moved = try Tool.run(
      "/usr/bin/env",
      [
        "python3", "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('UPDATE writes SET base=?',(sys.argv[2],)); c.commit()",
        outbox, server.server.base,
      ])
    #expect(moved.status == 0, "\(moved.errors)")
    let flushed = try post(server, ["flush"])
    #expect(flushed.status == 0 && bodies(server).count == 2, "\(flushed.errors)")
    for (body, text) in zip(bodies(server), ["yes", "no"]) {
      #expect(
        body.contains(#""@otto@milk.example @ida \#(text)""#)
          && body.contains(#""visibility":"direct","spoiler_text":"soup""#), "\(body)")
    }
  }

  /// A thread of its own needs no questions.
  @Test func aThreadThatAnswersNobodyAsksNothing() throws {
    let server = try server()
    let posted = try post(server, ["--thread", "One @ida\n---\nTwo"])
    #expect(posted.status == 0 && bodies(server).count == 2, "\(posted.errors)")
    #expect(!server.targets.contains { $0.hasPrefix("GET /api/v1/statuses/") })
    #expect(bodies(server)[1] == #"{"status":"Two","in_reply_to_id":"2001"}"#)
  }

  @Test(arguments: [
    (["10"], 77, "does not allow"), (["1"], 77, "not everybody"), (["2"], 77, "not everybody"), (["11"], 0, ""),
    (["4"], 0, ""), (["5"], 0, #""visibility":"private""#),
  ])
  func aQuoteNeedsLeave(_ arguments: [String], _ status: Int32, _ words: String) throws {
    let server = try server()
    let quoted = try post(server, ["quote"] + arguments + ["look"])
    #expect(quoted.status == status && bodies(server).count == (status == 0 ? 1 : 0), "\(quoted.errors)")
    let said = quoted.errors + bodies(server).joined()
    #expect(words.isEmpty || said.contains(words), "\(said)")
    #expect(bodies(server).allSatisfy { !$0.contains("@") })
  }

  @Test func namesAreLeftOutOfAnswersAlone() throws {
    let server = try server()
    #expect(try post(server, ["--no-mentions", "Hello"]).status == 64)
    #expect(try post(server, ["--no-mentions", "quote", "4", "Hello"]).status == 64)
    #expect(try post(server, ["--warning", "", "Hello"]).status == 64)
    let x = try Tool.run(
      "tw-post", ["--no-mentions", "reply", "4", "Hello"], environment: ["TW_SERVICE": "x", "TW_TOKEN": "t0k"],
      home: home)
    #expect(x.status == 64 && x.errors.contains("--no-mentions"), "\(x.errors)")
  }
}
