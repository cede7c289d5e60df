import TweetCore

/// Whom accounts follow, what they have bookmarked and what they like.
extension Endpoint {
  static let relations = [
    Endpoint("GET", path: "/2/users/*/following", limit: 300, access: .reading(.followsRead)) { service, call in
      try service.accounts(call) { (id) throws(ToolError) in try service.store.followed(by: id) }
    },
    Endpoint("GET", path: "/2/users/*/followers", limit: 300, access: .reading(.followsRead)) { service, call in
      try service.accounts(call) { (id) throws(ToolError) in try service.store.followers(of: id) }
    },
    Endpoint("POST", path: "/2/users/*/following", limit: 50, access: .user(.followsWrite)) { service, call in
      try service.setFollow(true, of: RequestBody(call.request).requiredID("target_user_id"), call)
    },
    Endpoint("DELETE", path: "/2/users/*/following/*", limit: 50, access: .user(.followsWrite)) { service, call in
      try service.setFollow(false, of: ServerRequest.id(call.pathValues[1], of: "target_user_id"), call)
    },
    Endpoint("GET", path: "/2/users/*/bookmarks", limit: 180, access: .user(.bookmarkRead)) { service, call in
      try call.requireOwnID()
      return try service.posts(call) { (id) throws(ToolError) in try service.store.bookmarks(of: id) }
    },
    Endpoint("POST", path: "/2/users/*/bookmarks", limit: 50, access: .user(.bookmarkWrite)) { service, call in
      try service.setBookmark(true, of: RequestBody(call.request).requiredID("tweet_id"), call)
    },
    Endpoint("DELETE", path: "/2/users/*/bookmarks/*", limit: 50, access: .user(.bookmarkWrite)) { service, call in
      try service.setBookmark(false, of: ServerRequest.id(call.pathValues[1], of: "tweet_id"), call)
    },
    Endpoint("GET", path: "/2/users/*/liked_tweets", limit: 75, access: .reading(.likeRead)) { service, call in
      try service.posts(call) { (id) throws(ToolError) in try service.store.likes(of: id) }
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
  private static let pageParameters = ["max_results", "pagination_token"]
  private static let maxAccounts = 1000
  private static let maxPosts = 100

  /// A page of the accounts that belong to the one in the path.
  fileprivate func accounts(_ call: Call, _ find: (Int) throws(ToolError) -> Set<Int>) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.userParameters)
    let view = view(try Selection(request, of: .users))
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.account(id) != nil else { return notFound("user", id: id) }
    return try page(of: try find(id), request, most: Self.maxAccounts, default: 100, view)
  }

  /// A page of accounts, by their ids.
  func page(
    of accounts: Set<Int>, _ request: ServerRequest, most: Int, default fallback: Int, _ view: PostView
  ) throws -> ServerResponse {
    let count = try request.number("max_results", in: 1...most, default: fallback)
    let after = try request.pageToken() ?? 0
    let ids = accounts.filter { $0 > after }.sorted()
    let shown = Array(ids.prefix(count))
    let objects = try shown.compactMap(store.account).map(view.object)
    let meta = pageMeta(shownIDs: shown, hasMore: ids.count > count)
    return ServerResponse(json: .object(members(objects, asList: true) + [("meta", .object(meta))]))
  }

  /// A page of the posts that belong to the account in the path, newest first.
  fileprivate func posts(_ call: Call, _ find: (Int) throws(ToolError) -> Set<Int>) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.account(id) != nil else { return notFound("user", id: id) }
    let count = try request.number("max_results", in: 1...Self.maxPosts, default: Self.maxPosts)
    let before = try request.pageToken() ?? .max
    let ids = try find(id).filter { $0 < before }.sorted(by: >).prefix(count + 1)
    return try page(try ids.compactMap(store.post), count: count, selection)
  }

  // MARK: Changes

  fileprivate func setFollow(_ isFollowing: Bool, of followed: Int, _ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    try call.requireOwnID()
    let account = try call.account
    guard followed != account.id else { throw Problem.forbidden("You cannot follow yourself.") }
    guard try store.account(followed) != nil else { return notFound("user", id: followed) }
    try store.write { () throws(ToolError) in try store.setFollow(isFollowing, of: followed, by: account.id) }
    var members: JSON.Members = [("following", .bool(isFollowing))]
    if isFollowing { members.append(("pending_follow", .bool(false))) }
    return ServerResponse(json: .object([("data", .object(members))]))
  }

  fileprivate func setBookmark(_ isBookmarked: Bool, of post: Int, _ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    try call.requireOwnID()
    let account = try call.account
    guard try store.post(post) != nil else { throw Problem.post(.noSuchPost(post)) }
    try store.write { () throws(ToolError) in try store.setBookmark(isBookmarked, of: post, by: account.id) }
    return ServerResponse(json: .object([("data", .object([("bookmarked", .bool(isBookmarked))]))]))
  }
}
