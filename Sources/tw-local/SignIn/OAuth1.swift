import TweetAccounts
import TweetCore

/// A token that a program has asked for, and that a user has not yet allowed or has just allowed.
struct RequestToken: Sendable {
  let client: Client
  let secret: String
  /// Where the browser goes with the verifier; `nil` for a person who types it.
  let callback: String?
  /// Set when a user has allowed it.
  var approval: Approval?
  var wrongVerifiers = 0

  struct Approval: Sendable {
    let account: LocalAccount
    let verifier: String
  }
}

/// OAuth 1.0a as X has it: with a PIN, with a callback, and xAuth (RFC 5849).
extension Service {
  /// The program that has signed a request; see ``SignInState/verify(_:tokenSecret:now:)``.
  func verify(_ signed: SignedRequest, tokenSecret: String) throws -> Client {
    try signInState.verify(signed, tokenSecret: tokenSecret, now: .now)
  }

  func issueRequestToken(_ request: ServerRequest) throws -> ServerResponse {
    guard let signed = SignedRequest(request, authority: site.authority) else { throw Problem.notSigned }
    let client = try verify(signed, tokenSecret: "")
    let form = request.addingFormParameters()
    let callback = signed["oauth_callback"] ?? form.parameter("oauth_callback") ?? ""
    guard callback == "oob" || Client.isLoopback(callback) else {
      throw Problem.v1(status: 403, code: 415, message: "Callback URL not approved for this client application.")
    }
    let (token, secret) = try signInState.newRequestToken(
      for: client, callback: callback == "oob" ? nil : callback, now: .now)
    return Self.form([
      ("oauth_token", token), ("oauth_token_secret", secret), ("oauth_callback_confirmed", "true"),
    ])
  }

  /// The page where a person allows a request token: GET shows it, POST answers it.
  nonisolated func authorizeOAuth1(_ request: ServerRequest) async -> ServerResponse {
    let text = request.parameter("oauth_token") ?? ""
    let known: RequestToken?
    do throws(SignInFault) {
      known = try await requestToken(text)
    } catch {
      return SignInPage.message("Cannot sign in", error.message, status: error.status)
    }
    guard let token = known, token.approval == nil else {
      let message = "What the program has asked for is not known, used, or older than 15 minutes. Begin again there."
      return SignInPage.message("Cannot sign in", message, status: 400)
    }
    let page = { (fault: SignInFault?) in
      if let fault, request.prefersJSON { return Self.refusal(fault) }
      let username = request.parameter("username") ?? request.parameter("screen_name") ?? ""
      return SignInPage.ask(for: token.client, scopes: nil, username: username, fault: fault)
    }
    guard request.method == "POST" else { return page(nil) }
    do throws(SignInFault) {
      guard let account = try await answerer(of: request) else {
        try await removeRequestToken(text)
        guard let callback = token.callback else {
          return SignInPage.message("Not signed in", "The program gets no access.")
        }
        return Self.redirect(OAuth2Request.address(callback, [("denied", text)]))
      }
      let verifier = try await approve(text, account)
      guard let callback = token.callback else { return SignInPage.pin(verifier, for: token.client) }
      return Self.redirect(
        OAuth2Request.address(callback, [("oauth_token", text), ("oauth_verifier", verifier)]))
    } catch {
      return page(error)
    }
  }

  private func requestToken(_ text: String) throws(SignInFault) -> RequestToken? {
    try reading { () throws(ToolError) in try signInState.requestToken(text, now: .now) }
  }

  private func removeRequestToken(_ text: String) throws(SignInFault) {
    try reading { () throws(ToolError) in try signInState.removeRequestToken(text) }
  }

  /// - Returns: the verifier.
  private func approve(_ text: String, _ account: LocalAccount) throws(SignInFault) -> String {
    try reading { () throws(ToolError) in try signInState.approve(text, by: account, now: .now) }
  }

  nonisolated func issueAccessToken(_ request: ServerRequest) async throws -> ServerResponse {
    guard let signed = SignedRequest(request, authority: site.authority) else { throw Problem.notSigned }
    let form = request.addingFormParameters()
    if form.parameter("x_auth_mode") != nil { return try await issueByPassword(form, signed) }
    return try await exchangeRequestToken(signed, form)
  }

  private func exchangeRequestToken(_ signed: SignedRequest, _ form: ServerRequest) throws -> ServerResponse {
    let text = signed["oauth_token"] ?? ""
    guard let token = try requestToken(text) else { throw Problem.unauthorized }
    let client = try verify(signed, tokenSecret: token.secret)
    let verifier = signed["oauth_verifier"] ?? form.parameter("oauth_verifier") ?? ""
    guard let account = try signInState.exchange(text, verifier: verifier, by: client, now: .now) else {
      throw Problem.notSigned
    }
    return try newAccessToken(client, account)
  }

  /// xAuth: a program that its user gives the password to.
  private nonisolated func issueByPassword(_ form: ServerRequest, _ signed: SignedRequest) async throws
    -> ServerResponse
  {
    let client = try await verify(signed, tokenSecret: "")
    guard form.parameter("x_auth_mode") == "client_auth" else { throw Problem.notSigned }
    let account: LocalAccount
    do throws(SignInFault) {
      account = try await signIn(
        form.parameter("x_auth_username") ?? "", form.parameter("x_auth_password") ?? "", from: form.address)
    } catch {
      let code = error.status == 429 ? 88 : error.status == 403 ? 32 : 130
      throw Problem.v1(status: code == 32 ? 401 : error.status, code: code, message: error.message)
    }
    return try await newAccessToken(client, account, expires: true)
  }

  /// - Parameter expires: whether the answer says when the token expires: never, as xAuth says it.
  private func newAccessToken(_ client: Client, _ account: LocalAccount, expires: Bool = false) throws -> ServerResponse
  {
    let secret = try Crypto.newToken()
    let token = LocalStore.Token(
      kind: .signed, client: client.key, account: account.id, scopes: Set(Scope.allCases), grant: store.newID(at: .now),
      secret: secret)
    let text = try store.write { () throws(ToolError) in try store.newToken(token, now: .now) }
    var pairs = [
      (name: "oauth_token", value: text), ("oauth_token_secret", secret), ("user_id", String(account.id)),
      ("screen_name", account.username),
    ]
    if expires { pairs.append(("x_auth_expires", "0")) }
    return Self.form(pairs)
  }

  private static func form(_ pairs: [(String, String)]) -> ServerResponse {
    let body = Array(PercentEncoding.form(pairs).utf8)
    return ServerResponse(status: 200, type: "application/x-www-form-urlencoded", body: body)
  }
}

extension Problem {
  /// X's answer to a signature that is wrong, or that it has seen.
  static var notSigned: Problem { .v1(status: 401, code: 32, message: "Could not authenticate you.") }
}
