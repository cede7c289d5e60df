import Foundation
import TestSupport

/// What a tool's completion for a shell must be.
///
/// It is what ArgumentParser prints, except for one thing. Version 1.8 describes every command as if it had a subcommand
/// `help`, also a command without subcommands. If such a tool takes files, zsh refuses the whole description ("doubled
/// rest argument definition"), and the other shells offer a word that the tool would read as a file.
struct Completion {
  let tool: String
  let shell: String

  /// Its file in this package.
  var path: String {
    switch shell {
    case "zsh": "completions/zsh/_\(tool)"
    case "fish": "completions/fish/\(tool).fish"
    default: "completions/bash/\(tool)"
    }
  }

  func expected() throws -> String {
    let script = try Tool.run(tool, ["--generate-completion-script", shell]).output
    let subcommands = try HelpDump(tool: tool).command.subcommands ?? []
    return subcommands.contains { $0.commandName != "help" } ? script : withoutHelpCommand(script)
  }

  private func withoutHelpCommand(_ script: String) -> String {
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    switch shell {
    case "zsh":
      lines.removeAll { ["'(-): :->command'", "'(-)*:: :->arg'"].contains($0.trimmingCharacters(in: .whitespaces)) }
      removeBlock(from: #"    case "${state}" in"#, through: "    esac", in: &lines)
    case "fish":
      lines.removeAll { $0.hasPrefix("complete ") && ($0.contains("-fa 'help'") || $0.contains("\"\(tool) help\"")) }
    default:
      removeBlock(from: "    # Offer subcommand / subcommand argument completions", through: "    esac", in: &lines)
    }
    removeBlock(from: "_\(tool)_help() {", through: "}", in: &lines)
    return lines.joined(separator: "\n")
  }

  private func removeBlock(from first: String, through last: String, in lines: inout [String]) {
    guard let start = lines.firstIndex(of: first), let end = lines[start...].firstIndex(of: last) else { return }
    lines.removeSubrange(start...end)
    // The blank line behind it goes too.
    if start < lines.count, lines[start].isEmpty { lines.remove(at: start) }
  }
}
