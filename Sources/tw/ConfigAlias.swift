import ArgumentParser
import Libc
import TweetCLI
import TweetCore

/// `tw config alias`: the person's own words for `tw`.
struct ConfigAlias: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias", abstract: "Make a word of your own for a pipe, print or remove one, or list all.",
    usage: """
      tw config alias
      tw config alias [--remove] <name>
      tw config alias <name> <pipe>
      """,
    discussion: """
      EXAMPLES:
        tw config alias by 'tw-cache list --author "$1" | tw-render --numbers'
        tw config alias

      'tw NAME' has the shell run the pipe, in which "$1" or "$@" are the words after the name. 'tw NAME --show' prints it. No \
      alias takes the name of a tool.
      """)

  @Argument(help: "The alias's name.")
  var name: String?

  @Argument(help: "What the shell runs.")
  var pipe: String?

  @Flag(help: "Remove the alias.")
  var remove = false

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if remove, name == nil || pipe != nil { throw ValidationError("--remove needs the name of an alias, and no pipe") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    guard let name else { return try list() }
    if let pipe { return try set(name, to: pipe) }
    guard let known = try Settings.load().aliases[name] else {
      if remove { throw .noInput("there is no alias '\(name)'; 'tw config alias' lists them") }
      return .someBad
    }
    if remove { return try set(name, to: nil) }
    try print([known])
    return .done
  }

  private func list() throws(ToolError) -> ExitStatus {
    try print(try Settings.load().aliases.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
    return .done
  }

  private func print(_ lines: [String]) throws(ToolError) {
    var writer = RecordWriter()
    for line in lines {
      writer.buffer.append(line)
      try writer.endLine()
    }
    try writer.flush()
  }

  private func set(_ name: String, to pipe: String?) throws(ToolError) -> ExitStatus {
    if let pipe {
      if let fault = Settings.fault(inAlias: name, pipe) { throw .usage("'\(name)' \(fault)") }
      guard !TwFront.ownCommands.contains(name), name != "help", !Programs().names.contains(name) else {
        throw .usage("'\(name)' is a tool, and an alias does not take its place: choose another name")
      }
    }
    var file = try ConfigFile.open()
    file.set(Settings.aliasPrefix + name, to: pipe)
    try file.save()
    return .done
  }
}
