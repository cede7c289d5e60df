import Foundation
import Synchronization
import TestSupport
import Testing

/// Signing in to Bluesky by OAuth, and what an account of that does, against servers that check each proof.
@Suite(.onOwnThread) struct BlueskyOAuthTests {
  private let home: TemporaryDirectory
  private let server: FakePDS
  private let signing: FakeAuthorization

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
    let signing = try FakeAuthorization()
    self.signing = signing
    server.authorization.withLock { $0 = signing }
    server.state.withLock { [base = server.base] in
      $0.resource = #"{"resource":"\#(base)","authorization_servers":["\#(signing.base)"]}"#
    }
  }

  private static let tokens = ".local/state/tw/tokens/bluesky:alice.example"

  private func run(_ tool: String, _ arguments: [String], _ more: [String: String] = [:]) throws -> ToolResult {
    try Tool.run(tool, arguments, environment: server.environment.merging(more) { $1 }, home: home)
  }

  private func login(_ words: [String] = ["--no-browser"], _ more: [String: String] = [:]) throws -> RunningTool {
    try RunningTool(
      "tw-auth",
      ["login", "--service", "bluesky", "--endpoint", server.base, "--method", "oauth2"] + words + ["alice.example"],
      environment: server.environment.merging(more) { $1 }, home: home)
  }

  /// The page that a login shows, once it waits.
  private func page(_ tool: RunningTool) throws -> String {
    var page = ""
    try waitUntil {
      tool.send("")
      page = String(decoding: tool.stderr, as: UTF8.self).firstMatch(of: /\n(http[^\n]*)\n/).map { String($0.1) } ?? ""
      return !page.isEmpty
    }
    return page
  }

  /// Signs in, and pastes the address that the browser ends at.
  @discardableResult private func signIn(
    _ words: [String] = [], changed: (String) -> String = { $0 }
  ) throws -> ToolResult {
    let tool = try login(["--no-browser"] + words)
    tool.send("\(changed(try signing.allow(page(tool))))\n")
    return try tool.finish()
  }

  private func stored() throws -> String { String(decoding: try home.read(Self.tokens), as: UTF8.self) }

  /// Makes the stored token one that expired long ago.
  private func expire() throws {
    let text = try stored().replacing(/"expires_at":"[^"]*"/, with: #""expires_at":"2020-01-01T00:00:00.000Z""#)
    chmod(try home.write(Self.tokens, text), 0o600)
  }

  private func requests(_ path: String) -> [LoopbackServer.Request] {
    signing.server.requests.filter { $0.path == path }
  }
  private var faults: [String] { signing.state.withLock(\.faults) }
  private func asked(_ base: String) -> Int { signing.state.withLock { $0.asked[base] ?? 0 } }

  // MARK: Signing in

  @Test func theAccountIsFoundAndKept() throws {
    let login = try signIn()
    try #require(login.status == 0, "\(login.errors)")
    #expect(login.errors.contains("signed in to bluesky as alice.example"))
    let end = Date(timeIntervalSinceNow: 14 * 86_400).ISO8601Format().prefix(10)
    #expect(
      login.errors.contains("this sign-in ends on \(end)") && login.errors.contains("an app password does not end"))
    #expect(
      server.server.targets == [
        "GET /xrpc/com.atproto.identity.resolveHandle?handle=alice.example", "GET /did:plc:alice",
        "GET /.well-known/oauth-protected-resource",
      ])
    #expect(
      signing.server.targets == [
        "GET /.well-known/oauth-authorization-server", "POST /oauth/par", "POST /oauth/par", "POST /oauth/token",
      ], "a nonce is asked for once, and then known")
    #expect(faults == [])
    let list = try run("tw-auth", ["list"]).output
    #expect(
      list.hasPrefix("bluesky\talice.example\toauth2\t\(server.base)\tin use\texpiring\t\(end)T"), "\(list)")
    let status = try run("tw-auth", ["status"])
    #expect(
      status.output.contains("account\tbluesky:alice.example\n") && status.output.contains("ends\t\(end)T")
        && status.output.contains("accepts it, as alice.example"), "\(status)")
    #expect(status.errors.isEmpty && faults == [])
    // The key is as the tokens are.
    for file in [Self.tokens, ".config/tw/credentials.json"] {
      var mode = stat()
      #expect(stat(home.path + "/" + file, &mode) == 0 && mode.st_mode & 0o777 == 0o600)
    }
    let settings = String(decoding: try home.read(".config/tw/credentials.json"), as: UTF8.self)
    #expect(!settings.contains("tok-0") && !settings.contains("ref-0"))
    let token = try run("tw-auth", ["token"])
    #expect(token.status == 64 && token.errors.contains("no token that works alone") && token.output.isEmpty)
  }

  /// The scopes are what the kit uses: each method that a request names, and no more.
  @Test func theScopesAreWhatTheKitUses() throws {
    try signIn()
    let scope = signing.state.withLock(\.scope)
    #expect(
      scope.hasPrefix("atproto ") && !scope.contains("transition:") && !scope.contains("=*") && !scope.contains(":*"))
    let folder = "\(Package.root)/Sources/ServiceClients/Bluesky"
    var used: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "BlueskyScopes.swift" {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      let kinds = #/"(app\.bsky\.[a-z]+\.(get|search|list|create|delete|put|update|mute|unmute)[A-Za-z0-9]*)"/#
      for match in text.matches(of: kinds) { used.insert(String(match.1)) }
    }
    let granted = Set(scope.matches(of: /lxm=([A-Za-z.0-9]+)/).map { String($0.1) })
    let records = Set(scope.matches(of: /collection=([A-Za-z.]+)/).map { String($0.1) })
    #expect(
      records == [
        "app.bsky.feed.post", "app.bsky.feed.like", "app.bsky.feed.repost", "app.bsky.graph.follow",
        "app.bsky.feed.threadgate", "app.bsky.feed.postgate",
      ])
    #expect(used == granted, "BlueskyScopes has each method of app.bsky, and only those")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "needs curl"))
  func theBrowserComesBack() throws {
    let port = try LoopbackListener { close($0) }.port
    let tool = try login(["--redirect-uri", "http://127.0.0.1:\(port)/back"])
    let address = try signing.allow(page(tool))
    #expect(address.hasPrefix("http://127.0.0.1:\(port)/back?"))
    // A page that is another sign-in's answer does not end it.
    let foreign = try Tool.run("/usr/bin/curl", ["-s", address.replacing(/state=[^&]*/, with: "state=x")])
    #expect(foreign.output.contains("not the sign-in that waits"))
    let shown = try Tool.run("/usr/bin/curl", ["-s", address])
    #expect(shown.output.contains("You are signed in"))
    let result = try tool.finish()
    #expect(result.status == 0 && faults == [], "\(result.errors) \(faults)")
  }

  /// Who answers is checked as well as what: a code of another server goes nowhere.
  @Test func aWrongAnswerOfTheBrowserIsRefused() throws {
    for (changed, text) in [
      ({ $0.replacing(/iss=[^&]*/, with: "iss=https%3A%2F%2Fevil.example") }, "but from https://evil.example"),
      ({ $0.replacing(/iss=[^&]*&/, with: "") }, "but from nobody"),
      ({ $0.replacing(/state=[^&]*/, with: "state=another") }, "another state"),
      ({ String($0.firstMatch(of: /code=([^&]*)/)!.1) }, "paste the whole address"),
      ({ $0.replacing(/code=.*/, with: "error=access_denied") }, "you did not allow it"),
    ] as [((String) -> String, String)] {
      let login = try signIn(changed: changed)
      #expect(login.status == 77 && login.errors.contains(text), "\(text): \(login.errors)")
    }
    #expect(requests("/oauth/token").isEmpty && !home.exists(Self.tokens))
  }

  /// The tokens must be those of the account that was asked for, and bound to the key.
  @Test func aWrongAnswerOfTheServerIsRefused() throws {
    for (change, text) in [
      ({ $0.subject = "did:plc:mallory" }, "answers for did:plc:mallory, and not for did:plc:alice"),
      ({ $0.tokenType = "Bearer" }, "gives no token for the code"),
      ({ $0.granted = "transition:generic" }, "allowed nothing"),
      ({ $0.answersAs = "https://evil.example" }, "but from https://evil.example"),
    ] as [((inout FakeAuthorization.State) -> Void, String)] {
      signing.state.withLock { ($0.subject, $0.tokenType, $0.granted, $0.answersAs) = (FakePDS.did, "DPoP", nil, nil) }
      signing.state.withLock { change(&$0) }
      let login = try signIn()
      #expect(login.status == 77 && login.errors.contains(text), "\(text): \(login.errors)")
      #expect(!home.exists(Self.tokens) && !home.exists(".config/tw/credentials.json"))
    }
  }

  /// What was not allowed is said, and is an error where it is needed.
  @Test func lessThanWasAskedForIsSaid() throws {
    signing.state.withLock { $0.granted = "atproto blob?accept=image/*&accept=video/*" }
    let login = try signIn()
    #expect(login.status == 0 && login.errors.contains("not allowed, so that some commands will not work: repo?"))
    let post = try run("tw-post", ["tea time"])
    #expect(post.status == 77 && post.errors.contains("ScopeMissingError"), "\(post.errors)")
  }

  /// Where to sign in is what servers say that need not be honest.
  @Test func aWrongDocumentIsRefused() throws {
    let (other, base) = (try FakeAuthorization(), server.base)
    func resource(_ text: String) { server.state.withLock { $0.resource = text } }
    let right = server.state.withLock { $0.resource ?? "" }
    for wrong in [
      "{}", "[]", #"{"authorization_servers":[]}"#, #"{"authorization_servers":["\#(signing.base)","\#(other.base)"]}"#,
      #"{"authorization_servers":["\#(signing.base)/path"]}"#, #"{"authorization_servers":["http://bsky.example"]}"#,
      #"{"authorization_servers":["https://user:secret@bsky.example"]}"#,
      #"{"resource":"https://other.example","authorization_servers":["\#(signing.base)"]}"#,
      #"{"x":"\#(String(repeating: "x", count: 2 << 20))","authorization_servers":["\#(signing.base)"]}"#,
    ] {
      resource(wrong)
      let result = try login().finish()
      #expect([69, 77].contains(result.status), "\(wrong.prefix(99)): \(result.errors)")
    }
    #expect(signing.server.requests.isEmpty && other.server.requests.isEmpty)
    resource(right)
    for (name, value) in [
      ("issuer", "\"\(other.base)\""), ("issuer", ""), ("issuer", "\"\(signing.base)/\""),
      ("token_endpoint", "\"\(other.base)/oauth/token\""), ("token_endpoint", "\"http://evil.example/token\""),
      ("pushed_authorization_request_endpoint", ""), ("authorization_endpoint", "\"javascript:alert(1)\""),
      ("revocation_endpoint", "\"\(other.base)/oauth/revoke\""), ("scopes_supported", #"["openid"]"#),
      ("dpop_signing_alg_values_supported", #"["RS256"]"#), ("code_challenge_methods_supported", #"["plain"]"#),
      ("client_id_metadata_document_supported", "false"), ("x", "\"\(String(repeating: "x", count: 2 << 20))\""),
    ] {
      signing.state.withLock { $0.metadata = [name: value] }
      let result = try login().finish()
      #expect([69, 77].contains(result.status), "\(name) \(value.prefix(99)): \(result.errors)")
    }
    #expect(requests("/oauth/par").isEmpty && other.server.requests.isEmpty)
    #expect(!home.exists(Self.tokens) && base == server.base)
  }

  /// Documents of the network name no servers of this machine or of its network.
  @Test func aPrivateAddressIsNotAsked() throws {
    // The directory is not on this machine by its name, so it counts as the network's.
    for place in [
      server.base, "https://127.0.0.1:1", "https://10.0.0.1", "http://bsky.example", "https://[::1]", "file:///x",
    ] {
      server.state.withLock { $0.place = place }
      let count = server.server.requests.count
      let tool = try RunningTool(
        "tw-auth", ["login", "--service", "bluesky", "--endpoint", server.base, "--method", "oauth2", "alice.example"],
        environment: ["TW_DIRECTORY_BLUESKY": "https://directory.invalid"], home: home)
      let result = try tool.finish()
      #expect([69, 75, 77].contains(result.status), "\(place): \(result.errors)")
      #expect(server.server.requests.count == count + 1, "only the handle was asked for")
    }
    let redirect = try login(["--redirect-uri", "http://localhost:8080/callback"]).finish()
    #expect(redirect.status == 64 && redirect.errors.contains("http://127.0.0.1"), "\(redirect.errors)")
  }

  // MARK: What an account does

  @Test func theAccountReads() throws {
    try #require(try signIn().status == 0)
    for (source, text) in [
      ("home", "tea"), ("likes", "tea"), ("mentions", "you there"), ("bookmarks", "kept"), ("search:tea", "found"),
      ("#tea", "found"), ("list:tea", "listed"),
    ] {
      let read = try Tool.shell(
        "set -o pipefail; tw-stream --once --all '\(source)' | tw-parse", environment: server.environment, home: home)
      #expect(read.status == 0 && read.output.contains("\"text\":\"\(text)\""), "\(source): \(read.errors)")
    }
    for source in ["followers", "following", "notifications"] {
      #expect(try run("tw-stream", ["--once", source]).status == 0)
    }
    #expect(try run("tw-auth", ["lists"]).output.contains("Tea"))
    #expect(faults == [], "each proof is for its request")
  }

  @Test func theAccountWrites() throws {
    try #require(try signIn().status == 0)
    try home.write("a.png", PictureSample.png(width: 30, height: 20))
    let bob = "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22"
    for arguments in [
      ["tea with @bob.example"], ["reply", bob, "yes"], ["--media", "a.png", "--alt", "A", "see"], ["like", bob],
      ["retweet", bob], ["bookmark", bob], ["unbookmark", bob], ["follow", "bob.example"], ["--yes", "undo"],
    ] {
      let result = try run("tw-post", arguments)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    #expect(faults == [])
  }

  /// A post whose proof lacked the nonce is not a second attempt: it waits for nobody, and is there once.
  @Test func aPostThatLacksTheNonceIsSentAgainAtOnce() throws {
    try #require(try signIn().status == 0)
    signing.state.withLock { $0.changesNonces = true }
    let post = try run("tw-post", ["tea time"])
    #expect(post.status == 0 && post.errors.isEmpty, "\(post.errors)")
    #expect(server.records().count == 1 && server.state.withLock(\.puts).count == 1)
    #expect(try run("tw-post", ["outbox"]).output.isEmpty)
    // Each answer brings the nonce of the next request: only the first request of a tool lacks it.
    #expect(asked(server.base) == 1 && faults == [])
    #expect(server.server.requests.count { $0["DPoP"] != nil } > 2)
  }

  /// A server may change its nonce at any time.
  @Test func aNonceMayChangeInTheMiddle() throws {
    try #require(try signIn().status == 0)
    let tool = try RunningTool(
      "tw-stream", ["--every", "200ms", "home"], environment: server.environment, home: home)
    for round in 1...3 {
      try waitUntil { server.calls("app.bsky.feed.getTimeline").count >= 3 * round }
      signing.state.withLock { $0.nonces = [:] }
    }
    try waitUntil { asked(server.base) >= 3 }
    let count = server.calls("app.bsky.feed.getTimeline").count
    try waitUntil { server.calls("app.bsky.feed.getTimeline").count > count + 2 }
    tool.signal(SIGTERM)
    let result = try tool.finish()
    #expect(result.errors.isEmpty && faults == [], "\(result.errors)")
  }

  /// Proofs have the time of the server, whatever this machine's clock says.
  @Test(arguments: [-300, 300], [false, true]) func aClockFiveMinutesOff(_ seconds: Int, _ looksFirst: Bool) throws {
    signing.state.withLock { ($0.clock, $0.looksAtTimeFirst) = (seconds, looksFirst) }
    let login = try signIn()
    try #require(login.status == 0, "\(login.errors)")
    let post = try run("tw-post", ["tea time"])
    #expect(post.status == 0, "\(post.errors)")
    let read = try run("tw-stream", ["--once", "home"])
    #expect(read.status == 0 && faults == [], "\(read.errors)")
  }

  // MARK: Renewal

  /// An access token that the server takes no more is renewed, also where the nonce is lacking too.
  @Test func anExpiredTokenIsRenewed() throws {
    try #require(try signIn().status == 0)
    let key = try #require(stored().firstMatch(of: /"key":"([^"]*)"/)).1
    signing.state.withLock { ($0.isExpired, $0.nonces) = (true, [:]) }
    let read = try run("tw-stream", ["--once", "home"])
    #expect(read.status == 0 && read.output.contains("tea"), "\(read.errors)")
    #expect(signing.state.withLock(\.spent) == ["ref-0"] && faults == [])
    try expire()
    #expect(try run("tw-post", ["tea time"]).status == 0)
    #expect(signing.state.withLock(\.spent) == ["ref-0", "ref-1"] && faults == [])
    let text = try stored()
    #expect(text.contains("tok-2") && text.contains("ref-2") && text.contains(key) && text.contains("sign_in_ends_at"))
  }

  @Test func manyToolsRenewOnce() throws {
    try #require(try signIn().status == 0)
    try expire()
    signing.state.withLock { $0.refreshDelay = 0.2 }
    let tools = try (0..<20).map { _ in
      try RunningTool("tw-stream", ["--once", "search:tea"], environment: server.environment, home: home)
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(signing.state.withLock(\.spent) == ["ref-0"] && faults == [])
  }

  @Test func aKilledToolLosesNoToken() throws {
    try #require(try signIn().status == 0)
    try expire()
    signing.state.withLock { $0.refreshDelay = 0.5 }
    let tool = try RunningTool("tw-stream", ["--once", "search:tea"], environment: server.environment, home: home)
    try waitUntil { signing.state.withLock { !$0.spent.isEmpty } }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    let again = try run("tw-stream", ["--once", "search:tea"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(signing.state.withLock(\.spent) == ["ref-0"])
  }

  /// New tokens of somebody else are not taken.
  @Test func aRenewalForAnotherAccountIsRefused() throws {
    try #require(try signIn().status == 0)
    try expire()
    signing.state.withLock { $0.subject = "did:plc:mallory" }
    let read = try run("tw-stream", ["--once", "home"])
    #expect(read.status == 77 && read.errors.contains("no token of this account"), "\(read.errors)")
    #expect(try !stored().contains("tok-1"))
  }

  /// A refresh token that comes again ends the session, and so does its time: the person is told which.
  @Test func anEndedSessionNeedsAPerson() throws {
    try #require(try signIn().status == 0)
    let old = try stored()
    try expire()
    #expect(try run("tw-stream", ["--once", "home"]).status == 0)
    chmod(try home.write(Self.tokens, old), 0o600)
    try expire()
    let replayed = try run("tw-stream", ["--once", "home"])
    #expect(
      replayed.status == 77 && replayed.errors.contains("Refresh token replayed")
        && replayed.errors.contains("run 'tw-auth login' again"), "\(replayed.errors)")
    let text = try stored().replacing(
      /"sign_in_ends_at":"[^"]*"/, with: #""sign_in_ends_at":"2026-01-02T00:00:00.000Z""#)
    chmod(try home.write(Self.tokens, text), 0o600)
    let ended = try run("tw-stream", ["--once", "home"])
    #expect(ended.status == 77 && ended.errors.contains("the sign-in ended on 2026-01-02"), "\(ended.errors)")
    #expect(try run("tw-auth", ["list"]).output.contains("\texpired\t2026-01-02"))
  }

  @Test func theEndIsSaidBefore() throws {
    try #require(try signIn().status == 0)
    let end = Date(timeIntervalSinceNow: 2 * 86_400).ISO8601Format()
    let text = try stored().replacing(/"sign_in_ends_at":"[^"]*"/, with: "\"sign_in_ends_at\":\"\(end)\"")
    chmod(try home.write(Self.tokens, text), 0o600)
    let status = try run("tw-auth", ["status"])
    #expect(status.status == 0 && status.errors.contains("the sign-in ends on \(end.prefix(10))"), "\(status.errors)")
    let doctor = try run("tw", ["doctor", "--offline"])
    #expect(doctor.output.contains("the token of bluesky:alice.example expires on \(end.prefix(10))"), "\(doctor)")
  }

  @Test func aSignOutRevokes() throws {
    try #require(try signIn().status == 0)
    let logout = try run("tw-auth", ["logout"])
    #expect(logout.status == 0, "\(logout.errors)")
    #expect(signing.state.withLock(\.revoked) == ["ref-0", "tok-0"] && faults == [])
    #expect(!home.exists(Self.tokens))
  }

  // MARK: Where tokens go

  /// Two accounts at one server, each by its own way; and another server gets nothing of them.
  @Test func twoAccountsKeepApart() throws {
    try #require(try server.signIn(home).status == 0)
    try #require(try signIn(["--account", "oauth"]).status == 0)
    for request in server.server.requests { #expect(request["DPoP"] == nil) }
    let both = ["alice.example", "oauth"]
    for name in both {
      let read = try run("tw-stream", ["--once", "--account", name, "home"])
      #expect(read.status == 0 && read.output.contains("tea"), "\(read.errors)")
      let post = try run("tw-post", ["--account", name, "by \(name)"])
      #expect(post.status == 0, "\(post.errors)")
    }
    let timeline = server.calls("app.bsky.feed.getTimeline").filter { $0["Authorization"] != nil }
    #expect(timeline.first?["Authorization"]?.hasPrefix("Bearer ") == true && timeline.first?["DPoP"] == nil)
    #expect(timeline.last?["Authorization"] == "DPoP tok-0" && timeline.last?["DPoP"] != nil)
    #expect(server.records().count == 2 && faults == [])
    let other = try FakePDS()
    _ = try run("tw-stream", ["--once", "@bob.example"], ["TW_ENDPOINT": other.base])
    #expect(!other.server.requests.isEmpty)
    #expect(other.server.requests.allSatisfy { $0["Authorization"] == nil && $0["DPoP"] == nil })
  }

  /// Another library of JWT reads each proof as the server did.
  @Test func theProofsAreJudged() throws {
    let python = try PythonPackage.needed("jwt", "cryptography")
    try #require(try signIn().status == 0)
    try expire()
    #expect(try run("tw-post", ["tea time"]).status == 0)
    #expect(try run("tw-stream", ["--once", "search:tea é"]).status == 0)
    #expect(try run("tw-auth", ["logout"]).status == 0)
    let proofs = signing.state.withLock(\.proofs)
    let lines = try proofs.map { proof in
      let object: [String: String] = [
        "jwt": proof.jwt, "method": proof.method, "url": proof.url, "token": proof.token ?? "",
      ]
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    let judge = "\(Package.root)/Tests/ToolTests/dpop-judge.py"
    let verdict = try Tool.run(python, [judge], stdin: ToolInput(lines.joined(separator: "\n")))
    #expect(verdict.status == 0 && verdict.output == "\(proofs.count) proofs of 1 key\n", "\(verdict)")
    #expect(proofs.count > 10)
    let forged = lines[0].replacing("eyJ0eXAi", with: "eyJ0eXBi")
    let refused = try Tool.run(python, [judge], stdin: ToolInput(forged))
    #expect(refused.status != 0, "the judge judges")
  }
}
