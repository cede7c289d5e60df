import Services
import TweetCLI
import TweetCore

/// What one application was billed for in one period.
struct Spending {
  /// `2026-11-21`, or `2026-11` for a month.
  let period: String
  let bill: Ledger.Bill
  private(set) var accounts: [String] = []
  private var billed = BilledCounts()
  private var reserved = BilledCounts()
  /// What each kind costs, its reservations included. Prices are those of each day.
  private var costs: [BilledKind: Money] = [:]
  /// What the reservations cost.
  private var reservedCost = Money.zero

  /// In the order of periods, then of applications.
  static func all(of entries: [Ledger.Entry], by period: BudgetPeriod) -> [Spending] {
    var found: [Spending] = []
    for entry in entries {
      guard let time = Timestamp(day: entry.day), !entry.all.isEmpty else { continue }
      let first = period.firstDay(of: time)
      let name = period == .month ? String(first.prefix(7)) : first
      let known = found.firstIndex { $0.period == name && $0.bill.isShared(with: entry.bill) }
      if known == nil { found.append(Spending(period: name, bill: entry.bill)) }
      found[known ?? found.count - 1].add(entry)
    }
    return found.sorted { ($0.period, $0.bill.service, $0.bill.app) < ($1.period, $1.bill.service, $1.bill.app) }
  }

  private init(period: String, bill: Ledger.Bill) { (self.period, self.bill) = (period, bill) }

  private mutating func add(_ entry: Ledger.Entry) {
    if !entry.bill.account.isEmpty, !accounts.contains(entry.bill.account) { accounts.append(entry.bill.account) }
    billed = billed + entry.billed
    reserved = reserved + entry.reserved
    guard let prices = Services.named(bill.service)?.prices else { return }
    for kind in BilledKind.allCases {
      costs[kind] = (costs[kind] ?? .zero) + prices.price(of: kind, on: entry.day) * entry.all[kind]
    }
    reservedCost = reservedCost + prices.cost(of: entry.reserved, on: entry.day)
  }

  private var kinds: [BilledKind] { BilledKind.allCases.filter { billed[$0] + reserved[$0] > 0 } }
  private var isPriced: Bool { Services.named(bill.service)?.prices != nil }
  private var total: Money { costs.values.reduce(.zero, +) }

  // MARK: Output

  /// Columns of names and counts.
  private static let widths = (name: 24, count: 9, cost: 12)

  func appendText(to buffer: inout ByteBuffer) {
    let names = accounts.isEmpty ? "" : "  \(accounts.joined(separator: ", "))"
    buffer.append(Printable.line("\(period)  \(bill.service)  \(bill.app)\(names)") + "\n")
    for kind in kinds { appendRow(kind.words, billed[kind] + reserved[kind], costs[kind], to: &buffer) }
    let waiting = BilledKind.allCases.reduce(0) { $0 + reserved[$1] }
    if waiting > 0 { appendRow("of these only reserved", waiting, reservedCost, to: &buffer) }
    if isPriced { appendRow("together", nil, total, to: &buffer) }
  }

  private func appendRow(_ name: String, _ count: Int?, _ cost: Money?, to buffer: inout ByteBuffer) {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(1, width - text.utf8.count)) + text
    }
    let filled = "  " + name + String(repeating: " ", count: max(0, Self.widths.name - name.utf8.count))
    let row = filled + right(count.map { String($0) } ?? "", Self.widths.count)
    buffer.append(row + (isPriced ? right((cost ?? .zero).text, Self.widths.cost) : "") + "\n")
  }

  func appendJSON(to buffer: inout ByteBuffer) {
    for kind in kinds {
      buffer.object { out in
        out.member("period", period)
        out.append(bill)
        out.key("accounts")
        out.array { for account in accounts { $0.element(account) } }
        out.member("kind", kind.rawValue)
        out.member("count", billed[kind])
        out.member("reserved", reserved[kind])
        if isPriced { out.member("dollars", json: (costs[kind] ?? .zero).decimal) }
      }
      buffer.append("\n")
    }
  }
}

/// What is left of an application's budget.
struct BudgetRest {
  private let bill: Ledger.Bill
  private let bound: BudgetBound
  private let rest: BudgetLimit.Rest
  private let end: Timestamp
  /// How long it lasts if things go on so; `nil` if nothing tells that.
  private let lasts: Timestamp?

  /// Of all applications that were ever billed.
  ///
  /// - Parameter entries: those that are believed.
  static func all(of entries: [Ledger.Entry], _ wanted: BudgetBound?, at now: Timestamp) -> [BudgetRest] {
    var found: [BudgetRest] = []
    for bill in entries.map(\.bill) where !found.contains(where: { $0.bill.isShared(with: bill) }) {
      let prices = Services.named(bill.service)?.prices
      guard prices != nil || wanted != nil, let limit = BudgetLimit(wanted ?? .usual, prices: prices) else { continue }
      let first = limit.period.firstDay(of: now)
      let own = entries.filter { $0.bill.isShared(with: bill) }.map { (day: $0.day, counts: $0.all) }
      found.append(
        BudgetRest(
          bill: bill, bound: wanted ?? .usual, rest: limit.rest(beside: own.filter { $0.day >= first }),
          end: limit.period.end(of: now), lasts: limit.end(beside: own, at: now)))
    }
    return found
  }

  /// - Parameter isOnly: there is no other application to tell it from.
  func appendText(to buffer: inout ByteBuffer, isOnly: Bool) {
    let whose = isOnly ? "" : " of \(bill.service) \(bill.app)"
    let text = "budget\(whose): \(rest.words) of \(bound.words) left until \(end.rfc3339.prefix(10))"
    let pace = lasts.map { time in
      "; as the last 7 days went it \(time < end ? "lasts until \(time.rfc3339.prefix(10))" : "is enough")"
    }
    buffer.append(Printable.line(text + (pace ?? "")) + "\n")
  }

  func appendJSON(to buffer: inout ByteBuffer) {
    buffer.object { out in
      out.member("budget", bound.text)
      out.append(bill)
      switch rest {
      case .posts(let posts): out.member("posts_left", posts)
      case .money(let money): out.member("dollars_left", json: money.decimal)
      }
      out.member("until", end)
      out.member("lasts_until", lasts)
    }
    buffer.append("\n")
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ bill: Ledger.Bill) {
    member("service", bill.service)
    member("app", bill.app)
  }
}

extension BilledKind {
  /// What it is called in text.
  fileprivate var words: String {
    switch self {
    case .posts: "posts read"
    case .users: "accounts looked up"
    case .owned: "own posts read"
    case .creates: "posts made"
    case .links: "posts made with a link"
    case .changes: "likes, follows, deletes"
    }
  }
}
