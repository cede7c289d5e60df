import Foundation
import Testing
import TweetCore

@testable import tw_post

/// Times to come, as people say them.
@Suite struct DueTimeTests {
  /// A time of the person's time zone, on a day without a change of clocks.
  private static func local(_ day: Int, _ hour: Int, _ minute: Int = 0, second: Int = 0) throws -> Timestamp {
    let parts = DateComponents(year: 2026, month: 1, day: day, hour: hour, minute: minute, second: second)
    let date = try #require(Calendar(identifier: .gregorian).date(from: parts))
    return Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
  }

  /// A time of day is the next one.
  @Test func aTimeOfDayIsToCome() throws {
    let now = try Self.local(20, 12, second: 5)
    for (text, time) in [
      ("12:01", try Self.local(20, 12, 1)), ("23:59", try Self.local(20, 23, 59)), ("12:00", try Self.local(21, 12)),
      ("00:00", try Self.local(21, 0)), ("tomorrow 00:00", try Self.local(21, 0)),
      ("tomorrow 23:59", try Self.local(21, 23, 59)), ("tomorrow", try Self.local(21, 12)),
      ("2026-01-31 18:30", try Self.local(31, 18, 30)), ("2026-01-31T18:30", try Self.local(31, 18, 30)),
      ("90m", Timestamp(milliseconds: now.milliseconds + 5_400_000)),
      ("1h30m", Timestamp(milliseconds: now.milliseconds + 5_400_000)),
      ("12:00:06", try Self.local(20, 12, second: 6)), ("12:00:05", try Self.local(21, 12, second: 5)),
      ("6pm", try Self.local(20, 18)), ("6:30PM", try Self.local(20, 18, 30)), ("11am", try Self.local(21, 11)),
      ("12am", try Self.local(21, 0)), ("12:30pm", try Self.local(20, 12, 30)), ("today 18:00", try Self.local(20, 18)),
      // The 20th is a Tuesday.
      ("fri 18:00", try Self.local(23, 18)), ("Friday 6pm", try Self.local(23, 18)),
      ("thu 18:00", try Self.local(22, 18)), ("tue 18:00", try Self.local(20, 18)),
      ("tue 09:00", try Self.local(27, 9)),
      ("monday 09:00", try Self.local(26, 9)), ("2026-01-31 18:30:15", try Self.local(31, 18, 30, second: 15)),
    ] {
      #expect(DueTime.time(text, now) == time, "\(text)")
    }
    for text in [
      "24:00", "18:60", "18:5", "18", "-1:00", "", "yesterday", "2026-01-32 10:00", "2026-02-30 10:00",
      "2026-01 10:00", "10:00 tomorrow", "13pm", "0am", "6", "pm", "fr 18:00", "friday", "fri", "18:30:60", "1h30", "h",
      "1h2", "+6pm", "6:3pm",
    ] {
      #expect(DueTime.time(text, now) == nil, "\(text)")
    }
  }
}
