import Testing

@testable import TweetCore

struct PrintableTests {
  @Test(arguments: [
    ("plain é 日本 👨‍👩‍👧", "plain é 日本 👨‍👩‍👧"),
    ("a\u{1B}[31mb", "a\\u{1b}[31mb"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\u{9B}2J\u{7F}", "\\u{9b}2J\\u{7f}"),
    ("x\u{202E}y\u{2066}\u{200B}\u{FEFF}", "x\\u{202e}y\\u{2066}\\u{200b}\\u{feff}"), ("\u{2028}", "\\u{2028}"),
    ("\u{E0041}", "\\u{e0041}"),
  ])
  func lineShowsWhatIsHidden(_ text: String, _ expected: String) {
    #expect(Printable.line(text) == expected)
  }

  @Test func lineIsBounded() {
    #expect(Printable.line("abcdef", limit: 3) == "abc…")
    #expect(Printable.line("abc", limit: 3) == "abc")
  }
}
