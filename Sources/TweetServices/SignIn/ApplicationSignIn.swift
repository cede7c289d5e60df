import TweetAccounts
package import TweetCore
import TweetNet

/// The token of an application alone, for its key and its secret (RFC 6749 §4.4).
package enum ApplicationSignIn {
  package static func token(
    _ service: SignInService, key: String, secret: Secret, caFile: String?
  ) throws(ToolError) -> Secret {
    let request = request(
      service.appTokenURL, key, secret, [("grant_type", "client_credentials")], secrets: [], caFile)
    let response = try SignInRequest.send(request)
    guard let answer = TokenAnswer(response) else {
      throw SignInRequest.refusal(
        response, "the service gives no token for the key: \(OAuthProblem(response).text); are key and secret right?")
    }
    return answer.tokens.access
  }

  /// Ends the token at the service.
  package static func invalidate(
    _ token: Secret, _ service: SignInService, key: String, secret: Secret, caFile: String?
  ) throws(ToolError) {
    let request = request(
      service.appInvalidateURL, key, secret, [("access_token", token.exposed)], secrets: [token], caFile)
    let response = try SignInRequest.send(request)
    guard response.isSuccess else { throw SignInRequest.refusal(response, OAuthProblem(response).text) }
  }

  /// Asks the service whether it accepts the token: by a request that costs nothing.
  package static func check(_ access: ServiceAccess) throws(ToolError) {
    let response = try SignInRequest.send(access.api.tokenCheck(access))
    guard response.isSuccess else { throw access.api.refusal(response).error }
  }

  private static func request(
    _ url: String, _ key: String, _ secret: Secret, _ form: [(String, String)], secrets: [Secret], _ caFile: String?
  ) -> HTTPRequest {
    TokenEndpoint(url: url, clientID: key, clientSecret: secret, caFile: caFile).request(form, secrets: secrets)
  }
}
