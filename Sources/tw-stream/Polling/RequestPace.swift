import TweetCore
import TweetServices

/// When the feeds of one account at one server may ask for their next pages: what the server says to one of them of its
/// limit, all keep. They take turns, in the order in which they come.
///
/// Other programs that ask as the same account are seen in what is left of the limit: the less is left, the slower all
/// of them are.
final class RequestPace {
  /// Milliseconds between two pages.
  private var interval = 0
  private var lastTurn: Int?
  /// When the limit begins anew, by `MonotonicClock`.
  private var windowEnd = 0
  /// Before then no page is asked for at all, by `MonotonicClock`.
  private(set) var opensAt = 0

  init() {}

  /// When it is the turn of a feed that comes now, by `MonotonicClock`.
  func turn(at now: Int) -> Int {
    let next = max(now, min((lastTurn ?? now) + interval, windowEnd))
    lastTurn = next
    return next
  }

  /// Records what an answer says of the limit, if anything.
  func record(_ window: RateWindow?, at now: Int) {
    guard let window else { return }
    let time = Timestamp.now
    (interval, windowEnd) = (window.pause(at: time), now + window.timeLeft(at: time))
    if window.isUsedUp { opensAt = windowEnd }
  }
}
