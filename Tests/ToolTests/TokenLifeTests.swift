import Foundation
import TestSupport
import Testing

/// Tokens that end, are renewed and are revoked while pipelines run, and accounts that may not do everything, through
/// the binaries.
@Suite(.onOwnThread) struct TokenLifeTests {
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    try home.write("password", "correct horse\n")
  }

  private func auth(_ words: [String], _ service: String = "local") throws -> ToolResult {
    try Tool.run("tw-auth", words, environment: ["TW_SERVICE": service], home: home)
  }

  private func signUp(_ service: LocalService, _ words: [String] = []) throws {
    let result = try auth(
      ["login", "--endpoint", service.base, "--create", "maja", "--password-file", "password"] + words)
    try #require(result.ending == .status(0), "\(result.errors)")
  }

  /// Maja's posts, stored as they come.
  private func pipeline(_ options: String = "") throws -> RunningTool {
    try RunningTool(
      "/bin/bash",
      ["-c", "set -o pipefail; tw-stream --every 200ms \(options) user:maja | tw-parse --only tweet | tw-cache add"],
      environment: ["TW_SERVICE": "local"], home: home)
  }

  private static let tokens = ".local/state/tw/tokens/local:maja"

  private func stored(_ member: String) throws -> String {
    let text = String(decoding: try home.read(Self.tokens), as: UTF8.self)
    return try #require(text.split(separator: "\"").drop { $0 != member }.dropFirst(2).first.map(String.init))
  }

  @Test func aTokenIsRenewedInMidPipeline() throws {
    let service = try LocalService(["--token-life", "1s"])
    try signUp(service)
    let pipeline = try pipeline("--limit 2")
    #expect(try pipeline.line()?.contains("just setting up my tw") == true)
    for _ in 0..<3 {
      let old = try stored("access_token")
      try waitUntil { try stored("access_token") != old }
    }
    let post = try Tool.run("tw-post", ["after three tokens"], environment: ["TW_SERVICE": "local"], home: home)
    #expect(post.ending == .status(0), "\(post.errors)")
    #expect(try pipeline.line()?.contains("after three tokens") == true)
    let result = try pipeline.finish()
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
  }

  @Test func aTokenIsRevokedInMidPipeline() throws {
    let service = try LocalService()
    try signUp(service)
    let pipeline = try pipeline()
    #expect(try pipeline.line()?.contains("just setting up my tw") == true)
    // By the person, at another machine.
    let revoked = try LocalProgram(local: service).post(
      "/2/oauth2/revoke", ["token": stored("access_token"), "client_id": "tw"])
    #expect(revoked.status == 200)
    let result = try pipeline.finish()
    #expect(result.ending == .status(77) && result.errors.contains("run 'tw-auth login' again"), "\(result.errors)")
    #expect(!result.errors.contains(try stored("access_token")))
    let list = try Tool.run("tw-cache", ["list"], home: home)
    #expect(list.output.contains("just setting up my tw"), "what came before is stored")
    // The command that the message names works.
    let again = try auth(["login", "--user", "maja", "--password-file", "password"])
    #expect(again.ending == .status(0), "\(again.errors)")
    #expect(
      try Tool.run("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home).status == 0)
  }

  /// A sign-out waits for a tool that renews the tokens, and then revokes the new ones.
  @Test func aSignOutRevokesTokensThatAreRenewedMeanwhile() throws {
    let service = try LocalService()
    try signUp(service)
    let lock = open(home.path + "/\(Self.tokens).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
    let logout = try RunningTool("tw-auth", ["logout"], environment: ["TW_SERVICE": "local"], home: home)
    // Time for one that does not wait to go wrong.
    usleep(300_000)
    let answer = try LocalProgram(local: service).refresh(stored("refresh_token"))
    try #require(answer.status == 200)
    let (access, refresh) = (answer["access_token"].text, answer["refresh_token"].text)
    let path = try home.write("new", #"{"access_token":"\#(access)","refresh_token":"\#(refresh)"}"#)
    chmod(path, 0o600)
    #expect(rename(path, home.path + "/\(Self.tokens)") == 0)
    #expect(try service.ask("GET", "/2/users/me", token: access).status == 200)
    close(lock)
    let result = try logout.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed out"), "\(result.errors)")
    #expect(try service.ask("GET", "/2/users/me", token: access).status == 401)
    #expect(try LocalProgram(local: service).refresh(refresh).status == 400)
    #expect(try auth(["list"]).output == "")
  }

  /// What a tool reads is not for the command that prints its token.
  @Test func aTokenCommandLeavesTheInputAlone() throws {
    let service = try LocalService()
    let account =
      #"{"accounts":[{"service":"local","name":"you","base":"\#(service.base)","method":"token","#
      + #""token_command":"cat > /dev/null; echo \#(service.token)"}]}"#
    chmod(try home.write(".config/tw/credentials.json", account), 0o600)
    let result = try Tool.run(
      "tw-post", ["-"], stdin: "all of this\n", environment: ["TW_SERVICE": "local"], home: home)
    #expect(result.ending == .status(0) && result.output.contains(#""text":"all of this""#), "\(result.errors)")
  }

  /// The hint names a command that gives the account the scope, with those that it has.
  @Test func aMissingScopeIsNamedWithTheCommandThatAddsIt() throws {
    let service = try LocalService(["--demo"])
    try signUp(service, ["--scopes", "tweet.read,users.read,offline.access"])
    for (tool, words, scopes) in [
      ("tw-stream", ["--once", "list:1001"], "tweet.read users.read offline.access list.read"),
      ("tw-post", ["hello!"], "tweet.read users.read offline.access list.read tweet.write"),
    ] {
      let refused = try Tool.run(tool, words, environment: ["TW_SERVICE": "local"], home: home)
      #expect(refused.ending == .status(77), "\(refused.errors)")
      let command = try #require(refused.errors.firstMatch(of: /sign in again with '([^']*)'/)).1
      #expect(command == "tw-auth login --service local --account maja --scopes \"\(scopes)\"")
      let login = try Tool.shell("\(command) --user maja --password-file password", home: home)
      #expect(login.ending == .status(0), "\(login.errors)")
      let allowed = try Tool.run(tool, words, environment: ["TW_SERVICE": "local"], home: home)
      #expect(allowed.ending == .status(0), "\(allowed.errors)")
    }
  }

  // MARK: X's live streams

  /// X gives its live streams to applications alone. tw-local, in the part of X, gives them to users as well: so the
  /// user's secret is made wrong here.
  @Test func aLiveStreamOfXIsOpenedAsTheApplication() throws {
    let service = try LocalService()
    try signUp(service)
    try home.write("secret", service.secret + "\n")
    let key = ["--endpoint", service.base, "--client-id", service.key, "--client-secret-file", "secret"]
    let user = try auth(["login", "--method", "xauth", "--user", "maja", "--password-file", "password"] + key, "x")
    #expect(user.ending == .status(0), "\(user.errors)")

    func stream(_ words: [String]) throws -> RunningTool {
      try RunningTool("tw-stream", words, environment: ["TW_SERVICE": "x"], home: home)
    }
    let alone = try stream(["#swift"]).finish()
    #expect(alone.ending == .status(77), "\(alone.errors)")
    #expect(
      alone.errors.contains(
        "account 'maja' is a user's: add one with 'tw-auth login --service x --method app --client-id API-KEY'"),
      "\(alone.errors)")
    let sample = try stream(["sample"]).finish()
    #expect(sample.ending == .status(77) && !sample.errors.contains("--fallback"), "\(sample.errors)")

    // Who may poll instead does.
    try service.post("polled #swift")
    let polled = try stream(["--fallback", "poll", "-n", "1", "#swift"]).finish()
    #expect(polled.ending == .status(0) && polled.output.contains("polled #swift"), "\(polled.errors)")
    #expect(polled.errors.contains("polling instead"))

    let app = try auth(["login", "--method", "app"] + key, "x")
    #expect(app.ending == .status(0) && app.errors.contains("'x:maja' stays the account in use"), "\(app.errors)")
    let path = ".config/tw/credentials.json"
    let credentials = String(decoding: try home.read(path), as: UTF8.self)
    let wrong = credentials.replacing(/"token_secret":"[^"]*"/, with: #""token_secret":"wrong""#)
    #expect(wrong != credentials)
    chmod(try home.write(path, wrong), 0o600)
    #expect(try stream(["--once", "home"]).finish().ending == .status(77), "the user's own requests are refused")
    let live = try stream(["-n", "1", "#swift"])
    try live.waitForErrors(containing: "the live stream is opened as account 'app'")
    var count = 0
    while count < 60, !live.stdout.contains(Array("live #swift".utf8)) {
      count += 1
      try service.post("\(count) live #swift")
      live.send("")
      usleep(50_000)
    }
    let result = try live.finish()
    #expect(result.ending == .status(0), "\(result.errors)")
    // Posts that are read count for the account that was chosen.
    #expect(result.output.contains(#""service":"x","account":"maja","base":"#))
    let refused = try stream(["--once", "--account", "app", "home"]).finish()
    #expect(refused.ending == .status(77) && refused.errors.contains("needs a user's account"), "\(refused.errors)")
  }
}
