import TestNumbers
import Testing
import TweetCore

@testable import TweetDisplay

struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("plain", 5), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｶﾞ", 2), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
    ("⏱", 1), ("⌚", 2), ("♥", 1), ("❤️", 2), ("☺\u{FE0F}", 2), ("1️⃣", 2), ("1", 1), ("a\u{FE0F}", 1),
    ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🇯🇵", 2), ("🇯🇵🇺🇸", 4), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
    ("नमस्ते", 4), ("สวัสดี", 4), ("שָׁלוֹם", 4), ("مرحبا", 5), ("\u{3000}", 2), ("─", 1), ("…", 1), ("\u{2068}a\u{2069}", 1),
  ])
  func clusters(_ text: String, _ width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test func rowsAreInOrder() {
    // A binary search needs order.
    var last: UInt64 = 0
    for row in WidthTable.rows {
      let first = row >> 32
      let end = row >> 8 & 0xFFFFFF
      #expect(first > last && first <= end)
      #expect(ScalarClass(rawValue: UInt8(row & 0xFF)) != nil)
      last = end
    }
  }

  /// The reader segments only parts of a text. It must find the clusters that the standard library finds in the whole.
  @Test func readsTheStandardLibrarysClusters() {
    let pieces = [
      "a", " ", "é", "e\u{301}", "日", "👨‍👩‍👧", "🇯🇵", "🇺", "क्षि", "ம்", "1️⃣", "กำ", "한", "\u{1112}\u{1161}", "\u{600}1",
    ]
    var random = Chance()
    for _ in 0..<500 {
      let text = (0..<12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      let copy = text
      let lengths = copy.withBytes { bytes in
        var reader = ClusterReader(bytes)
        var lengths: [Int] = []
        while let cluster = reader.next() { lengths.append(cluster.end - cluster.start) }
        return lengths
      }
      #expect(lengths == text.map(\.utf8.count), "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
    }
  }

  /// A run that is segmented in parts has the same clusters, wherever the reader left it in between.
  @Test(arguments: ["🇯🇵", "e\u{301}", "👨‍👩‍👧", "क्षि", "\u{1112}\u{1161}", "a\u{301}\u{302}\u{303}"])
  func readsLongRuns(_ piece: String) {
    let text = String(repeating: piece, count: 70_000 / piece.utf8.count)
    text.withBytes { bytes in
      var reader = ClusterReader(bytes)
      var (end, count) = (0, 0)
      while let cluster = reader.next() {
        #expect(cluster.start == end && cluster.end - end == piece.utf8.count)
        (end, count) = (cluster.end, count + 1)
        reader.move(to: end)
      }
      #expect(end == bytes.count && count == text.count)
      // Back, and into the middle of what is known.
      for number in [3, 7, 3000, 4, 0] {
        reader.move(to: number * piece.utf8.count)
        #expect(reader.next()?.end == (number + 1) * piece.utf8.count)
      }
    }
  }

  /// In terminals that draw the parts of clusters one by one.
  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("👍🏽", 4), ("👨‍👩‍👧‍👦", 8), ("❤️", 2), ("1️⃣", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("🇩", 2), ("e\u{301}", 1),
    ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
  ])
  func widestDrawing(_ text: String, _ expected: Int) {
    #expect(DisplayWidth.widest(of: text) == expected)
  }

  @Test func clustersAreNotCut() {
    let text = "a👨‍👩‍👧b"
    text.withBytes { bytes in
      // xterm(1) draws the family in six columns.
      #expect(DisplayWidth.cut(bytes, most: 8, leaving: 1) == nil)
      #expect(DisplayWidth.cut(bytes, most: 7, leaving: 0) == bytes.count - 1)
      #expect(DisplayWidth.cut(bytes, most: 7, leaving: 1) == 1)
      #expect(DisplayWidth.cut(bytes, most: 2, leaving: 1) == 1)
      #expect(DisplayWidth.cut(bytes, most: 0, leaving: 0) == 0)
      #expect(DisplayWidth.cut(bytes, most: 0, leaving: 1) == 0)
    }
  }
}

extension DisplayWidth {
  static func of(_ text: String) -> Int {
    text.withBytes { of($0) }
  }

  static func widest(of text: String) -> Int {
    text.withBytes { widest(of: $0) }
  }
}
