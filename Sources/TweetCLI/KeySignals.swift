import Libc

/// The signals of keys, while another program has the terminal.
package enum KeySignals {
  /// Runs `body`, in which such a program is started and awaited: the signals of keys, such as SIGINT, are its own
  /// affair meanwhile. Handlers do it, since the program would inherit that a signal is ignored.
  package static func leave<Result, Failure: Error>(
    _ signals: [Int32] = [SIGINT, SIGQUIT], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
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
    return try body()
  }
}
