import TweetCore

/// How long ago a time was, in the unit that people would say it in.
enum TimeAge {
  case now
  case seconds(Int)
  case minutes(Int)
  case hours(Int)
  /// By the calendar: 1 is yesterday.
  case days(Int)
  /// A week or more ago, or ahead of now: the date says more. It needs its year if that is not this one.
  case date(LocalTime, needsYear: Bool)

  /// Clocks differ: a time up to five minutes ahead is now.
  /// - Returns: `nil` if the C library's calendar does not reach so far.
  init?(_ time: Timestamp, now: Timestamp) {
    let seconds = (now.milliseconds - time.milliseconds) / 1000
    switch seconds {
    case -300..<5: self = .now
    case 5..<60: self = .seconds(Int(seconds))
    case 60..<3600: self = .minutes(Int(seconds / 60))
    case 3600..<86_400: self = .hours(Int(seconds / 3600))
    default:
      guard let local = LocalTime(time), let today = LocalTime(now) else { return nil }
      let days = today.dayNumber - local.dayNumber
      if seconds < 0 || days >= 7 {
        self = .date(local, needsYear: local.year != today.year)
      } else {
        // The day on which clocks go back has 25 hours.
        self = days > 0 ? .days(days) : .hours(Int(seconds / 3600))
      }
    }
  }
}
