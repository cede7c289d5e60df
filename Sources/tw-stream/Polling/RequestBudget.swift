import Services
import TweetCore
import TweetNet
import TweetServices

/// What the requests of one feed reserve of the budget, one request at a time.
///
/// A reservation is given back when the answer is there, or when there is none. If it is not known whether posts were
/// sent and billed, the next try of the request uses it again, also that of the next program.
struct RequestBudget {
  enum Grant {
    /// This many may be asked for.
    case posts(Int)
    /// Other requests have reserved what is left: ask again then, by `MonotonicClock`.
    case wait(until: Int)
    case usedUp(ReadBudget)
    /// The budget has room, but not today.
    case keptBack(ReadBudget)
  }

  /// What an answer says of a killed program's request for the same posts.
  struct Answer {
    /// How many of its posts are from before a time.
    let count: (Timestamp) -> Int
    /// The post below which the next page begins; `nil` if all was read.
    let next: PostID?
  }

  /// Milliseconds between two looks at what others gave back, and how long it is waited for.
  private static let interval = 250
  private static let patience = 10_000

  private let budget: ReadBudget?
  /// `nil` if the budget is not spread.
  private let shares: BudgetShares?
  private var share = BudgetShares.Share()
  private var use = BudgetShares.Use.lookUp
  private var note: RequestNote?
  /// The request without an answer.
  private var open: RequestNote.Request?
  /// The request of a killed program whose posts it asks for again.
  private var repeated: RequestNote.Request?
  /// Those of killed programs that were not asked for again yet.
  private var found: [RequestNote.Request] = []
  private var waitsSince: Int?

  /// - Parameter budget: `nil` if reads cost nothing.
  init(_ budget: ReadBudget?, _ shares: BudgetShares? = nil) { (self.budget, self.shares) = (budget, shares) }

  var isSpread: Bool { shares != nil }

  /// Looks for what killed programs had reserved for a feed.
  mutating func begin(_ feed: String) {
    note = note ?? budget?.note(of: feed)
    found = note?.found ?? []
  }

  /// Reserves posts, or look-ups, for a request.
  ///
  /// - Parameters:
  ///   - posts: how few are of use, and how many are wanted.
  ///   - until: the post below which it asks; `nil` for the newest ones.
  mutating func reserve(
    _ posts: ClosedRange<Int>, of kind: BilledKind = .posts, below until: PostID? = nil,
    for use: BudgetShares.Use = .lookUp
  ) throws(ToolError) -> Grant {
    guard let budget else { return .posts(posts.upperBound) }
    self.use = use
    repeatRequest(kind, until, budget, least: posts.lowerBound)
    if let reservation = open?.reservation, reservation.kind == kind {
      if reservation.count >= posts.lowerBound { return .posts(min(reservation.count, posts.upperBound)) }
      try settle([])
    }
    var today: BudgetLimit.Today?
    let grant = try budget.reserve(
      posts, of: kind,
      share: shares.map { [share] shares in
        { now in
          today = today ?? now
          return shares.room(now, least: posts.lowerBound, use, share)
        }
      })
    switch grant {
    case .granted(let reservation):
      shares?.record(reservation.count, today, use, &share)
      waitsSince = nil
      open = RequestNote.Request(reservation, at: budget.time, until: until?.description)
      writeNote()
      return .posts(reservation.count)
    case .reservedByOthers:
      let now = MonotonicClock.milliseconds
      let since = waitsSince ?? now
      if now - since < Self.patience {
        waitsSince = since
        return .wait(until: now + Self.interval)
      }
    case .keptBack, .usedUp: break
    }
    shares?.record(0, today, use, &share)
    waitsSince = nil
    return grant == .usedUp || shares == nil ? .usedUp(budget) : .keptBack(budget)
  }

  /// Takes over what a killed program had reserved for a request that this one repeats.
  private mutating func repeatRequest(_ kind: BilledKind, _ until: PostID?, _ budget: ReadBudget, least: Int) {
    guard repeated == nil else { return }
    let index = found.firstIndex { request in
      guard request.reservation.kind == kind else { return false }
      return request.until.map { until?.isReached(by: PostID($0)) ?? false } ?? true
    }
    guard let index else { return }
    let request = found.remove(at: index)
    repeated = request
    // What was billed on another day is billed again.
    let isUsed = request.reservation.day == budget.today && request.reservation.count >= least
    if open == nil, isUsed { open = request }
  }

  /// Records what an answer brought.
  ///
  /// - Parameter answer: `nil` if it tells nothing of other requests.
  mutating func settle(_ ids: [UInt64?], _ answer: Answer? = nil) throws(ToolError) {
    guard let budget, var reservation = open?.reservation else { return }
    let isRepeated = open == repeated
    open = nil
    if var request = repeated {
      repeated = nil
      let known = min(request.reservation.count, answer.map { $0.count(request.at) } ?? 0)
      var given = request.reservation
      if let next = answer?.next, known < given.count {
        // The rest of its posts are on the next page.
        (request.reservation.count, request.until) = (given.count - known, next.description)
        given.count = known
        found.append(request)
      }
      writeNote()
      if isRepeated {
        reservation = given
      } else {
        try budget.settle(given, billed: given.day == budget.today ? 0 : known)
      }
    } else {
      writeNote()
    }
    if !isRepeated { shares?.record(ids.count - reservation.count, nil, use, &share) }
    try budget.settle(reservation, read: ids, of: reservation.kind)
  }

  /// Gives back what killed programs had reserved, when all posts of the feed were read.
  mutating func settleFound() throws(ToolError) {
    guard let budget, !found.isEmpty else { return }
    let requests = found
    found = []
    writeNote()
    for request in requests {
      let isOfToday = request.reservation.day == budget.today
      try budget.settle(request.reservation, billed: isOfToday ? 0 : request.reservation.count)
    }
  }

  private func writeNote() { note?.write(found + [repeated, open == repeated ? nil : open].compactMap { $0 }) }

  /// Gives the reservation back after an answer that brought no posts, unless some may have been sent and billed.
  ///
  /// - Parameter event: the end of the request.
  mutating func release(after event: TransferLoop.Event) throws(ToolError) {
    guard case .finished(_, let result) = event, !result.mayHaveBroughtPosts, let request = open else { return }
    // Nobody knows what came of a killed program's request.
    if let repeated {
      self.repeated = nil
      found.append(repeated)
      if request == repeated { open = nil }
    }
    try settle([])
  }
}

extension Result<HTTPResponse, TransferError> {
  /// Whether the service began to send posts, although they cannot be read.
  fileprivate var mayHaveBroughtPosts: Bool {
    switch self {
    case .success(let answer): answer.isSuccess && !answer.isWebPage && !answer.body.isEmpty
    case .failure(let error): error.isInsideAnswer
    }
  }
}
