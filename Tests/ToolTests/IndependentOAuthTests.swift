import Foundation
import TestSupport
import Testing

/// The tools against servers whose OAuth is not ours: what only our own two sides agree on would fail here.
@Suite(.onOwnThread(minutes: 10)) struct IndependentOAuthTests {
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    try home.write("secret", "the api&secret=é%\n")
    try home.write("client-secret", "a+secret&with=%:é\n")
  }

  /// A running server, and its address.
  private struct Server {
    let tool: RunningTool
    let base: String

    init(_ script: String, _ options: [String] = []) throws {
      let python = try PythonPackage.needed("authlib", "oauthlib")
      tool = try RunningTool(python, ["\(Package.root)/Tests/ToolTests/\(script)"] + options)
      base = "http://127.0.0.1:\(try #require(try tool.line()))"
    }

    /// Requires that the next requests were these, in order.
    func expect(_ lines: String...) throws {
      for line in lines { #expect(try tool.line() == line) }
    }
  }

  private func login(_ server: Server, _ words: [String]) throws -> RunningTool {
    try RunningTool(
      "tw-auth", ["login", "--endpoint", server.base] + words, environment: ["TW_SERVICE": "local"], home: home)
  }

  private func auth(_ words: [String]) throws -> ToolResult {
    try Tool.run("tw-auth", words, environment: ["TW_SERVICE": "local"], home: home)
  }

  private func stream(_ source: String) throws -> ToolResult {
    try Tool.run("tw-stream", ["--once", source], environment: ["TW_SERVICE": "local"], home: home)
  }

  // MARK: OAuth 1.0a, by oauthlib

  private let signing = [
    "--no-browser", "--method", "oauth1", "--client-id", "the-api-key", "--client-secret-file", "secret",
  ]

  @Test func oauth1IsAccepted() throws {
    let server = try Server("oauth1-server.py")
    let tool = try login(server, signing)
    tool.send("1234567\n")
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed in to local as jack"), "\(result.errors)")
    // A query with all that must be encoded, and signed as it is encoded.
    let search = try stream("search:a+b c&d=e%20 \u{e9}\u{2603} \"~*'()!\"")
    #expect(search.ending == .status(0), "\(search.errors)")
    #expect(try stream("home").ending == .status(0))
    try server.expect(
      "POST /oauth/request_token 200", "POST /oauth/access_token 200", "GET /2/tweets/search/recent 200",
      "GET /2/users/12/timelines/reverse_chronological 200")
  }

  @Test func aWrongPINIsRefused() throws {
    let server = try Server("oauth1-server.py")
    let tool = try login(server, signing)
    tool.send("7654321\n")
    let result = try tool.finish()
    #expect(result.ending == .status(77) && result.errors.contains("does not accept the PIN"), "\(result.errors)")
    try server.expect("POST /oauth/request_token 200", "POST /oauth/access_token 401")
  }

  /// What the two clocks differ by is all that counts: that of the tools is wrong where the service's is right.
  @Test(arguments: [(-310, "5 min ahead of"), (310, "5 min behind")])
  func aClockFiveMinutesOffIsNamed(_ seconds: Int, _ text: String) throws {
    let server = try Server("oauth1-server.py", ["--clock", String(seconds)])
    let result = try login(server, signing).finish()
    #expect(result.ending == .status(77), "\(result.errors)")
    #expect(result.errors.contains("the clock of this machine is \(text) the service's: set it"), "\(result.errors)")
    try server.expect("POST /oauth/request_token 401")
    // And of an account that was signed in while the clock was right.
    let account =
      #"{"accounts":[{"service":"local","name":"jack","base":"\#(server.base)","method":"oauth1","id":"12","#
      + #""client_id":"the-api-key","client_secret":"the api&secret=é%","token":"user-token","#
      + #""token_secret":"token+secret/="}]}"#
    chmod(try home.write(".config/tw/credentials.json", account), 0o600)
    let stream = try stream("home")
    #expect(stream.ending == .status(77) && stream.errors.contains("\(text) the service's"), "\(stream.errors)")
    // A minute does not matter.
    let near = try Server("oauth1-server.py", ["--clock", String(seconds / 5)])
    try home.write(".config/tw/credentials.json", account.replacing(server.base, with: near.base))
    #expect(try self.stream("home").ending == .status(0))
  }

  // MARK: OAuth 2.0, by Authlib

  private static let tokens = ".local/state/tw/tokens/local:jack"

  private func stored() throws -> String { String(decoding: try home.read(Self.tokens), as: UTF8.self) }

  /// The stored refresh token.
  private func refreshToken() throws -> String {
    try String(#require(stored().firstMatch(of: /"refresh_token":"([^"]+)"/)).1)
  }

  /// Makes the stored token one that expired long ago.
  private func expire() throws {
    let text = try stored().replacing(/"expires_at":"[^"]*"/, with: #""expires_at":"2020-01-01T00:00:00.000Z""#)
    chmod(try home.write(Self.tokens, text), 0o600)
  }

  /// An address at a port that is free.
  private func redirect() throws -> String {
    let server = try LoopbackListener { close($0) }
    return "http://127.0.0.1:\(server.port)/callback"
  }

  /// The page that a login shows, once it waits.
  private func page(_ tool: RunningTool) throws -> String {
    try tool.waitForErrors(containing: "allow it:\nhttp")
    var page = ""
    try waitUntil {
      // Reads what has come.
      tool.send("")
      page = String(decoding: tool.stderr, as: UTF8.self).firstMatch(of: /(http[^\n]*)\n/).map { String($0.1) } ?? ""
      return !page.isEmpty
    }
    return page
  }

  /// The address that the page of a login leads to.
  private func answer(_ page: String) throws -> String {
    let head = try Tool.run("/usr/bin/curl", ["-s", "-i", page]).output
    return try String(#require(head.firstMatch(of: /(?i)\r\nlocation: ([^\r]*)/)).1)
  }

  private func code(in address: String) throws -> String {
    try String(#require(address.firstMatch(of: /code=([^&]*)/)).1)
  }

  /// Signs in by pasting.
  private func pastedLogin(_ server: Server, _ words: [String] = []) throws -> RunningTool {
    try login(server, ["--no-browser", "--client-id", "public"] + words)
  }

  private func signIn(_ server: Server) throws {
    let tool = try pastedLogin(server)
    tool.send("\(try answer(page(tool)))\n")
    let result = try tool.finish()
    try #require(result.ending == .status(0), "\(result.errors)")
    try server.expect("GET /i/oauth2/authorize 302", "POST /2/oauth2/token 200", "GET /2/users/me 200")
  }

  private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  @Test(
    .enabled(if: hasCurl, "needs curl"),
    arguments: [["--client-id", "public"], ["--client-id", "confidential", "--client-secret-file", "client-secret"]])
  func oauth2FromTheFirstToTheLast(_ client: [String]) throws {
    let server = try Server("oauth2-server.py")
    let tool = try login(server, client + ["--redirect-uri", redirect()])
    // The browser is sent to the tool, and shows its page.
    let shown = try Tool.run("/usr/bin/curl", ["-s", "-L", page(tool)]).output
    #expect(shown.contains("<h1>You are signed in</h1>"))
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed in to local as jack"), "\(result.errors)")
    try server.expect("GET /i/oauth2/authorize 302", "POST /2/oauth2/token 200", "GET /2/users/me 200")
    let first = try refreshToken()
    #expect(try stream("home").ending == .status(0))
    try server.expect("GET /2/users/12/timelines/reverse_chronological 200")
    // Renewed, and the refresh token with it.
    for _ in 0..<2 {
      let old = try refreshToken()
      try expire()
      #expect(try stream("home").ending == .status(0))
      try server.expect("POST /2/oauth2/token 200", "GET /2/users/12/timelines/reverse_chronological 200")
      #expect(try refreshToken() != old && first != refreshToken())
    }
    let token = try auth(["token"]).lines[0]
    #expect(try auth(["logout"]).ending == .status(0))
    try server.expect("POST /2/oauth2/revoke 200", "POST /2/oauth2/revoke 200")
    let revoked = try Tool.run(
      "tw-stream", ["--once", "home"],
      environment: ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": token])
    #expect(revoked.ending == .status(77), "\(revoked.errors)")
  }

  /// The server ends a sign-in whose refresh token comes twice, as RFC 9700 advises.
  @Test(.enabled(if: hasCurl, "needs curl")) func oauth2ToolsAtOnceSpendOneRefreshToken() throws {
    let server = try Server("oauth2-server.py")
    try signIn(server)
    for _ in 0..<3 {
      try expire()
      let tools = try (0..<4).map { _ in
        try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home)
      }
      for tool in tools {
        let result = try tool.finish()
        #expect(result.ending == .status(0), "\(result.errors)")
      }
      let lines = try (0..<5).map { _ in try server.tool.line() ?? "" }
      #expect(lines.count { $0 == "POST /2/oauth2/token 200" } == 1, "\(lines)")
    }
  }

  @Test(.enabled(if: hasCurl, "needs curl")) func oauth2RefusesAnotherState() throws {
    let server = try Server("oauth2-server.py")
    let tool = try pastedLogin(server)
    let address = try answer(page(tool)).replacing(/state=[^&]*/, with: "state=another")
    tool.send("\(address)\n")
    let result = try tool.finish()
    #expect(result.ending == .status(77) && result.errors.contains("another state"), "\(result.errors)")
    // The code was not spent on it.
    try server.expect("GET /i/oauth2/authorize 302")
    #expect(!home.exists(Self.tokens))
  }

  /// A code that somebody else got, or got before: the server asks for the verifier of the sign-in that it was made
  /// for.
  @Test(.enabled(if: hasCurl, "needs curl")) func oauth2RefusesAnotherVerifierAndASecondUse() throws {
    let server = try Server("oauth2-server.py")
    let (one, other) = (try pastedLogin(server), try pastedLogin(server))
    let code = try code(in: answer(page(one)))
    other.send("\(code)\n")
    let refused = try other.finish()
    #expect(refused.ending == .status(77) && refused.errors.contains("Code challenge failed"), "\(refused.errors)")
    one.send("\(code)\n")
    #expect(try one.finish().ending == .status(0))
    try server.expect(
      "GET /i/oauth2/authorize 302", "POST /2/oauth2/token 400 invalid_grant Code challenge failed.",
      "POST /2/oauth2/token 200", "GET /2/users/me 200")
    let again = try pastedLogin(server)
    again.send("\(code)\n")
    let used = try again.finish()
    #expect(used.ending == .status(77) && used.errors.contains("a code works once"), "\(used.errors)")
    try server.expect("POST /2/oauth2/token 400 invalid_grant Invalid 'code' in request.")
    for result in [refused, used] { #expect(!result.errors.contains(code)) }
  }

  @Test(.enabled(if: hasCurl, "needs curl")) func oauth2RefusesAnExpiredCode() throws {
    let server = try Server("oauth2-server.py", ["--code-life", "0"])
    let tool = try pastedLogin(server)
    tool.send("\(try answer(page(tool)))\n")
    let result = try tool.finish()
    #expect(result.ending == .status(77) && result.errors.contains("for 30 seconds"), "\(result.errors)")
    #expect(!home.exists(Self.tokens) && !home.exists(".config/tw/credentials.json"))
  }

  @Test(.enabled(if: hasCurl, "needs curl")) func oauth2RefusesAWrongClientSecretAndScope() throws {
    let server = try Server("oauth2-server.py")
    let tool = try login(
      server, ["--no-browser", "--client-id", "confidential", "--client-secret-file", "secret"])
    tool.send("\(try answer(page(tool)))\n")
    let result = try tool.finish()
    #expect(result.ending == .status(77), "\(result.errors)")
    #expect(result.errors.contains("are the client id and its secret right?"), "\(result.errors)")
    let scoped = try pastedLogin(server, ["--scopes", "tweet.read everything"])
    scoped.send("\(try answer(page(scoped)))\n")
    let refused = try scoped.finish()
    #expect(refused.ending == .status(77) && refused.errors.contains("invalid_scope"), "\(refused.errors)")
  }
}
