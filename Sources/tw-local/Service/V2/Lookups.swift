import TweetCore

/// Look-ups of posts and users by id or name, and what every answer with posts is made of.
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
    usage.add(found, at: .now)
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
  func body(
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
}
