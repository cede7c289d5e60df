/// Whether the clock can be believed, by the times of what is known beside it: posts, files, what was billed. What
/// removes old data, or counts by days, asks here first: to a clock that is years ahead all data is old, and what it
/// wrote is of a time that does not come for years.
package enum ClockTrust {
  /// Milliseconds: nobody leaves the tools alone for longer without being asked.
  private static let longestPause: Int64 = 45 * 86_400_000
  /// Milliseconds by which clocks differ that are nearly right: other machines' and those of another time zone.
  private static let tolerance: Int64 = 86_400_000

  /// 2026-01-01, before the first release: a clock that says an earlier time is that of a machine without a battery.
  package static let release = Timestamp(milliseconds: 1_767_225_600_000)

  /// The last moment that may have come at `now`: what is later was written by a clock that was wrong.
  package static func latest(at now: Timestamp) -> Timestamp { Timestamp(milliseconds: now.milliseconds + tolerance) }

  /// A time that may have come; `nil` for one that has not.
  package static func believed(_ time: Timestamp?, at now: Timestamp = .shown) -> Timestamp? {
    time.flatMap { $0 > latest(at: now) ? nil : $0 }
  }

  /// Why a clock that says `now` is not believed; `nil` if it is.
  /// - Parameters:
  ///   - newest: what the newest thing is called, and its time: of all that may have come, where there is such a thing.
  ///   - knowsPauses: whether nothing for long is a reason to doubt: for what comes all the time.
  package static func doubt(
    _ newest: (what: String, time: Timestamp), at now: Timestamp, knowsPauses: Bool = true
  ) -> String? {
    if newest.time > latest(at: now) { return says(now, "\(newest.what) is of \(newest.time.rfc3339.prefix(10))") }
    if !knowsPauses || newest.time.milliseconds >= now.milliseconds - longestPause { return nil }
    let days = (now.milliseconds - newest.time.milliseconds) / 86_400_000
    return says(now, "\(newest.what) is of \(newest.time.rfc3339.prefix(10)), \(days) days before")
  }

  private static func says(_ now: Timestamp, _ other: String) -> String {
    "the clock says \(now.rfc3339.prefix(10)), but \(other)"
  }
}
