import CCrypto
import Foundation
import TestSupport
import Testing

// The tests of signatures encode and sign by code of their own: what the kit does wrong on both sides must not pass.

/// A text with percent escapes in place of all but RFC 3986's unreserved characters.
func percentEncoded(_ text: String) -> String {
  let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
  return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
}

private func hmacSHA1(key: String, message: String) -> String {
  var code = [UInt8](repeating: 0, count: 20)
  HMAC(EVP_sha1(), key, Int32(key.utf8.count), message, message.utf8.count, &code, nil)
  return Data(code).base64EncodedString()
}

/// A program that signs users in at a tw-local, as far as tests need one.
struct LocalProgram {
  let local: LocalService
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  /// RFC 7636, appendix B.
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let redirect = "http://127.0.0.1:8080/callback"
  static let scopes = "tweet.read users.read tweet.write like.write offline.access"

  /// Sends a form.
  func post(
    _ path: String, _ form: KeyValuePairs<String, String>, headers: [String: String] = [:]
  ) throws -> LocalAnswer {
    let body = form.map { "\(percentEncoded($0.key))=\(percentEncoded($0.value))" }.joined(separator: "&")
    return try local.ask(
      "POST", path, token: nil, headers: headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 },
      raw: Array(body.utf8))
  }

  // MARK: OAuth 2.0

  /// The address of the page where a user signs in.
  /// - Parameter changes: parameters that differ; an empty one is left out.
  func page(_ changes: [String: String] = [:]) -> String {
    var parameters = [
      "response_type": "code", "client_id": "tw", "redirect_uri": Self.redirect, "scope": Self.scopes, "state": "s&t",
      "code_challenge": Self.challenge, "code_challenge_method": "S256",
    ]
    parameters.merge(changes) { $1 }
    let query = parameters.filter { !$0.value.isEmpty }.map { "\($0.key)=\(percentEncoded($0.value))" }
    return "/2/oauth2/authorize?" + query.joined(separator: "&")
  }

  /// Answers the page.
  func answerPage(
    _ username: String, _ password: String, action: String = "allow", _ changes: [String: String] = [:]
  ) throws -> LocalAnswer {
    try post(
      page(changes), ["username": username, "password": password, "action": action],
      headers: ["Accept": "application/json"])
  }

  /// The parameters of an address that a browser was sent to.
  func redirected(_ answer: LocalAnswer) throws -> [String: String] {
    #expect(answer.status == 303)
    let address = try #require(URLComponents(string: answer.headers["location"] ?? ""))
    return Dictionary(uniqueKeysWithValues: (address.queryItems ?? []).map { ($0.name, $0.value ?? "") })
  }

  func exchange(_ code: String, verifier: String = verifier, redirect: String = redirect) throws -> LocalAnswer {
    try post(
      "/2/oauth2/token",
      [
        "grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "code_verifier": verifier,
        "client_id": "tw",
      ])
  }

  func refresh(_ token: String) throws -> LocalAnswer {
    try post("/2/oauth2/token", ["grant_type": "refresh_token", "refresh_token": token, "client_id": "tw"])
  }

  /// Signs in and fetches the tokens.
  func signIn(
    _ username: String, _ password: String, action: String = "allow", scopes: String = scopes
  ) throws -> LocalAnswer {
    let answer = try answerPage(username, password, action: action, ["scope": scopes])
    return try exchange(try #require(redirected(answer)["code"]))
  }

  /// The status of a request with a token.
  func status(_ token: String, _ method: String = "GET", _ path: String = "/2/users/me") throws -> Int {
    try local.ask(method, path, token: token).status
  }

  // MARK: OAuth 1.0a

  /// What a signature differs in.
  struct Signing {
    var token = ""
    var tokenSecret = ""
    var parameters: [String: String] = [:]
    var form: [String: String] = [:]
    var timestamp = Int(Date().timeIntervalSince1970)
    var nonce = UUID().uuidString
  }

  /// The header of a signed request, as RFC 5849 has it.
  /// - Parameter query: the pairs of the query, decoded.
  func signature(
    _ method: String, _ path: String, query: [String: String] = [:], _ signing: Signing = Signing()
  ) throws -> [String: String] {
    var values = [
      "oauth_consumer_key": local.key, "oauth_nonce": signing.nonce, "oauth_signature_method": "HMAC-SHA1",
      "oauth_timestamp": String(signing.timestamp), "oauth_version": "1.0",
    ].merging(signing.parameters) { $1 }
    if !signing.token.isEmpty { values["oauth_token"] = signing.token }
    let pairs = (Array(values) + Array(query) + Array(signing.form))
      .map { (percentEncoded($0.key), percentEncoded($0.value)) }.sorted { $0 < $1 }
    let base = [method, local.base + path, pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")]
    values["oauth_signature"] = hmacSHA1(
      key: "\(percentEncoded(local.secret))&\(percentEncoded(signing.tokenSecret))",
      message: base.map(percentEncoded).joined(separator: "&"))
    let header = values.map { "\($0.key)=\"\(percentEncoded($0.value))\"" }.joined(separator: ", ")
    return ["Authorization": "OAuth " + header]
  }

  /// The pairs of a form that a program has got.
  func pairs(_ answer: LocalAnswer) -> [String: String] {
    let items = URLComponents(string: "/?" + answer.text)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }

  func requestToken(callback: String = "oob") throws -> [String: String] {
    let path = "/oauth/request_token"
    let signed = try signature("POST", path, Signing(parameters: ["oauth_callback": callback]))
    let answer = try post(path, [:], headers: signed)
    #expect(answer.status == 200)
    return pairs(answer)
  }

  func accessToken(_ requested: [String: String], verifier: String) throws -> LocalAnswer {
    let path = "/oauth/access_token"
    let signing = Signing(
      token: requested["oauth_token"] ?? "", tokenSecret: requested["oauth_token_secret"] ?? "",
      form: ["oauth_verifier": verifier])
    return try post(path, ["oauth_verifier": verifier], headers: signature("POST", path, signing))
  }
}
