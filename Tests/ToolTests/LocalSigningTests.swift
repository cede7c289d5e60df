import Foundation
import TestSupport
import Testing

@testable import tw_local

/// OAuth 1.0a and tokens of programs at a tw-local, over real sockets.
@Suite(.onOwnThread) struct LocalSigningTests {
  private let local: LocalService
  private let program: LocalProgram
  private let credentials = "/1.1/account/verify_credentials.json"

  init() throws {
    local = try LocalService(["--demo", "--rate", "0"])
    program = LocalProgram(local: local)
  }

  /// The example of RFC 5849 §1.2.
  @Test func agreesWithTheVector() throws {
    let head = """
      GET /photos?file=vacation.jpg&size=original HTTP/1.1
      Host: photos.example.net
      Authorization: OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", \
      oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", \
      oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"
      """
    let signed = try #require(SignedRequest(try ServerRequest(head: Array(head.utf8)), authority: ""))
    #expect(try signed.isSigned(secret: "kd94hf93k423kf44", tokenSecret: "pfkkdhi9sl3r4s00"))
    #expect(try !signed.isSigned(secret: "kd94hf93k423kf44", tokenSecret: "pfkkdhi9sl3r4s01"))
  }

  /// Signs in with a PIN.
  private func signIn() throws -> LocalProgram.Signing {
    let requested = try program.requestToken()
    #expect(requested["oauth_callback_confirmed"] == "true")
    let token = requested["oauth_token"] ?? ""
    let path = "/oauth/authorize?oauth_token=\(token)"
    #expect(try local.ask("GET", path, token: nil).text.contains("do everything that you can do here"))
    let page = try program.post(path, ["username": "yuki_dev", "password": "tw-local", "action": "allow"])
    let pin = try String(#require(page.text.firstMatch(of: /<strong>([0-9]{7})</)).1)
    #expect(try program.accessToken(requested, verifier: "1234567").status == (pin == "1234567" ? 200 : 401))
    let answer = try program.accessToken(requested, verifier: pin)
    let pairs = program.pairs(answer)
    #expect(answer.status == 200 && pairs["screen_name"] == "yuki_dev" && pairs["user_id"]?.isEmpty == false)
    // Programs find the user's id in the token.
    #expect(pairs["oauth_token"]?.prefix { $0 != "-" } == pairs["user_id"]?[...])
    #expect(try program.accessToken(requested, verifier: pin).status == 401)
    return LocalProgram.Signing(token: pairs["oauth_token"] ?? "", tokenSecret: pairs["oauth_token_secret"] ?? "")
  }

  @Test func signsInWithAPIN() throws {
    let signing = try signIn()
    let query = ["include_email": "a b+c~é", "x": ""]
    let header = try program.signature("GET", credentials, query: query, signing)
    let path = credentials + "?include_email=a+b%2Bc~%C3%A9&x="
    let me = try local.ask("GET", path, token: nil, headers: header)
    #expect(me.status == 200 && me["screen_name"] == "yuki_dev")
    // The same request again is a replay.
    let again = try local.ask("GET", path, token: nil, headers: header)
    #expect(again.status == 401 && again["errors"][0]["code"].number == 32)
    // A JSON body is not signed; v2 takes signatures too.
    var fresh = signing
    fresh.nonce = "another"
    let posted = try local.ask(
      "POST", "/2/tweets", token: nil, headers: program.signature("POST", "/2/tweets", fresh), body: ["text": "signed"])
    #expect(posted.status == 201)
  }

  @Test func refusesWrongSignatures() throws {
    let signing = try signIn()
    func code(_ change: (inout LocalProgram.Signing) -> Void) throws -> Int {
      var changed = signing
      changed.nonce = UUID().uuidString
      change(&changed)
      let answer = try local.ask(
        "GET", credentials, token: nil, headers: program.signature("GET", credentials, changed))
      return answer.status == 200 ? 200 : answer["errors"][0]["code"].number
    }
    let now = Int(Date().timeIntervalSince1970)
    #expect(try code { _ in } == 200)
    #expect(try code { $0.timestamp = now - 300 } == 135 && code { $0.timestamp = now + 300 } == 135)
    #expect(try code { $0.timestamp = now - 200 } == 200 && code { $0.timestamp = now + 200 } == 200)
    #expect(try code { $0.tokenSecret += "x" } == 32)
    #expect(try code { $0.token += "x" } == 89)
    #expect(try code { $0.parameters["oauth_consumer_key"] = "tw" } == 32)
    #expect(try code { $0.parameters["oauth_signature_method"] = "PLAINTEXT" } == 89)
    #expect(try code { $0.nonce = String(repeating: "n", count: 129) } == 89)
    #expect(try code { $0.parameters["oauth_timestamp"] = "later" } == 89)
    // A parameter that was signed and not sent, and one that was sent and not signed.
    #expect(try code { $0.form = ["status": "x"] } == 32)
    let other = try local.ask(
      "GET", credentials + "?x=y", token: nil, headers: program.signature("GET", credentials, signing))
    #expect(other.status == 401)
  }

  @Test func signsInWithACallback() throws {
    let callback = "http://localhost:9/done?a=b"
    let requested = try program.requestToken(callback: callback)
    let path = "/oauth/authorize?oauth_token=\(requested["oauth_token"] ?? "")"
    let sent = try program.redirected(
      program.post(path, ["username": "pip_ops", "password": "tw-local", "action": "allow"]))
    #expect(sent["a"] == "b" && sent["oauth_token"] == requested["oauth_token"])
    // Nobody can answer the page a second time.
    #expect(try program.post(path, ["username": "maren_k", "password": "tw-local", "action": "allow"]).status == 400)
    let tokens = try program.accessToken(requested, verifier: sent["oauth_verifier"] ?? "")
    #expect(program.pairs(tokens)["screen_name"] == "pip_ops")

    let second = try program.requestToken(callback: callback)
    let denied = try program.redirected(
      program.post("/oauth/authorize?oauth_token=\(second["oauth_token"] ?? "")", ["action": "deny"]))
    #expect(denied["denied"] == second["oauth_token"] && denied["oauth_verifier"] == nil)
    #expect(try program.accessToken(second, verifier: "").status == 401)

    let signing = LocalProgram.Signing(parameters: ["oauth_callback": "http://example.com/"])
    let elsewhere = try program.post(
      "/oauth/request_token", [:], headers: program.signature("POST", "/oauth/request_token", signing))
    #expect(elsewhere.status == 403 && elsewhere["errors"][0]["code"].number == 415)
  }

  @Test func limitsTriesOfAPIN() throws {
    let requested = try program.requestToken()
    let page = try program.post(
      "/oauth/authorize?oauth_token=\(requested["oauth_token"] ?? "")",
      ["username": "yuki_dev", "password": "tw-local", "action": "allow"])
    let pin = try String(#require(page.text.firstMatch(of: /<strong>([0-9]{7})</)).1)
    for _ in 0..<5 { #expect(try program.accessToken(requested, verifier: "0").status == 401) }
    #expect(try program.accessToken(requested, verifier: pin).status == 401)
  }

  @Test func signsInByXAuth() throws {
    let path = "/oauth/access_token"
    func ask(_ password: String) throws -> LocalAnswer {
      let form = ["x_auth_username": "maren_k", "x_auth_password": password, "x_auth_mode": "client_auth"]
      let header = try program.signature("POST", path, LocalProgram.Signing(form: form))
      return try program.post(
        path, ["x_auth_username": "maren_k", "x_auth_password": password, "x_auth_mode": "client_auth"],
        headers: header)
    }
    let tokens = try program.pairs(ask("tw-local"))
    #expect(tokens["screen_name"] == "maren_k" && tokens["x_auth_expires"] == "0")
    #expect(try ask("a wrong one").status == 401)
    for _ in 0..<4 { _ = try ask("a wrong one") }
    #expect(try ask("tw-local").status == 429)
  }

  @Test func givesTokensToPrograms() throws {
    func basic(_ secret: String) -> [String: String] {
      ["Authorization": "Basic " + Data("\(local.key):\(secret)".utf8).base64EncodedString()]
    }
    let form: KeyValuePairs = ["grant_type": "client_credentials"]
    let answer = try program.post("/oauth2/token", form, headers: basic(local.secret))
    #expect(answer.status == 200 && answer["token_type"] == "bearer")
    let token = answer["access_token"].text
    #expect(try program.status(token, "GET", "/2/tweets/search/recent?query=%23swift") == 200)
    let refused = try local.ask("GET", "/2/users/me", token: token)
    #expect(refused.status == 403 && refused["title"] == "Unsupported Authentication")
    #expect(try local.ask("POST", "/2/tweets", token: token, body: ["text": "x"]).status == 403)
    #expect(try local.ask("GET", credentials, token: token)["errors"][0]["code"].number == 220)
    let wrong = try program.post("/oauth2/token", form, headers: basic(local.secret + "x"))
    #expect(wrong.status == 403 && wrong["errors"][0]["code"].number == 99)
    #expect(try program.post("/oauth2/token", form).status == 403)
    let gone = try program.post("/oauth2/invalidate_token", ["access_token": token], headers: basic(local.secret))
    #expect(gone.status == 200)
    #expect(try program.status(token, "GET", "/2/tweets/search/recent?query=%23swift") == 401)
  }
}
