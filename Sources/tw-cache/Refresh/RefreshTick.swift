import TweetCore
import TweetStore

/// When a run that goes on looks at its sources.
struct RefreshTick {
  /// Milliseconds from one look to the next.
  private let every: Int
  /// The next look, by the clock that nobody sets.
  private(set) var next = MonotonicClock.milliseconds
  private var number = 0

  init(every: Int) { self.every = every }

  var isFirst: Bool { number == 1 }

  /// A look begins. Those that were missed, because rounds took longer, are left out.
  mutating func begin() {
    number += 1
    next = max(next + every, MonotonicClock.milliseconds)
  }

  /// When a source that is refreshed now comes next: at the first look that finds it due.
  func next(of source: RefreshedSource) -> Timestamp {
    var wait = Int64(next - MonotonicClock.milliseconds)
    if let seconds = source.every, !source.isPaused {
      let looks = (Int64(seconds) * 1000 - source.slack + Int64(every) - 1) / Int64(every)
      wait += max(0, looks - 1) * Int64(every)
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds + max(0, wait))
  }
}
