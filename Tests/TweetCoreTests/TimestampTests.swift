import Testing

@testable import TweetCore

/// Every form of time that the services have used.
struct TimestampTests {
  @Test(arguments: [
    ("2021-11-03T21:30:00.000Z", "2021-11-03T21:30:00.000Z"), ("2021-11-03T21:30:00Z", "2021-11-03T21:30:00.000Z"),
    ("2021-11-03T21:30:00.123456+02:00", "2021-11-03T19:30:00.123Z"),
    ("Wed Aug 27 13:08:45 +0000 2008", "2008-08-27T13:08:45.000Z"),
    ("Thu, 06 Oct 2011 19:41:12 +0000", "2011-10-06T19:41:12.000Z"),
    ("2015-01-02 03:04:05 +0000", "2015-01-02T03:04:05.000Z"), ("0", "1970-01-01T00:00:00.000Z"),
    ("1635975000", "2021-11-03T21:30:00.000Z"), ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
  ])
  func reads(_ text: String, _ expected: String) {
    #expect(Timestamp(parsing: text)?.rfc3339 == expected)
  }

  @Test(arguments: [
    "", "x", "2021-13-01T00:00:00Z", "2021-11-03T25:00:00Z", "2021-11-03T21:30:00", "2021-11-03T21:30:00Zx",
    "Wed Aug 27 13:08:45 2008", "Wed Foo 27 13:08:45 +0000 2008", "99999999999999999999",
  ])
  func refuses(_ text: String) {
    #expect(Timestamp(parsing: text) == nil)
  }

  @Test func agreesWithItselfForEveryDayOfFourCenturies() {
    for day in stride(from: -100_000, through: 100_000, by: 7) {
      let time = Timestamp(milliseconds: Int64(day) * 86_400_000)
      let date = time.date
      #expect(Timestamp.days(year: date.year, month: date.month, day: date.day) == day)
    }
  }
}
