import Libc
package import TweetCore

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
    let terminal = isatty(2) == 1 ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1
    guard terminal >= 0 else { throw .usage("\(text) Nobody can be asked here: say --yes") }
    defer { close(terminal) }
    let bytes = Array("\(Diagnostics.toolName): \(Printable.line(text)) [y/N] ".utf8)
    let fault = writeAll(bytes, to: terminal)
    guard fault == 0 else { throw .inputOutput("cannot write to the terminal: \(describe(errno: fault))") }
    let answer = try readSome(terminal, name: "the terminal") ?? []
    return answer.first == UInt8(ascii: "y") || answer.first == UInt8(ascii: "Y")
  }
}
