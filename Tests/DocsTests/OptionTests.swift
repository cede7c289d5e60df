import Foundation
import TestSupport
import Testing

/// The options in the man pages are those of the tools. A page with subcommands describes an option in the part of the
/// command that has it, or once in COMMON OPTIONS; then each command that has it names it.
@Suite(.onOwnThread)
struct OptionTests {
  /// Every command has these, so the parts of a page do not name them.
  private static let everywhere: Set = ["-h", "--help", "--version"]

  static let plainPages = ManPage.commands.filter { !$0.sections.contains("COMMANDS") }
  static let pagesWithCommands = ManPage.commands.filter { $0.sections.contains("COMMANDS") }

  @Test(arguments: ManPage.commands)
  func aPageHasPartsForSubcommands(_ page: ManPage) throws {
    let commands = try HelpDump(tool: page.subject).command.withSubcommands()
    #expect(page.sections.contains("COMMANDS") == (commands.count > 1))
  }

  @Test(arguments: ManPage.commands)
  func everyCommandCanBeQuiet(_ page: ManPage) throws {
    // A command that only has subcommands does nothing by itself.
    let commands = try HelpDump(tool: page.subject).command.withSubcommands().filter { $0.command.subcommands == nil }
    for (words, command) in commands {
      #expect(command.options.contains { $0.spellings == ["-q", "--quiet"] }, "\(words)")
    }
  }

  @Test(arguments: plainPages)
  func areThoseOfTheTool(_ page: ManPage) throws {
    let options = try HelpDump(tool: page.subject).command.options
    let entries = ManPage.entries(in: page.lines)
    expectSame(entries, options, "\(page.name)")
    expectNames(ManPage.options(in: page.section("SYNOPSIS")), options, "SYNOPSIS of \(page.name)")
  }

  @Test(arguments: pagesWithCommands)
  func areThoseOfTheSubcommand(_ page: ManPage) throws {
    let leaves = try HelpDump(tool: page.subject).command.withSubcommands().filter { $0.command.subcommands == nil }
    let commands = page.commands
    let names = leaves.map { String($0.words.dropFirst(page.subject.count + 1)) }
    #expect(commands.keys.sorted() == names.sorted())
    let shared = ManPage.entries(in: page.section("COMMON OPTIONS"))
    for (name, leaf) in zip(names, leaves) {
      guard let part = commands[name] else { continue }
      let common = shared.filter { !$0.spellings.isDisjoint(with: part.common.union(Self.everywhere)) }
      expectSame(part.entries + common, leaf.command.options, leaf.words)
      expectNames(part.synopsis, leaf.command.options, "the synopsis of \(leaf.words)")
      let unknown = part.common.subtracting(shared.flatMap(\.spellings))
      #expect(unknown.sorted() == [], "\(leaf.words): not in COMMON OPTIONS")
    }
    let named = commands.values.reduce(into: Self.everywhere) { $0.formUnion($1.common) }
    for entry in shared { #expect(!entry.spellings.isDisjoint(with: named), "\(entry.spellings): no command's") }
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
