import TweetCore

/// Recent and full-archive search.
extension Service {
  private static let searchParameters =
    [
      "query", "start_time", "end_time", "since_id", "until_id", "max_results", "next_token", "pagination_token",
      "sort_order",
    ] + Selection.postParameters

  /// Longest query in scalars: of self-serve recent search, and of the archive's.
  private static let maxRecentQuery = 512
  private static let maxArchiveQuery = 1024
  /// How far the archive is searched where no start is given, in milliseconds.
  private static let archiveReach: Int64 = 30 * 86_400_000

  func search(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    let isRecent = call.endpoint == .searchRecent
    try request.allowOnly(Self.searchParameters)
    let selection = try Selection(request, of: .posts)
    let query = try query(request, longest: isRecent ? Self.maxRecentQuery : Self.maxArchiveQuery)
    let count = try request.number("max_results", in: 10...(isRecent ? 100 : 500), default: 10)
    let byLikes = try isByRelevancy(request)
    var range = try PageRange(request, tokens: ["next_token", "pagination_token"])
    if isRecent {
      try range.limitToRecent(request)
    } else if range.after == 0 {
      range.after = Snowflake.first(at: Timestamp(milliseconds: Timestamp.now.milliseconds - Self.archiveReach)) - 1
    }
    // Since 2026-05-04 keywords do not find retweets in search; other operators do.
    let posts = try collect(range, count: count) { post in
      query.matches(try searchable(post, retweetsHaveWords: false))
    }
    return try page(posts, count: count, selection, byLikes: byLikes)
  }

  private func query(_ request: HTTPRequest, longest: Int) throws(Problem) -> Query {
    let text = try request.required("query")
    guard text.unicodeScalars.count <= longest else {
      throw .invalid("query", text, "The `query` query parameter value is longer than \(longest) characters")
    }
    do {
      return try QueryParser.parse(text, as: .search)
    } catch {
      throw .invalid("query", text, "There were errors processing your request: \(error.message)")
    }
  }

  /// Relevancy is likes here, and orders each page for itself, so that pages still follow one another in time.
  private func isByRelevancy(_ request: HTTPRequest) throws(Problem) -> Bool {
    switch request.parameter("sort_order") {
    case nil, "recency"?: return false
    case "relevancy"?: return true
    case let text?:
      throw .invalid(
        "sort_order", text,
        "The `sort_order` query parameter value [\(text)] is not one of [recency,relevancy]")
    }
  }
}
