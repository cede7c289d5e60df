import TweetCore
import TwitterText

/// Posting, deleting, liking and retweeting by v1.1. Each answers with the post that it is about.
extension Endpoint {
  static let v1Writing = [
    Endpoint("POST", path: "/1.1/statuses/update.json", limit: 300, access: .user(.tweetWrite)) { service, call in
      try service.v1Answer(service.post(service.v1Draft(call)), call)
    },
    Endpoint("POST", path: "/1.1/statuses/destroy/*", limit: 300, access: .user(.tweetWrite)) { service, call in
      let id = try call.v1PathID
      guard let post = try service.ownPost(id, of: try call.account) else { throw Problem.post(.noSuchPost(id)) }
      let answer = try service.v1Answer(post, call)
      try service.delete(post)
      return answer
    },
    Endpoint("POST", path: "/1.1/statuses/retweet/*", limit: 300, access: .user(.tweetWrite)) { service, call in
      let (original, account) = (try service.originalPost(call.v1PathID), try call.account)
      guard try service.store.retweet(of: original.id, by: account.id) == nil else {
        throw Problem.post(.alreadyRetweeted)
      }
      return try service.v1Answer(service.publish(Draft(author: account.id, retweetOf: original.id)), call)
    },
    Endpoint("POST", path: "/1.1/statuses/unretweet/*", limit: 300, access: .user(.tweetWrite)) { service, call in
      let (original, account) = (try service.originalPost(call.v1PathID), try call.account)
      if let retweet = try service.store.retweet(of: original.id, by: account.id) { try service.delete(retweet) }
      return try service.v1Answer(service.originalPost(original.id), call)
    },
    Endpoint("POST", path: "/1.1/favorites/create.json", limit: 1000, access: .user(.likeWrite)) { service, call in
      try service.v1SetLike(true, call)
    },
    Endpoint("POST", path: "/1.1/favorites/destroy.json", limit: 1000, access: .user(.likeWrite)) { service, call in
      try service.v1SetLike(false, call)
    },
  ]
}

extension Call {
  /// The id in a path that ends in `ID.json`.
  fileprivate var v1PathID: Int {
    get throws(Problem) {
      guard pathValues[0].hasSuffix(".json") else { throw .v1NoSuchPage }
      return try ServerRequest.id(String(pathValues[0].dropLast(".json".count)), of: "id")
    }
  }
}

extension Service {
  fileprivate func v1Answer(_ post: Post, _ call: Call) throws -> ServerResponse {
    ServerResponse(json: try v1View(call).object(post))
  }

  /// Most names that a reply begins with by itself.
  private static let maxReplyNames = 50

  fileprivate func v1Draft(_ call: Call) throws -> Draft {
    let request = call.request
    var draft = Draft(author: try call.account.id)
    draft.text = request.parameter("status") ?? ""
    if let text = request.parameter("media_ids"), !text.isEmpty {
      let ids = try request.v1IDs("media_ids")
      guard ids.count <= 4 else { throw Problem.post(.badMedia) }
      draft.media = try readyMedia(ids, of: try call.account)
    }
    guard let answeredID = try request.id("in_reply_to_status_id") else { return draft }
    guard let answered = try store.post(answeredID) else { throw Problem.post(.targetGone(action: "reply to")) }
    let author = try reader.author(of: answered)
    let mentioned = Set(TextPart.mentions(in: draft.text).map { $0.lowercased() })
    if request.v1Flag("auto_populate_reply_metadata", default: false) {
      // Those who are in the conversation, each once, and not the one who answers.
      var names: [String] = []
      let ownName = try call.account.username
      for name in [author.username] + TextPart.mentions(in: answered.text)
      where !mentioned.contains(name.lowercased()) && !names.contains(name) && name != ownName {
        names.append(name)
      }
      draft.text = (names.prefix(Self.maxReplyNames).map { "@\($0)" } + [draft.text]).joined(separator: " ")
      draft.replyTo = answeredID
    } else if mentioned.contains(author.username.lowercased()) || answered.authorID == draft.author {
      // As on X: a post that does not mention the author is not a reply.
      draft.replyTo = answeredID
    }
    return draft
  }

  fileprivate func v1SetLike(_ isLiked: Bool, _ call: Call) throws -> ServerResponse {
    guard let id = try call.request.id("id") else {
      throw Problem.v1(status: 403, code: 38, message: "id parameter is missing.")
    }
    let (post, account) = (try originalPost(id), try call.account)
    guard try store.hasLike(of: post.id, by: account.id) != isLiked else {
      throw Problem.post(isLiked ? .alreadyLiked : .notLiked)
    }
    try setLike(isLiked, of: post, by: account)
    return try v1Answer(originalPost(id), call)
  }
}
