import Foundation
import TestSupport
import Testing

/// The `--help` of the tools and of their subcommands: an overview, two examples, and then the rest.
@Suite(.onOwnThread)
struct HelpTests {
  /// Columns of a terminal.
  private static let width = 80

  static let tools = ManPage.tools.map(\.subject)

  @Test(arguments: tools)
  func beginsWithTwoExamples(_ tool: String) throws {
    for (words, command) in try HelpDump(tool: tool).command.withSubcommands() {
      #expect(command.examples.count == 2, "\(words)")
      for example in command.examples {
        let commands = example.components(separatedBy: " | ")
        #expect(commands.contains { ($0 + " ").hasPrefix(words + " ") }, "'\(example)' is no example of \(words)")
      }
      let help = try Self.help(of: words)
      let overview = help.firstIndex(of: "") ?? 0
      #expect(help.dropFirst(overview + 1).first == "EXAMPLES:", "\(words)")
      // A person pastes these lines, so they must not be wrapped.
      #expect(
        help.dropFirst(overview + 2).prefix(2).map { $0.dropFirst(2) }.elementsEqual(command.examples.map { $0[...] }))
    }
  }

  @Test(arguments: tools)
  func fitsATerminal(_ tool: String) throws {
    for (words, _) in try HelpDump(tool: tool).command.withSubcommands() {
      for line in try Self.help(of: words) {
        #expect(line.count <= Self.width, "\(words): \(line)")
      }
    }
  }

  private static func help(of words: String) throws -> [String] {
    let words = words.split(separator: " ").map(String.init)
    let result = try Tool.run(words[0], words.dropFirst() + ["--help"], environment: ["COLUMNS": "\(width)"])
    return result.output.components(separatedBy: "\n")
  }

  /// Each option in an example is an option of its tool, also in examples that a test cannot run.
  @Test func examplesHaveOptionsOfTheTools() throws {
    let commands = try Self.tools.flatMap { try HelpDump(tool: $0).command.withSubcommands() }
    let pages = try ManPage.commands.flatMap(\.displays) + ManPage("tw.7").displays + ManPage("tw-source.7").displays
    var count = 0
    for example in commands.flatMap(\.command.examples) + pages {
      for part in example.split(whereSeparator: { "|\n;&'".contains($0) }) {
        let text = part.drop { $0 == " " } + " "
        // The longest words that name a command: `tw-cache source add`, not `tw-cache`.
        let named = commands.filter { text.hasPrefix($0.words + " ") }.max { $0.words.count < $1.words.count }
        guard let named else { continue }
        let options = named.command.options.reduce(into: Set<String>()) { $0.formUnion($1.spellings) }
        // What `tw-cache label` takes away is not an option, and no part of a query is one.
        let isOperand = { (word: Substring) in
          if word.hasPrefix("--") { return false }
          return named.words == "tw-cache label" || named.words == "tw-cache list" && word.contains(":")
        }
        let words = text.split(separator: " ").prefix { $0 != "--" }
        for word in words where word.hasPrefix("-") && word != "-" && !isOperand(word) {
          #expect(options.contains(String(word)), "\(example)")
          count += 1
        }
      }
    }
    #expect(count > 50)
  }
}
