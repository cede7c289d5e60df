import TweetCore

/// The posts of an account, those that mention it, and its home timeline.
extension Endpoint {
  static let timelines = [
    Endpoint("GET", path: "/2/users/*/tweets", limit: 900) { try $0.timeline(.posts, $1) },
    Endpoint("GET", path: "/2/users/*/mentions", limit: 300) { try $0.timeline(.mentions, $1) },
    Endpoint("GET", path: "/2/users/*/timelines/reverse_chronological", limit: 180, access: .user()) {
      try $0.timeline(.home, $1)
    },
  ]
}

private enum Timeline { case posts, mentions, home }

extension Service {
  fileprivate func timeline(_ timeline: Timeline, _ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(
      ["start_time", "end_time", "since_id", "until_id", "max_results", "pagination_token"]
        + (timeline == .mentions ? [] : ["exclude"]) + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard let account = try store.account(id) else { return notFound("user", id: id) }
    if timeline == .home, try account.id != call.account.id {
      throw Problem.forbidden("The `id` must be the id of the authenticated user.")
    }
    let excluded = try request.choices("exclude", of: ["replies", "retweets"])
    let count = try request.number(
      "max_results", in: timeline == .home ? 1...100 : 5...100, default: timeline == .home ? 100 : 10)
    let range = try PostRange(request)
    let authors = timeline == .home ? try homeAuthors(account) : []
    let posts = try newestPosts(in: range, count: count, author: timeline == .posts ? account.id : nil) { post in
      if timeline == .home, !authors.contains(post.authorID) { return false }
      if excluded.contains("replies"), post.replyTo != nil { return false }
      if excluded.contains("retweets"), post.retweetOf != nil { return false }
      return timeline != .mentions || mentions(account, in: post)
    }
    return try page(posts, count: count, selection)
  }

  /// Whose posts a home timeline has: the account's own, and those of whom it follows.
  func homeAuthors(_ account: LocalAccount) throws -> Set<Int> {
    try store.followed(by: account.id).union([account.id])
  }
}
