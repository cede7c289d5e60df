import Foundation
import TestSupport
import Testing

/// Signing in to a server with Mastodon's API.
@Suite(.onOwnThread) struct MastodonSignInTests {
  private let home: TemporaryDirectory
  private let server: MastodonServer

  init() throws {
    home = try TemporaryDirectory()
    server = try MastodonServer()
  }

  private func run(_ tool: String, _ arguments: [String], stdin: ToolInput = "") throws -> ToolResult {
    try Tool.run(tool, arguments, stdin: stdin, home: home)
  }

  @Test func theKitRegistersItselfOnce() throws {
    let login = ["login", "--service", server.name, "--no-browser"]
    let first = try run("tw-auth", login, stdin: "c0de\n")
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.errors.contains(
        "\(server.server.base)/oauth/authorize?response_type=code&client_id=cid&redirect_uri=urn%3Aietf%3Awg%3Aoauth%3A2.0%3Aoob"
          + "&scope=read%20write&state="), "\(first.errors)")
    #expect(first.errors.contains("&code_challenge_method=S256"))
    let registration = server.server.requests.first { $0.target == "POST /api/v1/apps" }
    #expect(
      registration?.body
        == #"{"client_name":"tw","redirect_uris":"http://127.0.0.1:8080/callback\nurn:ietf:wg:oauth:2.0:oob","#
        + #""scopes":"read write","website":"https://github.com/tw-tools/tw"}"#)
    let token = server.server.requests.first { $0.target == "POST /oauth/token" }
    #expect(token?["Authorization"] == nil)
    #expect(
      token?.body.hasPrefix(
        "grant_type=authorization_code&code=c0de&redirect_uri=urn%3Aietf%3Awg%3Aoauth%3A2.0%3Aoob&code_verifier=")
        == true)
    #expect(token?.body.hasSuffix("&client_id=cid&client_secret=shh") == true)
    #expect(
      try run("tw-auth", ["list"]).output.hasPrefix("\(server.name)\tmaja\toauth2\t\(server.server.base)\tin use\t"))

    #expect(try run("tw-auth", login, stdin: "c0de\n").status == 0)
    #expect(server.targets.filter { $0 == "POST /api/v1/apps" }.count == 1)
    // What a registration was not made for needs another.
    #expect(try run("tw-auth", login + ["--scopes", "read"], stdin: "c0de\n").status == 0)
    #expect(server.targets.filter { $0 == "POST /api/v1/apps" }.count == 2)
  }

  /// The token is the account's, and goes to its server alone.
  @Test func theAccountReadsAndIsRevoked() throws {
    #expect(
      try run("tw-auth", ["login", "--service", server.name, "--no-browser"], stdin: "c0de\n").status == 0)
    let other = try MastodonServer()
    let read = try Tool.run("tw-stream", ["--once", "home"], environment: server.environment(), home: home)
    #expect(read.status == 0 && MastodonServer.ids(read).count == 40, "\(read.errors)")
    #expect(server.server.requests.last?["Authorization"] == "Bearer t0k")
    _ = try Tool.run("tw-stream", ["--once", "#tea"], environment: other.environment(), home: home)
    #expect(other.server.requests.allSatisfy { $0["Authorization"] == nil })
    let logout = try run("tw-auth", ["logout", "maja"])
    #expect(logout.status == 0, "\(logout.errors)")
    #expect(server.server.requests.last?.body == "token=t0k&client_id=cid&client_secret=shh")
    #expect(try run("tw-auth", ["list"]).output.isEmpty)
  }

  @Test func aNameThatIsNoServerIsRefused() throws {
    for name in ["mastodon", "mastodon:", "mastodon:HOST", "mastodon:a b.example", "mastodon:x.example/y"] {
      let result = try run("tw-auth", ["login", "--service", name])
      #expect(
        result.status == 64 && result.errors.contains("(x, local, mastodon:HOST, bluesky)"), "\(name): \(result.errors)"
      )
    }
  }
}
