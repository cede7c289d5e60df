import TweetAccounts
package import TweetCore
import TweetNet

/// The token of an application alone, for its key and its secret (RFC 6749 §4.4).
package enum ApplicationSignIn {
  /// - Parameter endpoint: the one that gives tokens out, asked with the application's key and secret.
  package static func token(_ endpoint: TokenEndpoint) throws(ToolError) -> Secret {
    let response = try SignInRequest.send(endpoint.request([("grant_type", "client_credentials")], secrets: []))
    guard let answer = TokenAnswer(response) else {
      throw SignInRequest.refusal(
        response, "the service gives no token for the key: \(OAuthProblem(response).text); are key and secret right?")
    }
    return answer.tokens.access
  }

  /// Ends the token at the service.
  ///
  /// - Parameter endpoint: the one that invalidates tokens.
  package static func invalidate(_ token: Secret, _ endpoint: TokenEndpoint) throws(ToolError) {
    let response = try SignInRequest.send(endpoint.request([("access_token", token.exposed)], secrets: [token]))
    guard response.isSuccess else { throw SignInRequest.refusal(response, OAuthProblem(response).text) }
  }

  /// Asks the service whether it accepts the token: by a request that costs nothing.
  package static func check(_ access: ServiceAccess) throws(ToolError) {
    let response = try SignInRequest.send(access.api.tokenCheck(access))
    guard response.isSuccess else { throw access.api.refusal(response).error }
  }
}
