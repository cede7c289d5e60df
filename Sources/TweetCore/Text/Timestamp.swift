import Libc

/// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds left out, as in POSIX.
package struct Timestamp: Comparable, Hashable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Now, by the system's clock.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time that people are shown as now: `$TW_NOW` where it is set, so that tests and examples stand still.
  package static var shown: Timestamp {
    Paths.environment("TW_NOW").flatMap { Timestamp(parsing: $0) } ?? now
  }

  /// Reads any form the services use: RFC 3339 (`2021-11-03T21:30:00.000Z`, any offset, any fraction), X v1.1
  /// (`Wed Aug 27 13:08:45 +0000 2008`), the old search API's RFC 2822 (`Thu, 06 Oct 2011 19:41:12 +0000`), the old
  /// archive's `2015-01-02 03:04:05 +0000`, and whole seconds since 1970.
  package init?(parsing text: String) {
    var text = text
    guard let found = text.withUTF8({ Timestamp(ascii: $0) }) else { return nil }
    self = found
  }

  /// The same for bytes.
  package init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
    var scan = TimeScan(bytes: bytes)
    guard let found = scan.moment(), scan.isAtEnd else { return nil }
    self = found
  }

  /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, by counting years from March so that the leap
  /// day comes last.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date in UTC.
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

  /// RFC 3339 in UTC with milliseconds: the one form records hold.
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
    var rest = Int(time.milliseconds) % 86_400_000
    if rest < 0 { rest += 86_400_000 }
    append(decimal: date.year, width: 4)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.month)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.day)
    append(UInt8(ascii: "T"))
    append(twoDigits: rest / 3_600_000)
    append(UInt8(ascii: ":"))
    append(twoDigits: rest / 60_000 % 60)
    append(UInt8(ascii: ":"))
    append(twoDigits: rest / 1000 % 60)
    append(UInt8(ascii: "."))
    append(UInt8(ascii: "0") + UInt8(rest % 1000 / 100))
    append(twoDigits: rest % 100)
    append(UInt8(ascii: "Z"))
  }

  @inline(__always)
  private mutating func append(twoDigits number: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }
}

/// Reads a moment from ASCII bytes.
private struct TimeScan {
  let bytes: UnsafeBufferPointer<UInt8>
  var at = 0

  var isAtEnd: Bool { at == bytes.count }

  mutating func moment() -> Timestamp? {
    guard let first = bytes.first else { return nil }
    if first &- UInt8(ascii: "0") >= 10 { return named() }
    if bytes.count > 10, bytes[4] == UInt8(ascii: "-") { return numeric() }
    guard let seconds = Int(ascii: bytes), abs(seconds) < 1 << 40 else { return nil }
    at = bytes.count
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }

  /// `2021-11-03T21:30:00.000Z`, `2015-01-02 03:04:05 +0000`.
  private mutating func numeric() -> Timestamp? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
      skip("T") || skip("t") || skip(" "), let time = timeOfDay()
    else { return nil }
    let fraction = fraction()
    _ = skip(" ")
    guard let offset = offset() else { return nil }
    return moment(year, month, day, time - offset, fraction)
  }

  /// `Wed Aug 27 13:08:45 +0000 2008`, `Thu, 06 Oct 2011 19:41:12 +0000`.
  private mutating func named() -> Timestamp? {
    at = 3
    if skip(","), skip(" ") {
      guard let day = digits(2), skip(" "), let month = month(), skip(" "), let year = digits(4), skip(" "),
        let time = timeOfDay(), skip(" "), let offset = offset()
      else { return nil }
      return moment(year, month, day, time - offset, 0)
    }
    guard skip(" "), let month = month(), skip(" "), let day = digits(2), skip(" "), let time = timeOfDay(), skip(" "),
      let offset = offset(), skip(" "), let year = digits(4)
    else { return nil }
    return moment(year, month, day, time - offset, 0)
  }

  private func moment(_ year: Int, _ month: Int, _ day: Int, _ seconds: Int, _ fraction: Int) -> Timestamp? {
    guard 1...12 ~= month, 1...31 ~= day else { return nil }
    let days = Timestamp.days(year: year, month: month, day: day)
    return Timestamp(milliseconds: Int64(days * 86_400 + seconds) * 1000 + Int64(fraction))
  }

  /// `hh:mm:ss`, in seconds.
  private mutating func timeOfDay() -> Int? {
    guard let hours = digits(2), hours < 24, skip(":"), let minutes = digits(2), minutes < 60, skip(":"),
      let seconds = digits(2), seconds <= 60
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  /// `.123456` in milliseconds, the rest cut off; 0 when there is none.
  private mutating func fraction() -> Int {
    guard skip(".") else { return 0 }
    var value = 0
    var weight = 100
    while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 {
      value += Int(bytes[at] - UInt8(ascii: "0")) * weight
      weight /= 10
      at += 1
    }
    return value
  }

  /// `Z`, `+00:00` or `+0000`, in seconds east of UTC.
  private mutating func offset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let sign = skip("-") ? -1 : 1
    guard sign < 0 || skip("+"), let hours = digits(2) else { return nil }
    _ = skip(":")
    guard let minutes = digits(2) else { return nil }
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
    for place in at..<at + count {
      let digit = bytes[place] &- UInt8(ascii: "0")
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
