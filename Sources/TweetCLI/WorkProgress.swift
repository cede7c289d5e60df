import Libc
import TweetCore

/// A progress bar on standard error for work that is counted in steps: only when that is a terminal. The tool prints
/// nothing on standard output before ``clear()``.
package final class WorkProgress {
  /// Milliseconds between two drawings, as for ``Progress``.
  private static let interval = 100

  private var drawnAt = MonotonicClock.milliseconds
  private var isDrawn = false

  /// - Returns: `nil` when no bar is to be shown.
  package init?(isQuiet: Bool) { if isQuiet || !Diagnostics.erasesRows { return nil } }

  deinit { clear() }

  /// Draws the bar when it is time to.
  /// - Parameters:
  ///   - done: how many steps are done.
  ///   - all: how many there are; 0 if that is not known.
  ///   - noun: what the steps are, in the plural.
  package func update(_ done: Int, of all: Int, _ noun: String) {
    let now = MonotonicClock.milliseconds
    guard now - drawnAt >= Self.interval else { return }
    drawnAt = now
    isDrawn = true
    let part = all == 0 ? 0 : min(1, Double(done) / Double(all))
    Progress.draw(part: part, all == 0 ? noun : "\(done) of \(all) \(noun)")
  }

  /// Removes the bar.
  package func clear() {
    if isDrawn { Progress.clear() }
    isDrawn = false
  }
}
