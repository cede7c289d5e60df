package import TweetCore

/// What proves to a service who asks. It is asked when a request starts, so that requests that waited, or are made
/// again, have the newest token and a fresh signature.
///
/// It is for one server: a transfer to another one ends before it is asked.
package protocol Credential: AnyObject, Sendable {
  /// Scheme, host and port of that server, as ``WebAddress/origin`` has them.
  var origin: String { get }
  /// Adds the header fields that authorize a request, and to its `secrets` what of them must not be shown. It may first
  /// renew a token, which is a request of its own and takes a moment, every few hours.
  ///
  /// - Throws: why it cannot; the request ends with it.
  func authorize(_ request: inout HTTPRequest) throws(TransferError)
  /// Decides after an answer with status 400 or 401 whether the request is to be sent once more, authorized anew.
  ///
  /// - Parameter request: as it was sent, with the fields that ``authorize(_:)`` has added.
  func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool
  /// Learns from an answer, whatever its status, what later requests must have.
  ///
  /// - Parameter request: as it was sent.
  /// - Returns: whether the service did nothing of what was asked because the request lacked just that, and it is to be
  ///   sent once more. Then ``afterRefusal(_:of:)`` is not asked.
  func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool
}

extension Credential {
  /// Most credentials do not change.
  package func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool { false }
  package func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}

/// A field that is always the same.
package final class FixedCredential: Credential {
  package let origin: String
  private let field: Secret

  /// - Parameters:
  ///   - field: the whole value of the field `Authorization`.
  ///   - server: an address of the server that it is for.
  package init(field: Secret, at server: String) {
    (self.field, origin) = (field, WebAddress.origin(of: server))
  }

  /// `Bearer` and a token (RFC 6750).
  package convenience init(bearer token: Secret, at server: String) {
    self.init(field: Secret("Bearer \(token.exposed)"), at: server)
  }

  package func authorize(_ request: inout HTTPRequest) { request.authorization = field }

  /// The token itself.
  package var token: Secret { field.afterScheme }
}

/// That of somebody without an account: it adds nothing.
package final class NoCredential: Credential {
  package let origin: String

  package init(at server: String) { origin = WebAddress.origin(of: server) }

  package func authorize(_ request: inout HTTPRequest) {}
}

extension HTTPRequest {
  /// The value of the field `Authorization`, its scheme first: `Bearer AAA`. What follows the scheme becomes one of its
  /// secrets.
  package var authorization: Secret? {
    get { headers.first { $0.name == "Authorization" }.map { Secret($0.value) } }
    set {
      guard let newValue else { return headers.removeAll { $0.name == "Authorization" } }
      setHeaders([HTTPHeader("Authorization", newValue.exposed)])
      secrets.append(newValue.afterScheme)
    }
  }
}

extension Secret {
  /// A field's value without its first word: `AAA` of `Bearer AAA`.
  fileprivate var afterScheme: Secret {
    Secret(exposed.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "")
  }
}
