import Libc

/// A moment: milliseconds since 1970-01-01T00:00:00Z without leap seconds, as in POSIX.
package struct Timestamp: Comparable, Hashable, Sendable {
  /// Since 1970-01-01T00:00:00Z; below zero for moments before it.
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The system clock's time.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time that is shown to people as now: `$TW_NOW` when it is set, for tests and examples; else ``now``.
  package static var shown: Timestamp {
    Paths.environment("TW_NOW").flatMap { Timestamp(parsing: $0) } ?? now
  }

  /// How many milliseconds ago it was, by ``shown``. What lies more than a minute ahead was written by a clock that was
  /// wrong: nobody knows how old it is, and the answer is the largest number.
  package var age: Int {
    let age = Self.shown.milliseconds - milliseconds
    return age < -60_000 ? .max : Int(age)
  }

  /// The same time of day this many days before, by the clocks of the reader, which summer time sets: a day may have 23
  /// or 25 hours.
  package func before(days: Int) -> Timestamp {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    parts.tm_mday -= Int32(days)
    parts.tm_isdst = -1
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000 + milliseconds % 1000)
  }

  /// Parses every form that the services use: RFC 3339 (`2021-11-03T21:30:00.000Z`, any offset, any fraction), X v1.1
  /// (`Wed Aug 27 13:08:45 +0000 2008`), the old search API's RFC 2822 (`Thu, 06 Oct 2011 19:41:12 +0000`), the old
  /// archive's `2015-01-02 03:04:05 +0000`, and whole seconds since 1970.
  ///
  /// A time that no calendar or clock has is `nil`: the 31st of February, hour 24, an offset of a day or more, a year
  /// outside 0000 to 9999 in UTC. Second 60 is read where RFC 3339 allows a leap second, in the last minute of a month
  /// in UTC, and is the same moment as the second after it. Whether that month had one is not looked up: the list
  /// grows.
  package init?(parsing text: String) {
    guard let found = text.withBytes({ Timestamp(ascii: $0) }) else { return nil }
    self = found
  }

  /// The same for ASCII bytes.
  package init?(ascii bytes: ByteView) {
    var scan = TimeScan(bytes: bytes)
    guard let found = scan.moment(), scan.isAtEnd, Self.range.contains(found) else { return nil }
    self = found
  }

  /// The beginning of a day in UTC, which is written as `2026-11-21`.
  package init?(day text: String) { self.init(parsing: text + "T00:00:00Z") }

  /// The moments that RFC 3339 can write: from 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
  private static let range =
    Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

  /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar. Years are counted from March, so that the
  /// leap day is the last of a year.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date in UTC, in the proleptic Gregorian calendar.
  package var date: (year: Int, month: Int, day: Int) {
    let past = milliseconds < 0 ? milliseconds - 86_399_999 : milliseconds
    let days = Int(past / 86_400_000) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// RFC 3339 in UTC with milliseconds: the form that records have.
  package var rfc3339: String {
    var buffer = ByteBuffer(capacity: 32)
    buffer.append(self)
    return buffer.string
  }
}

extension ByteBuffer {
  /// Appends ``Timestamp/rfc3339``.
  package mutating func append(_ time: Timestamp) {
    let date = time.date
    var milliseconds = Int(time.milliseconds) % 86_400_000
    if milliseconds < 0 { milliseconds += 86_400_000 }
    append(decimal: date.year, width: 4)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.month)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.day)
    append(UInt8(ascii: "T"))
    append(twoDigits: milliseconds / 3_600_000)
    append(UInt8(ascii: ":"))
    append(twoDigits: milliseconds / 60_000 % 60)
    append(UInt8(ascii: ":"))
    append(twoDigits: milliseconds / 1000 % 60)
    append(UInt8(ascii: "."))
    append(UInt8(ascii: "0") + UInt8(milliseconds % 1000 / 100))
    append(twoDigits: milliseconds % 100)
    append(UInt8(ascii: "Z"))
  }

  @inline(__always)
  private mutating func append(twoDigits number: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }
}

/// Parses a time from ASCII bytes.
private struct TimeScan {
  let bytes: ByteView
  private var at = 0
  private var isLeapSecond = false

  init(bytes: ByteView) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  mutating func moment() -> Timestamp? {
    guard let first = bytes.first else { return nil }
    if !first.isASCIIDigit { return named() }
    if bytes.count > 10, bytes[4] == UInt8(ascii: "-") { return numeric() }
    guard let seconds = Int(ascii: bytes), abs(seconds) < 1 << 40 else { return nil }
    at = bytes.count
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }

  /// `2021-11-03T21:30:00.000Z`, `2015-01-02 03:04:05 +0000`.
  private mutating func numeric() -> Timestamp? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
      skip("T") || skip("t") || skip(" "), let seconds = secondsOfDay(), let fraction = fraction()
    else { return nil }
    _ = skip(" ")
    guard let offset = offset() else { return nil }
    return moment(year, month, day, seconds, offset, fraction)
  }

  /// `Wed Aug 27 13:08:45 +0000 2008`, `Thu, 06 Oct 2011 19:41:12 +0000`.
  private mutating func named() -> Timestamp? {
    at = 3
    if skip(","), skip(" ") {
      guard let day = digits(2), skip(" "), let month = month(), skip(" "), let year = digits(4), skip(" "),
        let seconds = secondsOfDay(), skip(" "), let offset = offset()
      else { return nil }
      return moment(year, month, day, seconds, offset, 0)
    }
    guard skip(" "), let month = month(), skip(" "), let day = digits(2), skip(" "), let seconds = secondsOfDay(),
      skip(" "), let offset = offset(), skip(" "), let year = digits(4)
    else { return nil }
    return moment(year, month, day, seconds, offset, 0)
  }

  /// - Parameters:
  ///   - seconds: of the day.
  ///   - offset: seconds east of UTC.
  ///   - fraction: milliseconds.
  /// - Returns: `nil` for a date or a leap second that does not exist.
  private func moment(
    _ year: Int, _ month: Int, _ day: Int, _ seconds: Int, _ offset: Int, _ fraction: Int
  ) -> Timestamp? {
    guard 1...12 ~= month, 1...Self.days(inMonth: month, of: year) ~= day else { return nil }
    let days = Timestamp.days(year: year, month: month, day: day)
    let moment = Timestamp(milliseconds: Int64(days * 86_400 + seconds - offset) * 1000 + Int64(fraction))
    if isLeapSecond {
      // The second after it is the first one of a month in UTC.
      guard moment.date.day == 1, 0..<1000 ~= moment.milliseconds % 86_400_000 else { return nil }
    }
    return moment
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// `hh:mm:ss`, in seconds. Second 60 sets ``isLeapSecond``.
  private mutating func secondsOfDay() -> Int? {
    guard let hours = digits(2), hours < 24, skip(":"), let minutes = digits(2), minutes < 60, skip(":"),
      let seconds = digits(2), seconds <= 60
    else { return nil }
    isLeapSecond = seconds == 60
    return hours * 3600 + minutes * 60 + seconds
  }

  /// `.123456` in milliseconds, later digits cut off; 0 when there is no point.
  private mutating func fraction() -> Int? {
    guard skip(".") else { return 0 }
    let first = at
    var value = 0
    var weight = 100
    while at < bytes.count, bytes[at].isASCIIDigit {
      value += Int(bytes[at] - UInt8(ascii: "0")) * weight
      weight /= 10
      at += 1
    }
    return at > first ? value : nil
  }

  /// `Z`, `+00:00` or `+0000`, in seconds east of UTC: less than a day.
  private mutating func offset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let sign = skip("-") ? -1 : 1
    guard sign < 0 || skip("+"), let hours = digits(2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = digits(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func month() -> Int? {
    guard at + 3 <= bytes.count else { return nil }
    let names: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
    for number in 0..<12 {
      let name = names.utf8Start + number * 3
      if bytes[at] == name[0], bytes[at + 1] == name[1], bytes[at + 2] == name[2] {
        at += 3
        return number + 1
      }
    }
    return nil
  }

  private mutating func digits(_ count: Int) -> Int? {
    guard at + count <= bytes.count else { return nil }
    var value = 0
    for index in at..<at + count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    at += count
    return value
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard at < bytes.count, UInt32(bytes[at]) == character.value else { return false }
    at += 1
    return true
  }
}
