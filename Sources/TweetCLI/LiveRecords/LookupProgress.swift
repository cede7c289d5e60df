import Libc
import TweetCore

/// A progress bar on standard error for look-ups: how many of those that were begun have ended. Only when that is a
/// terminal to which standard output does not go.
package struct LookupProgress: ~Copyable {
  /// Milliseconds between two drawings, as for ``Progress``.
  private static let interval = 100

  private let noun: String
  private var begun = 0
  private var ended = 0
  private var drawnAt: Int
  private var isDrawn = false

  /// - Parameter noun: what is looked up, in the plural.
  /// - Returns: `nil` when no bar is to be shown.
  package init?(noun: String) {
    guard Diagnostics.erasesRows, isatty(1) == 0 else { return nil }
    self.noun = noun
    drawnAt = MonotonicClock.milliseconds
  }

  deinit { if isDrawn { Progress.clear() } }

  /// Counts look-ups that begin.
  package mutating func add(_ count: Int) { begun += count }

  /// Counts look-ups that have ended.
  package mutating func finish(_ count: Int) { ended += count }

  /// Draws the bar when it is time to.
  package mutating func draw() {
    let now = MonotonicClock.milliseconds
    guard begun > 0, now - drawnAt >= Self.interval else { return }
    drawnAt = now
    isDrawn = true
    Progress.draw(part: Double(ended) / Double(begun), "\(ended) of \(begun) \(noun)")
  }
}
