package import TweetCore

/// What services bill.
package enum BilledKind: String, Sendable, CaseIterable {
  /// Posts that were read.
  case posts
  /// Accounts that were looked up.
  case users
  /// Posts that the owner of an application has read of the own ones, or of those that name the owner.
  case owned
  /// Posts that were made without a link, and with one.
  case creates, links
  /// Likes, retweets, bookmarks, follows and deletes, and what undoes them.
  case changes

  package var isRead: Bool { [.posts, .users, .owned].contains(self) }

  /// Whether a budget in posts counts it.
  package var isPost: Bool { self == .posts || self == .owned }
}

/// How many of each kind.
package struct BilledCounts: Sendable, Equatable {
  private var counts: [BilledKind: Int] = [:]

  package init() {}

  package subscript(kind: BilledKind) -> Int {
    get { counts[kind] ?? 0 }
    set { counts[kind] = newValue == 0 ? nil : newValue }
  }

  package static func + (one: BilledCounts, other: BilledCounts) -> BilledCounts {
    var sum = one
    for kind in BilledKind.allCases { sum[kind] += other[kind] }
    return sum
  }

  package var isEmpty: Bool { counts.isEmpty }

  /// Posts that were read.
  package var postsRead: Int { self[.posts] + self[.owned] }
}

/// A service's prices, which change from time to time: what was billed on a day costs what it cost on that day.
package struct PriceTable: Sendable {
  /// The prices from a day on.
  package struct Row: Sendable {
    /// `2026-11-21`; empty where nothing tells since when.
    package let from: String
    package let prices: [BilledKind: Money]

    package init(from: String, _ prices: [BilledKind: Money]) {
      self.from = from
      self.prices = prices
    }
  }

  private let rows: [Row]

  /// - Parameter rows: the oldest first, at least one. It holds for the days before it too.
  package init(_ rows: [Row]) { self.rows = rows }

  /// That of the service of a source plugin, which says what a post costs.
  package init(post: Money) { rows = [Row(from: "", [.posts: post])] }

  /// - Parameter day: as ``Row/from``.
  package func price(of kind: BilledKind, on day: String) -> Money { row(on: day)?.prices[kind] ?? .zero }

  /// What was counted on one day costs.
  package func cost(of counts: BilledCounts, on day: String) -> Money {
    BilledKind.allCases.reduce(.zero) { $0 + price(of: $1, on: day) * counts[$1] }
  }

  /// Since when the newest prices hold; `nil` if nothing tells that.
  package var newest: String? { rows.last.flatMap { $0.from.isEmpty ? nil : $0.from } }

  private func row(on day: String) -> Row? { rows.last { $0.from <= day } ?? rows.first }
}
