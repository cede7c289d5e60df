import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import TwitterText

/// What holds for all kinds of entities, and for any text.
struct TextEntitiesTests {
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
    // Offsets count scalars, not bytes or UTF-16 units.
    ("👨‍👩‍👧é #a", ["hashtag 7-9 a"]), ("日本。＃語", ["hashtag 3-5 語"]), ("の＠a", ["mention 1-3 a"]),
    ("e\u{301} a.com", ["url 3-8 a.com"]), ("😀 $A", ["cashtag 2-4 A"]), ("a@b @c/d", ["list 4-8 c|d"]),
    // What one match took cannot stand before another.
    ("#a\u{FE0F}#b", []), ("@a/b-@c", []), ("#a#b #c", ["hashtag 5-7 c"]),
    ("http://a.com/b@c", ["url 0-16 http://a.com/b@c"]),
    // Of two that overlap, the first stays; of two that start together, the URL.
    ("@a.co", ["mention 0-2 a"]), ("http://a.com/#b", ["url 0-15 http://a.com/#b"]),
    ("http://a.com/ #b", ["url 0-13 http://a.com/", "hashtag 14-16 b"]),
    ("$a.co", ["cashtag 0-5 a.co"]), ("#a.co", ["hashtag 0-2 a"]),
    // Some texts made of URLs that are none.
    ("http:://x.co", []), ("a.嘉里大酒店x", ["url 0-4 a.嘉里"]), ("a.嘉里大酒店。", ["url 0-7 a.嘉里大酒店"]),
    ("http://xn--é.com http://xn--a.xn--b", ["url 17-35 http://xn--a.xn--b"]),
    (
      "https://\(String(repeating: "あ", count: 60)).com は\(String(repeating: "あ", count: 60))です。x.com",
      ["url 137-142 x.com"]
    ),
  ])
  func entities(_ text: String, _ expected: [String]) {
    #expect(found(text) == expected)
  }

  /// Only the kinds that are asked for are found; URLs keep hashtags out although they are not asked for.
  @Test func onlyTheKindsAskedFor() {
    let text = "#a @b @c/d $E f.com g.com/#h"
    #expect(names(text, .hashtags) == ["a"])
    #expect(names(text, .mentions) == ["b", "c|d"])
    #expect(names(text, .cashtags) == ["E"])
    #expect(names(text, .urls) == ["f.com", "g.com/#h"])
    #expect(names(text, [.hashtags, .cashtags]) == ["a", "E"])
    #expect(names(text, []) == [])
  }

  /// Signs are looked for in blocks of 32 bytes: each kind must be found wherever it is.
  @Test(arguments: ["#a", "@a", "$A", "＃a", "＠a", "a.com"])
  func entitiesAreFoundAnywhere(_ entity: String) {
    for before in 0..<70 {
      for after in [0, 1, 31, 32, 33] {
        let text = String(repeating: "-", count: before) + " " + entity + " " + String(repeating: "-", count: after)
        #expect(found(text).count == 1, "\(text)")
      }
    }
  }

  /// Every entity must be what it says and stand where it says, whatever the bytes are; wrong UTF-8 included.
  @Test func anyBytesGiveEntitiesInPlace() {
    let pieces: [[UInt8]] =
      [
        "#", "＃", "@", "＠", "$", ".", "://", "http", "a", "Z9", "é", "日本", "👍🏽", "/", "(", ")", "?", " ", "\u{3000}",
        "_", "-",
        "com", ".みんな", "\u{FE0F}", "\u{200D}", "\u{FFFF}",
      ].map { Array($0.utf8) } + [[0xFF], [0xE3], [0xF0, 0x9F], [0x80], [0]]
    var random = Chance()
    for _ in 0..<5000 {
      let bytes = (0..<12).flatMap { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
      bytes.withBytes { buffer in
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

  /// Texts made to be slow: the time may grow with the length and not faster. The limit is for unoptimised code; what
  /// grows with the square takes minutes.
  @Test(arguments: [
    "a.", "日.", "日", "@", "a@", "#", "#1", "$A ", "http://", "a_b.", "a-.", "://a.", "x.co/(", "x.co/((", "。", "é.com",
    "1.com?",
  ])
  func hostileTextsAreQuick(_ piece: String) {
    let text = String(repeating: piece, count: 50_000)
    let took = ProcessorTime.measure {
      text.withBytes { _ = TextEntities.find(in: $0) }
    }
    #expect(took < .seconds(5), "\(piece)")
  }
}
