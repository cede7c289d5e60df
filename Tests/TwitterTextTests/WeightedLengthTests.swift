import Testing

@testable import TwitterText

struct WeightedLengthTests {
  @Test(arguments: [
    // Scalars weigh one or two, in normalization form C.
    ("1", 1), ("\u{E9}", 1), ("e\u{301}", 1), ("\u{212B}", 1), ("\u{958}", 2), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("\u{315}\u{AC00}\u{11A8}", 3), ("\u{FE0F}", 2),
    // An emoji weighs two, whatever it is made of.
    ("👍", 2), ("👍🏽", 2), ("❤", 2), ("❤\u{FE0F}", 2), ("☝\u{FE0F}🏽", 2), ("⌚\u{FE0F}", 2), ("©\u{FE0F}", 2), ("🇯🇵", 2),
    ("🇯🇵🇺🇸", 4),
    ("1\u{FE0F}\u{20E3}", 2), ("#\u{20E3}", 2), ("👩🏽‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("🏳️‍🌈", 2), ("🧑🏻‍❤️‍💋‍🧑🏿", 2), ("⛹🏽‍♀️", 2),
    // What is not on Unicode's list is several.
    ("🇦🇦", 4), ("👍‍👍", 5), ("👍\u{FE0F}", 4), ("👩‍❤️‍👨🏿", 4), ("👨‍👩‍👧\u{FE0F}", 4), ("©", 1), ("a\u{FE0F}", 3), ("1\u{FE0F}", 3),
    ("🏴\u{E0067}\u{E0062}", 6), ("🏴\u{E0061}\u{E007F}", 6), ("🇯", 2),
    // A URL weighs 23.
    ("http://a.com/👍 b", 27), ("x.co,y.co", 47), ("a http://t.co/b", 25),
  ])
  func weights(_ text: String, _ length: Int) {
    #expect(WeightedLength(text).weightedLength == length)
  }

  @Test(arguments: [
    (0x10FF, 1), (0x1100, 2), (0x1FFF, 2), (0x2000, 1), (0x200D, 1), (0x200E, 2), (0x200F, 2), (0x2010, 1), (0x201F, 1),
    (0x2020, 2), (0x2031, 2), (0x2032, 1), (0x2037, 1), (0x2038, 2), (0x20AC, 2), (0x1F600, 2),
  ])
  func boundariesOfWeights(_ scalar: UInt32, _ weight: Int) throws {
    let text = "-" + String(try #require(Unicode.Scalar(scalar))) + "-"
    #expect(WeightedLength(text).weightedLength == weight + 2)
  }

  /// twitter-text's older configurations: in the first all scalars are one, in the second emoji are no sequences.
  @Test func olderLimits() {
    let text = "👨‍👩‍👧 語 http://a.com/b"
    #expect(WeightedLength(text, limits: .v1).weightedLength == 5 + 3 + 23)
    #expect(WeightedLength(text, limits: .v2).weightedLength == 8 + 4 + 23)
    #expect(WeightedLength(text, limits: .v3).weightedLength == 2 + 4 + 23)
    for (limits, most) in [(LengthLimits.v1, 140), (.v2, 280), (.v3, 280)] {
      #expect(WeightedLength(String(repeating: "a", count: most), limits: limits).isValid)
      #expect(WeightedLength(String(repeating: "a", count: most + 1), limits: limits).problem == .tooLong)
    }
  }

  @Test func limitsAndWhatFits() {
    let long = WeightedLength(String(repeating: "a", count: 279) + "👩🏽‍🚀b")
    #expect(long.problem == .tooLong)
    #expect(long.validRange == 0..<279)
    let accent = WeightedLength(String(repeating: "a", count: 279) + "e\u{301}e\u{301}")
    #expect(accent.validRange == 0..<281)
    #expect(WeightedLength(" \n\u{3000}").problem == .blank)
    #expect(WeightedLength("").problem == .blank)
    let forbidden = WeightedLength("ab\u{FEFF}c")
    #expect(forbidden.problem == .forbiddenScalar)
    #expect(forbidden.validRange == 0..<2)
    #expect(WeightedLength(String(repeating: "語", count: 140)).isValid)
    #expect(!WeightedLength(String(repeating: "語", count: 140) + "a").isValid)
    #expect(WeightedLength(String(repeating: "語", count: 140), limits: .v1).isValid)
  }

  /// Whatever form a text is in, it weighs the same, and what fits is counted in the scalars of the text as it is.
  @Test(arguments: [
    ("\u{E9}", "e\u{301}"), ("\u{1EAD}", "a\u{302}\u{323}"), ("\u{1EAD}", "a\u{323}\u{302}"),
    ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"), ("\u{C5}", "\u{212B}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ("\u{304C}", "\u{304B}\u{3099}"), ("\u{915}\u{93C}", "\u{958}"), ("\u{8C48}", "\u{F900}"),
  ])
  func allFormsWeighTheSame(_ composed: String, _ other: String) {
    for count in [1, 3, 139, 140, 141, 279, 280, 281] {
      let expected = WeightedLength(String(repeating: composed, count: count))
      let length = WeightedLength(String(repeating: other, count: count))
      #expect(length.weightedLength == expected.weightedLength && length.problem == expected.problem)
      let characters = expected.validRange.upperBound / composed.unicodeScalars.count
      #expect(length.validRange == 0..<characters * other.unicodeScalars.count)
    }
  }

  /// A text is not cut within a character that normalizing may have changed.
  @Test func charactersStayWhole() {
    let marks = String(repeating: "\u{301}", count: 4)
    let length = WeightedLength(String(repeating: "a", count: 278) + "e" + marks + "e" + marks)
    // Four marks weigh three: one of them is a part of "é".
    #expect(length.weightedLength == 286)
    #expect(length.validRange == 0..<278)
  }

  /// Each listed sequence must be found as one, so that none is listed that the reader cannot reach.
  @Test func listedEmojiCountOnce() {
    let sequences = EmojiTable.sequences.description.split(separator: "/")
    #expect(sequences.count > 400)
    for sequence in sequences { #expect(WeightedLength(String(sequence)).weightedLength == 2, "\(sequence)") }
  }
}
