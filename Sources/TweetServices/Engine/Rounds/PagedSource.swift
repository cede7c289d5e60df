package import TweetCore
package import TweetNet

/// What a page request is narrowed to. Ids are exclusive on both sides; `since` is inclusive, `until` exclusive.
package struct PageRange: Sendable, Equatable {
  package var sinceID: String?
  package var untilID: String?
  package var since: Timestamp?
  package var until: Timestamp?
  /// Where the page before said that it goes on.
  package var token: String?
  /// Posts a page.
  package var size = 100

  package init() {}

  /// Whether anything can lie in it, as far as its ids tell.
  var isEmpty: Bool {
    guard let sinceID, let untilID else { return false }
    return !PostOrder.isOlder(sinceID, untilID)
  }
}

/// A page of posts as the service sent it, and what paging needs to know of it.
package struct FeedPage: Sendable {
  /// What is written on one line.
  package struct Line: Sendable {
    package var bytes: [UInt8]
    package var posts: Int
  }

  /// The answer's bytes, cut to the posts asked for; none where it has no posts and nothing to say.
  package var lines: [Line]
  /// Posts on the lines.
  package var count: Int
  /// Posts of the range asked for: more than on the lines where a limit cut it.
  package var kept: Int
  /// Posts that the service sent, and may bill.
  package var sent: Int
  /// The newest and the oldest post of the page, by id, without those that a limit took off.
  package var newestID: String?
  package var oldestID: String?
  /// Asks for the next (older) page; `nil` on the last. An empty page may have one.
  package var nextToken: String?
  /// What an answer without posts complains of: the account is gone, protected, suspended.
  package var problem: ToolError?
}

/// The posts of one SOURCE at one service, page by page, newest first: all that `PollFeed` knows of a protocol.
package protocol PagedSource: Sendable {
  /// The SOURCE, as records name it.
  var feed: String { get }
  /// What must be asked before the first page, such as which account has a name; `nil` once that is known.
  var lookUp: HTTPRequest? { get }
  /// Takes the 2xx answer to it.
  mutating func lookedUp(_ answer: HTTPResponse) throws(ToolError)
  /// The numbers of posts that a page can be asked for.
  var pageSizes: ClosedRange<Int> { get }
  /// Whether pages can be narrowed by times; else only by ids.
  var takesTimes: Bool { get }
  /// Milliseconds from one request to the next at least.
  var pace: Int { get }
  func page(_ range: PageRange) -> HTTPRequest
  /// Reads a 2xx answer.
  ///
  /// - Parameters:
  ///   - range: what was asked for. Posts outside it, which some endpoints cannot be kept from sending, are taken off.
  ///   - limit: posts beyond so many are taken off; `nil` keeps all.
  /// - Returns: `nil` when the answer is no page.
  func read(_ answer: HTTPResponse, _ range: PageRange, limit: Int?) -> FeedPage?
  /// What an answer that is not 2xx means.
  func refusal(_ answer: HTTPResponse) -> Refusal
  /// How to ask again after a refused request; `nil` where asking otherwise does not help.
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy?
  /// Says more of an error that ends the feed, where the source knows more.
  func explain(_ error: ToolError) -> ToolError
  /// The smallest id that a post of that time can have; `nil` where ids do not tell.
  func firstID(at time: Timestamp) -> Int?
}

/// How a request that the service refused can be made instead.
package enum PageRemedy: Sendable, Equatable {
  /// The service no longer goes back as far; from this time on it does.
  case begin(Timestamp)
  /// The place that the token named is gone: go on by ids.
  case withoutToken
}

/// Ids of posts as numbers that may be longer than any integer.
package enum PostOrder {
  package static func isOlder(_ one: String, _ other: String) -> Bool { (one.count, one) < (other.count, other) }

  /// The newer of two ids, where there are two.
  package static func newer(_ one: String?, _ other: String?) -> String? {
    guard let one, let other else { return one ?? other }
    return isOlder(one, other) ? other : one
  }

  package static func older(_ one: String?, _ other: String?) -> String? {
    guard let one, let other else { return one ?? other }
    return isOlder(one, other) ? one : other
  }
}

extension FeedWriter {
  /// Writes a page's lines.
  mutating func write(_ lines: [FeedPage.Line], of feed: String) throws(ToolError) {
    for line in lines {
      try line.bytes.withUnsafeBufferPointer { (bytes) throws(ToolError) in
        try write(bytes, of: feed, posts: line.posts)
      }
    }
  }
}
