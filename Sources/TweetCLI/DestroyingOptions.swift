import ArgumentParser
import Libc
package import TweetCore

/// The options of a command that removes or replaces what cannot be made again.
package struct DestroyingOptions: ParsableArguments {
  @Flag(help: "Change nothing: say what would be done.")
  package var dryRun = false

  @Flag(help: "Do not ask first. Where no terminal is there to ask on, this is needed.")
  package var yes = false

  package init() {}

  /// Whether to go on: not with `--dry-run`, which prints what would be done, and not if the person who is asked says
  /// no.
  ///
  /// - Parameter action: what would be done, such as `remove query 'music'`.
  /// - Throws: `ToolError.usage` when nobody can be asked.
  package func allows(_ action: String) throws(ToolError) -> Bool {
    if !dryRun { return yes ? true : try Question.ask(action + "?") }
    try RecordWriter.print("would \(Printable.line(action))\n")
    return false
  }
}

/// A question to the person at the terminal.
package enum Question {
  /// The source that a person means: the text itself, or the one that it resembles if the person says so at the
  /// terminal.
  package static func source(_ text: String, near: String?) throws(ToolError) -> String {
    guard let near, isatty(0) == 1, isatty(2) == 1 else { return text }
    return try ask("'\(text)' is not a source; read '\(near)'?") ? near : text
  }

  /// Asks on the terminal, whatever standard input is.
  ///
  /// - Returns: whether the answer is yes.
  /// - Throws: `ToolError.usage` when there is no terminal to ask on: a job must say `--yes`.
  package static func ask(_ text: String) throws(ToolError) -> Bool {
    guard isatty(2) == 1, let terminal = Descriptor("/dev/tty", O_RDWR) else {
      throw .usage("\(text) Nobody can be asked here: say --yes")
    }
    let fault = writeAll(Array("\(Diagnostics.toolName): \(Printable.line(text)) [y/N] ".utf8), to: terminal.number)
    guard fault == 0 else { throw .inputOutput("cannot write to the terminal: \(describe(errno: fault))") }
    let answer = try readSome(terminal.number, name: "the terminal") ?? []
    return answer.first == UInt8(ascii: "y") || answer.first == UInt8(ascii: "Y")
  }
}
