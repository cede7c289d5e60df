import Libc

/// Every way in which a tool can end early. The case stands for the exit status, its text is the message. Tools throw
/// it; they never choose a number or print an error themselves.
///
/// Messages are lower case, without a full stop, and say what failed first: `cannot open 'x': no such file`.
package enum ToolError: Error, Equatable, Sendable {
  case usage(String)
  case badData(String)
  case noInput(String)
  case refused(String)
  case bug(String)
  case cannotCreate(String)
  case inputOutput(String)
  case tryLater(String)
  case notAllowed(String)
  case configuration(String)
  /// The reader of standard output has gone (EPIPE): the tool ends without a message and with status 0.
  case readerGone

  /// The error with the exit status of another program of the kit; `nil` for a status that is not an error.
  package init?(_ status: ExitStatus, _ message: String) {
    switch status {
    case .done, .someBad: return nil
    case .usage: self = .usage(message)
    case .badData: self = .badData(message)
    case .noInput: self = .noInput(message)
    case .refused: self = .refused(message)
    case .bug: self = .bug(message)
    case .cannotCreate: self = .cannotCreate(message)
    case .inputOutput: self = .inputOutput(message)
    case .tryLater: self = .tryLater(message)
    case .notAllowed: self = .notAllowed(message)
    case .configuration: self = .configuration(message)
    }
  }

  /// The status that the process ends with.
  package var status: ExitStatus {
    switch self {
    case .usage: .usage
    case .badData: .badData
    case .noInput: .noInput
    case .refused: .refused
    case .bug: .bug
    case .cannotCreate: .cannotCreate
    case .inputOutput: .inputOutput
    case .tryLater: .tryLater
    case .notAllowed: .notAllowed
    case .configuration: .configuration
    case .readerGone: .done
    }
  }

  /// The message for standard error, without the tool's name; `nil` for none.
  package var message: String? {
    switch self {
    case .usage(let text), .badData(let text), .noInput(let text), .refused(let text), .bug(let text),
      .cannotCreate(let text), .inputOutput(let text), .tryLater(let text), .notAllowed(let text),
      .configuration(let text):
      text
    case .readerGone: nil
    }
  }
}

extension ToolError {
  /// The error of a program that this one ran, by its exit status, which is neither 0 nor 1. A status that is not in
  /// the table counts as ``refused(_:)``.
  package static func ofProgram(status: Int32, _ text: String) -> ToolError {
    switch ExitStatus(rawValue: status) {
    case .usage: .usage(text)
    case .badData: .badData(text)
    case .noInput: .noInput(text)
    case .bug: .bug(text)
    case .cannotCreate: .cannotCreate(text)
    case .inputOutput: .inputOutput(text)
    case .tryLater: .tryLater(text)
    case .notAllowed: .notAllowed(text)
    case .configuration: .configuration(text)
    case .refused, .done, .someBad, nil: .refused(text)
    }
  }
}

/// Errors of the system's calls: what failed, and the reason. Where no descriptor is left (EMFILE, ENFILE), one is when
/// others are closed: that is ``tryLater(_:)``, whatever was to be opened.
extension ToolError {
  package static func noInput(_ what: String, _ number: Int32) -> ToolError { of(number, what) { .noInput($0) } }
  package static func cannotCreate(_ what: String, _ number: Int32) -> ToolError {
    of(number, what) { .cannotCreate($0) }
  }
  package static func inputOutput(_ what: String, _ number: Int32) -> ToolError {
    of(number, what) { .inputOutput($0) }
  }
  package static func configuration(_ what: String, _ number: Int32) -> ToolError {
    of(number, what) { .configuration($0) }
  }

  private static func of(_ number: Int32, _ what: String, _ usual: (String) -> ToolError) -> ToolError {
    let text = "\(what): \(describe(errno: number))"
    return number == EMFILE || number == ENFILE ? .tryLater(text) : usual(text)
  }
}

/// The C library's text for an `errno` value, with a small first letter: "no such file or directory".
package func describe(errno number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  let message = String(cString: text)
  return message.prefix(1).lowercased() + message.dropFirst()
}
