import TweetCore

/// Recent and full-archive search.
extension Service {
  func search(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    try request.allowOnly(
      [
        "query", "start_time", "end_time", "since_id", "until_id", "max_results", "next_token", "pagination_token",
        "sort_order",
      ] + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let text = try request.required("query")
    guard text.unicodeScalars.count <= QueryParser.maxSearchLength else {
      throw Problem.invalid("query", text, "The `query` query parameter value is longer than 512 characters")
    }
    let query: Query
    do {
      query = try QueryParser.parse(text)
    } catch {
      throw Problem.invalid("query", text, "There were errors processing your request: \(error.message)")
    }
    let count = try request.number("max_results", in: 10...100, default: 10)
    var range = try PageRange(request, tokens: ["next_token", "pagination_token"])
    try range.limitToRecent(request)
    // Since 2026-05-04 keywords do not find retweets in search; other operators do.
    let posts = try collect(range, count: count) { post in
      query.matches(try searchable(post, retweetsHaveWords: false))
    }
    return try page(posts, count: count, selection)
  }
}
