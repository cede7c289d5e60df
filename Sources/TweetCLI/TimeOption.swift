import ArgumentParser
import Libc
package import TweetCore

/// Times as options take them: how long ago (`2h`, `7d`, `3mo`, `3 days ago`), RFC 3339, and days and times of day in
/// the reader's time zone, as tw-render prints them: `today`, `last monday`, `2026`, `2026-11`, `2026-11-03 21:30`,
/// `Nov 3, 21:30`.
package enum TimeOption {
  /// - Throws: `ValidationError` for anything else.
  package static func parse(_ text: String) throws -> Timestamp {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    if let moment = namedDay(words) ?? localMoment(text) ?? writtenDay(text) { return moment }
    if let moment = Timestamp(parsing: text), text.contains("-") { return moment }
    let short = words.count == 3 && words[2] == "ago" ? duration(words[0], words[1]) : text
    if let short, let date = monthsAgo(short) ?? daysAgo(short) { return date }
    guard let short, let ago = try? DurationOption.parse(short) else {
      throw ValidationError(
        "'\(text)' is not a time (2h, 7d, 3mo, 1y, yesterday, 2021, 2021-11, 2021-11-03, '2021-11-03 21:30')")
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds - Int64(ago))
  }

  /// Whether what a time means does not depend on the clock: it begins with a date, as `2021` and `2021-11-03 21:30`.
  package static func isDate(_ text: String) -> Bool {
    let year = text.utf8.prefix { $0.isASCIIDigit }
    return year.count == 4 && (text.utf8.count == 4 || text.utf8.dropFirst(4).first == UInt8(ascii: "-"))
  }

  /// `7d`, `2w`: days of the reader's calendar. With the day on which the clocks are set back, `7d` is 169 hours.
  private static func daysAgo(_ text: String) -> Timestamp? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let length: [Substring: Int] = ["d": 1, "w": 7]
    guard let days = length[text.dropFirst(digits.count)], let number = Int(digits), (1...3650 / days).contains(number)
    else { return nil }
    return Timestamp.shown.before(days: number * days)
  }

  /// The short form of `3 days`; `nil` for other words.
  private static func duration(_ number: String, _ unit: String) -> String? {
    let units = [
      "second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w", "month": "mo", "year": "y",
    ]
    guard let short = units[unit.hasSuffix("s") ? String(unit.dropLast()) : unit] else { return nil }
    return (number == "a" || number == "an" ? "1" : number) + short
  }

  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

  /// `now`; the beginning of `today`, `yesterday`, or of the last day of a week before today: `last monday`.
  private static func namedDay(_ words: [String]) -> Timestamp? {
    if words == ["now"] { return .shown }
    var parts = today
    if words == ["yesterday"] {
      parts.tm_mday -= 1
    } else if words.count == 2, words[0] == "last", let day = weekdays.firstIndex(of: words[1]) {
      let ago = (Int(parts.tm_wday) - day + 7) % 7
      parts.tm_mday -= Int32(ago == 0 ? 7 : ago)
    } else if words != ["today"] {
      return nil
    }
    // The numbers of a day that is in another month.
    parts.tm_hour = 12
    parts.tm_isdst = -1
    mktime(&parts)
    return beginning(of: parts)
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// A day as tw-render writes it in English, with its parts in any order: `Jun 9`, `9 Jun 2025, 19:15`, `Mon, Jun 9,
  /// 2025`; and a time of `today` and `yesterday`. Without a year it is the last such day.
  private static func writtenDay(_ text: String) -> Timestamp? {
    var words = text.lowercased().split { $0.isWhitespace || $0 == "," || $0 == "." }.map(String.init)
    var parts = today
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    if let last = words.last, last.contains(":") {
      guard setClock(last, in: &parts) else { return nil }
      words.removeLast()
      if words == ["yesterday"] { parts.tm_mday -= 1 }
      if words == ["yesterday"] || words == ["today"] { return moment(parts) }
    }
    if let first = words.first, weekdays.contains(where: { $0.hasPrefix(first) }), first.count >= 3 {
      words.removeFirst()
    }
    guard (2...3).contains(words.count), let month = words.prefix(2).compactMap(month).first,
      let number = words.prefix(2).compactMap({ Int32($0) }).first, (1...31).contains(number)
    else { return nil }
    (parts.tm_mon, parts.tm_mday) = (month, number)
    if words.count == 3 {
      guard words[2].utf8.count == 4, let year = Int32(words[2]), year >= 1970 else { return nil }
      parts.tm_year = year - 1900
      return isDay(parts) ? moment(parts) : nil
    }
    for _ in 0..<8 {
      if isDay(parts), moment(parts) <= Timestamp.shown { return moment(parts) }
      parts.tm_year -= 1
    }
    return nil
  }

  private static func month(_ word: String) -> Int32? {
    word.count < 3 ? nil : months.firstIndex { word.hasPrefix($0) }.map { Int32($0) }
  }

  /// Whether the month has the day.
  private static func isDay(_ parts: tm) -> Bool {
    let digits = { (number: Int32, length: Int) in
      String(repeating: "0", count: max(0, length - String(number).count)) + String(number)
    }
    return Timestamp(
      day: "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))") != nil
  }

  private static func moment(_ parts: tm) -> Timestamp {
    var parts = parts
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
  }

  private static var today: tm {
    var parts = tm()
    var seconds = time_t(Timestamp.shown.milliseconds / 1000)
    localtime_r(&seconds, &parts)
    return parts
  }

  /// `3mo`, `1y`: the same day of an earlier month and the same time of day, in the reader's time zone; where that
  /// month has no such day, its last one. A month before the 31st of March is the end of February.
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

  /// `21:30` of today, `2026`, `2026-11`, `2026-11-03`, and the last one with a time of day: `2026-11-03 21:30`.
  private static func localMoment(_ text: String) -> Timestamp? {
    let words = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }.map(String.init)
    var parts: tm
    switch words.count {
    case 1 where words[0].contains(":"): parts = today
    case 1, 2:
      guard let day = day(words[0]) else { return nil }
      parts = day
      if words.count == 1 { return beginning(of: parts) }
      if words[0].utf8.count != 10 { return nil }
    default: return nil
    }
    guard let clock = words.last, setClock(clock, in: &parts) else { return nil }
    parts.tm_isdst = -1
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
  }

  private static func day(_ text: String) -> tm? {
    let date = text.utf8.count == 4 ? text + "-01-01" : text.utf8.count == 7 ? text + "-01" : text
    let numbers = date.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
    // mktime(3) would make a day in March of the 30th of February.
    guard date.utf8.count == 10, numbers.count == 3, Timestamp(day: date) != nil else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    return parts
  }

  /// Sets the time of day: `21:30`, `21:30:05`. Returns false for another text.
  private static func setClock(_ text: String, in parts: inout tm) -> Bool {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { field in
      field.utf8.count <= 2 && field.utf8.allSatisfy(\.isASCIIDigit) ? Int32(field) : nil
    }
    guard (2...3).contains(numbers.count), numbers.count == fields.count, numbers[0] < 24, numbers[1] < 60,
      numbers.last.map({ $0 < 60 }) == true
    else { return false }
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
    return true
  }

  /// The first second of a day. Where the clocks change at midnight, midnight is there twice or not at all, and what
  /// mktime(3) chooses then is its own affair: of its answers that are on that day, the first one counts.
  /// - Parameter day: year, month and day; the time of day does not matter.
  private static func beginning(of day: tm) -> Timestamp {
    // Whether it is summer time then, the system knows (-1).
    let answers = [-1, 0, 1].map { (isSummer: Int32) in
      var parts = day
      (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
      parts.tm_isdst = isSummer
      var seconds = mktime(&parts)
      localtime_r(&seconds, &parts)
      let isThatDay = (parts.tm_year, parts.tm_mon, parts.tm_mday) == (day.tm_year, day.tm_mon, day.tm_mday)
      return (seconds: seconds, isThatDay: isThatDay)
    }
    // No second is on a day that a country left out when it moved to the other side of the date line.
    let seconds = answers.filter(\.isThatDay).map(\.seconds).min() ?? answers[0].seconds
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }
}

/// Durations as options take them: `500ms`, `0.5s`, `90s`, `15m`, `1h30m`, `2h`, `7d`, `1w`.
package enum DurationOption {
  private static let units: [(suffix: String, milliseconds: Double)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 7 * 86_400_000),
  ]

  /// - Returns: milliseconds, more than 0.
  /// - Throws: `ValidationError` for anything else. A number without a unit is refused too.
  package static func parse(_ text: String) throws -> Int {
    var (rest, milliseconds) = (text[...], 0.0)
    repeat {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let suffix = rest.dropFirst(digits.count).prefix { $0.isLetter }
      guard let unit = units.first(where: { $0.suffix == suffix }), let number = Double(digits) else {
        throw ValidationError("'\(text)' is not a duration (500ms, 0.5s, 90s, 15m, 1h30m, 2h, 7d)")
      }
      milliseconds += (number * unit.milliseconds).rounded()
      rest = rest.dropFirst(digits.count + suffix.count)
    } while !rest.isEmpty
    // A duration of more than ten years is a mistake.
    guard milliseconds >= 1, milliseconds <= 3650 * 86_400_000 else {
      throw ValidationError("duration '\(text)' is out of range (1ms to 3650d)")
    }
    return Int(milliseconds)
  }

  /// As ``parse(_:)``, but `0s` and `0` are allowed too.
  package static func parseOrZero(_ text: String) throws -> Int {
    text == "0s" || text == "0" ? 0 : try parse(text)
  }
}
