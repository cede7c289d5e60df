import TweetCore

/// Lists of accounts, and what those on them post.
extension Service {
  private static let listFields = [
    "created_at", "description", "follower_count", "id", "member_count", "name", "owner_id", "private",
  ]

  func lookUpLists(_ call: Call) throws -> HTTPResponse {
    let owned = call.endpoint == .ownedLists
    let request = call.request
    try request.allowOnly(
      (owned ? ["max_results", "pagination_token"] : []) + ["list.fields", "expansions", "user.fields"])
    let fields = try Selection.choice(request, "list.fields", of: Self.listFields)
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    let selection = try Selection(request, of: .lists)
    let wantsOwner = selection.expansions.contains("owner_id")
    let lists = owned ? try store.lists(ownedBy: id) : try store.list(id).map { [$0] } ?? []
    if owned ? try store.account(id) == nil : lists.isEmpty {
      return notThere(owned ? "user" : "list", id)
    }
    let objects = try lists.map { try object($0, fields.union(wantsOwner ? ["owner_id"] : [])) }
    var surroundings: JSON.Members = []
    if wantsOwner, let owner = try lists.first.flatMap({ try store.account($0.ownerID) }) {
      surroundings = [("includes", .object([("users", .array([try view(selection).object(owner)]))]))]
    }
    var members = body(objects, asList: owned, surroundings: surroundings, missing: [])
    if owned { members.append(("meta", .object([("result_count", .number(objects.count))]))) }
    return reply(members)
  }

  private func object(_ list: AccountList, _ fields: Set<String>) throws -> JSON {
    var members: JSON.Members = [("id", .id(list.id)), ("name", .string(list.name))]
    for (field, value) in [
      ("created_at", JSON.string(list.createdAt.rfc3339)), ("description", .string(list.description)),
      ("follower_count", .number(0)), ("member_count", .number(try store.members(of: list.id).count)),
      ("owner_id", .id(list.ownerID)), ("private", .bool(false)),
    ] where fields.contains(field) {
      members.append((field, value))
    }
    return .object(members)
  }

  /// An answer without data that says what is missing, with status 200 as X has it.
  private func notThere(_ kind: String, _ id: Int) -> HTTPResponse {
    reply([("errors", .array([Problem.notFound(kind, parameter: "id", value: String(id))]))])
  }

  func listMembers(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    try request.allowOnly(["max_results", "pagination_token"] + Selection.userParameters)
    let view = view(try Selection(request, of: .users))
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    guard try store.list(id) != nil else { return notThere("list", id) }
    let count = try request.number("max_results", in: 1...100, default: 100)
    let after = try PageRange(request, tokens: ["pagination_token"]).resume ?? 0
    let members = try store.members(of: id).filter { $0 > after }.sorted()
    let shown = members.prefix(count)
    var meta: JSON.Members = [("result_count", .number(shown.count))]
    if members.count > count, let last = shown.last {
      meta.append(("next_token", .string(PageRange.token(after: last))))
    }
    let objects = try shown.compactMap(store.account).map(view.object)
    return reply(body(objects, asList: true, surroundings: [], missing: []) + [("meta", .object(meta))])
  }

  func listPosts(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    try request.allowOnly(["max_results", "pagination_token"] + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    guard try store.list(id) != nil else { return notThere("list", id) }
    let count = try request.number("max_results", in: 1...100, default: 100)
    let range = try PageRange(request, tokens: ["pagination_token"])
    let members = try store.members(of: id)
    let posts = try collect(range, count: count) { members.contains($0.authorID) }
    return try page(posts, count: count, selection)
  }
}
