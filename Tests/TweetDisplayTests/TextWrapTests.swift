import TestNumbers
import Testing
import TweetCore

@testable import TweetDisplay

struct TextWrapTests {
  private func lines(_ text: String, _ width: Int, mostLines: Int = .max) -> [String] {
    text.withBytes { bytes in
      var wrap = TextWrap()
      _ = wrap.wrap(bytes, width: width, mostLines: mostLines)
      return wrap.lines.map { line in
        let piece = ByteView(rebasing: bytes[line.start..<line.end])
        #expect(DisplayWidth.widest(of: piece) == line.width)
        return String(decoding: piece, as: UTF8.self)
      }
    }
  }

  @Test(arguments: [
    ("", 10, []),
    ("one two three", 7, ["one two", "three"]), ("one two three", 6, ["one", "two", "three"]),
    ("one   two", 5, ["one", "two"]), ("a\n\nb", 5, ["a", "", "b"]), ("  in", 5, ["  in"]), ("      in", 4, ["in"]),
    ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("x abcdefghij", 4, ["x", "abcd", "efgh", "ij"]),
    ("see https://a.example/b.", 9, ["see", "https://a", ".example/", "b."]),
    ("日本語です", 4, ["日本", "語で", "す"]), ("日本語です", 5, ["日本", "語で", "す"]), ("日本", 1, ["日", "本"]),
    ("ab", 0, ["a", "b"]),
    // No line starts with closing punctuation, small kana or the long-vowel sign; none ends with an opening bracket.
    ("日本語。です", 6, ["日本", "語。で", "す"]), ("あキャッ", 4, ["あ", "キャ", "ッ"]), ("あスー", 4, ["あ", "スー"]),
    ("あ「い」", 4, ["あ", "「い", "」"]), ("日本「語", 6, ["日本", "「語"]), ("日本語!", 6, ["日本", "語!"]),
    // Lines break between letters and wide letters, and not within Korean words.
    ("日本ABC", 6, ["日本", "ABC"]), ("한국어 텍스트", 8, ["한국어", "텍스트"]),
    // Lines do not break at a no-break space.
    ("aa bb\u{A0}cc", 5, ["aa", "bb\u{A0}cc"]),
    // Clusters stay whole.
    ("👨‍👩‍👧👨‍👩‍👧", 3, ["👨‍👩‍👧", "👨‍👩‍👧"]), ("ab1️⃣", 3, ["ab", "1️⃣"]), ("abe\u{301}", 2, ["ab", "e\u{301}"]),
    ("a b ❤️ c", 6, ["a b ❤️", "c"]),
  ])
  func breaks(_ text: String, _ width: Int, _ expected: [String]) {
    #expect(lines(text, width) == expected)
  }

  @Test func stopsAfterTheMostLines() {
    let text = "a b c d"
    text.withBytes { bytes in
      var wrap = TextWrap()
      for (most, isWhole) in [(3, false), (4, true)] {
        let whole = wrap.wrap(bytes, width: 1, mostLines: most)
        #expect(whole == isWhole)
        #expect(wrap.lines.count == most)
      }
    }
  }

  /// For any text and width: no line is too wide, only spaces and newlines are lost, and wrapping ends.
  @Test func holdsForAnyText() {
    let pieces = [
      "a", "word", "https://long.example/path", " ", "   ", "\n", "日", "、", "「", "ー", "한", "é", "e\u{301}", "👨‍👩‍👧",
      "🇯🇵", "1️⃣", "שלום", "\u{A0}", "\u{3000}", "(", ")", "क्षि", "x\u{200C}y",
    ]
    var random = Chance()
    for _ in 0..<2000 {
      let text = (0..<Int(random.next() % 20)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      let width = Int(random.next() % 12) + 1
      let lines = lines(text, width)
      #expect(
        lines.allSatisfy { DisplayWidth.widest(of: $0) <= width || $0.count == 1 }, "\(text.debugDescription) \(width)")
      func letters(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !" \n\u{3000}".unicodeScalars.contains($0) }
      }
      #expect(letters(lines.joined()) == letters(text), "\(text.debugDescription) \(width)")
    }
  }
}
