import Services
import TweetCore
import TweetNet
import TweetServices

/// The search for the posts of one gap: feed after feed, page after page, one request at a time.
struct GapSearch {
  /// Why a page cannot be asked for.
  enum Refused {
    case noSearch, usedUp
  }

  enum Answer {
    case page(GapPage)
    /// The gap begins before the time that the search reaches back to.
    case tooFarBack
  }

  private var request = RetriedRequest(RetryPolicy(.endless))
  private var budget: RequestBudget
  /// Those of the feed that is searched for.
  private var pages: (any PagedSource)?
  private var feedIndex = 0
  private var token: String?
  /// The oldest post of the feed that was found.
  private var oldest: PostID?
  /// Whether the search reaches back to the gap's beginning, as far as is known.
  private var reachesBack = true
  /// What was found and not delivered, newest first.
  private(set) var found: [DeliveryOrder.Page] = []
  private(set) var foundBytes = 0

  var isIdle: Bool { request.isIdle }
  var wakesAt: Int? { request.wakesAt }

  /// - Parameter budget: what may be read a day; `nil` if reads cost nothing.
  init(_ budget: ReadBudget?) { self.budget = RequestBudget(budget) }

  /// Ends the search and forgets what it found.
  mutating func cancel(in loop: inout TransferLoop) {
    request.cancel(in: &loop)
    (request, feedIndex, token, reachesBack) = (RetriedRequest(RetryPolicy(.endless)), 0, nil, true)
    oldest = nil
    (found, foundBytes) = ([], 0)
  }

  /// The feed that is searched for; `nil` when there are no more.
  func feed(in gap: LiveGap) -> String? {
    feedIndex < gap.lastIDs.count ? gap.lastIDs[feedIndex].feed : nil
  }

  /// Asks for the next page.
  ///
  /// - Parameters:
  ///   - end: the posts of the gap are older; `nil` if nothing tells where it ends.
  /// - Returns: why it cannot be asked for; `nil` if it was, or is when others have given back what they reserved.
  mutating func start(
    _ gap: LiveGap, end: PostID?, _ api: any StreamAPI, in loop: inout TransferLoop
  ) throws(ToolError) -> Refused? {
    let last = gap.lastIDs[feedIndex]
    let wanted = PageRange(
      sinceID: reachesBack ? last.id : nil, untilID: end, since: gap.startedAt, token: token)
    pages = api.pages(of: last.feed)
    guard let pages, var range = pages.gapRange(wanted) else { return .noSearch }
    switch try budget.reserve(pages.pageSizes) {
    case .usedUp, .keptBack: return .usedUp
    case .wait(let until): request.pause(until: until)
    case .posts(let count):
      range.size = count
      request.start(pages.page(range), in: &loop)
    }
    return nil
  }

  /// - Returns: what came of the request in flight; `nil` for other events.
  mutating func handle(
    _ event: TransferLoop.Event, _ api: any StreamAPI
  ) throws(ToolError) -> RetriedRequest.Outcome<Answer>? {
    let (pages, canReachLess) = (pages, reachesBack && token == nil)
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<Answer> in
      guard response.isSuccess else {
        let refusal = api.refusal(response)
        return refusal.meaning == .tooFarBack && canReachLess ? .answer(.tooFarBack) : .refused(refusal)
      }
      return pages?.readGap(response).map { .answer(.page($0)) } ?? .unreadable(Refusal.unreadable(response).text)
    }
    switch outcome {
    case nil: break
    case .answered(.page(let page)): try budget.settle(page.posts.map(\.id.key))
    case .answered(.tooFarBack):
      reachesBack = false
      try budget.release(after: event)
    case .waiting, .stopped: try budget.release(after: event)
    }
    return outcome
  }

  /// Keeps a page and goes on to the next page or feed.
  ///
  /// - Returns: `false` if the page has nothing older than those before it: the service would go on like that for ever.
  mutating func record(_ page: GapPage, of feed: String) -> Bool {
    let last = page.posts.reduce(nil) { PostID.older($0, $1.id) }
    if let last, let oldest, oldest.isReached(by: last) { return false }
    oldest = last ?? oldest
    if !page.posts.isEmpty {
      found.append(DeliveryOrder.Page(feed: feed, page: page))
      foundBytes += page.bytes
    }
    token = page.nextToken
    guard token == nil else { return true }
    feedIndex += 1
    (reachesBack, oldest) = (true, nil)
    return true
  }

  /// Removes what was found, for delivery.
  mutating func removeFound() -> [DeliveryOrder.Page] {
    defer { (found, foundBytes) = ([], 0) }
    return found
  }
}
