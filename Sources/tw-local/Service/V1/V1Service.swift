import TweetCore

/// X v1.1's endpoints, and what their requests have in common.
extension Service {
  func answerV1(_ call: Call, _ endpoint: V1Endpoint) throws -> HTTPResponse {
    switch endpoint {
    case .filter, .sample: try openV1Stream(call)
    case .search: try searchV1(call)
    case .home, .user, .mentions, .list: try timelineV1(call, endpoint)
    case .show, .lookup: try lookUpPostsV1(call, asList: endpoint == .lookup)
    case .userShow, .userLookup: try lookUpUsersV1(call, asList: endpoint == .userLookup)
    case .credentials: try replyV1(viewV1(call).user(call.account))
    }
  }

  func replyV1(_ value: JSON) -> HTTPResponse {
    HTTPResponse(status: 200, type: "application/json; charset=utf-8", body: value.bytes)
  }

  /// How a request wants posts written.
  func viewV1(_ call: Call) -> V1PostView {
    let request = call.request
    var view = V1PostView(
      store: store, base: base, mode: request.parameter("tweet_mode") == "extended" ? .extended : .compat,
      viewer: call.account)
    view.trimsUsers = request.isOn("trim_user", default: false)
    view.hasEntities = request.isOn("include_entities", default: true)
    view.hasAltText = request.isOn("include_ext_alt_text", default: false)
    return view
  }

  // MARK: Look-ups

  private func lookUpPostsV1(_ call: Call, asList: Bool) throws -> HTTPResponse {
    let view = viewV1(call)
    let ids = try call.request.idsV1("id")
    let found = try ids.compactMap(store.post)
    if asList { return replyV1(.array(try found.map(view.object))) }
    guard let post = found.first else { throw Problem.v1(404, 144, "No status found with that ID.") }
    return replyV1(try view.object(post))
  }

  private func lookUpUsersV1(_ call: Call, asList: Bool) throws -> HTTPResponse {
    let request = call.request
    var view = viewV1(call)
    view.trimsUsers = false
    var found: [Account] = []
    if request.parameter("user_id") != nil { found += try request.idsV1("user_id").compactMap(store.account) }
    for name in (request.parameter("screen_name") ?? "").split(separator: ",") {
      if let account = try store.account(named: String(name)) { found.append(account) }
    }
    if asList {
      if found.isEmpty { throw Problem.v1(404, 17, "No user matches for specified terms.") }
      return replyV1(.array(try found.map(view.user)))
    }
    guard let account = found.first else { throw Problem.v1(404, 50, "User not found.") }
    return replyV1(try view.user(account))
  }

  /// The account that a timeline's request names: `user_id` or `screen_name`, behind a prefix for lists.
  func accountV1(_ request: HTTPRequest, prefix: String = "") throws -> Account? {
    if let id = try request.idV1(prefix + (prefix.isEmpty ? "user_id" : "id")) { return try store.account(id) }
    return try request.parameter(prefix + "screen_name").flatMap(store.account(named:))
  }
}

/// Reading of v1.1's parameters: those that nobody knows are passed over, as there.
extension HTTPRequest {
  func isOn(_ name: String, default fallback: Bool) -> Bool {
    guard let value = parameter(name)?.lowercased() else { return fallback }
    return ["true", "1", "t"].contains(value)
  }

  func idV1(_ name: String) throws(Problem) -> Int? {
    guard let text = parameter(name) else { return nil }
    guard let id = Int(text), id >= 0 else { throw .v1(400, 44, "\(name) parameter is invalid.") }
    return id
  }

  /// How many, at most `most`; more is read as that.
  func countV1(most: Int, default fallback: Int) throws(Problem) -> Int {
    guard let text = parameter("count") else { return fallback }
    guard let number = Int(text), number > 0 else { throw .v1(400, 44, "count parameter is invalid.") }
    return min(number, most)
  }

  private static let maxIDs = 100

  func idsV1(_ name: String) throws(Problem) -> [Int] {
    var ids: [Int] = []
    for text in (parameter(name) ?? "").split(separator: ",") {
      guard let id = Int(text) else { throw .v1(400, 44, "\(name) parameter is invalid.") }
      ids.append(id)
    }
    guard !ids.isEmpty else { throw .v1(403, 38, "\(name) parameter is missing.") }
    guard ids.count <= Self.maxIDs else { throw .v1(403, 18, "Too many terms specified in query.") }
    return ids
  }

  /// Between `since_id`, itself left out, and `max_id`, itself in it.
  func rangeV1() throws(Problem) -> PageRange {
    let last = try idV1("max_id") ?? .max
    return PageRange(after: try idV1("since_id") ?? 0, before: last == .max ? last : last + 1)
  }
}
