package import TweetCore

/// A budget, and what it means for what was billed.
package struct BudgetLimit: Sendable {
  private enum Amount {
    case posts(Int)
    case money(Money, PriceTable)
  }

  /// What is left of a budget.
  package enum Rest: Sendable, Equatable {
    case posts(Int)
    case money(Money)

    /// `$4.985`, `58 posts`.
    package var words: String {
      switch self {
      case .posts(let posts): "\(posts) posts"
      case .money(let money): money.text
      }
    }
  }

  private let amount: Amount
  package let period: BudgetPeriod

  /// - Parameter prices: of the service; `nil` if it bills nothing.
  /// - Returns: `nil` for what bounds nothing.
  package init?(_ bound: BudgetBound, prices: PriceTable?) {
    switch bound {
    case .unlimited: return nil
    case .posts(let posts, let period): (amount, self.period) = (.posts(posts), period)
    case .money(let money, let period):
      guard let prices else { return nil }
      (amount, self.period) = (.money(money, prices), period)
    }
  }

  /// How much of a kind there is room for; `nil` for any number.
  ///
  /// - Parameters:
  ///   - spent: what was billed, by days of the period. Later days count too: if the clock was set back, a period that
  ///     begins
  ///     again does not have a second budget.
  ///   - day: when it would be read or done.
  package func room(for kind: BilledKind, beside spent: [(day: String, counts: BilledCounts)], on day: String) -> Int? {
    switch rest(beside: spent) {
    case .posts(let posts): return kind.isPost ? posts : nil
    case .money(let money):
      guard case .money(_, let prices) = amount, case let price = prices.price(of: kind, on: day), price > .zero else {
        return nil
      }
      return money.millionths / price.millionths
    }
  }

  /// What is left. The parameter is that of ``room(for:beside:on:)``.
  package func rest(beside spent: [(day: String, counts: BilledCounts)]) -> Rest {
    switch amount {
    case .posts(let posts): .posts(max(0, posts - spent.reduce(0) { $0 + $1.counts.postsRead }))
    case .money(let money, let prices):
      .money(money - spent.reduce(.zero) { $0 + prices.cost(of: $1.counts, on: $1.day) })
    }
  }
}
