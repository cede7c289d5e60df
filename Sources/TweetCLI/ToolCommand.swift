package import ArgumentParser
import Libc
package import TweetCore

/// A tool of the kit: a command whose properties are its options and whose ``execute()`` does its job.
///
/// `main()` does what every tool needs around that: it opens descriptors 0 to 2, ignores SIGPIPE and SIGXFSZ so that
/// writes fail with an error instead, does not ignore SIGCHLD so that it learns how its children end, catches signals,
/// and turns errors into a message and an exit status of tw(7).
package protocol ToolCommand: ParsableCommand {
  /// Does the job. Its result, or its error, becomes the exit status. It prints no errors and never exits itself.
  mutating func execute() throws(ToolError) -> ExitStatus
  /// Whether only errors are to be reported (`--quiet`).
  var isQuiet: Bool { get }
  /// The words after the tool's name as the parser is to read them. A tool changes them only where a word would be
  /// taken for something else than its page says.
  static func arguments(_ words: [String]) -> [String]
  /// Words that people know from other programs as commands, and what does it here: `["thread": "tw-cache show
  /// TWEET"]`.
  static var commandsElsewhere: [String: String] { get }
}

/// A command that only has others below it.
package protocol GroupCommand: ToolCommand {}

extension GroupCommand {
  package var isQuiet: Bool { false }

  package func execute() throws(ToolError) -> ExitStatus {
    let names = Self.configuration.subcommands.map { $0.configuration.commandName ?? "" }
    let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    let own = "\(Diagnostics.toolName) \(Self.configuration.commandName ?? "")"
    throw .usage("say what to do: \(list) (see '\(own) --help')")
  }
}

extension ToolCommand {
  package static func arguments(_ words: [String]) -> [String] { words }
  package static var commandsElsewhere: [String: String] { [:] }

  package static func main() {
    prepareProcess()
    refuseBrokenText()
    let command: any ParsableCommand
    do {
      command = try parseAsRoot(arguments(Array(ProgramWords.texts.dropFirst())))
    } catch {
      endParsing(with: error)
    }
    guard var tool = command as? any ToolCommand else {
      // A command with subcommands, called without one: ArgumentParser's own answer is its help.
      var command = command
      do { try command.run() } catch { endParsing(with: error) }
      exitProcess(.done)
    }
    finish(run(&tool))
  }

  /// Ends the process: by the signal that came, if one did, else with `status`.
  private static func finish(_ status: ExitStatus) -> Never {
    Interruption.dieIfInterrupted()
    exitProcess(status)
  }

  private static func run(_ tool: inout any ToolCommand) -> ExitStatus {
    Diagnostics.isQuiet = tool.isQuiet
    do throws(ToolError) {
      return try tool.execute()
    } catch {
      Diagnostics.report(error)
      return error.status
    }
  }

  /// Prints help and version on standard output and ends with 0; prints usage errors on standard error and ends with
  /// 64.
  private static func endParsing(with error: any Error) -> Never {
    let code = exitCode(for: error)
    let words = Array(ProgramWords.texts.dropFirst())
    if code.isSuccess, let text = Suggestion.textTakenForHelp(words) {
      refuse("unknown option '\(text)'; \(Suggestion.afterDashes)", help: "\(Diagnostics.toolName) --help")
    }
    if code.isSuccess {
      do throws(ToolError) {
        try RecordWriter.print(fullMessage(for: error) + "\n")
      } catch {
        Diagnostics.report(error)
        exitProcess(error.status)
      }
      exitProcess(.done)
    }
    // Some messages list the allowed values, a line each.
    let lines = message(for: error).split(separator: "\n").map { $0.drop { $0 == " " } }
    let text = lines.joined(separator: " ").replacing(": - ", with: ": ").replacing(" - ", with: ", ")
    let fault = text.prefix(1).lowercased() + text.dropFirst()
    refuse(Suggestion.suggestion(for: words, to: self, fault: fault) ?? fault, help: helpCommand(for: error))
  }

  private static func refuse(_ message: String, help: String) -> Never {
    Diagnostics.warn(message)
    Diagnostics.warn("see '\(help)'")
    exitProcess(.usage)
  }

  /// The command line that shows the help of the command at fault: ArgumentParser's whole message ends with
  /// `See 'tw-cache list --help' for more information.`
  private static func helpCommand(for error: any Error) -> String {
    let parts = fullMessage(for: error).split(separator: "\n").last?.split(separator: "'") ?? []
    return parts.count == 3 ? String(parts[1]) : "\(Diagnostics.toolName) --help"
  }

  /// Ends the process if an operand or option is not UTF-8: Swift's texts would have other characters in its place,
  /// which would be posted, searched or opened.
  private static func refuseBrokenText() {
    let words = ProgramWords.given
    guard let bad = words.firstIndex(where: { String(validatingCString: $0) == nil }) else { return }
    Diagnostics.warn(
      "word \(bad) of the command line, '\(String(cString: words[bad]))', is not UTF-8; a file of such a name is given on "
        + "standard input")
    exitProcess(.badData)
  }

  private static func prepareProcess() {
    // The first file that is opened would get the number of a descriptor that the caller closed, and our output would
    // go there. The replacement allows only the opposite direction, so that using it fails, as it should.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Where the caller ignores it, the kernel forgets how a child ended, and each failure of one would look like
    // success.
    signal(SIGCHLD, SIG_DFL)
    Interruption.install()
  }
}

/// Ends the process with a status of tw(7).
package func exitProcess(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}

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
