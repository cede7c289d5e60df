package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// The posts of a SOURCE in the X API v1.1, page by page. X itself has retired it; other services still speak it. It
/// takes names where v2 takes ids.
package struct V1Pages: PagedSource {
  package let feed: String
  private let requests: XRequests
  private let path: String
  private let query: [(String, String)]
  private let isSearch: Bool

  /// - Returns: `nil` for a source that v1.1 has no pages of.
  package init?(_ requests: XRequests, _ source: Source) {
    switch source {
    case .hashtag(let tag): (path, query) = ("search/tweets", [("q", "#\(tag)")])
    case .named("search", let words): (path, query) = ("search/tweets", [("q", words)])
    case .named("user", let name):
      (path, query) = ("statuses/user_timeline", [("screen_name", name), ("include_rts", "true")])
    case .home: (path, query) = ("statuses/home_timeline", [])
    case .mentions: (path, query) = ("statuses/mentions_timeline", [])
    case .named("list", let id):
      guard source.listName == nil else { return nil }
      (path, query) = ("lists/statuses", [("list_id", id), ("include_rts", "true")])
    default: return nil
    }
    self.requests = requests
    feed = source.feed
    isSearch = path == "search/tweets"
  }

  package var endpoint: String { path }
  package var pageSizes: ClosedRange<Int> { 1...(isSearch ? 100 : 200) }

  package func page(_ range: PageRange) -> HTTPRequest {
    // `max_id` is inclusive.
    let last = range.token ?? range.untilID?.inclusiveEnd
    let bounds = [("since_id", range.sinceID?.description), ("max_id", last)].compactMap { name, value in
      value.map { (name, $0) }
    }
    let size = ("count", String(min(pageSizes.upperBound, range.size)))
    return requests.v1(path, query + (isSearch ? [("result_type", "recent")] : []) + [size] + bounds)
  }

  package func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage? {
    FeedPage(v1: answer, range, known: known, limit: limit)
  }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }
  package func readGap(_ answer: HTTPResponse) -> GapPage? { GapPage(v1: answer) }
  package func firstID(at time: Timestamp) -> PostID? { .first(at: time) }
  package func lastID(before time: Timestamp) -> PostID? { .last(before: time) }
}
