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

  /// All of Bidi_Control (PropList.txt of Unicode) and all of Cc: none is left in a message, nor in a record on a
  /// terminal, which says the same as before.
  @Test func nothingThatATerminalObeysIsLeft() throws {
    let bidi: [UInt32] = [0x61C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069)
    let controls: [UInt32] = Array(0x00...0x1F) + Array(0x7F...0x9F)
    for value in bidi + controls {
      let text = "a\(String(try #require(Unicode.Scalar(value))))b"
      let line = Printable.line(text)
      #expect(line.unicodeScalars.allSatisfy { !(bidi + controls).contains($0.value) }, "U+\(String(value, radix: 16))")
      if value == 0x09 || value == 0x0A { continue }
      var escaped = ByteBuffer()
      Array(text.utf8).withBytes { Printable.append(escaping: $0, to: &escaped) }
      let digits = String(value, radix: 16)
      #expect(escaped.string == "a\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "b")
    }
  }

  @Test(arguments: [
    ("a\tb\r\nc\n", "a\tb\r\nc\n"), ("\u{E0067}", #"\udb40\udc67"#), ("é漢😀", "é漢😀"), ("\r", #"\u000d"#), ("", ""),
  ])
  func whatIsSafeStays(_ text: String, _ expected: String) {
    var escaped = ByteBuffer()
    Array(text.utf8).withBytes { Printable.append(escaping: $0, to: &escaped) }
    #expect(escaped.string == expected)
  }

  @Test func whatIsNoUTF8IsReplaced() {
    var escaped = ByteBuffer()
    [0x61, 0x9B, 0x62, 0xC2].withBytes { Printable.append(escaping: $0, to: &escaped) }
    #expect(escaped.string == "a\u{FFFD}b\u{FFFD}")
  }
}
