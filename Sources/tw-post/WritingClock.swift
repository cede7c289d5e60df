import Libc
import TweetCore

/// The time of day, and waiting. Tests inject their own.
struct WritingClock: Sendable {
  let now: @Sendable () -> Timestamp
  /// Waits this many milliseconds. A signal ends the wait with an error.
  let sleep: @Sendable (_ milliseconds: Int) throws(ToolError) -> Void

  static let system = WritingClock(now: { .now }) { (milliseconds) throws(ToolError) in
    let end = MonotonicClock.milliseconds + milliseconds
    while Interruption.signal == nil {
      let left = end - MonotonicClock.milliseconds
      if left <= 0 { return }
      var entry = pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, Int32(min(left, MonotonicClock.longestPoll)))
    }
    throw Exchange.interrupted
  }
}
