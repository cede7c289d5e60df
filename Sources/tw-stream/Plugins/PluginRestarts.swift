import TweetCore

/// When a plugin that has failed is started again: after a second, then after twice as long each time. What it says
/// itself takes precedence.
struct PluginRestarts {
  /// Milliseconds.
  private static let (first, longest) = (1_000, 320_000)
  /// A plugin that ran for this many milliseconds has worked: the next failure is the first of a new series.
  private static let working = 60_000

  private var failures = 0
  private var beganAt = 0
  /// Milliseconds that the plugin's service wants to be left alone, as its last notice says.
  var wanted: Int?

  /// Records that it was started.
  mutating func began() {
    beganAt = MonotonicClock.milliseconds
    wanted = nil
  }

  /// Records that it has failed.
  ///
  /// - Returns: milliseconds until it is started again.
  mutating func wait() -> Int {
    if MonotonicClock.milliseconds - beganAt >= Self.working { failures = 0 }
    failures += 1
    let wait = min(Self.longest, Self.first << min(failures - 1, 16))
    // Programs that one failure has ended do not come back in step.
    return max(wanted ?? 0, wait + Int(Double(wait) / 10 * .random(in: 0...1)))
  }
}
