import Libc
import TweetCore

/// Says on standard error how far the upgrade of a store is: by a bar where that is a terminal, else by one line. Both only if
/// the upgrade takes long, and without `--quiet`.
package final class UpgradeProgress {
  private let path: String
  private let bar = WorkProgress(isQuiet: Diagnostics.isQuiet)
  private var isAnnounced = false

  /// - Parameter path: the store, for the message.
  package init(_ path: String) { self.path = path }

  /// Draws the bar when it is time to; prints the line the first time.
  package func update(_ done: Int, of all: Int, secondsLeft: Int) {
    let time = Self.text(seconds: secondsLeft)
    bar?.update(done, of: all, "steps to a new version, \(time) left")
    if isAnnounced || isatty(2) == 1 { return }
    isAnnounced = true
    Diagnostics.note(
      "'\(path)' is brought to a new version: about \(time); it may be interrupted, and the next command goes on")
  }

  /// Removes the bar.
  package func clear() { bar?.clear() }

  private static func text(seconds: Int) -> String {
    switch seconds {
    case ..<100: "\(max(seconds, 1)) s"
    case ..<6000: "\((seconds + 30) / 60) min"
    default: "\((seconds + 1800) / 3600) h"
    }
  }
}
