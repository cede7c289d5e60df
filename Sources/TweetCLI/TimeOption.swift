import ArgumentParser
import Libc
package import TweetCore

/// Times as options take them: how long ago (`2h`, `7d`, `1w`, `3mo`, `1y`), RFC 3339, or `today`, a date or a month (`2026-11`), which
/// mean their beginning in the reader's time zone, as times are shown.
package enum TimeOption {
  /// - Throws: `ValidationError` for anything else.
  package static func parse(_ text: String) throws -> Timestamp {
    if let day = localDay(text) { return day }
    if let moment = Timestamp(parsing: text), text.contains("-") { return moment }
    if let date = monthsAgo(text) { return date }
    guard let ago = try? DurationOption.parse(text) else {
      throw ValidationError(
        "'\(text)' is not a time (2h, 7d, 3mo, 1y, today, 2021-11, 2021-11-03, 2021-11-03T21:30:00Z)")
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds - Int64(ago))
  }

  /// `3mo`, `1y`: the same day of an earlier month and the same time of day, in the reader's time zone; where that month has no
  /// such day, its last one. A month before the 31st of March is the end of February.
  private static func monthsAgo(_ text: String) -> Timestamp? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let length: [Substring: Int] = ["mo": 1, "y": 12]
    guard let months = length[text.dropFirst(digits.count)], let number = Int(digits), (1...1200).contains(number)
    else {
      return nil
    }
    let now = Timestamp.shown.milliseconds
    var parts = tm()
    var seconds = time_t(now / 1000)
    localtime_r(&seconds, &parts)
    parts.tm_mon -= Int32(number * months)
    // The day before the first of the next month.
    var last = tm()
    (last.tm_year, last.tm_mon, last.tm_mday, last.tm_hour) = (parts.tm_year, parts.tm_mon + 1, 0, 12)
    mktime(&last)
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (last.tm_year, last.tm_mon, min(parts.tm_mday, last.tm_mday))
    parts.tm_isdst = -1
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000 + now % 1000)
  }

  private static func localDay(_ text: String) -> Timestamp? {
    var parts = tm()
    if text == "today" {
      var seconds = time_t(Timestamp.shown.milliseconds / 1000)
      localtime_r(&seconds, &parts)
      (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
    } else {
      let date = text.utf8.count == 7 ? text + "-01" : text
      let numbers = date.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
      // mktime(3) would make a day in March of the 30th of February.
      guard date.utf8.count == 10, numbers.count == 3, Timestamp(day: date) != nil else {
        return nil
      }
      (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    }
    return Timestamp(milliseconds: Int64(beginning(of: parts)) * 1000)
  }

  /// The first second of a day. Where the clocks change at midnight, midnight is there twice or not at all, and what mktime(3)
  /// chooses then is its own affair: of its answers that are on that day, the first one counts.
  /// - Parameter day: year, month and day; the rest is 0.
  private static func beginning(of day: tm) -> time_t {
    // Whether it is summer time then, the system knows (-1).
    let answers = [-1, 0, 1].map { (isSummer: Int32) in
      var parts = day
      parts.tm_isdst = isSummer
      var seconds = mktime(&parts)
      localtime_r(&seconds, &parts)
      let isThatDay = (parts.tm_year, parts.tm_mon, parts.tm_mday) == (day.tm_year, day.tm_mon, day.tm_mday)
      return (seconds: seconds, isThatDay: isThatDay)
    }
    // No second is on a day that a country left out when it moved to the other side of the date line.
    return answers.filter(\.isThatDay).map(\.seconds).min() ?? answers[0].seconds
  }
}
