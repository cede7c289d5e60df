import Libc
import TweetAccounts
import TweetCLI
import TweetCore

/// Questions to the person at the terminal.
enum Prompt {
  /// Whether there is a person to ask.
  static var isPossible: Bool { Descriptor("/dev/tty", O_RDWR) != nil }

  /// Asks on the terminal, whatever standard input is.
  ///
  /// - Parameters:
  ///   - question: without the colon.
  ///   - isSecret: whether the terminal does not show what is typed.
  /// - Returns: the line; `nil` when there is no terminal.
  static func ask(_ question: String, isSecret: Bool) throws(ToolError) -> String? {
    guard let file = Descriptor("/dev/tty", O_RDWR) else { return nil }
    let terminal = file.number
    write("\(question): ", to: terminal)
    var mode = termios()
    let isChanged = isSecret && tcgetattr(terminal, &mode) == 0
    let before = mode
    if isChanged {
      mode.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(terminal, TCSAFLUSH, &mode)
    }
    defer {
      if isChanged {
        var before = before
        tcsetattr(terminal, TCSAFLUSH, &before)
        // The line end that was typed was not shown either.
        write("\n", to: terminal)
      }
    }
    return try line(terminal, name: "the terminal")
  }

  /// Shows the address of a page, on a line of its own that can be copied whole.
  static func show(_ page: String, _ text: String) {
    Diagnostics.warn(text)
    write("\(Printable.line(page, limit: longest))\n", to: 2)
  }

  /// Reads a line from standard input, where people and scripts paste an answer.
  static func pasted(_ question: String) throws(ToolError) -> String {
    if isatty(0) == 1 { write("\(question): ", to: 2) }
    return try line(0, name: "standard input")
  }

  /// Longer than any address that a service sends a browser to.
  private static let longest = 64 << 10

  private static func line(_ descriptor: Int32, name: String) throws(ToolError) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    // A byte at a time: what follows the line is for who reads next.
    while bytes.count < longest {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR {
        if Interruption.signal != nil { throw .tryLater("interrupted") }
        continue
      }
      guard count >= 0 else { throw .inputOutput("cannot read \(name)", errno) }
      if count == 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    return Secret(firstLineOf: bytes)?.exposed ?? ""
  }

  private static func write(_ text: String, to descriptor: Int32) {
    // A terminal that is gone answers nothing either; the read says so.
    text.withBytes { _ = writeAll($0, to: descriptor) }
  }
}
