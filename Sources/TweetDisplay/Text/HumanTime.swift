import Libc
package import TweetCore

/// Times as people read them, in the time zone of `$TZ` or the system.
package struct HumanTime {
  private static let week: Int64 = 7 * 24 * 3600 * 1000

  /// Reads the time zone, since localtime_r(3) need not.
  package init() { tzset() }

  /// Appends how long ago a time was: `now`, `42s`, `5m`, `3h`, `2d`. From a week on it is the date, `Nov 3`, with the year
  /// if that is another than now: `Nov 3, 2019`. Clocks differ, so a time up to five minutes ahead is `now`; one that is
  /// farther ahead is its date.
  package func appendRelative(_ time: Timestamp, now: Timestamp, to buffer: inout ByteBuffer) {
    let age = now.milliseconds - time.milliseconds
    switch age / 1000 {
    case _ where age < -300_000 || age >= Self.week: appendDate(time, now: now, to: &buffer)
    case ..<5: buffer.append("now")
    case let seconds where seconds < 60: append(seconds, "s", to: &buffer)
    case let seconds where seconds < 3600: append(seconds / 60, "m", to: &buffer)
    case let seconds where seconds < 86_400: append(seconds / 3600, "h", to: &buffer)
    case let seconds: append(seconds / 86_400, "d", to: &buffer)
    }
  }

  /// Appends the local date and minute, in 16 columns: `2021-11-03 21:30`.
  package func appendMinute(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = local(time) else { return buffer.append(time) }
    buffer.append(decimal: Int(local.tm_year) + 1900, width: 4)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: Int(local.tm_mon) + 1, width: 2)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: Int(local.tm_mday), width: 2)
    buffer.append(UInt8(ascii: " "))
    appendClock(local, to: &buffer)
  }

  /// Appends the local time of day: `21:30`.
  package func appendClock(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = local(time) else { return buffer.append(time) }
    appendClock(local, to: &buffer)
  }

  private func appendClock(_ local: tm, to buffer: inout ByteBuffer) {
    buffer.append(decimal: Int(local.tm_hour), width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(decimal: Int(local.tm_min), width: 2)
  }

  private func append(_ number: Int64, _ unit: StaticString, to buffer: inout ByteBuffer) {
    buffer.append(decimal: Int(number))
    buffer.append(unit)
  }

  private func appendDate(_ time: Timestamp, now: Timestamp, to buffer: inout ByteBuffer) {
    guard let date = local(time), let today = local(now) else { return buffer.append(time) }
    let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    let month = min(max(Int(date.tm_mon), 0), 11)
    buffer.append(UnsafeBufferPointer(start: months.utf8Start + month * 3, count: 3))
    buffer.append(UInt8(ascii: " "))
    buffer.append(decimal: Int(date.tm_mday))
    if date.tm_year != today.tm_year {
      buffer.append(", ")
      buffer.append(decimal: Int(date.tm_year) + 1900)
    }
  }

  /// `nil` if the C library's calendar does not reach so far.
  private func local(_ time: Timestamp) -> tm? {
    var seconds = time_t((Double(time.milliseconds) / 1000).rounded(.down))
    var result = tm()
    return localtime_r(&seconds, &result) == nil ? nil : result
  }
}
