package import Services
package import TweetCore
package import TweetNet

/// The bounds of a page request. Ids are exclusive on both sides; `since` is inclusive, `until` exclusive.
package struct PageRange: Sendable, Equatable {
  package var sinceID: PostID?
  package var untilID: PostID?
  package var since: Timestamp?
  package var until: Timestamp?
  /// The page token of the page before.
  package var token: String?
  /// Posts a page.
  package var size = 100
  /// Whether the page just above `sinceID` is asked for, and not the newest one.
  package var ascends = false

  package init(sinceID: PostID? = nil, untilID: PostID? = nil, since: Timestamp? = nil, token: String? = nil) {
    (self.sinceID, self.untilID, self.since, self.token) = (sinceID, untilID, since, token)
  }

  /// Whether a post is newer than `sinceID` and older than `untilID`.
  package func holds(_ id: PostID) -> Bool {
    if let sinceID, id == sinceID || id.isOlder(than: sinceID) { return false }
    if let untilID, id == untilID || untilID.isOlder(than: id) { return false }
    return true
  }

  /// Whether its ids leave no room for a post.
  package var isEmpty: Bool {
    guard let sinceID, let untilID else { return false }
    return untilID.isReached(by: sinceID)
  }
}

/// A page of posts as the service sent it, and what paging needs to know about it.
package struct FeedPage: Sendable {
  /// A line to write.
  package struct Line: Sendable {
    package var bytes: [UInt8]
    package var posts: Int

    package init(bytes: [UInt8], posts: Int = 1) { (self.bytes, self.posts) = (bytes, posts) }
  }

  /// The answer's bytes, cut to the posts asked for; none if it has neither posts nor errors.
  package var lines: [Line]
  /// Posts on the lines.
  package var count: Int
  /// Posts of the range asked for: more than on the lines if a limit cut the page.
  package var kept: Int
  /// The ids of the posts that the service sent, and may bill.
  package var sentIDs: [PostID]
  /// The newest and the oldest post of the page, without those that a limit removed.
  package var newestID: PostID?
  package var oldestID: PostID?
  /// The page token of the next (older) page; `nil` on the last. An empty page may have one.
  package var nextToken: String?
  /// The error of an answer without posts: the account is gone, protected, suspended.
  package var problem: ToolError?
  /// Whether the service is still collecting what belongs to it: the same page is then asked for again.
  package var isPartial = false
  /// Milliseconds that the service wants before the next page is asked for.
  package var pause = 0
  /// What the answer says of the limit that all pages of the account have together.
  package var window: RateWindow?

  /// - Parameters:
  ///   - count: `nil` for the posts of the lines.
  ///   - kept: `nil` if no limit cut the page.
  package init(
    lines: [Line] = [], count: Int? = nil, kept: Int? = nil, sentIDs: [PostID] = [], newestID: PostID? = nil,
    oldestID: PostID? = nil, nextToken: String? = nil
  ) {
    (self.lines, self.count, self.sentIDs) = (lines, count ?? lines.reduce(0) { $0 + $1.posts }, sentIDs)
    self.kept = kept ?? self.count
    (self.newestID, self.oldestID, self.nextToken) = (newestID, oldestID, nextToken)
  }

  /// Posts that the service sent.
  package var sent: Int { sentIDs.count }
}

extension ByteView {
  /// JSON text with its raw newlines made spaces: it has them only between its parts.
  package var onOneLine: [UInt8] {
    map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }
}

extension JSONValue {
  /// Its JSON on one line.
  package var line: [UInt8] { raw.onOneLine }
}

/// A page of posts for a gap of a live stream, in any order, and how they are written as lines.
package struct GapPage: Sendable {
  package struct Post: Sendable {
    package let id: PostID
    package let json: [UInt8]

    package init(id: PostID, json: [UInt8]) { (self.id, self.json) = (id, json) }
  }

  package var posts: [Post]
  /// What comes before and after the posts of one line; if there is none, each post is a line of its own.
  package let frame: (head: [UInt8], tail: [UInt8])?
  package let nextToken: String?

  package init(_ posts: [Post], frame: (head: [UInt8], tail: [UInt8])? = nil, nextToken: String?) {
    (self.posts, self.frame, self.nextToken) = (posts, frame, nextToken)
  }

  /// About the memory it takes.
  package var bytes: Int { posts.reduce((frame?.head.count ?? 0) + (frame?.tail.count ?? 0)) { $0 + $1.json.count } }
}

/// The posts of one SOURCE at one service, page by page, newest first: all that a ``PollFeed`` knows of the service's
/// API.
package protocol PagedSource: Sendable {
  /// The SOURCE, as records name it.
  var feed: String { get }
  /// The endpoint of its pages, as the service counts and limits requests.
  var endpoint: String { get }
  /// The endpoint of ``lookUp``.
  var lookUpEndpoint: String { get }
  /// The request that must be answered before the first page, such as which account has a name; `nil` if there is none,
  /// or no other after the last one.
  var lookUp: HTTPRequest? { get }
  /// Whether an answer to it that is not 2xx is read as well: what it asks for is not there on all servers.
  func reads(refusedLookUp answer: HTTPResponse) -> Bool
  /// Reads the answer to it, which is 2xx or one that ``reads(refusedLookUp:)`` accepts.
  ///
  /// - Returns: the ids of what was looked up, which the service may bill.
  mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String]
  /// Of a source of a person, who that is.
  var person: PersonLookUp? { get set }
  /// What an answer to it is billed as, and the most that it may have of it.
  var lookUpBilled: (kind: BilledKind, count: Int) { get }
  /// What a person should know about the last answer to a look-up.
  var lookUpNotice: Notice? { get }
  /// What the posts of its pages are billed as.
  var billed: BilledKind { get }
  /// How many posts a page can be asked for.
  var pageSizes: ClosedRange<Int> { get }
  /// Whether times can be the bounds of pages; else only ids.
  var takesTimes: Bool { get }
  /// Milliseconds from one request to the next, at least.
  var pace: Int { get }
  func page(_ range: PageRange) -> HTTPRequest
  /// Reads a 2xx answer.
  ///
  /// - Parameters:
  ///   - range: what was asked for. Some endpoints send posts outside it, which are removed.
  ///   - known: posts of the page before; they are removed.
  ///   - limit: the most posts of the page; `nil` keeps all.
  /// - Returns: `nil` when the answer is not a page.
  func read(_ answer: HTTPResponse, _ range: PageRange, known: Set<PostID>, limit: Int?) -> FeedPage?
  /// The range of a request for the posts of a gap: those newer than an id, or than a time if no id is known; without
  /// either, all that the service's search reaches back to. `nil` where this cannot be asked for.
  func gapRange(_ range: PageRange) -> PageRange?
  /// Reads the 2xx answer to it; `nil` when it is not a page.
  func readGap(_ answer: HTTPResponse) -> GapPage?
  /// What an answer that is not 2xx means.
  func refusal(_ answer: HTTPResponse) -> Refusal
  /// How to ask in another way after a refused request; `nil` if there is none.
  func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy?
  /// Turns to the endpoint that ``PageRemedy/otherEndpoint`` is about.
  mutating func useOtherEndpoint()
  /// Adds what the source knows to an error that ends the feed.
  func explain(_ error: ToolError) -> ToolError
  /// Reads an id of a post that a checkpoint kept, or that a person gives.
  func postID(_ text: String) -> PostID
  /// The oldest id that a post of that time can have; `nil` if ids do not tell the time.
  func firstID(at time: Timestamp) -> PostID?
  /// The newest id that a post from before that time can have; `nil` if ids do not tell the time.
  func lastID(before time: Timestamp) -> PostID?
  /// Milliseconds that the service goes back; `nil` if it does not say.
  var reach: Int64? { get }
  /// Whether only page tokens lead on: what remains of a round is then kept with the token of its next page. Else ids
  /// do, which stay valid for longer.
  var needsTokens: Bool { get }
  /// Whether it has the pages above a post too. What is new is then read upwards, the oldest first, and no round leaves
  /// a gap.
  var ascends: Bool { get }
  /// Whether a page may repeat posts of earlier ones, and its oldest post be newer than theirs.
  var repeatsPosts: Bool { get }
}

extension PagedSource {
  package var lookUpEndpoint: String { endpoint }
  package var lookUp: HTTPRequest? { nil }
  package mutating func readLookUp(_ answer: HTTPResponse) throws(ToolError) -> [String] { [] }
  package var billed: BilledKind { .posts }
  package var takesTimes: Bool { false }
  package var pace: Int { 0 }
  /// Without an id from before the gap nothing tells where its posts begin.
  package func gapRange(_ range: PageRange) -> PageRange? {
    var range = range
    range.since = nil
    return range.sinceID == nil ? nil : range
  }
  package func readGap(_ answer: HTTPResponse) -> GapPage? { nil }
  package func remedy(_ answer: HTTPResponse, _ range: PageRange) -> PageRemedy? { nil }
  package func explain(_ error: ToolError) -> ToolError { error }
  package func firstID(at time: Timestamp) -> PostID? { nil }
  package func lastID(before time: Timestamp) -> PostID? { nil }
  package func postID(_ text: String) -> PostID { PostID(text) }
  package var needsTokens: Bool { false }
  package var ascends: Bool { false }
  package var repeatsPosts: Bool { false }
  package var reach: Int64? { nil }

  /// How many posts are from before a time, as far as ids tell.
  package func count(_ ids: [PostID], from time: Timestamp) -> Int {
    guard let last = lastID(before: time) else { return ids.count }
    return ids.count { !last.isOlder(than: $0) }
  }
  package mutating func useOtherEndpoint() {}
  package func reads(refusedLookUp answer: HTTPResponse) -> Bool { false }
  package var lookUpNotice: Notice? { person?.notice }
  package var person: PersonLookUp? {
    get { nil }
    set {}
  }
  package var lookUpBilled: (kind: BilledKind, count: Int) { (.users, 1) }
}

/// How to ask in another way for what the service refused.
package enum PageRemedy: Sendable, Equatable {
  /// From this time on: the service does not go back further.
  case begin(Timestamp)
  /// By ids: the page token is no longer valid.
  case withoutToken
  /// At the endpoint that older servers have.
  case otherEndpoint
}
