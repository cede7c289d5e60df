import TweetCore

/// Look-ups, search and timelines.
extension Service {
  func lookUpPosts(_ call: Call) throws -> HTTPResponse {
    let isList = call.endpoint == .posts
    try call.request.allowOnly((isList ? ["ids"] : []) + Selection.postParameters)
    let selection = try Selection(call.request, of: .posts)
    let parameter = isList ? "ids" : "id"
    let wanted = isList ? try call.request.list("ids") : call.parts
    var found: [Post] = []
    var missing: [JSON] = []
    for text in wanted {
      if let post = try store.post(try HTTPRequest.id(text, of: parameter)) {
        found.append(post)
      } else {
        missing.append(Problem.notFound("tweet", parameter: parameter, value: text))
      }
    }
    let view = view(selection)
    let objects = try found.map(view.object)
    return reply(try body(objects, asList: isList, surroundings: view.surroundings(of: found), missing: missing))
  }

  func lookUpUsers(_ call: Call) throws -> HTTPResponse {
    var found: [Account] = []
    var missing: [JSON] = []
    let request = call.request
    let parameter: String
    let wanted: [String]
    switch call.endpoint {
    case .me: (parameter, wanted) = ("id", [String(call.account.id)])
    case .user: (parameter, wanted) = ("id", call.parts)
    case .users: (parameter, wanted) = ("ids", try request.list("ids"))
    case .userByName: (parameter, wanted) = ("username", call.parts)
    default: (parameter, wanted) = ("usernames", try request.list("usernames"))
    }
    let isList = call.endpoint == .users || call.endpoint == .usersByName
    try request.allowOnly((isList ? [parameter] : []) + Selection.userParameters)
    let view = view(try Selection(request, of: .users))
    for text in wanted {
      let account: Account?
      if parameter.hasPrefix("id") {
        account = try store.account(try HTTPRequest.id(text, of: parameter))
      } else {
        guard Self.isUsername(text) else {
          throw Problem.invalid(
            parameter, text,
            "The `\(parameter)` query parameter value [\(text)] does not match ^[A-Za-z0-9_]{1,15}$")
        }
        account = try store.account(named: text)
      }
      if let account {
        found.append(account)
      } else {
        missing.append(Problem.notFound("user", parameter: parameter, value: text))
      }
    }
    return reply(body(try found.map(view.object), asList: isList, surroundings: [], missing: missing))
  }

  private static func isUsername(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0.isASCII && ($0 == "_" || Words.isPart($0)) }
  }

  /// `data`, `includes`, `errors`: each only when there is something in it.
  private func body(
    _ objects: [JSON], asList: Bool, surroundings: JSON.Members, missing: [JSON]
  ) -> JSON.Members {
    var members: JSON.Members = []
    if asList {
      if !objects.isEmpty { members.append(("data", .array(objects))) }
    } else if let object = objects.first {
      members.append(("data", object))
    }
    var errors = missing
    for part in surroundings {
      if part.key == "errors", case .array(let more) = part.value { errors += more } else { members.append(part) }
    }
    if !errors.isEmpty { members.append(("errors", .array(errors))) }
    return members
  }

  // MARK: Pages of posts

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

  func timeline(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    let isHome = call.endpoint == .home
    let excluding = call.endpoint == .mentions ? [] : ["exclude"]
    try request.allowOnly(
      ["start_time", "end_time", "since_id", "until_id", "max_results", "pagination_token"] + excluding
        + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    guard let account = try store.account(id) else {
      return reply([("errors", .array([Problem.notFound("user", parameter: "id", value: String(id))]))])
    }
    if isHome, account.id != call.account.id {
      throw Problem.forbidden("The `id` must be the id of the authenticated user.")
    }
    let excluded = try exclusions(request)
    let count = try request.number(
      "max_results", in: isHome ? 1...100 : 5...100, default: isHome ? 100 : 10)
    let range = try PageRange(request, tokens: ["pagination_token"])
    let isMentions = call.endpoint == .mentions
    let author = call.endpoint == .timeline ? account.id : nil
    let posts = try collect(range, count: count, author: author) { post in
      if excluded.contains("replies"), post.replyTo != nil { return false }
      if excluded.contains("retweets"), post.retweetOf != nil { return false }
      return try !isMentions || mentions(account, in: post)
    }
    return try page(posts, count: count, selection)
  }

  private func exclusions(_ request: HTTPRequest) throws(Problem) -> [Substring] {
    let text = request.parameter("exclude") ?? ""
    let values = text.split(separator: ",")
    for value in values where value != "replies" && value != "retweets" {
      throw .invalid(
        "exclude", text, "The `exclude` query parameter value [\(value)] is not one of [replies,retweets]")
    }
    return values
  }

  private func mentions(_ account: Account, in post: Post) throws -> Bool {
    guard post.retweetOf == nil, post.authorID != account.id else { return false }
    if post.replyToAuthor == account.id { return true }
    let name = account.username.lowercased()
    return TextEntity.find(in: post.text).contains { $0.kind == .mention && $0.value.lowercased() == name }
  }

  /// Rows read from the store at a time.
  private static let batch = 200

  /// The newest posts of a range that `fits` accepts: one more than `count` where there are more.
  private func collect(
    _ range: PageRange, count: Int, author: Int? = nil, _ fits: (Post) throws -> Bool
  ) throws -> [Post] {
    var found: [Post] = []
    var before = min(range.before, range.resume ?? .max)
    while found.count <= count {
      let batch = try store.posts(after: range.after, before: before, author: author, limit: Self.batch)
      for post in batch where found.count <= count {
        if try fits(post) { found.append(post) }
      }
      guard batch.count == Self.batch, let last = batch.last else { break }
      before = last.id
    }
    return found
  }

  private func page(_ posts: [Post], count: Int, _ selection: Selection) throws -> HTTPResponse {
    let shown = Array(posts.prefix(count))
    var meta: JSON.Members = []
    if let newest = shown.first, let oldest = shown.last {
      meta += [("newest_id", .id(newest.id)), ("oldest_id", .id(oldest.id))]
    }
    meta.append(("result_count", .number(shown.count)))
    if posts.count > count, let last = shown.last {
      meta.append(("next_token", .string(PageRange.token(after: last.id))))
    }
    let view = view(selection)
    let surroundings = try view.surroundings(of: shown)
    let members = body(try shown.map(view.object), asList: true, surroundings: surroundings, missing: [])
    return reply(members + [("meta", .object(meta))])
  }

  /// A post ready to be matched by queries.
  /// - Parameter retweetsHaveWords: whether keywords find a retweet by the original's text.
  func searchable(_ post: Post, retweetsHaveWords: Bool) throws -> SearchablePost {
    guard let author = try store.account(post.authorID) else {
      throw ToolError.bug("post \(post.id) has no author")
    }
    let original = try post.retweetOf.flatMap(store.post)
    let retweeted = try original.flatMap { try store.account($0.authorID) }
    let answered = try post.replyToAuthor.flatMap(store.account)
    return SearchablePost(
      post, author: author, original: original, retweetOf: retweeted?.username, repliesTo: answered?.username,
      hasWords: original == nil || retweetsHaveWords)
  }
}
