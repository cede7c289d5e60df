import TweetCore

/// What a ``FeedWriter`` has written, for those who watch a run.
struct WriterCounts: Sendable {
  struct Feed: Sendable {
    fileprivate(set) var posts = 0
    /// The last line with posts, and when it came.
    fileprivate(set) var lastMessage: [UInt8] = []
    fileprivate(set) var lastAt = Timestamp(milliseconds: 0)
  }

  /// By the SOURCE.
  private(set) var feeds: [String: Feed] = [:]
  /// Notices by their codes.
  private(set) var notices: [String: Int] = [:]

  init() {}

  mutating func add(_ message: ByteView, of feed: String, posts: Int) {
    guard posts > 0 else { return }
    feeds[feed, default: Feed()].posts += posts
    // Its memory is used again.
    feeds[feed]?.lastMessage.removeAll(keepingCapacity: true)
    feeds[feed]?.lastMessage.append(contentsOf: message)
    feeds[feed]?.lastAt = .shown
  }

  mutating func add(noticeOf code: String) { notices[code, default: 0] += 1 }
}
