import TweetCore
import TweetNet
package import TweetServices

/// Requests to Bluesky's AppView: by itself, or through the server of an account.
package struct BlueskyRequests: Sendable {
  /// A page has some hundred kilobytes, a long thread some megabytes.
  private static let maxPage = 32 << 20
  /// Milliseconds after which a request is given up, and without a byte.
  static let timeout = 60_000
  private static let silence = 30_000

  let access: ServiceAccess

  package init(_ access: ServiceAccess) { self.access = access }

  /// A query of XRPC.
  func get(_ method: String, _ parameters: [(String, String)]) -> HTTPRequest {
    var request = get(from: access.base, method, parameters)
    request.credential = access.isAnonymous ? nil : access.credential
    if !access.isAnonymous, method.hasPrefix("app.bsky.") { request.headers.append(Self.forAppView) }
    return request
  }

  /// Who is to answer what an account's server passes on.
  private static let forAppView = HTTPHeader("atproto-proxy", "did:web:api.bsky.app#bsky_appview")

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
    let query = parameters.isEmpty ? "" : "?" + PercentEncoding.form(parameters)
    var request = HTTPRequest(.get, "\(base)/xrpc/\(method)\(query)")
    request.caFile = access.caFile
    request.totalTimeout = Self.timeout
    request.silenceTimeout = Self.silence
    request.maxBody = Self.maxPage
    return request
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
