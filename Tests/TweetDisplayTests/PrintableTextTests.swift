import TestNumbers
import Testing
import TweetCore

@testable import TweetDisplay

/// Text for a person to read, on a terminal.
struct PrintableTextTests {
  private func printable(_ text: String) -> String {
    var buffer = ByteBuffer()
    Array(text.utf8).withBytes { Printable.append($0, to: &buffer, newline: "\n") }
    return buffer.string
  }

  @Test(arguments: [
    ("a\r\nb\rc\u{2028}d\u{2029}e\u{85}f\u{B}g", "a\nb\nc\nd\ne\nf\ng"), ("a\tb", "a b"),
    ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"), ("\u{9D}x\u{9C}", "\u{FFFD}x\u{FFFD}"), ("\0", "\u{FFFD}"),
    ("a\u{202E}b\u{202C}c\u{2067}d\u{200F}e\u{AD}f\u{FEFF}g", "abcdefg"),
    ("pay\u{E0070}\u{E0061}pal", "paypal"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    ("می\u{200C}خواهم 👩‍🚀 ❤\u{FE0F}", "می\u{200C}خواهم 👩‍🚀 ❤\u{FE0F}"),
  ])
  func textIsHarmless(_ text: String, _ expected: String) {
    #expect(printable(text) == expected)
  }

  @Test func marksDoNotPileUp() {
    let pile = "o" + String(repeating: "\u{308}", count: 5000) + "x"
    let expected = "o" + String(repeating: "\u{308}", count: 8) + "x"
    #expect(Array(printable(pile).unicodeScalars) == Array(expected.unicodeScalars))
    // Tags belong to flags only, and are marks like others.
    #expect(printable("🏴" + String(repeating: "\u{E0061}", count: 50)).unicodeScalars.count == 9)
    #expect(printable("🏴a\u{E0061}") == "🏴a")
    #expect(Array(printable("שָּׁ֑").unicodeScalars) == Array("שָּׁ֑".unicodeScalars))
  }

  @Test func wrongBytesStayVisible() {
    let bytes: [UInt8] = [0x61, 0x9B, 0x32, 0x4A, 0xE2, 0x82, 0x0A, 0x62, 0xF0]
    var buffer = ByteBuffer()
    bytes.withBytes { Printable.append($0, to: &buffer) }
    #expect(buffer.string == "a\u{FFFD}2J\u{FFFD} b\u{FFFD}")
  }

  /// No bytes give text that a terminal would obey.
  @Test func randomBytesAreHarmless() {
    var random = Chance()
    for _ in 0..<200 {
      let bytes = (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next() & (random.next() % 3 == 0 ? 0x1F : 0xFF))
      }
      var buffer = ByteBuffer()
      bytes.withBytes { Printable.append($0, to: &buffer) }
      let text = buffer.string
      #expect(Array(text.utf8) == buffer.array)
      let bad = text.unicodeScalars.first {
        $0.properties.generalCategory == .control || (0x202A...0x202E).contains($0.value)
          || (0x2066...0x2069).contains($0.value)
      }
      #expect(bad == nil)
    }
  }

  @Test(arguments: [("abc é 日本", false), ("שלום", true), ("a مرحبا", true), ("\u{1E900}", true), ("", false)])
  func knowsRightToLeft(_ text: String, _ expected: Bool) {
    let isRightToLeft = text.withBytes { Bidi.isRightToLeft($0) }
    #expect(isRightToLeft == expected)
  }

  @Test func isolatesOnlyWhatNeedsIt() {
    var buffer = ByteBuffer()
    buffer.append("abc ")
    Bidi.isolate(&buffer, from: 0)
    let start = buffer.count
    buffer.append("שלום")
    Bidi.isolate(&buffer, from: start)
    #expect(buffer.string == "abc \u{2068}שלום\u{2069}")
  }
}
