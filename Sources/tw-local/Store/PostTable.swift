import SQLite
import TweetCore

/// Posts and likes.
extension LocalStore {
  /// Makes a post from a draft and stores it.
  func create(_ draft: Draft, at time: Timestamp) throws(ToolError) -> Post {
    let id = newID(at: time)
    let answered = try draft.replyTo.flatMap { (id) throws(ToolError) in try self.post(id) }
    let original = try draft.retweetOf.flatMap { (id) throws(ToolError) in try self.post(id) }
    let post = Post(
      id: id, authorID: draft.author, text: draft.text, createdAt: time,
      language: draft.language ?? original?.language ?? Language.guess(draft.text), source: draft.source,
      conversationID: answered?.conversationID ?? id, replyTo: draft.replyTo, replyToAuthor: answered?.authorID,
      quoteOf: draft.quoteOf, retweetOf: draft.retweetOf, photo: draft.photo, media: draft.media,
      counts: Post.Counts(likes: draft.likes))
    try add(post)
    for id in draft.media { try keepMedia(id) }
    if let poll = draft.poll { try addPoll(poll, to: id) }
    return post
  }

  /// Stores a post and all links that answers about it contain, and adds it to the counts of other posts.
  private func add(_ post: Post) throws(ToolError) {
    try database.run(
      "INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(post.id),
      .integer(post.authorID), .text(post.text), .integer(Int(post.createdAt.milliseconds)), .text(post.language),
      .text(post.source), .integer(post.conversationID), SQLValue(post.replyTo), SQLValue(post.replyToAuthor),
      SQLValue(post.quoteOf), SQLValue(post.retweetOf), SQLValue(post.photo), .integer(post.counts.likes),
      .integer(post.counts.retweets), .integer(post.counts.replies), .integer(post.counts.quotes),
      .text(post.media.map(String.init).joined(separator: ",")))
    for link in try TextPart.links(in: post.text) + attachedLinks(of: post) + [post.link] { try addShortLink(link) }
    try addToCounts(of: post, 1)
  }

  /// Removes a post, its retweets, its likes and its poll. Its pictures can be removed a day after they were uploaded.
  func remove(_ post: Post) throws(ToolError) {
    try database.run("DELETE FROM likes WHERE post_id = ?", .integer(post.id))
    try database.run("DELETE FROM bookmarks WHERE post_id = ?", .integer(post.id))
    try database.run("DELETE FROM polls WHERE post_id = ?", .integer(post.id))
    try database.run("DELETE FROM poll_options WHERE post_id = ?", .integer(post.id))
    for id in post.media { try database.run("UPDATE media SET is_used = 0 WHERE id = ?", .integer(id)) }
    try database.run("DELETE FROM posts WHERE id = ?1 OR retweet_of = ?1", .integer(post.id))
    try addToCounts(of: post, -1)
  }

  /// Adds to the counts of the posts that `post` answers, quotes or retweets.
  private func addToCounts(of post: Post, _ number: Int) throws(ToolError) {
    try database.run(
      "UPDATE posts SET replies = max(0, replies + ?) WHERE id = ?", .integer(number), SQLValue(post.replyTo))
    try database.run(
      "UPDATE posts SET quotes = max(0, quotes + ?) WHERE id = ?", .integer(number), SQLValue(post.quoteOf))
    try database.run(
      "UPDATE posts SET retweets = max(0, retweets + ?) WHERE id = ?", .integer(number), SQLValue(post.retweetOf))
  }

  func post(_ id: Int) throws(ToolError) -> Post? {
    try database.first("SELECT * FROM posts WHERE id = ?", .integer(id), body: Self.post)
  }

  /// The retweet of a post by an account.
  func retweet(of post: Int, by account: Int) throws(ToolError) -> Post? {
    try database.first(
      "SELECT * FROM posts WHERE retweet_of = ? AND author_id = ?", .integer(post), .integer(account),
      body: Self.post)
  }

  /// All retweets of a post.
  func retweets(of post: Int) throws(ToolError) -> [Post] {
    var found: [Post] = []
    try database.forEachRow("SELECT * FROM posts WHERE retweet_of = ? ORDER BY id", .integer(post)) {
      (row) throws(ToolError) in found.append(try Self.post(row))
    }
    return found
  }

  /// Posts whose ids are between two others, newest first.
  /// - Parameters:
  ///   - author: an account's id, to get only its posts.
  ///   - limit: most posts to get.
  func posts(after: Int, before: Int, author: Int? = nil, limit: Int) throws(ToolError) -> [Post] {
    var found: [Post] = []
    if let author {
      try database.forEachRow(
        "SELECT * FROM posts WHERE author_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?", .integer(author),
        .integer(after), .integer(before), .integer(limit)
      ) { (row) throws(ToolError) in found.append(try Self.post(row)) }
    } else {
      try database.forEachRow(
        "SELECT * FROM posts WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?", .integer(after), .integer(before),
        .integer(limit)
      ) { (row) throws(ToolError) in found.append(try Self.post(row)) }
    }
    return found
  }

  /// The oldest posts between two ids, oldest first.
  func oldestPosts(after: Int, before: Int, limit: Int) throws(ToolError) -> [Post] {
    var found: [Post] = []
    try database.forEachRow(
      "SELECT * FROM posts WHERE id > ? AND id < ? ORDER BY id LIMIT ?", .integer(after), .integer(before),
      .integer(limit)
    ) { (row) throws(ToolError) in found.append(try Self.post(row)) }
    return found
  }

  /// All posts of a conversation, oldest first.
  func conversation(_ id: Int) throws(ToolError) -> [Post] {
    var found: [Post] = []
    try database.forEachRow("SELECT * FROM posts WHERE conversation_id = ? ORDER BY id", .integer(id)) {
      (row) throws(ToolError) in found.append(try Self.post(row))
    }
    return found
  }

  private static func post(_ row: Row) throws(ToolError) -> Post {
    Post(
      id: row.integer(0), authorID: row.integer(1), text: row.text(2) ?? "",
      createdAt: Timestamp(milliseconds: Int64(row.integer(3))), language: row.text(4) ?? "und",
      source: row.text(5) ?? "", conversationID: row.integer(6), replyTo: row.optionalInteger(7),
      replyToAuthor: row.optionalInteger(8), quoteOf: row.optionalInteger(9), retweetOf: row.optionalInteger(10),
      photo: row.text(11), media: (row.text(16) ?? "").split(separator: ",").compactMap { Int($0) },
      counts: Post.Counts(
        likes: row.integer(12), retweets: row.integer(13), replies: row.integer(14), quotes: row.integer(15)))
  }

  // MARK: Likes

  /// Records or removes the like of a post by an account.
  func setLike(_ isLiked: Bool, of post: Int, by account: Int) throws(ToolError) {
    if isLiked {
      try database.run(
        "INSERT OR IGNORE INTO likes (account_id, post_id) VALUES (?, ?)", .integer(account), .integer(post))
    } else {
      try database.run("DELETE FROM likes WHERE account_id = ? AND post_id = ?", .integer(account), .integer(post))
    }
    if database.changes > 0 { try addLikes(isLiked ? 1 : -1, to: post) }
  }

  func hasLike(of post: Int, by account: Int) throws(ToolError) -> Bool {
    try number(of: .likes, to: post, by: account) != nil
  }

  /// Adds to the likes of a post without an account that likes it.
  func addLikes(_ number: Int, to post: Int) throws(ToolError) {
    try database.run("UPDATE posts SET likes = max(0, likes + ?) WHERE id = ?", .integer(number), .integer(post))
  }
}
