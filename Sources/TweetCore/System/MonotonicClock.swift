import Libc

/// A clock that only goes forward, for time-outs: setting the wall clock does not disturb it.
package enum MonotonicClock {
  /// Milliseconds since some moment before the program started.
  package static var milliseconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
  }
}
