import TweetCore

/// Lists of accounts, their members and their posts.
extension Endpoint {
  static let lists = [
    Endpoint("GET", path: "/2/lists/*", limit: 75, access: .reading(.listRead)) { try $0.lookUpList($1) },
    Endpoint("GET", path: "/2/users/*/owned_lists", limit: 15, access: .reading(.listRead)) { try $0.ownedLists($1) },
    Endpoint("GET", path: "/2/lists/*/members", limit: 900, access: .reading(.listRead)) { try $0.listMembers($1) },
    Endpoint("GET", path: "/2/lists/*/tweets", limit: 900, access: .reading(.listRead)) { try $0.listPosts($1) },
  ]
}

extension Service {
  private static let listParameters = ["list.fields", "expansions", "user.fields"]
  private static let pageParameters = ["max_results", "pagination_token"]
  private static let maxPage = 100

  fileprivate func lookUpList(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly(Self.listParameters)
    let view = try ListView(call.request, view: view(Selection(call.request, of: .lists)))
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard let list = try store.list(id) else { return notFound("list", id: id) }
    return ServerResponse(
      json: .object(members([try view.object(list)], asList: false, includes: try view.includes(for: [list]))))
  }

  fileprivate func ownedLists(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly(Self.pageParameters + Self.listParameters)
    let view = try ListView(call.request, view: view(Selection(call.request, of: .lists)))
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.account(id) != nil else { return notFound("user", id: id) }
    let lists = try store.lists(ownedBy: id)
    let members = members(try lists.map(view.object), asList: true, includes: try view.includes(for: lists))
    return ServerResponse(json: .object(members + [("meta", .object(pageMeta(shownIDs: lists.map(\.id))))]))
  }

  fileprivate func listMembers(_ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.userParameters)
    let view = view(try Selection(request, of: .users))
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.list(id) != nil else { return notFound("list", id: id) }
    return try page(of: store.members(of: id), request, most: Self.maxPage, default: Self.maxPage, view)
  }

  fileprivate func listPosts(_ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard try store.list(id) != nil else { return notFound("list", id: id) }
    let count = try request.number("max_results", in: 1...Self.maxPage, default: Self.maxPage)
    let range = try PostRange(request)
    let authors = try store.members(of: id)
    let posts = try newestPosts(in: range, count: count) { authors.contains($0.authorID) }
    return try page(posts, count: count, selection)
  }
}

/// Writes lists as v2 does.
private struct ListView {
  private static let knownFields = [
    "created_at", "description", "follower_count", "id", "member_count", "name", "owner_id", "private",
  ]

  private let view: PostView
  private var fields: Set<String>
  private var hasOwner: Bool { view.selection.expansions.contains("owner_id") }

  init(_ request: ServerRequest, view: PostView) throws(Problem) {
    self.view = view
    fields = try request.choices("list.fields", of: Self.knownFields)
    if hasOwner { fields.insert("owner_id") }
  }

  func object(_ list: AccountList) throws -> JSON {
    var members: JSON.Members = [("id", .id(list.id)), ("name", .string(list.name))]
    for (field, value) in [
      ("created_at", JSON.string(list.createdAt.rfc3339)), ("description", .string(list.description)),
      ("follower_count", .number(0)), ("member_count", .number(try view.reader.store.members(of: list.id).count)),
      ("owner_id", .id(list.ownerID)), ("private", .bool(false)),
    ] where fields.contains(field) {
      members.append((field, value))
    }
    return .object(members)
  }

  /// `includes` for lists of one owner.
  func includes(for lists: [AccountList]) throws -> JSON.Members {
    guard hasOwner, let list = lists.first, let owner = try view.reader.store.account(list.ownerID) else { return [] }
    return [("includes", .object([("users", .array([try view.object(owner)]))]))]
  }
}
