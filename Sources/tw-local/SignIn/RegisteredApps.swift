import TweetAccounts
import TweetCore

/// How a program that has registered itself gets tokens, as at Mastodon: with its secret in the form, and for ever.
extension Service {
  /// Any program that users sign in with.
  func client(_ key: String) -> Client? {
    if let client = signInState.client(key) { return client }
    return (try? reading { () throws(ToolError) in try store.registeredApp(key) }) ?? nil
  }

  /// The program of a request, which proves that it knows its secret.
  private func registeredApp(_ form: ServerRequest) throws -> Client {
    let (key, secret) =
      form.basicCredentials ?? (form.parameter("client_id") ?? "", form.parameter("client_secret") ?? "")
    guard let app = try store.registeredApp(key), Crypto.areEqual(secret.utf8, (app.secret ?? "").utf8) else {
      throw OAuth2Fault(401, "invalid_client", "Client authentication failed due to unknown client, or a wrong secret.")
    }
    return app
  }

  func issueMastodonToken(_ form: ServerRequest) throws -> ServerResponse {
    let app = try registeredApp(form)
    var token = LocalStore.Token(
      kind: .access, client: app.key, account: nil, scopes: [], grant: store.newID(at: .now))
    switch form.parameter("grant_type") {
    case "authorization_code":
      let code = try signInState.takeCode(form.parameter("code") ?? "", now: .now)
      guard let code, code.request.client.key == app.key, code.request.redirect == form.parameter("redirect_uri"),
        try code.request.challenge?.isMet(by: form.parameter("code_verifier") ?? "") ?? true
      else {
        throw OAuth2Fault(400, "invalid_grant", "The provided authorization grant is invalid, expired, or revoked.")
      }
      token = LocalStore.Token(
        kind: .access, client: app.key, account: code.account, scopes: code.request.scopes, grant: token.grant)
    case "client_credentials":
      guard let scopes = Scope.mastodon(form.parameter("scope") ?? "read") else {
        throw OAuth2Fault(400, "invalid_scope", "The requested scope is invalid, unknown, or malformed.")
      }
      token = LocalStore.Token(kind: .app, client: app.key, account: nil, scopes: scopes, grant: token.grant)
    default:
      throw OAuth2Fault(400, "unsupported_grant_type", "The authorization grant type is not supported.")
    }
    let text = try store.write { [token] () throws(ToolError) in try store.newToken(token, now: .now) }
    return ServerResponse(
      json: [
        "access_token": .string(text), "token_type": "Bearer", "scope": .string(Scope.mastodonText(token.scopes)),
        "created_at": .number(Int(Timestamp.now.milliseconds / 1000)),
      ])
  }

  /// Signs out. As RFC 7009 wants it, an unknown token is no error.
  func revokeMastodonToken(_ form: ServerRequest) throws -> ServerResponse {
    let app = try registeredApp(form)
    if let token = try store.token(form.parameter("token") ?? "", now: .now), token.client == app.key {
      try store.write { () throws(ToolError) in try store.revokeGrant(token.grant) }
    }
    return ServerResponse(json: [:])
  }
}
