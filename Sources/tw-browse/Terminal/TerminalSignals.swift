import Libc
import Synchronization
import TweetCore

/// Signals that say something about the terminal: its size has changed (SIGWINCH), the process shall stop (SIGTSTP) or
/// goes on (SIGCONT). A pipe tells of them, for poll(2).
enum TerminalSignals {
  private static let writing = Atomic<Int32>(-1)
  private static let stopping = Atomic<Bool>(false)
  private static let continuing = Atomic<Bool>(false)

  /// Installs the handlers.
  /// - Returns: what becomes readable when a signal has come.
  static func install() throws(ToolError) -> Int32 {
    let pipe = try makePipe()
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    writing.store(pipe.writing, ordering: .relaxed)
    for number in [SIGWINCH, SIGTSTP, SIGCONT] {
      var action = sigaction()
      action.setHandler { number in TerminalSignals.note(number) }
      sigaction(number, &action, nil)
    }
    return pipe.reading
  }

  private static func note(_ number: Int32) {
    let error = errno
    if number == SIGTSTP { stopping.store(true, ordering: .relaxed) }
    if number == SIGCONT { continuing.store(true, ordering: .relaxed) }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writing.load(ordering: .relaxed), &byte, 1)
    errno = error
  }

  /// Whether SIGTSTP came since it was asked for the last time.
  static func takeStop() -> Bool { stopping.exchange(false, ordering: .relaxed) }

  /// Whether SIGCONT came since it was asked for the last time.
  static func takeContinuation() -> Bool { continuing.exchange(false, ordering: .relaxed) }

  /// Stops the process, and returns when it goes on.
  static func stop() {
    var (action, before) = (sigaction(), sigaction())
    action.setDefaultHandler()
    sigaction(SIGTSTP, &action, &before)
    // The whole group, as the terminal itself would: children that use the terminal stop too.
    kill(0, SIGTSTP)
    sigaction(SIGTSTP, &before, nil)
    _ = takeStop()
  }
}
