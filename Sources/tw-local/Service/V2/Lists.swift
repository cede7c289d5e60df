import TweetCore

/// The posts of lists.
extension Endpoint {
  static let lists = [
    Endpoint("GET", path: "/2/lists/*/tweets", limit: 900, access: .reading(.listRead)) { try $0.listPosts($1) }
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
}
