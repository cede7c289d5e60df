import ArgumentParser
import Libc
import TweetCLI
import TweetCore

/// Times to come, as `--at` takes them: in how long (`2h`, `3d`), a time of day (`18:30`, the next one; `tomorrow
/// 09:00`, and `tomorrow` at this time), a date and a time in the person's time zone (`2026-11-27 18:30`), or RFC 3339.
enum DueTime {
  private static let examples = "18:30, 2h, 'tomorrow 09:00', '2026-11-27 18:30', 2026-11-27T18:30:00Z"

  static func parse(_ text: String) throws -> Timestamp {
    let now = Timestamp.now
    guard let time = time(text, now) else { throw ValidationError("'\(text)' is not a time (\(examples))") }
    guard time > now else { throw ValidationError("'\(text)' is past") }
    return time
  }

  static func time(_ text: String, _ now: Timestamp) -> Timestamp? {
    if let wait = try? DurationOption.parse(text) { return Timestamp(milliseconds: now.milliseconds + Int64(wait)) }
    if let moment = Timestamp(parsing: text), text.contains("-") { return moment }
    let words = text.split { $0 == " " || $0 == "T" }
    var day = tm()
    var seconds = time_t(now.milliseconds / 1000)
    localtime_r(&seconds, &day)
    if text == "tomorrow" {
      day.tm_mday += 1
      return moment(day, day.tm_hour * 60 + day.tm_min)
    }
    guard (1...2).contains(words.count), let minutes = minutes(words[words.count - 1]) else { return nil }
    if words.count == 2, words[0] == "tomorrow" {
      day.tm_mday += 1
    } else if words.count == 2 {
      let parts = words[0].split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
      guard parts.count == 3, Timestamp(day: String(words[0])) != nil else { return nil }
      (day.tm_year, day.tm_mon, day.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
    }
    let time = moment(day, minutes)
    if words.count == 2 || time > now { return time }
    day.tm_mday += 1
    return moment(day, minutes)
  }

  /// The minutes of a day in `18:30`.
  private static func minutes(_ text: Substring) -> Int32? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, let hour = Int32(parts[0]), let minute = Int32(parts[1]) else {
      return nil
    }
    return (0..<24).contains(hour) && (0..<60).contains(minute) ? hour * 60 + minute : nil
  }

  private static func moment(_ day: tm, _ minutes: Int32) -> Timestamp {
    var parts = day
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (minutes / 60, minutes % 60, 0, -1)
    return Timestamp(milliseconds: Int64(mktime(&parts)) * 1000)
  }
}
