import ArgumentParser
import TweetCore

/// What a person may have meant who typed a subcommand or an option that does not exist.
package enum Suggestion {
  /// Names that people know from other programs, and the options that they may mean here.
  private static let otherNames: [String: [String]] = [
    "user": ["author"], "username": ["author"], "from": ["author"], "by": ["author"], "hashtag": ["tag"],
    "query": ["search"], "text": ["search"], "grep": ["search"], "count": ["limit"], "number": ["limit"],
    "max": ["limit"], "max-count": ["limit"], "database": ["db"], "store": ["db"], "source": ["feed"],
    "silent": ["quiet"], "language": ["lang"], "interval": ["every"], "reverse": ["oldest-first"],
    "newer-than": ["since"], "older-than": ["until"], "colour": ["color"], "output": ["export", "format"],
  ]

  /// What a person can do whose text looks like an option.
  static let afterDashes = "what begins with '-' and is not an option goes after '--'"

  /// The word that has made ArgumentParser show the help although nobody asked for it: it takes letters after one `-`
  /// for options, and stops at an `h` before it comes to one that is none.
  static func textTakenForHelp(_ words: [String]) -> String? {
    let options = words.prefix { $0 != "--" }
    let asked = ["-h", "--help", "--help-hidden", "--version", "help"]
    if options.contains(where: { asked.contains($0) || $0.hasPrefix("--generate") || $0.hasPrefix("--experimental") }) {
      return nil
    }
    return options.first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("h") }
  }

  /// A message for a command line that ArgumentParser refused; `nil` where its own `fault` is all there is to say.
  /// ArgumentParser itself suggests the option whose letters are nearest.
  static func suggestion(for words: [String], to root: any ParsableCommand.Type, fault: String) -> String? {
    var command = root
    for word in words.prefix(while: { !$0.hasPrefix("-") }) {
      let subcommands = command.configuration.subcommands
      if subcommands.isEmpty { break }
      guard let next = subcommands.first(where: { name(of: $0) == word }) else {
        if let known = (root as? any ToolCommand.Type)?.commandsElsewhere[word] {
          return "no command is called '\(word)'; '\(known)' does that"
        }
        guard let near = Spelling.nearest(to: word, in: subcommands.map(name(of:))) else { return nil }
        return "no command is called '\(word)'; did you mean '\(near)'?"
      }
      command = next
    }
    let parts = fault.split(separator: "'")
    guard parts.count >= 2, parts[0].hasPrefix("unknown option") else { return nil }
    guard parts[1].hasPrefix("--"), !parts[1].contains(" ") else {
      return "unknown option '\(parts[1])'; \(afterDashes)"
    }
    let known = otherNames[String(parts[1].dropFirst(2))] ?? []
    let help = command.helpMessage()
    let meant = known.first { help.contains("--\($0) ") }
    // ArgumentParser also names an option that has hardly a letter in common with the word.
    let near =
      parts.count > 3 ? Spelling.nearest(to: String(parts[1].dropFirst(2)), in: [String(parts[3].dropFirst(2))]) : nil
    guard let option = meant ?? near else { return parts.count > 3 ? "unknown option '\(parts[1])'" : nil }
    return "unknown option '\(parts[1])'; did you mean '--\(option)'?"
  }

  /// The name of a command; where its configuration has none, ArgumentParser takes the type's.
  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? String(describing: command).lowercased()
  }
}
