import TweetCore

/// Search of the last week and of the archive.
extension Endpoint {
  static let searches = [
    Endpoint("GET", path: "/2/tweets/search/recent", limit: 300) { try $0.search(.recent, $1) },
    Endpoint("GET", path: "/2/tweets/search/all", limit: 300) { try $0.search(.archive, $1) },
  ]
}

private enum SearchRange {
  case recent, archive

  /// Longest query in scalars; for recent search that of self-serve accounts.
  var maxQuery: Int { self == .recent ? 512 : 1024 }
  var maxResults: Int { self == .recent ? 100 : 500 }
}

extension Service {
  private static let searchParameters =
    [
      "query", "start_time", "end_time", "since_id", "until_id", "max_results", "next_token", "pagination_token",
      "sort_order",
    ] + Selection.postParameters

  /// How far back the archive is searched where the request names no start, in milliseconds.
  private static let archiveReach: Int64 = 30 * 86_400_000

  fileprivate func search(_ searched: SearchRange, _ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.searchParameters)
    let selection = try Selection(request, of: .posts)
    let query = try query(request, maxLength: searched.maxQuery)
    let count = try request.number("max_results", in: 10...searched.maxResults, default: 10)
    let byLikes = try isByRelevancy(request)
    var range = try PostRange(request, tokenNames: ["next_token", "pagination_token"])
    switch searched {
    case .recent: try range.limitToRecent(request)
    case .archive where range.after == 0:
      range.start(at: Timestamp(milliseconds: Timestamp.now.milliseconds - Self.archiveReach))
    case .archive: break
    }
    // Since 2026-05-04 keywords do not find retweets in search; other operators do.
    let posts = try newestPosts(in: range, count: count) { post in
      query.matches(try searchable(post, retweetsHaveWords: false))
    }
    return try page(posts, count: count, selection, byLikes: byLikes)
  }

  private func query(_ request: ServerRequest, maxLength: Int) throws(Problem) -> PostQuery {
    let text = try request.required("query")
    guard text.unicodeScalars.count <= maxLength else {
      throw .invalid("query", text, "The `query` query parameter value is longer than \(maxLength) characters")
    }
    do {
      return try QueryParser.parse(text, as: .search)
    } catch {
      throw .invalid("query", text, "There were errors processing your request: \(error.message)")
    }
  }

  /// Relevancy means likes here. It orders each page for itself, so that pages still follow one another in time.
  private func isByRelevancy(_ request: ServerRequest) throws(Problem) -> Bool {
    switch request.parameter("sort_order") {
    case nil, "recency"?: return false
    case "relevancy"?: return true
    case let text?: throw .invalid("sort_order", text, value: text, isNotOneOf: ["recency", "relevancy"])
    }
  }
}
