import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// OAuth 2.0 at a server that is found by the name of an account.
extension Login {
  func signIn(by found: any FoundOAuth) throws(ToolError) -> ServiceAccount.Name {
    let name = try personsName()
    let scopes = options.wantedScopes(service)
    let clientID =
      if let given = options.clientId { given } else { try found.clientID(redirect: options.redirect, scopes: scopes) }
    let server = try found.find(name, at: service.base, caFile: caFile)
    let key = try ES256Key()
    let signIn = try OAuth2SignIn(
      at: server, of: service, key: key, clientID: clientID, redirect: options.redirect, scopes: scopes, caFile: caFile)
    let page = try signIn.pushedPage(server.pushURL, name: server.user.name)
    return try askPerson(page: page, signIn.read(pasted:), signIn.read) { (code) throws(ToolError) in
      let answer = try signIn.exchange(code)
      let end = Timestamp(milliseconds: Timestamp.now.milliseconds + found.lifetime)
      let kept = try keep(answer, server, key, end, clientID)
      note(end, found, missing: scopes.filter { answer.scopes?.contains($0) == false })
      return kept
    }
  }

  private func keep(
    _ answer: TokenAnswer, _ server: AuthorizationServer, _ key: ES256Key, _ end: Timestamp, _ clientID: String
  ) throws(ToolError) -> ServiceAccount.Name {
    // Another account's server could sign a person in as somebody else.
    guard let user = answer.user, user == server.user.id else {
      throw .notAllowed(
        "not signed in: the server answers for \(answer.user ?? "nobody"), and not for \(server.user.id)")
    }
    guard answer.scopes?.contains("atproto") == true else {
      throw .notAllowed("not signed in: the server has allowed nothing that the tools can use")
    }
    var account = ServiceAccount(name(server.user), base: server.base, method: .oauth2)
    account.userID = user
    account.scopes = answer.scopes ?? []
    account.clientID = clientID
    (account.tokenURL, account.revokeURL) = (server.tokenURL, server.revokeURL)
    var bound = answer.tokens
    bound.binding = TokenFile.Binding(key: key, user: user, endsAt: end)
    let tokens = TokenFile(account.name)
    try tokens.lock { () throws(ToolError) in try tokens.write(bound) }
    return try keep(account)
  }

  private func note(_ end: Timestamp, _ found: any FoundOAuth, missing: [String]) {
    Diagnostics.note(
      "this sign-in ends on \(end.rfc3339.prefix(10)): run the same command then; \(found.lastingAdvice)")
    if !missing.isEmpty {
      Diagnostics.warn("not allowed, so that some commands will not work: \(missing.joined(separator: " "))")
    }
  }
}
