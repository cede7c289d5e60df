import SQLite
package import TweetCore

/// When a source that failed is asked again: after as long again as it has been failing, so twice as long each time,
/// but not earlier than its interval says.
///
/// The store keeps the time (`retry_at`), so that all jobs wait. Whoever names the source asks at once.
package enum RefreshBackoff {
  /// Milliseconds: the longest waits. What may pass by itself is asked often enough that nobody notices; what the
  /// service refuses, so rarely that it does not matter that nobody does.
  private static let longest: (passing: Int64, lasting: Int64) = (3_600_000, 86_400_000)

  /// Milliseconds from the beginning of a failed refresh to the next one.
  ///
  /// - Parameters:
  ///   - status: how it failed.
  ///   - lasted: milliseconds since the first failure in a row.
  ///   - every: milliseconds of the source's interval.
  ///   - wanted: milliseconds that the service told us to wait.
  ///   - chance: from 0 to 1; shortens a wait by up to a quarter, so that sources that failed together part.
  package static func wait(
    after status: ExitStatus, lasted: Int64, every: Int64, wanted: Int64 = 0, chance: Double
  ) -> Int64 {
    let isLasting = [.refused, .notAllowed, .usage, .badData].contains(status)
    let most = isLasting ? longest.lasting : longest.passing
    let wait = Double(min(max(0, lasted), most)) * (1 - min(max(0, chance), 1) / 4)
    return max(every, wanted, Int64(wait))
  }
}
