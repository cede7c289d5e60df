import Libc

/// The signals of keys, while another program has the terminal.
enum KeySignals {
  /// Runs `body`, in which such a program is started and awaited: Ctrl-C and Ctrl-\ are its own affair meanwhile. Handlers do it,
  /// since the program would inherit that a signal is ignored.
  static func leave<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    var handler = sigaction()
    handler.setHandler { _ in }
    let before = [SIGINT, SIGQUIT].map { number in
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
