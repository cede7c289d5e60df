package import TweetCore
package import TweetNet

/// Sign-in by OAuth 2.0 at a server that an account's own server names, without an application that anybody registers:
/// requests are pushed (RFC 9126), and tokens are bound to a key of this machine (RFC 9449).
package protocol FoundOAuth: Sendable {
  /// What is asked for, if the person does not say: enough to read and write.
  var scopes: [String] { get }
  /// Milliseconds after which the service ends a sign-in, however often its tokens are renewed.
  var lifetime: Int64 { get }
  /// What lasts longer, for people.
  var lastingAdvice: String { get }
  /// Finds an account, its server, and the server that signs it in.
  ///
  /// - Parameter base: the address that knows where accounts are.
  /// - Throws: `ToolError.refused` for servers that do not name each other, or that cannot do what is needed.
  func find(_ name: String, at base: String, caFile: String?) throws(ToolError) -> AuthorizationServer
  /// The application that asks, which is known by what it asks for.
  ///
  /// - Parameter redirect: where the browser comes back to.
  /// - Throws: `ToolError.usage` for a redirect that no such application may have.
  func clientID(redirect: String, scopes: [String]) throws(ToolError) -> String
}

/// A server that signs an account in (RFC 8414).
package struct AuthorizationServer: Sendable {
  /// As it names itself, in its answers too.
  package let issuer: String
  package let pushURL: String
  package let authorizeURL: String
  package let tokenURL: String
  /// `nil` if a program cannot end a sign-in.
  package let revokeURL: String?
  /// The account's server, which alone gets the tokens: a URL without a slash at its end.
  package let base: String
  package let user: ServiceUser
  /// Which addresses its name may have.
  package let addresses: AddressPolicy

  package init(
    issuer: String, pushURL: String, authorizeURL: String, tokenURL: String, revokeURL: String?, base: String,
    user: ServiceUser, addresses: AddressPolicy
  ) {
    (self.issuer, self.pushURL, self.authorizeURL, self.tokenURL) = (issuer, pushURL, authorizeURL, tokenURL)
    (self.revokeURL, self.base, self.user, self.addresses) = (revokeURL, base, user, addresses)
  }
}
