import TweetCore

/// X v1.1's timelines and its search.
extension Service {
  /// Most posts of a timeline's answer, and how many come unasked.
  private static let maxTimeline = 200
  private static let usualTimeline = 20

  func timelineV1(_ call: Call, _ endpoint: V1Endpoint) throws -> HTTPResponse {
    let request = call.request
    let count = try request.countV1(most: Self.maxTimeline, default: Self.usualTimeline)
    let range = try request.rangeV1()
    var author: Int?
    var members: Set<Int>?
    switch endpoint {
    case .user:
      let isNamed = ["user_id", "screen_name"].contains { request.parameter($0) != nil }
      guard let account = isNamed ? try accountV1(request) : call.account else { throw Problem.v1NoSuchPage }
      author = account.id
    case .list: members = try store.members(of: listV1(request).id)
    default: break
    }
    // Counted before retweets and answers are left out, as X did: a page may have fewer than `count`.
    let posts = try collect(range, count: count, author: author) { post in
      if endpoint == .mentions { return try mentions(call.account, in: post) }
      return members?.contains(post.authorID) ?? true
    }
    let hasRetweets = request.isOn("include_rts", default: true)
    let hasReplies = !request.isOn("exclude_replies", default: false)
    let shown = posts.prefix(count).filter {
      (hasRetweets || $0.retweetOf == nil) && (hasReplies || $0.replyTo == nil)
    }
    return replyV1(.array(try shown.map(viewV1(call).object)))
  }

  private func listV1(_ request: HTTPRequest) throws -> AccountList {
    if let id = try request.idV1("list_id") {
      guard let list = try store.list(id) else { throw Problem.v1NoSuchPage }
      return list
    }
    guard let slug = request.parameter("slug") else {
      throw Problem.v1(400, 112, "You must specify either a list ID or a slug and owner.")
    }
    guard let owner = try accountV1(request, prefix: "owner_"),
      let list = try store.lists(ownedBy: owner.id).first(where: { $0.slug == slug })
    else { throw Problem.v1NoSuchPage }
    return list
  }

  // MARK: Search

  private static let maxSearch = 100
  private static let usualSearch = 15
  /// Longest query, in scalars.
  private static let maxQuery = 500

  func searchV1(_ call: Call) throws -> HTTPResponse {
    let start = ContinuousClock.now
    let request = call.request
    let text = request.parameter("q") ?? ""
    guard !text.isEmpty else { throw Problem.v1(400, 25, "Query parameters are missing.") }
    let query: Query
    do {
      guard text.unicodeScalars.count <= Self.maxQuery else { throw QueryParser.Fault(message: "too long") }
      query = try QueryParser.parse(text, as: .standard)
    } catch {
      throw Problem.v1(403, 195, "Missing or invalid url parameter.")
    }
    let count = try request.countV1(most: Self.maxSearch, default: Self.usualSearch)
    var range = try request.rangeV1()
    if let day = request.parameter("until") {
      guard let time = Timestamp(parsing: "\(day)T00:00:00Z") else {
        throw Problem.v1(400, 44, "until parameter is invalid.")
      }
      range.before = min(range.before, Snowflake.first(at: time))
    }
    let oldest = Timestamp(milliseconds: Timestamp.now.milliseconds - PageRange.searchReach)
    range.after = max(range.after, Snowflake.first(at: oldest) - 1)
    let language = request.parameter("lang")
    let posts = try collect(range, count: count) { post in
      guard language == nil || post.language == language else { return false }
      return query.matches(try searchable(post, retweetsHaveWords: true))
    }
    let shown = posts.prefix(count)
    let metadata = try searchMetadata(request, count: count, Array(shown), hasMore: posts.count > count, start)
    let statuses = JSON.array(try shown.map(viewV1(call).object))
    return replyV1(.object([("statuses", statuses), ("search_metadata", .object(metadata))]))
  }

  /// What the next requests are to ask; `next_results` only where there is more.
  private func searchMetadata(
    _ request: HTTPRequest, count: Int, _ shown: [Post], hasMore: Bool, _ start: ContinuousClock.Instant
  ) throws(Problem) -> JSON.Members {
    let since = try request.idV1("since_id") ?? 0
    let newest = try request.idV1("max_id") ?? shown.first?.id ?? 0
    let query = percentEncoded(request.parameter("q") ?? "")
    var rest = "&q=\(query)"
    for name in ["lang", "result_type"] {
      if let value = request.parameter(name) { rest += "&\(name)=\(percentEncoded(value))" }
    }
    let took = (ContinuousClock.now - start) / .milliseconds(1)
    var members: JSON.Members = [
      ("completed_in", .decimal("0.\(String(1000 + min(999, Int(took))).dropFirst())")),
      ("max_id", .number(newest)), ("max_id_str", .id(newest)),
    ]
    if hasMore, let last = shown.last {
      let next = "?max_id=\(last.id - 1)\(rest)&count=\(count)&include_entities=1"
      members.append(("next_results", .string(next)))
    }
    return members + [
      ("query", .string(query)), ("refresh_url", .string("?since_id=\(newest)\(rest)&include_entities=1")),
      ("count", .number(count)), ("since_id", .number(since)), ("since_id_str", .id(since)),
    ]
  }
}

/// Text for a query (RFC 3986's unreserved characters stay).
private func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF")
  return text.utf8.reduce(into: "") { result, byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      result.append("%")
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
  }
}
