import TweetCore

/// Follows and bookmarks.
extension Endpoint {
  static let relations = [
    Endpoint("POST", path: "/2/users/*/following", limit: 50, access: .user(.followsWrite)) { service, call in
      try service.setFollow(true, of: RequestBody(call.request).requiredID("target_user_id"), call)
    },
    Endpoint("DELETE", path: "/2/users/*/following/*", limit: 50, access: .user(.followsWrite)) { service, call in
      try service.setFollow(false, of: ServerRequest.id(call.pathValues[1], of: "target_user_id"), call)
    },
    Endpoint("POST", path: "/2/users/*/bookmarks", limit: 50, access: .user(.bookmarkWrite)) { service, call in
      try service.setBookmark(true, of: RequestBody(call.request).requiredID("tweet_id"), call)
    },
    Endpoint("DELETE", path: "/2/users/*/bookmarks/*", limit: 50, access: .user(.bookmarkWrite)) { service, call in
      try service.setBookmark(false, of: ServerRequest.id(call.pathValues[1], of: "tweet_id"), call)
    },
  ]
}

extension Call {
  /// Refuses a path that begins with the id of another account than the user's.
  func requireOwnID() throws(Problem) {
    guard try pathValues[0] == String(account.id) else {
      throw .forbidden("The `id` in the path must be the id of the authenticated user.")
    }
  }
}

extension Service {
  fileprivate func setFollow(_ isFollowing: Bool, of followed: Int, _ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    try call.requireOwnID()
    let account = try call.account
    guard followed != account.id else { throw Problem.forbidden("You cannot follow yourself.") }
    guard try store.account(followed) != nil else { return notFound("user", id: followed) }
    try store.write { () throws(ToolError) in try store.setFollow(isFollowing, of: followed, by: account.id) }
    var members: JSON.Members = [("following", .bool(isFollowing))]
    if isFollowing { members.append(("pending_follow", .bool(false))) }
    return ServerResponse(json: ["data": .object(members)])
  }

  fileprivate func setBookmark(_ isBookmarked: Bool, of post: Int, _ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    try call.requireOwnID()
    let account = try call.account
    guard try store.post(post) != nil else { throw Problem.post(.noSuchPost(post)) }
    try setBookmark(isBookmarked, of: post, by: account)
    return ServerResponse(json: ["data": ["bookmarked": .bool(isBookmarked)]])
  }

  /// Bookmarks a post, or undoes that.
  func setBookmark(_ isBookmarked: Bool, of post: Int, by account: LocalAccount) throws(ToolError) {
    try store.write { () throws(ToolError) in try store.setBookmark(isBookmarked, of: post, by: account.id) }
  }

  /// A page of the posts that an account has marked, or of its accounts, the latest first; and the number after which
  /// the next page begins, if there is one.
  func related(
    _ relation: Relation, to account: Int, before number: Int, count: Int
  ) throws(ToolError) -> (ids: [Int], next: Int?) {
    let found = try store.related(relation, to: account, before: number, limit: count + 1)
    let shown = found.prefix(count)
    return (shown.map(\.id), found.count > count ? shown.last?.number : nil)
  }
}
