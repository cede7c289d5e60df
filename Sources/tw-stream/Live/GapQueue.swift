import Services
import TweetCore

/// The gaps of a live stream that are still to be filled, oldest first, and those that were given up.
struct GapQueue: Sendable {
  private(set) var gaps: [LiveGap] = []
  /// Gaps that this run gave up and a later run may fill.
  private(set) var abandoned: [LiveGap] = []

  /// The gap to fill first.
  var first: LiveGap? { gaps.first }

  /// Whether messages must wait for older ones.
  var holdsMessages: Bool { gaps.contains { !$0.isLate } }

  /// Gaps that messages after them did not wait for.
  var late: [LiveGap] { abandoned + gaps.filter(\.isLate) }

  /// Adds a gap; if nothing came since the last one, that one goes on instead.
  ///
  /// - Returns: whether the first gap goes on, so that a search for it is void.
  mutating func add(_ gap: LiveGap) -> Bool {
    guard let last = gaps.last, last.nextID == nil else {
      gaps.append(gap)
      return false
    }
    guard last.searchDueAt != nil else { return false }
    gaps[gaps.count - 1].searchDueAt = nil
    return gaps.count == 1
  }

  /// Adds a gap that began in the past. Gaps that began later become part of it.
  ///
  /// - Returns: whether the first gap did, so that a search for it is void.
  mutating func join(_ gap: LiveGap) -> Bool {
    let index =
      gaps.firstIndex { other in
        guard let begin = gap.lastID, let last = other.lastID else { return true }
        return begin.isReached(by: last)
      } ?? gaps.count
    let joined = gaps[index...].reduce(gap) { $0.joined($1) }
    gaps[index...] = [joined]
    return index == 0
  }

  mutating func recordConnection(at now: Int, lag: Int) {
    for index in gaps.indices where gaps[index].searchDueAt == nil { gaps[index].recordConnection(at: now, lag: lag) }
  }

  /// Records a new post that the stream brought.
  mutating func recordPost(_ id: PostID, deliveryTime: Int) {
    guard let last = gaps.indices.last else { return }
    gaps[last].recordPost(id, at: MonotonicClock.milliseconds, deliveryTime: deliveryTime)
  }

  /// Records that the first gap began before the time that the service's search reaches back to.
  mutating func cutFirstShort() { gaps[0].isCutShort = true }

  /// Records that messages after all gaps are delivered.
  mutating func markAllLate() {
    for index in gaps.indices { gaps[index].isLate = true }
  }

  mutating func removeFirst() { gaps.removeFirst() }

  /// Leaves the first gap to a later run, and keeps it here as well until ``removeFirst()``.
  mutating func abandonFirst() {
    guard let first else { return }
    abandoned = (abandoned + [first]).suffix(PollPlan.mostGaps)
  }

  /// Posts from this one on are not the first gap's: the stream brought them, or they are the next gap's; `nil` if
  /// nothing tells where it ends.
  var endOfFirst: PostID? { PostID.older(gaps.first?.endID, gaps.dropFirst().first?.lastID) }

  /// The messages that need not wait for a gap after the first.
  var free: DeliveryOrder.Held {
    guard let next = gaps.dropFirst().first(where: { !$0.isLate }) else { return .all }
    return next.lastID.map { .through($0) } ?? .none
  }
}
