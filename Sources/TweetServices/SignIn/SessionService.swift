package import TweetAccounts
package import TweetCore
package import TweetNet

/// Sign-in by a name and a password, for which the service gives a session: a token that works for some hours, and one
/// that gets the next two.
package protocol SessionService: Sendable {
  /// What a person has to type, for messages.
  var passwordName: String { get }
  /// Finds the account's own server, and begins a session there.
  ///
  /// - Parameter base: the address that knows where accounts are.
  func begin(_ name: String, password: Secret, at base: String, caFile: String?) throws(ToolError) -> OpenedSession
  /// Asks the account's server for the next tokens.
  func renewal(by token: Secret, at base: String) -> HTTPRequest
  /// Reads the answer to it; `nil` if it has no tokens.
  func tokens(in answer: HTTPResponse) -> TokenFile.Tokens?
  /// Whether an answer with status 400 or 401 says that the token has expired.
  func isExpired(_ answer: HTTPResponse) -> Bool
  /// Ends the session.
  func end(by token: Secret, at base: String) -> HTTPRequest
}

/// A session that has begun.
package struct OpenedSession: Sendable {
  /// The account's server, which alone gets its tokens: a URL without a slash at its end.
  package let base: String
  package let user: ServiceUser
  package let tokens: TokenFile.Tokens

  package init(base: String, user: ServiceUser, tokens: TokenFile.Tokens) {
    (self.base, self.user, self.tokens) = (base, user, tokens)
  }
}
