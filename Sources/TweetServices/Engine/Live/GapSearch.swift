import TweetCore
import TweetNet

/// The search for the posts of one gap: feed after feed, page after page, one request at a time.
struct GapSearch: Sendable {
  enum Answer {
    case page(BackfillPage)
    /// The gap begins before the time that the search reaches back to.
    case tooFarBack
  }

  private var request = RetriedRequest(RetryPolicy(.endless))
  private var feedIndex = 0
  private var token: String?
  /// Whether the search reaches back to the gap's beginning, as far as is known.
  private var reachesBack = true
  /// What was found and not delivered, newest first.
  private(set) var found: [DeliveryOrder.Page] = []
  private(set) var foundBytes = 0

  var isIdle: Bool { request.isIdle }
  var wakesAt: Int? { request.wakesAt }

  /// Ends the search and forgets what it found.
  mutating func cancel(in loop: inout TransferLoop) {
    request.cancel(in: &loop)
    self = GapSearch()
  }

  /// The feed that is searched for; `nil` when there are no more.
  func feed(in gap: LiveGap) -> String? {
    feedIndex < gap.lastIDs.count ? gap.lastIDs[feedIndex].feed : nil
  }

  /// Asks for the next page.
  ///
  /// - Parameters:
  ///   - end: the posts of the gap are older.
  ///   - most: posts that may be read.
  /// - Returns: `false` when the service has no search for it.
  mutating func start(
    _ gap: LiveGap, end: Int, most: Int, _ api: any StreamAPI, in loop: inout TransferLoop
  ) -> Bool {
    let last = gap.lastIDs[feedIndex]
    var range = BackfillRange(sinceID: reachesBack ? last.id : nil, since: gap.startedAt)
    range.untilID = end == .max ? nil : end
    range.token = token
    range.size = min(range.size, most)
    guard let next = (api as? any SearchableStream)?.backfillRequest(last.feed, range) else { return false }
    request.start(next, in: &loop)
    return true
  }

  /// - Returns: what came of the request in flight; `nil` for other events.
  mutating func handle(_ event: TransferLoop.Event, _ api: any StreamAPI) -> RetriedRequest.Outcome<Answer>? {
    let canReachLess = reachesBack && token == nil
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<Answer> in
      guard response.isSuccess else {
        let refusal = api.refusal(response)
        return refusal.meaning == .tooFarBack && canReachLess ? .answer(.tooFarBack) : .refused(refusal)
      }
      return (api as? any SearchableStream)?.backfillPage(response).map { .answer(.page($0)) } ?? .noPage
    }
    if case .answered(.tooFarBack) = outcome { reachesBack = false }
    return outcome
  }

  /// Keeps a page and goes on to the next page or feed.
  mutating func record(_ page: BackfillPage, of feed: String) {
    if !page.posts.isEmpty {
      found.append(DeliveryOrder.Page(feed: feed, page: page))
      foundBytes += page.bytes
    }
    token = page.nextToken
    guard token == nil else { return }
    feedIndex += 1
    reachesBack = true
  }

  /// Removes what was found, for delivery.
  mutating func removeFound() -> [DeliveryOrder.Page] {
    defer { (found, foundBytes) = ([], 0) }
    return found
  }
}
