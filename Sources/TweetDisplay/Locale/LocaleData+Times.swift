import TweetCore

extension LocaleData {
  /// Appends how long ago a time was: `jetzt`, `vor 5 Minuten`, `gestern`; from a week on its date.
  func append(_ age: TimeAge, to buffer: inout ByteBuffer) {
    switch age {
    case .now: buffer.append(now)
    case .seconds(let count): append(secondsAgo, count, to: &buffer)
    case .minutes(let count): append(minutesAgo, count, to: &buffer)
    case .hours(let count): append(hoursAgo, count, to: &buffer)
    case .days(1): buffer.append(yesterday)
    case .days(2) where !beforeYesterday.isEmpty: buffer.append(beforeYesterday)
    case .days(let count): append(daysAgo, count, to: &buffer)
    case .date(let time, let needsYear): append(needsYear ? date : day, time, to: &buffer)
    }
  }

  /// Appends the time of a day: `21:30`.
  func appendClock(_ time: LocalTime, to buffer: inout ByteBuffer) { append(self.time, time, to: &buffer) }

  /// Appends the date and the time of day: `3. Nov., 21:30`.
  /// - Parameter hasYear: whether the year is in it.
  func appendMoment(_ time: LocalTime, hasYear: Bool, to buffer: inout ByteBuffer) {
    append(hasYear ? dateTime : dayTime, time, to: &buffer)
  }

  /// Appends date and time in full: `Mittwoch, 3. November 2021 um 21:30`.
  func appendFull(_ time: LocalTime, to buffer: inout ByteBuffer) { append(full, time, to: &buffer) }

  /// Appends a date in full: `Mittwoch, 3. November 2021`.
  func appendFullDay(_ time: LocalTime, to buffer: inout ByteBuffer) { append(fullDay, time, to: &buffer) }

  /// Appends a month: `November 2021`.
  func appendMonth(_ time: LocalTime, to buffer: inout ByteBuffer) { append(month, time, to: &buffer) }

  /// Appends a duration: `42 Sek.`, `1 Min. 20 Sek.`.
  func append(duration seconds: Int, to buffer: inout ByteBuffer) {
    if seconds >= 60 {
      append(minutes, seconds / 60, to: &buffer)
      buffer.append(" ")
    }
    append(self.seconds, seconds % 60, to: &buffer)
  }

  /// Appends a template with the fields of a time in place of their names (UTS 35, Date Field Symbol Table).
  private func append(_ template: [UInt8], _ time: LocalTime, to buffer: inout ByteBuffer) {
    appendTemplate(template, to: &buffer) { field, buffer in
      switch (field.first, field.count) {
      case (UInt8(ascii: "y"), _): append(digits: time.year, to: &buffer)
      case (UInt8(ascii: "M"), 4): buffer.append(wideMonths[time.month - 1])
      case (UInt8(ascii: "M"), 3): buffer.append(months[time.month - 1])
      case (UInt8(ascii: "M"), let width): append(digits: time.month, width: width, to: &buffer)
      case (UInt8(ascii: "d"), let width): append(digits: time.day, width: width, to: &buffer)
      case (UInt8(ascii: "E"), _): buffer.append(wideWeekdays[time.weekday])
      case (UInt8(ascii: "H"), let width): append(digits: time.hour, width: width, to: &buffer)
      default: append(digits: time.minute, width: 2, to: &buffer)
      }
    }
  }
}
