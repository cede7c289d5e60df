import Foundation
import TestSupport
import Testing

/// Posts and accounts of other servers, which the account's own server calls otherwise.
@Suite(.onOwnThread(minutes: 5)) struct MastodonResolvingTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let address = "https://fosstodon.org/@bob/11234"
  private static let uri = "https://fosstodon.org/users/bob/statuses/11234"
  private static let bob =
    #"{"id":"8","username":"bob","acct":"bob@fosstodon.org","display_name":"Bob","url":"https://fosstodon.org/@bob"}"#

  /// A server that finds the one post, and the one account.
  ///
  /// - Parameter found: what it finds in place of the post; JSON.
  private func server(_ found: String? = nil) throws -> MastodonServer {
    let post =
      found
      ?? #"[{"id":"1050","url":"\#(Self.address)","uri":"\#(Self.uri)","content":"<p>tea</p>","account":\#(Self.bob)}]"#
    var settings = MastodonServer.Settings()
    settings.posts = 0
    settings.first = { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "GET /api/v2/search":
        let query = request.parameter("q")?.removingPercentEncoding ?? ""
        let isThere = request.parameter("resolve") == "true" && request["Authorization"] == "Bearer t0k"
        let statuses =
          isThere && request.parameter("type") == "statuses" && [Self.address, Self.uri].contains(query) ? post : "[]"
        // One that is only similar comes first.
        let similar = Self.bob.replacing("bob@fosstodon.org", with: "bob@fosstodon.org.example").replacing(
          "\"8\"", with: "\"9\"")
        let accounts =
          isThere && request.parameter("type") == "accounts" && query == "bob@fosstodon.org"
          ? "[\(similar),\(Self.bob)]" : "[]"
        connection.answer(200, #"{"accounts":\#(accounts),"statuses":\#(statuses),"hashtags":[]}"#)
      // A server looks up only whom it knows.
      case "GET /api/v1/accounts/lookup" where request.parameter("acct")?.contains("%40") == true:
        connection.answer(404, #"{"error":"Record not found"}"#)
      case "POST /api/v1/statuses": connection.answer(200, MastodonServer.status(2000))
      case "GET /api/v1/statuses/1050": connection.answer(200, MastodonServer.status(1050))
      case "GET /api/v1/statuses/1050/context": connection.answer(200, #"{"ancestors":[],"descendants":[]}"#)
      case let target
      where target.hasPrefix("POST /api/v1/statuses/1050/") || target.hasPrefix("POST /api/v1/accounts/"):
        connection.answer(200, MastodonServer.status(1050))
      default: return false
      }
      return true
    }
    return try MastodonServer(settings)
  }

  private func post(_ server: MastodonServer, _ arguments: [String], stdin: String = "") throws -> ToolResult {
    try server.run("tw-post", arguments, stdin: ToolInput(stdin), home: home, token: "t0k")
  }

  @Test func aPostOfAnotherServerIsNamedByItsAddress() throws {
    let server = try server()
    for (arguments, target) in [
      (["like", Self.address], "POST /api/v1/statuses/1050/favourite"),
      (["retweet", Self.uri], "POST /api/v1/statuses/1050/reblog"),
      (["bookmark", Self.address], "POST /api/v1/statuses/1050/bookmark"),
    ] {
      let result = try post(server, arguments)
      #expect(result.status == 0 && server.targets.contains(target), "\(result.errors)\(server.targets)")
    }
    let query = "q=https%3A%2F%2Ffosstodon.org%2F%40bob%2F11234&resolve=true&type=statuses"
    #expect(server.targets.contains("GET /api/v2/search?\(query)"), "\(server.targets)")
    for (verb, key) in [("reply", "in_reply_to_id"), ("quote", "quoted_status_id")] {
      let result = try post(server, [verb, Self.address, "Yes"])
      #expect(result.status == 0, "\(result.errors)")
      let body = server.server.requests.last { $0.target == "POST /api/v1/statuses" }?.body
      #expect(body == #"{"status":"Yes","\#(key)":"1050"}"#)
    }
  }

  /// What was read through another server has that one's ids.
  @Test func aRecordOfAnotherServerNamesThePost() throws {
    let server = try server()
    let record =
      #"{"tw":"tweet","service":"mastodon:other.example","id":"77","url":"\#(Self.address)","extra":{"uri":"\#(Self.uri)"}}"#
    let liked = try post(server, ["--yes", "like", "-"], stdin: record + "\n")
    #expect(liked.status == 0 && server.targets.contains("POST /api/v1/statuses/1050/favourite"), "\(liked.errors)")
    #expect(!server.targets.contains { $0.contains("/77/") })
    let without = try post(
      server, ["like", "-"], stdin: #"{"tw":"tweet","service":"mastodon:other.example","id":"77"}"# + "\n")
    #expect(without.status == 1 && without.errors.contains("does not say the address of the post"), "\(without.errors)")
    let x = try post(server, ["like", "-"], stdin: #"{"tw":"tweet","service":"x","id":"77"}"# + "\n")
    #expect(x.status == 1 && x.errors.contains("is of service 'x'"), "\(x.errors)")
  }

  @Test func anAccountThatTheServerHasNotMetIsFollowed() throws {
    let server = try server()
    let bobs = [
      (["follow", "https://fosstodon.org/@bob"], ""), (["unfollow", "bob@fosstodon.org"], ""),
      // The server may have a bob of its own.
      (["follow", "-"], #"{"tw":"user","service":"mastodon:fosstodon.org","id":"3","username":"bob"}"# + "\n"),
    ]
    for (arguments, input) in bobs {
      let before = server.targets.count
      let result = try post(server, arguments, stdin: input)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      let path = "POST /api/v1/accounts/8/\(arguments[0])"
      #expect(server.targets.dropFirst(before).contains(path), "\(server.targets.dropFirst(before))")
    }
    let nobody = try post(server, ["follow", "nobody@fosstodon.org"])
    #expect(nobody.status == 69 && nobody.errors.contains("there is no account"), "\(nobody.errors)")
    let other = try post(
      server, ["follow", "-"], stdin: #"{"tw":"user","service":"x","id":"3","username":"bob"}"# + "\n")
    #expect(other.status == 1 && other.errors.contains("is of service 'x'"), "\(other.errors)")
  }

  @Test func whatCannotBeFoundIsSaid() throws {
    let server = try server()
    let gone = try post(server, ["like", "https://fosstodon.org/@bob/999"])
    #expect(gone.status == 64 && gone.errors.contains("cannot fetch it"), "\(gone.errors)")
    // A server with a search of texts brings posts that have the address in them.
    let text =
      #"[{"id":"5","url":"https://a.example/@o/5","uri":"https://a.example/5","content":"<a href=\"\#(Self.address)\">"}]"#
    let cited = try post(try self.server(text), ["like", Self.address])
    #expect(cited.status == 64 && cited.errors.contains("cannot fetch it"), "\(cited.errors)")
    // At a third server the post has another address.
    let third = #"[{"id":"1050","url":"\#(Self.address)x","uri":"\#(Self.uri)x","content":"tea"}]"#
    #expect(try post(try self.server(third), ["like", Self.address]).status == 0)
    let before = server.targets.count { $0.contains("/search") }
    for (address, text) in [
      ("https://x.com/jack/status/20", "is a page of 'x.com'"),
      ("https://fosstodon.org/tags/tea", "is not an address of a post"),
      ("https://bsky.app/profile/alice.example/post/3k2a", "is not an address of a post"),
    ] {
      let other = try post(server, ["like", address])
      #expect(other.status == 64 && other.errors.contains(text), "\(other.errors)")
    }
    #expect(
      server.targets.count { $0.contains("/search") } == before, "no server is asked about the posts of other networks")
  }

  /// The number of a tweet that another server has shown stands for its address.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func aNumberOfAnotherServerNamesThePost() throws {
    let server = try server()
    try home.write(
      "a.ndjson",
      #"{"tw":"tweet","id":"77","service":"mastodon:fosstodon.org","url":"\#(Self.address)","#
        + #""created_at":"2026-11-26T20:00:00.000Z","text":"tea","author":{"id":"2","username":"bob"}}"# + "\n")
    let terminal = try Terminal(
      "cd ~; tw-render --numbers -fline a.ndjson > x; tw-post like 1; tw-post follow 1; echo ended",
      environment: server.environment(token: "t0k"), home: home)
    let screen = try terminal.wait(for: "ended")
    #expect(server.targets.contains("POST /api/v1/statuses/1050/favourite"), "\(screen)\(server.targets)")
    #expect(server.targets.contains("POST /api/v1/accounts/8/follow"), "\(screen)\(server.targets)")
  }

  @Test func aConversationOfAnotherServerIsRead() throws {
    let server = try server()
    let read = try server.run(
      "tw-stream", ["--once", "\(server.name):conversation:\(Self.address)"], home: home, token: "t0k")
    #expect(read.status == 0 && MastodonServer.ids(read) == [1050], "\(read.errors)\(read.output)")
    #expect(server.targets.last == "GET /api/v1/statuses/1050/context", "\(server.targets)")
    let gone = try server.run(
      "tw-stream", ["--once", "\(server.name):conversation:https://fosstodon.org/@bob/9"], home: home, token: "t0k")
    #expect(gone.status == 69 && gone.errors.contains("cannot fetch"), "\(gone.errors)")
    let anonymous = try server.run("tw-stream", ["--once", "\(server.name):conversation:\(Self.address)"], home: home)
    #expect(anonymous.status == 77, "\(anonymous.errors)")
  }
}
