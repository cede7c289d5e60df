import TweetCore

/// v1.1's timelines and its search.
extension Endpoint {
  static let v1Timelines = [
    Endpoint("GET", path: "/1.1/statuses/home_timeline.json", limit: 15, access: .user()) { service, call in
      let authors = try service.homeAuthors(call.account)
      return try service.v1Timeline(call) { authors.contains($0.authorID) }
    },
    Endpoint("GET", path: "/1.1/statuses/mentions_timeline.json", limit: 75, access: .user()) { service, call in
      let account = try call.account
      return try service.v1Timeline(call) { service.mentions(account, in: $0) }
    },
    Endpoint("GET", path: "/1.1/statuses/user_timeline.json", limit: 900) { service, call in
      try service.v1Timeline(call, author: service.v1TimelineAuthor(call).id)
    },
    Endpoint("GET", path: "/1.1/lists/statuses.json", limit: 900, access: .reading(.listRead)) { service, call in
      let authors = try service.store.members(of: service.v1List(call.request))
      return try service.v1Timeline(call) { authors.contains($0.authorID) }
    },
    Endpoint("GET", path: "/1.1/search/tweets.json", limit: 180) { try $0.v1Search($1) },
  ]
}

extension Service {
  private static let maxTimeline = 200
  private static let defaultTimeline = 20

  /// - Parameter author: an account's id, for a timeline of its posts alone.
  fileprivate func v1Timeline(
    _ call: Call, author: Int? = nil, where isIncluded: (Post) throws -> Bool = { _ in true }
  ) throws -> ServerResponse {
    let request = call.request
    let count = try request.v1Count(most: Self.maxTimeline, default: Self.defaultTimeline)
    let range = try PostRange(v1: request)
    let posts = try newestPosts(in: range, count: count, author: author, where: isIncluded).prefix(count)
    // Retweets and replies are left out after counting, as on X: a page may have fewer posts than `count`.
    let hasRetweets = request.v1Flag("include_rts", default: true)
    let hasReplies = !request.v1Flag("exclude_replies", default: false)
    let shown = posts.filter { (hasRetweets || $0.retweetOf == nil) && (hasReplies || $0.replyTo == nil) }
    return ServerResponse(json: .array(try shown.map(v1View(call).object)))
  }

  /// The account that a user timeline is of; without a name the caller's own.
  fileprivate func v1TimelineAuthor(_ call: Call) throws -> LocalAccount {
    let request = call.request
    if request.parameter("user_id") == nil, request.parameter("screen_name") == nil { return try call.account }
    let account =
      if let id = try request.id("user_id") { try store.account(id) } else {
        try request.parameter("screen_name").flatMap(store.account(named:))
      }
    guard let account else { throw Problem.v1NoSuchPage }
    return account
  }

  /// The list that a request names.
  fileprivate func v1List(_ request: ServerRequest) throws -> Int {
    guard let id = try request.id("list_id") else {
      throw Problem.v1(status: 400, code: 112, message: "You must specify a list ID.")
    }
    guard try store.hasList(id) else { throw Problem.v1NoSuchPage }
    return id
  }

  // MARK: Search

  private static let maxSearchResults = 100
  private static let defaultSearchResults = 15
  /// Longest query, in scalars.
  private static let maxQuery = 500

  fileprivate func v1Search(_ call: Call) throws -> ServerResponse {
    let start = ContinuousClock.now
    let request = call.request
    let query = try v1Query(request)
    let count = try request.v1Count(most: Self.maxSearchResults, default: Self.defaultSearchResults)
    var range = try PostRange(v1: request)
    if let day = request.parameter("until") {
      guard let time = Timestamp(day: day) else {
        throw Problem.invalid("until", day, "not a date")
      }
      range.end(at: time)
    }
    range.start(at: PostRange.searchStart)
    let language = request.parameter("lang")
    let posts = try newestPosts(in: range, count: count) { post in
      guard language == nil || post.language == language else { return false }
      return query.matches(try searchable(post, retweetsHaveWords: true))
    }
    let shown = Array(posts.prefix(count))
    let metadata = try v1SearchMetadata(request, count: count, shown, hasMore: posts.count > count, since: start)
    let statuses = JSON.array(try shown.map(v1View(call).object))
    return ServerResponse(json: ["statuses": statuses, "search_metadata": .object(metadata)])
  }

  private func v1Query(_ request: ServerRequest) throws(Problem) -> PostQuery {
    let text = request.parameter("q") ?? ""
    guard !text.isEmpty else { throw .v1(status: 400, code: 25, message: "Query parameters are missing.") }
    guard text.unicodeScalars.count <= Self.maxQuery, let query = try? QueryParser.parse(text, as: .standard) else {
      throw .v1(status: 403, code: 195, message: "Missing or invalid url parameter.")
    }
    return query
  }

  /// The requests for newer posts and for the next page, which is there only where there are more posts.
  /// - Parameter start: when the search began.
  private func v1SearchMetadata(
    _ request: ServerRequest, count: Int, _ shown: [Post], hasMore: Bool, since start: ContinuousClock.Instant
  ) throws(Problem) -> JSON.Members {
    let since = try request.id("since_id") ?? 0
    let newest = try request.id("max_id") ?? shown.first?.id ?? 0
    let query = PercentEncoding.encode(request.parameter("q") ?? "")
    var repeated = "&q=\(query)"
    for name in ["lang", "result_type"] {
      if let value = request.parameter(name) { repeated += "&\(name)=\(PercentEncoding.encode(value))" }
    }
    let milliseconds = min(999, Int((ContinuousClock.now - start) / .milliseconds(1)))
    var members: JSON.Members = [
      ("completed_in", .decimal("0.\(String(1000 + milliseconds).dropFirst())")),
      ("max_id", .number(newest)), ("max_id_str", .id(newest)),
    ]
    if hasMore, let last = shown.last {
      let next = "?max_id=\(last.id - 1)\(repeated)&count=\(count)&include_entities=1"
      members.append(("next_results", .string(next)))
    }
    return members + [
      ("query", .string(query)), ("refresh_url", .string("?since_id=\(newest)\(repeated)&include_entities=1")),
      ("count", .number(count)), ("since_id", .number(since)), ("since_id_str", .id(since)),
    ]
  }
}
