import TweetCore

/// What an account has bookmarked and liked, and whom it follows and who follows it: the latest first, whatever the ids
/// are.
extension Endpoint {
  static let marks = [
    Endpoint("GET", path: "/2/users/*/bookmarks", limit: 180, access: .user(.bookmarkRead)) {
      try $0.markedPosts(.bookmarks, least: 1, $1)
    },
    Endpoint("GET", path: "/2/users/*/liked_tweets", limit: 75, access: .user(.likeRead)) {
      try $0.markedPosts(.likes, least: 5, $1)
    },
    Endpoint("GET", path: "/2/users/*/followers", limit: 300, access: .user(.followsRead)) {
      try $0.relatedUsers(.followers, $1)
    },
    Endpoint("GET", path: "/2/users/*/following", limit: 300, access: .user(.followsRead)) {
      try $0.relatedUsers(.following, $1)
    },
  ]
}

extension Service {
  private static let pageParameters = ["max_results", "pagination_token"]

  fileprivate func markedPosts(_ relation: Relation, least: Int, _ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.postParameters)
    if relation == .bookmarks { try call.requireOwnID() }
    let selection = try Selection(request, of: .posts)
    let count = try request.number("max_results", in: least...100, default: 100)
    let (shown, meta) = try related(relation, count: count, call)
    let posts = try shown.compactMap(store.post)
    let view = view(selection)
    let members = members(try posts.map(view.object), asList: true, includes: try view.includes(for: posts))
    return ServerResponse(json: .object(members + [("meta", .object(meta))]))
  }

  fileprivate func relatedUsers(_ relation: Relation, _ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(Self.pageParameters + Selection.userParameters)
    let view = view(try Selection(request, of: .users))
    let count = try request.number("max_results", in: 1...1000, default: 100)
    let (shown, meta) = try related(relation, count: count, call)
    let accounts = try shown.compactMap(store.account)
    let members = members(try accounts.map(view.object), asList: true)
    return ServerResponse(json: .object(members + [("meta", .object(meta))]))
  }

  /// The ids of a page, and what its answer says of it.
  private func related(
    _ relation: Relation, count: Int, _ call: Call
  ) throws -> (ids: [Int], meta: JSON.Members) {
    let account = try ServerRequest.id(call.pathValues[0], of: "id")
    let (ids, next) = try related(relation, to: account, before: call.request.pageToken() ?? .max, count: count)
    var meta: JSON.Members = [("result_count", .number(ids.count))]
    if let next { meta.append(("next_token", .string(PageToken.token(after: next)))) }
    return (ids, meta)
  }
}
