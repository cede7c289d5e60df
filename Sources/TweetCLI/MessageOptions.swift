import ArgumentParser

/// The option of every command that has no ``InputOptions``, which have it too.
package struct MessageOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no messages except errors.")
  package var quiet = false

  package init() {}
}

/// A tool with the usual `--quiet`.
package protocol MessagingCommand: ToolCommand {
  var messages: MessageOptions { get }
}

extension MessagingCommand {
  package var isQuiet: Bool { messages.quiet }
}
