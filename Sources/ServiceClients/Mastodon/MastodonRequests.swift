import TweetCore
import TweetNet
import TweetServices

/// The requests of Mastodon's API, as its OpenAPI description names their parameters.
struct MastodonRequests: Sendable {
  let access: ServiceAccess

  init(_ access: ServiceAccess) { self.access = access }

  /// - Parameter path: with the query that is part of it, if any.
  func get(_ path: String, _ query: [(String, String)] = []) -> HTTPRequest {
    access.request(.get, path + (query.isEmpty ? "" : "?" + PercentEncoding.form(query)))
  }

  func delete(_ path: String) -> HTTPRequest { access.request(.delete, path) }

  /// - Parameter json: the body; `nil` for none.
  func post(_ path: String, _ json: String? = nil) -> HTTPRequest { send(.post, path, json) }
  func put(_ path: String, _ json: String) -> HTTPRequest { send(.put, path, json) }

  private func send(_ method: HTTPMethod, _ path: String, _ json: String?) -> HTTPRequest {
    var request = access.request(method, path)
    if json != nil { request.headers = [HTTPHeader("Content-Type", "application/json")] }
    request.body = Array((json ?? "").utf8)
    return request
  }

  // MARK: What several parts ask

  var instance: HTTPRequest { self.get("/api/v2/instance") }
  /// That of servers which do not have the other.
  var oldInstance: HTTPRequest { self.get("/api/v1/instance") }
  var ownAccount: HTTPRequest { self.get("/api/v1/accounts/verify_credentials") }
  var lists: HTTPRequest { self.get("/api/v1/lists") }

  func account(id: String) -> HTTPRequest { get("/api/v1/accounts/\(PercentEncoding.encode(id))") }
  func account(named name: String) -> HTTPRequest { get("/api/v1/accounts/lookup", [("acct", name)]) }
  /// Has the server fetch a post or an account of another server, if it does not know it, and say what it calls it.
  ///
  /// - Parameters:
  ///   - text: an address, or an account's name with its server.
  ///   - kind: `statuses` or `accounts`.
  func resolve(_ text: String, _ kind: String) -> HTTPRequest {
    get("/api/v2/search", [("q", text), ("resolve", "true"), ("type", kind)])
  }
  func source(of id: String) -> HTTPRequest { get("/api/v1/statuses/\(PercentEncoding.encode(id))/source") }
  func status(_ id: String) -> HTTPRequest { get("/api/v1/statuses/\(PercentEncoding.encode(id))") }

  /// A stream of server-sent events, which is held open.
  func events(at place: MastodonStreamPlace, _ stream: MastodonStreamName) -> HTTPRequest {
    var request = self.stream(at: place, "/" + stream.path, stream.query)
    request.headers = [HTTPHeader("Accept", "text/event-stream")]
    request.streaming = true
    return request
  }

  /// The same stream over a WebSocket.
  func socket(at place: MastodonStreamPlace, _ stream: MastodonStreamName) -> HTTPRequest {
    let name = stream.path.replacing("/", with: ":")
    var request = self.stream(at: place, "", [("stream", name)] + stream.query)
    request.webSocket = WebSocketOffer()
    return request
  }

  private func stream(at place: MastodonStreamPlace, _ path: String, _ query: [(String, String)]) -> HTTPRequest {
    var request = HTTPRequest(
      .get, place.base + "/api/v1/streaming" + path + (query.isEmpty ? "" : "?" + PercentEncoding.form(query)),
      reaching: place.addresses)
    request.credential = place.credential
    request.caFile = access.caFile
    return request
  }
}

/// Which stream: the last part of its address, such as `public/local`, and its parameters.
struct MastodonStreamName {
  let path: String
  let query: [(String, String)]

  init(_ path: String, _ query: [(String, String)] = []) { (self.path, self.query) = (path, query) }
}
