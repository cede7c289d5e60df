import TweetCore
import TwitterText

/// Posting, deleting, liking and retweeting.
extension Endpoint {
  static let writing = [
    Endpoint("POST", path: "/2/tweets", limit: 100, access: .user(.tweetWrite)) { try $0.createPost($1) },
    Endpoint("DELETE", path: "/2/tweets/*", limit: 50, access: .user(.tweetWrite)) { try $0.deletePost($1) },
    Endpoint("POST", path: "/2/users/*/likes", limit: 50, access: .user(.likeWrite)) { try $0.setLike(true, $1) },
    Endpoint("DELETE", path: "/2/users/*/likes/*", limit: 50, access: .user(.likeWrite)) { try $0.setLike(false, $1) },
    Endpoint("POST", path: "/2/users/*/retweets", limit: 50, access: .user(.tweetWrite)) { try $0.retweet($1) },
    Endpoint("DELETE", path: "/2/users/*/retweets/*", limit: 50, access: .user(.tweetWrite)) { try $0.undoRetweet($1) },
  ]
}

extension Service {
  // MARK: Posts

  /// Most weighted characters of a post, for accounts that may write long ones.
  private static let maxWeight = 25_000

  fileprivate func createPost(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    let draft = try draft(call)
    guard try !isDuplicate(draft) else {
      throw Problem.forbidden("You are not allowed to create a Tweet with duplicate content.")
    }
    let post = try publish(draft)
    let text = try view(Selection(call.request, of: .posts)).texts(of: post).shown.text
    let data: JSON.Members = [
      ("id", .id(post.id)), ("text", .string(text)), ("edit_history_tweet_ids", .array([.id(post.id)])),
    ]
    return ServerResponse(
      status: 201, json: .object([("data", .object(data))]), headers: [("location", "\(site.base)/2/tweets/\(post.id)")]
    )
  }

  private func draft(_ call: Call) throws -> Draft {
    let body = try RequestBody(call.request)
    var draft = Draft(author: try call.account.id)
    for member in body.root.members {
      switch member.key.string ?? "" {
      case "text": draft.text = try RequestBody.text(member.value, "text")
      case "quote_tweet_id": draft.quoteOf = try RequestBody.id(member.value, "quote_tweet_id")
      case "reply":
        guard let answered = member.value["in_reply_to_tweet_id"] else {
          throw RequestBody.fault("$.reply.in_reply_to_tweet_id: is missing but it is required")
        }
        draft.replyTo = try RequestBody.id(answered, "reply.in_reply_to_tweet_id")
      case "reply_settings":
        let known = ["everyone", "following", "mentionedUsers", "subscribers", "verified"]
        guard known.contains(try RequestBody.text(member.value, "reply_settings")) else {
          throw RequestBody.fault("$.reply_settings: does not have a value in the enumeration \(known)")
        }
      case let name:
        throw RequestBody.fault(
          "$.\(name): is not defined in the schema and the schema does not allow additional properties")
      }
    }
    guard draft.text.contains(where: { !$0.isWhitespace }) else {
      throw Problem.invalid("text", draft.text, "text or media is required")
    }
    guard WeightedLength(draft.text).weightedLength <= Self.maxWeight else {
      throw Problem.forbidden("Your Tweet text is too long.")
    }
    try requireVisible(draft.replyTo, to: "reply to")
    try requireVisible(draft.quoteOf, to: "quote")
    return draft
  }

  private func requireVisible(_ id: Int?, to action: String) throws {
    guard let id, try store.post(id) == nil else { return }
    throw Problem.forbidden("You attempted to \(action) a Tweet that is deleted or not visible to you.")
  }

  /// A text is a duplicate of one that the account posted in this time, in milliseconds, and among so many posts.
  private static let duplicateReach: Int64 = 3_600_000
  private static let duplicateDepth = 50

  private func isDuplicate(_ draft: Draft) throws -> Bool {
    let since = Snowflake.first(at: Timestamp(milliseconds: Timestamp.now.milliseconds - Self.duplicateReach))
    let recent = try store.posts(after: since, before: .max, author: draft.author, limit: Self.duplicateDepth)
    return recent.contains { $0.retweetOf == nil && $0.text == draft.text && $0.replyTo == draft.replyTo }
  }

  /// Stores a post and sends it to the streams that want it.
  func publish(_ draft: Draft) throws -> Post {
    let post = try store.write { () throws(ToolError) in try store.create(draft, at: .now) }
    try deliver(post)
    return post
  }

  fileprivate func deletePost(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard let post = try store.post(id) else { throw Problem.noSuchPage }
    guard try post.authorID == call.account.id else {
      throw Problem.forbidden("You are not authorized to delete this Tweet.")
    }
    try delete(post)
    return Self.answer(("deleted", .bool(true)))
  }

  // MARK: Likes and retweets

  fileprivate func setLike(_ isLiked: Bool, _ call: Call) throws -> ServerResponse {
    let (post, account) = (try target(of: call), try call.account)
    try store.write { () throws(ToolError) in try store.setLike(isLiked, of: post.id, by: account.id) }
    return Self.answer(("liked", .bool(isLiked)))
  }

  fileprivate func retweet(_ call: Call) throws -> ServerResponse {
    let (original, account) = (try originalOfTarget(of: call), try call.account)
    let retweet =
      try store.retweet(of: original.id, by: account.id)
      ?? publish(Draft(author: account.id, retweetOf: original.id))
    return Self.answer(("retweeted", .bool(true)), ("rest_id", .id(retweet.id)))
  }

  fileprivate func undoRetweet(_ call: Call) throws -> ServerResponse {
    let original = try originalOfTarget(of: call)
    if let retweet = try store.retweet(of: original.id, by: call.account.id) { try delete(retweet) }
    return Self.answer(("retweeted", .bool(false)))
  }

  /// A retweet of a retweet is one of its original.
  private func originalOfTarget(of call: Call) throws -> Post {
    let post = try target(of: call)
    return try reader.original(of: post) ?? post
  }

  /// The post that is liked or retweeted: named in the path or, if not there, in the body.
  private func target(of call: Call) throws -> Post {
    try call.request.allowOnly([])
    guard try call.pathValues[0] == String(call.account.id) else {
      throw Problem.forbidden("The `id` in the path must be the id of the authenticated user.")
    }
    let id =
      call.pathValues.count > 1
      ? try ServerRequest.id(call.pathValues[1], of: "tweet_id")
      : try RequestBody(call.request).requiredID("tweet_id")
    guard let post = try store.post(id) else {
      throw Problem.invalid("tweet_id", String(id), "The Tweet [\(id)] cannot be found.")
    }
    return post
  }

  private static func answer(_ members: (key: String, value: JSON)...) -> ServerResponse {
    ServerResponse(json: .object([("data", .object(members))]))
  }
}
