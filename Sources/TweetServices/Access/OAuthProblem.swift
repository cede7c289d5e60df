import TweetCore
package import TweetNet

/// What an endpoint of OAuth says is wrong (RFC 6749 §5.2), or X in its own forms.
package struct OAuthProblem: Sendable {
  /// `invalid_grant`, `access_denied`, …; empty if there is none.
  package let code: String
  /// For people; never empty.
  package let text: String

  package init(_ response: HTTPResponse) {
    guard let document = try? JSONDocument(response.body), let code = document["error"]?.nonEmptyString else {
      self.code = ""
      text = ServiceProblem(response).text
      return
    }
    self.code = code
    let detail = document["error_description"]?.nonEmptyString ?? document["message"]?.nonEmptyString
    text = response.secrets.hidden(in: detail.map { "\($0) (\(code))" } ?? code)
  }
}
