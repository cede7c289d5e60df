package import TweetCore

/// What proves that the program that spends an authorization code is the one that asked for it (RFC 7636, method S256).
package struct PKCE: Sendable {
  /// Sent with the code: 43 characters.
  package let verifier: Secret
  /// Sent when the code is asked for.
  package let challenge: String

  /// With a new random verifier.
  package init() throws(ToolError) {
    try self.init(verifier: Crypto.base64URL(Crypto.random(32)))
  }

  /// - Parameter verifier: 43 to 128 characters of `A-Za-z0-9-._~`.
  package init(verifier: String) throws(ToolError) {
    self.verifier = Secret(verifier)
    challenge = try Crypto.digest(verifier)
  }
}
