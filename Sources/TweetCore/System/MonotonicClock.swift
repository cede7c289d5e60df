import Libc

/// A clock for time-outs that only goes forward: setting the wall clock does not change it.
package enum MonotonicClock {
  /// Milliseconds since an unspecified moment before the program started.
  package static var milliseconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
  }
}
