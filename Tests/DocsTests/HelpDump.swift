import Foundation
import TestSupport

/// A tool's own description of its commands and options, from `--experimental-dump-help`.
struct HelpDump: Decodable {
  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var arguments: [Argument]?
    var subcommands: [Command]?

    /// The options that its help shows, without those of its subcommands.
    var options: [Argument] { (arguments ?? []).filter { $0.shouldDisplay && $0.kind != "positional" } }

    /// How all of these are typed.
    var spellings: Set<String> { options.reduce(into: []) { $0.formUnion($1.spellings) } }

    /// This command and all below it, each with the words that run it: `tw-cache source add`.
    func withSubcommands(after words: String = "") -> [(words: String, command: Command)] {
      let words = words.isEmpty ? commandName : words + " " + commandName
      // ArgumentParser adds a subcommand `help`, which no page describes.
      let below = (subcommands ?? []).filter { $0.commandName != "help" }
      return [(words, self)] + below.flatMap { $0.withSubcommands(after: words) }
    }

    /// The commands that its help shows first, below `EXAMPLES:`.
    var examples: [String] {
      let lines = (discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.first == "EXAMPLES:" else { return [] }
      return lines.dropFirst().prefix { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
    }
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String

      /// As typed: `-q`, `--quiet`.
      var text: String { (kind == "short" ? "-" : "--") + name }
    }
    var kind: String
    var shouldDisplay: Bool
    var names: [Name]?
    var valueName: String?

    var spellings: Set<String> { Set((names ?? []).map(\.text)) }
  }

  var command: Command

  init(tool: String) throws {
    let result = try Tool.run(tool, ["--experimental-dump-help"])
    self = try JSONDecoder().decode(HelpDump.self, from: Data(result.stdout))
  }

  /// What a page is about: a tool, or a command of it.
  init(_ page: ManPage) throws {
    try self.init(tool: page.tool.subject)
    let words = page.words
    command = command.withSubcommands().first { $0.words == words }?.command ?? command
  }
}
