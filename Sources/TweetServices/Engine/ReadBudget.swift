package import TweetCore
import TweetNet
package import TweetSources

/// How many posts an account may still read today, where reads are billed: they are reserved before each request, and the
/// reservation is corrected after it.
///
/// It has no state of its own: the ledger is the state, so feeds and processes share one budget.
package struct ReadBudget: Sendable {
  /// Five dollars' worth at X.
  private static let standard = 1000

  private let price: String?
  /// Posts a day; `nil` for no bound.
  package let perDay: Int?
  private let ledger: ReadLedger
  private let service: String
  private let account: String
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - wanted: what the user says; `nil` for the service's default.
  ///   - ledger: where reads are recorded.
  ///   - now: tells which day it is.
  /// - Returns: `nil` if reads cost nothing and the user wants no bound.
  package init?(
    _ wanted: PostBudget?, for access: ServiceAccess, ledger: ReadLedger = ReadLedger(),
    now: @escaping @Sendable () -> Timestamp = { .shown }
  ) {
    price = access.price
    switch wanted {
    case nil where price == nil, .unlimited where price == nil: return nil
    case nil: perDay = Self.standard
    case .perDay(let posts): perDay = posts
    case .unlimited: perDay = nil
    }
    self.ledger = ledger
    self.now = now
    service = access.service
    account = access.ledgerAccount
  }

  /// Checks that the ledger can be used.
  ///
  /// - Returns: what is said before the first post is ever read from a service that bills: what it costs and what bounds it.
  /// - Throws: what is wrong with the ledger, and how to read without it.
  package func open() throws(ToolError) -> String? {
    let entries: [ReadLedger.Entry]
    do throws(ToolError) {
      try ledger.checkWritable()
      entries = try ledger.entries()
    } catch {
      guard perDay != nil, let text = error.message else { throw error }
      let advice = "posts are read only if they can be counted there; --budget unlimited reads them all the same"
      throw ToolError(error.status, "\(text); \(advice)") ?? error
    }
    guard let price, !entries.contains(where: { $0.service == service }) else { return nil }
    let bound = perDay.map { "at most \($0) posts a day are read" } ?? "any number of posts is read"
    return "service \(service) bills every post read (\(price)); \(bound) ('tw config set budget' changes that)"
  }

  /// Reserves as many posts of a range as may be read today. The parameters are those of
  /// ``ReadLedger/reserve(_:within:isLong:at:service:account:)``.
  package func reserve(_ posts: ClosedRange<Int>, isLong: Bool = false) throws(ToolError) -> ReadLedger.Grant {
    try ledger.reserve(posts, within: perDay, isLong: isLong, at: now(), service: service, account: account)
  }

  /// Gives a reservation back and records the posts that were read.
  ///
  /// - Parameter ids: `nil` for a post without a number.
  package func settle(_ reservation: ReadLedger.Reservation?, read ids: [UInt64?]) throws(ToolError) {
    try ledger.settle(reservation, read: ids, at: now(), service: service, account: account)
  }

  /// Milliseconds until the budget opens again.
  package var wait: Int {
    let now = now()
    return Int(ReadLedger.nextDay(after: now).milliseconds - now.milliseconds)
  }

  /// The error that ends a run which does not wait.
  package var usedUp: ToolError { .tryLater(usedUpText) }

  /// What a run that waits says.
  package var notice: Notice {
    var notice = Notice(.warning, "budget", usedUpText)
    notice.add("wait", milliseconds: wait)
    return notice
  }

  private var usedUpText: String {
    "the budget of \(perDay ?? 0) posts a day is used up; it opens again at "
      + "\(ReadLedger.nextDay(after: now()).rfc3339); 'tw config set budget' raises it"
  }
}
