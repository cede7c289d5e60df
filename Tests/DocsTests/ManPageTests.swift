import Foundation
import TestSupport
import Testing
import TweetCore

@Suite(.onOwnThread) struct ManPageTests {
  @Test func everyToolHasAPage() throws {
    let tools = try Package.names(in: "Sources").filter { $0 == "tw" || $0.hasPrefix("tw-") }
    #expect(ManPage.tools.map(\.subject) == tools)
    #expect(
      ManPage.names.filter { !$0.hasSuffix(".1") }
        == ["tw-bluesky.7", "tw-db.5", "tw-mastodon.7", "tw-source.7", "tw.7", "tweet.5"])
  }

  /// A tool whose commands have pages lists them, with their purposes.
  @Test func commandsWithPagesAreListed() throws {
    let lists = ManPage.tools.filter { !$0.parts.isEmpty }
    #expect(lists.map(\.subject) == ["tw-cache"])
    for tool in lists {
      let commands = try HelpDump(tool: tool.subject).command.subcommands ?? []
      let names = commands.map(\.commandName).filter { $0 != "help" }.map { "\(tool.subject)-\($0)" }
      #expect(tool.parts.map(\.subject) == names.sorted())
      let lines = tool.section("COMMANDS")
      let listed = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix(".It Xr ") }.map { line, next in
        [String(line.dropFirst(7)), next]
      }
      #expect(listed.sorted { $0[0] < $1[0] } == tool.parts.map { [$0.subject + " 1", $0.purpose] })
    }
  }

  @Test(arguments: ManPage.commands)
  func sectionsAreInOrder(_ page: ManPage) {
    let order = [
      "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "COMMON OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
      "EXAMPLES", "SEE ALSO",
    ]
    // A page may have other sections between these.
    #expect(page.sections.filter { order.contains($0) } == order.filter { page.sections.contains($0) })
    for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"] {
      #expect(page.sections.contains(title))
    }
    // What all commands of a tool share is on the tool's page.
    guard page.subject == page.tool.subject else { return }
    #expect(page.sections.contains("EXIT STATUS"))
    #expect(page.sections.contains("OPTIONS") != page.sections.contains("COMMON OPTIONS"))
    #expect(page.sections.contains("COMMANDS") == page.sections.contains("COMMON OPTIONS"))
  }

  @Test(arguments: ManPage.commands)
  func purposeIsTheAbstract(_ page: ManPage) throws {
    let abstract = try #require(try HelpDump(page).command.abstract)
    let purpose = page.purpose.replacingOccurrences(of: #"\(aq"#, with: "'")
    #expect(abstract == purpose.prefix(1).uppercased() + purpose.dropFirst() + ".")
  }

  @Test func tourHasAllExitStatuses() throws {
    #expect(try ManPage("tw.7").statuses == ExitStatus.allCases.map(\.rawValue))
  }

  @Test(arguments: ManPage.tools)
  func exitStatusesAreOfTheTable(_ page: ManPage) {
    let table = ExitStatus.allCases.map(\.rawValue)
    #expect(page.statuses == table.filter { page.statuses.contains($0) })
    #expect(page.statuses.contains(0) && page.statuses.contains(64))
  }

  @Test func pluginOnItsPageIsTheTestedOne() throws {
    let text = try Package.text("docs/examples/tw-source-mastodon-tag")
    #expect(try ManPage("tw-source.7").displays.contains(text.trimmingCharacters(in: .newlines)))
  }

  /// tw-stream(1) explains exactly the codes of notices that the code writes.
  @Test func noticesAreThoseOfTheCode() throws {
    var used: Set<String> = []
    for folder in [
      "Sources/TweetServices", "Sources/ServiceClients", "Sources/tw-stream",
    ] {
      let files = try #require(FileManager.default.enumerator(atPath: Package.root + "/" + folder))
      for case let file as String in files where file.hasSuffix(".swift") {
        let text = try Package.text("\(folder)/\(file)")
        for match in text.matches(of: /Notice\(\s*[.i][^"\n]*, "([a-z-]+)"/) { used.insert(String(match.1)) }
        // Other codes have a declaration of their own.
        let apart = /(?:[Cc]ode\) =|let badMessage =|case \.[^\n]*:) (?:\(\.info, )?"([a-z-]+)"\)?\n/
        for match in text.matches(of: apart) {
          used.insert(String(match.1))
        }
      }
    }
    let page = try ManPage("tw-stream.1").section("NOTICES").filter { $0.hasPrefix(".It Cm ") }
    let described = page.flatMap { $0.dropFirst(7).split(separator: " ").map(String.init) }.filter { $0 != "," }
    #expect(Set(described).sorted() == used.sorted())
    #expect(described.count == Set(described).count)
  }

  /// Messages, pages and the README name no tool that does not exist.
  @Test func toolsThatAreNamedExist() throws {
    let tools = try Package.names(in: "Sources")
    // Programs that a page shows how to write, units of systemd(1), pages, the project's address, and recipes.
    let others =
      try [
        "tw-tools", "tw-count", "tw-refresh", "tw-db", "tw-mastodon", "tw-source", "tw-bluesky", "tw-site",
      ] + Package.names(in: "docs/examples") + ManPage.commands.map(\.subject)
    let sources = try FileManager.default.subpathsOfDirectory(atPath: Package.root + "/Sources")
    let files = sources.filter { $0.hasSuffix(".swift") }.map { "Sources/" + $0 } + ManPage.names.map { "man/" + $0 }
    for file in files + ["README.md", "docs/demo.sh"] {
      for match in try Package.text(file).matches(of: /\btw(-[a-z]+)+/) {
        let name = String(match.0)
        #expect(tools.contains(name) || others.contains(name), "\(file)")
      }
    }
  }

  @Test func tourHasAllVariables() throws {
    var used: Set<String> = []
    let files = try #require(FileManager.default.enumerator(atPath: Package.root + "/Sources"))
    for case let file as String in files where file.hasSuffix(".swift") {
      for match in try Package.text("Sources/" + file).matches(of: /"(TW_[A-Z_]+)"/) { used.insert(String(match.1)) }
    }
    var described: Set<String> = []
    // Variables that only plugins get are on their page.
    let lines = try ManPage("tw.7").section("ENVIRONMENT") + ManPage("tw-source.7").section("ENVIRONMENT")
    for line in lines where line.hasPrefix(".It ") {
      for match in line.matches(of: /TW_[A-Z_]+/) { described.insert(String(match.0)) }
    }
    #expect(used.sorted() == described.sorted())
  }

  /// A terminal of 80 columns shows each heading as it was meant, no quotation marks inside others, and each example in
  /// the lines that the page has, ready to be pasted.
  @Test(needsMandoc, arguments: ManPage.names)
  func readsWellOnATerminal(_ name: String) throws {
    let page = try ManPage(name)
    let lines = try #require(page.rendered())
    for line in page.lines where line.hasPrefix(".Ss ") || line.hasPrefix(".Sh ") {
      let title = line.dropFirst(4).replacing(#"\&"#, with: "").replacing(#"\-"#, with: "-").replacing("\"", with: "")
      if title.contains(".") || title.contains(" , ") { continue }
      let shown = lines.map { $0.drop { $0 == " " } }
      #expect(shown.contains { $0 == title }, "heading '\(title)'")
    }
    for line in lines { #expect(!line.contains("’’") && !line.contains("‘‘"), "\(line)") }
    guard name.hasSuffix(".1") || name == "tw.7" else { return }
    let meant = page.displays.flatMap { $0.components(separatedBy: "\n") }.filter { !$0.isEmpty }
    #expect(page.renderedDisplays() ?? [] == meant)
  }

  private static let needsMandoc: ConditionTrait = .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc"), "needs mandoc")

  @Test(needsMandoc)
  func mandocFindsNoFault() throws {
    let pages = ManPage.names.map { Package.root + "/man/" + $0 }
    let result = try Tool.run("/usr/bin/mandoc", ["-Tlint", "-W", "warning"] + pages)
    #expect(result.output + result.errors == "")
  }
}
