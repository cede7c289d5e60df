import Foundation
import TestSupport
import Testing

/// Signing in to a tw-local by OAuth 2.0, over real sockets.
@Suite(.onOwnThread) struct LocalSignInTests {
  private let local: LocalService
  private let program: LocalProgram

  init() throws {
    local = try LocalService(["--demo", "--rate", "0"])
    program = LocalProgram(local: local)
  }

  @Test func signsInWithPKCE() throws {
    let page = try local.ask("GET", program.page(), token: nil)
    #expect(page.status == 200 && page.text.contains("<li>post, delete and retweet for you</li>"))
    #expect(page.headers["x-frame-options"] == "DENY" && page.headers["cache-control"] == "no-store")
    let sent = try program.redirected(program.answerPage("yuki_dev", "tw-local"))
    #expect(sent["state"] == "s&t" && sent.keys.sorted() == ["code", "state"])
    let tokens = try program.exchange(sent["code"] ?? "")
    #expect(tokens.status == 200 && tokens["token_type"] == "bearer" && tokens["expires_in"].number == 7200)
    #expect(tokens["scope"].text.split(separator: " ").sorted() == LocalProgram.scopes.split(separator: " ").sorted())
    let token = tokens["access_token"].text
    #expect(try local.ask("GET", "/2/users/me", token: token)["data"]["username"] == "yuki_dev")
    let posted = try local.ask("POST", "/2/tweets", token: token, body: ["text": "from yuki"])
    let author = try local.ask("GET", "/2/tweets/\(posted["data"]["id"].text)?expansions=author_id")
    #expect(author["includes"]["users"][0]["username"] == "yuki_dev")
    // A code is for once, also where the first use was right.
    #expect(try program.exchange(sent["code"] ?? "").status == 400)
  }

  @Test func refusesWrongProofs() throws {
    func code() throws -> String { try program.redirected(program.answerPage("yuki_dev", "tw-local"))["code"] ?? "" }
    let wrong = String(LocalProgram.verifier.reversed())
    #expect(try program.exchange(code(), verifier: wrong)["error"] == "invalid_request")
    #expect(try program.exchange(code(), redirect: "http://127.0.0.1:8080/other").status == 400)
    #expect(try program.exchange("nothing").status == 400)
    // A code that was tried with a wrong proof is gone.
    let tried = try code()
    _ = try program.exchange(tried, verifier: wrong)
    #expect(try program.exchange(tried).status == 400)
    let denied = try program.redirected(program.answerPage("", "", action: "deny"))
    #expect(denied == ["error": "access_denied", "state": "s&t"])
  }

  /// Requests are counted for a program and a user: two users of one program do not share a limit, two tokens of a user
  /// do.
  @Test func eachUserOfAProgramHasTheWholeLimit() throws {
    func token(_ username: String) throws -> String {
      try program.signIn(username, "tw-local")["access_token"].text
    }
    func remaining(_ token: String) throws -> Int? {
      try local.ask("GET", "/2/users/me", token: token).headers["x-rate-limit-remaining"].flatMap { Int($0) }
    }
    let (yuki, other) = (try token("yuki_dev"), try token("maren_k"))
    let first = try #require(try remaining(yuki))
    #expect(try remaining(yuki) == first - 1 && remaining(token("yuki_dev")) == first - 2)
    #expect(try remaining(other) == first)
  }

  @Test func sendsNobodyElsewhere() throws {
    for redirect in [
      "https://example.com/callback", "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/",
      "http://localhost:80@example.com/", "http://127.0.0.1:8080/a#b", "javascript:alert(1)", "http://127.0.0.1\\@x.y/",
      "http://127.0.0.1:99999/", "http://127.0.0.1:80/a\r\nx: y",
    ] {
      let answer = try local.ask("GET", program.page(["redirect_uri": redirect]), token: nil)
      #expect(answer.status == 400 && answer.headers["location"] == nil, "\(redirect)")
    }
    #expect(try local.ask("GET", program.page(["client_id": "other"]), token: nil).status == 400)
    for (changes, error) in [
      (["scope": "tweet.read everything"], "invalid_scope"), (["scope": ""], "invalid_scope"),
      (["response_type": "token"], "unsupported_response_type"), (["code_challenge": "short"], "invalid_request"),
      (["code_challenge_method": "MD5"], "invalid_request"),
    ] {
      let sent = try program.redirected(local.ask("GET", program.page(changes), token: nil))
      #expect(sent["error"] == error && sent["state"] == "s&t")
    }
    for redirect in ["http://localhost/", "http://[::1]:1/x?y=z", "http://127.0.0.1:65535/callback"] {
      #expect(try local.ask("GET", program.page(["redirect_uri": redirect]), token: nil).status == 200, "\(redirect)")
    }
  }

  @Test func escapesWhatTheFormHas() throws {
    let name = "\"><script>alert(1)</script>&"
    let body = "username=\(percentEncoded(name))&password=x&action=allow"
    let answer = try local.ask(
      "POST", program.page(), token: nil, headers: ["Content-Type": "application/x-www-form-urlencoded"],
      raw: Array(body.utf8))
    #expect(answer.status == 403 && !answer.text.contains("<script>"))
    #expect(answer.text.contains("value=\"&quot;&gt;&lt;script&gt;"))
  }

  @Test func keepsScopes() throws {
    let tokens = try program.signIn("yuki_dev", "tw-local", scopes: "tweet.read users.read")
    #expect(tokens["refresh_token"].value == nil)
    let token = tokens["access_token"].text
    #expect(try program.status(token) == 200)
    let refused = try local.ask("POST", "/2/tweets", token: token, body: ["text": "not allowed"])
    #expect(refused.status == 403 && refused["detail"].text.contains("tweet.write"))
    let old = try local.ask("GET", "/1.1/lists/statuses.json?list_id=1001", token: token)
    #expect(old.status == 403 && old["errors"][0]["code"].number == 220)
  }

  @Test func rotatesRefreshTokens() throws {
    let first = try program.signIn("yuki_dev", "tw-local")
    let second = try program.refresh(first["refresh_token"].text)
    #expect(second.status == 200 && second["refresh_token"] != first["refresh_token"])
    #expect(second["scope"].text == first["scope"].text)
    #expect(try program.status(first["access_token"].text) == 200)
    #expect(try program.status(second["access_token"].text) == 200)
    // Somebody else has it too: the sign-in ends.
    #expect(try program.refresh(first["refresh_token"].text).status == 400)
    #expect(try program.status(second["access_token"].text) == 401)
    #expect(try program.refresh(second["refresh_token"].text).status == 400)
    // An access token refreshes nothing.
    let third = try program.signIn("yuki_dev", "tw-local")
    #expect(try program.refresh(third["access_token"].text).status == 400)
    #expect(try program.status(third["refresh_token"].text) == 401)
  }

  @Test func signsOut() throws {
    let kept = try program.signIn("yuki_dev", "tw-local")
    let ended = try program.signIn("yuki_dev", "tw-local")
    #expect(
      try program.post("/2/oauth2/revoke", ["token": ended["access_token"].text, "client_id": "tw"]).status == 200)
    #expect(try program.status(ended["access_token"].text) == 401)
    #expect(try program.refresh(ended["refresh_token"].text).status == 400)
    #expect(try program.status(kept["access_token"].text) == 200)
    #expect(try program.post("/2/oauth2/revoke", ["token": "unknown", "client_id": "tw"]).status == 200)
  }

  @Test func makesAccounts() throws {
    let tokens = try program.signIn("Ada_L", "correct horse", action: "create")
    let token = tokens["access_token"].text
    let me = try local.ask("GET", "/2/users/me?user.fields=public_metrics", token: token)
    #expect(me["data"]["username"] == "Ada_L" && me["data"]["public_metrics"]["tweet_count"].number == 1)
    let first = try local.ask("GET", "/2/users/\(me["data"]["id"].text)/tweets", token: token)
    #expect(first["data"][0]["text"] == "just setting up my tw")
    #expect(try program.signIn("ada_l", "correct horse").status == 200)
    for (name, password, status) in [
      ("ADA_L", "another password", 409), ("ada lovelace", "correct horse", 400), ("", "correct horse", 400),
      ("i", "correct horse", 400), ("grace", "short", 400), ("grace", String(repeating: "x", count: 129), 400),
      ("yuki_dev", "correct horse", 409),
    ] {
      let answer = try program.answerPage(name, password, action: "create")
      #expect(answer.status == status && answer["error"] == "access_denied", "\(name)")
    }
  }

  @Test func limitsTries() throws {
    for _ in 0..<5 { #expect(try program.answerPage("pip_ops", "a guess!").status == 403) }
    // The right password does not help any more; other names are not concerned.
    let refused = try program.answerPage("PIP_OPS", "tw-local")
    #expect(refused.status == 429 && Int(refused.headers["retry-after"] ?? "") ?? 0 > 800)
    #expect(try program.signIn("yuki_dev", "tw-local").status == 200)
    // A right password makes the count begin anew.
    for _ in 0..<3 {
      for _ in 0..<4 { #expect(try program.answerPage("maren_k", "a guess!").status == 403) }
      #expect(try program.signIn("maren_k", "tw-local").status == 200)
    }
    #expect(try program.answerPage("nobody", "tw-local").status == 403)
  }

  @Test func tokensExpire() throws {
    let short = LocalProgram(local: try LocalService(["--demo", "--rate", "0", "--token-life", "1s"]))
    let tokens = try short.signIn("yuki_dev", "tw-local")
    #expect(tokens["expires_in"].number == 1)
    try waitUntil { try short.status(tokens["access_token"].text) != 200 }
    #expect(try short.status(tokens["access_token"].text) == 401)
    let again = try short.refresh(tokens["refresh_token"].text)
    #expect(again.status == 200 && again["access_token"] != tokens["access_token"])
  }

  @Test func tokensSurviveARestart() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/service.db"
    var tokens: LocalAnswer
    let (key, runToken): (String, String)
    do {
      let first = LocalProgram(local: try LocalService(["--db", path]))
      tokens = try first.signIn("ada", "correct horse", action: "create")
      (key, runToken) = (first.local.key, first.local.token)
      try first.local.stop()
    }
    let second = LocalProgram(local: try LocalService(["--db", path]))
    #expect(second.local.key == key && !key.isEmpty)
    // The token of a run ends with it.
    #expect(try second.status(runToken) == 401 && second.status(second.local.token) == 200)
    #expect(try second.status(tokens["access_token"].text) == 200)
    #expect(try second.refresh(tokens["refresh_token"].text).status == 200)
    #expect(try second.signIn("ada", "correct horse").status == 200)
    // Without --demo nobody can sign in as the owner, whose password would be known to all.
    #expect(try second.answerPage("you", "tw-local").status == 403)
    let requested = try second.requestToken()
    let page = try second.post(
      "/oauth/authorize?oauth_token=\(requested["oauth_token"] ?? "")",
      ["username": "ada", "password": "correct horse", "action": "allow"])
    let pin = try String(#require(page.text.firstMatch(of: /<strong>([0-9]{7})</)).1)
    let signed = try #require(second.pairs(second.accessToken(requested, verifier: pin))["oauth_token"])
    // The store has no token and no password in it.
    try second.local.stop()
    let stored = try [path, path + "-wal"].reduce(into: Data()) { all, file in
      if FileManager.default.fileExists(atPath: file) { all += try Data(contentsOf: URL(fileURLWithPath: file)) }
    }
    #expect(stored.count > 1000)
    for secret in [
      tokens["access_token"].text, tokens["refresh_token"].text, "correct horse", runToken, second.local.token, signed,
      String(signed.drop { $0 != "-" }),
    ] {
      #expect(stored.range(of: Data(secret.utf8)) == nil)
    }
  }
}
