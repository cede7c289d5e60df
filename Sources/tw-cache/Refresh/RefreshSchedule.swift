import TweetCore
import TweetStore

/// When `tw-cache refresh --every` checks which sources are due.
struct RefreshSchedule {
  /// Milliseconds from one check to the next.
  private let every: Int
  /// The time of the next check on the monotonic clock.
  private(set) var next = MonotonicClock.milliseconds

  init(every: Int) { self.every = every }

  /// Begins a check. Checks that were missed because rounds took longer are skipped.
  mutating func begin() {
    next = max(next + every, MonotonicClock.milliseconds)
  }

  /// When a source that is refreshed now is refreshed next: a named one at the next check, another one at the first
  /// check that finds it due.
  func next(of source: RefreshedSource, isNamed: Bool) -> Timestamp {
    var wait = Int64(next - MonotonicClock.milliseconds)
    if !isNamed, let seconds = source.every, !source.isPaused {
      let count = (Int64(seconds) * 1000 - source.tolerance + Int64(every) - 1) / Int64(every)
      wait += max(0, count - 1) * Int64(every)
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds + max(0, wait))
  }
}
