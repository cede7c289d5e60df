import TweetCore
import TwitterText

/// Posting, deleting, liking and retweeting.
extension Service {
  /// X's longest post, for accounts that may write long ones.
  private static let maxLength = 25_000

  func createPost(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly([])
    let draft = try draft(call)
    guard try !isDuplicate(draft) else {
      throw Problem.forbidden("You are not allowed to create a Tweet with duplicate content.")
    }
    let post = try publish(draft)
    let text = try view(Selection(call.request, of: .posts)).wording(post).shown.text
    let data: JSON.Members = [
      ("id", .id(post.id)), ("text", .string(text)), ("edit_history_tweet_ids", .array([.id(post.id)])),
    ]
    return reply([("data", .object(data))], status: 201, headers: [("location", "\(base)/2/tweets/\(post.id)")])
  }

  private func draft(_ call: Call) throws -> Draft {
    let document = try document(call)
    let body = document.root
    var draft = Draft(author: call.account.id)
    for member in body.members {
      switch member.key.string ?? "" {
      case "text": draft.text = try Self.text(member.value, of: "text")
      case "quote_tweet_id": draft.quoteOf = try id(of: member.value, "quote_tweet_id")
      case "reply":
        guard let target = member.value["in_reply_to_tweet_id"] else {
          throw Self.schemaFault("$.reply.in_reply_to_tweet_id: is missing but it is required")
        }
        draft.replyTo = try id(of: target, "reply.in_reply_to_tweet_id")
      case "reply_settings":
        let known = ["everyone", "following", "mentionedUsers", "subscribers", "verified"]
        guard known.contains(try Self.text(member.value, of: "reply_settings")) else {
          throw Self.schemaFault("$.reply_settings: does not have a value in the enumeration \(known)")
        }
      case let name:
        throw Self.schemaFault(
          "$.\(name): is not defined in the schema and the schema does not allow additional properties")
      }
    }
    guard draft.text.contains(where: { !$0.isWhitespace }) else {
      throw Problem.invalid("text", draft.text, "text or media is required")
    }
    guard WeightedLength(draft.text).weightedLength <= Self.maxLength else {
      throw Problem.forbidden("Your Tweet text is too long.")
    }
    try requireVisible(draft.replyTo, action: "reply to")
    try requireVisible(draft.quoteOf, action: "quote")
    return draft
  }

  private func requireVisible(_ id: Int?, action: String) throws {
    guard let id, try store.post(id) == nil else { return }
    throw Problem.forbidden("You attempted to \(action) a Tweet that is deleted or not visible to you.")
  }

  /// How far back the same text by the same account counts as said twice, in milliseconds, and in posts.
  private static let duplicateReach: Int64 = 3_600_000
  private static let duplicateDepth = 50

  private func isDuplicate(_ draft: Draft) throws -> Bool {
    let since = Snowflake.first(at: Timestamp(milliseconds: Timestamp.now.milliseconds - Self.duplicateReach))
    let recent = try store.posts(after: since, before: .max, author: draft.author, limit: Self.duplicateDepth)
    return recent.contains { $0.retweetOf == nil && $0.text == draft.text && $0.replyTo == draft.replyTo }
  }

  /// Stores a post and sends it to the streams whose rules it fits.
  /// - Parameters:
  ///   - liking: a post that gets some likes at the same time.
  ///   - times: how many.
  func publish(_ draft: Draft, liking: Int? = nil, times: Int = 0) throws -> Post {
    let post = try store.write { () throws(ToolError) in
      if let liking { try store.addLikes(times, to: liking) }
      return try store.create(draft, at: .now)
    }
    try deliver(post)
    return post
  }

  func deletePost(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly([])
    let id = try HTTPRequest.id(call.parts[0], of: "id")
    guard let post = try store.post(id) else { throw Problem.noSuchPage }
    guard post.authorID == call.account.id else {
      throw Problem.forbidden("You are not authorized to delete this Tweet.")
    }
    try remove(post)
    return reply([("data", .object([("deleted", .bool(true))]))])
  }

  func like(_ call: Call) throws -> HTTPResponse {
    let post = try target(call, ending: .unlike)
    let liked = call.endpoint == .like
    _ = try store.write { () throws(ToolError) in try store.setLike(liked, of: post.id, by: call.account.id) }
    return reply([("data", .object([("liked", .bool(liked))]))])
  }

  func retweet(_ call: Call) throws -> HTTPResponse {
    var post = try target(call, ending: .unretweet)
    // A retweet of a retweet is one of the original.
    if let original = try post.retweetOf.flatMap(store.post) { post = original }
    let earlier = try store.retweet(of: post.id, by: call.account.id)
    guard call.endpoint == .retweet else {
      if let earlier { try remove(earlier) }
      return reply([("data", .object([("retweeted", .bool(false))]))])
    }
    let made = try earlier ?? publish(Draft(author: call.account.id, retweetOf: post.id))
    return reply([("data", .object([("retweeted", .bool(true)), ("rest_id", .id(made.id))]))])
  }

  /// The post that a like or retweet is about: in the body, or in the path where it is taken back.
  private func target(_ call: Call, ending: Endpoint) throws -> Post {
    try call.request.allowOnly([])
    guard call.parts[0] == String(call.account.id) else {
      throw Problem.forbidden("The `id` in the path must be the id of the authenticated user.")
    }
    let target: Int
    if call.endpoint == ending {
      target = try HTTPRequest.id(call.parts[1], of: "tweet_id")
    } else {
      let document = try document(call)
      guard let value = document.root["tweet_id"] else {
        throw Self.schemaFault("$.tweet_id: is missing but it is required")
      }
      target = try id(of: value, "tweet_id")
    }
    guard let post = try store.post(target) else {
      throw Problem.invalid("tweet_id", String(target), "The Tweet [\(target)] cannot be found.")
    }
    return post
  }

  // MARK: Bodies

  /// A request's body, which must be one JSON object.
  func document(_ call: Call) throws(Problem) -> JSONDocument {
    let document: JSONDocument
    do {
      document = try JSONDocument(call.request.body)
    } catch {
      throw Self.schemaFault("The request body is not valid JSON")
    }
    guard document.root.isObject else { throw Self.schemaFault("$: is not of type object") }
    return document
  }

  static func schemaFault(_ message: String) -> Problem { .invalid("body", "", message) }

  static func text(_ value: JSONValue, of name: String) throws(Problem) -> String {
    guard let text = value.string else { throw schemaFault("$.\(name): is not of type string") }
    return text
  }

  private func id(of value: JSONValue, _ name: String) throws(Problem) -> Int {
    try HTTPRequest.id(try Self.text(value, of: name), of: name)
  }
}
