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

  fileprivate func createPost(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    let post = try post(try draft(call))
    let text = try view(Selection(call.request, of: .posts)).texts(of: post).shown.text
    let data: JSON.Members = [
      ("id", .id(post.id)), ("text", .string(text)), ("edit_history_tweet_ids", .array([.id(post.id)])),
    ]
    return ServerResponse(
      status: 201, json: ["data": .object(data)], headers: [("location", "\(site.base)/2/tweets/\(post.id)")]
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
      case "media":
        let ids = member.value["media_ids"]?.elements.map { ($0.string ?? "") } ?? []
        guard (1...4).contains(ids.count) else { throw RequestBody.fault("$.media.media_ids: must have 1 to 4 ids") }
        draft.media = try readyMedia(
          ids.map { (text) throws(Problem) in try ServerRequest.id(text, of: "media.media_ids") }, of: try call.account)
      case "poll": draft.poll = try Self.poll(member.value)
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
    guard [draft.quoteOf != nil, !draft.media.isEmpty, draft.poll != nil].count(where: { $0 }) < 2 else {
      throw RequestBody.fault("$: only one of media, poll and quote_tweet_id is allowed")
    }
    return draft
  }

  /// X's limits for polls.
  private static let pollOptions = 2...4
  private static let pollLabel = 1...25
  private static let pollMinutes = 5...10_080

  private static func poll(_ value: JSONDocument) throws -> Draft.Poll {
    let options = value["options"]?.elements.compactMap(\.string) ?? []
    guard pollOptions.contains(options.count), options.allSatisfy({ pollLabel.contains($0.unicodeScalars.count) })
    else {
      throw RequestBody.fault("$.poll.options: must have 2 to 4 texts of 1 to 25 characters")
    }
    guard let minutes = value["duration_minutes"]?.integer, pollMinutes.contains(minutes) else {
      throw RequestBody.fault("$.poll.duration_minutes: is not between 5 and 10080")
    }
    return Draft.Poll(options: options, minutes: minutes)
  }

  fileprivate func deletePost(_ call: Call) throws -> ServerResponse {
    try call.request.allowOnly([])
    let id = try ServerRequest.id(call.pathValues[0], of: "id")
    guard let post = try ownPost(id, of: try call.account) else { throw Problem.noSuchPage }
    try delete(post)
    return Self.answer(("deleted", .bool(true)))
  }

  // MARK: Likes and retweets

  fileprivate func setLike(_ isLiked: Bool, _ call: Call) throws -> ServerResponse {
    try setLike(isLiked, of: target(of: call), by: call.account)
    return Self.answer(("liked", .bool(isLiked)))
  }

  fileprivate func retweet(_ call: Call) throws -> ServerResponse {
    let (original, account) = (try target(of: call), try call.account)
    let retweet =
      try store.retweet(of: original.id, by: account.id)
      ?? publish(Draft(author: account.id, retweetOf: original.id))
    return Self.answer(("retweeted", .bool(true)), ("rest_id", .id(retweet.id)))
  }

  fileprivate func undoRetweet(_ call: Call) throws -> ServerResponse {
    let (original, account) = (try target(of: call), try call.account)
    if let retweet = try store.retweet(of: original.id, by: account.id) { try delete(retweet) }
    return Self.answer(("retweeted", .bool(false)))
  }

  /// The post that is liked or retweeted: named in the path or, if not there, in the body.
  private func target(of call: Call) throws -> Post {
    try call.request.allowOnly([])
    try call.requireOwnID()
    let id =
      call.pathValues.count > 1
      ? try ServerRequest.id(call.pathValues[1], of: "tweet_id")
      : try RequestBody(call.request).requiredID("tweet_id")
    return try originalPost(id)
  }

  private static func answer(_ members: (key: String, value: JSON)...) -> ServerResponse {
    ServerResponse(json: ["data": .object(members)])
  }
}
