/// What a budget is for: a day, a week from Monday, or a month of the calendar, all in UTC as services bill.
package enum BudgetPeriod: String, Sendable, CaseIterable {
  case day, week, month

  /// The period's first day, as `2026-11-21`.
  package func firstDay(of time: Timestamp) -> String {
    String(Timestamp(milliseconds: Int64(firstDayNumber(of: time)) * Self.length).rfc3339.prefix(10))
  }

  /// When the period is over.
  package func end(of time: Timestamp) -> Timestamp {
    let first = firstDayNumber(of: time)
    let next =
      switch self {
      case .day: first + 1
      case .week: first + 7
      // The first of the next month is within 31 days of this month's.
      case .month: firstDayNumber(of: Timestamp(milliseconds: Int64(first + 31) * Self.length))
      }
    return Timestamp(milliseconds: Int64(next) * Self.length)
  }

  /// How many days the period has, and how many of them are left, today among them.
  package func days(at time: Timestamp) -> (all: Int, left: Int) {
    let end = Int(end(of: time).milliseconds / Self.length)
    return (end - firstDayNumber(of: time), end - BudgetPeriod.day.firstDayNumber(of: time))
  }

  private static let length: Int64 = 86_400_000

  /// Days from 1970-01-01, which was a Thursday, to the period's first.
  private func firstDayNumber(of time: Timestamp) -> Int {
    let milliseconds = time.milliseconds
    let today = Int((milliseconds < 0 ? milliseconds - Self.length + 1 : milliseconds) / Self.length)
    switch self {
    case .day: return today
    case .week: return today - ((today + 3) % 7 + 7) % 7
    case .month: return today - time.date.day + 1
    }
  }
}

/// A bound on what is read from services that bill it, in the form that `--budget` and the setting `budget` take.
package enum BudgetBound: Sendable, Equatable {
  case posts(Int, BudgetPeriod)
  case money(Money, BudgetPeriod)
  case unlimited

  /// The bound where a service bills and nobody says how much may be spent.
  package static let usual = BudgetBound.money(Money(millionths: 5_000_000), .day)

  /// Budgets as messages show them. A shell replaces `$5` outside single quotes.
  package static let examples = "5000/day, '$5/month', unlimited"

  /// Parses `5000/day`, `5000` (a day), `$5/week`, `$0.50/month`, `unlimited`; `nil` for anything else. Money needs its
  /// period: some people think of a day, others of a month.
  package init?(_ text: String) {
    if text == "unlimited" {
      self = .unlimited
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let named = parts.count == 2 ? BudgetPeriod(rawValue: String(parts[1])) : nil
    if text.hasPrefix("$") {
      guard let named, let money = Money(dollars: parts[0].dropFirst()), money > .zero else { return nil }
      self = .money(money, named)
    } else {
      let number = parts[0]
      // Only digits, no sign. Nobody can pay for more than twelve of them.
      guard let period = parts.count == 1 ? .day : named, number.utf8.count <= 12,
        number.utf8.allSatisfy(\.isASCIIDigit),
        let posts = Int(number), posts > 0
      else { return nil }
      self = .posts(posts, period)
    }
  }

  /// `5000/day`, as it is given.
  package var text: String {
    switch self {
    case .posts(let posts, let period): "\(posts)/\(period.rawValue)"
    case .money(let money, let period): "\(money.text)/\(period.rawValue)"
    case .unlimited: "unlimited"
    }
  }

  /// `$5 a month`, for sentences.
  package var words: String {
    switch self {
    case .posts(let posts, let period): "\(posts) posts a \(period.rawValue)"
    case .money(let money, let period): "\(money.text) a \(period.rawValue)"
    case .unlimited: "no bound"
    }
  }
}
