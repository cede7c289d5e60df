import TweetCore

/// Look-ups of posts and users by v1.1.
extension Endpoint {
  static let v1Lookups = [
    Endpoint("GET", path: "/1.1/statuses/show.json", limit: 900) { service, call in
      guard let post = try service.v1Posts(call).first else {
        throw Problem.v1(status: 404, code: 144, message: "No status found with that ID.")
      }
      return ServerResponse(json: try service.v1View(call).object(post))
    },
    Endpoint("GET", "POST", path: "/1.1/statuses/lookup.json", limit: 900) { service, call in
      let view = service.v1View(call)
      return ServerResponse(json: .array(try service.v1Posts(call).map(view.object)))
    },
    Endpoint("GET", path: "/1.1/users/show.json", limit: 900) { service, call in
      guard let account = try service.v1Accounts(call).first else {
        throw Problem.v1(status: 404, code: 50, message: "User not found.")
      }
      return ServerResponse(json: try service.v1UserView(call).user(account))
    },
    Endpoint("GET", "POST", path: "/1.1/users/lookup.json", limit: 900) { service, call in
      let (accounts, view) = (try service.v1Accounts(call), service.v1UserView(call))
      if accounts.isEmpty { throw Problem.v1(status: 404, code: 17, message: "No user matches for specified terms.") }
      return ServerResponse(json: .array(try accounts.map(view.user)))
    },
    Endpoint("GET", path: "/1.1/account/verify_credentials.json", limit: 75, access: .user()) { service, call in
      ServerResponse(json: try service.v1UserView(call).user(try call.account))
    },
  ]
}

extension Service {
  /// Writes posts in the form that a request asks for.
  func v1View(_ call: Call) -> V1PostView {
    let request = call.request
    var view = V1PostView(
      reader: reader, mode: request.parameter("tweet_mode") == "extended" ? .extended : .compat, viewer: call.viewer)
    view.trimsUsers = request.v1Flag("trim_user", default: false)
    view.hasEntities = request.v1Flag("include_entities", default: true)
    view.hasAltText = request.v1Flag("include_ext_alt_text", default: false)
    return view
  }

  /// The same for endpoints whose answers are users.
  func v1UserView(_ call: Call) -> V1PostView {
    var view = v1View(call)
    view.trimsUsers = false
    return view
  }

  fileprivate func v1Posts(_ call: Call) throws -> [Post] { try call.request.v1IDs("id").compactMap(store.post) }

  /// The accounts that `user_id` and `screen_name` name.
  fileprivate func v1Accounts(_ call: Call) throws -> [LocalAccount] {
    let request = call.request
    var found: [LocalAccount] = []
    if request.parameter("user_id") != nil { found += try request.v1IDs("user_id").compactMap(store.account) }
    for name in (request.parameter("screen_name") ?? "").split(separator: ",") {
      if let account = try store.account(named: String(name)) { found.append(account) }
    }
    return found
  }
}

/// Reads parameters that v1.1 has in its own form. Unlike v2 it ignores parameters that it does not know.
extension ServerRequest {
  func v1Flag(_ name: String, default fallback: Bool) -> Bool {
    guard let value = parameter(name)?.lowercased() else { return fallback }
    return ["true", "1", "t"].contains(value)
  }

  /// `count`, at most `most`; more is read as that.
  func v1Count(most: Int, default fallback: Int) throws(Problem) -> Int {
    min(try number("count", in: 1...Int.max, default: fallback), most)
  }

  private static let maxIDs = 100

  /// Ids between commas.
  func v1IDs(_ name: String) throws(Problem) -> [Int] {
    let ids = try (parameter(name) ?? "").split(separator: ",").map { (text) throws(Problem) in
      try Self.id(String(text), of: name)
    }
    guard !ids.isEmpty else { throw .v1(status: 403, code: 38, message: "\(name) parameter is missing.") }
    guard ids.count <= Self.maxIDs else {
      throw .v1(status: 403, code: 18, message: "Too many terms specified in query.")
    }
    return ids
  }
}
