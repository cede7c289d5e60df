import TweetCore

/// Counts the posts that a stream brings in the ledger, where they are billed: not one by one, since each time costs a
/// locked write.
struct ReadMeter: Sendable {
  /// Milliseconds between two countings, and posts that do not wait for them.
  private static let interval = 5_000
  private static let batch = 50

  private let budget: ReadBudget
  private var uncounted = 0
  private var countedAt = MonotonicClock.milliseconds
  /// Posts that might still be read, as of the last counting.
  private var left = Int.max
  /// Whether no more may be read today, as of the last counting.
  var isUsedUp: Bool { left <= 0 }

  init(_ budget: ReadBudget) { self.budget = budget }

  /// When posts are due to be counted; `nil` when none came.
  var dueAt: Int? {
    if uncounted == 0 { return nil }
    return uncounted >= min(Self.batch, left) ? 0 : countedAt + Self.interval
  }

  mutating func read() { uncounted += 1 }

  /// Writes down what was read.
  mutating func count() throws(ToolError) {
    countedAt = MonotonicClock.milliseconds
    let posts = uncounted
    uncounted = 0
    try budget.count(posts)
    left = try budget.left()
  }

  /// Milliseconds until the budget opens again.
  var wait: Int { budget.wait }
  var notice: Notice { budget.notice }
  var usedUp: ToolError { budget.usedUp }
}
