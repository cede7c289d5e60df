import Foundation
import TestSupport

/// What a tool says of itself, from `--experimental-dump-help`.
struct HelpDump: Decodable {
  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var arguments: [Argument]?
    var subcommands: [Command]?

    /// The options of the command and of those below it, as typed.
    var options: Set<String> {
      var options: Set<String> = []
      for argument in arguments ?? [] where argument.shouldDisplay {
        for name in argument.names ?? [] { options.insert((name.kind == "short" ? "-" : "--") + name.name) }
      }
      // ArgumentParser adds a command of its own for help, which has no page.
      for command in subcommands ?? [] where command.commandName != "help" { options.formUnion(command.options) }
      return options
    }
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var shouldDisplay: Bool
    var names: [Name]?
  }

  var command: Command

  init(tool: String) throws {
    let result = try Tool.run(tool, ["--experimental-dump-help"])
    self = try JSONDecoder().decode(HelpDump.self, from: Data(result.stdout))
  }
}
