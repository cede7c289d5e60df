import TweetAccounts
import TweetCLI
import TweetCore

/// OAuth 2.0 as X has it: users sign in on a page, programs fetch and refresh tokens (RFC 6749, 7636, 7009).
extension Service {
  /// The page where a person signs in or signs up: GET shows it, POST answers it.
  nonisolated func authorizeOAuth2(_ request: ServerRequest) async -> ServerResponse {
    let wish: OAuth2Request
    do throws(OAuth2Request.Fault) {
      wish = try OAuth2Request(request, of: await client(request.parameter("client_id") ?? ""))
    } catch {
      switch error {
      case .page(let message): return SignInPage.message("Cannot sign in", message, status: 400)
      case .redirect(let address): return Self.redirect(address)
      }
    }
    let page = { (fault: SignInFault?) in
      if let fault, request.prefersJSON { return Self.refusal(fault) }
      return SignInPage.ask(
        for: wish.client, scopes: wish.scopes, username: request.parameter("username") ?? "", fault: fault)
    }
    guard request.method == "POST" else { return page(nil) }
    do throws(SignInFault) {
      guard let account = try await answerer(of: request) else {
        if wish.redirect == Client.codePage {
          return SignInPage.message("Not signed in", "The program gets no access.")
        }
        return Self.redirect(wish.answer([("error", "access_denied")]))
      }
      let code = try await newCode(AuthorizationCode(request: wish, account: account.id))
      if wish.redirect == Client.codePage { return SignInPage.pin(code, for: wish.client) }
      return Self.redirect(wish.answer([("code", code)]))
    } catch {
      return page(error)
    }
  }

  /// The account of the person who answered a page; `nil` where the answer is no.
  nonisolated func answerer(of request: ServerRequest) async throws(SignInFault) -> LocalAccount? {
    let (username, password) = (request.parameter("username") ?? "", request.parameter("password") ?? "")
    let (name, address) = (request.parameter("name") ?? "", request.address)
    switch request.parameter("action") {
    case "allow": return try await signIn(username, password, from: address)
    case "create": return try await signUp(username, password, name: name, from: address)
    default: return nil
    }
  }

  /// A browser asks with GET where it is sent (RFC 9110 §15.4.4).
  nonisolated static func redirect(_ address: String) -> ServerResponse {
    ServerResponse(status: 303, headers: [("location", address), ("cache-control", "no-store")])
  }

  /// What a program gets that posts the form itself.
  nonisolated static func refusal(_ fault: SignInFault) -> ServerResponse {
    var response = OAuth2Fault(fault.status, "access_denied", fault.message).response
    if let seconds = fault.retryAfter { response.headers.append(("retry-after", String(seconds))) }
    return response
  }

  private func newCode(_ code: AuthorizationCode) throws(SignInFault) -> String {
    try reading { () throws(ToolError) in try signInState.newCode(for: code, now: .now) }
  }

  // MARK: Tokens

  /// Exchanges a code or a refresh token for tokens.
  func issueTokens(_ request: ServerRequest) throws -> ServerResponse {
    let client = try oauth2Client(request)
    switch request.parameter("grant_type") {
    case "authorization_code": return try exchangeCode(request, client)
    case "refresh_token": return try refreshTokens(request, client)
    default: throw OAuth2Fault(400, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
    }
  }

  /// The program that a request comes from. One that has a secret proves that it knows it.
  private func oauth2Client(_ request: ServerRequest) throws -> Client {
    if let (key, secret) = request.basicCredentials {
      guard let client = signInState.client(key), Crypto.areEqual(secret.utf8, (client.secret ?? "").utf8) else {
        throw OAuth2Fault(401, "unauthorized_client", "The key or the secret of the client is wrong")
      }
      return client
    }
    guard let client = request.parameter("client_id").flatMap(signInState.client) else {
      throw OAuth2Fault(400, "invalid_request", "client_id is missing or unknown")
    }
    guard client.secret == nil else {
      throw OAuth2Fault(401, "unauthorized_client", "Missing valid authorization header")
    }
    return client
  }

  private func exchangeCode(_ request: ServerRequest, _ client: Client) throws -> ServerResponse {
    let code = try signInState.takeCode(request.parameter("code") ?? "", now: .now)
    guard let code, code.request.client.key == client.key, code.request.redirect == request.parameter("redirect_uri")
    else {
      throw OAuth2Fault(400, "invalid_request", "Value passed for the authorization code was invalid.")
    }
    guard try code.request.challenge?.isMet(by: request.parameter("code_verifier") ?? "") ?? true else {
      throw OAuth2Fault(400, "invalid_request", "Value passed for the code_verifier was invalid.")
    }
    return try newTokens(
      client, account: code.account, code.request.scopes, grant: store.newID(at: .now), spending: nil)
  }

  private func refreshTokens(_ request: ServerRequest, _ client: Client) throws -> ServerResponse {
    let text = request.parameter("refresh_token") ?? ""
    guard let token = try store.token(text, now: .now), token.kind == .refresh, token.client == client.key,
      let account = token.account
    else { throw OAuth2Fault(400, "invalid_request", "Value passed for the token was invalid.") }
    if token.isSpent {
      // Two programs have it, or somebody has stolen it (RFC 9700 §4.14.2).
      try store.write { () throws(ToolError) in try store.revokeGrant(token.grant) }
      throw OAuth2Fault(400, "invalid_request", "Value passed for the token was invalid.")
    }
    return try newTokens(client, account: account, token.scopes, grant: token.grant, spending: text)
  }

  /// How long a refresh token lives: half a year, as on X.
  private static let refreshLife: Int64 = 183 * 86_400_000

  /// - Parameter spent: the refresh token that is exchanged.
  private func newTokens(
    _ client: Client, account: Int, _ scopes: Set<Scope>, grant: Int, spending spent: String?
  ) throws -> ServerResponse {
    let now = Timestamp.now
    let life = signInState.tokenLife
    var members: JSON.Members = [("token_type", .string("bearer")), ("expires_in", .number(Int(life / 1000)))]
    try store.write { () throws(ToolError) in
      if let spent { try store.spendToken(spent) }
      let access = LocalStore.Token(
        kind: .access, client: client.key, account: account, scopes: scopes, grant: grant,
        end: Timestamp(milliseconds: now.milliseconds + life))
      members.append(("access_token", .string(try store.newToken(access, now: now))))
      members.append(("scope", .string(Scope.text(scopes))))
      guard scopes.contains(.offline) else { return }
      let refresh = LocalStore.Token(
        kind: .refresh, client: client.key, account: account, scopes: scopes, grant: grant,
        end: Timestamp(milliseconds: now.milliseconds + Self.refreshLife))
      members.append(("refresh_token", .string(try store.newToken(refresh, now: now))))
    }
    return ServerResponse(json: .object(members))
  }

  /// Signs out: all tokens of the sign-in are gone. As RFC 7009 wants it, an unknown token is no error.
  func revokeTokens(_ request: ServerRequest) throws -> ServerResponse {
    let client = try oauth2Client(request)
    if let token = try store.token(request.parameter("token") ?? "", now: .now), token.client == client.key {
      try store.write { () throws(ToolError) in try store.revokeGrant(token.grant) }
    }
    return ServerResponse(json: ["revoked": true])
  }

  // MARK: Programs

  /// A token that stands for a program alone.
  func issueAppToken(_ request: ServerRequest) throws -> ServerResponse {
    let client = try appClient(request)
    guard request.parameter("grant_type") == "client_credentials" else {
      throw Problem.v1(status: 403, code: 170, message: "Missing required parameter: grant_type")
    }
    let token = LocalStore.Token(
      kind: .app, client: client.key, account: nil, scopes: [.tweetRead, .usersRead], grant: store.newID(at: .now))
    let text = try store.write { () throws(ToolError) in try store.newToken(token, now: .now) }
    return ServerResponse(json: ["token_type": "bearer", "access_token": .string(text)])
  }

  func invalidateAppToken(_ request: ServerRequest) throws -> ServerResponse {
    let client = try appClient(request)
    let text = request.parameter("access_token") ?? ""
    guard let token = try store.token(text, now: .now), token.kind == .app, token.client == client.key else {
      throw Problem.unauthorized
    }
    try store.write { () throws(ToolError) in try store.revokeGrant(token.grant) }
    return ServerResponse(json: ["access_token": .string(text)])
  }

  private func appClient(_ request: ServerRequest) throws(Problem) -> Client {
    guard let (key, secret) = request.basicCredentials, let client = signInState.client(key),
      let expected = client.secret, Crypto.areEqual(secret.utf8, expected.utf8)
    else { throw .v1(status: 403, code: 99, message: "Unable to verify your credentials") }
    return client
  }
}

/// A refusal in OAuth 2.0's form (RFC 6749 §5.2).
struct OAuth2Fault: Error {
  let status: Int
  let error: String
  let description: String

  init(_ status: Int, _ error: String, _ description: String) {
    self.status = status
    self.error = error
    self.description = description
  }

  var response: ServerResponse {
    ServerResponse(status: status, json: ["error": .string(error), "error_description": .string(description)])
  }
}

extension ServerRequest {
  /// Whether a program asks, not a browser.
  var prefersJSON: Bool {
    let types = headers["accept"]?.lowercased() ?? ""
    return types.contains("application/json") && !types.contains("text/html")
  }

  /// Key and secret of HTTP's basic authentication, each percent-encoded before (RFC 6749 §2.3.1).
  var basicCredentials: (key: String, secret: String)? {
    let words = (headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic", let bytes = Crypto.bytes(base64: String(words[1])) else {
      return nil
    }
    let halves = String(decoding: bytes, as: UTF8.self).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    return (PercentEncoding.decode(halves[0]), PercentEncoding.decode(halves[1]))
  }
}
