import Services
import TweetCore
import TweetNet
package import TweetServices

/// Requests to Bluesky's AppView: by itself, or through the server of an account.
package struct BlueskyRequests: Sendable {
  let access: ServiceAccess

  package init(_ access: ServiceAccess) { self.access = access }

  /// The account that asks: its DID or its handle; `nil` for a token that does not tell.
  var reader: String? { access.userID ?? access.account.flatMap { AccountName($0)?.text } }
  /// Asks whose token it is.
  var session: HTTPRequest { self.get("com.atproto.server.getSession", []) }

  /// A query of XRPC.
  func get(_ method: String, _ parameters: [(String, String)]) -> HTTPRequest {
    var request = access.request(.get, Self.path(method, parameters))
    if access.isAnonymous {
      request.credential = nil
    } else if method.hasPrefix("app.bsky.") {
      request.headers.append(Self.forAppView)
    }
    return request
  }

  /// Who is to answer what an account's server passes on.
  private static let forAppView = HTTPHeader("atproto-proxy", appView)
  static let appView = "did:web:api.bsky.app#bsky_appview"

  /// A procedure of XRPC.
  ///
  /// - Parameter json: its input.
  func post(_ method: String, _ json: [UInt8]) -> HTTPRequest { post(method, json, type: "application/json") }

  func post(_ method: String, _ body: [UInt8], type: String) -> HTTPRequest {
    var request = get(method, [])
    request.method = .post
    request.body = body
    request.headers.append(HTTPHeader("Content-Type", type))
    return request
  }

  /// The same to another server, without a credential.
  func get(from base: String, _ method: String, _ parameters: [(String, String)]) -> HTTPRequest {
    access.request(.get, Self.path(method, parameters), at: base)
  }

  private static func path(_ method: String, _ parameters: [(String, String)]) -> String {
    "/xrpc/\(method)" + (parameters.isEmpty ? "" : "?" + PercentEncoding.form(parameters))
  }

  func resolve(_ handle: String) -> HTTPRequest {
    get("com.atproto.identity.resolveHandle", [("handle", handle)])
  }

  /// Looks profiles up, at most 25.
  func profiles(of dids: [String]) -> HTTPRequest {
    get("app.bsky.actor.getProfiles", dids.map { ("actors", $0) })
  }

  /// Looks posts up, at most 25.
  func posts(_ ids: [String]) -> HTTPRequest { get("app.bsky.feed.getPosts", ids.map { ("uris", $0) }) }
}
