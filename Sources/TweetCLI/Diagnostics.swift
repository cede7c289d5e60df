import Libc
import Synchronization
package import TweetCore

/// Messages for people on standard error: `tool: message`, a line each, without control characters.
package enum Diagnostics {
  private static let quiet = Atomic<Bool>(false)

  /// The name by which the program was called.
  package static let toolName: String = {
    let path = ProgramWords.texts.first ?? "tw"
    return String(path.split(separator: "/").last ?? "tw")
  }()

  /// Whether ``note(_:)`` is silent (`--quiet`).
  package static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Whether the terminal of standard error can erase a row.
  static var erasesRows: Bool { isatty(2) == 1 && (Paths.environment("TERM") ?? "dumb") != "dumb" }

  /// Columns that a message on a terminal takes where it can be broken.
  private static let widest = 100

  /// Prints what went wrong.
  package static func warn(_ message: String) {
    var line = ByteBuffer(capacity: 256)
    // A program at the other end of standard output may have drawn a row on the same terminal.
    if isatty(1) == 0, erasesRows { line.append("\r\u{1B}[K") }
    for part in isatty(2) == 1 ? parts(of: Printable.line(message)) : [Printable.line(message)] {
      line.append("\(toolName): \(part)\n")
    }
    // If standard error cannot be written, nothing can be reported.
    line.withBytes { _ = writeAll($0, to: 2) }
  }

  /// A message as a person reads it: what failed, and on a line of its own what to do, if one line would be too long.
  /// Files and programs get one line.
  private static func parts(of message: String) -> [String] {
    let room = widest - toolName.count - 2
    guard message.count > room else { return [message] }
    // What is right comes after the last colon of the first line, where no semicolon divides it from what failed.
    guard
      let end = message.firstRange(of: "; ")
        ?? message.ranges(of: ": ").last(where: {
          message.distance(from: message.startIndex, to: $0.lowerBound) <= room
        })
    else { return [message] }
    return [String(message[..<end.lowerBound]), String(message[end.upperBound...])]
  }

  /// Prints a table that was asked for, which has line ends and no control characters else.
  package static func write(_ table: String) {
    // If standard error cannot be written, nothing can be reported.
    table.withBytes { _ = writeAll($0, to: 2) }
  }

  /// Prints something worth knowing, unless `--quiet` was given.
  package static func note(_ message: String) {
    if !isQuiet { warn(message) }
  }

  /// Says that the tool waits for a person's keyboard, if standard input is a terminal.
  package static func noteKeyboard() {
    if isatty(0) == 1 { note("reading from the keyboard; Ctrl-D ends the input") }
  }

  /// Says to a person whose terminal gets records how to read them.
  package static func noteRecords() {
    if isatty(1) == 1 { note("these are records, for programs: '| tw-render' after the command shows them to people") }
  }

  /// Prints the message of an error that ends the tool, if it has one.
  package static func report(_ error: ToolError) {
    if let message = error.message { warn(message) }
  }
}
