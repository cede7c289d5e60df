import TweetCore
import TwitterText

/// What accounts posted, what mentions them, what they see at home, and lists of accounts.
extension Service {
  func timeline(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    let isHome = call.endpoint == .home
    let excluding = call.endpoint == .mentions ? [] : ["exclude"]
    try request.allowOnly(
      ["start_time", "end_time", "since_id", "until_id", "max_results", "pagination_token"] + excluding
        + Selection.postParameters)
    let selection = try Selection(request, of: .posts)
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    guard let account = try store.account(id) else {
      return reply([("errors", .array([Problem.notFound("user", parameter: "id", value: String(id))]))])
    }
    if isHome, account.id != call.account.id {
      throw Problem.forbidden("The `id` must be the id of the authenticated user.")
    }
    let excluded = try exclusions(request)
    let count = try request.number(
      "max_results", in: isHome ? 1...100 : 5...100, default: isHome ? 100 : 10)
    let range = try PageRange(request, tokens: ["pagination_token"])
    let isMentions = call.endpoint == .mentions
    let author = call.endpoint == .timeline ? account.id : nil
    let posts = try collect(range, count: count, author: author) { post in
      if excluded.contains("replies"), post.replyTo != nil { return false }
      if excluded.contains("retweets"), post.retweetOf != nil { return false }
      return try !isMentions || mentions(account, in: post)
    }
    return try page(posts, count: count, selection)
  }

  private func exclusions(_ request: HTTPRequest) throws(Problem) -> [Substring] {
    let text = request.parameter("exclude") ?? ""
    let values = text.split(separator: ",")
    for value in values where value != "replies" && value != "retweets" {
      throw .invalid(
        "exclude", text, "The `exclude` query parameter value [\(value)] is not one of [replies,retweets]")
    }
    return values
  }

  func mentions(_ account: Account, in post: Post) throws -> Bool {
    guard post.retweetOf == nil, post.authorID != account.id else { return false }
    if post.replyToAuthor == account.id { return true }
    let name = account.username.lowercased()
    return TextPart.find(in: post.text, .mentions).contains { $0.value.lowercased() == name }
  }
}
