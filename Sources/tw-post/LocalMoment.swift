import Libc
import TweetCore

/// A time as messages say it.
enum LocalMoment {
  /// `2026-11-27 18:30` in the person's time zone.
  static func text(_ time: Timestamp) -> String {
    var parts = tm()
    var seconds = time_t(time.milliseconds / 1000)
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
    return
      "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
  }
}
