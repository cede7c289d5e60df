import TweetCore

/// Counts the billed posts that a stream brings, and records them in the ledger: not one by one, since each time costs a
/// locked write.
struct ReadMeter: Sendable {
  /// Milliseconds between two records, and how many posts do not wait for that.
  private static let interval = 5_000
  private static let batch = 50

  private let budget: ReadBudget
  private var unrecorded = 0
  private var recordedAt = MonotonicClock.milliseconds
  /// Posts that might still be read, as of the last record.
  private var remaining = Int.max
  /// Whether no more may be read today, as of the last record.
  var isUsedUp: Bool { remaining <= 0 }

  init(_ budget: ReadBudget) { self.budget = budget }

  /// When posts are due to be recorded; `nil` when none came.
  var dueAt: Int? {
    if unrecorded == 0 { return nil }
    return unrecorded >= min(Self.batch, remaining) ? 0 : recordedAt + Self.interval
  }

  /// Counts a post that came.
  mutating func countPost() { unrecorded += 1 }

  /// Records in the ledger what came.
  mutating func record() throws(ToolError) {
    recordedAt = MonotonicClock.milliseconds
    let posts = unrecorded
    unrecorded = 0
    try budget.record(posts)
    remaining = try budget.remaining()
  }

  /// Milliseconds until the budget opens again.
  var wait: Int { budget.wait }
  var notice: Notice { budget.notice }
  var usedUp: ToolError { budget.usedUp }
}
