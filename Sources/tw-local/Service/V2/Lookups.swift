import TweetCore

/// Look-ups of posts and users by id or name.
extension Endpoint {
  static let lookups = [
    Endpoint("GET", path: "/2/tweets", limit: 5000) { try $0.lookUpPosts($1, asList: true) },
    Endpoint("GET", path: "/2/tweets/*", limit: 900) { try $0.lookUpPosts($1, asList: false) },
    Endpoint("GET", path: "/2/users/me", limit: 75, access: .user()) { service, call in
      try service.lookUpUsers(call, [String(try call.account.id)], "id", asList: false)
    },
    Endpoint("GET", path: "/2/users/by", limit: 900) { service, call in
      try service.lookUpUsers(call, call.request.list("usernames"), "usernames", asList: true)
    },
    Endpoint("GET", path: "/2/users/by/username/*", limit: 900) { service, call in
      try service.lookUpUsers(call, call.pathValues, "username", asList: false)
    },
  ]
}

extension Service {
  fileprivate func lookUpPosts(_ call: Call, asList: Bool) throws -> ServerResponse {
    let parameter = asList ? "ids" : "id"
    try call.request.allowOnly((asList ? [parameter] : []) + Selection.postParameters)
    let selection = try Selection(call.request, of: .posts)
    var found: [Post] = []
    var missing: [JSON] = []
    for text in asList ? try call.request.list(parameter) : call.pathValues {
      if let post = try store.post(try ServerRequest.id(text, of: parameter)) {
        found.append(post)
      } else {
        missing.append(Problem.notFound("tweet", parameter: parameter, value: text))
      }
    }
    let view = view(selection)
    return ServerResponse(
      json: .object(
        members(
          try found.map(view.object), asList: asList, includes: try view.includes(for: found), missing: missing)))
  }

  /// - Parameters:
  ///   - wanted: ids or names.
  ///   - parameter: the parameter that they come from: `id`, `username`, `usernames`.
  fileprivate func lookUpUsers(
    _ call: Call, _ wanted: [String], _ parameter: String, asList: Bool
  ) throws -> ServerResponse {
    try call.request.allowOnly((asList ? [parameter] : []) + Selection.userParameters)
    let view = view(try Selection(call.request, of: .users))
    var found: [LocalAccount] = []
    var missing: [JSON] = []
    for text in wanted {
      let account: LocalAccount?
      if parameter == "id" {
        account = try store.account(try ServerRequest.id(text, of: parameter))
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
    return ServerResponse(json: .object(members(try found.map(view.object), asList: asList, missing: missing)))
  }

  /// X's rule for user names.
  nonisolated static func isUsername(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { $0.isASCII && ($0 == "_" || Words.isPart($0)) }
  }
}
