package import TweetCore

/// What proves to a service who asks. A request asks it for the field `Authorization` when it starts, so that requests
/// that waited, or are made again, have the newest token and a fresh signature.
package protocol Credential: AnyObject, Sendable {
  /// The value of the field, its scheme first: `Bearer AAA`. It may first renew the token, which is a request of its own
  /// and takes a moment, every few hours.
  ///
  /// - Throws: why there is none; the request ends with it.
  func field(for request: HTTPRequest) throws(TransferError) -> Secret
  /// Decides after a 401 whether the request is to be sent once more.
  ///
  /// - Parameter field: what the request was sent with.
  /// - Returns: whether there is another value now.
  func hasReplacement(for field: Secret) throws(TransferError) -> Bool
}

extension Credential {
  /// Most credentials do not change.
  package func hasReplacement(for field: Secret) throws(TransferError) -> Bool { false }
}

/// A field that is always the same.
package final class FixedCredential: Credential {
  private let field: Secret

  /// - Parameter field: the whole value of the field `Authorization`.
  package init(field: Secret) { self.field = field }

  /// `Bearer` and a token (RFC 6750).
  package convenience init(bearer token: Secret) { self.init(field: Secret("Bearer \(token.exposed)")) }

  package func field(for request: HTTPRequest) -> Secret { field }

  /// The token itself.
  package var token: Secret { field.afterScheme }
}

extension Secret {
  /// A field's value without its first word: `AAA` of `Bearer AAA`.
  var afterScheme: Secret {
    Secret(exposed.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "")
  }
}
