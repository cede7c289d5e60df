import Foundation
import TestSupport
import Testing

@testable import TweetDisplay
@testable import tw_render

/// One truth about a tweet in every format: which facts a format shows is a table in docs/formats.md, and what it
/// leaves out is named in tw-render(1). `RECORD=formats` writes both.
@Suite(.onOwnThread) struct FormatFactTests {
  private static let formats = FormatChoice.allCases.map(\.rawValue)
  private static let localized = FormatChoice.inLanguage.map(\.rawValue)
  private static let page = "docs/formats.md"
  private static let manPage = "man/tw-render.1"
  private static let heading = """
    .Ss What formats leave out
    Every format shows all of a tweet that a reader should know, except:

    """

  private func show(_ record: String, _ format: String, _ language: String? = nil) throws -> String {
    var arguments: [String] = []
    if !FormatChoice.terminal.map(\.rawValue).contains(format) { arguments += ["--include", "private"] }
    if let language { arguments += ["--locale", language] }
    let result = try RenderedFormat.run(format, arguments, records: record)
    #expect(result.ending == .status(0))
    let errors = result.errors.split(separator: "\n").filter { !$0.contains("left out 1 notification") }
    #expect(errors.isEmpty, "\(format)")
    return result.output
  }

  /// The words of a phrase, before and after what is inserted.
  private func texts(_ phrase: Phrase, _ language: TableLanguage) -> [String] {
    "\(WordsTable.text(phrase, language))".split(separator: "{0}").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// - Parameter plain: what the format made of records without a fact so far: many facts have the same one.
  private func isShown(_ fact: FormatFact, _ format: String, plain: inout [[String]: String]) throws -> Bool {
    let record = fact.record(false)
    let without = try plain[[record, format]] ?? show(record, format)
    plain[[record, format]] = without
    let with = try show(fact.record(true), format)
    let cells = ["csv", "tsv", "twarc"].contains(format) ? [fact.cell].compactMap { $0 } : []
    let words = fact.words + (fact.phrase.map { texts($0, .en) } ?? []) + cells
    return words.contains { word in
      [word, word.replacing("\"", with: "\"\"")].contains { with.contains($0) && !without.contains($0) }
    }
  }

  @Test func everyFactIsShownOrNamed() throws {
    var left: [(format: String, facts: [String])] = Self.formats.map { ($0, []) }
    var rows = [
      "| | " + Self.formats.map { "`\($0)`" }.joined(separator: " | ") + " |",
      "|---" + String(repeating: "|:-:", count: Self.formats.count) + "|",
    ]
    var plain: [[String]: String] = [:]
    for fact in FormatFact.all {
      var row = "| \(fact.name) "
      for (index, format) in Self.formats.enumerated() {
        let isShown = try isShown(fact, format, plain: &plain)
        if !isShown { left[index].facts.append(fact.name) }
        row += isShown ? "| ✓ " : "| – "
      }
      rows.append(row + "|")
    }
    try compare(Self.page, pageText(rows))
    try compare(Self.manPage, manText(left))
  }

  private func pageText(_ rows: [String]) -> String {
    """
    # What each format shows of a tweet

    Written by `FormatFactTests`, which runs `tw-render` for each fact and format with a tweet that has the fact and one that
    has not. `RECORD=formats swift test --filter FormatFactTests` writes this page and the list in tw-render(1).

    ✓ means that a reader sees it in the output. Tables and `twarc` have the columns of twarc-csv; with `--fields`, tables also
    have the other keys of tweet(5).

    \(rows.joined(separator: "\n"))

    """
  }

  /// The man page with the list of what each format leaves out.
  private func manText(_ left: [(format: String, facts: [String])]) throws -> String {
    let text = try String(contentsOfFile: Package.root + "/" + Self.manPage, encoding: .utf8)
    let start = try #require(text.range(of: Self.heading))
    let end = try #require(text.range(of: ".El\n", range: start.upperBound..<text.endIndex))
    var list = ".Bl -tag -width \"json-feed\"\n"
    for (index, (format, facts)) in left.enumerated() where !facts.isEmpty {
      if left[..<index].contains(where: { $0.facts == facts }) { continue }
      let names = [format] + left[(index + 1)...].filter { $0.facts == facts }.map(\.format)
      let rest = FormatFact.all.map(\.name).filter { !facts.contains($0) }
      let words =
        rest.isEmpty
        ? "all of these"
        : rest.count < facts.count ? "all but " + rest.joined(separator: ", ") : facts.joined(separator: ", ")
      list += ".It Cm \(names.joined(separator: " , "))\n\(words)\n"
    }
    return text[..<start.upperBound] + list + text[end.lowerBound...]
  }

  private func compare(_ name: String, _ text: String) throws {
    let path = Package.root + "/" + name
    if ProcessInfo.processInfo.environment["RECORD"] == "formats" {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let written = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    #expect(written == text, "\(name) is not what tw-render does: see RECORD=formats in docs/formats.md")
  }

  /// Words are in the reader's language wherever a format has one.
  @Test(arguments: TableLanguage.allCases)
  func wordsAreTranslated(_ language: TableLanguage) throws {
    for format in Self.localized {
      for fact in FormatFact.all {
        guard let phrase = fact.phrase, format != "line" || phrase != .edited && phrase != .linkDead else { continue }
        // A terminal has signs for verdicts.
        if phrase == .linkDead, format == "text" || format == "detail" { continue }
        let shown = try show(fact.record(true), format, language.rawValue)
        for words in texts(phrase, language) {
          #expect(shown.contains(words), "\(fact.name) in \(format), \(language): no '\(words)'")
        }
      }
    }
  }
}
