/// What this service answers, with X's paths.
enum Endpoint: Hashable, Sendable {
  case postLookup, posts, createPost, deletePost
  case searchRecent, searchAll
  case stream, sample, rules, changeRules
  case connections, endStreams, endStreamsOfKind, usage
  case me, user, users, userByName, usersByName
  case timeline, mentions, home
  case list, ownedLists, listMembers, listPosts
  case like, unlike, retweet, unretweet
  /// Those of v1.1.
  case v1(V1Endpoint)

  /// Requests in a window: X's limits per user, per app where a stream or its rules are meant.
  var limit: Int {
    switch self {
    case .postLookup, .user, .users, .userByName, .usersByName, .timeline, .listPosts, .listMembers: 900
    case .posts: 5000
    case .searchRecent, .searchAll, .mentions: 300
    case .home: 180
    case .me, .list: 75
    case .ownedLists: 15
    case .rules: 450
    case .createPost, .changeRules: 100
    case .stream, .sample, .connections, .endStreams, .endStreamsOfKind, .usage, .deletePost, .like, .unlike, .retweet,
      .unretweet:
      50
    case .v1(let endpoint): endpoint.limit
    }
  }

  /// The endpoint of a request and the ids or names in its path, in order.
  /// - Throws: 404 for a path X does not have, 405 for one it has with other methods.
  static func find(_ request: HTTPRequest) throws(Problem) -> (endpoint: Endpoint, parts: [String]) {
    var isKnownPath = false
    for route in routes where route.path.count == request.path.count {
      var parts: [String] = []
      let fits = zip(route.path, request.path).allSatisfy { pattern, part in
        if pattern == "*" { parts.append(part) }
        return pattern == "*" || pattern == part
      }
      guard fits else { continue }
      if route.method == request.method { return (route.endpoint, parts) }
      isKnownPath = true
    }
    throw isKnownPath ? .wrongMethod : .noSuchPage
  }

  // In the table fixed paths stand before patterns they would fit.
  private static let routes: [(method: String, path: [Substring], endpoint: Endpoint)] =
    (table + v1Table).map { (method: $0.0, path: $0.1.split(separator: "/"), endpoint: $0.2) }

  private static let v1Table = V1Endpoint.allCases.flatMap { endpoint in
    endpoint.methods.map { ($0, endpoint.path, Endpoint.v1(endpoint)) }
  }

  private static let table: [(String, String, Endpoint)] = [
    ("GET", "/2/tweets/search/recent", .searchRecent),
    ("GET", "/2/tweets/search/all", .searchAll),
    ("GET", "/2/tweets/search/stream", .stream),
    ("GET", "/2/tweets/sample/stream", .sample),
    ("GET", "/2/tweets/search/stream/rules", .rules),
    ("POST", "/2/tweets/search/stream/rules", .changeRules),
    ("GET", "/2/tweets", .posts),
    ("POST", "/2/tweets", .createPost),
    ("GET", "/2/tweets/*", .postLookup),
    ("DELETE", "/2/tweets/*", .deletePost),
    ("GET", "/2/connections", .connections),
    ("DELETE", "/2/connections/all", .endStreams),
    ("DELETE", "/2/connections/*", .endStreamsOfKind),
    ("GET", "/2/usage/tweets", .usage),
    ("GET", "/2/users/me", .me),
    ("GET", "/2/users/by", .usersByName),
    ("GET", "/2/users/by/username/*", .userByName),
    ("GET", "/2/users", .users),
    ("GET", "/2/users/*", .user),
    ("GET", "/2/users/*/tweets", .timeline),
    ("GET", "/2/users/*/mentions", .mentions),
    ("GET", "/2/users/*/timelines/reverse_chronological", .home),
    ("GET", "/2/users/*/owned_lists", .ownedLists),
    ("GET", "/2/lists/*", .list),
    ("GET", "/2/lists/*/members", .listMembers),
    ("GET", "/2/lists/*/tweets", .listPosts),
    ("POST", "/2/users/*/likes", .like),
    ("DELETE", "/2/users/*/likes/*", .unlike),
    ("POST", "/2/users/*/retweets", .retweet),
    ("DELETE", "/2/users/*/retweets/*", .unretweet),
  ]
}
