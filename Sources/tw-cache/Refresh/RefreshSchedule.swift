import TweetCore
import TweetStore

/// When `tw-cache refresh --every` checks which sources are due.
struct RefreshSchedule {
  /// Milliseconds from one check to the next.
  let every: Int
  /// The time of the next check on the monotonic clock.
  private(set) var next = MonotonicClock.milliseconds

  init(every: Int) { self.every = every }

  /// Begins a check. Checks that were missed because rounds took longer are skipped.
  mutating func begin() {
    next = max(next + every, MonotonicClock.milliseconds)
  }

  /// The time of the first check that finds a source due.
  ///
  /// - Parameters:
  ///   - dueAt: `nil` for a source that is refreshed at each check, since it was named.
  ///   - tolerance: milliseconds that it may be early.
  func next(dueAt: Timestamp?, _ tolerance: Int64) -> Timestamp {
    var wait = Int64(next - MonotonicClock.milliseconds)
    if let dueAt {
      let late = dueAt.milliseconds - tolerance - Timestamp.now.milliseconds - wait
      if late > 0 { wait += (late + Int64(every) - 1) / Int64(every) * Int64(every) }
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds + max(0, wait))
  }
}
