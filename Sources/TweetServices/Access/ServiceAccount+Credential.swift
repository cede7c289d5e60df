package import TweetAccounts
package import TweetCore
package import TweetNet

extension ServiceAccount {
  /// What the account's requests are authorized with. Secrets that a command prints are asked for now.
  ///
  /// - Parameter service: how one signs in there; `nil` for a service that only a plugin knows.
  /// - Throws: `ToolError.configuration` when a part of it is missing, or a command fails.
  package func credential(_ service: SignInService?, caFile: String?) throws(ToolError) -> any Credential {
    switch method {
    case .oauth2:
      guard let service, let url = tokenURL ?? service.oauth2?.tokenURL, let clientID else {
        throw incomplete("client_id")
      }
      let endpoint = service.endpoint(
        url, clientID: clientID,
        clientSecret: try clientSecret?.reveal("the client secret of account '\(name)'"), caFile: caFile,
        reaching: try service.api.addresses(ofAccountAt: base))
      return RenewingCredential(name, at: base, endpoint: endpoint)
    case .password:
      guard let service, let session = service.session else { throw incomplete("method") }
      let addresses = try service.api.addresses(ofAccountAt: base)
      return RenewingCredential(
        name, at: base, endpoint: TokenEndpoint(session, at: base, caFile: caFile, reaching: addresses))
    case .oauth1:
      return SigningCredential(try signature(), at: base)
    case .app, .token:
      guard let token = try token?.reveal("the token of account '\(name)'") else { throw incomplete("token") }
      let bearer = Secret(bearer: token.exposed)
      guard bearer.isToken else {
        throw .configuration("the token of account '\(name)' has white space or other characters that no token has")
      }
      return FixedCredential(bearer: bearer, at: base)
    }
  }

  private func signature() throws(ToolError) -> OAuth1Signature {
    guard let clientID else { throw incomplete("client_id") }
    guard let consumerSecret = try clientSecret?.reveal("the API key's secret of account '\(name)'") else {
      throw incomplete("client_secret")
    }
    guard let token = try token?.reveal("the token of account '\(name)'") else { throw incomplete("token") }
    guard let tokenSecret = try tokenSecret?.reveal("the token's secret of account '\(name)'") else {
      throw incomplete("token_secret")
    }
    return OAuth1Signature(
      consumerKey: clientID, consumerSecret: consumerSecret, token: token.exposed, tokenSecret: tokenSecret)
  }

  private func incomplete(_ member: String) -> ToolError {
    .configuration("'\(Paths.credentials)': account '\(name)' has no '\(member)': run 'tw-auth login' again")
  }
}
