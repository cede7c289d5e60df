import Foundation
import TestSupport
import Testing

/// A Python that has oauthlib.
private let oauthPython = PythonPackage.python(with: "oauthlib")

/// The tools against a server whose OAuth is oauthlib's: what only our own two sides agree on would fail here.
@Suite(.onOwnThread, .enabled(if: oauthPython != nil, "\(PythonPackage.comment)"))
struct IndependentOAuthTests {
  private let server: RunningTool
  private let base: String
  private let home: TemporaryDirectory

  init() throws {
    server = try RunningTool(oauthPython ?? "/bin/false", [Package.root + "/Tests/ToolTests/oauth-server.py"])
    base = "http://127.0.0.1:\(try server.line() ?? "")"
    home = try TemporaryDirectory()
    try home.write("secret", "the api&secret=é%\n")
  }

  private func login(_ words: [String]) throws -> RunningTool {
    try RunningTool(
      "tw-auth", ["login", "--endpoint", base, "--no-browser"] + words, environment: ["TW_SERVICE": "local"], home: home
    )
  }

  private func stream(_ source: String) throws -> ToolResult {
    try Tool.run("tw-stream", ["--once", source], environment: ["TW_SERVICE": "local"], home: home)
  }

  @Test func oauth1IsAccepted() throws {
    let tool = try login(["--method", "oauth1", "--client-id", "the-api-key", "--client-secret-file", "secret"])
    tool.send("1234567\n")
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed in to local as jack"), "\(result.errors)")
    // A query with all that must be encoded, and signed as it is encoded.
    let search = try stream("search:a+b c&d=e%20 \u{e9}\u{2603} \"~*'()!\"")
    #expect(search.ending == .status(0), "\(search.errors)")
    #expect(try stream("home").ending == .status(0))
    for expected in [
      "POST /oauth/request_token 200", "POST /oauth/access_token 200", "GET /2/tweets/search/recent 200",
      "GET /2/users/me 200",
    ] {
      #expect(try server.line() == expected)
    }
  }

  @Test func oauth2IsAccepted() throws {
    let tool = try login(["--client-id", "public", "--redirect-uri", "http://127.0.0.1:9/callback"])
    try tool.waitForErrors(containing: "allow it:\nhttp")
    let page = String(decoding: tool.stderr, as: UTF8.self).split(separator: "\n").dropFirst().first
    let answer = try Tool.run("/usr/bin/curl", ["-s", "-i", String(try #require(page))]).output
    let address = try #require(answer.firstMatch(of: /(?i)\r\nlocation: ([^\r]*)/))
    tool.send("\(address.1)\n")
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed in to local as jack"), "\(result.errors)")
    #expect(try stream("home").ending == .status(0))
    let tokens = ".local/state/tw/tokens/local:jack"
    let old = String(decoding: try home.read(tokens), as: UTF8.self)
    let expired = old.replacing(/"expires_at":"[^"]*"/, with: #""expires_at":"2020-01-01T00:00:00.000Z""#)
    chmod(try home.write(tokens, expired), 0o600)
    #expect(try stream("home").ending == .status(0), "it is renewed")
    #expect(String(decoding: try home.read(tokens), as: UTF8.self) != old)
    let logout = try Tool.run("tw-auth", ["logout"], environment: ["TW_SERVICE": "local"], home: home)
    #expect(logout.ending == .status(0), "\(logout.errors)")
  }
}
