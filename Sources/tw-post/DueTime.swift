import ArgumentParser
import Libc
import TweetCLI
import TweetCore

/// Times to come, as `--at` takes them: in how long (`2h`, `1h30m`), a time of day (`18:30`, `6pm`; the next one), one
/// of a day (`tomorrow 09:00`, `fri 6pm`, `2026-11-27 18:30:15`, in the person's time zone), or RFC 3339.
enum DueTime {
  private static let examples = "18:30, 6pm, 2h, 'tomorrow 09:00', 'fri 18:00', '2026-11-27 18:30', RFC 3339"
  private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

  static func parse(_ text: String) throws -> Timestamp {
    let now = Timestamp.now
    guard let time = time(text, now) else { throw ValidationError("'\(text)' is not a time (\(examples))") }
    guard time > now else { throw ValidationError("'\(text)' is past") }
    return time
  }

  static func time(_ text: String, _ now: Timestamp) -> Timestamp? {
    if let wait = try? DurationOption.parse(text) { return Timestamp(milliseconds: now.milliseconds + Int64(wait)) }
    if let moment = Timestamp(parsing: text), text.contains("-") { return moment }
    let words = text.lowercased().split { $0 == " " || $0 == "t" && text.first?.isNumber == true }
    var day = tm()
    var seconds = time_t(now.milliseconds / 1000)
    localtime_r(&seconds, &day)
    if text.lowercased() == "tomorrow" {
      day.tm_mday += 1
      return moment(day, (day.tm_hour, day.tm_min, 0))
    }
    guard (1...2).contains(words.count), let clock = clock(words[words.count - 1]) else { return nil }
    guard words.count == 2 else {
      let time = moment(day, clock)
      if time > now { return time }
      day.tm_mday += 1
      return moment(day, clock)
    }
    switch words[0] {
    case "today": break
    case "tomorrow": day.tm_mday += 1
    case let name where name.count >= 3 && weekdays.contains(where: { $0.hasPrefix(name) }):
      let wanted = weekdays.firstIndex { $0.hasPrefix(name) } ?? 0
      day.tm_mday += (Int32(wanted) - day.tm_wday + 7) % 7
      // Of today's name the time may be over.
      if moment(day, clock) <= now { day.tm_mday += 7 }
    case let date:
      let parts = date.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
      guard parts.count == 3, Timestamp(day: String(date)) != nil else { return nil }
      (day.tm_year, day.tm_mon, day.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
    }
    return moment(day, clock)
  }

  private typealias Clock = (hour: Int32, minute: Int32, second: Int32)

  /// `18:30`, `18:30:15`, `6pm`, `6:30am`.
  private static func clock(_ text: Substring) -> Clock? {
    let isHalf = text.hasSuffix("am") || text.hasSuffix("pm")
    let parts = text.dropLast(isHalf ? 2 : 0).split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy(\.isASCII) && $0.first?.isNumber == true ? Int32($0) : nil }
    guard (isHalf ? 1...2 : 2...3).contains(parts.count), numbers.count == parts.count,
      parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }), numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
    else { return nil }
    var hour = numbers[0]
    if isHalf {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (text.hasSuffix("pm") ? 12 : 0)
    }
    guard (0..<24).contains(hour) else { return nil }
    return (hour, numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
  }

  private static func moment(_ day: tm, _ clock: Clock) -> Timestamp {
    var parts = day
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (clock.hour, clock.minute, clock.second, -1)
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
  }
}
