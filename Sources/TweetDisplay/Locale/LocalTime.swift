import Libc
package import TweetCore

/// A moment on the calendar and the clock of `$TZ`, or of the system's time zone.
package struct LocalTime {
  package let year, month, day: Int
  let hour, minute: Int
  /// 0 for Sunday.
  let weekday: Int

  /// `nil` if the C library's calendar does not reach so far.
  package init?(_ time: Timestamp) {
    var seconds = time_t((Double(time.milliseconds) / 1000).rounded(.down))
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return nil }
    (year, month, day) = (Int(local.tm_year) + 1900, Int(local.tm_mon) + 1, Int(local.tm_mday))
    (hour, minute, weekday) = (Int(local.tm_hour), Int(local.tm_min), Int(local.tm_wday))
  }

  /// The days from 1970-01-01 to its date. Days that a change of clocks makes shorter or longer count as one.
  var dayNumber: Int {
    // Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, days_from_civil.
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// The milliseconds that a clock in UTC would be at with the same date and time.
  var asUTC: Double { Double((dayNumber * 24 + hour) * 60 + minute) * 60_000 }

  /// Appends `2021-11-03 21:30`, ISO 8601's date and time with a space between them: 16 columns in every language.
  func appendISO(to buffer: inout ByteBuffer) {
    buffer.append(decimal: year, width: 4)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: month, width: 2)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: day, width: 2)
    buffer.append(UInt8(ascii: " "))
    appendClock(to: &buffer)
  }

  /// Appends `2021-11`.
  func appendMonth(to buffer: inout ByteBuffer) {
    buffer.append(decimal: year, width: 4)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: month, width: 2)
  }

  /// Appends `21:30`.
  func appendClock(to buffer: inout ByteBuffer) {
    buffer.append(decimal: hour, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(decimal: minute, width: 2)
  }
}
