package import TweetCore
import TweetNet
package import TweetSources

/// How many posts an account may still read today, where reads are billed. Ask it before each request, and record after
/// it what was read.
///
/// It has no state of its own: the ledger is the state, so feeds and processes share one budget. Two that ask at the same
/// moment may together read up to a page more than remains.
package struct ReadBudget: Sendable {
  /// Five dollars' worth at X.
  private static let standard = 1000

  private let price: String?
  private let perDay: Int?
  private let ledger: ReadLedger
  private let service: String
  private let account: String

  /// - Parameters:
  ///   - wanted: what the user says; `nil` for the service's default.
  ///   - ledger: where reads are recorded.
  /// - Returns: `nil` if reads cost nothing and the user wants no bound.
  package init?(_ wanted: PostBudget?, for access: ServiceAccess, ledger: ReadLedger = ReadLedger()) {
    price = access.price
    switch wanted {
    case nil where price == nil, .unlimited where price == nil: return nil
    case nil: perDay = Self.standard
    case .perDay(let posts): perDay = posts
    case .unlimited: perDay = nil
    }
    self.ledger = ledger
    service = access.service
    account = access.account ?? "token-\(access.token.fingerprint)"
  }

  /// Posts that may still be read today; `Int.max` without a bound.
  package func remaining() throws(ToolError) -> Int {
    guard let perDay else { return .max }
    return max(0, perDay - (try ledger.posts(at: .shown, service: service, account: account)))
  }

  /// Records posts that were read.
  package func record(_ posts: Int) throws(ToolError) {
    try ledger.record(posts, at: .shown, service: service, account: account)
  }

  /// Milliseconds until the budget opens again.
  package var wait: Int {
    let now = Timestamp.shown
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
      + "\(ReadLedger.nextDay(after: .shown).rfc3339); --budget or 'tw config set budget' raises it"
  }

  /// What is said before the first post is ever read from a service that bills: what it costs and what bounds it.
  /// - Returns: `nil` if something was read from the service before.
  package func introduction() throws(ToolError) -> String? {
    guard let price else { return nil }
    for entry in try ledger.entries() where entry.service == service { return nil }
    let bound = perDay.map { "at most \($0) posts a day are read" } ?? "any number of posts is read"
    return "service \(service) bills every post read (\(price)); \(bound) (--budget)"
  }
}
