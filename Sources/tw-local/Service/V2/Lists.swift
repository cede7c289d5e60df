import TweetCore

/// Lists and their posts.
extension Endpoint {
  static let lists = [
    Endpoint("GET", path: "/2/lists/*/tweets", limit: 900, access: .reading(.listRead)) { try $0.listPosts($1) },
    Endpoint("GET", path: "/2/users/*/owned_lists", limit: 15, access: .reading(.listRead)) { try $0.ownedLists($1) },
    Endpoint("GET", path: "/2/users/*/followed_lists", limit: 15, access: .reading(.listRead)) {
      try $0.followedLists($1)
    },
  ]
}

extension Service {
  private static let pageParameters = ["max_results", "pagination_token"]
  private static let maxPage = 100

  fileprivate func listPosts(_ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.hasList(id) else { return notFound("list", id: id) }
    let count = try request.number("max_results", in: 1...Self.maxPage, default: Self.maxPage)
    let range = try PostRange(request)
    let authors = try store.members(of: id)
    let posts = try newestPosts(in: range, count: count) { authors.contains($0.authorID) }
    return try page(posts, count: count, selection)
  }

  private static let listParameters = pageParameters + ["list.fields", "expansions", "user.fields"]
  private static let listFields = [
    "created_at", "description", "follower_count", "id", "member_count", "name", "owner_id", "private",
  ]

  /// The lists that an account has made, the newest first.
  fileprivate func ownedLists(_ call: Call) throws -> ServerResponse {
    let owner = try ServerRequest.id(call.pathValues[0], of: "id")
    let before = try call.request.pageToken() ?? .max
    return try lists(try store.lists(of: owner).filter { $0.id < before }, call)
  }

  /// Nobody follows a list here, since there is no request for that.
  fileprivate func followedLists(_ call: Call) throws -> ServerResponse {
    _ = try ServerRequest.id(call.pathValues[0], of: "id")
    return try lists([], call)
  }

  private func lists(_ lists: [AccountList], _ call: Call) throws -> ServerResponse {
    try call.request.allowOnly(Self.listParameters)
    let fields = try call.request.choices("list.fields", of: Self.listFields)
    let count = try call.request.number("max_results", in: 1...Self.maxPage, default: Self.maxPage)
    let shown = Array(lists.prefix(count))
    var answer: JSON.Members = []
    if !shown.isEmpty { answer.append(("data", .array(try shown.map { .object(try members($0, fields)) }))) }
    answer.append(("meta", .object(pageMeta(shownIDs: shown.map(\.id), hasMore: lists.count > count))))
    return ServerResponse(json: .object(answer))
  }

  private func members(_ list: AccountList, _ fields: Set<String>) throws -> JSON.Members {
    let all: JSON.Members = [
      ("id", .id(list.id)), ("name", .string(list.name)), ("description", .string(list.description)),
      ("created_at", .string(list.createdAt.rfc3339)), ("owner_id", .id(list.ownerID)), ("private", .bool(false)),
      ("follower_count", .number(0)), ("member_count", .number(try store.members(of: list.id).count)),
    ]
    return all.filter { ["id", "name"].contains($0.key) || fields.contains($0.key) }
  }
}
