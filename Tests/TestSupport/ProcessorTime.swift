import Foundation

/// Time that a processor spent on something, however many others wanted it meanwhile.
package enum ProcessorTime {
  /// What `body` took of the calling thread's time.
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = spent
    try body()
    return spent - start
  }

  /// What the calling thread has had so far.
  static var spent: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
