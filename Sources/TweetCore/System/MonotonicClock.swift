import Libc

/// A clock for time-outs and waits that only goes forward: setting the wall clock does not change it. It goes on while
/// the machine is suspended, so that a wait for the end of a day or of a rate limit ends when that does.
package enum MonotonicClock {
  /// Milliseconds since an unspecified moment before the program started.
  package static var milliseconds: Int {
    var now = timespec()
    clock_gettime(monotonicClock, &now)
    return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
  }

  /// Milliseconds: the longest time-out for poll(2) and its like, whose own clock stops while the machine is suspended.
  /// Whoever waits for longer looks at this clock again.
  package static let longestPoll = 10_000
}
