package import Services
package import TweetCore
import TweetNet

/// How much may still be spent at a service that bills: what is asked for is reserved before each request, and the
/// reservation is corrected after it.
///
/// It has no state of its own: the ledger is the state, so feeds and processes share one budget.
package struct ReadBudget: Sendable {
  private let prices: PriceTable?
  private let bound: BudgetBound
  /// Whether the user has said the bound. One that nobody has said bounds reads alone: no post is held back for it.
  private let isWanted: Bool
  private let limit: BudgetLimit?
  private let ledger: Ledger
  private let bill: Ledger.Bill
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - wanted: what the user says; `nil` for the usual bound.
  ///   - ledger: where reads are recorded.
  ///   - now: tells which day it is.
  /// - Returns: `nil` if nothing costs anything and the user wants no bound of posts.
  package init?(
    _ wanted: BudgetBound?, for access: ServiceAccess, ledger: Ledger = Ledger(),
    now: @escaping @Sendable () -> Timestamp = { .shown }
  ) throws(ToolError) {
    self.init(wanted, try access.bill(), prices: access.api.service.prices, ledger: ledger, now: now)
  }

  /// The same for what is not read by an access.
  package init?(
    _ wanted: BudgetBound?, _ bill: Ledger.Bill, prices: PriceTable?, ledger: Ledger = Ledger(),
    now: @escaping @Sendable () -> Timestamp = { .shown }
  ) {
    bound = wanted ?? .usual
    isWanted = wanted != nil
    limit = BudgetLimit(bound, prices: prices)
    if prices == nil, !isWanted || limit == nil { return nil }
    self.prices = prices
    self.ledger = ledger
    self.bill = bill
    self.now = now
  }

  /// Whether there is a bound.
  package var isBounded: Bool { limit != nil }

  /// Whether it bounds a kind. What is done is not held back for a bound that nobody has said.
  package func bounds(_ kind: BilledKind) -> Bool { isBounded && (isWanted || kind.isRead) }

  /// Whether what is done counts, and not only what is read.
  package var countsWrites: Bool { prices != nil }

  /// About how many posts the whole budget is for; `nil` for no bound.
  package var posts: Int? {
    switch bound {
    case .unlimited: nil
    case .posts(let posts, _): posts
    case .money(let money, _): prices.map { money.millionths / max(1, $0.price(of: .posts, on: today).millionths) }
    }
  }

  /// The time by which it is billed.
  package var time: Timestamp { now() }

  package var today: String { Ledger.day(of: now()) }

  /// Checks that the ledger can be used.
  ///
  /// - Returns: what is said before a post is ever read from a service that bills: what it costs and what bounds it.
  /// - Throws: what is wrong with the ledger, and how to read without it.
  package func open() throws(ToolError) -> String? {
    let entries: [Ledger.Entry]
    do throws(ToolError) {
      try ledger.checkWritable()
      entries = try ledger.entries()
    } catch {
      guard isBounded, let text = error.message else { throw error }
      let advice = "posts are read only if they can be counted there; --budget unlimited reads them all the same"
      throw ToolError(error.status, "\(text); \(advice)") ?? error
    }
    let isKnown = entries.contains { $0.bill.service == bill.service && $0.all.postsRead > 0 }
    guard let prices, !isKnown else { return nil }
    let named = [("a post", BilledKind.posts), ("an account that is looked up", .users)].compactMap { name, kind in
      prices.price(of: kind, on: today) > .zero ? "\(name) \(prices.price(of: kind, on: today).text)" : nil
    }
    let words =
      switch bound {
      case .unlimited: "any number is read"
      case .posts: "at most \(bound.words) are read"
      case .money: "at most \(bound.words) is spent"
      }
    let list = (named + (prices.newest.map { ["since \($0)"] } ?? [])).joined(separator: ", ")
    return "service \(bill.service) bills what is read (\(list)); \(words) ('tw config set budget' changes that)"
  }

  /// Reserves as much of a kind as may be had. The parameters are those of
  /// ``Ledger/reserve(_:of:within:isLong:at:_:)``.
  package func reserve(
    _ counts: ClosedRange<Int>, of kind: BilledKind = .posts, isLong: Bool = false,
    share: ((BudgetLimit.Today) -> Int)? = nil
  ) throws(ToolError) -> Ledger.Grant {
    let limit = bounds(kind) ? limit : nil
    return try ledger.reserve(counts, of: kind, within: limit, isLong: isLong, share: share, at: now(), bill)
  }

  /// What the requests of a feed have reserved, for the next program if this one is killed.
  package func note(of feed: String) -> RequestNote? { RequestNote(beside: ledger.path, bill, feed: feed) }

  /// Gives a reservation back and records what came.
  ///
  /// - Parameter ids: `nil` for what has no number.
  package func settle(
    _ reservation: Ledger.Reservation?, read ids: [UInt64?], of kind: BilledKind = .posts
  ) throws(ToolError) {
    try ledger.settle(reservation, got: ids, of: kind, at: now(), bill)
  }

  /// Gives back the reservation of a killed program.
  ///
  /// - Parameter count: what was billed of it on its day and is not counted yet.
  package func settle(_ found: Ledger.Reservation, billed count: Int) throws(ToolError) {
    guard let time = Timestamp(day: found.day) else { return }
    try ledger.settle(found, got: Array(repeating: nil, count: count), of: found.kind, at: time, bill)
  }

  /// What is left of the budget; `nil` for no bound.
  package func rest() throws(ToolError) -> BudgetLimit.Rest? {
    guard let limit else { return nil }
    return limit.rest(beside: try spent(limit))
  }

  private func spent(_ limit: BudgetLimit) throws(ToolError) -> [(day: String, counts: BilledCounts)] {
    let entries = try ledger.believed(ledger.entries(since: limit.period.firstDay(of: now())), at: now())
    return entries.filter { $0.bill.isShared(with: bill) }.map { ($0.day, $0.all) }
  }

  /// The same as a sentence: `$4.985 of $5 a day left`.
  package func restWords() throws(ToolError) -> String {
    try rest().map { "\($0.words.split(separator: " ")[0]) of \(bound.words) left" } ?? "no bound"
  }

  /// How many posts may still be read; `nil` for no bound.
  package func postsLeft() throws(ToolError) -> Int? {
    guard let limit else { return nil }
    return limit.room(for: .posts, beside: try spent(limit), on: today)
  }

  /// Milliseconds until the budget opens again.
  package var wait: Int {
    let now = now()
    return Int((limit?.period ?? .day).end(of: now).milliseconds - now.milliseconds)
  }

  /// The error that ends a run which does not wait.
  package var usedUp: ToolError { .tryLater(usedUpText) }

  /// What a run that waits says.
  package var notice: Notice {
    Notice(.warning, "budget", usedUpText).with("wait", milliseconds: wait)
  }

  /// What a run says that has had its share of today.
  package var keptBack: Notice {
    Notice(.info, "budget", "the budget of \(bound.words) is spread over its days: the rest is fetched later")
  }

  private var usedUpText: String {
    "the budget of \(bound.words) is used up; it opens again at \((limit?.period ?? .day).end(of: now()).rfc3339); "
      + "'tw budget' shows on what, 'tw config set budget' raises it"
  }
}
