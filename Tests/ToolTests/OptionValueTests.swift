import ArgumentParser
import TestSupport
import Testing
import TweetCLI
import TweetCore

@Suite struct TimeOptionTests {
  @Test(arguments: [
    ("2020-02-29T00:00:00Z", "2020-02-29T00:00:00.000Z"), ("2021-11-03T21:30:00Z", "2021-11-03T21:30:00.000Z"),
    ("2021-11-03T21:30:00-03:30", "2021-11-04T01:00:00.000Z"),
  ])
  func readsTimes(text: String, expected: String) throws {
    #expect(try TimeOption.parse(text).rfc3339 == expected)
  }

  /// What tw-render prints in English.
  @Test(arguments: [
    ("Jun 9, 2025, 19:15", "2025-06-09 19:15"), ("9 Jun 2025", "2025-06-09"),
    ("Mon, Jun 9, 2025, 19:15", "2025-06-09 19:15"),
    ("June 9 2025", "2025-06-09"), ("29 feb 2024", "2024-02-29"), ("9. Jun. 2025, 19:15:30", "2025-06-09 19:15:30"),
  ])
  func readsWhatIsShown(text: String, same: String) throws {
    #expect(try TimeOption.parse(text) == TimeOption.parse(same))
  }

  @Test func aDayWithoutAYearIsTheLastSuchDay() throws {
    for text in ["Jun 9", "9 Jun, 19:15", "Feb 29", "Dec 31"] {
      let time = try TimeOption.parse(text)
      let age = Timestamp.shown.milliseconds - time.milliseconds
      #expect(age >= 0 && age < (text == "Feb 29" ? 8 : 1) * 366 * 86_400_000, "\(text): \(time.rfc3339)")
    }
    let day = try TimeOption.parse("yesterday")
    #expect(try TimeOption.parse("yesterday 10:30").milliseconds - day.milliseconds == 37_800_000)
  }

  @Test func readsHowLongAgo() throws {
    let before = Timestamp.shown.milliseconds
    let parsed = try TimeOption.parse("2h").milliseconds + 7_200_000
    #expect(before <= parsed && parsed <= Timestamp.shown.milliseconds)
  }

  @Test(arguments: [
    "2021-02-31", "2021-02-29", "2021-04-31", "2021-00-01", "2021-01-00", "2021-13-01", "2021-11-03T24:61:00Z",
    "2021-11-03T21:60:00Z", "2021-11-03T21:30:00+99:99", "2021-11-03T21:30:00-24:00", "2021-11-03T21:30:00+01:60",
    "2021-02-31T00:00:00Z", "1M", "1mon", "0mo", "1201mo", "1 mo", "mo", "1years", "", "-", "-5", "1635975000",
    "2021-11-03 ", "2021-13", "0h", "2021-11-03T", "2021-11 21:30", "21:60", "24:00", "21:30:", "2021-11-03 21", "21",
    "last someday", "last", "3 days", "days ago", "0 days ago", "2 fortnights ago", "yesterday 25:30", "20211",
    "Jun", "Jun 31", "31 Jun 2025", "Jun 9 25", "Ju 9", "Jun 9, 2025, 24:00", "Jun 9 2025 x", "0 Jun", "Feb 29, 2025",
  ])
  func refusesImpossibleTimes(text: String) {
    #expect(throws: ValidationError.self) { try TimeOption.parse(text) }
  }
}

@Suite struct DurationOptionTests {
  @Test(arguments: [
    ("500ms", 500), ("0.5s", 500), ("90s", 90_000), ("15m", 900_000), ("2h", 7_200_000), ("7d", 604_800_000),
    ("1w", 604_800_000),
    ("1ms", 1), ("0.6ms", 1), ("3650d", 315_360_000_000),
  ])
  func readsDurations(text: String, milliseconds: Int) throws {
    #expect(try DurationOption.parse(text) == milliseconds)
  }

  @Test(arguments: [
    "", "5", "s", "-1s", "1 s", "1s ", "1.2.3s", "1e3s", "0s", "0.4ms", "3651d", "99999999999999999999d", "1y", "١s",
  ])
  func refusesOtherText(text: String) {
    #expect(throws: ValidationError.self) { try DurationOption.parse(text) }
  }

  @Test func zeroIsADurationWhereItMakesSense() throws {
    #expect(try DurationOption.parseOrZero("0") == 0 && DurationOption.parseOrZero("0s") == 0)
    #expect(try DurationOption.parseOrZero("1s") == 1000)
    #expect(throws: ValidationError.self) { try DurationOption.parseOrZero("") }
  }
}

@Suite struct ByteSizeTests {
  @Test(arguments: [
    ("4096", 4096), ("1B", 1), ("64K", 65536), ("64kib", 65536), ("16M", 16 << 20), ("1GB", 1 << 30),
    ("8589934591G", 8_589_934_591 << 30),
  ])
  func readsSizes(text: String, bytes: Int) throws {
    #expect(try ByteSize.parse(text) == bytes)
  }

  @Test(arguments: ["", "0", "0K", "-1", "1.5M", "K", "1T", "8589934592G", "9223372036854775808", "1 K", "１K"])
  func refusesOtherText(text: String) {
    #expect(throws: ValidationError.self) { try ByteSize.parse(text) }
  }
}

@Suite(.onOwnThread) struct TimeOptionToolTests {
  /// A month ago is the same day of the month before, at the same time of the reader's clock; or the month's last day.
  @Test(arguments: [
    ("2026-03-15T10:00:00Z", "1mo", "2026-02-15T10:00:00Z"), ("2026-03-31T10:00:00Z", "1mo", "2026-02-28T11:00:00Z"),
    ("2028-02-29T10:00:00Z", "1y", "2027-02-28T10:00:00Z"), ("2026-01-10T10:00:00Z", "2mo", "2025-11-10T10:00:00Z"),
    ("2026-01-31T10:00:00Z", "12mo", "2025-01-31T10:00:00Z"), ("2026-05-01T10:00:00Z", "3y", "2023-05-01T10:00:00Z"),
    // A day or a week ago it is the same time of day, though there are 23 or 25 hours in between, or 169.
    ("2026-03-29T20:00:00Z", "1d", "2026-03-28T21:00:00Z"), ("2026-10-26T06:00:00Z", "7d", "2026-10-19T05:00:00Z"),
    ("2026-10-26T06:00:00Z", "1w", "2026-10-19T05:00:00Z"), ("2026-10-26T06:00:00Z", "168h", "2026-10-19T06:00:00Z"),
    ("2026-10-26T06:00:00Z", "7 days ago", "2026-10-19T05:00:00Z"),
    // Summer time begins in between, at 2026-03-29.
    ("2026-04-15T10:00:00Z", "1mo", "2026-03-15T11:00:00Z"),
  ])
  func monthsAndYears(now: String, ago: String, expected: String) throws {
    let home = try TemporaryDirectory()
    let moment = try #require(Timestamp(parsing: expected)).milliseconds
    let tweets = [-1000, 0].map { offset in
      #"{"tw":"tweet","id":"\#(offset + 1001)","service":"x","created_at":"\#(Timestamp(milliseconds: moment + Int64(offset)).rfc3339)","#
        + #""text":"a"}"# + "\n"
    }
    _ = try Tool.run("tw-cache", ["add"], stdin: ToolInput(tweets.joined()), home: home)
    let variables = ["TW_NOW": now, "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]
    let listed = try Tool.run("tw-cache", ["list", "--since", ago], environment: variables, home: home)
    #expect(listed.output == tweets[1], "\(listed.errors)")
  }

  @Test(arguments: ["2021-02-31", "2021-11-03T21:30:00+99:99"])
  func impossibleTimesAreUsageErrors(text: String) throws {
    let result = try Tool.run("tw-cache", ["list", "--since", text])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains("'\(text)' is not a time"))
  }

  /// Days on which summer time begins or ends: `--since` a day and `--until` the next one is each second of it, and no
  /// other.
  @Test func aDayMayHave23Or25Hours() throws {
    let home = try TemporaryDirectory()
    let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
    // Here midnight is left out when summer time begins, and is the end of a day of 25 hours.
    let saoPaulo = "<-03>3<-02>,M11.1.0/0,M2.3.0/0"
    // Here midnight is there twice when summer time ends.
    let azores = "<-01>1<+00>,M3.5.0/0,M10.5.0/1"
    let days = [
      (berlin, "2026-03-29", "2026-03-30", "2026-03-28T23:00:00Z", 23),
      (berlin, "2026-10-25", "2026-10-26", "2026-10-24T22:00:00Z", 25),
      (saoPaulo, "2018-11-04", "2018-11-05", "2018-11-04T03:00:00Z", 23),
      (saoPaulo, "2018-02-17", "2018-02-18", "2018-02-17T02:00:00Z", 25),
      (azores, "2026-03-29", "2026-03-30", "2026-03-29T01:00:00Z", 23),
      (azores, "2026-10-25", "2026-10-26", "2026-10-25T00:00:00Z", 25),
    ]
    for (number, (zone, day, next, begin, hours)) in days.enumerated() {
      let start = try #require(Timestamp(parsing: begin)).milliseconds
      let store = "\(number).db"
      // Beside each hour the second before it: one more before the day and one less in it.
      let tweets = (-2...hours + 2).flatMap { hour in
        [-1, 0].map { second in
          let time = Timestamp(milliseconds: start + Int64(hour * 3600 + second) * 1000).rfc3339
          return #"{"tw":"tweet","id":"\#(hour * 2 + second + 10)","service":"x","created_at":"\#(time)","text":"a"}"#
            + "\n"
        }
      }
      _ = try Tool.run("tw-cache", ["add", "--db", store], stdin: ToolInput(tweets.joined()), home: home)
      let wanted = tweets[5..<(5 + 2 * hours)].sorted()
      for options in [["--since", day, "--until", next], ["since:\(day) until:\(next)"]] {
        let listed = try Tool.run("tw-cache", ["list", "--db", store] + options, environment: ["TZ": zone], home: home)
        #expect(listed.lines.map { $0 + "\n" }.sorted() == wanted, "\(zone) \(day)")
      }
      let today = ["TZ": zone, "TW_NOW": Timestamp(milliseconds: start + Int64(hours * 3600 - 1) * 1000).rfc3339]
      let listed = try Tool.run(
        "tw-cache", ["list", "--db", store, "--since", "today", "--count"], environment: today, home: home)
      #expect(listed.output == "\(2 * hours + 5)\n", "\(zone) \(day)")
    }
  }
}
