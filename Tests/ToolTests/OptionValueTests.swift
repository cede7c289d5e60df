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

  @Test func readsHowLongAgo() throws {
    let before = Timestamp.shown.milliseconds
    let parsed = try TimeOption.parse("2h").milliseconds + 7_200_000
    #expect(before <= parsed && parsed <= Timestamp.shown.milliseconds)
  }

  @Test(arguments: [
    "2021-02-31", "2021-02-29", "2021-04-31", "2021-00-01", "2021-01-00", "2021-13-01", "2021-11-03T24:61:00Z",
    "2021-11-03T21:60:00Z", "2021-11-03T21:30:00+99:99", "2021-11-03T21:30:00-24:00", "2021-11-03T21:30:00+01:60",
    "2021-02-31T00:00:00Z", "", "-", "-5", "1635975000", "yesterday", "2021-11-03 ", "2021-13", "0h", "2021-11-03T",
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
  @Test(arguments: ["2021-02-31", "2021-11-03T21:30:00+99:99"])
  func impossibleTimesAreUsageErrors(text: String) throws {
    let result = try Tool.run("tw-cache", ["list", "--since", text])
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains("'\(text)' is not a time"))
  }
}
