import Libc
package import TweetCore

/// The signals of keys, while another program has the terminal.
private enum KeySignals {
  /// Runs `body`, in which such a program is started and awaited: the signals of keys, such as SIGINT, are its own
  /// affair meanwhile. Handlers do it, since the program would inherit that a signal is ignored.
  static func leave<Result>(_ signals: [Int32], _ body: () -> Result) -> Result {
    var handler = sigaction()
    handler.setHandler { _ in }
    let before = signals.map { number in
      var old = sigaction()
      sigaction(number, &handler, &old)
      return (number, old)
    }
    defer {
      for (number, var old) in before { sigaction(number, &old, nil) }
    }
    return body()
  }
}

extension ChildProcess {
  /// Runs a program that has the person's terminal until it has ended.
  ///
  /// - Parameters:
  ///   - input: what takes the place of its standard input, as the next two of the other streams; `nil` for this
  ///     program's own.
  ///   - signals: those of keys that are its own affair meanwhile.
  /// - Returns: how it ended; `nil` with `errno` set if it cannot be run.
  package static func runOnTerminal(
    _ command: [String], input: Int32?, output: Int32? = nil, errors: Int32? = nil,
    signals: [Int32] = [SIGINT, SIGQUIT]
  ) -> Ending? {
    KeySignals.leave(signals) {
      guard var child = ChildProcess(command, input: input, output: output, errors: errors) else { return nil }
      return child.wait()
    }
  }
}
