import TweetCore

/// Times and counts in few columns, as they are in the locale `C`.
enum PlainForms {
  private static let week: Int64 = 7 * 24 * 3600 * 1000

  /// Appends how long ago a time was: `now`, `42s`, `5m`, `3h`, `2d`. From a week on it is the date, `Nov 3`, with the
  /// year if that is another than now: `Nov 3, 2019`. Clocks differ, so a time up to five minutes ahead is `now`; one
  /// that is farther ahead is its date.
  static func appendRelative(_ time: Timestamp, now: Timestamp, to buffer: inout ByteBuffer) {
    let age = now.milliseconds - time.milliseconds
    switch age / 1000 {
    case _ where age < -300_000 || age >= week:
      guard let local = LocalTime(time), let today = LocalTime(now) else { return buffer.append(time) }
      appendDate(local, hasYear: local.year != today.year, to: &buffer)
    case ..<5: buffer.append("now")
    case let seconds where seconds < 60: append(seconds, "s", to: &buffer)
    case let seconds where seconds < 3600: append(seconds / 60, "m", to: &buffer)
    case let seconds where seconds < 86_400: append(seconds / 3600, "h", to: &buffer)
    case let seconds: append(seconds / 86_400, "d", to: &buffer)
    }
  }

  /// Appends `Nov 3, 21:30`.
  static func appendMoment(_ local: LocalTime, hasYear: Bool, to buffer: inout ByteBuffer) {
    appendDate(local, hasYear: hasYear, to: &buffer)
    buffer.append(", ")
    local.appendClock(to: &buffer)
  }

  /// Appends `Wed, Nov 3, 2021, 21:30`.
  static func appendFull(_ local: LocalTime, to buffer: inout ByteBuffer) {
    append("SunMonTueWedThuFriSat", local.weekday, to: &buffer)
    buffer.append(", ")
    appendMoment(local, hasYear: true, to: &buffer)
  }

  /// Appends `Wed, Nov 3, 2021`.
  static func appendDay(_ local: LocalTime, to buffer: inout ByteBuffer) {
    append("SunMonTueWedThuFriSat", local.weekday, to: &buffer)
    buffer.append(", ")
    appendDate(local, hasYear: true, to: &buffer)
  }

  /// Appends `Nov`.
  static func appendMonthName(_ local: LocalTime, to buffer: inout ByteBuffer) {
    append("JanFebMarAprMayJunJulAugSepOctNovDec", local.month - 1, to: &buffer)
  }

  /// Appends `42 s`, or `1 min 20 s`.
  static func append(duration seconds: Int, to buffer: inout ByteBuffer) {
    if seconds >= 60 { append(Int64(seconds / 60), " min ", to: &buffer) }
    append(Int64(seconds % 60), " s", to: &buffer)
  }

  /// Appends `9999`, then `10.0K`, `1.2M`, `3.4B`, rounded down.
  static func append(compact count: Int, to buffer: inout ByteBuffer) {
    let units: [(size: Int, letter: StaticString)] = [(1_000_000_000, "B"), (1_000_000, "M"), (1000, "K")]
    guard count >= 10_000, let unit = units.first(where: { count >= $0.size }) else {
      return buffer.append(decimal: count)
    }
    buffer.append(decimal: count / unit.size)
    buffer.append(UInt8(ascii: "."))
    buffer.append(decimal: count % unit.size / (unit.size / 10))
    buffer.append(unit.letter)
  }

  private static func append(_ number: Int64, _ unit: StaticString, to buffer: inout ByteBuffer) {
    buffer.append(decimal: Int(number))
    buffer.append(unit)
  }

  /// Appends one of several names of three letters.
  private static func append(_ names: StaticString, _ index: Int, to buffer: inout ByteBuffer) {
    buffer.append(ByteView(start: names.utf8Start + index * 3, count: 3))
  }

  private static func appendDate(_ local: LocalTime, hasYear: Bool, to buffer: inout ByteBuffer) {
    appendMonthName(local, to: &buffer)
    buffer.append(" ")
    buffer.append(decimal: local.day)
    if hasYear {
      buffer.append(", ")
      buffer.append(decimal: local.year)
    }
  }
}
