import TweetCore

/// Lists and feeds by Bluesky's API.
extension Endpoint {
  static let blueskyLists = [
    Endpoint("GET", path: "/xrpc/app.bsky.graph.getLists", limit: 3000, access: .open) { try $0.blueskyLists($1) },
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getListFeed", limit: 3000, access: .open) { service, call in
      let list = try service.list(at: call.request.parameter("list") ?? "")
      let authors = try service.store.members(of: list)
      return try service.feed(call) { authors.contains($0.authorID) }
    },
    // Each hashtag is a feed of each account.
    Endpoint("GET", path: "/xrpc/app.bsky.feed.getFeed", limit: 3000, access: .open) { service, call in
      guard let parts = BlueskyName.parts(call.request.parameter("feed") ?? ""), parts.collection == BlueskyName.feed,
        try service.account(bluesky: parts.authority) != nil
      else {
        throw Problem.bluesky(status: 400, error: "UnknownFeed", message: "could not find feed")
      }
      return try service.feed(call) { $0.retweetOf == nil && $0.has(tag: parts.key) }
    },
  ]
}

extension Service {
  /// The lists that an account has made.
  fileprivate func blueskyLists(_ call: Call) throws -> ServerResponse {
    let (owner, view) = (try actor(call), bluesky(call))
    let (count, before) = try page(call, most: 100)
    let lists = try store.lists(of: owner.id).filter { $0.id < before }
    let shown = lists.prefix(count)
    let creator = try view.profile(owner)
    let items = try shown.map { list -> JSON in
      let uri = BlueskyName.uri(owner.id, BlueskyName.list, String(list.id))
      return [
        "uri": .string(uri), "cid": .string(try BlueskyName.cid(uri)), "creator": creator, "name": .string(list.name),
        "purpose": "app.bsky.graph.defs#curatelist", "description": .string(list.description),
        "listItemCount": .number(try store.members(of: list.id).count), "indexedAt": .string(list.createdAt.rfc3339),
      ]
    }
    return listAnswer([("lists", .array(items))], after: lists.count > count ? shown.last?.id : nil)
  }

  /// The number of the list that a record is.
  fileprivate func list(at uri: String) throws -> Int {
    guard let parts = BlueskyName.parts(uri), parts.collection == BlueskyName.list,
      let owner = try account(bluesky: parts.authority), let id = Int(parts.key),
      try store.lists(of: owner.id).contains(where: { $0.id == id })
    else {
      throw Problem.bluesky(status: 400, error: "UnknownList", message: "List not found")
    }
    return id
  }
}
