import Foundation
import TestSupport
import Testing

@Suite(.onOwnThread) struct ReadmeTests {
  /// Names and purposes, as tw(7) lists them.
  static func tour() throws -> [[String]] {
    let lines = try ManPage("tw.7").section("DESCRIPTION")
    return zip(lines, lines.dropFirst()).compactMap { line, next in
      let words = line.split(separator: " ")
      return words.starts(with: [".It", "Xr"]) ? [String(words[2]), next] : nil
    }
  }

  @Test func toolsAreThoseOfTheTour() throws {
    let tour = try Self.tour()
    #expect(tour.map { $0[0] }.sorted() == ManPage.tools.map(\.subject))
    let rows = try Package.text("README.md").matches(of: /\n\| `(tw[a-z-]*)` \| (.+) \|/).map {
      [String($0.1), String($0.2)]
    }
    #expect(rows == tour)
  }

  @Test func toolsAreListedWithTheirAbstracts() throws {
    let listed = try Tool.run("tw", environment: ["PATH": "/nonexistent"]).lines
    let expected = try ReadmeTests.tour().map { $0[0] }.filter { $0 != "tw" }.map { tool in
      [String(tool.dropFirst(3)), try HelpDump(tool: tool).command.abstract ?? ""]
    }
    // Words follow the tools.
    let rows = listed.prefix(expected.count).map { line in
      let name = line.prefix { $0 != " " }
      return [String(name), String(line.dropFirst(name.count).drop { $0 == " " })]
    }
    #expect(rows == expected)
  }

  /// A decision is one page: a longer one is two decisions, or tells how it was found.
  @Test func decisionsAreShort() throws {
    for page in try Package.names(in: "docs/decisions") {
      let words = try Package.text("docs/decisions/" + page).split(whereSeparator: \.isWhitespace).count
      #expect(words <= 800, "\(page)")
    }
  }

  @Test func decisionsAreListed() throws {
    let listed = try Package.text("docs/decisions/README.md").matches(of: /\]\(([a-z-]+\.md)\)/).map { String($0.1) }
    #expect(try listed == Package.names(in: "docs/decisions").filter { $0 != "README.md" })
  }

  /// Types, files and folders that docs/architecture.md names are there.
  @Test func architectureNamesWhatThereIs() throws {
    let page = try Package.text("docs/architecture.md")
    var known: Set<String> = []
    let files = try ["Sources", "Tests"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: "\(Package.root)/\(folder)").map { "\(folder)/\($0)" }
    }
    for file in files {
      known.formUnion(file.split(separator: "/").map(String.init))
      guard file.hasSuffix(".swift"), file.hasPrefix("Sources/") else { continue }
      if let name = file.split(separator: "/").last { known.insert(String(name.dropLast(6))) }
      for type in try Package.text(file).matches(of: /(?:struct|class|enum|protocol|actor|typealias) ([A-Z]\w*)/) {
        known.insert(String(type.1))
      }
    }
    let named = page.matches(of: /`([A-Z]\w*)(?:\.swift)?`/).map { String($0.1) }
    #expect(named.count > 50)
    #expect(named.filter { !known.contains($0) && $0 != "Package" } == [])
  }

  /// The table of docs/architecture.md sends people to paths that are there.
  @Test func placesToEditAreThere() throws {
    let page = try Package.text("docs/architecture.md")
    let part = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("Where a change belongs\n") })
    let rows = part.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count > 15)
    for row in rows {
      let places = (row.split(separator: "|").last ?? "").matches(of: /`([^`]+)`/).map { String($0.1) }
      #expect(!places.isEmpty, "\(row)")
      for place in places {
        #expect(FileManager.default.fileExists(atPath: "\(Package.root)/\(place)"), "\(place)")
      }
    }
  }

  /// Who follows a row finds all places of what it names: each file that has the word of one that is there already is
  /// in the row.
  @Test(arguments: [
    ("a kind of notification", "reaction"), ("a setting", "browse.pager"), ("a language", "Turkish"),
  ])
  func rowsNameAllPlaces(_ row: String, _ word: String) throws {
    let page = try Package.text("docs/architecture.md")
    let found = try #require(page.split(separator: "\n").first { $0.hasPrefix("| \(row)") })
    let places = found.matches(of: /`([^`]+)`/).map { String($0.1) }
    let manager = FileManager.default
    let files = try ["Sources", "completions", "docs", "man"].flatMap { folder in
      try manager.subpathsOfDirectory(atPath: "\(Package.root)/\(folder)").map { "\(folder)/\($0)" }
    }
    let having = files.filter { file in
      manager.contents(atPath: "\(Package.root)/\(file)")?.range(of: Data(word.utf8)) != nil
    }
    #expect(having.count >= 3)
    #expect(having.filter { file in !places.contains { file == $0 || file.hasPrefix($0 + "/") } } == [])
  }

  @Test func versionsAreOne() throws {
    let number = try Tool.run("tw", ["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try Package.text("CHANGELOG.md").contains("\n## [\(number)]"))
    for tool in ManPage.tools.map(\.subject) {
      #expect(try Tool.run(tool, ["--version"]).output == number + "\n")
    }
  }
}
