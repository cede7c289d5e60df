import Services
import TweetCore
import TweetServices

/// Counts the billed posts that a stream brings. Some are reserved ahead, since nobody asks for a stream's posts one by
/// one; those that came are recorded together, since each time costs a locked write.
struct ReadMeter: Sendable {
  /// Milliseconds between two records.
  private static let interval = 5_000
  /// Posts reserved ahead: few, because they are missing elsewhere, and more for a stream that has them used up in less
  /// than this time, in milliseconds.
  private static let smallestBatch = 10
  private static let largestBatch = 1 << 16
  private static let shortestTime = 250

  private let budget: ReadBudget
  /// Posts that came and are not recorded.
  private var ids: [UInt64?] = []
  private var recordedAt = MonotonicClock.milliseconds
  private var reservation: Ledger.Reservation?
  private var batch = Self.smallestBatch
  /// When to ask again, if others have reserved what is left.
  private(set) var waitsUntil: Int?

  init(_ budget: ReadBudget) { self.budget = budget }

  /// Whether nothing is reserved, so that no post should come.
  var isUsedUp: Bool { reservation == nil }

  /// When posts are due to be recorded; `nil` when none came.
  var dueAt: Int? {
    if ids.isEmpty { return nil }
    return ids.count >= reservation?.count ?? 0 ? 0 : recordedAt + Self.interval
  }

  /// Counts a post that came.
  ///
  /// - Parameter id: `nil` if it has none.
  mutating func countPost(_ id: PostID?) { ids.append(id?.key) }

  /// Records what came, and reserves what may come next.
  mutating func advance() throws(ToolError) {
    let isFast = MonotonicClock.milliseconds - recordedAt < Self.shortestTime
    let largest = budget.posts.map { max(Self.smallestBatch, $0 / 20) } ?? Self.largestBatch
    batch = isFast ? min(largest, batch * 2) : Self.smallestBatch
    if !ids.isEmpty || reservation == nil { try settle() }
    guard reservation == nil else { return }
    waitsUntil = nil
    switch try budget.reserve(1...batch, isLong: true) {
    case .granted(let reservation): self.reservation = reservation
    case .reservedByOthers: waitsUntil = MonotonicClock.milliseconds + Self.interval
    case .usedUp, .keptBack: break
    }
  }

  /// Records what came, and gives back what was reserved beyond it.
  mutating func settle() throws(ToolError) {
    recordedAt = MonotonicClock.milliseconds
    guard !ids.isEmpty || reservation != nil else { return }
    defer { (ids, reservation) = ([], nil) }
    try budget.settle(reservation, read: ids)
  }

  /// Milliseconds until the budget opens again.
  var wait: Int { budget.wait }
  var notice: Notice { budget.notice }
  var usedUp: ToolError { budget.usedUp }
}
