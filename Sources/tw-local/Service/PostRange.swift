import TweetCore

/// The posts between two ids, neither of which is included.
struct PostRange {
  init() {}

  var after = 0
  var before = Int.max

  /// How far back search goes, in milliseconds.
  private static let searchReach: Int64 = 7 * 86_400_000
  /// How long ago a time in a parameter must be, in milliseconds.
  private static let leastAge: Int64 = 10_000

  /// The oldest time that search finds posts of.
  static var searchStart: Timestamp { Timestamp(milliseconds: Timestamp.now.milliseconds - searchReach) }

  /// Leaves out the posts of this time and all newer ones.
  mutating func end(at time: Timestamp) { before = min(before, Snowflake.first(at: time)) }

  /// Leaves out the posts that are older than this time.
  mutating func start(at time: Timestamp) { after = max(after, Snowflake.first(at: time) - 1) }

  // MARK: Parameters of v2

  /// Reads `since_id`, `until_id`, `start_time`, `end_time` and the page token.
  /// - Parameter tokenNames: the parameters that may hold the token.
  init(_ request: ServerRequest, tokenNames: [String] = ["pagination_token"]) throws(Problem) {
    let since = try request.id("since_id")
    let until = try request.id("until_id")
    let start = try request.time("start_time")
    let end = try request.time("end_time")
    if since ?? until != nil, start ?? end != nil {
      let name = since != nil ? "since_id" : "until_id"
      throw .invalid(
        name, request.parameter(name) ?? "",
        "Invalid use of 'since_id' or 'until_id' in conjunction with 'start_time' or 'end_time'.")
    }
    let now = Timestamp.now
    for (name, time) in [("start_time", start), ("end_time", end)] {
      if let time, time.milliseconds > now.milliseconds - Self.leastAge {
        let text = request.parameter(name) ?? ""
        throw .invalid(
          name, text,
          "Invalid '\(name)':'\(text)'. '\(name)' must be a minimum of 10 seconds prior to the request time.")
      }
    }
    if let start, let end, start >= end {
      throw .invalid("end_time", request.parameter("end_time") ?? "", "'end_time' must be after 'start_time'.")
    }
    if let since { after = since }
    if let until { before = until }
    if let start { self.start(at: start) }
    if let end { self.end(at: end) }
    for name in tokenNames {
      if let last = try request.pageToken(name) { before = min(before, last) }
    }
  }

  /// Limits the range to what search finds. Refuses parameters that ask for older posts.
  mutating func limitToRecent(_ request: ServerRequest) throws(Problem) {
    // To the minute, as on X.
    let oldest = Timestamp(milliseconds: (Self.searchStart.milliseconds / 60_000 + 1) * 60_000)
    let named = oldest.rfc3339.prefix(16) + "Z"
    let first = Snowflake.first(at: oldest)
    for name in ["since_id", "start_time"] {
      guard let text = request.parameter(name), after < first - 1 else { continue }
      let message =
        name == "since_id"
        ? "'since_id' must be a tweet id created after \(named). Please use a 'since_id' that is larger than \(first)"
        : "Invalid 'start_time':'\(text)'. 'start_time' must be on or after \(named)."
      throw .invalid(name, text, message)
    }
    start(at: oldest)
  }

  // MARK: Parameters of v1.1

  /// Reads `since_id`, which is left out, and `max_id`, which is included.
  init(v1 request: ServerRequest) throws(Problem) {
    after = try request.id("since_id") ?? 0
    if let last = try request.id("max_id"), last < .max { before = last + 1 }
  }
}

extension Service {
  /// Posts read from the store at a time.
  private static let batchSize = 200

  /// The newest posts of a range that match, one more than `count` where there are more.
  /// - Parameter author: an account's id, to read only its posts.
  func newestPosts(
    in range: PostRange, count: Int, author: Int? = nil, where matches: (Post) throws -> Bool = { _ in true }
  ) throws -> [Post] {
    var found: [Post] = []
    var before = range.before
    while found.count <= count {
      let batch = try store.posts(after: range.after, before: before, author: author, limit: Self.batchSize)
      for post in batch where found.count <= count {
        if try matches(post) { found.append(post) }
      }
      guard batch.count == Self.batchSize, let last = batch.last else { break }
      before = last.id
    }
    return found
  }

  /// The oldest posts of a range that match, oldest first, `count` at most.
  func oldestPosts(in range: PostRange, count: Int, where matches: (Post) throws -> Bool) throws -> [Post] {
    var found: [Post] = []
    var after = range.after
    while found.count < count {
      let batch = try store.oldestPosts(after: after, before: range.before, limit: Self.batchSize)
      for post in batch where found.count < count {
        if try matches(post) { found.append(post) }
      }
      guard batch.count == Self.batchSize, let last = batch.last else { break }
      after = last.id
    }
    return found
  }

  /// A post that queries can be matched against.
  /// - Parameter retweetsHaveWords: whether keywords find a retweet by the text of the original.
  func searchable(_ post: Post, retweetsHaveWords: Bool) throws -> SearchablePost {
    let author = try reader.author(of: post)
    let original = try reader.original(of: post)
    let originalAuthor = try original.map(reader.author)
    let answeredAuthor = try post.replyToAuthor.flatMap(store.account)
    let media = try (original ?? post).media.compactMap(store.media)
    return SearchablePost(
      post, author: author, lists: try store.lists(with: author.id), original: original,
      retweetOf: originalAuthor?.username, replyTo: answeredAuthor?.username,
      hasVideo: media.contains { $0.video != nil }, hasWords: original == nil || retweetsHaveWords)
  }

  /// Whether a post mentions an account or answers it. An account's own posts and retweets do not count.
  func mentions(_ account: LocalAccount, in post: Post) -> Bool {
    guard post.retweetOf == nil, post.authorID != account.id else { return false }
    if post.replyToAuthor == account.id { return true }
    let name = account.username.lowercased()
    return TextPart.mentions(in: post.text).contains { $0.lowercased() == name }
  }
}
