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
    size(of: kind, on: day).map { max(0, total - units(spent)) / $0 }
  }

  /// What of a budget may be spent today if it is to last for its period. All numbers are counts of one kind.
  package struct Today: Sendable, Equatable {
    /// What was left of the period this morning, divided by the days that were left.
    package let part: Int
    /// What of it is left.
    package let rest: Int
    /// How much less was spent in the period than its days up to today might have had.
    package let saved: Int
  }

  /// - Returns: `nil` if it does not bound the kind.
  package func today(
    for kind: BilledKind, beside spent: [(day: String, counts: BilledCounts)], at time: Timestamp
  ) -> Today? {
    let today = BudgetPeriod.day.firstDay(of: time)
    guard let size = size(of: kind, on: today) else { return nil }
    let (all, ofToday) = (units(spent), units(spent.filter { $0.day == today }))
    let (days, left) = period.days(at: time)
    let part = max(0, total - (all - ofToday)) / left
    let due = total / days * (days - left + 1)
    return Today(part: part / size, rest: max(0, part - ofToday) / size, saved: max(0, due - all) / size)
  }

  /// When the rest will be spent if things go on as in the last seven days; `nil` if nothing was spent in them, and for
  /// a budget of a day.
  ///
  /// - Parameter spent: what was billed, on all days.
  package func end(beside spent: [(day: String, counts: BilledCounts)], at time: Timestamp) -> Timestamp? {
    let length: Int64 = 86_400_000
    let today = time.milliseconds / length * length
    let recent = spent.filter { $0.day >= BudgetPeriod.day.firstDay(of: Timestamp(milliseconds: today - 6 * length)) }
    guard period != .day, let first = recent.map(\.day).min().flatMap(Timestamp.init(day:)), units(recent) > 0 else {
      return nil
    }
    let days = max(1, (today - first.milliseconds) / length + 1)
    let left = total - units(spent.filter { $0.day >= period.firstDay(of: time) })
    if left <= 0 { return nil }
    let end = period.end(of: time)
    let lasts = Double(left) * Double(days) / Double(units(recent)) * Double(length)
    return Timestamp(milliseconds: min(end.milliseconds, time.milliseconds + Int64(min(lasts, 1e12))))
  }

  /// What is left. The parameter is that of ``room(for:beside:on:)``.
  package func rest(beside spent: [(day: String, counts: BilledCounts)]) -> Rest {
    let rest = max(0, total - units(spent))
    return switch amount {
    case .posts: .posts(rest)
    case .money: .money(Money(millionths: rest))
    }
  }

  /// Posts, or millionths of a dollar.
  private var total: Int {
    switch amount {
    case .posts(let posts): posts
    case .money(let money, _): money.millionths
    }
  }

  private func units(_ spent: [(day: String, counts: BilledCounts)]) -> Int {
    switch amount {
    case .posts: spent.reduce(0) { $0 + $1.counts.postsRead }
    case .money(_, let prices):
      spent.reduce(Money.zero) { $0 + prices.cost(of: $1.counts, on: $1.day) }.millionths
    }
  }

  /// The units that one of a kind takes; `nil` if it takes none.
  private func size(of kind: BilledKind, on day: String) -> Int? {
    switch amount {
    case .posts: return kind.isPost ? 1 : nil
    case .money(_, let prices):
      let price = prices.price(of: kind, on: day).millionths
      return price > 0 ? price : nil
    }
  }
}
