import TweetCore
import TwitterText

/// Why a post cannot be made, changed or found. Each version of the API has its own words for it.
enum PostFault {
  case empty
  case tooLong
  case duplicate
  /// A picture that is not there, not the user's, or not ready.
  case badMedia
  case noSuchPost(Int)
  /// What is answered or quoted is not there.
  case targetGone(action: String)
  case notYours
  case alreadyLiked
  case notLiked
  case alreadyRetweeted

  var v2: Problem {
    switch self {
    case .empty: .invalid("text", "", "text or media is required")
    case .tooLong: .forbidden("Your Tweet text is too long.")
    case .duplicate: .forbidden("You are not allowed to create a Tweet with duplicate content.")
    case .badMedia: .invalid("media.media_ids", "", "Your media IDs are invalid.")
    case .noSuchPost(let id): .invalid("tweet_id", String(id), "The Tweet [\(id)] cannot be found.")
    case .targetGone(let action):
      .forbidden("You attempted to \(action) a Tweet that is deleted or not visible to you.")
    case .notYours: .forbidden("You are not authorized to delete this Tweet.")
    // v2 has no such refusals: to do it twice is to have done it.
    case .alreadyLiked, .notLiked, .alreadyRetweeted: .forbidden("Nothing is to be done.")
    }
  }

  var v1: Problem {
    switch self {
    case .empty: .v1(status: 403, code: 170, message: "Missing required parameter: status.")
    case .tooLong: .v1(status: 403, code: 186, message: "Tweet needs to be a bit shorter.")
    case .duplicate: .v1(status: 403, code: 187, message: "Status is a duplicate.")
    case .badMedia: .v1(status: 400, code: 324, message: "The validation of media ids failed.")
    case .noSuchPost, .notLiked: .v1(status: 404, code: 144, message: "No status found with that ID.")
    case .targetGone:
      .v1(
        status: 403, code: 385,
        message: "You attempted to reply to a Tweet that is deleted or not visible to you.")
    case .notYours: .v1(status: 403, code: 183, message: "You may not delete another user's status.")
    case .alreadyLiked: .v1(status: 403, code: 139, message: "You have already favorited this status.")
    case .alreadyRetweeted: .v1(status: 403, code: 327, message: "You have already retweeted this Tweet.")
    }
  }
}

/// What both versions of the API do when a user posts.
extension Service {
  /// Most weighted characters of a post, for accounts that may write long ones.
  private static let maxWeight = 25_000

  /// Checks a draft, stores it as a post and sends that to the streams that want it.
  /// - Parameters:
  ///   - key: what names the post for ever; the caller has seen that no post has it.
  ///   - isX: whether it comes by X's API, which alone refuses what was just said.
  func post(_ draft: Draft, key: ItemKey? = nil, isX: Bool = true) throws -> Post {
    guard draft.text.contains(where: { !$0.isWhitespace }) || !draft.media.isEmpty else { throw Problem.post(.empty) }
    guard WeightedLength(draft.text).weightedLength <= Self.maxWeight else { throw Problem.post(.tooLong) }
    for (id, action) in [(draft.replyTo, "reply to"), (draft.quoteOf, "quote")] {
      if let id, try store.post(id) == nil { throw Problem.post(.targetGone(action: action)) }
    }
    if isX, try isDuplicate(draft) { throw Problem.post(.duplicate) }
    return try publish(draft, key: key)
  }

  /// A text is a duplicate of one that the account posted in this time, in milliseconds, and among this many posts.
  private static let duplicateReach: Int64 = 3_600_000
  private static let duplicateDepth = 50

  private func isDuplicate(_ draft: Draft) throws -> Bool {
    let since = Snowflake.first(at: Timestamp(milliseconds: Timestamp.now.milliseconds - Self.duplicateReach))
    let recent = try store.posts(after: since, before: .max, author: draft.author, limit: Self.duplicateDepth)
    return recent.contains {
      $0.retweetOf == nil && $0.text == draft.text && $0.replyTo == draft.replyTo && $0.media == draft.media
    }
  }

  /// Stores a post and sends it to the streams that want it.
  func publish(_ draft: Draft, key: ItemKey? = nil) throws -> Post {
    let post = try store.write { () throws(ToolError) in
      let post = try store.create(draft, at: .now)
      if let key { try store.set(key, of: post.id) }
      return post
    }
    try deliver(post)
    return post
  }

  /// A post that an account may delete.
  func ownPost(_ id: Int, of account: LocalAccount) throws -> Post? {
    guard let post = try store.post(id) else { return nil }
    guard post.authorID == account.id else { throw Problem.post(.notYours) }
    return post
  }

  /// The post that likes and retweets of a post belong to: that of a retweet is its original.
  func originalPost(_ id: Int) throws -> Post {
    guard let post = try store.post(id) else { throw Problem.post(.noSuchPost(id)) }
    return try reader.original(of: post) ?? post
  }

  func setLike(_ isLiked: Bool, of post: Post, by account: LocalAccount) throws {
    try store.write { () throws(ToolError) in try store.setLike(isLiked, of: post.id, by: account.id) }
  }
}
