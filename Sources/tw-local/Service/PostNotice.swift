import TweetCore

/// Why an account is told of a post of somebody else.
enum PostNotice {
  case reply, mention, quote, repost
}

extension Service {
  /// What a post tells an account; `nil` for nothing. Of likes and of new followers nobody is told: no time is kept of
  /// them.
  func notice(_ post: Post, of account: LocalAccount) throws -> PostNotice? {
    guard post.authorID != account.id else { return nil }
    if let original = try reader.original(of: post) { return original.authorID == account.id ? .repost : nil }
    if post.replyToAuthor == account.id { return .reply }
    if let id = post.quoteOf, try store.post(id)?.authorID == account.id { return .quote }
    return mentions(account, in: post) ? .mention : nil
  }

  /// The posts of a conversation that one post answers, the oldest first, and those that answer it.
  func context(of post: Post) throws -> (ancestors: [Post], descendants: [Post]) {
    let all = try store.conversation(post.conversationID)
    var ancestors: [Post] = []
    var parent = post.replyTo
    // Answers have larger ids than what they answer, so this ends.
    for candidate in all.reversed() where candidate.id == parent {
      ancestors.append(candidate)
      parent = candidate.replyTo
    }
    var found: Set<Int> = [post.id]
    let descendants = all.filter { answer in
      answer.replyTo.map { found.contains($0) } == true && found.insert(answer.id).inserted
    }
    return (ancestors.reversed(), descendants)
  }
}
