import Foundation
import Libc
import TestSupport
import Testing

/// Times, counts and words of tw-render: what the environment and its options make of them.
@Suite(.onOwnThread) struct RenderLocaleTests {
  private static let now = "2021-11-03T21:30:00Z"

  /// The row of the author, where the time is, and the row of counts.
  private func show(
    _ time: String, _ arguments: [String], now: String = Self.now, _ environment: [String: String]
  ) throws -> [String] {
    let record =
      #"{"tw":"tweet","id":"1","text":"t","created_at":"\#(time)","author":{"name":"Ann"},"#
      + #""public_metrics":{"like_count":12345}}"#
    let result = try Tool.run(
      "tw-render", arguments, stdin: ToolInput(record), environment: environment.merging(["TW_NOW": now]) { $1 })
    #expect(result.ending == .status(0))
    #expect(result.errors.isEmpty)
    return result.output.split(separator: "\n").map(String.init)
  }

  private func show(
    _ time: String, now: String = Self.now, _ environment: [String: String]
  ) throws -> [String] {
    try show(time, ["--time", "relative"], now: now, environment)
  }

  /// Whatever is in the variables, nothing is read or run because of it, and the output is that of `C`.
  @Test(arguments: [
    "../../etc", "/etc/passwd", "../../../tmp/evil.UTF-8", "%s%s%n.UTF-8", "\u{1B}[2J.UTF-8", "C.UTF-8", "POSIX.UTF-8",
    "de",
    String(repeating: "de_DE", count: 2000) + ".UTF-8", "xx_YY.garbage", "\u{7F}.utf8", "_.UTF-8",
  ])
  func hostileVariables(_ value: String) throws {
    let expected = ["[A ]  Ann · 5m", "      t", "      ♥ 12.3K"]
    for name in ["LC_ALL", "LANG"] {
      let variables = ["LC_ALL": ""].merging([name: value]) { $1 }
      let shown = try show("2021-11-03T21:25:00Z", ["--time", "relative", "--width", "80"], variables)
      // Without UTF-8 in the name, signs are ASCII.
      let signs = [" - ": " · ", "<3": "♥", "\u{A0}": " "]
      let rows = shown.map { row in signs.reduce(row) { $0.replacing($1.key, with: $1.value) } }
      #expect(rows == expected, "\(value)")
    }
  }

  /// A language that nobody knows is English; words for times and counts still come.
  @Test func anUnknownLanguageIsEnglish() throws {
    let shown = try show("2021-11-03T21:25:00Z", ["--time", "relative"], ["LC_ALL": "xx_YY.UTF-8"])
    #expect(shown == ["[A ]  Ann · 5 minutes ago", "      t", "      ♥\u{A0}12K"])
    let result = try Tool.run("tw-render", ["--locale", "xx"], stdin: "")
    #expect(result.errors.contains("tw-render: the language of --locale is not known here"))
    #expect(try Tool.run("tw-render", ["--locale", "xx", "--quiet"], stdin: "").errors.isEmpty)
  }

  @Test(arguments: ["../../etc", "", "deutsch", "de_", "d"])
  func anImpossibleLocaleIsRefused(_ name: String) throws {
    #expect(try Tool.run("tw-render", ["--locale", name]).ending == .status(64))
  }

  /// `LC_ALL` takes precedence over `LC_TIME`, that over `LANG`, and `--locale` over all of them.
  @Test func whichVariableCounts() throws {
    let time = "2021-11-02T21:00:00Z"
    let lang = ["LC_ALL": "", "LANG": "de_DE.UTF-8"]
    #expect(try show(time, lang)[0] == "[A ]  Ann · gestern")
    let times = lang.merging(["LC_TIME": "fr_FR.UTF-8"]) { $1 }
    #expect(try show(time, times) == ["[A ]  Ann · hier", "      t", "      ♥\u{A0}12\u{A0}Tausend"])
    let all = times.merging(["LC_ALL": "es_ES.UTF-8"]) { $1 }
    #expect(try show(time, all)[0] == "[A ]  Ann · ayer")
    #expect(try show(time, ["--time", "relative", "--locale", "ja"], all)[0] == "[A ]  Ann · 昨日")
    #expect(try show(time, ["--time", "relative", "--locale", "C"], all)[0] == "[A ]  Ann · 1d")
    // Where only ASCII is to be added, words are English.
    #expect(try show(time, ["--time", "relative", "--ascii"], all)[0] == "[A ]  Ann - 1d")
    #expect(try show(time, ["LC_ALL": "de_DE"])[0] == "[A ]  Ann - 1d")
  }

  /// Days are the calendar's in the reader's time zone, also where a day has 23 or 25 hours.
  @Test(arguments: [
    // Clocks went back on October 31: it is 23:30, and it was 00:15 that day, more than 24 hours ago.
    ("2021-10-30T22:15:00Z", "2021-10-31T22:30:00Z", "Europe/Berlin", "vor 24 Stunden"),
    ("2021-10-30T21:45:00Z", "2021-10-31T22:30:00Z", "Europe/Berlin", "gestern"),
    // Clocks went forward on March 28: 23 hours and a half are less than a day.
    ("2021-03-27T22:45:00Z", "2021-03-28T22:15:00Z", "Europe/Berlin", "vor 23 Stunden"),
    ("2021-03-27T22:00:00Z", "2021-03-28T22:15:00Z", "Europe/Berlin", "vorgestern"),
    // The same moments elsewhere: yesterday or the day before.
    ("2021-11-02T01:00:00Z", "2021-11-03T12:00:00Z", "UTC", "gestern"),
    ("2021-11-02T01:00:00Z", "2021-11-03T12:00:00Z", "America/New_York", "vorgestern"),
    ("2021-11-01T23:00:00Z", "2021-11-03T12:00:00Z", "Asia/Kolkata", "gestern"),
    ("2021-10-27T12:00:00Z", "2021-11-03T12:00:00Z", "UTC", "27. Okt."),
    ("2021-10-28T12:00:00Z", "2021-11-03T12:00:00Z", "UTC", "vor 6 Tagen"),
    ("2020-12-31T23:30:00Z", "2021-11-03T12:00:00Z", "Europe/Berlin", "1. Jan."),
    ("2020-12-31T22:30:00Z", "2021-11-03T12:00:00Z", "Europe/Berlin", "31. Dez. 2020"),
    ("0000-01-01T12:00:00Z", "2021-11-03T12:00:00Z", "UTC", "1. Jan. 0"),
    ("9999-12-31T12:00:00Z", "2021-11-03T12:00:00Z", "UTC", "31. Dez. 9999"),
    ("2021-11-03T12:04:00Z", "2021-11-03T12:00:00Z", "UTC", "jetzt"),
    ("2021-11-03T12:06:00Z", "2021-11-03T12:00:00Z", "UTC", "3. Nov."),
  ])
  func daysAreTheCalendars(_ time: String, _ now: String, _ zone: String, _ expected: String) throws {
    #expect(try show(time, now: now, ["TZ": zone, "LC_ALL": "de_DE.UTF-8"])[0] == "[A ]  Ann · \(expected)")
  }

  /// The hour that comes twice, and a zone that nobody knows.
  @Test func clocks() throws {
    for (time, zone, expected) in [
      ("2021-10-31T00:30:00Z", "Europe/Berlin", "2:30"), ("2021-10-31T01:30:00Z", "Europe/Berlin", "2:30"),
      ("2021-10-31T01:30:00Z", "../../etc/passwd", "1:30"), ("2021-10-31T01:30:00Z", "", "1:30"),
      ("2021-10-31T01:30:00Z", "XYZ-3:30", "5:00"),
    ] {
      let shown = try show(
        time, ["--time", "clock", "--locale", "es"], now: "2021-10-31T03:00:00Z", ["TZ": zone])
      #expect(shown[0] == "[A ]  Ann · \(expected)")
    }
  }

  /// What stays gets times that stay true: in a file and a pipe the date, on a terminal the time of day.
  @Test func theFormOfTimesFollowsTheOutput() throws {
    let record = #"{"tw":"tweet","id":"1","text":"t","created_at":"2021-11-03T21:25:00Z","author":{"name":"Ann"}}"#
    let home = try TemporaryDirectory()
    _ = try home.write("record", record + "\n")
    let command = "TW_NOW=\(Self.now) tw-render --color never"
    for (format, terminal, file) in [
      ("text", "Ann · 21:25\n", "Ann · 2021-11-03 21:25\n"),
      ("line", "2021-11-03 21:25  Ann: t\n", "2021-11-03 21:25  Ann: t\n"),
    ] {
      let result = try Tool.shell(
        """
        script -qec '\(command) --format \(format) record' /dev/null < /dev/null
        \(command) --format \(format) record > file; cat file
        """, environment: ["TERM": "xterm-256color"], home: home)
      let output = result.output.replacing("\r\n", with: "\n")
      #expect(output.contains(terminal))
      #expect(output.hasSuffix(format == "text" ? file + "      t\n" : file))
    }
  }

  /// A language of the system's ICU, through the tool.
  @Test func languagesOfICU() throws {
    let isThere = (60...99).contains { version in
      guard let handle = dlopen("libicui18n.so.\(version)", RTLD_LAZY) else { return false }
      dlclose(handle)
      return true
    }
    guard isThere else {
      print("skipped: no ICU is installed")
      return
    }
    let shown = try show("2021-11-02T21:00:00Z", ["LC_ALL": "pl_PL.UTF-8"])
    #expect(shown == ["[A ]  Ann · wczoraj", "      t", "      ♥\u{A0}12\u{A0}tys."])
    #expect(
      try show("2021-11-02T21:00:00Z", ["--time", "iso"], ["LC_ALL": "pl_PL.UTF-8"])[0].hasSuffix("2021-11-02 21:00"))
    #expect(
      try show("2021-10-02T21:00:00Z", ["--time", "clock"], ["LC_ALL": "pl_PL.UTF-8"])[1].hasSuffix("2 paź, 21:00"))
  }

  /// The countdown and what is new, in the reader's language.
  @Test func theStatusRowIsInTheReadersLanguage() throws {
    let refresh =
      #"{"tw":"refresh","feed":"a","at":"2021-11-03T21:30:00.000Z","new":3,"next_at":"2021-11-03T21:31:20.000Z"}"#
    let home = try TemporaryDirectory()
    _ = try home.write("refresh", refresh + "\n")
    let result = try Tool.shell(
      "script -qec 'TW_NOW=\(Self.now) tw-render --locale de refresh' /dev/null < /dev/null",
      environment: ["TERM": "xterm-256color"], home: home)
    #expect(result.output.contains("3 neu um 21:30 · weiter in 1 Min. 20 Sek."))
  }

  /// Marks that keep Arabic from reordering a row go to terminals alone.
  @Test func directionIsMarkedOnTerminalsOnly() throws {
    let record = #"{"tw":"tweet","id":"1","text":"t","created_at":"2021-11-03T21:25:00Z","author":{"name":"Ann"}}"#
    let home = try TemporaryDirectory()
    _ = try home.write("record", record + "\n")
    let command = "TW_NOW=\(Self.now) tw-render --color never --time relative --locale ar record"
    let file = try Tool.shell(command, home: home)
    #expect(file.output == "[A ]  Ann · قبل ٥ دقائق\n      t\n")
    let terminal = try Tool.shell(
      "script -qec '\(command)' /dev/null < /dev/null", environment: ["TERM": "xterm-256color"], home: home)
    #expect(terminal.output.contains("Ann · \u{2068}قبل ٥ دقائق\u{2069}\r\n"))
  }

  /// Words of other languages are wider; rows are not.
  @Test(arguments: ["en", "de", "fr", "es", "ja", "ar", "zh", "ru", "pt", "it", "ko", "he", "hi", "tr", "C"])
  func rowsAreNoWiderThanTheScreen(_ locale: String) throws {
    let records = try String(
      decoding: #require(FileManager.default.contents(atPath: GoldenCase.root + "/tw-render/locale-de/stdin")),
      as: UTF8.self)
    for form in ["relative", "clock", "iso"] {
      for width in [2, 7, 12, 20, 31, 32, 40, 60] {
        let result = try Tool.run(
          "tw-render", ["--width", "\(width)", "--time", form, "--locale", locale], stdin: ToolInput(records),
          environment: ["TW_NOW": Self.now])
        let widest = result.lines.map { Self.columns($0) }.max() ?? 0
        #expect(widest <= width && widest > 0, "\(locale), \(form), \(width)")
      }
    }
  }

  /// What a terminal takes for the letters of the records and the languages.
  private static func columns(_ row: String) -> Int {
    row.unicodeScalars.reduce(0) { columns, scalar in
      switch scalar.value {
      case 0x3000...0x9FFF, 0xAC00...0xD7A3, 0xFF00...0xFF60: columns + 2
      // Vowel signs of Arabic and Devanagari, isolates.
      case 0x64B...0x652, 0x901...0x902, 0x93C, 0x941...0x948, 0x94D, 0x2066...0x2069: columns
      default: columns + 1
      }
    }
  }
}
