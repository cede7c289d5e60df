import TweetCore
import TweetNet
import TweetSources

/// What the requests of one feed reserve of the budget, one request at a time.
///
/// A reservation is given back when the answer is there, or when there is none. If it is not known whether posts were
/// sent and billed, the next try of the request uses it again; at the end of the run it stays counted.
struct RequestBudget: Sendable {
  enum Grant {
    /// This many may be asked for.
    case posts(Int)
    /// Other requests have reserved what is left: ask again then, by `MonotonicClock`.
    case wait(until: Int)
    case usedUp(ReadBudget)
  }

  /// Milliseconds between two looks at what others gave back, and how long it is waited for.
  private static let interval = 250
  private static let patience = 10_000

  private let budget: ReadBudget?
  private var reservation: Ledger.Reservation?
  private var waitsSince: Int?

  /// - Parameter budget: `nil` if reads cost nothing.
  init(_ budget: ReadBudget?) { self.budget = budget }

  /// Reserves posts, or look-ups, for a request.
  ///
  /// - Parameter posts: how few are of use, and how many are wanted.
  mutating func reserve(_ posts: ClosedRange<Int>, of kind: BilledKind = .posts) throws(ToolError) -> Grant {
    guard let budget else { return .posts(posts.upperBound) }
    if let reservation, reservation.kind == kind {
      if reservation.count >= posts.lowerBound { return .posts(min(reservation.count, posts.upperBound)) }
      try settle([])
    }
    switch try budget.reserve(posts, of: kind) {
    case .granted(let reservation):
      (self.reservation, waitsSince) = (reservation, nil)
      return .posts(reservation.count)
    case .reservedByOthers:
      let now = MonotonicClock.milliseconds
      let since = waitsSince ?? now
      if now - since < Self.patience {
        waitsSince = since
        return .wait(until: now + Self.interval)
      }
    case .usedUp: break
    }
    waitsSince = nil
    return .usedUp(budget)
  }

  /// Records what an answer brought.
  mutating func settle(_ ids: [UInt64?]) throws(ToolError) {
    guard let budget, let reservation else { return }
    self.reservation = nil
    try budget.settle(reservation, read: ids, of: reservation.kind)
  }

  /// Gives the reservation back after an answer that brought no posts, unless some may have been sent and billed.
  ///
  /// - Parameter event: the end of the request.
  mutating func release(after event: TransferLoop.Event) throws(ToolError) {
    if case .finished(_, let result) = event, !result.mayHaveBroughtPosts { try settle([]) }
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
