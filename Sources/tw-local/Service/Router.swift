/// One endpoint of an API. Each file of `V1`, `V2`, `Mastodon` and `Bluesky` has a table of those it answers.
struct Endpoint: Sendable {
  typealias Handler = @Sendable (_ service: isolated Service, _ call: Call) throws -> ServerResponse

  /// Methods and path, which no other endpoint has.
  let name: String
  /// Requests in a window: X's limits for a user; for streams and their rules, those for an app.
  let limit: Int
  let access: Access
  let handler: Handler
  fileprivate let methods: [String]
  fileprivate let pattern: [Substring]

  /// - Parameter path: `*` in it stands for an id or a name.
  init(_ methods: String..., path: String, limit: Int, access: Access = .reading, handler: @escaping Handler) {
    name = "\(methods.joined(separator: ",")) \(path)"
    self.methods = methods
    self.limit = limit
    self.access = access
    self.handler = handler
    pattern = path.split(separator: "/")
  }

  /// The ids and names in a path, in order; `nil` for a path that is not this endpoint's.
  fileprivate func values(in path: [String]) -> [String]? {
    guard path.count == pattern.count else { return nil }
    var values: [String] = []
    for (expected, part) in zip(pattern, path) {
      if expected == "*" { values.append(part) } else if expected != part { return nil }
    }
    return values
  }
}

/// A request that found its endpoint and may be answered.
struct Call {
  let request: ServerRequest
  let endpoint: Endpoint
  /// The ids and names in the path, in order.
  let pathValues: [String]
  let caller: Caller

  /// The user who has sent it. Endpoints that programs may use too have no other use for it than to mark what is the
  /// user's own.
  var viewer: LocalAccount? { caller.user }

  /// The same where the endpoint's ``Endpoint/access`` needs a user.
  var account: LocalAccount {
    get throws(Problem) {
      guard let user = caller.user else { throw .userNeeded }
      return user
    }
  }
}

/// Finds the endpoint of a request.
enum Router {
  /// The first match wins, so each table has fixed paths before patterns that would match them too.
  static let endpoints =
    Endpoint.lookups + Endpoint.searches + Endpoint.timelines + Endpoint.marks + Endpoint.lists + Endpoint.writing
    + Endpoint.relations
    + Endpoint.uploads
    + Endpoint.streams
    + Endpoint.rules + Endpoint.v1Lookups + Endpoint.v1Timelines + Endpoint.v1Writing + Endpoint.v1Uploads
    + Endpoint.v1Streams
  static let mastodonEndpoints =
    Endpoint.mastodonServer + Endpoint.mastodonTimelines + Endpoint.mastodonAccounts + Endpoint.mastodonStatuses
    + Endpoint.mastodonMarks + Endpoint.mastodonStreams
  static let blueskyEndpoints =
    Endpoint.blueskySessions + Endpoint.blueskyRecords + Endpoint.blueskyFeeds + Endpoint.blueskyPeople
    + Endpoint.blueskyLists
    + Endpoint.jetstream + Endpoint.blueskyDirectory

  /// - Throws: 404 for an unknown path, 405 for a path that has only other methods.
  static func endpoint(
    for request: ServerRequest, in version: APIVersion
  ) throws(Problem) -> (endpoint: Endpoint, pathValues: [String]) {
    var isKnownPath = false
    let table =
      switch version {
      case .v2, .v1: endpoints
      case .mastodon: mastodonEndpoints
      case .bluesky: blueskyEndpoints
      }
    for endpoint in table {
      guard let values = endpoint.values(in: request.path) else { continue }
      if endpoint.methods.contains(request.method) { return (endpoint, values) }
      isKnownPath = true
    }
    throw isKnownPath ? .wrongMethod : .noSuchPage
  }
}
