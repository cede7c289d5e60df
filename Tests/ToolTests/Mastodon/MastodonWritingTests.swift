import Foundation
import TestSupport
import Testing

/// An account writes at a server with Mastodon's API.
@Suite(.onOwnThread) struct MastodonWritingTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// - Parameter lost: how many answers to posts do not come.
  private func server(configuration: String = "{}", lost: Int = 0, isMade: Bool = true) throws -> MastodonServer {
    let made = StoredText()
    let asked = StoredText()
    let time = StoredText()
    var settings = MastodonServer.Settings()
    (settings.posts, settings.configuration) = (0, configuration)
    settings.first = { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "POST /api/v1/statuses":
        asked.text += "x"
        time.text = Date.now.ISO8601Format()
        let isLost = asked.text.count <= lost
        if !isLost || isMade { made.text = request.body }
        if isLost { connection.reset() } else { connection.answer(200, MastodonServer.status(2000)) }
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

  @Test func theServerSaysHowLongAPostMayBe() throws {
    let configuration = #"{"statuses":{"max_characters":40,"characters_reserved_per_url":23}}"#
    let server = try server(configuration: configuration)
    let link = "https://a.example/" + String(repeating: "b", count: 100)
    #expect(try post(server, ["\(String(repeating: "a", count: 16)) \(link)"]).status == 0)
    #expect(try post(server, ["@\(String(repeating: "a", count: 39))@milk.example"]).status == 0)
    let long = try post(server, ["\(String(repeating: "a", count: 17)) \(link)"])
    #expect(long.status == 65 && long.errors.contains("41 of 40"), "\(long.errors)")
  }
}
