import Testing
import TweetCore

@testable import TweetDisplay

/// The rows of a tweet as a value: laid out once for each width, printed as often as one likes.
@Suite struct BlockRowsTests {
  private static let record = """
    {"tw":"tweet","service":"x","id":"20","url":"https://x.com/jack/status/20","author":{"id":"12","name":"jack","username":"jack"},\
    "text":"setting up my twttr and reading https://t.co/a for a while","entities":{"urls":[{"start":32,"end":46,\
    "url":"https://t.co/a","expanded_url":"https://example.com/page"}]}}
    """

  private func style(links: Bool, colours: TerminalStyle.Colours = .none) -> TerminalStyle {
    TerminalStyle(colours: colours, hasLinks: links, isolates: false, glyphs: .unicode)
  }

  private func layOut(
    _ style: TerminalStyle, widths: [Int], _ body: (borrowing BlockRows) throws -> Void
  ) throws {
    let document = try JSONDocument(Self.record)
    var block = TweetBlock(style, locale: ReaderLocale(nil), times: .iso, blocks: .initials, photos: nil)
    var rows = BlockRows()
    for width in widths {
      document.read { block.append(TweetFields($0), now: .shown, width: width, to: &rows) }
      try body(rows)
    }
  }

  private func text(_ rows: borrowing BlockRows, _ style: TerminalStyle) -> String {
    var output = ByteBuffer()
    RowPrinter(style, nil).print(rows, to: &output)
    return output.string
  }

  @Test func theSameRowsPrintTheSameAgain() throws {
    let style = style(links: false)
    try layOut(style, widths: [80]) { rows in
      let first = text(rows, style)
      #expect(first.contains("setting up my twttr and reading https://example.com/page for a while"))
      #expect(text(rows, style) == first)
      #expect(first.split(separator: "\n", omittingEmptySubsequences: false).count == rows.count + 1)
    }
  }

  @Test func anotherWidthHasOtherRowsAndNothingOfTheOld() throws {
    let style = style(links: false)
    var counts: [Int] = []
    var texts: [String] = []
    try layOut(style, widths: [80, 34, 80]) { rows in
      counts.append(rows.count)
      texts.append(text(rows, style))
    }
    #expect(counts[1] > counts[0] && counts[2] == counts[0])
    #expect(texts[2] == texts[0])
  }

  /// What a reader numbers or opens: on the row where it stands, and on both rows if it is broken.
  @Test func rowsKnowTheirLinks() throws {
    var parts: [Int] = []
    try layOut(style(links: true, colours: .many), widths: [80, 34, 12]) { rows in
      var words: [String] = []
      for row in 0..<rows.count {
        for link in rows.links(onRow: row) where String(decoding: link.address, as: UTF8.self).contains("example") {
          #expect(String(decoding: link.address, as: UTF8.self) == "https://example.com/page")
          words.append(String(decoding: link.words, as: UTF8.self))
        }
      }
      #expect(words.joined() == "example.com/page")
      parts.append(words.count)
    }
    #expect(parts == [1, 1, 2])
  }
}
