import Testing

@testable import TwitterText

struct WeightedLengthTests {
  @Test(arguments: [
    ("e\u{301}", 1), ("é", 1), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{315}\u{AC00}\u{11A8}", 3),
    ("\u{212B}", 1), ("क़", 2),
    ("👍", 2), ("👍🏽", 2), ("🇯🇵", 2), ("🇯🇵🇺🇸", 4), ("🇦🇦", 4), ("1️⃣", 2), ("1", 1), ("❤️", 2), ("❤", 2), ("©", 1), ("©️", 2),
    ("👩🏽‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("👍‍👍", 5), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("🏳️‍🌈", 2), ("🧑🏻‍❤️‍💋‍🧑🏿", 2), ("⛹🏽‍♀️", 2),
    ("\u{FE0F}", 2), ("👍\u{FE0F}", 4), ("⌚\u{FE0F}", 2), ("👩‍❤️‍👨🏿", 4), ("👨‍👩‍👧\u{FE0F}", 4), ("☝️🏽", 2), ("http://a.com/👍 b", 27),
    ("…", 2), ("—", 1), ("x.co,y.co", 47),
  ])
  func weights(_ text: String, _ length: Int) {
    #expect(WeightedLength(text).weightedLength == length)
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
