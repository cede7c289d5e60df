import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetDisplay

struct StyledTextTests {
  private let style = TerminalStyle(colours: .many, hasLinks: false, isolates: false, glyphs: .unicode)

  /// Text with markup as twitter-text's suite has it: `<a …>` and `</a>` around links, `<em>` and `</em>` around hits.
  private struct Marked: Equatable {
    var letters: [Unicode.Scalar] = []
    var isHit: [Bool] = []
    var isLink: [Bool] = []

    init(_ source: String) {
      var (hit, link) = (false, false)
      var rest = source[...]
      while let first = rest.first {
        if first == "<", let end = rest.firstIndex(of: ">") {
          let tag = rest[rest.index(after: rest.startIndex)..<end]
          if tag.hasSuffix("em") { hit = !tag.hasPrefix("/") } else { link = !tag.hasPrefix("/") }
          rest = rest[rest.index(after: end)...]
          continue
        }
        for scalar in String(first).unicodeScalars {
          letters.append(scalar)
          isHit.append(hit)
          isLink.append(link)
        }
        rest = rest.dropFirst()
      }
    }
  }

  /// twitter-text's suite of hits in texts with links. Where our markup begins and ends is the terminal's; that the
  /// same letters are highlighted, and the same letters are links, is not.
  @Test(
    .enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"),
    arguments: [("plain_text", 6), ("with_links", 8)])
  func hitHighlighting(_ group: String, _ least: Int) throws {
    let document = try JSONDocument(TestData.bytes("twitter-text/json-from-yaml/hit_highlighting.json"))
    let cases = try #require(document["tests"]?.member(named: group))
    #expect(cases.count >= least)
    for test in cases.elements {
      let source = Marked(try #require(test["text"]?.string))
      let expected = Marked(try #require(test["expected"]?.string))
      var text = StyledText()
      var offsets = [0]
      for (index, letter) in source.letters.enumerated() {
        for byte in String(letter).utf8 { text.bytes.append(byte) }
        text.mark(source.isLink[index] ? .link : .plain)
        offsets.append(text.count)
      }
      let hits = test["hits"].map { Array($0.elements) } ?? []
      text.highlight(
        hits.map { hit in
          let bounds = hit.elements.compactMap { $0.integer }
          return offsets[bounds[0]]..<offsets[bounds[1]]
        })
      var output = ByteBuffer()
      text.print(0..<text.count, in: style, to: &output)
      let shown = Marked(
        output.string.replacing("\u{1B}[7m", with: "<em>").replacing("\u{1B}[27m", with: "</em>")
          .replacing("\u{1B}[4m", with: "<a>").replacing("\u{1B}[0m", with: "</a>"))
      #expect(shown == expected, "\(test["description"]?.string ?? "")")
    }
  }

  @Test(arguments: [
    ("this is a test", ["this"], "<this> is a test"), ("this is a test", ["is"], "this <is> a test"),
    ("this is a test", ["TEST"], "this is a <test>"), ("東京の天気", ["東京"], "<東京>の天気"),
    ("#swift @Swift swift's swift1 _swift_", ["swift"], "#<swift> @<Swift> <swift>'s swift1 _<swift>_"),
    ("a b c", ["a b", "b c"], "<a b c>"), ("été", ["É"], "été"), ("c++ c", ["c++"], "<c++> c"), ("ab", ["abc"], "ab"),
    ("aaa", ["a"], "aaa"), ("日日日", ["日日"], "<日日>日"), ("@[`{", ["`[@{"], "@[`{"), ("", ["a"], ""),
  ])
  func wordsAreFound(_ source: String, _ words: [String], _ expected: String) {
    var text = StyledText()
    for byte in source.utf8 { text.bytes.append(byte) }
    text.mark(.plain)
    text.highlight(words)
    var output = ByteBuffer()
    text.print(0..<text.count, in: style, to: &output)
    #expect(output.string.replacing("\u{1B}[7m", with: "<").replacing("\u{1B}[27m", with: ">") == expected)
  }
}
