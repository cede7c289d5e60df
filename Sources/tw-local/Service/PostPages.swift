import TweetCore

/// Pages of posts, newest first.
extension Service {
  /// Rows read from the store at a time.
  private static let batch = 200

  /// The newest posts of a range that `fits` accepts: one more than `count` where there are more.
  func collect(
    _ range: PageRange, count: Int, author: Int? = nil, _ fits: (Post) throws -> Bool
  ) throws -> [Post] {
    var found: [Post] = []
    var before = min(range.before, range.resume ?? .max)
    while found.count <= count {
      let batch = try store.posts(after: range.after, before: before, author: author, limit: Self.batch)
      for post in batch where found.count <= count {
        if try fits(post) { found.append(post) }
      }
      guard batch.count == Self.batch, let last = batch.last else { break }
      before = last.id
    }
    return found
  }

  /// The answer for what ``collect(_:count:author:_:)`` gave.
  /// - Parameter byLikes: the page's posts by their likes, not by their time.
  func page(
    _ posts: [Post], count: Int, _ selection: Selection, byLikes: Bool = false
  ) throws -> HTTPResponse {
    let shown = Array(posts.prefix(count))
    var meta: JSON.Members = []
    if let newest = shown.first, let oldest = shown.last {
      meta += [("newest_id", .id(newest.id)), ("oldest_id", .id(oldest.id))]
    }
    meta.append(("result_count", .number(shown.count)))
    if posts.count > count, let last = shown.last {
      meta.append(("next_token", .string(PageRange.token(after: last.id))))
    }
    usage.add(shown, at: .now)
    let view = view(selection)
    let surroundings = try view.surroundings(of: shown)
    let ordered = byLikes ? shown.sorted { ($0.counts.likes, $0.id) > ($1.counts.likes, $1.id) } : shown
    let members = body(try ordered.map(view.object), asList: true, surroundings: surroundings, missing: [])
    return reply(members + [("meta", .object(meta))])
  }

  /// A post ready to be matched by queries.
  /// - Parameter retweetsHaveWords: whether keywords find a retweet by the original's text.
  func searchable(_ post: Post, retweetsHaveWords: Bool) throws -> SearchablePost {
    guard let author = try store.account(post.authorID) else {
      throw ToolError.bug("post \(post.id) has no author")
    }
    let original = try post.retweetOf.flatMap(store.post)
    let retweeted = try original.flatMap { try store.account($0.authorID) }
    let answered = try post.replyToAuthor.flatMap(store.account)
    return SearchablePost(
      post, author: author, lists: try store.lists(of: author.id), original: original, retweetOf: retweeted?.username,
      repliesTo: answered?.username,
      hasWords: original == nil || retweetsHaveWords)
  }
}
