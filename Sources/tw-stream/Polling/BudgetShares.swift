import Services

/// How the sources of one poll round share what may be spent today, if the budget is spread over its period: each has
/// its share, and takes it in the rounds of the day. A page of what is new comes first.
package final class BudgetShares {
  /// What a request asks for.
  enum Use: Equatable {
    case lookUp
    /// The first page of what is new.
    /// - Parameter isFirst: nothing was fetched today.
    case new(isFirst: Bool)
    /// What is below it, and gaps.
    case more
  }

  /// The share of one source.
  struct Share {
    fileprivate var size: Int?
    fileprivate var used = 0
  }

  /// Sources of this round that have not asked yet.
  private var waiting: Int
  /// Percent of today's part that other rounds need.
  private let keep: Int
  /// Rounds that are left today, this one among them.
  private let rounds: Int
  /// Posts of this round.
  private var spent = 0

  init(sources: Int, keep: Int, rounds: Int) {
    (waiting, self.keep, self.rounds) = (sources, keep, max(1, rounds))
  }

  /// How much a request may have.
  ///
  /// - Parameters:
  ///   - least: how little is of use.
  ///   - share: its source's.
  func room(_ today: BudgetLimit.Today, least: Int, _ use: Use, _ share: Share) -> Int {
    let rest = rest(today)
    let even = (rest + spent) / rounds - spent
    guard case .new(let isFirst) = use else {
      let size = share.size ?? 0
      return use == .lookUp ? today.rest : min(max(size - share.used, rest - waiting * size), even)
    }
    let fair = min(rest, share.size ?? fair(today))
    if fair >= least { return max(least, min(fair, even / max(1, waiting))) }
    // Sources have their turns, the one that has waited longest first; and days save for a page.
    return max(min(least, isFirst ? today.rest : rest), today.part < least ? min(least, today.saved) : 0)
  }

  private func rest(_ today: BudgetLimit.Today) -> Int { max(0, today.rest - today.part * keep / 100) }
  private func fair(_ today: BudgetLimit.Today) -> Int { rest(today) / max(1, waiting) }

  /// Takes note of what a request got; 0 if nothing.
  ///
  /// - Parameter today: as it was before; `nil` for a correction.
  func record(_ count: Int, _ today: BudgetLimit.Today?, _ use: Use, _ share: inout Share) {
    if use == .lookUp { return }
    if share.size == nil, let today {
      share.size = fair(today)
      waiting = max(0, waiting - 1)
    }
    share.used += count
    spent += count
  }
}
