import Foundation
import TestSupport
import Testing

/// The options in the man pages are those of the tools. A tool with subcommands describes an option in the part or on
/// the page of the command that has it, or once in COMMON OPTIONS; then each command that has it names it.
@Suite(.onOwnThread)
struct OptionTests {
  /// Every command has these, so the parts of a page do not name them.
  private static let everywhere: Set = ["-h", "--help", "--version"]

  @Test(arguments: ManPage.commands)
  func aPageHasPartsForSubcommands(_ page: ManPage) throws {
    let commands = try HelpDump(page).command.withSubcommands()
    #expect(page.sections.contains("COMMANDS") == (commands.count > 1))
  }

  @Test(arguments: ManPage.tools)
  func everyCommandCanBeQuiet(_ page: ManPage) throws {
    // A command that only has subcommands does nothing by itself.
    let commands = try HelpDump(tool: page.subject).command.withSubcommands().filter { $0.command.subcommands == nil }
    for (words, command) in commands {
      #expect(command.options.contains { $0.spellings == ["-q", "--quiet"] }, "\(words)")
    }
  }

  @Test(arguments: ManPage.tools)
  func areThoseOfTheTool(_ page: ManPage) throws {
    let tool = try HelpDump(tool: page.subject).command
    let leaves = tool.withSubcommands().filter { $0.command.subcommands == nil }
    let shared = leaves.count > 1 ? ManPage.entries(in: page.section("COMMON OPTIONS")) : []
    var everywhere = Self.everywhere
    // Pages of commands do not name what all commands have.
    if !page.parts.isEmpty {
      for entry in shared where leaves.allSatisfy({ !entry.spellings.isDisjoint(with: $0.command.spellings) }) {
        everywhere.formUnion(entry.spellings)
      }
    }
    var named = everywhere
    for (words, leaf) in leaves {
      guard let part = Self.part(page, String(words.dropFirst(page.subject.count + 1))) else {
        Issue.record("\(words): on no page")
        continue
      }
      named.formUnion(part.common)
      let common = shared.filter { !$0.spellings.isDisjoint(with: part.common.union(everywhere)) }
      expectSame(part.entries + common, leaf.options, words)
      if page.parts.isEmpty { expectNames(part.synopsis, leaf.options, "the synopsis of \(words)") }
      let unknown = part.common.subtracting(shared.flatMap(\.spellings))
      #expect(unknown.sorted() == [], "\(words): not in COMMON OPTIONS")
    }
    for entry in shared { #expect(!entry.spellings.isDisjoint(with: named), "\(entry.spellings): no command's") }
    let described = page.parts.reduce(into: Set(page.commands.keys)) { names, part in
      let command = String(part.words.dropFirst(page.subject.count + 1))
      names.formUnion(part.commands.isEmpty ? [command] : part.commands.keys.map { "\(command) \($0)" })
    }
    let names = leaves.map { String($0.words.dropFirst(page.subject.count + 1)) }.filter { !$0.isEmpty }
    #expect(described.sorted() == names.sorted())
  }

  /// What describes a command of a tool: a page, or a part of one.
  /// - Parameter name: without the tool: `source add`; empty for a tool without commands.
  private static func part(_ page: ManPage, _ name: String) -> CommandEntry? {
    if name.isEmpty { return page.whole }
    if page.parts.isEmpty { return page.commands[name] }
    let words = name.split(separator: " ", maxSplits: 1)
    let own = page.parts.first { $0.subject == "\(page.subject)-\(words[0])" }
    return words.count == 1 ? own?.whole : own?.commands[String(words[1])]
  }

  /// Expects one entry for each option, with all its spellings and the name of its value, and no other entry.
  private func expectSame(
    _ entries: [OptionEntry], _ options: [HelpDump.Argument], _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let described = entries.flatMap(\.spellings).sorted()
    let taken = options.flatMap(\.spellings).sorted()
    #expect(described.filter { !taken.contains($0) } == [], "\(place): not in the tool", sourceLocation: sourceLocation)
    #expect(taken.filter { !described.contains($0) } == [], "\(place): not in the page", sourceLocation: sourceLocation)
    #expect(described.count == Set(described).count, "\(place): twice", sourceLocation: sourceLocation)
    for entry in entries {
      guard let option = options.first(where: { !$0.spellings.isDisjoint(with: entry.spellings) }) else { continue }
      if option.kind == "flag" { #expect(entry.value == nil, "\(place)", sourceLocation: sourceLocation) }
      guard let value = entry.value, option.kind == "option" else { continue }
      // mdoc needs several macros for `type,...` and `id[:username]`, so only the first word is compared.
      let word = option.valueName?.prefix { $0.isLetter }
      #expect(value.prefix { $0.isLetter } == word, "\(place): \(entry.spellings)", sourceLocation: sourceLocation)
    }
  }

  /// Expects that a synopsis names each option, by one of its spellings, and no other option.
  private func expectNames(
    _ names: Set<String>, _ options: [HelpDump.Argument], _ place: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let taken = options.reduce(into: Set<String>()) { $0.formUnion($1.spellings) }
    #expect(names.subtracting(taken).sorted() == [], "\(place): not in the tool", sourceLocation: sourceLocation)
    let missing = options.filter { $0.spellings.isDisjoint(with: names.union(Self.everywhere)) }
    #expect(missing.flatMap(\.spellings).sorted() == [], "\(place): not there", sourceLocation: sourceLocation)
  }
}
