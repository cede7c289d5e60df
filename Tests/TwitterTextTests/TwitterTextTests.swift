import TestSupport
import Testing

@testable import TwitterText

/// Entities and lengths where twitter-text's own suites say nothing, and what must hold for any text.
struct TwitterTextTests {
  // MARK: Entities

  @Test func findsAllKindsInOrder() {
    #expect(
      found("RT @a: #b 👍 $C.d at http://x.com/#e (see @f/g-h, i.co.jp)") == [
        "mention 3-5 a", "hashtag 7-9 b", "cashtag 12-16 C.d", "url 20-35 http://x.com/#e", "list 41-47 f|g-h",
        "url 49-56 i.co.jp",
      ])
    #expect(found("", .all) == [])
    #expect(found("nothing here, at all: 1 + 1 = 2; costs 5$ … 日本語！") == [])
  }

  @Test(arguments: [
    // The scalars before count, not their bytes or UTF-16 units.
    ("👨‍👩‍👧é #a", ["hashtag 7-9 a"]), ("日本。＃語", ["hashtag 3-5 語"]), ("の＠a", ["mention 1-3 a"]),
    // What one match took is not there for the next.
    ("#a\u{FE0F}#b", []), ("@a/b-@c", []), ("#a#b #c", ["hashtag 5-7 c"]),
    // Emoji made of a hash sign.
    ("#\u{FE0F}\u{20E3} #\u{20E3}", []),
    ("@abcdefghijklmnopqrstu", ["mention 0-21 abcdefghijklmnopqrst"]),
    // Balanced parentheses belong to a path, what may not end one takes them along.
    ("x.co/a_(b(c))", ["url 0-13 x.co/a_(b(c))"]), ("x.co/a:(b)", ["url 0-6 x.co/a"]), ("(x.co/a)", ["url 1-7 x.co/a"]),
    ("x.co/a_(b(c(d)))", ["url 0-7 x.co/a_"]), ("http://x.co?", ["url 0-11 http://x.co"]),
    ("x.co?a=b", ["url 0-4 x.co"]), ("x.co:80/", ["url 0-8 x.co:80/"]), ("x.co:80", ["url 0-4 x.co"]),
    ("http://x.co:80", ["url 0-14 http://x.co:80"]), ("http:://x.co", []), ("xhttp://x.co", []),
    ("@x.a.co", ["mention 0-2 x"]),
    ("HTTPS://T.CO/aB3-4", ["url 0-16 HTTPS://T.CO/aB3"]), ("a_b.co", []), ("http://a_b.co", []),
    ("http://a_b.c.co", ["url 0-15 http://a_b.c.co"]),
    ("a.РФ", ["url 0-4 a.РФ"]), ("http://a.РФ", ["url 0-11 http://a.РФ"]), ("a.嘉里大酒店x", ["url 0-4 a.嘉里"]),
    ("a.嘉里大酒店。", ["url 0-7 a.嘉里大酒店"]),
    ("http://xn--é.com http://xn--a.xn--b", ["url 17-35 http://xn--a.xn--b"]),
    (
      "https://\(String(repeating: "あ", count: 60)).com は\(String(repeating: "あ", count: 60))です。x.com",
      ["url 137-142 x.com"]
    ),
    ("a.com。b.com", ["url 0-5 a.com", "url 6-11 b.com"]),
  ])
  func entities(_ text: String, _ expected: [String]) {
    #expect(found(text) == expected)
  }

  /// Every entity must be what it says and stand where it says, whatever the bytes are; wrong UTF-8 included.
  @Test func anyBytesGiveEntitiesInPlace() {
    let pieces: [[UInt8]] =
      [
        "#", "＃", "@", "＠", "$", ".", "://", "http", "a", "Z9", "é", "日本", "👍🏽", "/", "(", ")", "?", " ", "\u{3000}",
        "_", "-",
        "com", ".みんな", "\u{FE0F}", "\u{200D}", "\u{FFFF}",
      ].map { Array($0.utf8) } + [[0xFF], [0xE3], [0xF0, 0x9F], [0x80], [0]]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let bytes = (0..<12).flatMap { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
      bytes.withUnsafeBufferPointer { buffer in
        var last = 0
        for entity in TextEntities.find(in: buffer) {
          #expect(entity.bytes.lowerBound >= last && entity.bytes.upperBound <= bytes.count, "\(bytes)")
          #expect(!entity.name.isEmpty && entity.bytes.clamped(to: entity.name) == entity.name, "\(bytes)")
          let starts = bytes.prefix(entity.bytes.lowerBound).count { $0 & 0xC0 != 0x80 }
          #expect(entity.start == starts, "\(bytes)")
          last = entity.bytes.upperBound
        }
      }
    }
  }

  /// Texts made to be slow: the time may grow with the length and not faster. The limit is for unoptimised code; what grows
  /// with the square takes minutes.
  @Test(arguments: [
    "a.", "日.", "日", "@", "a@", "#", "#1", "$A ", "http://", "a_b.", "a-.", "://a.", "x.co/(", "x.co/((", "。", "é.com",
    "1.com?",
  ])
  func hostileTextsAreQuick(_ piece: String) {
    var text = String(repeating: piece, count: 50_000)
    let took = ProcessorTime.measure {
      text.withUTF8 { _ = TextEntities.find(in: $0) }
    }
    #expect(took < .seconds(5), "\(piece)")
  }

  // MARK: Hashtags

  @Test(arguments: [
    ("#a", true), ("a", false), ("#", false), ("#1", false), ("#a b", false), (" #a", false), ("#a.b", false),
    ("＃語", true),
    ("#a#b", false), ("#\u{1F44D}", false),
  ])
  func hashtags(_ text: String, _ isValid: Bool) { #expect(Hashtag.isValid(text) == isValid) }

  // MARK: Lengths

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

  // MARK: Tables

  @Test func tablesAreInOrder() {
    // Binary search finds nothing reliably otherwise.
    for length in 2...TopLevelDomainTable.longest {
      let letters = Array(TopLevelDomainTable.names(ofLength: length).description.utf8)
      #expect(letters.count % length == 0)
      let names = stride(from: 0, to: letters.count, by: length).map {
        String(decoding: letters[$0..<$0 + length], as: UTF8.self)
      }
      #expect(names == names.sorted())
    }
  }

  /// Each listed sequence must be found as one, so that none is listed that the reader cannot reach.
  @Test func listedEmojiCountOnce() {
    let sequences = EmojiTable.sequences.description.split(separator: "/")
    #expect(sequences.count > 400)
    for sequence in sequences { #expect(WeightedLength(String(sequence)).weightedLength == 2, "\(sequence)") }
  }

  private func found(_ text: String, _ kinds: TextEntityKinds = .all) -> [String] {
    var text = text
    return text.withUTF8 { bytes in
      TextEntities.find(in: bytes, kinds).map { entity in
        let list = entity.listName.map { "|" + String(decoding: bytes[$0], as: UTF8.self) } ?? ""
        return
          "\(entity.kind) \(entity.start)-\(entity.end) \(String(decoding: bytes[entity.name], as: UTF8.self))\(list)"
      }
    }
  }
}
