import Testing
import TweetCore

@testable import TweetDisplay

struct HumanTimeTests {
  private let now = "2021-11-03T21:30:00.000Z"

  private func text(_ body: (HumanTime, inout ByteBuffer) throws -> Void) rethrows -> String {
    var buffer = ByteBuffer()
    try body(HumanTime(), &buffer)
    return buffer.string
  }

  @Test(arguments: [
    ("2021-11-03T21:30:00.000Z", "now"), ("2021-11-03T21:29:55.001Z", "now"), ("2021-11-03T21:29:55.000Z", "5s"),
    ("2021-11-03T21:29:00.001Z", "59s"), ("2021-11-03T21:29:00.000Z", "1m"), ("2021-11-03T20:30:00.001Z", "59m"),
    ("2021-11-03T20:30:00.000Z", "1h"), ("2021-11-02T21:30:00.001Z", "23h"), ("2021-11-02T21:30:00.000Z", "1d"),
    ("2021-10-27T21:30:00.001Z", "6d"), ("2021-11-03T21:35:00.000Z", "now"),
  ])
  func relative(_ time: String, _ expected: String) throws {
    let (time, now) = (try #require(Timestamp(parsing: time)), try #require(Timestamp(parsing: now)))
    #expect(text { $0.appendRelative(time, now: now, to: &$1) } == expected)
  }

  /// At noon UTC it is the same day in nearly all time zones. Zones are tested with the tool itself.
  @Test(arguments: [
    ("2021-10-15T12:00:00.000Z", "Oct 15"), ("2019-06-05T12:00:00.000Z", "Jun 5, 2019"),
    ("2022-02-15T12:00:00.000Z", "Feb 15, 2022"), ("1969-07-20T12:00:00.000Z", "Jul 20, 1969"),
  ])
  func dates(_ time: String, _ expected: String) throws {
    let (time, now) = (try #require(Timestamp(parsing: time)), try #require(Timestamp(parsing: now)))
    #expect(text { $0.appendRelative(time, now: now, to: &$1) } == expected)
  }

  @Test func minutesHaveAFixedWidth() throws {
    let time = try #require(Timestamp(parsing: "2021-03-04T05:06:07.000Z"))
    #expect(text { $0.appendMinute(time, to: &$1) }.count == 16)
    #expect(text { $0.appendClock(time, to: &$1) }.count == 5)
  }

  /// The C library's calendar does not reach so far. Nothing may crash.
  @Test(arguments: [Int64.min / 1000, Int64.max / 1000])
  func farAway(_ milliseconds: Int64) {
    let time = Timestamp(milliseconds: milliseconds)
    #expect(!text { $0.appendMinute(time, to: &$1) }.isEmpty)
    #expect(!text { $0.appendRelative(time, now: Timestamp(milliseconds: 0), to: &$1) }.isEmpty)
  }
}
