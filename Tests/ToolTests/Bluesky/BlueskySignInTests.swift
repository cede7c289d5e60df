import Foundation
import Synchronization
import TestSupport
import Testing

/// Signing in to Bluesky by an app password, and tokens that are renewed.
@Suite(.onOwnThread) struct BlueskySignInTests {
  private let home: TemporaryDirectory
  private let server: FakePDS

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
  }

  private func run(_ tool: String, _ arguments: [String], stdin: ToolInput = "") throws -> ToolResult {
    try Tool.run(tool, arguments, stdin: stdin, environment: server.environment, home: home)
  }

  @Test func theAccountIsFoundAndKept() throws {
    let login = try server.signIn(home)
    #expect(login.status == 0, "\(login.errors)")
    #expect(
      server.server.targets == [
        "GET /xrpc/com.atproto.identity.resolveHandle?handle=alice.example", "GET /did:plc:alice",
        "POST /xrpc/com.atproto.server.createSession",
      ])
    #expect(try run("tw-auth", ["list"]).output.hasPrefix("bluesky\talice.example\tpassword\t\(server.base)\tin use\t"))
    #expect(try run("tw-auth", ["status"]).output.contains("account\tbluesky:alice.example\n"))
    #expect(try run("tw-auth", ["reach"]).output.hasPrefix(server.base + "\tok"))
    for file in [".config/tw/credentials.json", ".local/state/tw/tokens/bluesky:alice.example"] {
      let text = String(decoding: try home.read(file), as: UTF8.self)
      #expect(!text.contains(FakePDS.password) && !text.contains("a@b.example"))
    }
  }

  /// A name counts only where both sides say it.
  @Test func anAccountThatDoesNotNameTheHandleIsRefused() throws {
    server.state.withLock { $0.names = ["at://carol.example"] }
    let login = try server.signIn(home)
    #expect(
      login.status == 77 && login.errors.contains("does not say that 'alice.example' is its name"), "\(login.errors)")
    #expect(server.calls("com.atproto.server.createSession").isEmpty, "the password goes nowhere")
  }

  /// A directory, or who has taken its place, may answer with the document of somebody else.
  @Test(arguments: ["password", "oauth2"]) func theDocumentOfAnotherAccountIsRefused(_ method: String) throws {
    for id in ["did:plc:mallory", "did:plc:alic", "did:web:alice.example", ""] {
      server.state.withLock { ($0.documentID, $0.resource) = (id, #"{"authorization_servers":["\#(server.base)"]}"#) }
      try home.write("password", FakePDS.password + "\n")
      let login = try run(
        "tw-auth",
        ["login", "--service", "bluesky", "--endpoint", server.base, "--method", method, "--no-browser"]
          + (method == "password" ? ["--password-file", "password"] : []) + ["alice.example"])
      #expect(login.status == 69 && login.errors.contains("is that of another account"), "\(id): \(login.errors)")
    }
    #expect(server.server.targets.allSatisfy { $0.hasPrefix("GET /did:") || $0.contains("resolveHandle") })
  }

  /// An account that names an address of this network is refused without a connection; who has it here says so.
  @Test func aPrivateAddressIsNotAsked() throws {
    final class Count: Sendable { let value = Mutex(0) }
    let asked = Count()
    let listener = try LoopbackListener { descriptor in
      asked.value.withLock { $0 += 1 }
      close(descriptor)
    }
    try home.write("password", FakePDS.password + "\n")
    for name in ["did:web:127.0.0.1%3A\(listener.port)", "did:web:10.1.2.3", "did:web:localhost%3A\(listener.port)"] {
      let login = try Tool.run(
        "tw-auth",
        ["login", "--service", "bluesky", "--endpoint", server.base, "--password-file", "password", name],
        environment: ["TW_SERVICE": "bluesky"], home: home)
      #expect(login.status == 77 && login.errors.contains("is not a public address"), "\(name): \(login.errors)")
    }
    #expect(asked.value.withLock { $0 } == 0 && server.server.requests.isEmpty)
    let allowed = try Tool.run(
      "tw-auth",
      [
        "login", "--service", "bluesky", "--endpoint", server.base, "--password-file", "password",
        "did:web:127.0.0.1%3A\(listener.port)",
      ], environment: ["TW_SERVICE": "bluesky", "TW_ALLOW_PRIVATE": "127.0.0.1:\(listener.port)"], home: home)
    #expect(allowed.status == 69 || allowed.status == 75, "\(allowed.errors)")
    #expect(asked.value.withLock { $0 } > 0)
  }

  @Test func aWrongPasswordIsRefused() throws {
    try home.write("wrong", "xxxx-xxxx-xxxx-xxxx\n")
    let login = try run(
      "tw-auth",
      ["login", "--service", "bluesky", "--endpoint", server.base, "--password-file", "wrong", "alice.example"])
    #expect(login.status == 77 && login.errors.contains("Invalid identifier or password"), "\(login.errors)")
    #expect(!login.errors.contains("xxxx-xxxx"))
    let nobody = try run(
      "tw-auth", ["login", "--service", "bluesky", "--endpoint", server.base, "--password-file", "wrong", "no dot"])
    #expect(nobody.status == 64, "\(nobody.errors)")
  }

  /// A token that the server takes no more is renewed once, whoever needs it; the request is made again.
  @Test func anExpiredTokenIsRenewed() throws {
    #expect(try server.signIn(home).status == 0)
    server.state.withLock { $0.expired = 0 }
    let read = try run("tw-stream", ["--once", "search:tea"])
    #expect(read.status == 0 && read.output.contains("found"), "\(read.errors)")
    #expect(server.state.withLock(\.spent) == ["Bearer refresh-0"])
    let renewal = server.calls("com.atproto.server.refreshSession").first
    #expect(renewal?["Content-Type"] == nil && renewal?.body == "")
    let text = String(decoding: try home.read(".local/state/tw/tokens/bluesky:alice.example"), as: UTF8.self)
    #expect(text.contains("refresh-1"), "\(text)")
  }

  /// Twenty tools that start at once with an old token renew it once.
  @Test func manyToolsRenewOnce() throws {
    server.state.withLock { $0.lifetime = 60 }
    #expect(try server.signIn(home).status == 0)
    server.state.withLock { $0.refreshDelay = 0.2 }
    let tools = try (0..<20).map { _ in
      try RunningTool("tw-stream", ["--once", "search:tea"], environment: server.environment, home: home)
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(server.state.withLock(\.spent).count == 1)
  }

  /// The tool is killed while the token is renewed: the new one is stored all the same.
  @Test func aKilledToolLosesNoToken() throws {
    server.state.withLock { $0.lifetime = 60 }
    #expect(try server.signIn(home).status == 0)
    server.state.withLock { $0.refreshDelay = 0.5 }
    let tool = try RunningTool("tw-stream", ["--once", "search:tea"], environment: server.environment, home: home)
    try waitUntil { server.state.withLock { !$0.spent.isEmpty } }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    let again = try run("tw-stream", ["--once", "search:tea"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(server.state.withLock(\.spent).count == 1)
  }

  @Test func aRevokedSessionNeedsAPerson() throws {
    #expect(try server.signIn(home).status == 0)
    server.state.withLock { ($0.refresh, $0.refuses) = (3, true) }
    let read = try run("tw-stream", ["--once", "home"])
    #expect(
      read.status == 77 && read.errors.contains("Token has been revoked")
        && read.errors.contains("run 'tw-auth login' again"),
      "\(read.errors)")
  }

  @Test func aSignOutEndsTheSession() throws {
    #expect(try server.signIn(home).status == 0)
    let logout = try run("tw-auth", ["logout"])
    #expect(logout.status == 0, "\(logout.errors)")
    #expect(server.calls("com.atproto.server.deleteSession").first?["Authorization"] == "Bearer refresh-0")
    #expect(try run("tw-auth", ["list"]).output.isEmpty)
  }

  /// The token goes to the account's server alone.
  @Test func theTokenGoesNowhereElse() throws {
    #expect(try server.signIn(home).status == 0)
    let other = try FakePDS()
    _ = try Tool.run(
      "tw-stream", ["--once", "@bob.example"],
      environment: server.environment.merging(["TW_ENDPOINT": other.base]) { $1 }, home: home)
    #expect(!other.server.requests.isEmpty && other.server.requests.allSatisfy { $0["Authorization"] == nil })
  }

  @Test func whatIsTheAccountsIsRead() throws {
    #expect(try server.signIn(home).status == 0)
    for (source, method, text) in [
      ("home", "app.bsky.feed.getTimeline", "tea"), ("likes", "app.bsky.feed.getActorLikes", "tea"),
      ("mentions", "app.bsky.notification.listNotifications", "you there"),
      ("bookmarks", "app.bsky.bookmark.getBookmarks", "kept"), ("search:tea", "app.bsky.feed.searchPosts", "found"),
      ("#tea", "app.bsky.feed.searchPosts", "found"), ("list:tea", "app.bsky.feed.getListFeed", "listed"),
    ] {
      let script = "tw-stream --once --all '\(source)' | tw-parse"
      let read = try Tool.shell("set -o pipefail; \(script)", environment: server.environment, home: home)
      #expect(
        read.status == 0 && read.output.contains("\"text\":\"\(text)\""), "\(source): \(read.errors)\(read.output)")
      let call = server.calls(method).last
      #expect(call?["atproto-proxy"] == "did:web:api.bsky.app#bsky_appview" && call?["Authorization"] != nil)
    }
    #expect(server.calls("app.bsky.feed.getTimeline").last?.parameter("cursor") == "c1")
    #expect(server.calls("app.bsky.feed.getActorLikes").last?.decoded("actor") == FakePDS.did)
    for (source, name) in [("followers", "bob"), ("following", "eve")] {
      let read = try Tool.shell(
        "tw-stream --once --all \(source) | tw-parse --only user", environment: server.environment, home: home)
      #expect(read.output.contains("\"username\":\"\(name).example\"") && read.lines.count == 1, "\(read)")
    }
    #expect(server.calls("app.bsky.graph.getFollows").last?.decoded("actor") == FakePDS.did)
    let lists = try Tool.run("tw-auth", ["lists"], environment: server.environment, home: home)
    #expect(lists.output == "at://\(FakePDS.did)/app.bsky.graph.list/3curatelist\tTea\t2\town\n", "\(lists.errors)")
    let unknown = try Tool.run("tw-stream", ["--once", "list:coffee"], environment: server.environment, home: home)
    #expect(unknown.status == 69 && unknown.errors.contains("there is no list 'coffee': yours are 'Tea'"), "\(unknown)")
    let anonymous = try Tool.run(
      "tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "bluesky", "TW_ENDPOINT": server.base],
      home: TemporaryDirectory())
    #expect(
      anonymous.status == 77 && anonymous.errors.contains("tw-auth login --service bluesky"), "\(anonymous.errors)")
  }

  /// Inside tw-local one signs in there, and an account is named as the tools print it.
  @Test func insideTwLocalOneSignsInThere() throws {
    let home = try TemporaryDirectory()
    try home.write("pw", "tw-local\n")
    let script =
      "tw-auth login --service bluesky --password-file pw you.test && tw-auth status --account bluesky:you.test"
    let result = try Tool.run("tw-local", ["--demo", "--quiet", "--", "/bin/sh", "-c", script], home: home)
    #expect(result.status == 0 && result.output.contains("you.test"), "\(result.errors)")
  }
}
